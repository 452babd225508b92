"""The seam analysis of patterns, beside cutting by brute force.

The properties mirror `lean/VerifiedTok/Thm/Seam.lean`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from symbolic import copy_with_fault, counterexamples

from verified_tok.reference import seam
from verified_tok.reference.aligned import Aligned
from verified_tok.reference.charset import CharSet
from verified_tok.reference.pattern import Alt, Atomic, Chr, Eps, NotAhead, Pat, Seq, Star, first_match
from verified_tok.reference.pre_tokenizer import Stage, cut
from verified_tok.reference.regex import parse
from verified_tok.spec import Dialect, SplitBehavior

LETTERS = "abc"
SETS = st.sets(st.sampled_from(LETTERS), min_size=1).map(lambda chars: CharSet.of("".join(chars)))
PATTERNS: st.SearchStrategy[Pat] = st.recursive(
    st.one_of(st.just(Eps()), SETS.map(Chr), SETS.map(Star)),
    lambda inner: st.one_of(
        st.builds(Seq, inner, inner),
        st.builds(Alt, inner, inner),
        st.builds(NotAhead, inner),
        st.builds(Atomic, inner),
    ),
    max_leaves=6,
)
TEXTS = st.text(LETTERS, min_size=1, max_size=6)
STAGES = st.builds(Stage, PATTERNS, st.sampled_from(SplitBehavior), st.booleans())


def split_all(stages: list[Stage], text: str) -> list[str]:
    """The pieces of a text under several stages."""
    pieces = [text]
    for stage in stages:
        pieces = [
            part.text
            for piece in pieces
            for part in cut(stage.pat, stage.behaviour, stage.invert, Aligned.of(piece))
        ]
    return pieces


@given(PATTERNS, TEXTS, TEXTS)
@settings(max_examples=1000)
def test_a_match_does_not_see_across_a_stable_place(p: Pat, front: str, back: str) -> None:
    """`firstMatch_append_of_stable`: what matches in the front does not change when the back follows."""
    if seam.stable(p, front[-1], back[0]):
        for start in range(len(front)):
            assert first_match(p, front + back, start) == first_match(p, front, start)


@given(PATTERNS, TEXTS, TEXTS)
@settings(max_examples=1000)
def test_crossing_is_the_plain_case_of_not_stable(p: Pat, front: str, back: str) -> None:
    if not seam.crosses(p, front[-1], back[0]):
        assert seam.stable(p, front[-1], back[0])


@given(PATTERNS, TEXTS)
@settings(max_examples=1000)
def test_a_covered_character_begins_a_match(p: Pat, text: str) -> None:
    """`firstMatch_of_covers`: where a pattern covers a character, the first match takes something."""
    if seam.covers(p, text[0]):
        assert first_match(p, text, 0)


@given(st.lists(STAGES, min_size=1, max_size=3), TEXTS, TEXTS)
@settings(max_examples=2000)
def test_a_seam_cuts_the_pieces(stages: list[Stage], front: str, back: str) -> None:
    """`splitAll_append_of_seam`: at a seam, splitting distributes over concatenation."""
    if seam.is_seam(stages, front[-1], back[0]):
        assert split_all(stages, front + back) == split_all(stages, front) + split_all(stages, back)


LLAMA = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@pytest.mark.parametrize(
    ("pair", "seam_expected"),
    [
        ("a ", True),  # a word, then a space
        (" a", False),  # a space belongs to its word
        ("ab", False),
        ("a1", True),
        ("1a", True),
        ("12", False),  # grouped by three from the left
        (". ", True),
        ("a.", True),
        (".a", False),  # one sign may belong to the word behind it
        ("\na", True),  # the sharper seam: `\s*[\r\n]+` comes before `\s+`
        ("a\n", True),
        (".\n", False),
        (" \n", False),
        ("\n ", False),
    ],
)
def test_seams_of_a_real_pattern(pair: str, seam_expected: bool) -> None:
    stage = Stage(parse(LLAMA, Dialect.ONIGURUMA), SplitBehavior.ISOLATED, False)
    assert seam.is_seam([stage], *pair) == seam_expected


def test_single_digits_are_seams() -> None:
    stage = Stage(parse(LLAMA.replace("{1,3}", ""), Dialect.ONIGURUMA), SplitBehavior.ISOLATED, False)
    assert seam.is_seam([stage], "1", "2")


# --- CrossHair ---------------------------------------------------------------------------------------

FAULTS = {
    "first_of_matches": ("return first(a, d) or (nullable(a) and first(b, d))", "return first(a, d)"),
    "last_of_matches": ("return last(b, c) or (nullable(b) and last(a, c))", "return last(b, c)"),
    "nullable_of_matches": ("return nullable(a) and nullable(b)", "return nullable(a) and not nullable(b)"),
    "matches_stop": ("return first(a, d) or looks(a, d)", "return looks(a, d)"),
    "matches_append_of_not_crosses": ("and (first(b, d) or looks(b, d)))", "and first(b, d))"),
    "first_match_append_of_stable": ("and (stable(b, x, y) or", "and (stable(a, x, y) or"),
    "first_match_of_covers": ("(sure(a, y) and always(b)) or", "sure(a, y) or"),
}
"""For a contract, code of the analysis and what to put there; each makes one pair too many a seam."""


def test_crosshair_finds_no_counterexample() -> None:
    assert counterexamples(2, "contracts_seam") == ""


@pytest.mark.parametrize("contract", FAULTS)
def test_crosshair_finds_a_planted_fault(contract: str, tmp_path: Path) -> None:
    copy_with_fault(tmp_path, "seam", *FAULTS[contract], "contracts_seam")
    assert re.search(r"seam\.py:\d+: error: ", counterexamples(60, f"contracts_seam.{contract}", at=tmp_path))
