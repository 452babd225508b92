"""Sets of characters against Python sets of code points."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verified_tok.reference.charset import ALL, CharSet

SURROGATES = range(0xD800, 0xE000)
EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0xD7FE, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xE001, 0x10FFFE, 0x10FFFF]

ranges = st.lists(st.tuples(st.sampled_from(EDGES), st.sampled_from(EDGES)).map(lambda r: (min(r), max(r))))


def points(rs: list[tuple[int, int]]) -> set[int]:
    """The edges that ranges hold: enough to tell sets whose ranges end at edges apart."""
    return {p for p in EDGES for first, last in rs if first <= p <= last} - set(SURROGATES)


def held(chars: CharSet) -> set[int]:
    return {p for p in EDGES if p not in SURROGATES and chr(p) in chars}


@given(ranges, ranges)
def test_operations_are_those_of_sets(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> None:
    x, y = CharSet(a), CharSet(b)
    assert held(x) == points(a)
    assert held(x | y) == points(a) | points(b)
    assert held(x & y) == points(a) & points(b)
    assert held(x - y) == points(a) - points(b)
    assert held(~x) == set(EDGES) - set(SURROGATES) - points(a)


@given(ranges, ranges)
def test_equal_members_make_equal_sets(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> None:
    x, y = CharSet(a), CharSet(b)
    same = not (x - y) and not (y - x)
    assert (x == y) == same
    if same:
        assert hash(x) == hash(y)
    assert ~~x == x
    assert x | y == y | x
    assert ~(x | y) == ~x & ~y


@given(ranges)
def test_ranges_are_sorted_and_apart(a: list[tuple[int, int]]) -> None:
    found = CharSet(a).ranges
    for (_, last), (first, _) in pairwise(found):
        assert last + 1 < first


@given(st.sets(st.characters(exclude_categories=["Cs"]), max_size=50))
def test_of_holds_exactly_its_characters(chars: set[str]) -> None:
    made = CharSet.of("".join(chars))
    assert set(made) == chars
    assert list(made) == sorted(chars)
    assert len(made) == len(chars)
    assert bool(made) == bool(chars)


def test_all_scalar_values() -> None:
    assert len(ALL) == 1_112_064
    assert not ~ALL
    assert CharSet([(0, 0x10FFFF)]) == ALL


def test_a_backward_range_is_refused() -> None:
    with pytest.raises(ValueError, match="ends before it begins"):
        CharSet([(2, 1)])


def test_repr_is_short() -> None:
    assert repr(CharSet([(0x41, 0x5A), (0x5F, 0x5F)])) == "CharSet(0041-005A, 005F)"
    assert repr(CharSet.of("acegikmoqs")).endswith("…)")
