"""Messages as chat APIs write them, checked: dictionaries in, values out, and back.

A message is a mapping with `role` ("system", "developer", "user", "assistant" or "tool") and `content`: a
string, or a list of `{"type": "text", "text": …}` parts, which are joined as they are. An assistant's message
may have `reasoning_content` and `tool_calls`; a tool's has `tool_call_id`, or `name`, to say which call it
answers; a system message (in some formats a user's) may have `tools`, a list of descriptions, and then no
content. Keys whose value is None or an empty list are as good as absent. Anything else is refused, by name:
nothing of a message is dropped in silence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from verified_tok.errors import InvalidMessage, InvalidText
from verified_tok.text import check_text

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class System:
    """A system (or developer) message. `tools` are descriptions of tools, as JSON text; beside them the
    content may be missing, which is not the same as empty."""

    content: str | None
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class User:
    """A user's message. `tools` are descriptions of tools, as JSON text."""

    content: str
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back. `name` is the tool's, `call_id` names the call."""

    content: str
    name: str | None = None
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool. `arguments` is JSON text, kept as it is: no key is moved and no number rewritten.

    `raw` is the whole text that the call was read from, where a format writes more around name and arguments;
    it is written back as it is.
    """

    name: str
    arguments: str
    id: str | None = None
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class Assistant:
    """An assistant's message."""

    content: str = ""
    reasoning: str | None = None
    calls: tuple[ToolCall, ...] = ()

    def with_ids(self, prefix: str) -> Assistant:
        """The message with an id for every call: the prefix and its number."""
        return replace(self, calls=tuple(replace(c, id=f"{prefix}{i}") for i, c in enumerate(self.calls)))


Checked = System | User | ToolResult | Assistant

_KEYS = {
    "system": {"role", "content", "tools"},
    "developer": {"role", "content", "tools"},
    "user": {"role", "content", "tools"},
    "assistant": {"role", "content", "reasoning_content", "tool_calls"},
    "tool": {"role", "content", "name", "tool_call_id"},
}


def check_message(message: object) -> Checked:
    """A message as a value. Raises `InvalidMessage`, naming the key and what is wrong with it.

    >>> check_message({"role": "user", "content": [{"type": "text", "text": "hi"}]})
    User(content='hi', tools=())
    """
    if not isinstance(message, Mapping):
        raise InvalidMessage(f"a message is a mapping with 'role' and 'content', not {message!r}")
    role = message.get("role")
    if not isinstance(role, str) or role not in _KEYS:
        raise InvalidMessage(f"role must be one of {', '.join(map(repr, _KEYS))}, not {role!r}")
    for key, value in message.items():
        if key not in _KEYS[role] and value is not None and value != []:
            raise InvalidMessage(f"a message of {role!r} cannot have {key!r}; it is {value!r}")
    if role == "assistant":
        calls = message.get("tool_calls") or ()
        if isinstance(calls, str | Mapping) or not isinstance(calls, Sequence):
            raise InvalidMessage(f"tool_calls must be a list, not {calls!r}")
        content, reasoning = message.get("content"), message.get("reasoning_content")
        return Assistant(
            content="" if content is None and calls else _text("content", content),
            reasoning=None if reasoning is None else _text("reasoning_content", reasoning),
            calls=tuple(_call(f"tool_calls[{place}]", call) for place, call in enumerate(calls)),
        )
    tools = _descriptions(message.get("tools") or ())
    if tools and role != "user" and message.get("content") is None:
        return System(None, tools)
    content = _text("content", message.get("content"))
    if role == "user":
        return User(content, tools)
    if role == "tool":
        return ToolResult(content, _name(message, "name"), _name(message, "tool_call_id"))
    return System(content, tools)


def to_message(checked: Checked) -> dict[str, Any]:
    """The message of a value; `check_message` gives the value back."""
    match checked:
        case System(content, tools) | User(content, tools):
            described = {"tools": [json.loads(tool) for tool in tools]} if tools else {}
            return {"role": "user" if isinstance(checked, User) else "system", "content": content} | described
        case ToolResult(content, name, call_id):
            named = {"name": name, "tool_call_id": call_id}
            return {"role": "tool", "content": content} | {k: v for k, v in named.items() if v is not None}
        case Assistant(content, reasoning, calls):
            message: dict[str, Any] = {"role": "assistant", "content": content}
            if reasoning is not None:
                message["reasoning_content"] = reasoning
            if calls:
                message["tool_calls"] = [_call_message(call) for call in calls]
            return message


def _descriptions(tools: object) -> tuple[str, ...]:
    if isinstance(tools, str | Mapping) or not isinstance(tools, Sequence):
        raise InvalidMessage(f"tools must be a list of descriptions, not {tools!r}")
    return tuple(_json(f"tools[{place}]", tool) for place, tool in enumerate(tools))


def _call_message(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    kept = {"id": call.id, "raw": call.raw}
    return {"type": "function", "function": function} | {k: v for k, v in kept.items() if v is not None}


def _text(key: str, value: object) -> str:
    """The text of a string, or of a list of parts of text."""
    if isinstance(value, str):
        return _checked(key, value)
    if value is None or isinstance(value, Mapping) or not isinstance(value, Sequence):
        raise InvalidMessage(f"{key} must be a string or a list of text parts, not {value!r}")
    texts = []
    for place, part in enumerate(value):
        if not isinstance(part, Mapping) or part.get("type") != "text" or set(part) != {"type", "text"}:
            raise InvalidMessage(
                f"{key}[{place}] must be a part {{'type': 'text', 'text': …}}; chat formats of text "
                f"cannot express {part!r}"
            )
        texts.append(_checked(f"{key}[{place}].text", part["text"]))
    return "".join(texts)


def _checked(key: str, value: object) -> str:
    try:
        return check_text(value)
    except InvalidText as error:
        raise InvalidMessage(f"{key}: {error}") from None


def _json(key: str, value: object) -> str:
    """A value as JSON text, written as chat templates write it."""
    try:
        return _checked(key, json.dumps(value, ensure_ascii=False, allow_nan=False))
    except InvalidMessage:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidMessage(f"{key} is no JSON value: {error}") from None


def _name(message: Message, key: str) -> str | None:
    value = message.get(key)
    return None if value is None else _checked(key, value)


def _call(place: str, call: object) -> ToolCall:
    """One of `tool_calls`: `{"type": "function", "id": …, "function": {"name": …, "arguments": …}}`."""
    if not isinstance(call, Mapping):
        raise InvalidMessage(f"{place} must be a mapping with 'function', not {call!r}")
    if call.get("type", "function") != "function":
        raise InvalidMessage(f"{place}: only calls of type 'function' can be expressed, not {call['type']!r}")
    function = call.get("function")
    if not isinstance(function, Mapping) or not {"name", "arguments"} <= set(function):
        raise InvalidMessage(
            f"{place}.function must be a mapping with 'name' and 'arguments', not {function!r}"
        )
    strange = [
        *(set(call) - {"type", "id", "index", "function", "raw"}),
        *(set(function) - {"name", "arguments"}),
    ]
    if strange:
        raise InvalidMessage(f"{place} cannot have {strange[0]!r}")
    arguments = function["arguments"]
    if not isinstance(arguments, str):
        arguments = _json(f"{place}.function.arguments", arguments)
    return ToolCall(
        name=_checked(f"{place}.function.name", function["name"]),
        arguments=_checked(f"{place}.function.arguments", arguments),
        id=_name(call, "id"),
        raw=_name(call, "raw"),
    )
