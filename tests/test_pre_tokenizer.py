"""Every pre-tokenizer stage, and chains of them, beside the reference engine's: pieces and their places."""

from __future__ import annotations

import json
from typing import Any

import hostile
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiny import byte_level
from tokenizers import Tokenizer

import verified_tok as vt
from verified_tok.encoder_reference import ReferenceEncoder
from verified_tok.reference.aligned import Aligned
from verified_tok.reference.pre_tokenizer import byte_origins, pre_tokenize
from verified_tok.spec import ByteLevel

Stage = dict[str, Any]

PATTERNS: list[dict[str, str]] = [
    {"String": " "},
    {"String": "aa"},
    {"String": ""},
    {"String": "."},
    {"Regex": r"\p{L}+"},
    {"Regex": r"\s+"},
    {"Regex": r"\p{N}{1,3}"},
    {"Regex": r"a*"},
    {"Regex": r"(?=b)|\d"},
    {"Regex": r"\s+(?!\S)|[^\s\p{L}]"},
    {"Regex": r"[0-9][0-9][0-9]"},
]
BEHAVIORS = ["Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


def split(pattern: dict[str, str], behavior: str, invert: bool) -> Stage:
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


splits = st.builds(split, st.sampled_from(PATTERNS), st.sampled_from(BEHAVIORS), st.booleans())
byte_levels = st.builds(
    lambda prefix, regex: {
        "type": "ByteLevel",
        "add_prefix_space": prefix,
        "trim_offsets": True,
        "use_regex": regex,
    },
    st.booleans(),
    st.booleans(),
)
digits = st.builds(lambda each: {"type": "Digits", "individual_digits": each}, st.booleans())
punctuation = st.builds(lambda how: {"type": "Punctuation", "behavior": how}, st.sampled_from(BEHAVIORS))
metaspaces = st.builds(
    lambda mark, scheme, cut: {
        "type": "Metaspace",
        "replacement": mark,
        "prepend_scheme": scheme,
        "split": cut,
    },
    st.sampled_from("▁_ a"),
    st.sampled_from(["always", "first", "never"]),
    st.booleans(),
)
texts = st.one_of(hostile.text(), st.text(" ab.1\n▁_", max_size=10))
stages = st.one_of(splits, byte_levels, digits, punctuation, metaspaces)

FALCON = [
    {"type": "Punctuation", "behavior": "Contiguous"},
    {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
    {"type": "Digits", "individual_digits": False},
    split({"Regex": "[0-9][0-9][0-9]"}, "Isolated", False),
]


def check(chain: list[Stage], text: str) -> None:
    file = json.dumps(byte_level(normalizer=None, pre_tokenizer={"type": "Sequence", "pretokenizers": chain}))
    tok = vt.load(file.encode())
    ours = ReferenceEncoder(tok._pipeline(tok._all_added)).pre_tokenize(text)
    assert tok.pre_tokenize(text) == ours  # natively, where the core has the stages
    expected = Tokenizer.from_str(file).pre_tokenizer.pre_tokenize_str(text)
    assert [piece for piece, _ in ours] == [piece for piece, _ in expected]
    for (piece, span), (_, theirs) in zip(ours, expected, strict=True):
        # What a stage put in front came from nothing; the engine gives it the place of the next character.
        assert span == theirs or span[0] == span[1], piece


def first_behind_bytes(chain: list[Stage]) -> bool:
    """Whether a Metaspace for the first piece stands behind a ByteLevel, which loading refuses."""
    kinds = [stage["type"] for stage in chain]
    firsts = [place for place, stage in enumerate(chain) if stage.get("prepend_scheme") == "first"]
    return any("ByteLevel" in kinds[:place] for place in firsts)


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("behavior", BEHAVIORS)
@pytest.mark.parametrize("pattern", PATTERNS, ids=repr)
@settings(max_examples=20)
@given(text=texts)
def test_split(pattern: dict[str, str], behavior: str, invert: bool, text: str) -> None:
    check([split(pattern, behavior, invert)], text)


@given(byte_levels, texts)
def test_byte_level(stage: Stage, text: str) -> None:
    check([stage], text)


@given(st.one_of(digits, punctuation), texts)
def test_digits_and_punctuation(stage: Stage, text: str) -> None:
    check([stage], text)


@given(metaspaces, texts)
def test_metaspace(stage: Stage, text: str) -> None:
    check([stage], text)


@example(FALCON, "x² 12345,…!!  é1234")  # digits are sought among byte-level characters: ² is one, Â is none
@given(st.lists(stages, min_size=2, max_size=4).filter(lambda chain: not first_behind_bytes(chain)), texts)
def test_chains(chain: list[Stage], text: str) -> None:
    check(chain, text)


def test_bytes_know_which_byte_they_came_from() -> None:
    """A character that is as it was in the original gives each of its bytes a place of its own; one that
    was changed to another length stands for all of its source."""
    text = Aligned("é中x", ((0, 2), (2, 5), (5, 7)))  # x stands for two bytes of the original
    assert byte_origins(text) == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 7)]
    [piece] = pre_tokenize((ByteLevel(add_prefix_space=True, use_regex=False),), text)
    assert piece.origins == ((0, 0), (0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 7))
