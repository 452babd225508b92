"""One family, in the kit and in every engine that has it, and all their differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from spec.campaign.engines import Claim, Cut, Encoded, Engine, HuggingFaceClaims, TiktokenClaims
from spec.campaign.rank_files import gpt2_file
from verified_tok.families import FAMILIES, RankFile
from verified_tok.fetch import fetch, open_family
from verified_tok.peer import read_ranks
from verified_tok.reference.decode import strip
from verified_tok.spec import ReplaceDecode, StripDecode, TokenizerSpec

ROSTER = tuple(name for name in FAMILIES if name != "bert")
"""Every family that the kit serves."""

RANKS_OF = {"gpt-4o": "o200k", "gpt-oss": "o200k", "dolma2": "cl100k", "llama-3.1": "llama-3"}
"""Families whose ordinary tokens tiktoken has too: the family with their ranks and pattern."""

GPT2_LIKE = ("gpt2", "p50k")
"""Rank tables with GPT-2's pattern: Hugging Face has it built in, so it can have them too."""

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Difference:
    """A claim that does not hold: the kit says something else than the judge."""

    family: str
    judge: str
    given: str | Sequence[int]
    claim: Claim

    def __str__(self) -> str:
        what, ours, theirs = self.claim
        at = ""
        if isinstance(ours, list) and isinstance(theirs, list):
            same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))))
            at, ours, theirs = f" from place {same} on", ours[same:], theirs[same:]
        lines = [
            f"{self.family}: {what}: not what {self.judge} says{at}",
            f"  of     {_shown(self.given)}",
            f"  ours   {_shown(ours)}",
            f"  theirs {_shown(theirs)}",
        ]
        return "\n".join(lines)


class Contest:
    """A family's tokenizer in the kit, `ours`, and in the `engines`."""

    def __init__(self, family: str) -> None:
        self.family = family
        self.ours = open_family(family)
        self.engines: list[Engine] = []
        known, file = FAMILIES[family].file, fetch(family).read_bytes()
        if isinstance(known, RankFile):
            ranks = read_ranks(file)
            self.engines.append(TiktokenClaims(self.ours, ranks, known.pattern))
            if family in GPT2_LIKE:
                self.engines.append(HuggingFaceClaims(self.ours, gpt2_file(ranks, known.special_tokens)))
        else:
            self.engines.append(HuggingFaceClaims(self.ours, file))
        if family in RANKS_OF:
            relative = RANKS_OF[family]
            rest = FAMILIES[relative].file
            assert isinstance(rest, RankFile)
            self.engines.append(
                TiktokenClaims(self.ours, read_ranks(fetch(relative).read_bytes()), rest.pattern)
            )

    def ids(self, text: str) -> Iterator[Difference]:
        """Differences in the ids of a text, and nothing else: for very many short texts."""
        ours = self.ours.encode(text).tolist()
        yield from self._differences(
            text, lambda engine: iter([Claim("ids", ours, engine.peer.encode(text))])
        )

    def encoding(self, text: str) -> Iterator[Difference]:
        """Differences in ids, offsets, decoded text and the round trip of a text."""
        tok = self.ours
        ids, ordinary = tok.encode(text).tolist(), tok.encode_ordinary(text).tolist()
        ours = Encoded(ids, ordinary, tok.encode_with_spans(text))
        yield from self._compare("encode", text, Claim("ids with places", ours.placed.ids.tolist(), ids))
        different = list(self._differences(text, lambda engine: engine.encoding(text, ours)))
        yield from different
        if not different:  # else the engine need not know the ids
            yield from self.decoding(ids)
        for added_tokens, encoded in (("all", ids), ("none", ordinary)):
            expected = spelled(tok.spec, tok.normalize(text, added_tokens)).encode()
            claim = Claim("round trip", tok.decode_bytes(encoded), expected)
            yield from self._compare("the text itself", text, claim)

    def cutting(self, text: str) -> Iterator[Difference]:
        """Differences in the normalized text and in the pieces of a text."""
        ours = Cut(self.ours.normalize(text, added_tokens="none"), self.ours.pre_tokenize(text))
        yield from self._differences(text, lambda engine: engine.cutting(text, ours))

    def decoding(self, ids: Sequence[int]) -> Iterator[Difference]:
        """Differences in what ids stand for."""
        yield from self._differences(ids, lambda engine: engine.decoding(ids))

    def _differences(
        self, given: str | Sequence[int], claims: Callable[[Engine], Iterator[Claim]]
    ) -> Iterator[Difference]:
        for engine in self.engines:
            for claim in claims(engine):
                yield from self._compare(engine.peer.name, given, claim)

    def _compare(self, judge: str, given: str | Sequence[int], claim: Claim) -> Iterator[Difference]:
        if claim.ours != claim.theirs:
            yield Difference(self.family, judge, given, claim)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def spelled(spec: TokenizerSpec, normalized: str) -> str:
    """Normalized text as its tokens are decoded: the marks that stand for spaces are spaces again."""
    for stage in spec.decoders:
        match stage:
            case ReplaceDecode(pattern, content):
                normalized = normalized.replace(pattern.text, content)
            case StripDecode(content, start, stop):
                normalized = strip(normalized.encode(), content.encode(), start, stop).decode()
    return normalized
