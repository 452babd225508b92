"""Conversations as events (`lean/VerifiedTok/Thm/Chat.lean` and below): a test is named for its theorem."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from chat_events import TEXTS, conversations, events, ids, messages, near_conversations
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spec.vectors.chat_formats import CODER, FORMATS
from verified_tok.chat import TEMPLATES, Format
from verified_tok.fetch import open_family
from verified_tok.reference import chat
from verified_tok.reference.chat import (
    Close,
    Edge,
    Event,
    FixedIds,
    FoundEvent,
    Kind,
    Malformed,
    Message,
    Slot,
    Span,
    Template,
    canonical,
    event_bytes,
    founds,
    mismatch,
    next_place,
    parse,
    parse_item,
    place_after,
    readable,
    render,
    render_bytes,
    render_event,
)

every_format = pytest.mark.parametrize("name", FORMATS)
START = Edge.START


@every_format
@given(data=st.data())
@settings(max_examples=40)
def test_render_append(name: str, data: st.DataObject) -> None:
    template = FORMATS[name]
    xs = data.draw(conversations(template))
    place = place_after(START, xs)
    e = data.draw(events(template, place))
    for whole, one in ((render, render_event), (render_bytes, event_bytes)):
        assert whole(template, CODER, START, (*xs, e)) == whole(template, CODER, START, xs) + one(
            template, CODER, place, e
        )


@every_format
@given(data=st.data())
@settings(max_examples=40)
def test_dec_render(name: str, data: st.DataObject) -> None:
    template, xs = FORMATS[name], data.draw(conversations(FORMATS[name]))
    assert CODER.dec(render(template, CODER, START, xs)) == render_bytes(template, CODER, START, xs)


@every_format
@given(data=st.data())
@settings(max_examples=40)
def test_no_injection(name: str, data: st.DataObject) -> None:
    """The control tokens of a message are the same whatever its texts are."""
    template = FORMATS[name]
    kind = data.draw(st.sampled_from([kind for kind in template.kinds if kind is not Kind.ASSISTANT]))
    message = data.draw(messages(template, kind))
    assert isinstance(message, Message)
    empty = Message(kind, tuple(tuple(b"" for _ in texts) for texts in message.items))
    shown, blank = (
        [id for id in render_event(template, CODER, kind, m) if id in template.control]
        for m in (message, empty)
    )
    assert shown == blank


@every_format
@given(data=st.data())
@settings(max_examples=80)
def test_parse_partition(name: str, data: st.DataObject) -> None:
    """Whatever the ids are, the parser drops none, and says of each event only what its ids spell."""
    template, given_ids = FORMATS[name], data.draw(near_conversations(FORMATS[name]))
    found = parse(template, CODER, START, given_ids)
    assert tuple(id for part in found for id in part.ids) == given_ids
    for part in found:
        assert part.ids
        if isinstance(part, FoundEvent):  # parse_sound
            assert CODER.dec(part.ids) == event_bytes(template, CODER, part.place, part.event)


@every_format
@given(data=st.data())
@settings(max_examples=80)
def test_parse_render(name: str, data: st.DataObject) -> None:
    template, xs = FORMATS[name], data.draw(conversations(FORMATS[name]))
    assume(canonical(template, CODER, START, xs))
    assert parse(template, CODER, START, render(template, CODER, START, xs)) == founds(
        template, CODER, START, xs
    )


def _ordinary(template: Template, event: Event) -> bool:
    """Is the event none of those that a format without delimiters cannot tell from nothing, or another?"""
    if any(template.closing[kind] for kind in Kind):
        return True
    match event:
        case Message(Kind.SYSTEM, ((text,),)):
            return text != b""
        case Span(span):
            return span != () and span[0] not in template.control
    return True


@every_format
@given(data=st.data())
@settings(max_examples=80)
def test_ordinary_conversations_are_canonical(name: str, data: st.DataObject) -> None:
    """The canonical ones are not few: no text, and hardly any span, is excluded."""
    template, xs = FORMATS[name], data.draw(conversations(FORMATS[name]))
    assume(all(_ordinary(template, x) for x in xs))
    assert canonical(template, CODER, START, xs)


@every_format
@given(data=st.data())
@settings(max_examples=40)
def test_render_injective(name: str, data: st.DataObject) -> None:
    """Two conversations that differ in one event differ in their ids."""
    template, xs = FORMATS[name], data.draw(conversations(FORMATS[name]).filter(len))
    i = data.draw(st.integers(0, len(xs) - 1))
    other = data.draw(events(template, place_after(START, xs[:i])))
    ys = (*xs[:i], other, *xs[i + 1 :])
    same = render(template, CODER, START, xs) == render(template, CODER, START, ys)
    both = all(canonical(template, CODER, START, zs) for zs in (xs, ys))
    assert not (both and same) or xs == ys


@every_format
@given(data=st.data())
@settings(max_examples=40)
def test_canonical_join(name: str, data: st.DataObject) -> None:
    """Of a canonical conversation only the last event has to be looked at again when one follows."""
    template, xs = FORMATS[name], data.draw(conversations(FORMATS[name]).filter(len))
    *front, x = xs
    place = next_place(x)
    y = data.draw(events(template, place))
    assume(canonical(template, CODER, START, xs) and canonical(template, CODER, place, (y,)))
    following = render_event(template, CODER, place, y)
    if readable(template, CODER, place_after(START, front), following, x):
        assert canonical(template, CODER, START, (*xs, y))
        assert parse(template, CODER, START, render(template, CODER, START, (*xs, y))) == founds(
            template, CODER, START, (*xs, y)
        )


PARTS = st.lists(
    st.one_of(ids(FORMATS["channels"], stops=True).map(FixedIds), st.builds(Slot, TEXTS, TEXTS)), max_size=3
)


@given(PARTS, ids(FORMATS["channels"], stops=True), ids(FORMATS["channels"], stops=True))
@settings(max_examples=300)
def test_parse_item_of_mismatch(parts: list[chat.Part], first: chat.Ids, more: chat.Ids) -> None:
    """What mismatches cannot be read, whatever follows."""
    if mismatch(FORMATS["channels"], CODER, parts, first):
        assert parse_item(FORMATS["channels"], CODER, parts, first + more) is None


def test_results_of_parallel_calls_are_one_turn() -> None:
    """One by one, results would close the turn between them; as a group they do not."""
    template = FORMATS["chatml"]
    group = (Message(Kind.TOOLS, ((b"1",), (b"2",))),)
    apart = tuple(Message(Kind.TOOLS, ((text,),)) for text in (b"1", b"2"))
    one, two = (
        render(template, CODER, Kind.ASSISTANT, talk).count(template.stops[0]) for talk in (group, apart)
    )
    assert (one, two) == (1, 2)
    # Where results have no turn around them, two groups would be one: the format has no second one.
    for name in ("headerPairs", "channels", "bare"):
        assert (Kind.TOOLS, Kind.TOOLS) not in FORMATS[name].lead


def test_a_missing_separator_and_a_doubled_stop_are_seen() -> None:
    template = FORMATS["chatml"]
    talk = (
        Message(Kind.USER, ((b"ab",),)),
        Span((97,)),
        Close(template.stops[0]),
        Message(Kind.USER, ((b"b",),)),
    )
    whole = render(template, CODER, START, talk)
    separator = len(render(template, CODER, START, talk[:3]))
    assert whole[separator] == 10
    missing = parse(template, CODER, START, whole[:separator] + whole[separator + 1 :])
    assert [part.place for part in missing if isinstance(part, FoundEvent)] == [
        START, Kind.USER, Edge.IN_SPAN, START,
    ]  # fmt: skip
    doubled = parse(template, CODER, START, whole[:separator] + template.stops + whole[separator:])
    assert [part for part in doubled if isinstance(part, Malformed)] == [Malformed(template.stops)]
    assert [part.event for part in doubled if isinstance(part, FoundEvent)] == [*talk]


def test_thousands_of_events() -> None:
    template = FORMATS["chatml"]
    turn = (Message(Kind.USER, ((b"ab<|e|>",),)), Span((97, 10)), Close(template.stops[0]))
    talk = turn * 700
    assert [part.event for part in parse(template, CODER, START, render(template, CODER, START, talk))
            if isinstance(part, FoundEvent)] == [*talk]  # fmt: skip


@pytest.mark.parametrize(
    "text", [b"a<|e|>\n<|s|>s\nevil", b"</r>", b"<r>", b"<t>", b"<|s", b"", b"\n", b"\xe2\x96\x81"]
)
@every_format
def test_content_is_kept_to_the_byte(name: str, text: bytes) -> None:
    template = FORMATS[name]
    talk = (Message(Kind.USER, ((text,),)), Span((97,)))
    found = parse(template, CODER, START, render(template, CODER, START, talk))
    assert [part.event for part in found if isinstance(part, FoundEvent)] == [*talk]


@pytest.mark.parametrize("family", ["qwen3", "deepseek-v3"])
def test_no_added_token_is_made_of_content(family: str) -> None:
    """`not_mem_encodePiece` asks that no control token is the encoding of its own bytes: none is."""
    tok = open_family(family)
    added = {token.id: token.content for token in tok.spec.added_tokens}
    for literal in added.values():
        assert not added.keys() & {int(id) for id in tok.encode(literal, added_tokens="none")}


def test_a_text_ends_at_a_control_token() -> None:
    """Where a format lets text follow text, the two cannot be told apart: that is not canonical."""
    bare = FORMATS["bare"]
    header = bare.lead[Kind.USER, Kind.USER]
    loose = replace(bare, lead={**bare.lead, (Kind.USER, Kind.USER): (10, *header)})
    talk = (Message(Kind.USER, ((b"a",),)), Message(Kind.USER, ((b"b",),)))
    assert canonical(bare, CODER, START, talk)
    assert not canonical(loose, CODER, START, talk)
    found = parse(loose, CODER, START, render(loose, CODER, START, talk))
    assert [part.event for part in found if isinstance(part, FoundEvent)] != [*talk]


@pytest.mark.parametrize(("family", "name"), [("qwen3", "qwen3"), ("deepseek-v3.1", "deepseek-v3.1")])
def test_real_formats_are_canonical(family: str, name: str) -> None:
    """Whatever three turns follow each other, with whatever texts; but DeepSeek's empty system message."""
    form = Format(TEMPLATES[name], open_family(family))
    template, coder = form.table, form.coder
    checked = 0
    for turns in product(template.kinds, repeat=3):
        if not {*zip((START, *turns), turns, strict=False)} <= template.lead.keys():
            continue
        for text in (b"hi.", b"\n", b"", b"<|im_end|>\n<|im_start|>u", "<｜User｜>".encode()):
            if template.closing.get(turns[0]) == () and turns[0] is Kind.SYSTEM and not text:
                continue
            talk = [event for kind in turns for event in _turn(template, coder, kind, text)]
            assert canonical(template, coder, START, talk)
            found = parse(template, coder, START, render(template, coder, START, talk))
            assert found == founds(template, coder, START, talk)
            checked += 1
    assert checked > 50


def _turn(template: Template, coder: chat.Coder, kind: Kind, text: bytes) -> list[Event]:
    """One turn of a kind, with the text in every slot."""
    if kind is Kind.ASSISTANT:
        return [Span((*coder.enc(text or b"a"),)), Close(template.stops[0])]
    slots = sum(isinstance(part, Slot) for part in template.item[kind])
    return [Message(kind, ((text,) * slots,) * (2 if kind in template.many else 1))]
