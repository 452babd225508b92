"""The normalizer against the reference engine's, and where its characters say they came from."""

from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import product

import pytest
from hostile import text
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex as EngineRegex
from tokenizers import normalizers

from verified_tok.errors import PatternError
from verified_tok.reference.aligned import Aligned
from verified_tok.reference.charset import ALL
from verified_tok.reference.normalizer import normalize, normalize_text
from verified_tok.reference.unicode_form import combining_classes, compositions, decompositions
from verified_tok.spec import Literal, Normalizer, Prepend, Regex, ReplaceAll, StripSpace, UnicodeForm

ENGINES = {"NFC": normalizers.NFC(), "NFKC": normalizers.NFKC()}

SYLLABLES = [chr(c) for c in (0xABFF, 0xAC00, 0xAC01, 0xAC1B, 0xAC1C, 0xD788, 0xD7A3, 0xD7A4)]
JAMO = [chr(c) for c in [*range(0x1100, 0x1200), *range(0xA960, 0xA980), *range(0xD7B0, 0xD800)]]

MARKS = sorted({c for c in ALL if unicodedata.combining(c)} | combining_classes().keys())
"""Every character that Python or the engine takes for a mark: the engine does not know all of Python's."""

touchy = st.one_of(
    st.sampled_from(MARKS),
    st.sampled_from(sorted(decompositions(compatible=True))),
    st.sampled_from(sorted({part for parts in decompositions(compatible=True).values() for part in parts})),
    st.sampled_from(sorted({char for pair in compositions() for char in pair})),
    st.sampled_from(["\u0301", "\u0323", "\u0345", "\u0334", "a", "o"]),
    st.sampled_from(["\u1100", "\u1161", "\u11a8", *SYLLABLES]),
)
touchy_text = st.lists(touchy, max_size=10).map("".join)

# --- Unicode forms -----------------------------------------------------------------------------------


def assert_same_form(form: str, sample: str) -> None:
    """Compares line by line, so that a failure shows its place and not a long text."""
    ours = normalize_text([UnicodeForm(form)], sample).split("\n")
    theirs = ENGINES[form].normalize_str(sample).split("\n")
    assert len(ours) == len(theirs)
    assert [(ascii(a), ascii(b)) for a, b in zip(ours, theirs, strict=True) if a != b][:5] == []


@pytest.mark.parametrize("form", ENGINES)
def test_every_scalar_value_alone_and_every_mark_between_marks(form: str) -> None:
    """A line feed neither composes nor decomposes, so each line stands alone."""
    assert_same_form(form, "\n".join(c for c in ALL if c != "\n"))
    assert_same_form(form, "\n".join(f"a\u0301{mark}\u0323\u0301" for mark in MARKS))


@pytest.mark.parametrize("form", ENGINES)
def test_every_scalar_value_before_marks_of_low_and_high_class(form: str) -> None:
    """A character of no class stops marks from changing places across it, one of a class lets one pass."""
    assert_same_form(form, "\n".join(f"\u0345{c}\u0334" for c in ALL if c != "\n"))


def test_every_pair_of_marks() -> None:
    for first in MARKS:
        assert_same_form("NFC", "\n".join("o" + first + second for second in MARKS))


@pytest.mark.parametrize("form", ENGINES)
def test_every_pair_of_jamo_and_syllables(form: str) -> None:
    assert_same_form(form, "\n".join(map("".join, product(JAMO + SYLLABLES, JAMO + SYLLABLES))))
    assert_same_form(form, "\n".join(map("".join, product("\u1100\u1112", "\u1161\u1175", JAMO))))


@pytest.mark.parametrize("form", ENGINES)
def test_every_pair_that_composes_blocked_and_not(form: str) -> None:
    between = ["", "\u0301", "\u0323", "\u0334", "\u0345", "\u034f", "\u0898", "a"]
    lines = [a + x + b + y for a, b in compositions() for x in between for y in ("", b, "\u0323")]
    assert_same_form(form, "\n".join(lines))


@pytest.mark.parametrize("form", ENGINES)
@settings(max_examples=3000, deadline=None)
@given(sample=st.one_of(touchy_text, text()))
def test_unicode_forms_are_the_engines(form: str, sample: str) -> None:
    assert normalize_text([UnicodeForm(form)], sample) == ENGINES[form].normalize_str(sample)


# --- other stages ------------------------------------------------------------------------------------

ReplaceStage = tuple[Literal | Regex, str]
replacements = st.sampled_from(["", "x", " ", "▁", "ab", "é"])
literals = st.sampled_from([" ", "a", "aa", "▁", "  ", "\\s", "$", "'s", "é", ".*"]).map(Literal)
regexes = st.sampled_from([" {2,}", r"\s+", "a+", r"\p{L}(?!\p{L})", "[^a]", "a|aa", r"\s+$"]).map(Regex)
stages: st.SearchStrategy[Normalizer] = st.one_of(
    st.builds(ReplaceAll, st.one_of(literals, regexes), replacements),
    st.builds(Prepend, replacements.filter(bool)),
    st.builds(StripSpace, st.booleans(), st.booleans()),
    st.builds(UnicodeForm, st.sampled_from(["NFC", "NFKC"])),
)


def engine_stage(stage: Normalizer) -> normalizers.Normalizer:
    match stage:
        case ReplaceAll(Literal(literal), content):
            return normalizers.Replace(literal, content)
        case ReplaceAll(Regex(regex), content):
            return normalizers.Replace(EngineRegex(regex), content)
        case Prepend(prefix):
            return normalizers.Prepend(prefix)
        case StripSpace(left, right):
            return normalizers.Strip(left=left, right=right)
        case UnicodeForm(form):
            return ENGINES[form]


samples = st.one_of(text(8), st.text(["a", "b", " ", "\n", "é", "▁", "\u3000"], max_size=8))


@settings(max_examples=3000, deadline=None)
@given(st.lists(stages, max_size=4), samples)
def test_stages_are_the_engines(chosen: list[Normalizer], sample: str) -> None:
    engine = normalizers.Sequence([engine_stage(stage) for stage in chosen])
    assert normalize_text(chosen, sample) == engine.normalize_str(sample)


def test_a_regex_that_is_not_understood_is_refused() -> None:
    with pytest.raises(PatternError):
        normalize_text([ReplaceAll(Regex("(?<=a)b"), "")], "ab")


# --- origins -----------------------------------------------------------------------------------------


def nfkd(chars: str) -> Counter[str]:
    """What a text decomposes into, in the engine's tables."""
    return Counter(normalizers.NFKD().normalize_str(chars))


@settings(max_examples=2000, deadline=None)
@given(st.sampled_from(["NFC", "NFKC"]), touchy_text)
def test_an_origin_is_the_smallest_span_of_the_sources(form: str, sample: str) -> None:
    result = normalize([UnicodeForm(form)], Aligned.of(sample))
    assert len(result.text) == len(result.origins)
    covered: set[int] = set()
    for char, (start, stop) in zip(result.text, result.origins, strict=True):
        parts = nfkd(char)
        assert not parts - nfkd(sample[start:stop])  # all of it came from there
        for end in {start, stop - 1}:  # and something of it from both ends
            assert parts & nfkd(sample[end])
        covered.update(range(start, stop))
    assert covered == set(range(len(sample)))


@given(st.lists(stages, max_size=4), samples)
def test_origins_lie_in_the_text(chosen: list[Normalizer], sample: str) -> None:
    result = normalize(chosen, Aligned.of(sample))
    assert len(result.text) == len(result.origins) == len(result)
    assert all(0 <= start <= stop <= len(sample) for start, stop in result.origins)


@pytest.mark.parametrize(
    ("stage", "sample", "expected", "origins"),
    [
        (UnicodeForm("NFC"), "xe\u0301y", "xéy", [(0, 1), (1, 3), (3, 4)]),
        (UnicodeForm("NFC"), "q\u0301\u0323", "q\u0323\u0301", [(0, 1), (2, 3), (1, 2)]),
        (UnicodeForm("NFC"), "o\u0323x\u0302", "ọx\u0302", [(0, 2), (2, 3), (3, 4)]),
        (UnicodeForm("NFC"), "o\u0301\u0323", "ọ\u0301", [(0, 3), (1, 2)]),
        (UnicodeForm("NFC"), "\u1112\u1161\u11ab", "한", [(0, 3)]),
        (UnicodeForm("NFKC"), "aﬁb", "afib", [(0, 1), (1, 2), (1, 2), (2, 3)]),
        (ReplaceAll(Literal("ab"), "xyz"), "cabd", "cxyzd", [(0, 1), (1, 3), (1, 3), (1, 3), (3, 4)]),
        (ReplaceAll(Regex(" {2,}"), " "), "a   b", "a b", [(0, 1), (1, 4), (4, 5)]),
        (ReplaceAll(Literal("a"), ""), "bab", "bb", [(0, 1), (2, 3)]),
        (ReplaceAll(Literal(""), "-"), "ab", "-a-b-", [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)]),
        (ReplaceAll(Literal(""), "-"), "", "", []),
        (Prepend("▁▁"), "ab", "▁▁ab", [(0, 0), (0, 0), (0, 1), (1, 2)]),
        (Prepend("▁"), "", "", []),
        (StripSpace(True, True), " a \n", "a", [(1, 2)]),
    ],
)
def test_origins(stage: Normalizer, sample: str, expected: str, origins: list[tuple[int, int]]) -> None:
    result = normalize([stage], Aligned.of(sample))
    assert (result.text, list(result.origins)) == (expected, origins)


def test_origins_count_from_where_the_segment_begins() -> None:
    segment = Aligned.of("abc").slice(1, 3)
    assert segment == Aligned("bc", ((1, 2), (2, 3)))
    assert normalize([Prepend("_")], segment).origins == ((1, 1), (1, 2), (2, 3))


def test_stages_apply_one_after_the_other() -> None:
    llama2 = [Prepend("▁"), ReplaceAll(Literal(" "), "▁")]
    assert normalize_text(llama2, "a b") == "▁a▁b"
    assert normalize_text([], "e\u0301") == "e\u0301"
