"""Conversations: every operation against the delta tokenizer of the reference, and what must never happen."""

from __future__ import annotations

import json
import math
import pickle
import time
from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from typing import Any, ClassVar
from unittest import TestCase

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from small_chat import FORMATS, TEXTS, form, tokenizer

import verified_tok as vt
from verified_tok import chat
from verified_tok.chat.message import Assistant, System, ToolResult, User, check_message
from verified_tok.conversation import PROVENANCE
from verified_tok.errors import (
    InvalidConversationFile,
    InvalidMessage,
    InvalidOperation,
    InvalidRange,
    InvalidTemplate,
    InvalidTokenId,
    VerifiedTokError,
)
from verified_tok.reference import chat as reference
from verified_tok.reference import delta
from verified_tok.reference.chat import Close, Edge, Event, FoundEvent, Kind, Malformed, Span
from verified_tok.reference.delta import Add, Delta, Extend, Op, Splice

Messages = list[dict[str, Any]]

# --- strategies --------------------------------------------------------------------------------------

ARGUMENTS = st.dictionaries(
    st.sampled_from(["a", "b"]), st.one_of(TEXTS, st.integers(0, 9), st.none()), max_size=2
)
CALLS = st.builds(
    lambda name, arguments: {"type": "function", "function": {"name": name, "arguments": arguments}},
    st.sampled_from(["f", "run_2"]),
    st.one_of(ARGUMENTS, ARGUMENTS.map(lambda value: json.dumps(value, separators=(",", ":")))),
)
SAID = st.one_of(
    st.builds(lambda role, text: {"role": role, "content": text}, st.sampled_from(["system", "user"]), TEXTS),
    st.lists(
        st.builds(lambda text: {"role": "tool", "content": text, "name": "f"}, TEXTS), min_size=1, max_size=3
    ),
)
REPLIES = st.fixed_dictionaries(
    {"role": st.just("assistant"), "content": TEXTS},
    optional={"reasoning_content": TEXTS, "tool_calls": st.lists(CALLS, max_size=2)},
)
TURNS = st.one_of(SAID, REPLIES).map(lambda one: one if isinstance(one, list) else [one])


def sampled_ids(format: chat.Format) -> st.SearchStrategy[list[int]]:
    """Ids that a model may give: any at all, what it was trained to give, its turn's end."""
    known = [token for token in range(400) if token < 260 or token in format.added]
    some = st.lists(st.sampled_from([i for i in known if i not in format.stops]), max_size=5)
    trained = REPLIES.map(lambda reply: _reply_ids(format, reply))
    ended = st.tuples(some, st.sampled_from(format.stops)).map(lambda t: [*t[0], t[1]])
    lead = list(format.table.lead.get((Kind.ASSISTANT, Kind.ASSISTANT), ()))
    several = st.tuples(ended, ended, some).map(lambda spans: [*spans[0], *lead, *spans[1], *lead, *spans[2]])
    return st.one_of(some, trained, ended, several)


def _reply_ids(format: chat.Format, reply: dict[str, Any]) -> list[int]:
    message = check_message(reply)
    assert isinstance(message, Assistant)
    try:
        parts = format.reply(message, Kind.USER)
    except InvalidMessage:
        return []
    lead = format.lead(Kind.ASSISTANT, Kind.ASSISTANT) if len(parts) > 1 else ()
    ids = [id for span, stop in parts for id in (*lead, *span, stop)]
    return ids[len(lead) :]


# --- the state machine -------------------------------------------------------------------------------


class Conversations(RuleBasedStateMachine):
    """A conversation beside the delta tokenizer of the reference, which renders whole events."""

    names: ClassVar[tuple[str, ...]]

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.format = form(data.draw(st.sampled_from(self.names)))
        self.table, self.coder = self.format.table, self.format.coder
        self.ours = vt.Conversation(tokenizer(), self.format)
        self.theirs: Delta[float] = Delta()
        self.turns: list[int] = []
        self.forked: list[tuple[vt.Conversation, list[int], Messages]] = []
        self.before: list[int] = []

    # what the reference does for each operation

    def step(self, op: Op[float]) -> None:
        after = delta.step(self.table, self.coder, self.theirs, op)
        assert after is not None, f"the reference refuses {op}"
        self.theirs = after

    def given_turn(self, messages: Messages, place: reference.Place) -> list[Event]:
        checked = [check_message(message) for message in messages]
        first = checked[0]
        if isinstance(first, Assistant):
            parts = self.format.reply(first, place)
            return [event for span, stop in parts for event in (Span(span), Close(stop))]
        if isinstance(first, ToolResult):
            return [self.format.event(tuple(one for one in checked if isinstance(one, ToolResult)))]
        assert isinstance(first, System | User)
        return [self.format.event(first)]

    def put(self, events: Sequence[Event]) -> None:
        for event in events:
            self.step(Add(event))
        self.turns.append(len(events))

    @property
    def is_open(self) -> bool:
        return self.theirs.place is Edge.IN_SPAN

    def is_silent(self) -> bool:
        last = self.theirs.events[-1]
        return isinstance(last, Span) and not last.ids and self.turns[-1] == 1

    def drop_last(self) -> None:
        self.turns.pop()
        self.step(Splice(len(self.theirs.events) - 1, len(self.theirs.events), ()))

    def attempt(self, operation: Callable[[], None]) -> bool:
        """Whether an operation succeeds; one that does not changes nothing."""
        self.before = self.ours.ids.tolist()
        state = self.ours.ids.tolist(), self.ours.events, self.ours.turns, self.ours.loss_mask.tolist()
        try:
            operation()
        except VerifiedTokError:
            assert state == (
                self.ours.ids.tolist(),
                self.ours.events,
                self.ours.turns,
                self.ours.loss_mask.tolist(),
            )
            return False
        return True

    # operations

    @rule(messages=TURNS)
    def add(self, messages: Messages) -> None:
        if not self.attempt(lambda: self.ours.add(messages)):
            return
        if self.is_open:
            silent = self.is_silent()
            nothing = silent and not reference.lead_of(
                self.table, self.place_of_last(), self.theirs.events[-1]
            )
            if (silent and messages[0]["role"] == "assistant") or nothing:
                self.drop_last()
            else:
                self.step(Add(Close(self.format.stops[0])))
                self.turns[-1] += 1
        self.put(self.given_turn(messages, self.theirs.place))
        assert self.ours.ids.tolist()[: len(self.before)] == self.before

    def place_of_last(self) -> reference.Place:
        return reference.place_after(Edge.START, self.theirs.events[:-1])

    @rule()
    def generation_prompt(self) -> None:
        if not self.attempt(self.ours.generation_prompt):
            return
        if not self.is_open:
            self.put([Span(())])
        assert self.ours.ids.tolist()[: len(self.before)] == self.before

    @rule(data=st.data(), logprobs=st.booleans())
    def extend(self, data: st.DataObject, logprobs: bool) -> None:
        if not self.is_open:
            self.generation_prompt()
        ids = data.draw(sampled_ids(self.format))
        lead = self.format.table.lead.get((Kind.ASSISTANT, Kind.ASSISTANT), ())
        events, rest = _spans_of(ids, self.format.stops, lead)
        if rest or not self.is_open:  # malformed: another test
            return
        marks = [-0.5 - place for place in range(len(ids))]
        cuts = sorted(data.draw(st.lists(st.integers(0, len(ids)), max_size=2)))
        for start, stop in zip([0, *cuts], [*cuts, len(ids)], strict=True):
            assert self.attempt(
                lambda start=start, stop=stop: self.ours.extend_sampled(
                    ids[start:stop], marks[start:stop] if logprobs else None
                )
            )
            assert self.ours.ids.tolist()[: len(self.before)] == self.before
        at = 0
        for place, event in enumerate(events):
            if isinstance(event, Close):
                self.step(Add(event, marks[at]))
                at += 1
                self.turns[-1] += 1
                continue
            if place:
                self.step(Add(Span(()), marks[at]))
                at += len(lead)
                self.turns[-1] += 1
            assert isinstance(event, Span)
            self.step(Extend(event.ids, tuple(marks[at : at + len(event.ids)])))
            at += len(event.ids)
        if logprobs and ids:
            assert self.ours.logprobs[-len(ids) :].tolist() == marks

    @rule()
    def close(self) -> None:
        if not self.attempt(self.ours.close) or not self.is_open:
            return
        silent = self.is_silent()
        if silent and not reference.lead_of(self.table, self.place_of_last(), self.theirs.events[-1]):
            self.drop_last()
            return
        self.step(Add(Close(self.format.stops[0])))
        self.turns[-1] += 1

    @rule(data=st.data(), messages=TURNS)
    def insert(self, data: st.DataObject, messages: Messages) -> None:
        at = data.draw(st.integers(0, len(self.turns)))
        if at == len(self.turns):
            self.add(messages)
        elif self.attempt(lambda: self.ours.insert(at, messages)):
            self.splice(at, at, messages)
            assert _is_subsequence(self.before, self.ours.ids.tolist())

    @rule(data=st.data(), messages=TURNS)
    def replace(self, data: st.DataObject, messages: Messages) -> None:
        if self.turns:
            at = data.draw(st.integers(0, len(self.turns) - 1))
            if self.attempt(lambda: self.ours.replace(at, messages)):
                self.splice(at, at + 1, messages)

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        if self.turns:
            at = data.draw(st.integers(0, len(self.turns) - 1))
            if self.attempt(lambda: self.ours.delete(at)):
                self.splice(at, at + 1, [])
                assert _is_subsequence(self.ours.ids.tolist(), self.before)

    @rule(data=st.data())
    def truncate(self, data: st.DataObject) -> None:
        length = data.draw(st.integers(max(0, len(self.turns) - 2), len(self.turns)))
        assert self.attempt(lambda: self.ours.truncate(length))
        self.splice(length, len(self.turns), [])
        assert self.before[: len(self.ours.ids)] == self.ours.ids.tolist()

    def splice(self, start: int, stop: int, messages: Messages) -> None:
        first, last = sum(self.turns[:start]), sum(self.turns[:stop])
        place = reference.place_after(Edge.START, self.theirs.events[:first])
        new = self.given_turn(messages, place) if messages else []
        self.step(Splice(first, last, tuple(new)))
        self.turns[start:stop] = [len(new)] if messages else []

    @rule(swap=st.booleans())
    def fork(self, swap: bool) -> None:
        other = self.ours.fork()
        if swap:
            self.ours, other = other, self.ours
        self.forked = [*self.forked[-2:], (other, other.ids.tolist(), other.messages)]

    @rule()
    def write_and_read(self) -> None:
        again = vt.Conversation.from_json(tokenizer(), self.ours.to_json())
        assert again.ids.tolist() == self.ours.ids.tolist()
        assert again.messages == self.ours.messages
        assert again.events == self.ours.events
        assert np.array_equal(again.provenance["logprob"], self.ours.provenance["logprob"], equal_nan=True)
        self.ours = again

    # what always holds

    @invariant()
    def agrees_with_the_reference(self) -> None:
        assert self.ours.ids.tolist() == list(self.theirs.ids)
        assert self.ours.bytes == self.theirs.bytes
        assert self.ours.loss_mask.tolist() == [mark is not None for mark in self.theirs.marks]
        assert delta.valid(self.table, self.coder, self.theirs)
        assert len(self.ours) == len(self.turns)

    @invariant()
    def is_read_back(self) -> None:
        events = self.theirs.events
        found = [f for f in reference.founds(self.table, self.coder, Edge.START, events) if f.ids]
        assert self.ours.events == found
        parsed = self.format.parse(self.ours.ids)
        assert parsed == reference.parse(self.table, self.coder, Edge.START, self.ours.ids.tolist())
        if reference.canonical(self.table, self.coder, Edge.START, events):
            assert parsed == found

    @invariant()
    def provenance_names_the_event_of_each_id(self) -> None:
        provenance = self.ours.provenance
        owners = delta.owners(self.table, self.coder, Edge.START, self.theirs.events)
        assert provenance["event"].tolist() == owners
        turn_of = [turn for turn, size in enumerate(self.turns) for _ in range(size)]
        assert provenance["turn"].tolist() == [turn_of[event] for event in owners]
        offsets = self.ours.turn_offsets
        assert np.repeat(np.arange(len(self.turns)), np.diff(offsets)).tolist() == provenance["turn"].tolist()

    @invariant()
    def forks_are_independent(self) -> None:
        for fork, ids, messages in self.forked:
            assert fork.ids.tolist() == ids
            assert fork.messages == messages


def _spans_of(ids: Sequence[int], stops: Sequence[int], lead: Sequence[int]) -> tuple[list[Event], list[int]]:
    """Sampled ids as events of an open turn, and what is left of them."""
    events: list[Event] = []
    rest = list(ids)
    while True:
        stop = next((place for place, id in enumerate(rest) if id in stops), len(rest))
        events.append(Span(tuple(rest[:stop])))
        if stop == len(rest):
            return events, []
        events.append(Close(rest[stop]))
        rest = rest[stop + 1 :]
        if not lead or rest[: len(lead)] != list(lead):
            return events, rest
        rest = rest[len(lead) :]


def _is_subsequence(short: Sequence[int], long: Sequence[int]) -> bool:
    rest = iter(long)
    return all(any(id == other for other in rest) for id in short)


STATEFUL = settings(max_examples=20, stateful_step_count=20, suppress_health_check=list(HealthCheck))


def machine(*names: str) -> type[TestCase]:
    """The state machine on some formats."""
    case = type("Conversations", (Conversations,), {"names": names}).TestCase
    case.settings = STATEFUL
    return case  # type: ignore[no-any-return]


TestChatML = machine("chatml", "qwen3-instruct-2507")
TestQwen3 = machine("qwen3", "qwen3-no-thinking", "qwen3-thinking-2507")
TestLlama = machine("llama3.1")
TestHarmony = machine("harmony")
TestDeepSeek = machine("deepseek-v3.1", "deepseek-v3.1-thinking")


# --- sampling ----------------------------------------------------------------------------------------


def conversation(name: str = "qwen3-instruct-2507") -> vt.Conversation:
    """A question, and the assistant's turn open."""
    asked = vt.Conversation(tokenizer(), form(name))
    asked.add({"role": "user", "content": "x"})
    asked.generation_prompt()
    return asked


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_what_is_sampled_behind_the_end_is_kept():
    ours = conversation()
    start = len(ours.ids)
    stop = ours.format.stops[0]
    sampled = [104, 105, stop, 106, *ours.format.lead(Kind.ASSISTANT, Kind.ASSISTANT)[:2], 107, 107]
    whole = ours.fork()
    whole.extend_sampled(sampled)
    for id in sampled:
        ours.extend_sampled([id])
    for one in (ours, whole):
        assert one.ids[start:].tolist() == sampled
        assert one.events[1:] == [
            FoundEvent(Kind.USER, Span((104, 105)), (*one.format.lead(Kind.USER, Kind.ASSISTANT), 104, 105)),
            FoundEvent(Edge.IN_SPAN, Close(stop), (stop,)),
            Malformed(tuple(sampled[3:])),
        ]
        assert one.loss_mask[start:].all()
        assert not one.is_open
        assert one.messages[-1]["content"].startswith("hij")
        one.add(user("y"))
        assert one.events[-1] == one.format.parse(one.ids)[-1]
        again = vt.Conversation.from_json(tokenizer(), one.to_json())
        assert again.events == one.events


def test_a_turn_may_go_on_behind_its_end():
    """As harmony's channels do; in any format, if the model writes what opens the next span."""
    ours = conversation()
    lead = ours.format.lead(Kind.ASSISTANT, Kind.ASSISTANT)
    sampled = [104, ours.format.stops[0], *lead, 105]
    for id in sampled:
        ours.extend_sampled([id])
    assert ours.is_open
    assert ours.events == ours.format.parse(ours.ids)
    assert [type(found.event) for found in ours.events if isinstance(found, FoundEvent)][1:] == [
        Span,
        Close,
        Span,
    ]


CALL = {"type": "function", "function": {"name": "f", "arguments": {}}}
CALLING = {"role": "assistant", "content": "", "tool_calls": [CALL]}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("said", [CALLING, None])
def test_what_a_turn_says_does_not_depend_on_when_it_was_read(name, said):
    """Call ids have the turn's number; an empty turn may be closed and lose what begins a conversation."""
    read, unread = vt.Conversation(tokenizer(), form(name)), vt.Conversation(tokenizer(), form(name))
    for ours in (read, unread):
        if (Edge.START, Kind.ASSISTANT) not in form(name).table.lead:
            ours.add(user("x"))
        ours.generation_prompt()
        ours.extend_sampled(_reply_ids(form(name), said) if said else [])
        if ours is read:
            ours.messages  # noqa: B018
        ours.close()
        ours.insert(0, user("y"))
    assert read.messages == unread.messages
    assert vt.Conversation.from_json(tokenizer(), read.to_json()).messages == read.messages


def test_logprobs_stand_beside_their_ids():
    ours = conversation()
    start = len(ours.ids)
    ours.extend_sampled(np.array([104, 105]), np.array([-1.0, -2.0]))
    ours.extend_sampled([104], [None])
    ours.extend_sampled([104, 105], [float("-inf"), 0])
    assert np.isnan(ours.logprobs[:start]).all()
    assert ours.logprobs[start:].tolist()[:2] == [-1.0, -2.0]
    assert math.isnan(ours.logprobs[start + 2])
    again = vt.Conversation.from_json(tokenizer(), ours.to_json())
    assert np.array_equal(again.logprobs, ours.logprobs, equal_nan=True)


def test_arrays():
    ours = conversation()
    ours.extend_sampled([104])
    ours.add(user("y"))
    size = len(ours.ids)
    for array, dtype in (
        (ours.ids, np.uint32),
        (ours.loss_mask, np.bool_),
        (ours.assistant_mask, np.bool_),
        (ours.logprobs, np.float64),
        (ours.provenance, PROVENANCE),
    ):
        assert array.dtype == dtype
        assert array.shape == (size,)
    with pytest.raises(ValueError, match="read-only"):
        ours.ids[0] = 1
    assert ours.provenance[["role", "sampled"]][-1].tolist() == ("user", False)
    assert ours.text.encode() == ours.bytes == tokenizer().decode_bytes(ours.ids)
    empty = vt.Conversation(tokenizer(), "chatml")
    assert empty.ids.shape == empty.provenance.shape == empty.assistant_mask.shape == (0,)
    assert (empty.bytes, empty.text, empty.messages, empty.events, empty.drift()) == (b"", "", [], [], [])


@pytest.mark.parametrize("again", [copy, deepcopy, lambda ours: pickle.loads(pickle.dumps(ours))])
def test_a_copy_is_a_fork(again):
    ours = conversation()
    ours.extend_sampled([104], [-0.5])
    before, messages, logprobs = ours.ids.tolist(), ours.messages, ours.logprobs.tolist()
    other = again(ours)
    ours.extend_sampled([105], [-0.25])
    assert (other.ids.tolist(), other.messages) == (before, messages)
    assert np.array_equal(other.logprobs, logprobs, equal_nan=True)
    other.extend_sampled([106])
    assert ours.ids.tolist() == [*before, 105]


def test_what_is_pickled_together_has_one_tokenizer():
    ours = conversation()
    one, two, tok = pickle.loads(pickle.dumps([ours, ours.fork(), ours.format.tokenizer]))
    assert one.format.tokenizer is two.format.tokenizer is tok
    assert tok.encode("hello").tolist() == tokenizer().encode("hello").tolist()
    assert deepcopy(ours).format is ours.format
    assert deepcopy(tok) is copy(tok) is tok


def test_the_array_for_the_engine_is_its_own():
    ours = conversation()
    prompt = ours.prompt_ids_for_engine()
    expected = prompt.tolist()
    ours.extend_sampled([104])
    ours.delete(0)
    assert prompt.tolist() == expected


# --- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "error", "match"),
    [
        (lambda c: c.extend_sampled([-1]), InvalidTokenId, "no token has this id"),
        (lambda c: c.extend_sampled([100_000]), InvalidTokenId, "no token has this id"),
        (lambda c: c.extend_sampled([1.5]), InvalidTokenId, "not an integer"),
        (lambda c: c.extend_sampled(3), InvalidTokenId, "sequence of integers"),
        (lambda c: c.extend_sampled("abc"), InvalidTokenId, "not an integer"),
        (
            lambda c: c.extend_sampled([104], [-1.0, -2.0]),
            InvalidOperation,
            "2 logprobs were given for 1 ids",
        ),
        (lambda c: c.extend_sampled([104], ["x"]), InvalidOperation, "must be numbers"),
        (lambda c: c.extend_sampled([104], [10**400]), InvalidOperation, "must be numbers"),
        (
            lambda c: (c.extend_sampled([104]), c.generation_prompt()),
            InvalidOperation,
            "open, with ids in it",
        ),
        (lambda c: (c.close(), c.extend_sampled([104])), InvalidOperation, "call generation_prompt first"),
        (lambda c: (c.close(), c.prompt_ids_for_engine()), InvalidOperation, "call generation_prompt first"),
        (lambda c: (c.add(user("y")), c.close()), InvalidOperation, "nothing to close"),
        (lambda c: c.close("<|im_start|>"), InvalidTemplate, "does not close a turn"),
        (lambda c: c.insert(3, user("y")), InvalidRange, "turn 3 is none of a conversation of 2 turns"),
        (lambda c: c.delete(-1), InvalidRange, "turn -1"),
        (lambda c: c.replace(2, user("y")), InvalidRange, "turn 2"),
        (lambda c: c.truncate(True), InvalidRange, "turn True"),
        (lambda c: c.delete("0"), InvalidRange, "turn '0'"),
        (lambda c: c.add("hi"), InvalidMessage, "a message is a mapping"),
        (lambda c: c.add([user("y"), 7]), InvalidMessage, "a message is a mapping"),
    ],
)
def test_refusals(operation, error, match):
    ours = conversation()
    with pytest.raises(error, match=match):
        operation(ours)


def test_edits_that_would_change_what_a_turn_is():
    """In DeepSeek's format, what opens the assistant's turn depends on what is before it."""
    ours = conversation("deepseek-v3.1")
    ours.extend_sampled([104, ours.format.stops[0]])
    before = ours.ids.tolist()
    with pytest.raises(InvalidOperation, match="writes it otherwise"):
        ours.insert(1, {"role": "tool", "content": "y"})
    with pytest.raises(InvalidOperation, match="cannot stand there"):
        ours.delete(0)
    assert ours.ids.tolist() == before
    ours.insert(0, {"role": "system", "content": "s"})
    assert [message["role"] for message in ours.messages] == ["system", "user", "assistant"]
    assert ours.events == ours.format.parse(ours.ids)


def test_tool_results_know_their_tool():
    ours = vt.Conversation(tokenizer(), form("harmony"))
    calls = [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]
    ours.add([user("x"), {"role": "assistant", "content": "", "tool_calls": calls}])
    other = ours.fork()
    ours.add({"role": "tool", "content": "y", "tool_call_id": "a"})
    assert "<|start|>functions.f to=assistant" in ours.text
    with pytest.raises(InvalidMessage, match="names 'g', but its call is one of 'f'"):
        other.add({"role": "tool", "content": "y", "tool_call_id": "a", "name": "g"})
    sampled = conversation("harmony")
    sampled.extend_sampled(
        tokenizer().encode(" to=functions.f<|channel|>commentary json<|message|>{}<|call|>")
    )
    id = sampled.messages[-1]["tool_calls"][0]["id"]
    sampled.add({"role": "tool", "content": "y", "tool_call_id": id})
    assert sampled.messages[-1] == {"role": "tool", "content": "y", "name": "f", "tool_call_id": id}


def test_a_turn_in_which_nothing_was_said_leaves_nothing():
    """Behind tool results DeepSeek's format opens the turn without a token."""
    ours = vt.Conversation(tokenizer(), form("deepseek-v3.1"))
    ours.add([user("x"), {"role": "tool", "content": "y"}])
    before = ours.ids.tolist()
    answer = {"role": "assistant", "content": "a"}
    for after in (vt.Conversation.close, lambda c: c.add(user("z")), lambda c: c.add(answer)):
        silent = ours.fork()
        silent.generation_prompt()
        assert silent.ids.tolist() == before
        assert silent.is_open
        after(silent)
        assert silent.ids.tolist()[: len(before)] == before
        assert silent.events == silent.format.parse(silent.ids)
        assert all(silent.turns)


# --- files -------------------------------------------------------------------------------------------


def saved() -> dict[str, Any]:
    ours = conversation()
    ours.extend_sampled([104], [-1.0])
    ours.add(user("y"))
    document: dict[str, Any] = json.loads(ours.to_json())
    return document


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda d: d.update(format="x"), "is no verified-tok conversation"),
        (lambda d: d.update(tokenizer="0" * 64), "was made with tokenizer 0000"),
        (lambda d: d.pop("template"), "damaged"),
        (lambda d: d["template"].update(user="{content}"), "template is damaged"),
        (lambda d: d["template"].update(strange=1), "template is damaged"),
        (lambda d: d["turns"][0]["messages"][0].update(content="z"), "gives other ids"),
        (lambda d: d["turns"][0]["messages"][0].update(role="z"), "role must be"),
        (lambda d: d["turns"][1].update(sampled=[105]), "gives other ids"),
        (lambda d: d["turns"][1].update(sampled=[-5]), "no token has this id"),
        (lambda d: d["turns"][1].update(logprobs=[1, 2]), "2 logprobs"),
        (lambda d: d["turns"][1].update(logprobs=[10**400]), "damaged"),
        (lambda d: d["turns"][1].update(sampled=None), "damaged"),
        (lambda d: d["turns"].append({}), "damaged"),
        (lambda d: d.update(turns=3), "damaged"),
        (lambda d: d.update(ids_sha256=""), "gives other ids"),
    ],
)
def test_damaged_files(change, match):
    document = saved()
    assert vt.Conversation.from_json(tokenizer(), json.dumps(document))
    change(document)
    with pytest.raises(InvalidConversationFile, match=match):
        vt.Conversation.from_json(tokenizer(), json.dumps(document))


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '"x"', "null", "[" * 100_000])
def test_files_of_something_else(text):
    with pytest.raises(InvalidConversationFile):
        vt.Conversation.from_json(tokenizer(), text)


def test_a_reply_behind_sampled_spans_keeps_them():
    """A sampled generation prompt leaves an empty span; the turn has said something all the same."""
    ours = vt.Conversation(tokenizer(), form("chatml"))
    ours.add(user("u"))
    ours.generation_prompt()
    prompt = ours.format.table.lead[Kind.ASSISTANT, Kind.ASSISTANT]
    ours.extend_sampled([104, ours.format.stops[0], *prompt], [-1.0] * (2 + len(prompt)))
    before = ours.ids.tolist()
    ours.add({"role": "assistant", "content": "given"})
    assert ours.ids[: len(before)].tolist() == before
    assert [message["content"] for message in ours.messages] == ["u", "h", "given"]
    assert ours.loss_mask.sum() == 2 + len(prompt)


def test_a_sampled_call_keeps_its_id_wherever_it_stands():
    """So that results, which name it, still do."""
    ours = vt.Conversation(tokenizer(), form("harmony"))
    call = tokenizer().encode(" to=functions.f<|channel|>commentary json<|message|>{}<|call|>")
    for _ in range(2):
        ours.add(user("u"))
        ours.generation_prompt()
        ours.extend_sampled(call)
        ours.add({"role": "tool", "content": "r", "tool_call_id": ours.messages[-1]["tool_calls"][0]["id"]})
    ours.insert(0, [user("before"), user("all")])
    ours.delete(2)
    ours = vt.Conversation.from_json(tokenizer(), ours.to_json())
    ours.replace(3, {"role": "tool", "content": "s", "tool_call_id": "call_1_0"})
    ours.add(user("v"))
    ours.generation_prompt()
    ours.extend_sampled(call)
    named = [one["tool_calls"][0]["id"] for one in ours.messages if "tool_calls" in one]
    assert named == ["call_1_0", "call_4_0", "call_8_0"]
    assert [one["tool_call_id"] for one in ours.messages if one["role"] == "tool"] == named[:2]


# --- size --------------------------------------------------------------------------------------------


def test_operations_cost_what_they_add():
    """The last of thousands of rounds cost about as much as the first ones."""
    ours = vt.Conversation(tokenizer(), form("qwen3-instruct-2507"))
    call = tokenizer().encode('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>').tolist()
    rounds, costs = 1_000, []
    for _ in range(rounds):
        start = time.process_time()
        ours.add(
            [user("hello")] if not len(ours) else [{"role": "tool", "content": "{}", "tool_call_id": "x"}]
        )
        ours.generation_prompt()
        for id in call:
            ours.extend_sampled([id], [-1.0])
        costs.append(time.process_time() - start)
    assert len(ours.messages) == 2 * rounds
    assert np.median(costs[-200:]) < 3 * np.median(costs[:200])
    start = time.process_time()
    parsed = ours.format.parse(ours.ids)
    assert time.process_time() - start < 50 * rounds * np.median(costs)
    assert parsed == ours.events
    assert vt.Conversation.from_json(tokenizer(), ours.to_json()).ids.tolist() == ours.ids.tolist()
    ours.insert(1, {"role": "system", "content": "new"})
    ours.delete(3)
    assert ours.events == ours.format.parse(ours.ids)


@settings(max_examples=150)
@given(
    ids=st.lists(st.integers(0, 330).filter(lambda id: id < 269 or id >= 300), max_size=30), data=st.data()
)
def test_any_ids_are_parsed_as_the_reference_parses_them(ids, data):
    """And none is lost."""
    format = form(data.draw(st.sampled_from(FORMATS)))
    leads = st.sampled_from([list(lead) for lead in format.table.lead.values()])
    for place in data.draw(st.lists(st.integers(0, len(ids)), max_size=3)):
        ids[place:place] = data.draw(leads)
    place = data.draw(st.sampled_from([*reference.ALL_PLACES, Edge.IN_SPAN]))
    found = format.parse(ids, place)
    assert found == reference.parse(format.table, format.coder, place, ids)
    assert [id for one in found for id in one.ids] == ids
