"""Real rank tables and what the theorems assume about them, as ``lean/VerifiedTok/Spec/Tables.lean`` says it.

A vocabulary comes as a list of merges (Hugging Face), as the ranks of byte strings (tiktoken), or as the
textbook's rules. For each, a constructor makes the `Table`, and a check returns the assumptions that the data
breaks: an empty list means that ``ValidMerges``, ``ValidRanks`` or ``ValidRules`` holds, and with it
``Table.Valid``, on which the theorems about encoding rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from verified_tok.reference.bpe import Rule, Table
from verified_tok.reference.byte_level import CHAR_OF_BYTE, unspell
from verified_tok.spec import Model, RankBpe


class Violation(NamedTuple):
    """An assumption that does not hold: the Lean field that states it, and where it fails first."""

    assumption: str
    detail: str


def violations(table: Table, bytes_of: Callable[[int], bytes]) -> list[Violation]:
    """The assumptions of ``Table.Valid`` that a table breaks, where ``bytes_of`` gives each token's bytes.

    >>> from verified_tok.reference.bpe import textbook
    >>> violations(textbook([(97, 98)]), lambda token: bytes([token]) if token < 256 else b"xy")
    [Violation(assumption='result_spells', detail="token 256 is b'xy', its parts 97, 98 are b'ab'")]
    """
    merges = ((a, b, rule.result) for (a, b), rule in table.rules.items())
    return _firsts(_byte_spells(table.byte_token, bytes_of), _result_spells(merges, bytes_of))


# A list of merges.


class Merge(NamedTuple):
    """The pair ``left``, ``right`` becomes ``result``. The rank is the position in the list."""

    left: int
    right: int
    result: int


def of_merges(byte_token: Sequence[int], merges: Sequence[tuple[int, int, int]]) -> Table:
    """The table of a list of merges, each as `Merge`; a pair that is listed twice keeps its first merge."""
    rules: dict[tuple[int, int], Rule] = {}
    for rank, (left, right, result) in enumerate(merges):
        rules.setdefault((left, right), Rule(rank, result))
    return Table(tuple(byte_token), rules)


def merge_violations(
    byte_token: Sequence[int | None], bytes_of: Callable[[int], bytes], merges: Sequence[tuple[int, int, int]]
) -> list[Violation]:
    """The assumptions of ``ValidMerges`` that a list of merges breaks. A byte without a token is None."""
    return _firsts(
        _distinct("distinct", "pair", ((left, right) for left, right, _ in merges)),
        _byte_spells(byte_token, bytes_of),
        _result_spells(merges, bytes_of),
    )


# The ranks of byte strings.


def of_ranks(ranks: Mapping[bytes, int]) -> Table:
    """The table of a vocabulary: two tokens merge when their bytes together are a token, which is also the
    rank.

    Raises KeyError if a single byte is not in the vocabulary.
    """
    return Table(tuple(ranks[bytes([b])] for b in range(256)), RankRules(ranks))


class RankRules(Mapping[tuple[int, int], Rule]):
    """The rules of a vocabulary, found when asked for: listing them takes seconds and most are never used."""

    def __init__(self, ranks: Mapping[bytes, int]) -> None:
        self._ranks = ranks
        self._bytes_of = bytes_of_ranks(ranks)

    def get(self, pair: tuple[int, int], default: Rule | None = None) -> Rule | None:  # type: ignore[override]
        left, right = self._bytes_of.get(pair[0]), self._bytes_of.get(pair[1])
        token = None if left is None or right is None else self._ranks.get(left + right)
        return default if token is None else Rule(token, token)

    def __getitem__(self, pair: tuple[int, int]) -> Rule:
        rule = self.get(pair)
        if rule is None:
            raise KeyError(pair)
        return rule

    def __iter__(self) -> Iterator[tuple[int, int]]:
        for spelling in self._ranks:
            for i in range(1, len(spelling)):
                left, right = self._ranks.get(spelling[:i]), self._ranks.get(spelling[i:])
                if left is not None and right is not None:
                    yield left, right

    def __len__(self) -> int:
        return sum(1 for _ in self)


def bytes_of_ranks(ranks: Mapping[bytes, int]) -> dict[int, bytes]:
    """The bytes of every token of a vocabulary."""
    return {token: spelling for spelling, token in ranks.items()}


def rank_violations(ranks: Iterable[tuple[bytes, int]]) -> list[Violation]:
    """The assumptions of ``ValidRanks`` that a vocabulary, listed as (bytes, token), breaks."""
    entries = list(ranks)
    spellings = {spelling for spelling, _ in entries}
    return _firsts(
        _distinct("bytes_distinct", "byte string", (spelling for spelling, _ in entries)),
        _distinct("tokens_distinct", "token", (token for _, token in entries)),
        (Violation("nonempty", f"token {token} has no bytes") for spelling, token in entries if not spelling),
        (
            Violation("has_byte", f"byte {b:#04x} is no token")
            for b in range(256)
            if bytes([b]) not in spellings
        ),
    )


# The textbook's rules.


def rule_violations(rules: Sequence[tuple[int, int]]) -> list[Violation]:
    """The assumptions of ``ValidRules`` that a list of textbook rules breaks."""
    return _firsts(
        _distinct("distinct", "pair", rules),
        (
            Violation("earlier", f"rule {rank} joins {left}, {right}, which is not made before it")
            for rank, (left, right) in enumerate(rules)
            if max(left, right) >= 256 + rank
        ),
    )


def bytes_of_rules(rules: Sequence[tuple[int, int]]) -> list[bytes]:
    """The bytes of every token of a textbook table, by token. The rules must be valid."""
    spellings = [bytes([b]) for b in range(256)]
    for left, right in rules:
        spellings.append(spellings[left] + spellings[right])
    return spellings


# A loaded model.

NOT_IN_UTF8 = frozenset({0xC0, 0xC1, *range(0xF5, 0x100)})
"""The bytes that no text holds. Some vocabularies have no token for them."""

FALLBACK_NAMES = tuple(f"<0x{byte:02X}>" for byte in range(256))
"""The entries of a vocabulary of plain text that stand for single bytes."""
FALLBACK_BYTES = {name: byte for byte, name in enumerate(FALLBACK_NAMES)}
"""The bytes that they stand for."""


def model_violations(model: Model, *, byte_level: bool) -> list[Violation]:
    """The assumptions of ``ValidRanks`` or ``ValidMerges`` that a loaded model breaks.

    With ``byte_level`` the texts of the vocabulary are in byte-level characters; without, they are plain
    text, and a byte's token is the one that byte fallback uses. A byte that no text holds needs no token: the
    check is of the model with a token of its own, in no merge, for each such byte that lacks one. A model
    without byte tokens breaks ``byte_spells`` alone: the theorems about lists of tokens hold for it.
    """
    if isinstance(model, RankBpe):
        return rank_violations(model.ranks.items())
    names = CHAR_OF_BYTE if byte_level else FALLBACK_NAMES if model.byte_fallback else ()
    unused = 1 + max(model.vocab.values(), default=0)
    own = {names[byte]: unused + byte for byte in NOT_IN_UTF8} if names else {}
    tokens = {**own, **model.vocab}
    fallback = {name: bytes([byte]) for byte, name in enumerate(names)}
    spelled_by = unspell if byte_level else fallback.get
    bytes_of = {token: spelled_by(text) or text.encode() for text, token in tokens.items()}
    return merge_violations([tokens.get(name) for name in names], bytes_of.__getitem__, model.merges)


# The assumptions, each as the sequence of the places where it fails.


def _distinct(assumption: str, what: str, values: Iterable[Hashable]) -> Iterator[Violation]:
    return (
        Violation(assumption, f"the {what} {value!r} is listed {count} times")
        for value, count in Counter(values).items()
        if count > 1
    )


def _byte_spells(byte_token: Sequence[int | None], bytes_of: Callable[[int], bytes]) -> Iterator[Violation]:
    for byte, token in zip_longest(range(256), byte_token):
        if token is None:
            yield Violation("byte_spells", f"byte {byte:#04x} has no token")
        elif bytes_of(token) != bytes([byte]):
            yield Violation("byte_spells", f"token {token} of byte {byte:#04x} is {bytes_of(token)!r}")


def _result_spells(
    merges: Iterable[tuple[int, int, int]], bytes_of: Callable[[int], bytes]
) -> Iterator[Violation]:
    for left, right, result in merges:
        parts = bytes_of(left) + bytes_of(right)
        if bytes_of(result) != parts:
            yield Violation(
                "result_spells",
                f"token {result} is {bytes_of(result)!r}, its parts {left}, {right} are {parts!r}",
            )


def _firsts(*assumptions: Iterator[Violation]) -> list[Violation]:
    """The first failure of each assumption that fails."""
    return [failure for failures in assumptions for failure in [next(failures, None)] if failure]
