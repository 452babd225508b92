"""The strs of Python, whose characters the core reads where they lie: 1, 2 or 4 bytes each."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from itertools import pairwise

import less_simd
import numpy as np
import pytest

from verified_tok.errors import InvalidText
from verified_tok.fetch import open_family
from verified_tok.tokenizer import Tokenizer

WIDTHS = {
    "1 byte": "az \x00\x7f\x80\xa0éÿ",
    "2 bytes": "az \x00\x7f\x80ÿ\u07ff\u0800中\ud7ff\ue000\uffff",
    "4 bytes": "az \x00\x7f\x80ÿ\u07ff\u0800中\ud7ff\ue000\uffff\U00010000😀\U0010ffff",
}
SIZES = (1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 9000)
"""Around where the core goes on to the next characters in its several ways."""


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    """One whose ids are all bytes of their text: it has no normalizer."""
    return open_family("gpt2")


def strs(chars: str, rng: random.Random) -> list[str]:
    """Of all sizes, with many characters beyond ASCII and with few."""
    made = []
    for size in SIZES:
        for ascii_share in (0, 20, 500):
            # The last character makes the str as wide as its name says.
            made.append("".join(rng.choices(chars + "x" * ascii_share, k=size - 1)) + chars[-1])
    return made


@pytest.mark.parametrize("chars", WIDTHS.values(), ids=WIDTHS)
def test_no_character_is_lost(tok: Tokenizer, chars: str) -> None:
    made = strs(chars, random.Random(f"strs {chars}"))
    expected = [text.encode() for text in made]
    assert [tok.decode_bytes(tok.encode(text)) for text in made] == expected
    assert [tok.count(text) for text in made] == [len(tok.encode(text)) for text in made]
    for texts in (made, np.array(made)):  # NumPy has code points of four bytes
        ids, offsets = tok.encode_batch(texts, threads=2)
        found = [tok.decode_bytes(ids[start:stop]) for start, stop in pairwise(offsets)]
        assert found == expected


def test_several_threads_lose_no_character(tok: Tokenizer) -> None:
    rng = random.Random("strs in parts")
    for chars in WIDTHS.values():
        text = "".join(rng.choices(chars + "x" * 20, k=600_000)) + chars[-1]
        assert tok.decode_bytes(tok.encode(text, threads=2)) == text.encode()


@pytest.mark.parametrize("size", SIZES)
def test_lone_surrogates_are_found_wherever_they_stand(tok: Tokenizer, size: int) -> None:
    rng = random.Random(f"surrogates {size}")
    calls: list[Callable[[str], object]] = [
        tok.encode,
        tok.count,
        lambda text: tok.encode_batch(["a", text], threads=2),
    ]
    for chars in list(WIDTHS.values())[1:]:
        for surrogate in "\ud800\udbff\udc00\udfff":
            text = "".join(rng.choices(chars, k=size))
            place = rng.choice([0, size - 1, size, rng.randrange(size)])
            for call in calls:
                with pytest.raises(InvalidText, match=f"U\\+{ord(surrogate):04X} at position {place};"):
                    call(text[:place] + surrogate + text[place:])


def test_a_str_stays_as_large_as_it_is(tok: Tokenizer) -> None:
    """Python keeps the UTF-8 of a str with it, once somebody has asked for that."""
    for chars in WIDTHS.values():
        text, longer = chars * 1000, chars * 1001
        size, longer_size = sys.getsizeof(text), sys.getsizeof(longer)
        tok.encode(text), tok.count(text), tok.encode_batch([text]), tok.encode_with_spans(text)
        tok.normalize(text), tok.is_normalized(text), tok.pre_tokenize(text)
        session = tok.session(text)
        session.append(text), session.edit(5, 7, text), session.update(longer)
        assert (sys.getsizeof(text), sys.getsizeof(longer)) == (size, longer_size)


def test_machines_without_wide_instructions() -> None:
    less_simd.assert_passing("none", "lose or lost or stand", __file__)
