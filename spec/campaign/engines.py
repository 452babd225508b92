"""Independent engines that hold a family's tokenizer, and what they say beside what the kit says.

An engine answers with `Claim`s: what is compared, the kit's value and the engine's. Nothing here judges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import tokenizers

from verified_tok.encoding import Encoding
from verified_tok.peer import HuggingFace, Peer, Tiktoken
from verified_tok.reference.added_tokens import literal_of
from verified_tok.reference.aligned import Span
from verified_tok.reference.byte_level import spell, unspell
from verified_tok.reference.pipeline import markup
from verified_tok.spec import ByteLevelDecode, MergeBpe, RankBpe, TokenizerSpec, UnicodeForm
from verified_tok.tokenizer import Tokenizer


class Claim(NamedTuple):
    """Two values that must be equal."""

    what: str
    ours: object
    theirs: object


class Encoded(NamedTuple):
    """What the kit says of a text: its ids, those without added tokens, and the first with places."""

    ids: list[int]
    ordinary: list[int]
    placed: Encoding


class Cut(NamedTuple):
    """What the kit says of a text before the model: it as normalized, and the pieces of it as it stands."""

    normalized: str
    pieces: list[tuple[str, Span]]


class Engine(Protocol):
    """Another engine with the same tokenizer."""

    @property
    def peer(self) -> Peer:
        """The engine itself."""
        ...

    def encoding(self, text: str, ours: Encoded) -> Iterator[Claim]:
        """Ids, with added tokens on and off, and the places of tokens."""
        ...

    def cutting(self, text: str, ours: Cut) -> Iterator[Claim]:
        """The normalized text, and pieces."""
        ...

    def decoding(self, ids: Sequence[int]) -> Iterator[Claim]:
        """What any ids stand for."""
        ...


class HuggingFaceClaims:
    """What Hugging Face `tokenizers` says, on the bytes of a `tokenizer.json`."""

    def __init__(self, tok: Tokenizer, file: bytes) -> None:
        self.peer = HuggingFace(file)
        self.misread = _misread(tok.spec)
        self._tok = tok
        self._engine = self.peer.engine
        self._plain = _without_added_tokens(self._engine)
        self._not_special = frozenset(token.id for token in tok.spec.added_tokens if not token.special)
        self._never = {on: markup(tok.spec, on) for on in (self._not_special, frozenset())}
        self._composes = any(isinstance(stage, UnicodeForm) for stage in tok.spec.normalizers)

    def encoding(self, text: str, ours: Encoded) -> Iterator[Claim]:
        tok, theirs = self._tok, self._engine.encode(text, add_special_tokens=False)
        yield Claim("ids", ours.ids, theirs.ids)
        # The engine gives a composed character the place of its base alone.
        if not self._composes or tok.is_normalized(text, added_tokens="none"):
            yield Claim("offsets", list(map(tuple, ours.placed.offsets.tolist())), theirs.offsets)
        if tok.spec.post_processors:
            around = self._engine.encode(text, add_special_tokens=True).ids
            yield Claim("ids in the template", tok.encode(text, add_special_tokens=True).tolist(), around)
        theirs = self._plain.encode(text, add_special_tokens=False)
        yield self._switched_off("ids without added tokens", ours.ordinary, theirs.ids, frozenset())
        # No family has a literal that overlaps a special one; there the engine's switch would mean less.
        some = tok.encode(text, added_tokens=self._not_special).tolist()
        self._engine.encode_special_tokens = True
        theirs = self._engine.encode(text, add_special_tokens=False)
        self._engine.encode_special_tokens = False
        yield self._switched_off("ids without special tokens", some, theirs.ids, self._not_special)

    def _switched_off(self, what: str, ours: list[int], theirs: list[int], enabled: frozenset[int]) -> Claim:
        """The engine may make a switched-off token out of plain text where the model has it too; the kit
        never does."""
        never = self._never[enabled]
        if never.isdisjoint(theirs):
            return Claim(what, ours, theirs)
        return Claim(f"markup among {what}", never & set(ours), set())

    def cutting(self, text: str, ours: Cut) -> Iterator[Claim]:
        normalizer, pre_tokenizer = self._engine.normalizer, self._engine.pre_tokenizer
        if normalizer is not None:
            yield Claim("normalized text", ours.normalized, normalizer.normalize_str(text))
        if pre_tokenizer is not None:
            pieces = ours.pieces
            if isinstance(self._tok.spec.model, RankBpe):  # bytes to us, characters for bytes to the engine
                pieces = [(spell(piece.encode()), span) for piece, span in pieces]
            yield Claim("pieces", pieces, pre_tokenizer.pre_tokenize_str(text))

    def decoding(self, ids: Sequence[int]) -> Iterator[Claim]:
        if not self.misread.isdisjoint(ids):
            return
        for skip in (False, True):
            theirs = self._engine.decode(ids, skip_special_tokens=skip)
            what = "text without special tokens" if skip else "text"
            yield Claim(what, self._tok.decode(ids, skip_special_tokens=skip), theirs)


class TiktokenClaims:
    """What tiktoken says, with its ranks, a pattern, and the kit's added tokens."""

    def __init__(self, tok: Tokenizer, ranks: Mapping[bytes, int], pattern: str) -> None:
        self._tok = tok
        self._pattern = pattern
        self._special = {token.content: token.id for token in tok.spec.added_tokens}
        self.peer = Tiktoken(ranks, pattern, self._special, tok.spec.normalizers)
        self._engine = self.peer.engine

    def encoding(self, text: str, ours: Encoded) -> Iterator[Claim]:
        tok, normal = self._tok, self.peer.normalize(text)
        yield Claim("ids without added tokens", ours.ordinary, self._engine.encode_ordinary(normal))
        # The kit normalizes between the literals; normalizing all can join a literal with what follows.
        if tok.normalize(text) == normal:
            theirs = self._engine.encode(normal, allowed_special="all")
            yield Claim("ids", ours.ids, theirs)
            if normal == text:
                _, starts = self._engine.decode_with_offsets(theirs)
                yield Claim("offsets", ours.placed.char_spans[:, 0].tolist(), starts)
        some = set([*self._special][::2])
        if tok.normalize(text, some) == normal:
            theirs = self._engine.encode(normal, allowed_special=some, disallowed_special=())
            yield Claim("ids with some added tokens", tok.encode(text, some).tolist(), theirs)

    def cutting(self, text: str, ours: Cut) -> Iterator[Claim]:
        yield Claim("normalized text", ours.normalized, self.peer.normalize(text))
        pieces = [text[start:stop] for _, (start, stop) in ours.pieces]
        yield Claim("pieces", pieces, self.cut(text, pieces))

    def decoding(self, ids: Sequence[int]) -> Iterator[Claim]:
        yield Claim("bytes", self._tok.decode_bytes(ids), self._engine.decode_bytes(ids))
        yield Claim("text", self._tok.decode(ids), self._engine.decode(ids, errors="replace"))

    def cut(self, text: str, expected: Sequence[str]) -> list[str]:
        """The engine's pieces if they are the expected ones, and something else if they are not.

        tiktoken shows ids only. So it gets a table in which each expected piece is one token, and each two
        neighbours together are one: then a piece that goes across a place where two of them meet cannot end
        as those two, because they would have been merged.
        """
        tokens = {piece.encode() for piece in expected}
        tokens |= {(left + right).encode() for left, right in pairwise(expected)}
        singles = [bytes([byte]) for byte in range(256)]
        ranks = {token: rank for rank, token in enumerate([*singles, *sorted(tokens.difference(singles))])}
        engine = Tiktoken(ranks, self._pattern, {}).engine
        return [
            engine.decode_single_token_bytes(id).decode(errors="backslashreplace")
            for id in engine.encode_ordinary(text)
        ]


def _misread(spec: TokenizerSpec) -> frozenset[int]:
    """Added tokens whose literals are made of byte-level characters: the engine takes `ü`, which only the
    list of added tokens has, for the byte FC. The kit gives it back, or text with it would not survive."""
    if ByteLevelDecode() not in spec.decoders or not isinstance(spec.model, MergeBpe):
        return frozenset()
    in_model = set(spec.model.vocab.values())
    literals = {
        token.id: literal_of(spec.normalizers, token)
        for token in spec.added_tokens
        if token.id not in in_model
    }
    return frozenset(
        id for id, literal in literals.items() if unspell(literal) not in (None, literal.encode())
    )


def _without_added_tokens(engine: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    plain = tokenizers.Tokenizer(engine.model)  # the two share the model
    if engine.normalizer is not None:
        plain.normalizer = engine.normalizer
    if engine.pre_tokenizer is not None:
        plain.pre_tokenizer = engine.pre_tokenizer
    return plain
