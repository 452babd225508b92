"""Tokens that are found without merging, as ``lean/VerifiedTok/Spec/Search.lean`` says it.

An encoding is decided by its neighbours: tokens that merges make, and of which every two neighbours stay
apart, are the encoding of what they spell, however they were found (``mergeAll_of_stayApartAll``).
`stay_apart` answers for two tokens without merging, from the last merge of each. It is right about tokens
whose own merges have ranks that never fall, which `made` asks of each (``stayApart_iff``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from verified_tok.reference.bpe import Rule, Table, best, merge_all
from verified_tok.reference.rounds_check import LiveRule, Symbols, last_rule, live_rules


def birth(table: Table, symbols: Symbols, token: int) -> LiveRule | None:
    """The last merge of the run that makes a token of its symbols; none for a symbol."""
    return last_rule(table, symbols[token])


def ranks_grow(table: Table, tokens: Sequence[int]) -> bool:
    """The ranks of the run from ``tokens`` never fall."""
    merged, least = list(tokens), 0
    while found := best(table, merged):
        rank, i, result = found
        if rank < least:
            return False
        least = rank
        merged[i : i + 2] = [result]
    return True


def made(table: Table, symbols: Symbols, token: int) -> bool:
    """Merges make a token of its symbols, by ranks that never fall."""
    return merge_all(table, symbols[token]) == [token] and ranks_grow(table, symbols[token])


def comes_first(left_dies: int | None, right_dies: int | None, rank: int) -> bool:
    """A merge between two tokens comes before those that take the left one and the right one, if any do.

    Of equal ranks, the leftmost goes first.
    """
    return (left_dies is None or rank < left_dies) and (right_dies is None or rank <= right_dies)


def stay_apart(table: Table, symbols: Symbols, left: int, right: int) -> bool:
    """Merges leave two tokens that are `made`, side by side, as they are.

    Their runs are gone through backwards. At each step `left` and `right` are the tokens that meet between
    the two runs, and of the two merges that made them the later one is undone.
    """
    left_dies = right_dies = None
    while True:
        rule = table.look(left, right)
        if rule and comes_first(left_dies, right_dies, rule.rank):
            return False
        l_birth, r_birth = birth(table, symbols, left), birth(table, symbols, right)
        if l_birth and not (r_birth and l_birth.rank <= r_birth.rank):
            left, left_dies = l_birth.right, l_birth.rank
        elif r_birth:
            right, right_dies = r_birth.left, r_birth.rank
        else:
            return True


def stay_apart_all(table: Table, symbols: Symbols, tokens: Sequence[int]) -> bool:
    """Every token is made by merges, and every two neighbours stay apart."""
    return all(made(table, symbols, token) for token in tokens) and all(
        stay_apart(table, symbols, a, b) for a, b in pairwise(tokens)
    )


Fits = Callable[[Sequence[int]], Sequence[int]]
"""Tokens that merges make, and whose symbols the given ones begin with; in the order in which to try them."""


def search(table: Table, symbols: Symbols, fits: Fits, tokens: Sequence[int]) -> list[int] | None:
    """The encoding of these symbols, found without merging; None if `fits` does not know a token of it.

    Tries the tokens in their order and goes back where none leads to the end. One list at most leads to a
    place (``stayApartAll_unique``), so a place from which none leads on is given up for good.
    """
    found: list[int] = []
    places = [0]
    untried = [iter(fits(tokens))]
    given_up: set[int] = set()
    while places[-1] < len(tokens):
        for token in untried[-1]:
            stop = places[-1] + len(symbols[token])
            if stop not in given_up and (not found or stay_apart(table, symbols, found[-1], token)):
                found.append(token)
                places.append(stop)
                untried.append(iter(fits(tokens[stop:])))
                break
        else:
            if not found:
                return None
            given_up.add(places.pop())
            untried.pop()
            found.pop()
    return found


def live_table(table: Table, symbols: Symbols) -> Table:
    """A table without the rules that no run from initial tokens comes to.

    Of the rules of a token, the last one of the run on its own symbols is kept; every encoding stays as it is
    (``mergeAll_liveTable``).
    """
    last = live_rules(table, symbols).values()
    live = {(rule.left, rule.right): Rule(rule.rank, rule.result) for rule in last}
    return Table(
        table.byte_token, {pair: rule for pair, rule in table.rules.items() if live.get(pair) == rule}
    )
