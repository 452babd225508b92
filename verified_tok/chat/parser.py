"""`reference.chat.parse` in linear time: the same partition, found by places instead of by slices."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

from verified_tok.reference.chat import (
    ALL_PLACES,
    Close,
    Edge,
    Event,
    FixedIds,
    Found,
    FoundEvent,
    Ids,
    Kind,
    Malformed,
    Message,
    Part,
    Place,
    Span,
    Template,
    next_place,
    strip,
)

Texts = tuple[bytes, ...]
Read = tuple[Event, int]
"""An event and where it ends."""


class Parser:
    """Reads ids of one template; `decode` gives the bytes of ids."""

    def __init__(self, table: Template, decode: Callable[[Ids], bytes]) -> None:
        self._table = table
        self._decode = decode
        # An event that stands where none can is looked for by its lead, so by the lead's first id.
        self._lost: dict[int, list[tuple[Place, Kind]]] = {}
        for place in ALL_PLACES:
            for kind in table.kinds:
                lead = table.lead.get((place, kind))
                if lead:
                    self._lost.setdefault(lead[0], []).append((place, kind))

    def parse(self, ids: Iterable[int], place: Place = Edge.START) -> list[Found]:
        """A partition of the ids, in order, into events and malformed spans."""
        reading = _Reading(self._table, self._decode, tuple(ids))
        found: list[Found] = []
        at = malformed = 0
        while at < len(reading.ids):
            read_as: tuple[Place, Read | None] = place, reading.event(place, at)
            if read_as[1] is None:
                read_as = self._read_lost(reading, at)
            as_at, read = read_as
            if read is None:
                at += 1
                continue
            if malformed < at:
                found.append(Malformed(reading.ids[malformed:at]))
            event, end = read
            found.append(FoundEvent(as_at, event, reading.ids[at:end]))
            place, at, malformed = next_place(event), end, end
        return [*found, Malformed(reading.ids[malformed:])] if malformed < at else found

    def _read_lost(self, reading: _Reading, at: int) -> tuple[Place, Read | None]:
        for place, kind in self._lost.get(reading.ids[at], ()):
            read = reading.kind(place, kind, at)
            if read is not None and read[1] > at:
                return place, read
        return Edge.START, None


class _Reading:
    """Ids, and where among them the control tokens and the stops are."""

    def __init__(self, table: Template, decode: Callable[[Ids], bytes], ids: Ids) -> None:
        self._table = table
        self._decode = decode
        self.ids = ids
        self._controls = [place for place, id in enumerate(ids) if id in table.control]
        self._stops = [place for place, id in enumerate(ids) if id in table.stops]

    def event(self, place: Place, at: int) -> Read | None:
        if place is Edge.IN_SPAN:
            return (Close(self.ids[at]), at + 1) if self.ids[at] in self._table.stops else None
        reads = (self.kind(place, kind, at) for kind in self._table.kinds)
        read = next((read for read in reads if read is not None), None)
        return None if read is None or read[1] == at else read

    def kind(self, place: Place, kind: Kind, at: int) -> Read | None:
        lead = self._table.lead.get((place, kind))
        if lead is None or not self._stands(lead, at):
            return None
        at += len(lead)
        if kind is Kind.ASSISTANT:
            end = _next(self._stops, at, len(self.ids))
            return Span(self.ids[at:end]), end
        items, at = self._items(self._table.item[kind], at, kind in self._table.many)
        closing = self._table.closing[kind]
        if not items or not self._stands(closing, at):
            return None
        return Message(kind, items), at + len(closing)

    def _items(self, parts: Sequence[Part], at: int, many: bool) -> tuple[tuple[Texts, ...], int]:
        items: list[Texts] = []
        while (many and at < len(self.ids)) or not items:
            item = self._item(parts, at)
            if item is None:
                break
            items.append(item[0])
            at = item[1]
        return tuple(items), at

    def _item(self, parts: Sequence[Part], at: int) -> tuple[Texts, int] | None:
        texts = []
        for part in parts:
            if isinstance(part, FixedIds):
                if not self._stands(part.ids, at):
                    return None
                at += len(part.ids)
                continue
            end = _next(self._controls, at, len(self.ids))
            text = strip(part.before, part.after, self._decode(self.ids[at:end]))
            if text is None:
                return None
            texts.append(text)
            at = end
        return tuple(texts), at

    def _stands(self, ids: Ids, at: int) -> bool:
        return self.ids[at : at + len(ids)] == ids


def _next(places: Sequence[int], at: int, end: int) -> int:
    """The first of the places from `at` on, or the end."""
    found = bisect_left(places, at)
    return places[found] if found < len(places) else end
