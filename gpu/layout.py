"""Where everything lies in the memory for requests up to a size."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from verified_tok._core import native

BYTES_A_TEXT = 256
"""There is room for one text for so many bytes."""

AROUND = 64
"""So many ids can be put around each text."""

SUM_GROUP = 64  # as in request.h
_ALIGNED = 256
_LISTED = 64  # bytes beside the text of a normalized part without added tokens, as in normal_parts.h


class Shape(NamedTuple):
    """What is the same for all requests of a size."""

    room: int
    """Bytes of text, at most."""
    block: int
    """In so many bytes one part begins, at the first seam."""
    longest: int
    """Parts of more bytes are left to the CPU."""
    placed: bool
    """Whether the places of the tokens are wanted."""
    growth: int
    """So many bytes a byte of text becomes when it is normalized, if there is nothing unusual; 0: there is no
    normalizer."""

    @property
    def texts(self) -> int:
        """How many there may be."""
        return self.room // BYTES_A_TEXT + 1

    @property
    def blocks(self) -> int:
        """In how many blocks the bytes are cut."""
        return -(-self.room // self.block)

    @property
    def parts(self) -> int:
        """How many there can be."""
        return self.blocks + self.texts

    @property
    def normalized(self) -> int:
        """Bytes of normalized parts, at most; more are left to the CPU."""
        return self.growth * self.room + (_LISTED * self.parts if self.growth else 0)

    @property
    def ids(self) -> int:
        """How many there can be, with those around the texts: each has a byte of a text or of a normalized
        part."""
        return self.room + self.normalized + self.texts * AROUND


class Level(NamedTuple):
    """Numbers that become running sums: where they lie, and how many there can be."""

    place: int
    most: int

    @property
    def groups(self) -> int:
        """How many threads add them up."""
        return -(-self.most // SUM_GROUP)


class Rooms:
    """Places in one piece of memory, one behind the other."""

    def __init__(self) -> None:
        self.size = 0

    def take(self, size: int) -> int:
        """The place of so many bytes."""
        place = self.size
        self.size += -(-size // _ALIGNED) * _ALIGNED
        return place


class Layout:
    """The places of what the kernels read and write; first what is uploaded, the texts at its end."""

    def __init__(self, shape: Shape) -> None:
        columns = 3 if shape.placed else 1
        self._rooms = rooms = Rooms()
        self.view = rooms.take(len(native.view_at([], [])))
        self.request = rooms.take(40)
        self.around = rooms.take(4 * AROUND)
        self.bounds = rooms.take(8 * (shape.texts + 1))
        self.data = rooms.take(shape.room)
        self.normalized = rooms.take(shape.normalized)
        """Parts that the normalizer changes."""
        self.totals = rooms.take(32)
        self.block_levels = self._levels(shape.blocks)
        self.part_levels = self._levels(shape.parts)
        self.starts = rooms.take(8 * shape.parts)
        self.texts_of = rooms.take(8 * shape.parts)
        self.places = rooms.take(8 * shape.parts) if shape.growth else self.starts
        """Where each part is found: in its text, or normalized; counted from where the texts begin."""
        self.readable = self.normalized + shape.normalized - self.data
        """How many bytes of texts and normalized parts there are."""
        origins = 4 * shape.normalized if shape.placed else 0
        self.origins = [rooms.take(origins) for _ in range(2)]
        """Where each byte of a normalized part came from: begin and end in its text."""
        self.columns = [rooms.take(4 * self.readable) for _ in range(columns)]
        """Ids, and where each begins and ends, at the place of the part that they are of."""
        self.gathered = [rooms.take(4 * shape.ids) for _ in range(columns)]
        """The same without gaps."""
        self.offsets = rooms.take(8 * (shape.texts + 1))
        self.left = rooms.take(32 * shape.parts)

    @cached_property
    def size(self) -> int:
        """Bytes."""
        return self._rooms.size

    def _levels(self, most: int) -> list[Level]:
        """For so many numbers, and the sums of their groups, level by level, up to one group."""
        levels = [Level(self._rooms.take(8 * most), most)]
        while levels[-1].groups > 1:
            most = levels[-1].groups
            levels.append(Level(self._rooms.take(8 * most), most))
        return levels
