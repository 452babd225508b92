"""Vocabularies and merges as the core reads them out of files, against Python's own reader."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verified_tok._core import native
from verified_tok.loading.scan import scan_model
from verified_tok.vocabulary import Vocabulary

pytestmark = pytest.mark.skipif(native is None, reason="the native core is not built")

TEXTS = st.text('abc<>é中\\"\u0000😀', min_size=1, max_size=5)


@st.composite
def models(draw: st.DrawFn) -> tuple[dict[str, int], list[list[str]]]:
    """A vocabulary whose ids are in order or not, and merges in the order of what they make, or in any."""
    parts = draw(st.lists(TEXTS, min_size=1, max_size=8, unique=True))
    pairs = draw(
        st.lists(st.tuples(st.sampled_from(parts), st.sampled_from(parts)), max_size=80, unique=True)
    )
    tokens = list(dict.fromkeys([*parts, *map("".join, pairs)]))
    ids = draw(st.one_of(st.just(range(len(tokens))), st.permutations(range(2 * len(tokens)))))
    order = draw(st.one_of(st.just(pairs), st.permutations(pairs)))
    return dict(zip(tokens, ids, strict=False)), list(map(list, order))


@given(models(), st.sampled_from([None, 1, 2, 8, 13]), st.booleans())
def test_models(model: tuple[dict[str, int], list[list[str]]], indent: int | None, escaped: bool) -> None:
    vocab, pairs = model
    document = {"model": {"vocab": vocab, "merges": pairs}}
    found = scan_model(json.dumps(document, indent=indent, ensure_ascii=escaped).encode())
    assert found is not None
    assert json.loads(found[0]) == {"model": {"vocab": {}, "merges": []}}
    assert dict(found[1].vocab) == vocab
    assert list(found[1].merges) == [(vocab[a], vocab[b], vocab[a + b]) for a, b in pairs]


ROWS = st.builds(str.__mul__, st.sampled_from(["a", "b", "é"]), st.integers(0, 140))


@given(st.dictionaries(ROWS, st.integers(0, 99), max_size=20), st.lists(ROWS, max_size=20))
def test_tokens_that_are_looked_for(ids_of: dict[str, int], others: list[str]) -> None:
    """Of any length, and such as are no entries."""
    vocab = Vocabulary(Vocabulary.of(ids_of).flat)
    wanted = [*others, *list(ids_of)[::2]]
    assert vocab.find(wanted) == {token: ids_of[token] for token in wanted if token in ids_of}
