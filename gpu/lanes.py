"""Lanes: a queue each, with memory for requests of several sizes. A request has one to itself.

So several threads encode on one device at once; one more than there are lanes waits. All tokenizers share
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from threading import Condition

from verified_tok.gpu.device import Device
from verified_tok.gpu.layout import BYTES_A_TEXT, Layout, Shape
from verified_tok.gpu.workspace import Workspace

_STEP = 4
"""A size is so many times the one below: what a request has for nothing is memory and idle threads."""

_LARGEST = 1 << 28

_FEW, _SHORT_BLOCK, _LONG_BLOCK = 1 << 22, 64, 256
"""Requests of few bytes are cut into shorter parts, or most of a large GPU would have nothing to do."""


class Lane:
    """One queue of a device, and a workspace for each size of requests that it served."""

    def __init__(self, device: Device) -> None:
        self._queue = device.queue()
        self._failures = device.failures
        self._workspaces: dict[Shape, Workspace] = {}

    def workspace(self, shape: Shape) -> Workspace:
        """The one for a shape, which nobody else uses while the caller has the lane."""
        if shape not in self._workspaces:
            self._workspaces[shape] = Workspace(self._queue, shape)
        return self._workspaces[shape]

    def settle(self) -> None:
        """Wait until nothing uses the memory any more; what fails now has failed before."""
        with suppress(*self._failures):
            self._queue.wait()


class Lanes:
    """The lanes of a device, of which there are at most `most`."""

    def __init__(
        self,
        device: Device,
        most: int = 4,
        smallest: int = 1 << 16,
        block: int | None = None,
        longest: int = 1 << 10,
    ) -> None:
        """`smallest` is how many bytes the smallest requests have room for; `block` and `longest` are those
        of `Shape` (None: it depends on the size). The largest requests are such that the device has memory
        for all lanes."""
        self.device = device
        self._most = most
        self._block, self._longest = block, longest
        self._rooms = lru_cache(maxsize=None)(partial(self._sizes, smallest, device.free_memory))
        self._made = 0
        self._idle: list[Lane] = []
        self._change = Condition()

    def largest(self, growth: int) -> int:
        """How many bytes the largest requests have room for. `growth`: that of their shapes."""
        return self._rooms(growth)[-1]

    def shape(self, size: int, texts: int, placed: bool, growth: int) -> Shape | None:
        """The smallest for so many bytes of so many texts; None if there is no room for them."""
        needed = max(size, (texts - 1) * BYTES_A_TEXT)
        for room in self._rooms(growth):
            if needed <= room:
                return self._shape(room, placed, growth)
        return None

    @contextmanager
    def lane(self) -> Iterator[Lane]:
        """A lane for the caller alone. One in which something was raised is not used again."""
        with self._change:
            self._change.wait_for(lambda: self._idle or self._made < self._most)
            lane = self._idle.pop() if self._idle else None
            self._made += lane is None
        try:
            lane = lane or Lane(self.device)
            yield lane
        except BaseException:
            with self._change:  # no lane is idle with its memory where memory may be lacking
                gone, self._idle = [lane, *self._idle], []
                self._made -= len(gone)
                self._change.notify_all()
            for each in gone:
                if each is not None:
                    each.settle()
            raise
        with self._change:
            self._idle.append(lane)
            self._change.notify()

    def _sizes(self, smallest: int, memory: int, growth: int) -> list[int]:
        """For how many bytes there are workspaces."""
        sizes = [smallest]
        while (room := _STEP * sizes[-1]) <= _LARGEST:
            if self._most * _STEP * Layout(self._shape(room, True, growth)).size > 2 * memory:
                break
            sizes.append(room)
        return sizes

    def _shape(self, room: int, placed: bool, growth: int) -> Shape:
        block = self._block or (_SHORT_BLOCK if room <= _FEW else _LONG_BLOCK)
        return Shape(room, block, self._longest, placed, growth)
