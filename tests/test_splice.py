"""Cutting and splicing encodings: chunks, windows and matched runs (`lean/VerifiedTok/Thm/Splice.lean`)."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seam_checks import atoms_of, reference_engine

import verified_tok as vt
from verified_tok.engine_reference import ReferenceEngine
from verified_tok.fetch import open_family
from verified_tok.reference.added_tokens import Literals, extract
from verified_tok.reference.seam_table import pairs_in
from verified_tok.spec import AddedToken

FAMILIES = ["qwen3", "llama-3.1", "deepseek-v3"]


@cache
def tokenizer(name: str) -> vt.Tokenizer:
    return open_family(name)


@cache
def engine(name: str) -> ReferenceEngine:
    return reference_engine(tokenizer(name))


def texts(name: str) -> st.SearchStrategy[str]:
    atoms = atoms_of(tokenizer(name), random.Random(name))
    return st.lists(st.sampled_from(atoms), max_size=25).map("".join)


def seams(name: str, text: str) -> list[int]:
    """The places of a text that are seams, and its ends."""
    inner = [p for p in range(1, len(text)) if engine(name).is_seam(text[p - 1], text[p])]
    return [0, *inner, len(text)]


@pytest.mark.parametrize("name", FAMILIES)
@given(data=st.data())
@settings(max_examples=60)
def test_chunks_between_seams_are_encoded_alone(name: str, data: st.DataObject) -> None:
    """`encode_chunks`: cutting at any set of seams and concatenating is exact."""
    text = data.draw(texts(name))
    places = sorted({0, len(text), *data.draw(st.lists(st.sampled_from(seams(name, text))))})
    chunks = [text[a:b] for a, b in pairwise(places)]
    ids = [id for chunk in chunks for id in tokenizer(name).encode(chunk).tolist()]
    assert ids == tokenizer(name).encode(text).tolist()


@pytest.mark.parametrize("name", FAMILIES)
@given(data=st.data())
@settings(max_examples=60)
def test_windows_between_seams_are_spliced_in(name: str, data: st.DataObject) -> None:
    """`splice`, `splice_shift`, `certificate_of_seams`: fresh records inside a window whose ends are seams of
    the old and the new text, cached ones outside, moved by what it grew, are the new text's encoding."""
    tok, parts = tokenizer(name), []
    for _ in range(data.draw(st.integers(1, 3))):
        parts.append(data.draw(texts(name)))
    old = "\n".join(parts)
    edits = [data.draw(texts(name)) for _ in parts]
    new = "\n".join(edits)
    cached, fresh = tok.encode_with_spans(old), tok.encode_with_spans(new)
    shared_front, shared_back = common(old, new), common(old[::-1], new[::-1])
    lo = max(p for p in seams(name, old) if p <= shared_front and p in seams(name, new))
    ends = set(seams(name, new))
    grown = len(new) - len(old)
    hi = min(p for p in seams(name, old) if p >= max(lo, len(old) - shared_back) and p + grown in ends)
    if hi + grown < lo:
        return
    window = tok.encode_with_spans(new[lo : hi + grown])
    front = [(i, tuple(s)) for i, s in rows(cached) if s[0] < lo]
    middle = [(i, (a + lo, b + lo)) for i, (a, b) in rows(window)]
    back = [(i, (a + grown, b + grown)) for i, (a, b) in rows(cached) if a >= hi]
    assert [*front, *middle, *back] == [(i, tuple(s)) for i, s in rows(fresh)]


def rows(encoding: vt.Encoding) -> list[tuple[int, list[int]]]:
    return list(zip(encoding.ids.tolist(), encoding.char_spans.tolist(), strict=True))


def common(a: str, b: str) -> int:
    """How many characters two texts have in common at the start."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def test_a_matched_run_alone_does_not_justify_a_splice() -> None:
    """Digits in groups of three: fresh and cached records agree over a run, shifted by one character, and
    yet what follows is grouped in another way. The session, which asks for seams, is right."""
    tok = tokenizer("llama-3.1")
    old, new = "x" + "1" * 20, "x1" + "1" * 20
    cached, fresh = tok.encode_with_spans(old), tok.encode_with_spans(new)
    run = fresh.ids[1:6].tolist()
    assert run == cached.ids[1:6].tolist()  # five records of the same digits …
    spliced = [*fresh.ids[:6].tolist(), *cached.ids[6:].tolist()]
    assert spliced != fresh.ids.tolist()  # … and the splice behind them is wrong
    session = tok.session(old)
    session.insert(1, "1")
    assert session.ids.tolist() == fresh.ids.tolist()


@given(st.lists(st.text("abc", min_size=1, max_size=3), max_size=5, unique=True), st.data())
@settings(max_examples=500)
def test_extraction_is_cut_where_no_literal_holds_the_pair(contents: list[str], data: st.DataObject) -> None:
    """`extract_append_of_no_cross`, `noCross_of_not_holdsPair`: the literals of the whole are those of the
    parts, and two texts that meet are one."""
    literals = Literals.of((c, AddedToken(id, c)) for id, c in enumerate(contents))
    front, back = (data.draw(st.text("abcx", min_size=1, max_size=8)) for _ in "fb")
    if front[-1] + back[0] in set(pairs_in(contents)):
        return
    parts = extract(literals, front)
    behind = [
        part._replace(start=part.start + len(front), stop=part.stop + len(front))
        for part in extract(literals, back)
    ]
    if parts[-1].token is None and behind[0].token is None:
        parts[-1] = parts[-1]._replace(stop=behind.pop(0).stop)
    assert extract(literals, front + back) == parts + behind


@given(
    st.lists(st.text("abc", min_size=1, max_size=3), max_size=5, unique=True), st.text("abcx", max_size=12)
)
def test_parts_of_an_extraction_spell_the_text(contents: list[str], text: str) -> None:
    """`extract_spells`"""
    parts = extract(Literals.of((c, AddedToken(id, c)) for id, c in enumerate(contents)), text)
    assert "".join(text[part.start : part.stop] for part in parts) == text


@pytest.mark.parametrize("name", ["llama-3.1", "gpt-oss"])
@given(data=st.data())
@settings(max_examples=40)
def test_beside_a_literal_nothing_is_asked_of_the_patterns(name: str, data: st.DataObject) -> None:
    """`encode_append_of_literal`: text before and after a literal is encoded alone."""
    tok = tokenizer(name)
    literal = data.draw(st.sampled_from([token.content for token in tok.spec.added_tokens]))
    front, back = data.draw(st.text(max_size=8)), data.draw(st.text(max_size=8))
    if "<" in front + back or ">" in front + back:
        return  # what might join the literal to another
    parts = [tok.encode(front), tok.encode(literal), tok.encode(back)]
    assert tok.encode(front + literal + back).tolist() == [id for part in parts for id in part.tolist()]
