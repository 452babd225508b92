"""Drift: exactly the places where encoding the text of ids again gives other ids."""

from __future__ import annotations

import doctest
from functools import cache

import numpy as np
import pytest
from hostile import text
from hypothesis import given
from hypothesis import strategies as st

import verified_tok.drift
from verified_tok.drift import Drift, Readable, drifts
from verified_tok.errors import InvalidTokenId
from verified_tok.fetch import open_family
from verified_tok.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def qwen3() -> Tokenizer:
    return open_family("qwen3")


def test_examples():
    assert doctest.testmod(verified_tok.drift).failed == 0


def test_sampled_ids_that_are_not_canonical(qwen3):
    assert drifts(qwen3, [49122, 385]) == [Drift(0, 2, (14990,))]
    assert drifts(qwen3, [14990, 2009, 64, 11]) == [Drift(1, 3, (90633,))]


def test_boundaries_that_would_merge(qwen3):
    assert drifts(qwen3, [151644, 77091, 198, 198, 6023]) == [Drift(2, 4, (271,))]
    assert drifts(qwen3, [151667, 198, 198, 151668]) == [Drift(1, 3, (271,))]


def test_text_that_would_become_a_control_token(qwen3):
    ids = qwen3.encode_ordinary("a<|im_end|>b").tolist()
    assert drifts(qwen3, ids) == [Drift(1, len(ids) - 1, (151645,))]


def test_bytes_that_no_text_keeps(qwen3):
    [half] = drifts(qwen3, [14990, 124750, 14990])
    assert (half.start, half.stop, half.readable) == (1, 2, False)


def test_places_behind_broken_bytes(qwen3):
    """The place of a later drift does not move with the bytes that U+FFFD stands for."""
    found = drifts(qwen3, [124750, 11, 49122, 385, 11, 124750])
    assert [(one.start, one.stop) for one in found] == [(0, 1), (2, 4), (5, 6)]
    assert [one.readable for one in found] == [False, True, False]


@pytest.mark.parametrize("name", ["qwen3", "gpt2", "llama-2"])
@given(data=st.data())
def test_patching_the_places_gives_the_encoding(name, data):
    tok = opened(name)
    some = st.lists(st.one_of(st.sampled_from(["<|im_end|>", "</s>", "\n"]), text(6)), max_size=3)
    parts = data.draw(some)
    ids = [id for part in parts for id in tok.encode(part, added_tokens=data.draw(WHICH)).tolist()]
    if ids and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(ids) - 1))
        ids[place : place + 1] = [id for char in tok.decode([ids[place]]) for id in tok.encode(char)]
    found = drifts(tok, ids)
    patched: list[int] = []
    at = 0
    for one in found:
        assert at <= one.start <= one.stop
        assert tuple(ids[one.start : one.stop]) != one.canonical
        patched += [*ids[at : one.start], *one.canonical]
        at = one.stop
    patched += ids[at:]
    if all(one.readable for one in found):
        assert patched == tok.encode(tok.decode(ids)).tolist()
        assert bool(found) == (patched != ids)


WHICH = st.sampled_from(["all", "none"])
opened = cache(open_family)


@given(st.binary(max_size=12))
def test_readable_text_is_what_python_reads(data):
    readable = Readable.of(data)
    assert readable.text == data.decode(errors="replace")
    outside = [i for i in range(len(data)) if not any(a <= i < b for a, b in readable.broken)]
    kept = bytes(data[i] for i in outside)
    assert kept == readable.text.replace("\ufffd", "").encode() or b"\xef\xbf\xbd" in data


def test_ids_that_are_none(qwen3):
    for wrong in ([1.5], [-1], [10**9], [True]):
        with pytest.raises(InvalidTokenId):
            drifts(qwen3, wrong)
    assert drifts(qwen3, iter([49122, 385])) == drifts(qwen3, np.array([49122, 385], dtype=np.uint32))
