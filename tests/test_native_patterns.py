"""Native matchers against the reference: real patterns, all stages of real families, random patterns."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence

import hostile
import less_simd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from real_regexes import OF_FILES, OF_TIKTOKEN
from same_matches import match_alike

from verified_tok._core import native
from verified_tok.native import NotNative, automaton
from verified_tok.native.changes import plan_of
from verified_tok.native.known_patterns import KNOWN, Known
from verified_tok.native.patterns import CHOICE_LIMIT, split_sections
from verified_tok.reference.aligned import Aligned
from verified_tok.reference.charset import CharSet
from verified_tok.reference.pattern import (
    Alt,
    Atomic,
    Chr,
    Eps,
    NotAhead,
    Pat,
    Seq,
    Star,
    bounded,
    plus,
    times,
)
from verified_tok.reference.pre_tokenizer import Stage, cut
from verified_tok.reference.regex import parse
from verified_tok.spec import (
    ByteLevel,
    Dialect,
    Digits,
    Literal,
    PreTokenizer,
    Punctuation,
    Regex,
    Split,
    SplitBehavior,
)


def native_pieces(image: native.Image, text: str) -> list[str]:
    data = text.encode()
    return [data[start:stop].decode() for start, stop in native.split(image, data)]


def reference_pieces(stages: Sequence[Stage], text: str) -> list[str]:
    pieces = [Aligned.of(text)]
    for stage in stages:
        pieces = [part for piece in pieces for part in cut(stage.pat, stage.behaviour, stage.invert, piece)]
    return [piece.text for piece in pieces if piece.text]


def cutting_stages(pre_tokenizers: Sequence[PreTokenizer]) -> list[Stage]:
    """What stages cut by that do nothing else."""
    made = plan_of(pre_tokenizers)
    assert not made.changes
    assert not made.cuts.behind
    return list(made.cuts.stages)


def image_of(stages: Sequence[Stage]) -> native.Image:
    return native.Image.of(split_sections(stages))


# --- real patterns -----------------------------------------------------------------------------------

REAL: dict[str, tuple[PreTokenizer, ...]] = {
    **{name: (Split(Regex(regex), SplitBehavior.ISOLATED, False),) for name, regex in OF_FILES.items()},
    **{
        f"tiktoken {name}": (Split(Regex(regex), SplitBehavior.REMOVED, True, Dialect.RUST_REGEX),)
        for name, regex in OF_TIKTOKEN.items()
    },
    **{
        family: tuple(
            Split(Regex(OF_FILES[f"{family}, {n}"]), SplitBehavior.ISOLATED, False)
            for n in range(1, 9)
            if f"{family}, {n}" in OF_FILES
        )
        for family in ("deepseek v3", "deepseek llm", "deepseek coder")
    },
    "deepseek llm, then digits": (
        Split(Regex(r"\s?\p{L}+"), SplitBehavior.ISOLATED, False),
        Split(Regex(r"\s+$"), SplitBehavior.ISOLATED, False),
        Digits(True),
        ByteLevel(False, False),
    ),
    "digits together": (Digits(False),),
    "Gemma": (Split(Literal(" "), SplitBehavior.MERGED_WITH_PREVIOUS, False),),
    "▁": (Split(Literal("▁"), SplitBehavior.MERGED_WITH_NEXT, False),),
    "no stage that cuts": (ByteLevel(False, False),),
    "GPT-2's ByteLevel": (ByteLevel(False, True),),
    **{f"punctuation, {b.value}": (Punctuation(b), Digits(True)) for b in SplitBehavior},
    **{f"words, {b.value}": (Split(Regex(r"\w+"), b, False),) for b in SplitBehavior},
    **{f"words inverted, {b.value}": (Split(Regex(r"\w+"), b, True),) for b in SplitBehavior},
}


@pytest.fixture(scope="module", params=REAL)
def real(request: pytest.FixtureRequest) -> tuple[list[Stage], native.Image]:
    stages = cutting_stages(REAL[request.param])
    return stages, image_of(stages)


@given(text=hostile.text(30))
@settings(max_examples=40, deadline=None)
def test_real_patterns(real: tuple[list[Stage], native.Image], text: str) -> None:
    stages, image = real
    assert native_pieces(image, text) == reference_pieces(stages, text)


@pytest.mark.parametrize("char", ["a", "A", " ", "\n", "5", "!", "中", "é", "\u3000", "'"])
def test_long_rows_of_one_character(real: tuple[list[Stage], native.Image], char: str) -> None:
    stages, image = real
    for text in (char * 300, "x" + char * 300 + "1", "  " + char * 300 + "\u0301", "\n" + char * 300 + " ?"):
        assert native_pieces(image, text) == reference_pieces(stages, text)
    data = f"x{char * 1_000_000}1".encode()
    start = time.process_time()
    native.split(image, data)
    assert time.process_time() - start < 1, "if it grew with the square of the length, it would be minutes"


# --- hand-tuned matchers -----------------------------------------------------------------------------

HAND_TUNED = [
    *["gpt2", "GPT-2's ByteLevel", "llama3", "qwen2", "qwen3.5", "o200k", "tekken", "kimi"],
    *["▁", "deepseek v3", "tiktoken gpt2", "tiktoken cl100k", "tiktoken qwen2", "tiktoken o200k"],
]

LINES = [*["'s", "'re", "'LL", "'Ve", "  ", "\r\n"], *" aB'éſ!1\n\t/\x1f"]
MARKS = ["▁", "▁▁", "▁a", "\u2580", "\u2582", "the", *"â中 a"]
SCRIPTS = list("中文，aA ・ー1é!Яяª\u0301\u3000٣😀한")


@pytest.mark.parametrize("name", HAND_TUNED)
def test_hand_tuned_matchers_cut_as_the_automata_do(name: str) -> None:
    sections = split_sections(cutting_stages(REAL[name]))
    tuned = native.Image.of(sections)
    assert "split_known" in sections
    plain = native.Image.of(
        {section: array for section, array in sections.items() if section != "split_known"}
    )
    rng = random.Random(f"blocks of {name}")
    for size in [30, 70, 200, 3000] * 25:
        atoms = rng.choice([LINES, SCRIPTS, MARKS, LINES + SCRIPTS, hostile.ATOMS])
        often = [rng.random() ** 3 for _ in atoms]
        text = "".join(rng.choices(atoms, often, k=size)).encode()
        assert native.split(tuned, text).tolist() == native.split(plain, text).tolist()


@pytest.mark.parametrize(
    "pattern", [known for known in KNOWN if len(known.spellings) > 1], ids=lambda known: known.matcher.name
)
def test_spellings_of_a_known_pattern_match_alike(pattern: Known) -> None:
    assert match_alike([parse(regex, Dialect.RUST_REGEX) for (regex,) in pattern.spellings])


def test_less_simd_cuts_alike() -> None:
    less_simd.assert_passing("avx2", "hand_tuned", __file__)


# --- random patterns ---------------------------------------------------------------------------------

ALPHABET = "ab é中\n😀"

char_sets = st.sets(st.sampled_from(ALPHABET), max_size=5).map(lambda chars: CharSet.of("".join(chars)))


def patterns() -> st.SearchStrategy[Pat]:
    leaves: st.SearchStrategy[Pat] = st.one_of(
        st.just(Eps()), st.builds(Chr, char_sets), st.builds(Chr, char_sets), st.builds(Star, char_sets)
    )

    def larger(parts: st.SearchStrategy[Pat]) -> st.SearchStrategy[Pat]:
        two = (st.builds(kind, parts, parts) for kind in (Seq, Alt, Seq))
        return st.one_of(*two, st.builds(NotAhead, parts), st.builds(Atomic, parts))

    return st.recursive(leaves, larger, max_leaves=9)


stage_lists = st.lists(
    st.builds(Stage, patterns(), st.sampled_from(SplitBehavior), st.booleans()), min_size=1, max_size=3
)
texts = st.lists(st.text(ALPHABET, max_size=12), min_size=4, max_size=12)


@pytest.fixture(params=["automata", "instructions"])
def engine(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "instructions":
            patch.setattr(automaton, "STATE_LIMIT", 0)
        yield


@pytest.mark.usefixtures("engine")
@given(stages=stage_lists, texts=texts)
@settings(max_examples=150, deadline=None)
def test_random_patterns(stages: list[Stage], texts: list[str]) -> None:
    image = image_of(stages)
    for text in texts:
        assert native_pieces(image, text) == reference_pieces(stages, text)


cuts = st.one_of(
    char_sets.map(plus), char_sets.map(lambda chars: bounded(Chr(chars), 1, 2)), char_sets.map(Chr)
)


@given(chars=st.lists(cuts, min_size=1, max_size=2), last=patterns(), texts=texts)
@settings(max_examples=200, deadline=None)
def test_runs_of_characters_cut_out_first(chars: list[Pat], last: Pat, texts: list[str]) -> None:
    stages = [Stage(pat, SplitBehavior.ISOLATED, False) for pat in [*chars, last]]
    image = image_of(stages)
    for text in texts:
        assert native_pieces(image, text) == reference_pieces(stages, text)


def test_deepseek_v3_is_cut_in_one_pass() -> None:
    one, three = (split_sections(cutting_stages(REAL[name])) for name in ("llama3", "deepseek v3"))
    assert len(three["split_stages"]) == len(one["split_stages"])


@pytest.mark.parametrize(
    ("regex", "by_automaton"),
    [
        (r"(?>a+)b", True),
        (r"(?>a?)a", True),
        (r"(?>ab?)b", True),
        (r"(?!a)\w+", True),
        (r"(?>ab|a)b", False),
        (r"(?>a*b|a)b", False),
        (r"a(?!bb)|b", False),
        (r"a(?=b+c)|b", False),
        (r"(?>(?>ab|a)c|ab)b|(?!ab(?!a))a", False),
    ],
)
def test_atomic_groups_and_looking_ahead(regex: str, by_automaton: bool) -> None:
    stages = [Stage(parse(regex), SplitBehavior.ISOLATED, False)]
    sections = split_sections(stages)
    assert (len(sections["split_code"]) == 0) == by_automaton
    image = native.Image.of(sections)
    for number in range(3**7):
        text = "".join("abc"[number // 3**place % 3] for place in range(7))
        assert native_pieces(image, text) == reference_pieces(stages, text)


# --- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "stages",
    [
        tuple(Split(Regex(letter), SplitBehavior.REMOVED, False) for letter in "abcdefghi"),
        (Split(Regex("".join(chr(0x4E00 + i) for i in range(0, 600, 2))), SplitBehavior.ISOLATED, False),),
    ],
)
def test_refused(stages: tuple[PreTokenizer, ...]) -> None:
    with pytest.raises(NotNative):
        split_sections(cutting_stages(stages))


def test_too_many_choices_are_refused() -> None:
    a = Chr(CharSet.of("a"))
    pat = NotAhead(times(Alt(Seq(a, a), a), CHOICE_LIMIT))
    with pytest.raises(NotNative, match="choices"):
        split_sections([Stage(pat, SplitBehavior.ISOLATED, False)])
