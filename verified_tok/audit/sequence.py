"""Sequences of ids put together from fields, so that a place can be told in the field that it came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from verified_tok.audit.finding import Found, Kind, row
from verified_tok.audit.trajectory import Listed, Trajectory, Turn
from verified_tok.audit.vocabulary import Vocabulary
from verified_tok.session_state import Ids


@dataclass(frozen=True, slots=True)
class Part:
    """Ids of a sequence that come from one field: they begin at `start` in the sequence, and at `skipped`
    in the field."""

    field: str
    start: int
    skipped: int
    sampled: bool


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """Ids one after the other, as an engine or a trainer sees them."""

    ids: Ids
    parts: tuple[Part, ...]

    def locate(self, start: int, stop: int) -> tuple[str, int, int]:
        """A place in the stretch as a field and a place in it; what reaches into the next one is cut."""
        at = max((i for i, part in enumerate(self.parts) if part.start <= start), default=0)
        part = self.parts[at]
        end = self.parts[at + 1].start if at + 1 < len(self.parts) else len(self.ids)
        shift = part.skipped - part.start
        return part.field, start + shift, max(start, min(stop, end)) + shift

    def sampled(self) -> npt.NDArray[np.bool_]:
        """For each id, whether an engine sampled it."""
        marks = np.zeros(len(self.ids), dtype=bool)
        for part, stop in zip(self.parts, [*(p.start for p in self.parts[1:]), len(self.ids)], strict=True):
            marks[part.start : stop] = part.sampled
        return marks


def stretches(trajectory: Trajectory, vocabulary: Vocabulary) -> tuple[list[Stretch], list[Found]]:
    """The stretches of a trajectory, and what broke them: a turn whose prompt does not continue the turn
    before it begins a new one.

    The ids of the whole conversation are a stretch, the first one, and so are the turns of an engine; but if
    the whole begins with the turns, that is one stretch. So ids are looked at once, however often prompts
    repeat them.
    """
    found: list[Found] = []
    made: list[Stretch] = []
    growing: Stretch | None = None
    for turn in trajectory.turns:
        if growing is not None and turn.prompt is not None and not _continues(growing, turn.prompt):
            found.append(_broken(growing, turn.prompt, vocabulary))
            made.append(growing)
            growing = None
        if growing is not None and turn.prompt is None:
            made.append(growing)
            growing = None
        growing = _grown(growing, turn)
    if growing is not None:
        made.append(growing)
    if trajectory.whole is not None:
        within = made.pop() if len(made) == 1 and _continues(made[0], trajectory.whole) else None
        made.insert(0, _whole(trajectory.whole, within))
    made += [_grown(None, span) for span in trajectory.spans.values()]
    return [one for one in made if len(one.ids)], found


def _whole(listed: Listed, within: Stretch | None) -> Stretch:
    """The ids of the whole conversation; `within` are turns that they begin with."""
    start, parts = (len(within.ids), within.parts) if within is not None else (0, ())
    return Stretch(listed.ids, (*parts, Part(listed.field, start, start, False)))


def _continues(stretch: Stretch, prompt: Listed) -> bool:
    return np.array_equal(stretch.ids, prompt.ids[: len(stretch.ids)])


def _grown(stretch: Stretch | None, turn: Turn) -> Stretch:
    ids = stretch.ids if stretch is not None else np.empty(0, dtype=np.uint32)
    parts = list(stretch.parts) if stretch is not None else []
    if turn.prompt is not None:
        parts.append(Part(turn.prompt.field, len(ids), len(ids), False))
        ids = turn.prompt.ids
    if turn.completion is not None:
        parts.append(Part(turn.completion.field, len(ids), 0, True))
        ids = np.concatenate([ids, turn.completion.ids])
    return Stretch(ids, tuple(parts))


def _broken(stretch: Stretch, prompt: Listed, vocabulary: Vocabulary) -> Found:
    before, now = stretch.ids, prompt.ids
    shorter = min(len(before), len(now))
    differ = np.flatnonzero(before[:shorter] != now[:shorter])
    at = int(differ[0]) if len(differ) else shorter
    tok = vocabulary.tok
    if len(differ) and tok.decode_bytes(now).startswith(tok.decode_bytes(before)):
        why = "the text is the same, but it was encoded again"
    elif len(differ):
        why = "the text before was rewritten"
    else:
        why = f"it ends before them, {len(before) - at:,} ids short"
    field, _, _ = stretch.locate(at, at + 1)
    message = (
        f"`{prompt.field}` does not continue the ids before it from place {at} on (there: `{field}`): {why}"
    )
    rows = (
        row(vocabulary, "before", before, at, min(at + 1, len(before))),
        row(vocabulary, "now", now, at, min(at + 1, len(now))),
    )
    return Found(Kind.HISTORY, prompt.field, at, min(at + 1, len(now)), message, rows)
