"""Encodings with offsets beside the reference's, made token by token, and the engine's."""

from __future__ import annotations

import json
import random
from functools import cache

import hostile
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_pipeline import DOCUMENTS, texts
from tokenizers import Tokenizer as Engine

import verified_tok as vt
from verified_tok.fetch import fetch, open_family
from verified_tok.reference.pipeline import encode_with_spans
from verified_tok.reference.post_processor import post_process, rows_of

TRIMMING = ["gpt-neox", "olmo"]  # the families whose post-processor trims


@cache
def tokenizer(name: str) -> vt.Tokenizer:
    return open_family(name) if name in TRIMMING else vt.load(json.dumps(DOCUMENTS[name]).encode())


@cache
def engine(name: str) -> Engine:
    return Engine.from_str(fetch(name).read_text("utf-8"))


def assert_as_the_reference(tok: vt.Tokenizer, text: str, add_special_tokens: bool) -> vt.Encoding:
    placed = encode_with_spans(tok._pipeline(tok._all_added), text)
    rows = rows_of(text, placed, lambda id: tok._texts()[id].decode(errors="replace"))
    rows = post_process(tok.spec.post_processors, rows, add_special_tokens)
    encoding = tok.encode_with_spans(text, add_special_tokens=add_special_tokens)
    assert encoding.ids.tolist() == [row.id for row in rows]
    assert encoding.byte_spans.tolist() == [list(row.byte_span) for row in rows]
    assert encoding.char_spans.tolist() == [list(row.char_span) for row in rows]
    assert encoding.offsets.tolist() == [list(row.offsets) for row in rows]
    return encoding


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(max_examples=40)
@example(text="a1", add_special_tokens=False)
@example(text=" the", add_special_tokens=False)
@given(text=texts, add_special_tokens=st.booleans())
def test_small_tokenizers(name: str, text: str, add_special_tokens: bool) -> None:
    assert_as_the_reference(tokenizer(name), text, add_special_tokens)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_text_of_many_pieces(name: str) -> None:
    """Characters of every width, tokens that many characters share, unknown ones, added tokens; and ASCII."""
    tok = tokenizer(name)
    literals = [token.content for token in tok.spec.added_tokens]
    rng = random.Random(name)
    atoms = [*hostile.ATOMS, "the ", " 1", "é", "中国", "🙂", "\n", "ab", "e\u0301", *literals]
    for chosen in (atoms, [atom for atom in atoms if atom.isascii()]):
        text = "".join(rng.choices(chosen, k=2_000)).encode(errors="ignore").decode()
        assert_as_the_reference(tok, text, True)


@pytest.mark.parametrize("name", TRIMMING)
@settings(max_examples=40)
@given(text=st.one_of(hostile.text(8), st.text(" \u3000\n\xa0aé", max_size=12)))
def test_families_that_trim(name: str, text: str) -> None:
    tok = tokenizer(name)
    encoding = assert_as_the_reference(tok, text, False)
    if tok.is_normalized(text):
        assert list(map(tuple, encoding.offsets.tolist())) == engine(name).encode(text).offsets
