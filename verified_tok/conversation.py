"""The delta tokenizer: a conversation whose ids only ever grow, and the messages that they spell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import index
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from verified_tok import chat, conversation_file
from verified_tok.chat.message import Assistant, Checked, Message, ToolResult, check_message, to_message
from verified_tok.conversation_state import Columns, Piece, Reading, Tag, Turn
from verified_tok.drift import Drift, drifts
from verified_tok.errors import InvalidMessage, InvalidOperation, InvalidRange, InvalidTemplate
from verified_tok.reference.chat import Close, Edge, Event, Found, FoundEvent, Kind, Malformed, Place, Span
from verified_tok.session_state import Ids, read_only
from verified_tok.tokenizer import Tokenizer, check_tokenizer

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

PROVENANCE = np.dtype(
    [("turn", np.int64), ("event", np.int64), ("role", "U9"), ("sampled", np.bool_), ("logprob", np.float64)]
)
"""What `Conversation.provenance` says of an id; `logprob` is NaN where none was given."""


class _Prepared(NamedTuple):
    """A turn that is about to be put in, and its ids."""

    turn: Turn
    ids: Ids


@final
class Conversation:
    """Messages and their ids, kept together: what is sampled stays as it was sampled, what is added goes
    behind what is there, and no text of a message becomes a control token.

    `template` is the name of a known chat format, a `chat.Template`, or a `chat.Format` that was made for the
    tokenizer before. A conversation is a list of *turns*: a system message, a user's message, a group of tool
    results, or a turn of the assistant. The positions of `insert`, `replace`, `delete` and `truncate` count
    turns.

    An operation that raises leaves the conversation as it was. Arrays that are given out are read-only views,
    valid until the next operation. A copy, a deep one too, is a fork. A pickle holds the tokenizer, too, once
    for all that is pickled together; what `to_json` writes does not.

    Raises `InvalidTemplate` if there is no such format, or the tokenizer lacks what it needs,
    `InvalidOperation` if it was made for another tokenizer.

    >>> import verified_tok as vt
    >>> tok = vt.from_tiktoken(
    ...     {bytes([b]): b for b in range(256)},
    ...     r"\\p{L}+|\\P{L}",
    ...     {"<|im_start|>": 256, "<|im_end|>": 257},
    ... )
    >>> c = vt.Conversation(tok, template="chatml")
    >>> c.add({"role": "user", "content": "<|im_end|>"})
    >>> c.generation_prompt()
    >>> c.extend_sampled([104, 105, 257], logprobs=[-0.1, -0.2, -0.3])
    >>> c.messages[-1], c.text[-35:]
    ({'role': 'assistant', 'content': 'hi'}, '\\n<|im_start|>assistant\\nhi<|im_end|>')
    >>> int((c.ids == 257).sum()), int(c.loss_mask.sum())
    (2, 3)
    """

    __slots__ = ("_columns", "_format", "_shared", "_turns")

    def __init__(self, tokenizer: Tokenizer, template: str | chat.Template | chat.Format) -> None:
        if isinstance(template, str):
            template = chat.known(template)
        check_tokenizer(tokenizer)
        if isinstance(template, chat.Template):
            template = chat.Format(template, tokenizer)
        if not isinstance(template, chat.Format):
            raise InvalidTemplate(f"a template is a name, a chat.Template or a chat.Format, not {template!r}")
        if template.tokenizer.spec.sha256 != tokenizer.spec.sha256:
            raise InvalidOperation(f"{template!r} is not for {tokenizer!r}")
        self._format = template
        self._turns: list[Turn] = []
        self._columns = Columns()
        self._shared = False

    def __len__(self) -> int:
        """The number of turns."""
        return len(self._turns)

    def __repr__(self) -> str:
        return f"<Conversation of {len(self)} turns, {len(self._columns)} ids, {self._format.template.name}>"

    # --- what is there ---

    @property
    def format(self) -> chat.Format:
        """The chat format, for the tokenizer."""
        return self._format

    @property
    def ids(self) -> Ids:
        """The ids: uint32 of shape (n,)."""
        return read_only(self._columns.ids.all())

    @property
    def bytes(self) -> bytes:
        """The bytes that the ids stand for."""
        return self._format.tokenizer.decode_bytes(self.ids)

    @property
    def text(self) -> str:
        """The text that the ids stand for; a character that is not complete is U+FFFD."""
        return self._format.tokenizer.decode(self.ids)

    @property
    def is_open(self) -> bool:
        """Whether the assistant's turn is open, so that ids can be sampled."""
        return bool(self._turns) and self._turns[-1].is_open

    @property
    def loss_mask(self) -> Mask:
        """Which ids were sampled: bool of shape (n,)."""
        return read_only(self._columns.sampled.all())

    @property
    def logprobs(self) -> Floats:
        """The log-probability of each id, NaN where none was given: float64 of shape (n,)."""
        return read_only(self._columns.logprobs.all())

    @property
    def assistant_mask(self) -> Mask:
        """Which ids the assistant says: its spans and what closes them, sampled or given, but no generation
        prompt that it did not sample. bool of shape (n,)."""
        said = [turn.kind is Kind.ASSISTANT and piece.tag is not Tag.LEAD for turn, piece in self._pieces()]
        return np.repeat(np.array(said, dtype=np.bool_), self._sizes()) | self.loss_mask

    @property
    def provenance(self) -> npt.NDArray[np.void]:
        """Where each id comes from: a record array of shape (n,) with the fields of `PROVENANCE`. `event` is
        a place in `events`."""
        records = np.empty(len(self._columns), dtype=PROVENANCE)
        sizes = self._sizes()
        events = (
            np.cumsum(
                [piece.tag is not Tag.BODY and piece.tag is not Tag.SPAN for _, piece in self._pieces()]
            )
            - 1
        )
        turns = [place for place, turn in enumerate(self._turns) for _ in turn.pieces]
        records["turn"] = np.repeat(np.array(turns, dtype=np.int64), sizes)
        records["event"] = np.repeat(np.array(events, dtype=np.int64), sizes)
        records["role"] = np.repeat(
            np.array([self._format.role(turn.kind) for turn, _ in self._pieces()], dtype="U9"), sizes
        )
        records["sampled"] = self.loss_mask
        records["logprob"] = self.logprobs
        return records

    @property
    def turn_offsets(self) -> npt.NDArray[np.int64]:
        """Where turns begin and end: turn i has `ids[turn_offsets[i]:turn_offsets[i + 1]]`. int64 of shape
        (number of turns + 1,). What separates two turns belongs to the second."""
        return np.cumsum([0, *(turn.size for turn in self._turns)], dtype=np.int64)

    @property
    def turns(self) -> list[list[dict[str, Any]]]:
        """The messages of each turn: one, but several for a group of tool results, and none for a turn of the
        assistant in which nothing was said yet."""
        starts = self.turn_offsets.tolist()
        return [[to_message(one) for one in self._checked(i, starts[i])] for i in range(len(self))]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages. Those that were given are as they were given (contents that were parts are one
        string); those of sampled turns are read from the ids, and their tool calls get ids of the form
        `call_<turn>_<number>`, which stay when turns before them are put in or taken out."""
        return [message for turn in self.turns for message in turn]

    @property
    def events(self) -> list[Found]:
        """The conversation as `reference.chat` sees it: every id in an event or in a malformed span."""
        found: list[Found] = []
        ids: list[int] = self.ids.tolist()
        at = 0
        for turn in self._turns:
            place = turn.place
            lead: list[int] = []
            for tag, size in turn.pieces:
                part, at = ids[at : at + size], at + size
                event: Event
                match tag:
                    case Tag.LEAD:
                        lead = part
                        continue
                    case Tag.MALFORMED:
                        found.append(Malformed(tuple(part)))
                        continue
                    case Tag.BODY:
                        assert turn.event is not None
                        event = turn.event
                    case Tag.SPAN:
                        event = Span(tuple(part))
                    case Tag.CLOSE:
                        event = Close(part[0])
                if lead or part:
                    found.append(FoundEvent(place, event, tuple(lead + part)))
                lead = []
                place = Edge.IN_SPAN if tag is Tag.SPAN else turn.kind
        return found

    def drift(self) -> list[Drift]:
        """Where encoding the conversation's text again would give other ids: sampled ids that are not what
        their text encodes to, text that spells a control token, tokens that would merge across the border of
        events. Costs an encoding of the whole text."""
        return drifts(self._format.tokenizer, self.ids)

    # --- append ---

    def add(self, message: Message | Sequence[Message]) -> None:
        """Put a message behind the end, or several in order; tool messages that stand together in a list
        are one group, as formats want them.

        A turn of the assistant that is open is closed first; but if nothing was said in it, an assistant's
        message is said in it.

        Raises `InvalidMessage` if something is no message, or the format cannot express it here.
        """
        fills = bool(self._turns) and self._turns[-1].is_silent
        prepared = self._prepare(message, len(self), fills=fills)
        if not prepared:
            return
        if fills and prepared[0].turn.kind is Kind.ASSISTANT:
            self._unshare()
            self._drop_last()
        elif self.is_open:
            self.close()
        self._unshare()
        for turn, ids in prepared:
            self._push(turn, ids)

    def generation_prompt(self) -> None:
        """Open a turn of the assistant, unless one is open in which nothing was said yet.

        Raises `InvalidOperation` if the assistant has begun to speak, `InvalidMessage` if the format has no
        turn of the assistant here.
        """
        if self.is_open:
            if self._turns[-1].pieces[-1].size:
                raise InvalidOperation("the assistant's turn is open, with ids in it: extend it, or close it")
            return
        place = self._end
        lead = self._format.lead(place, Kind.ASSISTANT)
        self._unshare()
        pieces = [Piece(Tag.LEAD, len(lead)), Piece(Tag.SPAN, 0)]
        before = next((turn.number for turn in reversed(self._turns) if turn.number >= 0), -1)
        number = max(len(self._turns), before + 1)
        self._push(Turn(Kind.ASSISTANT, place, pieces, number=number), _array(lead))

    def prompt_ids_for_engine(self) -> Ids:
        """The ids to go on from: uint32 of shape (n,), an array of its own.

        Raises `InvalidOperation` if no turn of the assistant is open.
        """
        if not self.is_open:
            raise InvalidOperation("no turn of the assistant is open: call generation_prompt first")
        return self.ids.copy()

    def extend_sampled(self, ids: Iterable[int], logprobs: Iterable[float | None] | None = None) -> None:
        """Put ids that the model sampled behind the end, as they are, and their log-probabilities.

        A closing token among them ends the turn. What was sampled behind it is kept, too: a generation prompt
        opens the next span of the turn (as harmony's channels do), anything else is malformed.

        Raises `InvalidTokenId` for ids that no token has, `InvalidOperation` unless a turn is open or was
        closed by sampling, and for log-probabilities that are not one for each id.
        """
        if not isinstance(ids, Sequence | np.ndarray):
            ids = list(ids) if isinstance(ids, Iterable) else ids
        self._format.tokenizer.decode_bytes(ids)  # raises for what is no id of a token
        checked = ids.tolist() if isinstance(ids, np.ndarray) else [*map(index, ids)]
        probabilities = None if logprobs is None else _floats(logprobs, len(checked))
        if not self._can_extend():
            raise InvalidOperation("no turn of the assistant is open: call generation_prompt first")
        if not checked:
            return
        self._unshare()
        end = len(self._columns)
        self._columns.put(end, end, _array(checked), True, probabilities)
        self._take(checked)

    def close(self, token: str | None = None) -> None:
        """End the assistant's turn, unless it has ended: with the closing token of this literal, or the
        format's first.

        Raises `InvalidOperation` if the last turn is not the assistant's, `InvalidTemplate` for a literal
        that closes no turn.
        """
        stop = self._format.stop(token)
        if not self._turns or self._turns[-1].kind is not Kind.ASSISTANT:
            raise InvalidOperation("the last turn is not the assistant's: there is nothing to close")
        if not self.is_open:
            return
        self._unshare()
        end = len(self._columns)
        if self._turns[-1].size == 0:  # the turn that tool results opened, in which nothing was said
            self._drop_last()
            return
        self._turns[-1].pieces.append(Piece(Tag.CLOSE, 1))
        self._columns.put(end, end, _array([stop]))

    # --- edit ---

    def insert(self, at: int, message: Message | Sequence[Message]) -> None:
        """Put a message before turn `at`, or several. The ids of all other turns stay; before turn 0, what
        begins the conversation stays in front, and the turn that was the first gets a separator.

        Raises what `add` raises, `InvalidRange`, and `InvalidOperation` if the turn behind cannot stand
        there.
        """
        at = self._place(at, len(self))
        if at == len(self):
            self.add(message)
        else:
            self._splice(at, at, self._prepare(message, at))

    def replace(self, at: int, message: Message | Sequence[Message]) -> None:
        """Put a message, or several, in the place of turn `at`. The ids of all other turns stay.

        Raises what `insert` raises.
        """
        at = self._place(at, len(self) - 1)
        self._splice(at, at + 1, self._prepare(message, at))

    def delete(self, at: int) -> None:
        """Take turn `at` out. The ids of all other turns stay. Raises `InvalidRange`, `InvalidOperation`."""
        at = self._place(at, len(self) - 1)
        self._splice(at, at + 1, [])

    def truncate(self, length: int) -> None:
        """Keep the first `length` turns. Raises `InvalidRange`."""
        self._splice(self._place(length, len(self)), len(self), [])

    def fork(self) -> Conversation:
        """An independent conversation with the same turns. The two share their arrays until one of them
        changes."""
        other = object.__new__(Conversation)
        other._format, other._turns, other._columns = self._format, self._turns, self._columns
        self._shared = other._shared = True
        return other

    __copy__ = fork

    def __deepcopy__(self, memo: object) -> Conversation:
        return self.fork()

    def __reduce__(self) -> tuple[object, ...]:
        return Conversation.from_json, (self._format.tokenizer, self.to_json())

    # --- files ---

    def to_json(self) -> str:
        """The conversation as JSON text: the tokenizer's hash, the template, what was given, what was
        sampled. `from_json` makes it again."""
        return conversation_file.write(self._format, list(self._steps()), self.ids)

    @classmethod
    def from_json(cls, tokenizer: Tokenizer, data: str) -> Conversation:
        """The conversation that `to_json` wrote, for the same tokenizer.

        Raises `InvalidConversationFile` if the text is none, is damaged, or belongs to another tokenizer.
        """
        template, steps, ids = conversation_file.read(tokenizer, data)
        conversation = cls(tokenizer, template)
        with conversation_file.refused():
            for step in steps:
                conversation._do(step)
            conversation_file.check_ids_are(conversation.ids, ids)
        return conversation

    # --- how: turns ---

    @property
    def _end(self) -> Place:
        return self._turns[-1].next_place if self._turns else Edge.START

    def _pieces(self) -> Iterator[tuple[Turn, Piece]]:
        return ((turn, piece) for turn in self._turns for piece in turn.pieces)

    def _sizes(self) -> npt.NDArray[np.int64]:
        return np.array([piece.size for _, piece in self._pieces()], dtype=np.int64)

    def _place(self, at: int, most: int) -> int:
        try:
            place = index(at)
        except TypeError:
            place = -1
        if isinstance(at, bool) or not 0 <= place <= most:
            raise InvalidRange(f"turn {at!r} is none of a conversation of {len(self)} turns")
        return place

    def _unshare(self) -> None:
        if self._shared:
            self._turns = [turn.copy() for turn in self._turns]
            self._columns = self._columns.copy()
            self._shared = False

    def _push(self, turn: Turn, ids: Ids) -> None:
        end = len(self._columns)
        self._columns.put(end, end, ids)
        self._turns.append(turn)

    def _drop_last(self) -> None:
        end = len(self._columns)
        self._columns.put(end - self._turns.pop().size, end, _array([]))

    def _prepare(self, message: Message | Sequence[Message], at: int, fills: bool = False) -> list[_Prepared]:
        """The turns of messages that go before turn `at`; `fills` says that the turn before is one of the
        assistant's in which nothing was said, so that the messages begin where it does."""
        given = [message] if isinstance(message, Mapping) else message
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise InvalidMessage(f"a message is a mapping with 'role' and 'content', not {message!r}")
        checked = [check_message(one) for one in given]
        place = self._turns[at - 1].next_place if at else Edge.START
        if place is Edge.IN_SPAN:
            place = Kind.ASSISTANT
        if fills and checked and (isinstance(checked[0], Assistant) or not self._turns[-1].size):
            place = self._turns[-1].place
        prepared: list[_Prepared] = []
        for is_result, group in groupby(checked, lambda one: isinstance(one, ToolResult)):
            for said in [tuple(group)] if is_result else [(one,) for one in group]:
                one = said[0]
                if isinstance(one, Assistant):
                    prepared.append(self._reply(one, place))
                elif isinstance(one, ToolResult):
                    prepared.append(self._said(self._named(said, at, prepared), place))
                else:
                    prepared.append(self._said((one,), place))
                place = prepared[-1].turn.kind
        return prepared

    def _said(self, said: tuple[Checked, ...], place: Place) -> _Prepared:
        """A turn of somebody else's."""
        one = said[0]
        results = tuple(result for result in said if isinstance(result, ToolResult))
        assert not isinstance(one, Assistant)
        event = self._format.event(one if not isinstance(one, ToolResult) else results)
        lead, body = self._format.lead(place, event.kind), self._format.body(event)
        pieces = [Piece(Tag.LEAD, len(lead)), Piece(Tag.BODY, len(body))]
        turn = Turn(event.kind, place, pieces, said, self._format.normalized(event))
        return _Prepared(turn, _array([*lead, *body]))

    def _reply(self, message: Assistant, place: Place) -> _Prepared:
        """A turn of the assistant that is given as a message."""
        pieces: list[Piece] = []
        ids: list[int] = []
        at = place
        for span, stop in self._format.reply(message, place):
            lead = self._format.lead(at, Kind.ASSISTANT)
            ids += [*lead, *span, stop]
            pieces += [Piece(Tag.LEAD, len(lead)), Piece(Tag.SPAN, len(span)), Piece(Tag.CLOSE, 1)]
            at = Kind.ASSISTANT
        return _Prepared(Turn(Kind.ASSISTANT, place, pieces, (message,)), _array(ids))

    def _named(
        self, results: Sequence[Checked], at: int, prepared: Sequence[_Prepared]
    ) -> tuple[ToolResult, ...]:
        """Tool results with the names of the tools, as far as the calls before them tell."""
        said = next((p.turn.given for p in reversed(prepared) if p.turn.kind is Kind.ASSISTANT), ())
        start = sum(turn.size for turn in self._turns[:at]) if at < len(self) else len(self._columns)
        while not said and at > 0:
            at -= 1
            start -= self._turns[at].size
            if self._turns[at].kind is Kind.ASSISTANT:
                said = self._checked(at, start)
        calls = [call for one in said if isinstance(one, Assistant) for call in one.calls]
        names = {call.id: call.name for call in calls}
        named = []
        for result in results:
            assert isinstance(result, ToolResult)
            name = result.name if result.call_id is None else names.get(result.call_id, result.name)
            if result.name is not None and name != result.name:
                raise InvalidMessage(
                    f"the tool message names {result.name!r}, but its call is one of {name!r}"
                )
            named.append(ToolResult(result.content, name, result.call_id))
        return tuple(named)

    def _checked(self, number: int, start: int) -> tuple[Checked, ...]:
        """The messages of a turn whose ids begin at `start`."""
        turn = self._turns[number]
        if turn.given:
            return turn.given
        is_now = (turn.place, tuple(turn.pieces))
        if turn.read is None or turn.read[:2] != is_now:
            turn.read = Reading(*is_now, self._read(turn, start))
        return turn.read.messages

    def _read(self, turn: Turn, start: int) -> tuple[Checked, ...]:
        """The message of a sampled turn, read from its ids; malformed ones are content."""
        spans: list[list[int]] = []
        for tag, size in turn.pieces:
            part: list[int] = self._columns.ids.slice(start, start + size).tolist()
            start += size
            if tag in (Tag.SPAN, Tag.MALFORMED):
                spans.append(part)
        if not any(spans) and turn.is_open:
            return ()
        return (self._format.read_reply(spans, turn.place).with_ids(f"call_{turn.number}_"),)

    # --- how: sampling ---

    def _can_extend(self) -> bool:
        if not self._turns or self._turns[-1].given or self._turns[-1].kind is not Kind.ASSISTANT:
            return False
        end = len(self._columns)
        return self.is_open or bool(self._columns.sampled.slice(end - 1, end)[0])

    def _take(self, ids: list[int]) -> None:
        """Find the pieces of ids that were sampled, and are in the columns already."""
        turn = self._turns[-1]
        lead = list(self._format.table.lead.get((Kind.ASSISTANT, Kind.ASSISTANT), ()))
        while ids:
            if turn.is_open:
                stop = next((place for place, id in enumerate(ids) if id in self._format.stops), len(ids))
                turn.grow(Tag.SPAN, stop)
                if stop < len(ids):
                    turn.grow(Tag.CLOSE, 1)
                ids = ids[stop + 1 :]
                continue
            last = turn.pieces[-1]
            if last.tag is Tag.MALFORMED and last.size < len(lead):  # it may begin a generation prompt
                before = turn.pieces.pop().size
                end = len(self._columns) - len(ids)
                ids = [*self._columns.ids.slice(end - before, end).tolist(), *ids]
            if not lead or turn.pieces[-1].tag is Tag.MALFORMED or ids[: len(lead)] != lead:
                turn.grow(Tag.MALFORMED, len(ids))
                return
            turn.pieces += [Piece(Tag.LEAD, len(lead)), Piece(Tag.SPAN, 0)]
            ids = ids[len(lead) :]

    # --- how: edits ---

    def _splice(self, start: int, stop: int, prepared: Sequence[_Prepared]) -> None:
        """Put turns in the place of those from `start` up to `stop`."""
        place = self._turns[start - 1].next_place if start else Edge.START
        if prepared:
            place = prepared[-1].turn.kind
        lead = self._lead_at(stop, place)
        self._unshare()
        offsets = self.turn_offsets
        ids = np.concatenate([_array([]), *(one.ids for one in prepared)])
        if lead is not None:
            behind = self._turns[stop]
            old = behind.pieces[0].size
            self._columns.put(int(offsets[stop]), int(offsets[stop]) + old, lead)
            behind.place, behind.pieces[0] = place, Piece(Tag.LEAD, len(lead))
        self._columns.put(int(offsets[start]), int(offsets[stop]), ids)
        self._turns[start:stop] = [one.turn for one in prepared]

    def _lead_at(self, at: int, place: Place) -> Ids | None:
        """What begins turn `at` if it stands at another place; None if nothing changes.

        A turn that moves to the beginning, or away from it, loses or gets a separator, and what begins the
        conversation; any other change of its lead would change what it is.
        """
        if at == len(self) or self._turns[at].place is place:
            return None
        turn = self._turns[at]
        try:
            old, new = (self._format.lead(where, turn.kind) for where in (turn.place, place))
        except InvalidMessage as error:
            raise InvalidOperation(f"turn {at} cannot stand there: {error}") from None
        if old != new and Edge.START not in (turn.place, place):
            raise InvalidOperation(
                f"turn {at} of the {turn.kind} was written after a {turn.place} event; after a {place} event "
                f"{self._format.template.name} writes it otherwise"
            )
        return _array(new)

    # --- how: files ---

    def _steps(self) -> Iterator[conversation_file.Step]:
        """The operations that make the conversation."""
        for turn, start, stop in zip(self._turns, *_spans(self.turn_offsets), strict=True):
            if turn.given:
                yield conversation_file.Given([to_message(one) for one in turn.given])
                continue
            sampled = self._columns.sampled.slice(start, stop)
            ids = self._columns.ids.slice(start, stop)
            close = None
            if turn.pieces[-1].tag is Tag.CLOSE and not sampled[-1]:
                close = self._format.literal(int(ids[-1]))
            logprobs = self._columns.logprobs.slice(start, stop)[sampled].tolist()
            yield conversation_file.Sampled(turn.number, ids[sampled].tolist(), logprobs, close)

    def _do(self, step: conversation_file.Step) -> None:
        if isinstance(step, conversation_file.Given):
            self.add(step.messages)
            return
        self.generation_prompt()
        self._turns[-1].number = step.number
        self.extend_sampled(step.ids, step.logprobs)
        if step.close is not None:
            self.close(step.close)


def _spans(offsets: npt.NDArray[np.int64]) -> tuple[list[int], list[int]]:
    return offsets[:-1].tolist(), offsets[1:].tolist()


def _array(ids: Sequence[int]) -> Ids:
    return np.array(ids, dtype=np.uint32)


def _floats(logprobs: Iterable[float | None], length: int) -> Floats:
    try:
        values = [np.nan if value is None else float(value) for value in logprobs]
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidOperation(f"logprobs must be numbers or None: {error}") from None
    if len(values) != length:
        raise InvalidOperation(f"{len(values)} logprobs were given for {length} ids")
    return np.array(values, dtype=np.float64)
