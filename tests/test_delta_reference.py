"""The delta tokenizer (`lean/VerifiedTok/Thm/Delta.lean` and below): a test is named for its theorem."""

from __future__ import annotations

import pytest
from chat_events import TEXTS, conversations, events, ids
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spec.vectors.chat_formats import CODER, FORMATS
from verified_tok.reference.chat import (
    Close,
    Edge,
    Event,
    FoundEvent,
    Ids,
    Kind,
    Message,
    Span,
    Template,
    canonical,
    founds,
    parse,
    place_after,
    render,
    render_event,
)
from verified_tok.reference.delta import (
    Add,
    Delta,
    Extend,
    Op,
    Splice,
    add,
    delete,
    extend,
    head_lead,
    insert,
    owners,
    replace,
    sampled,
    splice,
    step,
    steps,
    truncate,
    valid,
)

every_format = pytest.mark.parametrize("name", FORMATS)
START = Edge.START


def ops(template: Template, delta: Delta[float]) -> st.SearchStrategy[Op[float]]:
    """Operations, most of which are not refused."""
    mark = st.none() | st.floats(-9, 0)
    grows: st.SearchStrategy[Op[float]] = st.builds(Add, events(template, delta.place), mark)
    if delta.place is Edge.IN_SPAN:
        span = ids(template, stops=True)
        grows |= span.flatmap(
            lambda new: st.lists(mark, min_size=len(new), max_size=len(new)).map(
                lambda marks: Extend(new, tuple(marks))
            )
        )
    count = len(delta.events)
    places = st.tuples(st.integers(0, count), st.integers(0, count)).map(sorted)
    edits: st.SearchStrategy[Op[float]] = places.flatmap(
        lambda ij: conversations(template, most=2).map(lambda new: Splice(*ij, new))
    )
    return st.one_of(grows, grows, edits)


@st.composite
def reached(draw: st.DrawFn, template: Template) -> Delta[float]:
    """A state that operations lead to."""
    delta = Delta[float]()
    for _ in range(draw(st.integers(0, 8))):
        delta = step(template, CODER, delta, draw(ops(template, delta))) or delta
    return delta


@every_format
@given(data=st.data())
@settings(max_examples=30)
def test_delta_valid(name: str, data: st.DataObject) -> None:
    """After any operations the views agree, every id has its mark and its event, and the ids tell them."""
    template, delta = FORMATS[name], data.draw(reached(FORMATS[name]))
    assert valid(template, CODER, delta)
    assert len(owners(template, CODER, START, delta.events)) == len(delta.ids)
    found = parse(template, CODER, START, delta.ids)
    assert tuple(id for part in found for id in part.ids) == delta.ids  # delta_partition
    if canonical(template, CODER, START, delta.events):  # delta_parse
        assert found == founds(template, CODER, START, delta.events)


@every_format
@given(data=st.data())
@settings(max_examples=30)
def test_append_only(name: str, data: st.DataObject) -> None:
    """What only adds to the end changes nothing that is there, and keeps sampled ids as they are."""
    template, delta = FORMATS[name], data.draw(reached(FORMATS[name]))
    op = data.draw(ops(template, delta).filter(lambda op: not isinstance(op, Splice)))
    after = step(template, CODER, delta, op)
    assume(after is not None)
    assert after is not None
    assert after.ids[: len(delta.ids)] == delta.ids
    assert after.bytes[: len(delta.bytes)] == delta.bytes
    assert after.marks[: len(delta.marks)] == delta.marks
    new = op.ids if isinstance(op, Extend) else after.ids[len(delta.ids) :]
    marks = op.marks if isinstance(op, Extend) else (op.mark,) * len(new) if isinstance(op, Add) else ()
    assert after.ids == delta.ids + new
    assert sampled(after) == sampled(delta) + [
        (id, mark) for id, mark in zip(new, marks, strict=True) if mark is not None
    ]  # sampled_extend, sampled_add


@every_format
@given(data=st.data())
@settings(max_examples=30)
def test_splice_preserves(name: str, data: st.DataObject) -> None:
    """An edit keeps ids and marks before and behind it, but for the next event's lead, if that changes."""
    template, delta = FORMATS[name], data.draw(reached(FORMATS[name]))
    i, j = sorted(data.draw(st.tuples(*[st.integers(0, len(delta.events))] * 2)))
    new = data.draw(conversations(template, most=2))
    after = splice(template, CODER, delta, i, j, new)
    place = place_after(START, delta.events[:i])
    front = len(render(template, CODER, START, delta.events[:i]))
    old_lead, new_lead = (
        head_lead(template, place_after(place, part), delta.events[j:]) for part in (delta.events[i:j], new)
    )
    same = old_lead == new_lead
    stop = len(render(template, CODER, START, delta.events[:j])) + (0 if same else len(old_lead))
    inner = render(template, CODER, place, new) + (() if same else new_lead)
    assert after.ids == delta.ids[:front] + inner + delta.ids[stop:]
    assert after.marks == delta.marks[:front] + (None,) * len(inner) + delta.marks[stop:]
    assert after.ids == render(template, CODER, START, after.events)
    pairs = [*zip(delta.ids, delta.marks, strict=True)]
    kept = pairs[:front] + pairs[stop:]
    assert sampled(after) == [pair for pair in kept if pair[1] is not None]  # sampled_splice


@every_format
@given(data=st.data())
@settings(max_examples=30)
def test_insert_preserves(name: str, data: st.DataObject) -> None:
    """Where what is behind begins as before, inserting, deleting and replacing keep every other id."""
    template, delta = FORMATS[name], data.draw(reached(FORMATS[name]))
    i = data.draw(st.integers(0, len(delta.events)))
    place = place_after(START, delta.events[:i])
    event = data.draw(events(template, place))
    at = len(render(template, CODER, START, delta.events[:i]))
    own = render_event(template, CODER, place, event)
    after = insert(template, CODER, delta, i, event)
    assert after.events == (*delta.events[:i], event, *delta.events[i:])
    if _keeps_lead(template, delta, i, i, event):
        assert after.ids == delta.ids[:at] + own + delta.ids[at:]
        assert after.marks == delta.marks[:at] + (None,) * len(own) + delta.marks[at:]
        assert delete(template, CODER, after, i) == delta
    if i < len(delta.events) and _keeps_lead(template, delta, i, i + 1, event):
        stop = at + len(render_event(template, CODER, place, delta.events[i]))
        replaced = replace(template, CODER, delta, i, event)
        assert replaced.ids == delta.ids[:at] + own + delta.ids[stop:]
        assert replaced.marks == delta.marks[:at] + (None,) * len(own) + delta.marks[stop:]


def _keeps_lead(template: Template, delta: Delta[float], i: int, j: int, event: Event) -> bool:
    """Does what is behind `j` begin the same when it stands after `event`?"""
    back = delta.events[j:]
    before = head_lead(template, place_after(START, delta.events[:j]), back)
    return before == head_lead(template, place_after(START, (*delta.events[:i], event)), back)


@every_format
@given(data=st.data())
@settings(max_examples=20)
def test_truncate_preserves(name: str, data: st.DataObject) -> None:
    template, delta = FORMATS[name], data.draw(reached(FORMATS[name]))
    i = data.draw(st.integers(0, len(delta.events)))
    after = truncate(template, CODER, delta, i)
    n = len(after.ids)
    assert (after.ids, after.marks) == (delta.ids[:n], delta.marks[:n])
    assert after.events == delta.events[:i]
    assert valid(template, CODER, after)


@every_format
def test_what_the_format_has_not_is_refused(name: str) -> None:
    template = FORMATS[name]
    user = Message(Kind.USER, ((b"ab",),))
    empty = Delta[float]()
    opened = steps(template, CODER, empty, [Add(user), Add(Span(()))])
    assert opened is not None
    refused: list[tuple[Delta[float], Op[float]]] = [
        (empty, Add(Close(template.stops[0]))),
        (empty, Extend((97,), (0.0,))),
        (opened, Add(user)),
        (opened, Add(Span(()))),
        (opened, Extend((97,), ())),
        (opened, Splice(0, 3, ())),
        (opened, Splice(2, 1, ())),
        (opened, Splice(2, 2, (user,))),
    ]
    for delta, op in refused:
        assert step(template, CODER, delta, op) is None
    assert steps(template, CODER, empty, [Add(user), Extend((97,), (0.0,))]) is None


def test_ids_that_nobody_would_encode_stay() -> None:
    """`ab` sampled letter by letter keeps its two ids and their marks through everything that follows."""
    template = FORMATS["chatml"]
    user = Message(Kind.USER, ((b"ab",),))
    delta = steps(
        template,
        CODER,
        Delta[float](),
        [Add(user), Add(Span(())), Extend((97, 98), (-1.0, -2.0)), Add(Close(301), -3.0)],
    )
    assert delta is not None
    delta = insert(template, CODER, add(template, CODER, delta, user, None), 1, user)
    assert sampled(delta) == [(97, -1.0), (98, -2.0), (301, -3.0)]
    assert CODER.enc(b"ab") == (258,)
    assert 258 in delta.ids
    found = parse(template, CODER, START, delta.ids)
    assert [part.event for part in found if isinstance(part, FoundEvent)] == [
        user, user, Span((97, 98)), Close(301), user
    ]  # fmt: skip


def test_a_span_that_hides_another_turn_is_still_read_whole() -> None:
    """A model may sample anything; then the ids are read as what they are, and none is lost."""
    template = FORMATS["chatml"]
    hidden: Ids = (97, 301, 10, 300, *CODER.enc(b"u\n"), 98, 301)
    delta = steps(template, CODER, Delta[float](), [Add(Message(Kind.USER, ((b"a",),))), Add(Span(()))])
    assert delta is not None
    delta = extend(CODER, delta, hidden, [-1.0] * len(hidden))
    assert valid(template, CODER, delta)
    assert not canonical(template, CODER, START, delta.events)
    found = parse(template, CODER, START, delta.ids)
    assert [part.event for part in found if isinstance(part, FoundEvent)] == [
        Message(Kind.USER, ((b"a",),)), Span((97,)), Close(301), Message(Kind.USER, ((b"b",),))
    ]  # fmt: skip


@every_format
@given(text=TEXTS)
@settings(max_examples=20)
def test_bytes_are_what_the_ids_spell(name: str, text: bytes) -> None:
    template = FORMATS[name]
    delta = steps(template, CODER, Delta[float](), [Add(Message(Kind.USER, ((text,),)))])
    assert delta is not None
    assert text in delta.bytes
    assert CODER.dec(delta.ids) == delta.bytes
