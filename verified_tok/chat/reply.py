"""An assistant's message and its spans: written from a message that is given, read from what was sampled."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from verified_tok.chat.layout import (
    Alphabet,
    Control,
    Layout,
    Segments,
    Slot,
    Text,
    fill,
    join,
    read_layout,
    without_front,
)
from verified_tok.chat.message import Assistant, ToolCall
from verified_tok.errors import InvalidMessage, InvalidTemplate

if TYPE_CHECKING:
    from verified_tok.chat.template import Template

_NONE: frozenset[str] = frozenset()
_CALL = frozenset({"name", "arguments"})
_ANY = frozenset({"content", "reasoning", *_CALL})


class Written(NamedTuple):
    """A span as segments, and the literal of the token that closes it."""

    span: Segments
    close: str


class Replies:
    """The replies of a template: `write` and `read` are inverses on what the format can express."""

    def __init__(self, template: Template) -> None:
        reply = template.reply
        self._template = template
        self._reply = reply
        self._alphabet = Alphabet(template.controls)
        self._prefill = fill(self._layout(template.prefill, _NONE), {})
        self._reasoning = None if reply.reasoning is None else self._layout(reply.reasoning, {"reasoning"})
        self._content = self._layout(reply.content, {"content"})
        self._before = fill(self._layout(reply.before_calls, _NONE), {})
        self._between = fill(self._layout(reply.between_calls, _NONE), {})
        self._call = None if reply.calls is None else self._layout(reply.calls.item, _CALL)
        self._open, self._close = (
            fill(self._layout(part, _NONE), {})
            for part in ((reply.calls.open, reply.calls.close) if reply.calls else ("", ""))
        )
        self._also = [read_layout(notation, template.controls, _ANY) for notation in reply.also_reads]
        self._keys = self._json_keys()
        self._exact, self._lenient = (self._reasoning_regex(exact) for exact in (True, False))
        self._call_regex = None if self._call is None else re.compile(self._alphabet.regex(self._call))
        wholes = [self._reasoning, self._content, self._call, *self._also]
        self._wholes = [re.compile(self._alphabet.regex(layout)) for layout in wholes if layout is not None]
        self._check()

    def _layout(self, notation: str, slots: frozenset[str] | set[str]) -> Layout:
        layout = read_layout(notation, self._template.controls, frozenset(slots))
        found = {piece.name for piece in layout if isinstance(piece, Slot)}
        if found != slots:
            raise InvalidTemplate(f"the layout {notation!r} must have the slots {', '.join(sorted(slots))}")
        return layout

    def _check(self) -> None:
        """What a template's reply must have: the prefill begins it, nothing in it closes the turn, and calls
        are read as they are written."""
        reply, closes = self._reply, set(self._template.closes)
        layouts = [self._content, self._before, self._between, self._open, self._close]
        layouts += [layout for layout in (self._reasoning, self._call) if layout is not None]
        for piece in (piece for layout in layouts for piece in layout):
            if isinstance(piece, Control) and piece.literal in closes:
                raise InvalidTemplate(f"the reply holds {piece.literal!r}, which closes the turn")
        if reply.parts and (self._before or self._between or self._open or self._close or self._prefill):
            raise InvalidTemplate("replies in parts have no prefill, and nothing around and between calls")
        calls = (ToolCall("f", '{"a": 1}'),) if self._call else ()
        message = Assistant("" if calls and not reply.content_with_calls else "x", None, calls)
        try:
            written = self.write(message)
        except InvalidMessage as error:
            raise InvalidTemplate(f"a reply without reasoning cannot be written: {error}") from None
        spelled = [self._alphabet.spell(part.span) for part in written]
        if self.read(spelled, prefilled=True) != message:
            raise InvalidTemplate("a reply is not read as it is written")

    # --- writing ---

    def write(self, message: Assistant, *, prefilled: bool = True) -> list[Written]:
        """The spans of a message behind a generation prompt; `prefilled` says that it holds the prefill.

        Raises `InvalidMessage` for what the format cannot express.
        """
        self._expressible(message)
        blocks = list(self._blocks(message, always=prefilled))
        if self._reply.parts:
            return [Written(join(*segments), close) for segments, close in blocks]
        whole = join(*(segment for segments, _ in blocks for segment in segments))
        span = without_front(whole, self._prefill) if prefilled else whole
        if span is None:
            raise InvalidMessage(
                f"the reasoning_content cannot be expressed: the generation prompt of {self._template.name} "
                f"holds {self._template.prefill!r}, and the message would go on otherwise"
            )
        return [Written(span, self._template.closes[0])]

    def _expressible(self, message: Assistant) -> None:
        name, reply = self._template.name, self._reply
        if message.reasoning and self._reasoning is None:
            raise InvalidMessage(f"{name} has no reasoning_content in its messages")
        if not message.calls:
            return
        if self._call is None:
            raise InvalidMessage(f"{name} has no tool_calls")
        if len(message.calls) > 1 and not reply.several_calls:
            raise InvalidMessage(f"{name} has one tool call in a message, not {len(message.calls)}")
        if message.content and not reply.content_with_calls:
            raise InvalidMessage(f"{name} has no content beside tool_calls; it is {message.content!r}")
        for place, call in enumerate(message.calls):
            try:
                json.loads(call.arguments)
            except ValueError as error:
                raise InvalidMessage(f"tool_calls[{place}].function.arguments is no JSON: {error}") from None
            written = self._alphabet.spell(self._call_segments(call))
            read = self._read_call(written)
            if read is None or (read.name, read.arguments) != (call.name, call.arguments):
                what = "raw does not say" if call.raw is not None else f"{name} cannot express"
                raise InvalidMessage(
                    f"tool_calls[{place}]: {what} the name {call.name!r} with {call.arguments!r}"
                )

    def _blocks(self, message: Assistant, *, always: bool) -> Iterator[tuple[Segments, str]]:
        reply, close = self._reply, self._template.closes[0]
        if self._reasoning is not None and (message.reasoning or (always and reply.always_reasoning)):
            values = {"reasoning": message.reasoning or ""}
            yield fill(self._reasoning, values), reply.reasoning_close or close
        if message.content or not (message.calls and reply.parts):
            yield fill(self._content, {"content": message.content}), reply.content_close or close
        if not message.calls:
            return
        yield_close = reply.call_close or close
        calls = [self._call_segments(call) for call in message.calls]
        rest = [segment for call in calls[1:] for segment in (*self._between, *call)]
        before = self._before if message.content else ()
        yield (*before, *self._open, *calls[0], *rest, *self._close), yield_close

    def _call_segments(self, call: ToolCall) -> Segments:
        assert self._call is not None
        if call.raw is None:
            return fill(self._call, {"name": call.name, "arguments": call.arguments})
        if self._keys is None:
            raise InvalidMessage(f"{self._template.name} writes tool calls in one way: they have no 'raw'")
        places = [place for place, piece in enumerate(self._call) if isinstance(piece, Control)]
        edge = places[0] + 1 if places else 0
        stop = places[-1] if places else len(self._call)
        front, back = fill(self._call[:edge], {}), fill(self._call[stop:], {})
        return join(*front, Text(call.raw), *back)

    def _json_keys(self) -> tuple[str, str] | None:
        """The keys of the name and of the arguments, if a call is one JSON object in one run of text."""
        if self._call is None or any(isinstance(piece, Control) for piece in self._call[1:-1]):
            return None
        texts = [
            piece for piece in fill(self._call, {"name": "n", "arguments": "0"}) if isinstance(piece, Text)
        ]
        members = _members("".join(piece.text for piece in texts))
        found = {value: key for key, value in (members or {}).items()}
        return (found['"n"'], found["0"]) if set(found) == {'"n"', "0"} else None

    # --- reading ---

    def read(self, spans: Sequence[str], *, prefilled: bool) -> Assistant:
        """The message of spans, each spelled in the template's alphabet.

        Everything can be read: what has none of the format's shapes is content, with control tokens as their
        literals.
        """
        if self._reply.parts:
            return self._read_parts(spans)
        front = self._alphabet.spell(self._prefill) if prefilled else ""
        reasoning, rest = self._read_reasoning(front + "".join(spans))
        content, calls = self._read_calls(rest)
        return Assistant(self._alphabet.literal(content), reasoning, calls)

    def _read_parts(self, spans: Sequence[str]) -> Assistant:
        found: dict[str, list[str]] = {"reasoning": [], "content": []}
        calls: list[ToolCall] = []
        for span in spans:
            match = next((m for regex in self._wholes if (m := regex.fullmatch(span))), None)
            values = {"content": self._alphabet.literal(span)} if match is None else match.groupdict()
            if "arguments" in values:
                calls.append(ToolCall(values["name"], values["arguments"]))
            for key in found.keys() & values.keys():
                found[key].append(values[key])
        reasoning = "\n".join(found["reasoning"]) if found["reasoning"] else None
        return Assistant("\n".join(found["content"]), reasoning, tuple(calls))

    def _reasoning_regex(self, exact: bool) -> re.Pattern[str] | None:
        """The reasoning at the front of a span; the lenient form allows any newlines where the layout has
        some, and an end that is missing."""
        if self._reasoning is None:
            return None
        if exact:
            return re.compile(self._alphabet.regex(self._reasoning))
        parts = []
        for piece in self._reasoning:
            if isinstance(piece, Text) and not piece.text.strip("\n"):
                parts.append("\n*")
            else:
                parts.append(self._alphabet.regex((piece,)).replace("*+", "*?"))
        slot = next(p for p, piece in enumerate(self._reasoning) if isinstance(piece, Slot))
        front, back = "".join(parts[: slot + 1]), "".join(parts[slot + 1 :])
        return re.compile(f"{front}(?:{back}|$)" if back else front)

    def _read_reasoning(self, span: str) -> tuple[str | None, str]:
        for regex in (self._exact, self._lenient):
            match = regex.match(span) if regex else None
            if match:
                return match["reasoning"] or None, span[match.end() :]
        return None, span

    def _read_calls(self, rest: str) -> tuple[str, tuple[ToolCall, ...]]:
        """The content and the calls behind it; everything is content unless all of it can be read."""
        if self._call is None:
            return rest, ()
        first = (*self._open, *self._call)[0]
        start = rest.find(self._alphabet.sign(first.literal)) if isinstance(first, Control) else 0
        if start < 0:
            return rest, ()
        calls = self._read_group(rest[start:])
        if not calls:
            return rest, ()
        content = rest[:start]
        before = self._alphabet.spell(self._before)
        return content.removesuffix(before) if content != before else content, tuple(calls)

    def _read_group(self, text: str) -> list[ToolCall]:
        opening, between, closing = map(self._alphabet.spell, (self._open, self._between, self._close))
        if not text.startswith(opening):
            return []
        calls, at = [], len(opening)
        last = self._call[-1] if self._call else None
        end = self._alphabet.sign(last.literal) if isinstance(last, Control) else None
        while True:
            stop = len(text) if end is None else text.find(end, at) + 1
            call = self._read_call(text[at:stop]) if stop > 0 else None
            if call is None:
                return []
            calls.append(call)
            rest = text[stop:]
            if rest.strip("\n") == closing.strip("\n"):
                return calls
            at = stop + len(rest) - len(rest.lstrip("\n")) if between == "\n" else stop + len(between)

    def _read_call(self, text: str) -> ToolCall | None:
        assert self._call is not None
        assert self._call_regex is not None
        if self._keys is None:
            match = self._call_regex.fullmatch(text)
            return None if match is None else ToolCall(match["name"], match["arguments"])
        signs = [self._alphabet.spell((piece,)) for piece in self._call if isinstance(piece, Control)]
        front, back = (signs[0], signs[-1]) if signs else ("", "")
        raw = text[len(front) : len(text) - len(back)]
        members = _members(raw)
        if (
            not (text.startswith(front) and text.endswith(back))
            or not members
            or set(members) != {*self._keys}
        ):
            return None
        name = json.loads(members[self._keys[0]])
        if not isinstance(name, str):
            return None
        call = ToolCall(name, members[self._keys[1]])
        plain = self._alphabet.spell(fill(self._call, {"name": name, "arguments": call.arguments}))
        return call if plain == text else replace(call, raw=raw)


def _members(text: str) -> Mapping[str, str] | None:
    """The members of a JSON object, each value as it is written; None if the text is no object, or names a
    member twice."""
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return None
    if not text.strip().startswith("{") or len({key for key, _ in pairs}) < len(pairs):
        return None
    decoder, at, members = json.JSONDecoder(), text.index("{") + 1, {}
    for _ in pairs:
        key, at = decoder.raw_decode(text, _skip(text, at, ", "))
        start = _skip(text, at, ":")
        _, at = decoder.raw_decode(text, start)
        members[key] = text[start:at]
    return members


def _skip(text: str, at: int, signs: str) -> int:
    while text[at] in signs or text[at].isspace():
        at += 1
    return at
