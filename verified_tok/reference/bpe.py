"""Byte-pair encoding, name by name as ``lean/VerifiedTok/Spec/Bpe.lean`` and ``Spec/Bytes.lean`` say it.

The specification: `pair_at`, `selected`, `stuck`, `optimal`, `merge_at`.
The program: `best`, `merge_all`, `encode_piece`.
Lines that begin with ``pre:`` and ``post:`` are contracts that CrossHair checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import NamedTuple


class Rule(NamedTuple):
    """What a rank table says of a pair of tokens. Lower ranks are merged first."""

    rank: int
    result: int


@dataclass(frozen=True)
class Table:
    """A rank table: the token of each of the 256 bytes, and for some pairs of tokens a rule."""

    byte_token: tuple[int, ...]
    rules: Mapping[tuple[int, int], Rule] = field(repr=False)

    def look(self, a: int, b: int) -> Rule | None:
        """The rule for the token ``a`` before the token ``b``, if there is one."""
        return self.rules.get((a, b))


def textbook(rules: Sequence[tuple[int, int]]) -> Table:
    """The table in which a rule's rank is its position and its result is ``256 + rank``.

    A pair that is listed twice keeps its first rank.

    >>> encode_piece(textbook([(97, 97), (256, 98)]), b"aaab")
    [256, 97, 98]
    """
    table: dict[tuple[int, int], Rule] = {}
    for rank, pair in enumerate(rules):
        table.setdefault(pair, Rule(rank, 256 + rank))
    return Table(tuple(range(256)), table)


# The specification.


def pair_at(tokens: Sequence[int], i: int) -> tuple[int, int] | None:
    """The tokens at positions ``i`` and ``i + 1``, if both exist."""
    return (tokens[i], tokens[i + 1]) if 0 <= i < len(tokens) - 1 else None


def selected(table: Table, tokens: Sequence[int], i: int) -> Rule | None:
    """The rule that applies at position ``i``, if any."""
    pair = pair_at(tokens, i)
    return table.look(*pair) if pair else None


def stuck(table: Table, tokens: Sequence[int]) -> bool:
    """No rule applies anywhere."""
    return all(selected(table, tokens, i) is None for i in range(len(tokens)))


def optimal(table: Table, tokens: Sequence[int], i: int) -> bool:
    """A rule applies at ``i``, none of lower rank anywhere, and none of the same rank further left."""
    here = selected(table, tokens, i)
    there = ((j, selected(table, tokens, j)) for j in range(len(tokens)))
    return here is not None and all(
        rule is None or here.rank < rule.rank or (here.rank == rule.rank and i <= j) for j, rule in there
    )


def merge_at(tokens: Sequence[int], i: int, c: int) -> list[int]:
    """Replace the two tokens at ``i`` and ``i + 1`` by ``c``.

    pre: 0 <= i < len(tokens) - 1
    post: len(__return__) == len(tokens) - 1
    """
    return [*tokens[:i], c, *tokens[i + 2 :]]


# The program.


def initial_tokens(table: Table, piece: bytes) -> list[int]:
    """One token for each byte."""
    return [table.byte_token[b] for b in piece]


def best(table: Table, tokens: Sequence[int]) -> tuple[int, int, int] | None:
    """The optimal merge, if any rule applies: its rank, its position and its result.

    post: stuck(table, tokens) if __return__ is None else optimal(table, tokens, __return__[1])
    """
    merges = ((rule.rank, i, rule.result) for i in range(len(tokens)) if (rule := selected(table, tokens, i)))
    return min(merges, default=None)


def merge_steps(table: Table, n: int, tokens: Sequence[int]) -> list[int]:
    """Make at most ``n`` optimal merges."""
    tokens = list(tokens)
    while n > 0 and (found := best(table, tokens)):
        _, i, c = found
        n, tokens = n - 1, merge_at(tokens, i, c)
    return tokens


def merge_all(table: Table, tokens: Sequence[int]) -> list[int]:
    """Make optimal merges, lowest rank first and then leftmost, until no rule applies.

    ``tokens`` may be any tokens: bytes for byte-level vocabularies, characters with byte fallback for others.
    The same as `merge_steps` with as many steps as tokens, in time that grows little faster than the length.

    post: stuck(table, __return__)
    """
    return [token for _, token in merge_places(table, tokens)]


def merge_places(table: Table, tokens: Sequence[int]) -> list[tuple[int, int]]:
    """`merge_all`, where each token comes with its place: the index of the first token it was made of."""
    # The heap holds (rank, position) of every pair that a rule applies to, so its least entry that still
    # tells the truth is the optimal merge. A merge keeps the left position and closes the right one.
    merged, end = list(tokens), len(tokens)
    before, after = list(range(-1, end)), list(range(1, end + 1))  # the neighbours of each position
    heap = [(rule.rank, i) for i in range(end) if (rule := selected(table, tokens, i))]
    heapify(heap)
    while heap:
        rank, i = heappop(heap)
        j = after[i]
        rule = table.look(merged[i], merged[j]) if j < end else None
        if rule is None or rule.rank != rank:
            continue  # the pair has changed since
        merged[i] = rule.result
        after[i], after[j] = after[j], end
        before[after[i]] = i
        for left, right in ((before[i], i), (i, after[i])):
            if left >= 0 and right < end and (rule := table.look(merged[left], merged[right])):
                heappush(heap, (rule.rank, left))
    result, i = [], 0
    while i < end:
        result.append((i, merged[i]))
        i = after[i]
    return result


def encode_piece(table: Table, piece: bytes) -> list[int]:
    """The encoder of one piece."""
    return merge_all(table, initial_tokens(table, piece))


def encode_piece_ignore_merges(table: Table, entry: Mapping[bytes, int], piece: bytes) -> list[int]:
    """The encoder of vocabularies with ``ignore_merges``.

    A piece that is an entry of the vocabulary is that token, whether or not merges reach it; any other piece
    goes through the merges.
    """
    token = entry.get(piece)
    return encode_piece(table, piece) if token is None else [token]


def decode(bytes_of: Callable[[int], bytes], tokens: Sequence[int]) -> bytes:
    """The bytes of a list of tokens: each token's bytes, in order."""
    return b"".join(map(bytes_of, tokens))
