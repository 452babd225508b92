"""What a session holds: its text and its tokens, as arrays that are edited in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from verified_tok.gap_buffer import GapBuffer

Ids = npt.NDArray[np.uint32]
Spans = npt.NDArray[np.int64]

_UTF8_STEPS = np.array([0x80, 0x800, 0x10000], dtype=np.uint32)
"""The code points from which on UTF-8 takes one byte more."""


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A view through which the array cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view


def code_points(text: str) -> npt.NDArray[np.uint32]:
    """The code points of a text, which holds no surrogates."""
    return np.frombuffer(text.encode("utf-32-le"), dtype="<u4").view(np.uint32)


def text_of(points: npt.NDArray[np.uint32]) -> str:
    """The text of code points."""
    return points.astype("<u4", copy=False).tobytes().decode("utf-32-le")


def utf8_length(points: npt.NDArray[np.uint32]) -> int:
    """How many bytes the code points take in UTF-8."""
    return len(points) + int(np.searchsorted(_UTF8_STEPS, points, side="right").sum())


class SessionText:
    """A text that is edited in place, and that knows where its characters stand in UTF-8."""

    def __init__(self, text: str) -> None:
        self._points = GapBuffer(code_points(text))
        self._bytes = len(text.encode())
        self._bytes_before = self._bytes  # before the gap

    def copy(self) -> SessionText:
        """An independent copy."""
        other = SessionText("")
        other._points = self._points.copy()
        other._bytes = other._bytes_before = self._bytes
        return other

    def __len__(self) -> int:
        return len(self._points)

    def __str__(self) -> str:
        return text_of(np.concatenate([self._points.before(), self._points.after()]))

    @property
    def bytes(self) -> int:
        """The length in UTF-8."""
        return self._bytes

    def points(self) -> npt.NDArray[np.uint32]:
        """All code points: a view, which the next change may change."""
        self._bytes_before = self._bytes
        return self._points.all()

    def slice(self, start: int, stop: int) -> str:
        """The characters from `start` up to `stop`."""
        return text_of(self._points.slice(start, stop))

    def byte_at(self, index: int) -> int:
        """Where a character begins in UTF-8. Costs the distance from the last change."""
        gap = self._points.gap
        if index <= gap:
            return self._bytes_before - utf8_length(self._points.slice(index, gap))
        return self._bytes_before + utf8_length(self._points.slice(gap, index))

    def replace(self, start: int, stop: int, text: str) -> None:
        """Put `text` in the place of the characters from `start` up to `stop`."""
        before, after = self.byte_at(start), self.byte_at(stop)
        new = len(text.encode())
        self._points.replace(start, stop, code_points(text))
        self._bytes += new - (after - before)
        self._bytes_before = before + new


class SessionTokens:
    """Tokens and their spans, edited in place.

    Spans before the gap count from the start of the text; those behind it count from its end, so that an edit
    moves none of them.
    """

    def __init__(self, ids: Ids, byte_spans: Spans, char_spans: Spans, bytes: int, chars: int) -> None:
        """The tokens of a text of so many bytes and characters."""
        self._ids = GapBuffer(ids)
        columns = (byte_spans[:, 0], byte_spans[:, 1], char_spans[:, 0], char_spans[:, 1])
        self._spans = tuple(GapBuffer(column) for column in columns)
        self._ends = (bytes, bytes, chars, chars)

    def copy(self) -> SessionTokens:
        """An independent copy."""
        return SessionTokens(self.ids(), self.byte_spans(), self.char_spans(), self._ends[0], self._ends[2])

    def __len__(self) -> int:
        return len(self._ids)

    def before(self, char: int) -> int:
        """How many tokens begin before a character. The character must stand behind a cut, where every token
        of the text before it begins before it, and every other does not."""
        starts = self._spans[2]
        count = int(np.searchsorted(starts.before(), char))
        if count < starts.gap:
            return count
        return starts.gap + int(np.searchsorted(starts.after(), char - self._ends[2]))

    def replace(
        self, start: int, stop: int, ids: Ids, byte_spans: Spans, char_spans: Spans, bytes: int, chars: int
    ) -> None:
        """Put tokens in the place of those from `start` up to `stop`, in a text that has now so many bytes
        and characters. The spans count from the start of the text."""
        self._move_gap(stop if self._ids.gap >= stop else start)
        columns = (byte_spans[:, 0], byte_spans[:, 1], char_spans[:, 0], char_spans[:, 1])
        self._ids.replace(start, stop, ids)
        for buffer, column in zip(self._spans, columns, strict=True):
            buffer.replace(start, stop, column)
        self._ends = (bytes, bytes, chars, chars)

    def ids(self) -> Ids:
        """All ids: a view, which the next change may change."""
        self._move_gap(len(self))
        return self._ids.all()

    def byte_spans(self) -> Spans:
        """The spans of bytes, of shape (n, 2)."""
        return self._columns(0)

    def char_spans(self) -> Spans:
        """The spans of characters, of shape (n, 2)."""
        return self._columns(2)

    def _columns(self, first: int) -> Spans:
        self._move_gap(len(self))
        starts, stops = self._spans[first].all(), self._spans[first + 1].all()
        return np.stack([starts, stops], axis=1)

    def _move_gap(self, index: int) -> None:
        old = self._ids.gap
        self._ids.move_gap(index)
        for buffer, end in zip(self._spans, self._ends, strict=True):
            buffer.move_gap(index)
            if index < old:
                buffer.after()[: old - index] -= end
            else:
                buffer.before()[old:index] += end
