"""The native normalizer against the reference's: texts and where their bytes came from."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import product

import hostile
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spec.campaign import texts
from verified_tok._core import native
from verified_tok.native import NotNative
from verified_tok.native.literals import kind_arrays
from verified_tok.native.normalizer import normalizer_arrays, unstable
from verified_tok.reference.aligned import Aligned
from verified_tok.reference.charset import ALL
from verified_tok.reference.normalizer import normalize, normalize_text
from verified_tok.reference.pipeline import _with_byte_origins as with_byte_origins
from verified_tok.reference.pipeline import _without_prepend as without_prepend
from verified_tok.reference.pre_tokenizer import byte_origins
from verified_tok.reference.unicode_form import combining_classes, compositions, decompositions, seconds
from verified_tok.spec import Literal, Normalizer, Prepend, Regex, ReplaceAll, StripSpace, UnicodeForm

NFC, NFKC = UnicodeForm("NFC"), UnicodeForm("NFKC")
MARK = ReplaceAll(Literal(" "), "▁")
REAL: list[tuple[Normalizer, ...]] = [(NFC,), (NFKC,), (Prepend("▁"), MARK), (MARK,)]


def image_of(stages: Sequence[Normalizer]) -> native.Image:
    return native.Image.of({**normalizer_arrays(stages), **kind_arrays()})


IMAGES = {stages: image_of(stages) for stages in REAL}


def assert_same(stages: tuple[Normalizer, ...], image: native.Image, text: str, inside: bool = False) -> None:
    expected = normalize(without_prepend(stages) if inside else stages, with_byte_origins(text))
    data, origins = native.normalize_segment(image, text.encode(), inside, True)
    assert (data.decode(), origins) == (expected.text, byte_origins(expected)), text
    assert native.normalize_segment(image, text.encode(), inside, False) == (data, None)


touchy = st.one_of(
    st.sampled_from(sorted(combining_classes())),
    st.sampled_from(sorted(decompositions(compatible=True))),
    st.sampled_from(sorted({c for pair in compositions() for c in pair})),
    st.sampled_from(sorted(seconds())),
    st.sampled_from(
        [chr(c) for c in (0x1100, 0x1161, 0x11A7, 0x11A8, 0xABFF, 0xAC00, 0xAC01, 0xD7A3, 0xD7A4)]
    ),
    st.sampled_from(hostile.ATOMS),
)
any_text = st.lists(touchy, max_size=10).map("".join)
REGEXES = [Regex(text) for text in (r"\s+", r"a+b|é", r" {2,}", r"[^a]+(?!b)", r"(?>a|ab)b", r"\p{M}")]
short = st.text("ab é\u0301▁", max_size=2)
any_stage = st.one_of(
    st.sampled_from([NFC, MARK]),
    st.builds(Prepend, short),
    st.builds(lambda old, new: ReplaceAll(Literal(old), new), short.filter(bool), short),
    st.builds(ReplaceAll, st.sampled_from(REGEXES), short),
    st.builds(StripSpace, st.booleans(), st.booleans()),
)


@pytest.mark.parametrize("stages", REAL)
@given(text=any_text, inside=st.booleans())
def test_real_normalizers(stages: tuple[Normalizer, ...], text: str, inside: bool) -> None:
    assert_same(stages, IMAGES[stages], text, inside)


@example([StripSpace(True, True), Prepend("a")], "  ", False)
@example([MARK, StripSpace(True, True), NFC], " e\u0301 ", False)
@example([ReplaceAll(Literal("e\u0301"), "éa"), ReplaceAll(Literal("a"), "")], "e\u0301a", True)
@example([ReplaceAll(Regex(r"\s+"), "a "), ReplaceAll(Regex(r" {2,}"), "")], "a  b", False)
@given(st.lists(any_stage, max_size=4), st.text("ab e\u0301\u0323é▁\u3000", max_size=12), st.booleans())
def test_stages_after_each_other(stages: list[Normalizer], text: str, inside: bool) -> None:
    assert_same(tuple(stages), image_of(stages), text, inside)


@pytest.mark.parametrize("stages", [(NFC,), (NFKC,)])
def test_every_character(stages: tuple[Normalizer, ...]) -> None:
    """Between letters, behind a mark of high rank and before one of low rank; many in one text."""
    rng = random.Random(0)
    changing = sorted(unstable(compatible=stages == (NFKC,)) | combining_classes().keys())
    for char in changing + rng.sample(texts.SCALARS, 200):
        assert_same(stages, IMAGES[stages], f"a{char}b" + f"\u0345{char}\u0334{char}{char}e\u0301" * 2)
    for start in range(0, len(changing), 500):
        assert_same(stages, IMAGES[stages], "".join(changing[start : start + 500]))
    for first in range(0, 0x110000, 0x4000):
        block = "".join(c for c in map(chr, range(first, first + 0x4000)) if c in ALL)
        expected = normalize(stages, Aligned(block, ((0, 1),) * len(block))).text
        assert normal(stages, block) == expected


def normal(stages: tuple[Normalizer, ...], text: str) -> str:
    """The native normal form, without origins."""
    return native.normalize_segment(IMAGES[stages], text.encode(), False, False)[0].decode()


def assert_same_lines(stages: tuple[Normalizer, ...], lines: Iterable[str]) -> None:
    """A line feed neither composes nor decomposes, so each line stands alone."""
    text = "\n".join(lines)
    pairs = zip(normal(stages, text).split("\n"), normalize_text(stages, text).split("\n"), strict=True)
    assert [(ascii(ours), ascii(theirs)) for ours, theirs in pairs if ours != theirs][:5] == []


@pytest.mark.parametrize("stages", [(NFC,), (NFKC,)])
def test_characters_beside_each_other(stages: tuple[Normalizer, ...]) -> None:
    of_rank = {rank: mark for mark, rank in combining_classes().items()}
    assert_same_lines(stages, ("o" + a + b for a in of_rank.values() for b in of_rank.values()))
    jamo = [chr(c) for c in (0x10FF, 0x1100, 0x1112, 0x1113, 0x1161, 0x1175, 0x1176, 0x11A7, 0x11A8, 0x11C2)]
    jamo += [chr(c) for c in (0x11C3, 0xABFF, 0xAC00, 0xAC01, 0xAC1B, 0xAC1C, 0xD788, 0xD7A3, 0xD7A4)]
    assert_same_lines(stages, map("".join, product(jamo, repeat=3)))
    between = ["", "\u0301", "\u0346", "\u0323", "\u0334", "\u0345", "\u034f", "a"]
    assert_same_lines(stages, (a + x + b + b for a, b in compositions() for x in between))


@pytest.mark.parametrize("stages", REAL)
def test_real_text(stages: tuple[Normalizer, ...]) -> None:
    for text in texts.translations().values():
        assert_same(stages, IMAGES[stages], text[:3000])


@pytest.mark.parametrize("stages", [(NFC,), (NFKC,), (MARK,)])
@pytest.mark.parametrize("size", [30, 31, 32, 33, 62, 63, 64, 65, 66])
def test_at_every_place_of_a_text(stages: tuple[Normalizer, ...], size: int) -> None:
    for fill in ("x", "中", "ж", "か", "ก"):
        for place in range(size):
            for char in ("\u0301", "か\u3099", "q\u0323\u0301", "ﬁ", " ", "   "):
                text = fill * place + char + fill * (size - place)
                assert normal(stages, text) == normalize_text(stages, text)


def test_long_runs_of_marks() -> None:
    """A million marks in the wrong order, between which no character may begin anew."""
    text = "a" + "\u0301\u0323" * 500_000 + "b"
    assert normal((NFC,), text) == "ạ" + "\u0323" * 499_999 + "\u0301" * 500_000 + "b"


@pytest.mark.parametrize(
    "stages", [(NFC, NFKC), (ReplaceAll(Literal(""), "a"),), (ReplaceAll(Regex("a*"), "b"),)]
)
def test_stages_that_the_reference_does(stages: tuple[Normalizer, ...]) -> None:
    with pytest.raises(NotNative, match="normalizer: "):
        normalizer_arrays(stages)
