"""The matcher against the reference engine, and on long texts."""

from __future__ import annotations

import re
from itertools import pairwise

from engines import TokenizersSplit, our_spans
from hypothesis import given, settings
from hypothesis import strategies as st

from verified_tok.reference.charset import ALL, CharSet
from verified_tok.reference.pattern import (
    Alt,
    Atomic,
    Chr,
    Eps,
    NotAhead,
    Pat,
    Piece,
    Seq,
    Star,
    ahead,
    at_end,
    bounded,
    first_match,
    literal,
    matches,
    opt,
    plus,
    split,
    times,
    up_to,
)

ALPHABET = "ab \n"
chars = st.sets(st.sampled_from(ALPHABET), min_size=1).map(lambda s: CharSet.of("".join(s)))
patterns: st.SearchStrategy[Pat] = st.recursive(
    st.one_of(st.builds(Chr, chars), st.builds(Star, chars), st.just(Eps())),
    lambda pats: st.one_of(
        st.builds(Seq, pats, pats),
        st.builds(Seq, pats, pats),
        st.builds(Alt, pats, pats),
        st.builds(NotAhead, pats),
        st.builds(Atomic, pats),
        st.builds(opt, pats),
        st.builds(up_to, pats, st.integers(0, 3)),
        st.builds(times, pats, st.integers(0, 3)),
        st.builds(plus, chars),
        st.builds(ahead, pats),
    ),
    max_leaves=8,
)
texts = st.text(ALPHABET, max_size=10)


def written(pat: Pat) -> str:
    """A pattern as the regular expression that Oniguruma and Python's `re` both read the same way."""
    match pat:
        case Eps():
            return "(?:)"
        case Chr(members):
            return "[" + "".join(f"\\x{ord(c):02x}" for c in members) + "]"
        case Star(members):
            return written(Chr(members)) + "*"
        case Seq(first, second):
            return written(first) + written(second)
        case Alt(first, second):
            return f"(?:{written(first)}|{written(second)})"
        case NotAhead(body):
            return f"(?!{written(body)})"
        case Atomic(body):
            return f"(?>{written(body)})"


@settings(max_examples=1500, deadline=None)
@given(patterns, st.lists(texts, min_size=1, max_size=8))
def test_split_is_the_reference_engines(pat: Pat, samples: list[str]) -> None:
    engine = TokenizersSplit(written(pat))
    for sample in samples:
        assert our_spans(pat, sample) == engine.spans(sample)


@settings(max_examples=1500, deadline=None)
@given(patterns, texts, st.integers(0, 10))
def test_successes_come_best_first(pat: Pat, sample: str, start: int) -> None:
    """Each success in turn: the engine reports the next one when the lengths before it are forbidden."""
    start = min(start, len(sample))
    found = list(dict.fromkeys(matches(pat, sample, start)))
    regex = written(pat)
    for count in range(len(found) + 1):
        # What is left of the text tells the length that was matched.
        forbidden = "".join(rf"(?!.{{{len(sample) - start - n}}}\Z)" for n in found[:count])
        told = re.compile(regex + forbidden, re.DOTALL).match(sample, start)
        assert (told.end() - start if told else None) == (found[count] if count < len(found) else None)


@given(patterns, texts)
def test_pieces_partition_the_text(pat: Pat, sample: str) -> None:
    pieces = split(pat, sample)
    assert "".join(sample[p.start : p.stop] for p in pieces) == sample
    assert all(p.matched or p.start < p.stop for p in pieces)
    assert not any(not p.matched and not q.matched for p, q in pairwise(pieces))


def test_an_empty_match_cuts_unless_it_follows_a_match() -> None:
    some_x = Star(CharSet.of("x"))
    assert split(some_x, "xb") == [Piece(0, 1, True), Piece(1, 2, False), Piece(2, 2, True)]
    assert split(some_x, "ab") == [
        Piece(0, 0, True),
        Piece(0, 1, False),
        Piece(1, 1, True),
        Piece(1, 2, False),
        Piece(2, 2, True),
    ]
    assert split(some_x, "") == [Piece(0, 0, True)]


def test_derived_patterns() -> None:
    a = Chr(CharSet.of("a"))
    assert list(matches(bounded(a, 1, 3), "aaaaa", 0)) == [3, 2, 1]
    assert list(matches(times(a, 2), "aaa", 0)) == [2]
    assert list(matches(up_to(a, 2), "aaa", 1)) == [2, 1, 0]
    assert list(matches(plus(CharSet.of("a")), "aab", 0)) == [2, 1]
    assert list(matches(opt(a), "b", 0)) == [0]
    assert list(matches(literal("ab"), "xab", 1)) == [2]
    assert list(matches(at_end(), "x", 0)) == []
    assert list(matches(at_end(), "x", 1)) == [0]
    assert list(matches(ahead(a), "a", 0)) == [0]


MILLION = 1_000_000


def test_successes_are_found_as_they_are_asked_for() -> None:
    spaces = " " * MILLION
    assert next(matches(Star(ALL), spaces, 0)) == MILLION
    assert first_match(Seq(plus(ALL), NotAhead(Chr(ALL))), spaces, 0) == MILLION


def test_a_run_of_a_million_characters_is_cut_in_linear_time() -> None:
    space, line_end = CharSet.of(" \n"), CharSet.of("\n")
    pat = Alt(Seq(Star(space), plus(line_end)), Alt(Seq(plus(space), NotAhead(Chr(~space))), plus(space)))
    text = " " * MILLION + "x" + "\n " * 10
    assert [p.stop - p.start for p in split(pat, text)] == [MILLION - 1, 1, 1, 19, 1]
