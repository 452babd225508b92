"""The delta tokenizer: a conversation's events, bytes and ids, kept in step, and a mark beside every id.

The mark is `None` if the template or a given message put the id there, and else what is known about the
sampled id (a log-probability, say). An operation adds to all four or replaces a part of them; nothing that
stays is rendered again. States are values: an operation returns another one.

Mirrors `lean/VerifiedTok/Spec/Delta.lean` name by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from verified_tok.reference.chat import (
    Close,
    Coder,
    Content,
    Edge,
    Event,
    Ids,
    Kind,
    Message,
    Place,
    Span,
    Template,
    body,
    event_bytes,
    lead_of,
    next_place,
    place_after,
    render,
    render_bytes,
    render_event,
)

M = TypeVar("M")
T = TypeVar("T")


@dataclass(frozen=True)
class Delta(Generic[M]):
    """A conversation: `ids` render `events`, `bytes` is what they spell, `marks` has one for each id."""

    events: tuple[Event, ...] = ()
    bytes: bytes = b""
    ids: Ids = ()
    marks: tuple[M | None, ...] = ()

    @property
    def place(self) -> Place:
        """The place where the next event will stand."""
        return place_after(Edge.START, self.events)


def valid(template: Template, coder: Coder, delta: Delta[M]) -> bool:
    """The four agree."""
    return (
        delta.ids == render(template, coder, Edge.START, delta.events)
        and delta.bytes == render_bytes(template, coder, Edge.START, delta.events)
        and coder.dec(delta.ids) == delta.bytes
        and len(delta.marks) == len(delta.ids)
    )


def sampled(delta: Delta[M]) -> list[tuple[int, M]]:
    """The sampled ids with what is known about each, in order."""
    return [(id, mark) for id, mark in zip(delta.ids, delta.marks, strict=True) if mark is not None]


def owners(template: Template, coder: Coder, place: Place, events: Iterable[Event]) -> list[int]:
    """For each id of a conversation that begins at `place`, the index of its event."""
    owned: list[int] = []
    for i, event in enumerate(events):
        owned += [i] * len(render_event(template, coder, place, event))
        place = next_place(event)
    return owned


def fits(template: Template, coder: Coder, place: Place, event: Event) -> bool:
    """May an event stand at a place? A close ends a span; nothing else stands in one. The encoder must keep
    its texts."""
    match event:
        case Close():
            stands = place is Edge.IN_SPAN
        case Span():
            stands = place is not Edge.IN_SPAN and (place, Kind.ASSISTANT) in template.lead
        case Message(kind, _):
            stands = place is not Edge.IN_SPAN and (place, kind) in template.lead
    return stands and all(
        coder.keeps(segment.text) for segment in body(template, event) if isinstance(segment, Content)
    )


def all_fit(template: Template, coder: Coder, place: Place, events: Iterable[Event]) -> bool:
    """May the events stand in this order, from `place` on?"""
    for event in events:
        if not fits(template, coder, place, event):
            return False
        place = next_place(event)
    return True


# --- growing -----------------------------------------------------------------------------------------


def add(template: Template, coder: Coder, delta: Delta[M], event: Event, mark: M | None) -> Delta[M]:
    """Puts an event behind the others; `mark` is the mark of its ids."""
    ids = render_event(template, coder, delta.place, event)
    return Delta(
        events=(*delta.events, event),
        bytes=delta.bytes + event_bytes(template, coder, delta.place, event),
        ids=delta.ids + ids,
        marks=delta.marks + (mark,) * len(ids),
    )


def extend_event(event: Event, ids: Ids) -> Event:
    """A span with more ids at its end (`Event.extend`)."""
    return Span(event.ids + ids) if isinstance(event, Span) else event


def extend(coder: Coder, delta: Delta[M], ids: Ids, marks: Sequence[M | None]) -> Delta[M]:
    """Puts ids into the open span, as they are, with their marks."""
    return Delta(
        events=(*delta.events[:-1], *(extend_event(event, ids) for event in delta.events[-1:])),
        bytes=delta.bytes + coder.dec(ids),
        ids=delta.ids + ids,
        marks=(*delta.marks, *marks),
    )


# --- editing -----------------------------------------------------------------------------------------


def head_lead(template: Template, place: Place, events: Sequence[Event]) -> Ids:
    """The lead of the first of some events."""
    return lead_of(template, place, events[0]) if events else ()


def replace_at(elements: tuple[T, ...], start: int, count: int, new: tuple[T, ...]) -> tuple[T, ...]:
    """`elements` with `count` of them from `start` on replaced by `new`."""
    return elements[:start] + new + elements[start + count :]


def splice(
    template: Template, coder: Coder, delta: Delta[M], i: int, j: int, new: tuple[Event, ...]
) -> Delta[M]:
    """Replaces the events `i`, …, `j - 1` by `new`.

    What is behind them stays; only the lead of the first event there is written again, if it is another after
    what is now before it.
    """
    front, old, back = delta.events[:i], delta.events[i:j], delta.events[j:]
    place = place_after(Edge.START, front)
    old_lead = head_lead(template, place_after(place, old), back)
    new_lead = head_lead(template, place_after(place, new), back)
    if old_lead == new_lead:
        old_lead = new_lead = ()
    start = len(render(template, coder, Edge.START, front))
    count = len(render(template, coder, place, old)) + len(old_lead)
    ids = render(template, coder, place, new) + new_lead
    start_byte = len(render_bytes(template, coder, Edge.START, front))
    stop_byte = start_byte + len(render_bytes(template, coder, place, old) + coder.dec(old_lead))
    spelled = render_bytes(template, coder, place, new) + coder.dec(new_lead)
    return Delta(
        events=front + new + back,
        bytes=delta.bytes[:start_byte] + spelled + delta.bytes[stop_byte:],
        ids=replace_at(delta.ids, start, count, ids),
        marks=replace_at(delta.marks, start, count, (None,) * len(ids)),
    )


def insert(template: Template, coder: Coder, delta: Delta[M], i: int, event: Event) -> Delta[M]:
    """Puts an event before event `i`."""
    return splice(template, coder, delta, i, i, (event,))


def replace(template: Template, coder: Coder, delta: Delta[M], i: int, event: Event) -> Delta[M]:
    """Puts an event in the place of event `i`."""
    return splice(template, coder, delta, i, i + 1, (event,))


def delete(template: Template, coder: Coder, delta: Delta[M], i: int) -> Delta[M]:
    """Takes event `i` out."""
    return splice(template, coder, delta, i, i + 1, ())


def truncate(template: Template, coder: Coder, delta: Delta[M], i: int) -> Delta[M]:
    """Keeps the first `i` events."""
    return splice(template, coder, delta, i, len(delta.events), ())


# --- the state machine -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Add(Generic[M]):
    """The operation `add`."""

    event: Event
    mark: M | None = None


@dataclass(frozen=True)
class Extend(Generic[M]):
    """The operation `extend`."""

    ids: Ids
    marks: tuple[M | None, ...]


@dataclass(frozen=True)
class Splice:
    """The operation `splice`."""

    i: int
    j: int
    new: tuple[Event, ...]


Op = Add[M] | Extend[M] | Splice


def step(template: Template, coder: Coder, delta: Delta[M], op: Op[M]) -> Delta[M] | None:
    """One operation; `None` if it is refused, and then nothing changes."""
    match op:
        case Add(event, mark):
            if not fits(template, coder, delta.place, event):
                return None
            return add(template, coder, delta, event, mark)
        case Extend(ids, marks):
            if delta.place is not Edge.IN_SPAN or len(ids) != len(marks):
                return None
            return extend(coder, delta, ids, marks)
        case Splice(i, j, new):
            if not 0 <= i <= j <= len(delta.events):
                return None
            spliced = splice(template, coder, delta, i, j, new)
            return spliced if all_fit(template, coder, Edge.START, spliced.events) else None


def steps(template: Template, coder: Coder, delta: Delta[M], ops: Iterable[Op[M]]) -> Delta[M] | None:
    """Several operations, none of which is refused; else `None`."""
    for op in ops:
        after = step(template, coder, delta, op)
        if after is None:
            return None
        delta = after
    return delta
