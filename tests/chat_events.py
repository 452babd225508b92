"""Conversations for the small formats of `spec.vectors.chat_formats`, with texts that look like control."""

from __future__ import annotations

from hypothesis import strategies as st

from spec.vectors.chat_formats import CODER, CONTROL
from verified_tok.reference.chat import (
    Close,
    Edge,
    Event,
    Ids,
    Kind,
    Message,
    Place,
    Slot,
    Span,
    Template,
    next_place,
    render,
)

TEXTS = st.lists(
    st.sampled_from(
        [
            *CONTROL.values(),
            b"",
            b"\n",
            b"\n\n",
            b".",
            b"ab",
            b"a",
            b"u",
            b"u\n",
            b"<|",
            b"|>",
            b"f.",
            b" t",
            b"\xe2\x96\x81",
        ]
    ),
    max_size=4,
).map(b"".join)
TEXT_IDS = [10, 32, 46, 60, 97, 98, 115, 117, 124, 256, 257, 258, 259, 260]


def ids(template: Template, stops: bool) -> st.SearchStrategy[Ids]:
    """Ids that nobody encoded: of text and of control tokens, with or without the format's stops."""
    control = sorted(id for id in template.control if stops or id not in template.stops)
    return st.lists(st.sampled_from([*TEXT_IDS, *control]), max_size=5).map(tuple)


def messages(template: Template, kind: Kind) -> st.SearchStrategy[Event]:
    """Messages of a kind."""
    slots = sum(isinstance(part, Slot) for part in template.item[kind])
    item = st.tuples(*[TEXTS] * slots)
    most = 3 if kind in template.many else 1
    return st.lists(item, min_size=1, max_size=most).map(lambda items: Message(kind, tuple(items)))


def events(template: Template, place: Place) -> st.SearchStrategy[Event]:
    """Events that may stand at a place."""
    if place is Edge.IN_SPAN:
        return st.sampled_from(template.stops).map(Close)
    kinds = [kind for kind in template.kinds if (place, kind) in template.lead]
    return st.one_of(
        ids(template, stops=False).map(Span) if kind is Kind.ASSISTANT else messages(template, kind)
        for kind in kinds
    )


@st.composite
def conversations(draw: st.DrawFn, template: Template, most: int = 7) -> tuple[Event, ...]:
    """Conversations whose events may stand where they do."""
    place: Place = Edge.START
    drawn: list[Event] = []
    for _ in range(draw(st.integers(0, most))):
        drawn.append(draw(events(template, place)))
        place = next_place(drawn[-1])
    return tuple(drawn)


@st.composite
def near_conversations(draw: st.DrawFn, template: Template) -> Ids:
    """Ids of conversations, of which some were lost, doubled or changed."""
    result = list(render(template, CODER, Edge.START, draw(conversations(template))))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(result)))
        stop = min(len(result), start + draw(st.integers(0, 2)))
        result[start:stop] = draw(ids(template, stops=True))
    return tuple(result)
