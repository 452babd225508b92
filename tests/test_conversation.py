"""Conversations: every operation against the delta tokenizer of the reference, and what must never happen."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
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

ARGUMENTS = st.dictionaries(st.sampled_from(["a", "b"]), st.one_of(TEXTS, st.integers(0, 9), st.none()), max_size=2)
CALLS = st.builds(
    lambda name, arguments: {"type": "function", "function": {"name": name, "arguments": arguments}},
    st.sampled_from(["f", "run_2"]),
    st.one_of(ARGUMENTS, ARGUMENTS.map(lambda value: json.dumps(value, separators=(",", ":")))),
)
SAID = st.one_of(
    st.builds(lambda role, text: {"role": role, "content": text}, st.sampled_from(["system", "user"]), TEXTS),
    st.lists(st.builds(lambda text: {"role": "tool", "content": text, "name": "f"}, TEXTS), min_size=1, max_size=3),
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
    return st.one_of(some, trained, st.tuples(some, st.sampled_from(format.stops)).map(lambda t: [*t[0], t[1]]))


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
            assert state == (self.ours.ids.tolist(), self.ours.events, self.ours.turns, self.ours.loss_mask.tolist())
            return False
        return True

    # operations

    @rule(messages=TURNS)
    def add(self, messages: Messages) -> None:
        if not self.attempt(lambda: self.ours.add(messages)):
            return
        if self.is_open:
            silent = self.is_silent()
            nothing = silent and not reference.lead_of(self.table, self.place_of_last(), self.theirs.events[-1])
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
                lambda start=start, stop=stop: self.ours.extend_sampled(ids[start:stop], marks[start:stop] if logprobs else None)
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


STATEFUL = settings(max_examples=30, stateful_step_count=20, suppress_health_check=list(HealthCheck))


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
