"""Where pieces start, read off runs, beside the reference's search from the left and the native matchers."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate, product

import hostile
import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_regexes import OF_FILES, OF_TIKTOKEN
from same_matches import match_alike

from verified_tok._core import native
from verified_tok.native.patterns import split_sections
from verified_tok.reference.charset import CharSet
from verified_tok.reference.classes import char_class
from verified_tok.reference.pattern import Pat, split
from verified_tok.reference.pre_tokenizer import Stage
from verified_tok.reference.regex import parse, pat_of
from verified_tok.reference.starts import (
    NEVER,
    Kinds,
    Starts,
    gpt2,
    gpt2_starts,
    is_contraction,
    llama3,
    llama3_starts,
    or_else,
    pieces_at,
    proper,
    settled,
)
from verified_tok.spec import Dialect, Regex, SplitBehavior


def kinds(dialect: Dialect, marks: bool) -> Kinds:
    core = char_class("L", dialect)
    return Kinds(
        letter=core | char_class("M", dialect) if marks else core,
        core=core,
        number=char_class("N", dialect),
        blank=char_class("space", dialect),
        newline=CharSet.of("\r\n"),
        space=CharSet.of(" "),
    )


@dataclass(frozen=True)
class Family:
    """A pattern both ways: as data, and as the places at which its pieces start."""

    kinds: Kinds
    contraction: Pat
    pat: Pat
    starts: Starts


@cache
def family(name: str, dialect: Dialect = Dialect.ONIGURUMA) -> Family:
    k = kinds(dialect, marks=name == "qwen3.5")
    if name == "gpt2":
        contractions = [
            pat_of(Regex(text), dialect) for text in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")
        ]
        contraction = or_else(contractions, NEVER)
        return Family(k, contraction, gpt2(k, contractions), partial(gpt2_starts, k, contraction))
    contraction = pat_of(Regex("(?i:'s|'t|'re|'ve|'m|'ll|'d)"), dialect)
    n, whole = 3 if name in ("llama3", "cl100k") else 1, name == "cl100k"
    starts = partial(llama3_starts, k, contraction, n, whole)
    return Family(k, contraction, llama3(k, contraction, n, whole), starts)


FAMILIES = ("gpt2", "llama3", "cl100k", "qwen2", "qwen3.5")
"""cl100k is tiktoken's, which treats white space at the end of the text as one piece."""


def by_search(pat: Pat, text: str) -> list[str]:
    return [text[piece.start : piece.stop] for piece in split(pat, text)]


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("name", sorted(OF_FILES.keys() & FAMILIES))
def test_the_patterns_are_those_of_real_files(name: str, dialect: Dialect) -> None:
    """And the theorems' hypotheses hold of them."""
    made = family(name, dialect)
    assert made.pat == pat_of(Regex(OF_FILES[name]), dialect)
    assert proper(made.kinds)
    assert is_contraction(made.kinds, made.contraction)


@pytest.mark.parametrize("name", sorted(OF_TIKTOKEN.keys() & FAMILIES))
def test_the_patterns_of_tiktoken_match_alike(name: str) -> None:
    """On every text: the automata of the two spellings are the same."""
    ours, theirs = family(name, Dialect.RUST_REGEX).pat, parse(OF_TIKTOKEN[name], Dialect.RUST_REGEX)
    assert match_alike([ours, theirs])
    assert not match_alike([ours, family("llama3", Dialect.RUST_REGEX).pat])


def test_improper_kinds_are_noticed() -> None:
    k = kinds(Dialect.ONIGURUMA, marks=False)
    digit, tab = CharSet.of("0"), CharSet.of("\t")
    assert not proper(Kinds(k.letter | digit, k.core, k.number, k.blank, k.newline, k.space))
    assert not proper(Kinds(k.letter, k.core, k.number, k.blank - tab, k.newline | tab, k.space))
    assert not proper(Kinds(k.letter, k.core, k.number, k.blank, k.newline, CharSet.of(" \n")))
    assert not is_contraction(k, pat_of(Regex("'1"), Dialect.ONIGURUMA))
    assert not is_contraction(k, pat_of(Regex("'sst"), Dialect.ONIGURUMA))


@pytest.mark.parametrize("name", FAMILIES)
@given(text=hostile.text(30))
def test_pieces_lie_between_places(name: str, text: str) -> None:
    made = family(name)
    assert pieces_at(made.starts, text) == by_search(made.pat, text)


KINDS = "sl1'! \t\n\u0301"
"""A character of each kind, contractions of both lengths, and a mark, which is a letter to some."""


@pytest.mark.parametrize("name", FAMILIES)
def test_short_texts(name: str) -> None:
    """All up to three characters, and many longer ones."""
    made, rng = family(name), random.Random(name)
    texts = ["".join(chars) for size in range(4) for chars in product(KINDS, repeat=size)]
    texts += ["".join(rng.choices(KINDS, k=rng.randint(4, 9))) for _ in range(1500)]
    for text in texts:
        assert pieces_at(made.starts, text) == by_search(made.pat, text), text


@pytest.mark.parametrize("name", FAMILIES)
@given(text=hostile.text(12), data=st.data())
def test_a_block_says_at_its_settled_places_what_the_text_says(
    name: str, text: str, data: st.DataObject
) -> None:
    """A block that begins at a place, of which everything else is forgotten."""
    made = family(name)
    places = [0, *accumulate(map(len, pieces_at(made.starts, text)))]
    begin = data.draw(st.sampled_from(places))
    end = data.draw(st.integers(begin, len(text)))
    block = text[begin:end]
    for place in range(1, len(block) - (name == "gpt2")):
        if settled(made.kinds, block, place):
            assert made.starts(block, place) == made.starts(text, begin + place)


ATOMS = [*["'s", "'re", "'LL", "'Ve", "  ", "\r\n"], *" aB'éſ!1\n\t", *"中，ー٣\u0301\u3000😀"]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_native_matcher_finds_the_same_places(name: str) -> None:
    made = family(name)
    regex, dialect = (OF_TIKTOKEN, Dialect.RUST_REGEX) if name == "cl100k" else (OF_FILES, Dialect.ONIGURUMA)
    sections = split_sections([Stage(parse(regex[name], dialect), SplitBehavior.ISOLATED, False)])
    assert "split_known" in sections, "a hand-tuned matcher"
    image, rng = native.Image.of(sections), random.Random(name)
    for size in [20, 60, 70, 200, 1000] * 12:
        often = [rng.random() ** 3 for _ in ATOMS]
        text = "".join(rng.choices(ATOMS, often, k=size))
        data = text.encode()
        pieces = [data[start:stop].decode() for start, stop in native.split(image, data)]
        assert pieces_at(made.starts, text) == pieces
