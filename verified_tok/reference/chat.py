"""Conversations as events: rendering that is local to each event, and a parser that loses no id.

A conversation is a list of events. Each renders by itself, given only what kind of event stood before it, to
segments: ids that the template fixes, texts that are encoded with every added token switched off, and sampled
ids, which stay as they are. What separates two events belongs to the second. Segments are joined as ids.

Mirrors `lean/VerifiedTok/Spec/Chat.lean` name by name; texts are bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

Ids = tuple[int, ...]


class Kind(StrEnum):
    """What an event is. `TOOLS` is a group: the results of parallel calls are one event."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    TOOLS = "tools"
    ASSISTANT = "assistant"


class Edge(StrEnum):
    """A place that is not after an event: the beginning, or a span of the assistant that is still open."""

    START = "start"
    IN_SPAN = "in span"


Place = Edge | Kind
"""Where an event stands; a kind means: after an event of this kind."""

ALL_PLACES: tuple[Place, ...] = (Edge.START, *Kind)


@dataclass(frozen=True)
class Message:
    """A message of the template's making: items (one, but for a group), each with the texts of its slots."""

    kind: Kind
    items: tuple[tuple[bytes, ...], ...]


@dataclass(frozen=True)
class Span:
    """An assistant's turn, whoever wrote it: its ids after the generation prompt, before the stop."""

    ids: Ids


@dataclass(frozen=True)
class Close:
    """The end of a span."""

    stop: int


Event = Message | Span | Close


@dataclass(frozen=True)
class FixedIds:
    """A part of the form of a message: ids that never change."""

    ids: Ids


@dataclass(frozen=True)
class Slot:
    """A part of the form of a message: a text between two fixed texts, encoded together with them."""

    before: bytes = b""
    after: bytes = b""


Part = FixedIds | Slot


@dataclass(frozen=True)
class Template:
    """A chat format, as ids."""

    control: frozenset[int]
    """Tokens that only the template and the model may write: all added tokens."""
    lead: Mapping[tuple[Place, Kind], Ids]
    """What begins an event of a kind at a place: separator and header, or the generation prompt. Where
    there is none, the format has no such event."""
    item: Mapping[Kind, tuple[Part, ...]]
    """The form of one item."""
    closing: Mapping[Kind, Ids]
    many: frozenset[Kind]
    """The kinds whose messages may have several items."""
    stops: tuple[int, ...]
    """What ends a span."""
    kinds: tuple[Kind, ...]
    """The format's kinds, in the order in which the parser tries them."""


@dataclass(frozen=True)
class Coder:
    """The encoder of content, which knows no added tokens, and the bytes of tokens."""

    enc: Callable[[bytes], Sequence[int]]
    bytes_of: Callable[[int], bytes]

    def dec(self, ids: Iterable[int]) -> bytes:
        """The bytes of ids."""
        return b"".join(map(self.bytes_of, ids))

    def keeps(self, text: bytes) -> bool:
        """Is the text its own encoding's decoding? (A normalizer may change others.)"""
        return self.dec(self.enc(text)) == text


# --- rendering ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fixed:
    """A segment: ids of the template."""

    ids: Ids


@dataclass(frozen=True)
class Content:
    """A segment: a text, with the fixed texts around it."""

    text: bytes


@dataclass(frozen=True)
class Sampled:
    """A segment: ids as they were given."""

    ids: Ids


Segment = Fixed | Content | Sampled


def segment_ids(coder: Coder, segment: Segment) -> Ids:
    """The ids of a segment (`Segment.ids`)."""
    return tuple(coder.enc(segment.text)) if isinstance(segment, Content) else segment.ids


def segment_bytes(coder: Coder, segment: Segment) -> bytes:
    """The bytes of a segment (`Segment.bytes`)."""
    return segment.text if isinstance(segment, Content) else coder.dec(segment.ids)


def fill(parts: Sequence[Part], texts: Sequence[bytes]) -> list[Segment]:
    """The segments of an item: its texts fill the slots in order."""
    segments: list[Segment] = []
    rest = iter(texts)
    for part in parts:
        match part:
            case FixedIds(ids):
                segments.append(Fixed(ids))
            case Slot(before, after):
                segments.append(Content(before + next(rest, b"") + after))
    return segments


def lead_of(template: Template, place: Place, event: Event) -> Ids:
    """What begins an event. A close has nothing before it."""
    match event:
        case Message(kind, _):
            return template.lead.get((place, kind), ())
        case Span():
            return template.lead.get((place, Kind.ASSISTANT), ())
        case Close():
            return ()


def body(template: Template, event: Event) -> list[Segment]:
    """The segments after the lead: the same at every place."""
    match event:
        case Message(kind, items):
            filled = [segment for texts in items for segment in fill(template.item[kind], texts)]
            return [*filled, Fixed(template.closing[kind])]
        case Span(ids):
            return [Sampled(ids)]
        case Close(stop):
            return [Fixed((stop,))]


def segments(template: Template, place: Place, event: Event) -> list[Segment]:
    """The segments of an event at a place."""
    return [Fixed(lead_of(template, place, event)), *body(template, event)]


def next_place(event: Event) -> Place:
    """The place after an event (`Event.next`)."""
    match event:
        case Message(kind, _):
            return kind
        case Span():
            return Edge.IN_SPAN
        case Close():
            return Kind.ASSISTANT


def place_after(place: Place, events: Sequence[Event]) -> Place:
    """The place after a list of events that begins at `place`."""
    return next_place(events[-1]) if events else place


def all_segments(template: Template, place: Place, events: Iterable[Event]) -> list[Segment]:
    """The segments of a conversation that begins at `place`."""
    result: list[Segment] = []
    for event in events:
        result += segments(template, place, event)
        place = next_place(event)
    return result


def render_event(template: Template, coder: Coder, place: Place, event: Event) -> Ids:
    """The ids of an event at a place."""
    return _ids(coder, segments(template, place, event))


def event_bytes(template: Template, coder: Coder, place: Place, event: Event) -> bytes:
    """The bytes of an event at a place."""
    return b"".join(segment_bytes(coder, segment) for segment in segments(template, place, event))


def render(template: Template, coder: Coder, place: Place, events: Iterable[Event]) -> Ids:
    """The ids of a conversation that begins at `place`."""
    return _ids(coder, all_segments(template, place, events))


def render_bytes(template: Template, coder: Coder, place: Place, events: Iterable[Event]) -> bytes:
    """The bytes of a conversation that begins at `place`."""
    return b"".join(segment_bytes(coder, segment) for segment in all_segments(template, place, events))


def _ids(coder: Coder, these: Iterable[Segment]) -> Ids:
    return tuple(id for segment in these for id in segment_ids(coder, segment))


# --- parsing -----------------------------------------------------------------------------------------


def drop_pre(prefix: Ids, ids: Ids) -> Ids | None:
    """What follows a prefix."""
    return ids[len(prefix) :] if ids[: len(prefix)] == prefix else None


def strip(before: bytes, after: bytes, text: bytes) -> bytes | None:
    """What stands between two fixed texts."""
    middle = text[len(before) : max(len(before), len(text) - len(after))]
    return middle if text == before + middle + after else None


def run(template: Template, ids: Ids) -> tuple[Ids, Ids]:
    """The ids up to the first control token, and the rest."""
    first = tuple(takewhile(lambda id: id not in template.control, ids))
    return first, ids[len(first) :]


def parse_item(
    template: Template, coder: Coder, parts: Sequence[Part], ids: Ids
) -> tuple[tuple[bytes, ...], Ids] | None:
    """Reads one item: the texts of its slots, and the rest of the ids."""
    texts: list[bytes] = []
    for part in parts:
        match part:
            case FixedIds(fixed):
                rest = drop_pre(fixed, ids)
                if rest is None:
                    return None
                ids = rest
            case Slot(before, after):
                first, ids = run(template, ids)
                text = strip(before, after, coder.dec(first))
                if text is None:
                    return None
                texts.append(text)
    return tuple(texts), ids


def parse_items(
    template: Template, coder: Coder, parts: Sequence[Part], ids: Ids
) -> tuple[tuple[tuple[bytes, ...], ...], Ids]:
    """Reads items as long as there are any, and no more than there are ids."""
    items: list[tuple[bytes, ...]] = []
    for _ in range(len(ids)):
        found = parse_item(template, coder, parts, ids)
        if found is None:
            break
        texts, ids = found
        items.append(texts)
    return tuple(items), ids


def parse_body(
    template: Template, coder: Coder, kind: Kind, ids: Ids
) -> tuple[tuple[tuple[bytes, ...], ...], Ids] | None:
    """Reads the items of a message."""
    if kind in template.many:
        items, rest = parse_items(template, coder, template.item[kind], ids)
        return (items, rest) if items else None
    found = parse_item(template, coder, template.item[kind], ids)
    return None if found is None else ((found[0],), found[1])


def parse_kind(
    template: Template, coder: Coder, place: Place, ids: Ids, kind: Kind
) -> tuple[Event, Ids] | None:
    """Reads an event of a kind at a place."""
    lead = template.lead.get((place, kind))
    rest = None if lead is None else drop_pre(lead, ids)
    if rest is None:
        return None
    if kind is Kind.ASSISTANT:
        span = tuple(takewhile(lambda id: id not in template.stops, rest))
        return Span(span), rest[len(span) :]
    found = parse_body(template, coder, kind, rest)
    if found is None:
        return None
    items, rest = found
    after = drop_pre(template.closing[kind], rest)
    return None if after is None else (Message(kind, items), after)


def parse_event(template: Template, coder: Coder, place: Place, ids: Ids) -> tuple[Event, Ids] | None:
    """Reads the event at the beginning of `ids`; it takes at least one id."""
    if place is Edge.IN_SPAN:
        return (Close(ids[0]), ids[1:]) if ids and ids[0] in template.stops else None
    return _first_kind(template, coder, place, ids, template.kinds)


def parse_lost(template: Template, coder: Coder, ids: Ids) -> tuple[Place, Event, Ids] | None:
    """Reads an event that stands where none can: as at any place, if it can be told by its lead."""
    for place in ALL_PLACES:
        kinds = [kind for kind in template.kinds if template.lead.get((place, kind)) != ()]
        found = _first_kind(template, coder, place, ids, kinds)
        if found is not None:
            return place, *found
    return None


def _first_kind(
    template: Template, coder: Coder, place: Place, ids: Ids, kinds: Iterable[Kind]
) -> tuple[Event, Ids] | None:
    """What the first kind that can be read there reads, if that is any id."""
    reads = (parse_kind(template, coder, place, ids, kind) for kind in kinds)
    found = next((read for read in reads if read is not None), None)
    return None if found is None or len(found[1]) == len(ids) else found


@dataclass(frozen=True)
class FoundEvent:
    """An event with its ids, and the place as at which it was read."""

    place: Place
    event: Event
    ids: Ids


@dataclass(frozen=True)
class Malformed:
    """Ids that are no event."""

    ids: Ids


Found = FoundEvent | Malformed


def parse(template: Template, coder: Coder, place: Place, ids: Iterable[int]) -> list[Found]:
    """Reads any ids, beginning at `place`: a partition of them into events and malformed spans.

    An event whose `place` is not the one after the event before it stands where the format has none: a
    separator or a stop is missing, say.
    """
    found: list[Found] = []
    malformed: list[int] = []
    rest = tuple(ids)
    while rest:
        at_place = parse_event(template, coder, place, rest)
        read = parse_lost(template, coder, rest) if at_place is None else (place, *at_place)
        if read is None:
            malformed.append(rest[0])
            rest = rest[1:]
            continue
        if malformed:
            found.append(Malformed(tuple(malformed)))
            malformed = []
        as_at, event, after = read
        found.append(FoundEvent(as_at, event, rest[: len(rest) - len(after)]))
        place, rest = next_place(event), after
    return [*found, Malformed(tuple(malformed))] if malformed else found


# --- canonical conversations -------------------------------------------------------------------------


def mismatch(template: Template, coder: Coder, parts: Sequence[Part], ids: Ids) -> bool:
    """Reading an item at the beginning of `ids` fails, whatever follows `ids`."""
    for part in parts:
        match part:
            case FixedIds(fixed):
                rest = drop_pre(fixed, ids)
                if rest is None:
                    return drop_pre(ids, fixed) is None
                ids = rest
            case Slot(before, after):
                first, ids = run(template, ids)
                text = coder.dec(first)
                if not ids:  # the text may go on
                    return not text.startswith(before) and not before.startswith(text)
                if strip(before, after, text) is None:
                    return True
    return False


def ends_text(template: Template, ids: Ids) -> bool:
    """Ids that end a text: they begin with a control token, or there are none."""
    return not ids or ids[0] in template.control


def delimited(template: Template, coder: Coder, these: Sequence[Segment], following: Ids) -> bool:
    """Every text is kept by the encoder, and ids that end it follow."""
    for place, segment in enumerate(these):
        if isinstance(segment, Content):
            after = _ids(coder, these[place + 1 :]) + following
            if not (coder.keeps(segment.text) and ends_text(template, after)):
                return False
    return True


def form(template: Template, place: Place, kind: Kind) -> list[Part]:
    """The form of an event as far as it tells kinds apart: its lead and one item."""
    lead = FixedIds(template.lead.get((place, kind), ()))
    return [lead] if kind is Kind.ASSISTANT else [lead, *template.item[kind]]


def told_apart(template: Template, coder: Coder, place: Place, kind: Kind, ids: Ids) -> bool:
    """No kind that the parser tries before `kind` can be read where `ids` stand."""
    return all(
        mismatch(template, coder, form(template, place, earlier), ids)
        for earlier in takewhile(lambda other: other is not kind, template.kinds)
        if (place, earlier) in template.lead
    )


def readable(template: Template, coder: Coder, place: Place, following: Ids, event: Event) -> bool:
    """`event` is one of the format's events at `place`, and can be read there if `following` follows."""
    if isinstance(event, Close):
        return place is Edge.IN_SPAN and event.stop in template.stops
    kind = Kind.ASSISTANT if isinstance(event, Span) else event.kind
    ids = render_event(template, coder, place, event)
    if (
        place is Edge.IN_SPAN
        or kind not in template.kinds
        or (place, kind) not in template.lead
        or not ids
        or not told_apart(template, coder, place, kind, ids)
    ):
        return False
    if isinstance(event, Span):
        inside = any(id in template.stops for id in event.ids)
        return not inside and (not following or following[0] in template.stops)
    parts = template.item[kind]
    slots = sum(isinstance(part, Slot) for part in parts)
    if (
        kind is Kind.ASSISTANT
        or any(len(texts) != slots for texts in event.items)
        or not delimited(template, coder, body(template, event), following)
    ):
        return False
    if kind not in template.many:
        return len(event.items) == 1
    after = template.closing[kind] + following
    return (
        bool(event.items)
        and parse_item(template, coder, parts, ()) is None
        and (not after or mismatch(template, coder, parts, after))
    )


def canonical(template: Template, coder: Coder, place: Place, events: Sequence[Event]) -> bool:
    """Every event can be read where it stands; then `parse` gives the events back."""
    following: Ids = ()
    places = [place, *map(next_place, events)]
    for at, event in zip(reversed(places[:-1]), reversed(events), strict=True):
        if not readable(template, coder, at, following, event):
            return False
        following = render_event(template, coder, at, event) + following
    return True


def founds(template: Template, coder: Coder, place: Place, events: Iterable[Event]) -> list[Found]:
    """A conversation's events, as the parser should find them."""
    found: list[Found] = []
    for event in events:
        found.append(FoundEvent(place, event, render_event(template, coder, place, event)))
        place = next_place(event)
    return found
