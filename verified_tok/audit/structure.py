"""Ids read as the events of a chat format: what is missing, doubled or misplaced, and what a mask marks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from verified_tok.audit.checks import runs
from verified_tok.audit.finding import Found, Kind, row
from verified_tok.audit.sequence import Stretch
from verified_tok.audit.trajectory import Message, as_sent
from verified_tok.audit.vocabulary import Vocabulary
from verified_tok.chat import Format
from verified_tok.chat.format import Said
from verified_tok.chat.message import Assistant, System, ToolResult, check_message
from verified_tok.conversation import Conversation
from verified_tok.errors import InvalidMessage, InvalidOperation, InvalidTemplate
from verified_tok.reference import chat
from verified_tok.reference.chat import Edge, Event, FoundEvent, Place, Span


@dataclass(frozen=True, slots=True)
class Read:
    """An event at `ids[start:stop]`, or ids that are none. It was read as at `place`, and stands at
    `stands`."""

    start: int
    stop: int
    event: Event | None
    place: Place | None
    stands: Place

    @property
    def span(self) -> tuple[int, int] | None:
        """The ids of an assistant's span behind its generation prompt."""
        return (self.stop - len(self.event.ids), self.stop) if isinstance(self.event, Span) else None


def read(stretch: Stretch, form: Format) -> list[Read]:
    """The events of a stretch, in order; together they hold every id."""
    found: list[Read] = []
    at = 0
    stands: Place = Edge.START
    for one in form.parse(stretch.ids.tolist()):
        stop = at + len(one.ids)
        if isinstance(one, FoundEvent):
            found.append(Read(at, stop, one.event, one.place, stands))
            stands = chat.next_place(one.event)
        else:
            found.append(Read(at, stop, None, None, stands))
        at = stop
    return found


def check_structure(
    stretch: Stretch, events: list[Read], form: Format, vocabulary: Vocabulary
) -> Iterator[Found]:
    """Separators, headers and closes that are missing, doubled, or where the format has none; and control
    tokens inside a message."""
    opening = _opening(form)
    ids = stretch.ids
    listed: list[int] = ids.tolist()

    def found(kind: Kind, start: int, stop: int, message: str) -> Found:
        field, first, last = stretch.locate(start, stop)
        return Found(kind, field, first, last, message, (row(vocabulary, "ids", ids, start, stop),))

    for one in events:
        if one.event is None:
            kind, message = _malformed(one, listed, form, opening, vocabulary)
            if message:
                yield found(kind, one.start, one.stop, message)
        elif one.place != one.stands:
            yield found(Kind.BOUNDARY, one.start, one.start + 1, _misplaced(one, form, vocabulary))
        elif one.span is not None:
            for at in range(*one.span):
                if listed[at] in opening:
                    name = vocabulary.names(ids[at : at + 1])
                    message = f"{name} opens a turn, and the one before is not closed"
                    yield found(Kind.BOUNDARY, at, at + 1, message)


def check_mask(
    stretch: Stretch, events: list[Read], mask: tuple[str, npt.NDArray[np.bool_]], vocabulary: Vocabulary
) -> Iterator[Found]:
    """Ids that a mask marks and no assistant said, and parts of a span that it leaves out.

    A span that is not marked at all is left out on purpose. The close may be marked or not: an engine may
    have sampled it, or not. Nor is a generation prompt behind a close that is marked: sampling went on.
    """
    name, marks = mask

    def found(start: int, wrong: npt.NDArray[np.bool_], message: str) -> Iterator[Found]:
        for first, last in runs(wrong):
            place = start + first, start + last
            yield Found(Kind.MASK, name, *place, message, (row(vocabulary, "ids", stretch.ids, *place),))

    goes_on = False
    for one in events:
        if isinstance(one.event, chat.Close):
            goes_on = bool(marks[one.start : one.stop].all())
            continue
        start, stop = one.span or (one.stop, one.stop)
        what = "ids outside all messages" if one.event is None else "a message"
        what = "the generation prompt" if one.span else what
        if not (one.span and goes_on):
            front = marks[one.start : start]
            yield from found(one.start, front, f"`{name}` marks {what}, which no assistant said")
        goes_on = False
        inside = marks[start:stop]
        if inside.any():
            yield from found(start, ~inside, f"`{name}` leaves out a part of what an assistant said")


def spell(events: list[Read], messages: tuple[Message, ...], form: Format) -> bool:
    """Whether the events are the messages' events, text for text. What assistants said is not compared: it
    may be written in several ways."""
    read = [
        None if isinstance(one.event, Span) else form.said(one.event)
        for one in events
        if one.event is not None and not isinstance(one.event, chat.Close)
    ]
    try:
        sent = [check_message(as_sent(message)) for message in messages]
    except InvalidMessage:
        return False
    given = [one for one in sent if not _is_tools_alone(one)]
    texts = [one if one is None else _contents(one) for one in read if not _is_tools_alone(one)]
    wanted: list[tuple[str, ...] | None] = []
    for is_result, group in groupby(given, lambda one: isinstance(one, ToolResult)):
        some = [None if isinstance(one, Assistant) else _contents(one) for one in group]
        wanted += [tuple(text for one in some if one for text in one)] if is_result else some
    # The parts of one reply may be several spans.
    return [text for text, _ in groupby(texts)] == [text for text, _ in groupby(wanted)]


def inexpressible(messages: tuple[Message, ...], form: Format) -> Iterator[Found]:
    """Messages that the format cannot express where they stand; those behind are looked at as if it could."""
    conversation = Conversation(form.tokenizer, form)
    together = groupby(range(len(messages)), lambda i: -1 if messages[i]["role"] == "tool" else i)
    for _, group in together:
        places = list(group)
        try:
            conversation.add([as_sent(messages[i]) for i in places])
        except (InvalidMessage, InvalidTemplate, InvalidOperation) as error:
            yield Found(Kind.MALFORMED, f"messages[{places[0]}]", 0, 0, str(error))


def _contents(said: Said | ToolResult) -> tuple[str, ...]:
    return tuple(one.content or "" for one in (said if isinstance(said, tuple) else (said,)))


def _is_tools_alone(said: object) -> bool:
    """Whether it describes tools and says nothing, so that there need not be a message for it."""
    return isinstance(said, System) and said.content is None


def _opening(form: Format) -> frozenset[int]:
    """The control tokens that open an event, whatever it stands behind."""
    leads = (lead for (place, _), lead in form.table.lead.items() if place is not Edge.START)
    firsts = (next((id for id in lead if id in form.added), None) for lead in leads)
    return frozenset(id for id in firsts if id is not None)


def _malformed(
    one: Read, ids: list[int], form: Format, opening: frozenset[int], vocabulary: Vocabulary
) -> tuple[Kind, str]:
    """What to say of ids that are no event; nothing if the conversation ends before they could be one."""
    some, size = ids[one.start : one.stop], one.stop - one.start
    if one.stop == len(ids) and any(
        list(lead[:size]) == some for (place, _), lead in form.table.lead.items() if place == one.stands
    ):
        return Kind.BOUNDARY, ""
    begin = list(vocabulary.begin)
    if one.start == 0 and begin and some == begin * (size // len(begin)):
        return Kind.BOUNDARY, ""  # `checks.begins_twice` tells it
    if some in (ids[one.stop : one.stop + size], ids[max(0, one.start - size) : one.start]):
        return Kind.BOUNDARY, f"{vocabulary.names(some)} is doubled"
    strange = [id for id in some if id in form.added and id not in opening and id not in form.stops]
    if strange and not opening.isdisjoint(some):
        return Kind.CONTROL, f"the control token {vocabulary.names(strange[:1])} stands inside a message"
    return Kind.BOUNDARY, f"these {size:,} ids are no event of the format"


def _misplaced(one: Read, form: Format, vocabulary: Vocabulary) -> str:
    assert one.event is not None
    assert one.place is not None
    kind = chat.Kind.ASSISTANT if isinstance(one.event, Span) else getattr(one.event, "kind", None)
    where: dict[Place, str] = {Edge.START: "at the beginning", Edge.IN_SPAN: "in an open turn"}
    stands = where.get(one.stands, f"after a {one.stands.value} event")
    if kind is None or (one.stands, kind) not in form.table.lead:
        return f"the format has no {kind.value if kind else 'close'} event {stands}"
    wanted, given = form.table.lead[one.stands, kind], form.table.lead[one.place, kind]
    if given and wanted[-len(given) :] == given:
        gone = vocabulary.names(wanted[: len(wanted) - len(given)])
        return f"{gone} is missing before this {kind.value} event"
    if wanted and given[-len(wanted) :] == wanted:
        extra = vocabulary.names(given[: len(given) - len(wanted)])
        return f"{extra} before this {kind.value} event is too much {stands}"
    names = vocabulary.names(given), vocabulary.names(wanted)
    return f"this {kind.value} event begins with {names[0]}; {stands}, it begins with {names[1]}"
