"""Arrays that are edited where the last edit was: the structure under a session."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

N = TypeVar("N", np.int64, np.uint32, np.float64, np.bool_)


class GapBuffer(Generic[N]):
    """A sequence in one array with a gap of free room somewhere inside.

    Replacing items at the gap costs what is replaced; elsewhere the gap moves there first, which costs the
    distance. Appending again and again finds the gap at the end. `len` counts items without the gap.
    """

    def __init__(self, items: npt.NDArray[N]) -> None:
        """A buffer that holds a copy of `items`, of shape (n,), with the gap at the end."""
        self._room: npt.NDArray[N] = np.empty(_room(len(items)), dtype=items.dtype)
        self._room[: len(items)] = items
        self._start = len(items)  # the gap is from here
        self._stop = len(self._room)  # up to here, which is not in it

    def __len__(self) -> int:
        return len(self._room) - (self._stop - self._start)

    @property
    def gap(self) -> int:
        """The index that the gap stands before."""
        return self._start

    def copy(self) -> GapBuffer[N]:
        """An independent buffer with the same items."""
        return GapBuffer(np.concatenate([self.before(), self.after()]))

    def before(self) -> npt.NDArray[N]:
        """The items before the gap: a view, which the next change may change."""
        return self._room[: self._start]

    def after(self) -> npt.NDArray[N]:
        """The items after the gap: a view, which the next change may change."""
        return self._room[self._stop :]

    def slice(self, start: int, stop: int) -> npt.NDArray[N]:
        """The items from `start` up to `stop`: a view if the gap is not inside."""
        if stop <= self._start:
            return self._room[start:stop]
        shift = self._stop - self._start
        if start >= self._start:
            return self._room[start + shift : stop + shift]
        return np.concatenate([self._room[start : self._start], self._room[self._stop : stop + shift]])

    def all(self) -> npt.NDArray[N]:
        """All items in one view, which the next change may change; moves the gap to the end."""
        self.move_gap(len(self))
        return self.before()

    def move_gap(self, index: int) -> None:
        """Move the gap to stand before `index`."""
        if index < self._start:
            moved = self._start - index
            self._room[self._stop - moved : self._stop] = self._room[index : self._start].copy()
            self._start, self._stop = index, self._stop - moved
        elif index > self._start:
            moved = index - self._start
            self._room[self._start : index] = self._room[self._stop : self._stop + moved].copy()
            self._start, self._stop = index, self._stop + moved

    def replace(self, start: int, stop: int, items: npt.NDArray[N]) -> None:
        """Put `items` in the place of those from `start` up to `stop`; the gap is behind them afterwards."""
        self.move_gap(stop if self._start >= stop else start)
        if self._start == stop:
            self._start = start
        else:
            self._stop += stop - start
        if len(items) > self._stop - self._start:
            self._grow(len(items))
        self._room[self._start : self._start + len(items)] = items
        self._start += len(items)

    def _grow(self, extra: int) -> None:
        behind = len(self._room) - self._stop
        room = np.empty(_room(self._start + behind + extra), dtype=self._room.dtype)
        room[: self._start] = self._room[: self._start]
        room[len(room) - behind :] = self._room[self._stop :]
        self._room, self._stop = room, len(room) - behind


def _room(size: int) -> int:
    """Room to grow by a quarter, so that growing costs little per item."""
    return size + size // 4 + 64
