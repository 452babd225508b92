"""What a conversation holds: turns, and for each id whether it was sampled, and its log-probability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verified_tok.chat.message import Checked
from verified_tok.gap_buffer import GapBuffer
from verified_tok.reference.chat import Edge, Kind, Message, Place
from verified_tok.session_state import Ids


class Tag(StrEnum):
    """What a piece of a turn is."""

    LEAD = "lead"
    """What begins an event: separator and header; the assistant's generation prompt."""
    BODY = "body"
    """A message behind its lead."""
    SPAN = "span"
    """What the assistant says."""
    CLOSE = "close"
    """The token that ends a span."""
    MALFORMED = "malformed"
    """Ids sampled behind the end of a span that open no other."""


class Piece(NamedTuple):
    """Some ids of a turn, in a row."""

    tag: Tag
    size: int


class Reading(NamedTuple):
    """What a sampled turn says, as long as it begins at `place` and has these pieces."""

    place: Place
    pieces: tuple[Piece, ...]
    messages: tuple[Checked, ...]


@dataclass(slots=True)
class Turn:
    """A message of somebody, a group of tool results, or a turn of the assistant.

    `place` is where it begins. `event` and `given` are what it was made from; an assistant's turn that is
    sampled has neither. `number` names the tool calls of a sampled turn, wherever it stands; the later of two
    turns has the larger one.
    """

    kind: Kind
    place: Place
    pieces: list[Piece]
    given: tuple[Checked, ...] = ()
    event: Message | None = None
    read: Reading | None = None
    number: int = -1

    @property
    def size(self) -> int:
        """The number of ids."""
        return sum(piece.size for piece in self.pieces)

    @property
    def is_open(self) -> bool:
        """Whether the assistant goes on in it."""
        return self.pieces[-1].tag is Tag.SPAN

    @property
    def is_silent(self) -> bool:
        """Whether it is open, and nothing was said in it: not even a span that a stop has ended."""
        return self.is_open and len(self.pieces) == 2 and self.pieces[-1].size == 0

    @property
    def next_place(self) -> Place:
        """Where the turn behind it begins."""
        return Edge.IN_SPAN if self.is_open else self.kind

    def copy(self) -> Turn:
        """An independent turn."""
        return replace(self, pieces=[*self.pieces])

    def grow(self, tag: Tag, size: int) -> None:
        """Put ids behind the last ones, which are of the same piece if they have its tag."""
        last = self.pieces[-1]
        if last.tag is tag:
            self.pieces[-1] = Piece(tag, last.size + size)
        else:
            self.pieces.append(Piece(tag, size))


class Columns:
    """One entry for each id: the id, whether it was sampled, its log-probability (NaN if unknown)."""

    def __init__(self) -> None:
        self.ids = GapBuffer(np.empty(0, np.uint32))
        self.sampled = GapBuffer(np.empty(0, np.bool_))
        self.logprobs = GapBuffer(np.empty(0, np.float64))

    def __len__(self) -> int:
        return len(self.ids)

    def copy(self) -> Columns:
        """Independent columns with the same entries."""
        other = object.__new__(Columns)
        other.ids, other.sampled, other.logprobs = self.ids.copy(), self.sampled.copy(), self.logprobs.copy()
        return other

    def put(
        self,
        start: int,
        stop: int,
        ids: Ids,
        sampled: bool = False,
        logprobs: npt.NDArray[np.float64] | None = None,
    ) -> None:
        """Put ids in the place of those from `start` up to `stop`."""
        self.ids.replace(start, stop, ids)
        self.sampled.replace(start, stop, np.full(len(ids), sampled))
        self.logprobs.replace(start, stop, np.full(len(ids), np.nan) if logprobs is None else logprobs)
