"""What the audit finds: a kind, a place, a sentence, and the tokens around the place."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from verified_tok.audit.vocabulary import Vocabulary
from verified_tok.session_state import Ids

CONTEXT = 8
"""How many tokens are shown on each side of a place."""

_LONGEST = 48
"""How many tokens of a long place are shown; the middle is left out."""


class Kind(enum.StrEnum):
    """What is wrong."""

    HISTORY = "history"
    CONTROL = "control"
    BOUNDARY = "boundary"
    MASK = "mask"
    MISMATCH = "mismatch"
    DRIFT = "drift"
    MALFORMED = "malformed"

    @property
    def meaning(self) -> str:
        """One sentence for a reader who sees the kind for the first time."""
        return _MEANINGS[self]


_MEANINGS = {
    Kind.MALFORMED: "A line or a field cannot be read, or the format cannot express it.",
    Kind.DRIFT: "Encoding the text again gives other ids than those that are there.",
    Kind.HISTORY: "What comes later does not continue what was there before.",
    Kind.CONTROL: "A control token comes, or would come, from the content of a message.",
    Kind.BOUNDARY: "A token of the format is missing, doubled, or in the wrong place.",
    Kind.MASK: "A mask, labels or log-probabilities disagree with the ids.",
    Kind.MISMATCH: "The ids do not spell the messages.",
}


@dataclass(frozen=True, slots=True)
class ShownToken:
    """One token as a reader sees it: `piece` are its bytes, `control` says that it is an added token,
    `marked` that the finding is about it."""

    id: int
    piece: bytes
    control: bool
    marked: bool


@dataclass(frozen=True, slots=True)
class Row:
    """Some tokens in order; `start` is the place of the first one, `omitted` how many of the marked ones
    are left out in the middle (after `omitted_after` shown ones)."""

    label: str
    start: int
    tokens: tuple[ShownToken, ...]
    before: bool = False
    after: bool = False
    omitted: int = 0
    omitted_after: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Which trajectory: its number from 0, its line from 1 if it was read from a file, its name if it has
    one."""

    trajectory: int
    line: int | None = None
    name: str | None = None

    def __str__(self) -> str:
        at = f"line {self.line}" if self.line is not None else f"trajectory {self.trajectory}"
        return at if self.name is None else f"{at} ({self.name})"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    `field` says where in the trajectory, as in `turns[2].completion_ids`; `start` and `stop` are places in
    that list of ids, or of characters in that text, first included, last not; 0 and 0 mean all of it.
    `rows` shows tokens.
    """

    kind: Kind
    place: Place
    field: str
    start: int
    stop: int
    message: str
    rows: tuple[Row, ...] = ()

    def where(self) -> str:
        """The trajectory, the field, and the place in it."""
        field = f" {self.field}" if self.field else ""
        return f"{self.place}{field}" + (f"[{self.start}:{self.stop}]" if self.stop else "")

    def to_json(self) -> dict[str, object]:
        """The finding as JSON values; a token is its id and its text."""
        return {
            "kind": self.kind.value,
            "trajectory": self.place.trajectory,
            "line": self.place.line,
            "name": self.place.name,
            "field": self.field,
            "start": self.start,
            "stop": self.stop,
            "message": self.message,
            "rows": [
                {
                    "label": row.label,
                    "start": row.start,
                    "omitted": row.omitted,
                    "tokens": [
                        {"id": t.id, "text": t.piece.decode(errors="backslashreplace"), "marked": t.marked}
                        for t in row.tokens
                    ],
                }
                for row in self.rows
            ],
        }


@dataclass(frozen=True, slots=True)
class Found:
    """A finding before its trajectory is known."""

    kind: Kind
    field: str
    start: int
    stop: int
    message: str
    rows: tuple[Row, ...] = ()

    def at(self, place: Place) -> Finding:
        """The finding in this trajectory."""
        return Finding(self.kind, place, self.field, self.start, self.stop, self.message, self.rows)


def row(
    vocabulary: Vocabulary,
    label: str,
    ids: Sequence[int] | Ids,
    start: int,
    stop: int,
    instead: Sequence[int] | Ids | None = None,
) -> Row:
    """`ids[start:stop]`, marked, with what is around it; or `instead` in its place."""
    front, back = max(0, start - CONTEXT), min(len(ids), stop + CONTEXT)
    marked = list(ids[start:stop] if instead is None else instead)
    omitted = max(0, len(marked) - _LONGEST)
    kept = _LONGEST // 2
    if omitted:
        marked[kept : kept + omitted] = []
    shown = [(id, False) for id in ids[front:start]]
    shown += [(id, True) for id in marked]
    shown += [(id, False) for id in ids[stop:back]]
    tokens = tuple(
        ShownToken(int(id), vocabulary.bytes_of(int(id)), int(id) in vocabulary.control, mark)
        for id, mark in shown
    )
    omitted_after = start - front + kept if omitted else 0
    return Row(label, front, tokens, front > 0, back < len(ids), omitted, omitted_after)
