"""The memory for requests up to a size, and the launches that serve one.

The launches are the same for every request that fits: what differs, they read from memory. So they are
recorded once, as a CUDA graph, and one call runs them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verified_tok.gpu.device import Array, HostBytes, Queue
from verified_tok.gpu.layout import SUM_GROUP, Layout, Level, Rooms, Shape
from verified_tok.session_state import Ids

Numbers = npt.NDArray[np.int64]

_LANES = 32  # threads that move one part's ids
_BLOCKS = 16  # where a request's number of blocks stands, as in request.h


class Totals(NamedTuple):
    """What the launches found, as in request.h."""

    parts: int
    ids: int
    left: int
    normalized: int


class Left(NamedTuple):
    """The parts that are left to the CPU: where each begins and ends, whose text it is, and how many of the
    ids go before it."""

    begin: Numbers
    end: Numbers
    text: Numbers
    place: Numbers


class Found(NamedTuple):
    """What comes back from the device."""

    columns: list[Ids]
    """Ids, or ids and where each begins and ends in its text."""
    offsets: Numbers
    left: Left


class Workspace:
    """Serves requests on a queue, one after the other. Raises what the queue raises."""

    def __init__(self, queue: Queue, shape: Shape) -> None:
        self._queue = queue
        self._shape = shape
        self._layout = Layout(shape)
        self._memory = queue.allocate(self._layout.size)
        self._given = queue.staging(self._layout.data + shape.room)
        self._totals = queue.staging(32)
        self._found = queue.staging(1)
        self._replay: Callable[[], None] | None = None
        self._ran = False

    @property
    def texts(self) -> HostBytes:
        """Where the texts of the next request are put, one behind the other."""
        return self._given[self._layout.data :]

    def run(self, view: bytes, bounds: Numbers, before: Sequence[int], after: Sequence[int]) -> Totals:
        """Encode the texts that were put there, which lie between these bounds, with the tokenizer that the
        view shows, and with ids before and behind each text's. Waits once."""
        layout, size = self._layout, int(bounds[-1])
        blocks = -(-size // self._shape.block)
        self._put(layout.view, np.frombuffer(view, np.uint8))
        self._put(
            layout.request, np.array([size, len(bounds) - 1, blocks, len(before), len(after)], np.int64)
        )
        self._put(layout.around, np.array([*before, *after], np.uint32))
        self._put(layout.bounds, bounds)
        self._queue.upload(self._given[: layout.data + size], self._memory.address)
        if self._replay is not None:
            self._replay()
        elif self._ran:
            self._replay = self._queue.recorded(self._launch_all)
            self._replay()
        else:  # the first time loads the kernels, which cannot be recorded
            self._launch_all()
            self._ran = True
        self._queue.wait()
        return Totals(*self._totals.view(np.int64).tolist())

    def fetched(self, totals: Totals, texts: int) -> Found:
        """What the last request found, in memory of its own. Waits once."""
        layout, rooms = self._layout, Rooms()
        sources = [*layout.gathered, layout.offsets, layout.left]
        sizes = [4 * totals.ids] * len(layout.gathered) + [8 * (texts + 1), 32 * totals.left]
        places = [rooms.take(size) for size in sizes]
        if len(self._found) < rooms.size:
            self._found = self._queue.staging(1 << (rooms.size - 1).bit_length())
        here = [self._found[place : place + size] for place, size in zip(places, sizes, strict=True)]
        for source, target in zip(sources, here, strict=True):
            if len(target):
                self._queue.download(self._memory.address + source, target)
        self._queue.wait()
        *columns, offsets, left = here
        return Found(
            [column.view(np.uint32).copy() for column in columns],
            offsets.view(np.int64).copy(),
            Left(*left.view(np.int64).reshape(-1, 4).T.copy()),
        )

    def handed_over(self, totals: Totals, texts: int) -> tuple[Array, Array]:
        """The ids and the offsets that the last request found, as arrays of the device. Does not wait."""
        ids = self._memory.address + self._layout.gathered[0]
        offsets = self._memory.address + self._layout.offsets
        hand_over = self._queue.handed_over
        return hand_over(ids, totals.ids, np.uint32), hand_over(offsets, texts + 1, np.int64)

    def _put(self, place: int, values: npt.NDArray[np.generic]) -> None:
        self._given[place : place + values.nbytes] = values.view(np.uint8)

    def _launch_all(self) -> None:
        shape, layout, launch = self._shape, self._layout, self._queue.launch
        at = self._memory.address
        view, request, bounds, data = (
            at + place for place in (layout.view, layout.request, layout.bounds, layout.data)
        )
        around, totals, offsets, left = (
            at + place for place in (layout.around, layout.totals, layout.offsets, layout.left)
        )
        starts, texts_of = at + layout.starts, at + layout.texts_of
        block_ends, part_ends = at + layout.block_levels[0].place, at + layout.part_levels[0].place
        columns = [at + column for column in layout.columns]
        gathered = [at + column for column in layout.gathered]

        texts = view, request, data, bounds
        launch("count_parts", shape.blocks, *texts, shape.block, block_ends)
        self._add_up(layout.block_levels, request + _BLOCKS)
        launch("place_parts", shape.blocks, *texts, shape.block, block_ends, starts, texts_of, totals)
        encode = "encode_parts_placed" if shape.placed else "encode_parts"
        parts = starts, texts_of, totals
        places, room = at + layout.places, layout.normalized - layout.data
        origins = [at + column if shape.placed else 0 for column in layout.origins]
        if shape.growth:
            where = shape.longest, room, shape.normalized, *origins, places
            launch("normalize_parts", shape.parts, *texts, *parts, *where)
        found = shape.longest, layout.readable, places, *((room, *origins) if shape.placed else ())
        launch(encode, shape.parts, *texts, *parts, *found, part_ends, *columns)
        self._add_up(layout.part_levels, totals)
        ends = request, bounds, starts, part_ends
        launch("place_texts", shape.texts + 1, *ends, around, totals, offsets, gathered[0])
        for source, target in zip(columns, gathered, strict=True):
            moved = places, texts_of, totals, part_ends, source, target
            launch("gather_parts", _LANES * shape.parts, request, *moved)
        launch("list_left", shape.parts, request, bounds, *parts, part_ends, left)
        self._queue.download(totals, self._totals)

    def _add_up(self, levels: list[Level], count: int) -> None:
        """Make running sums of the numbers on the first level, of which there are as many as lies there."""
        at, launch = self._memory.address, self._queue.launch
        for number, (level, above) in enumerate(pairwise(levels)):
            launch("add_groups", level.groups, at + level.place, count, SUM_GROUP**number, at + above.place)
        sums = 0
        for number, level in reversed([*enumerate(levels)]):
            launch("spread_sums", level.groups, at + level.place, count, SUM_GROUP**number, sums)
            sums = at + level.place
