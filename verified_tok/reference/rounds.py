"""Rounds: merging every pair of the lowest rank at once, as ``lean/VerifiedTok/Spec/Rounds.lean`` says it.

A round is what a parallel implementation does. It gives the tokens of ``bpe.encode_piece`` for some
vocabularies and not for others; ``rounds_check`` decides for which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verified_tok.reference.bpe import Table, best, initial_tokens, merge_all, selected


def round_(table: Table, k: int, tokens: Sequence[int]) -> list[int]:
    """Merge, from left to right, every pair of rank ``k`` that does not overlap the one merged before."""
    merged: list[int] = []
    i = 0
    while i < len(tokens):
        rule = selected(table, tokens, i)
        if rule and rule.rank == k:
            merged.append(rule.result)
            i += 2
        else:
            merged.append(tokens[i])
            i += 1
    return merged


def round_all(table: Table, tokens: Sequence[int]) -> list[int]:
    """Make rounds, each at the lowest rank that applies, until no rule applies."""
    merged = list(tokens)
    while found := best(table, merged):
        merged = round_(table, found[0], merged)
    return merged


def encode_piece_rounds(table: Table, piece: bytes) -> list[int]:
    """The encoder of one piece that works in rounds."""
    return round_all(table, initial_tokens(table, piece))


def agree(table: Table, tokens: Sequence[int]) -> bool:
    """Rounds and single merges have the same outcome on ``tokens``."""
    return round_all(table, tokens) == merge_all(table, tokens)


# A round in parallel: every position decides for itself what it writes.


def hits_before(hit: Callable[[int], bool], i: int) -> int:
    """The number of hits in a row that end just before ``i``."""
    count = 0
    while i > count and hit(i - count - 1):
        count += 1
    return count


def taken(hit: Callable[[int], bool], i: int) -> bool:
    """The pair at ``i`` is merged: it is a hit, with an even number of hits in a row just before it."""
    return hit(i) and hits_before(hit, i) % 2 == 0


def result_at(table: Table, k: int, tokens: Sequence[int], i: int) -> int | None:
    """The result of the pair at ``i``, if it has rank ``k``."""
    rule = selected(table, tokens, i)
    return rule.result if rule and rule.rank == k else None


def written(table: Table, k: int, tokens: Sequence[int], i: int) -> int | None:
    """What position ``i`` writes: nothing if the pair before it is merged, else the result if its own pair is
    merged, else its token."""

    def hit(j: int) -> bool:
        return result_at(table, k, tokens, j) is not None

    if i != 0 and taken(hit, i - 1):
        return None
    return result_at(table, k, tokens, i) if taken(hit, i) else tokens[i]


def round_parallel(table: Table, k: int, tokens: Sequence[int]) -> list[int]:
    """A round in which all positions work at once."""
    outputs = (written(table, k, tokens, i) for i in range(len(tokens)))
    return [token for token in outputs if token is not None]
