"""Contracts about whole runs of the reference encoder, on all tables over a few pairs and four tokens.

CrossHair searches them, and those in the docstrings of `verified_tok.reference.bpe`, for counterexamples;
`test_bpe.py` runs it. Every name and bound here is small so that the search gets around.
"""

from verified_tok.reference.bpe import Rule, Table, best, merge_all, merge_at, merge_steps

Ranks = tuple[int, int, int, int, int]

PAIRS = ((0, 0), (0, 1), (1, 2), (2, 0), (2, 2))


def table(ranks: Ranks) -> Table:
    """Pair number `i` has the rank `ranks[i]` and the result `2 + i`; it has no rule if that is negative."""
    rules = {pair: Rule(ranks[i], 2 + i) for i, pair in enumerate(PAIRS) if ranks[i] >= 0}
    return Table((), rules)


def the_fast_loop_is_the_slow_one(
    ranks: Ranks, a: bool, b: bool, c: bool, d: bool
) -> tuple[list[int], list[int]]:
    """
    post: __return__[0] == __return__[1]
    """
    tokens = [int(a), int(b), int(c), int(d)]
    return merge_all(table(ranks), tokens), merge_steps(table(ranks), 4, tokens)


def the_optimal_merge_may_be_made_first(
    ranks: Ranks, a: bool, b: bool, c: bool, d: bool
) -> tuple[list[int], list[int]]:
    """
    post: __return__[0] == __return__[1]
    """
    tokens = [int(a), int(b), int(c), int(d)]
    found = best(table(ranks), tokens)
    merged = merge_at(tokens, found[1], found[2]) if found else tokens
    return merge_all(table(ranks), merged), merge_all(table(ranks), tokens)
