"""The gap buffer and the arrays of a session, beside plain lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from verified_tok.gap_buffer import GapBuffer
from verified_tok.session_state import SessionText, SessionTokens

EDITS = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 90)), max_size=12)


def places(length: int, edit: tuple[int, int, int]) -> tuple[int, int, int]:
    """An edit's range, fitted into a sequence, and the number of new items."""
    start, stop, new = edit
    start, stop = sorted((start % (length + 1), stop % (length + 1)))
    return start, stop, new


@given(EDITS, st.integers(0, 99))
def test_replacing_is_replacing_in_a_list(edits: list[tuple[int, int, int]], probe: int) -> None:
    buffer, model = GapBuffer(np.arange(5, dtype=np.uint32)), list(range(5))
    for number, edit in enumerate(edits):
        start, stop, new = places(len(model), edit)
        items = [1000 * number + k for k in range(new)]
        buffer.replace(start, stop, np.array(items, dtype=np.uint32))
        model[start:stop] = items
        assert len(buffer) == len(model)
        assert [*buffer.before().tolist(), *buffer.after().tolist()] == model
        low, high = sorted((probe % (len(model) + 1), start % (len(model) + 1)))
        assert buffer.slice(low, high).tolist() == model[low:high]
    copy = buffer.copy()
    assert copy.all().tolist() == buffer.all().tolist() == model


@given(EDITS, st.text(min_size=1, max_size=5))
def test_text_knows_its_bytes(edits: list[tuple[int, int, int]], new: str) -> None:
    text, model = SessionText("aé中🙂"), "aé中🙂"
    for edit in edits:
        start, stop, repeat = places(len(model), edit)
        text.replace(start, stop, new * (repeat % 4))
        model = model[:start] + new * (repeat % 4) + model[stop:]
        assert (str(text), len(text), text.bytes) == (model, len(model), len(model.encode()))
        for index in {0, start, stop % (len(model) + 1), len(model)}:
            assert text.byte_at(index) == len(model[:index].encode())


@given(EDITS)
def test_tokens_keep_their_places(edits: list[tuple[int, int, int]]) -> None:
    """Tokens of one character and two bytes each: every span follows from the index."""

    def spans(count: int, width: int, at: int = 0) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        starts = width * (at + np.arange(count, dtype=np.int64))
        return np.stack([starts, starts + width], axis=1)

    ids = list(range(5))
    tokens = SessionTokens(np.array(ids, dtype=np.uint32), spans(5, 2), spans(5, 1), bytes=10, chars=5)
    for number, edit in enumerate(edits):
        start, stop, new = places(len(ids), edit)
        fresh = [1000 * number + k for k in range(new)]
        ids[start:stop] = fresh
        size = len(ids)
        array = np.array(fresh, dtype=np.uint32)
        tokens.replace(start, stop, array, spans(new, 2, start), spans(new, 1, start), 2 * size, size)
        assert [tokens.before(char) for char in range(size + 1)] == list(range(size + 1))
        copy = tokens.copy() if number % 2 else tokens
        assert copy.ids().tolist() == ids
        assert copy.byte_spans().tolist() == spans(size, 2).tolist()
        assert copy.char_spans().tolist() == spans(size, 1).tolist()
