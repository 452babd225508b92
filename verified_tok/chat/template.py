"""Chat formats as data, checked when they are made.

A `Template` says how each event of a conversation is written; nothing in it is code. Rendering a conversation
is

    begin, event, separator + event, separator + event, …

so a later event never changes what stands before it. `chat.compiled` turns a template into one of
`reference.chat`, where this is proved; making a template runs that reference on small conversations, and
raises unless every one of them is read back as it was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from verified_tok.chat.compiled import check_template
from verified_tok.chat.reply import Replies
from verified_tok.errors import InvalidTemplate


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Several things of a kind, written as one: `open`, an `item` for each, `close`."""

    open: str = ""
    item: str
    close: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definitions:
    """How the tools that the assistant may call are described, in a system message or in a user's.

    A layout has the slots `content` and `tools`, in any order, with no control token between. `{tools}` are
    JSON objects on a line each, `{tools:indented}` such with line feeds in them, `{tools:typescript}` the
    types of harmony. A description that is given as a string is written as it is.
    """

    layout: str
    alone: str | None = None
    """Layout of a message without a content; it has the slot `tools`. None if there must be a content."""
    between: str
    """What stands between two descriptions."""
    in_user_message: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """How an assistant's message that is given as text is written behind the generation prompt, and how a
    sampled one is read.

    With `parts`, the reasoning, the content and every call are spans of their own: each is closed, and the
    generation prompt opens the next. Otherwise they stand behind one another in one span.
    """

    reasoning: str | None = None
    """Layout with the slot `reasoning`; None if the format has none."""
    always_reasoning: bool = False
    """Whether it is written for messages without reasoning, too."""
    content: str = "{content}"
    """Layout with the slot `content`."""
    calls: Group | None = None
    """Tool calls; the item has the slots `name` and `arguments` (JSON as it was given)."""
    before_calls: str = ""
    """What stands between a content that is not empty and the first call."""
    between_calls: str = ""
    """What stands between two calls."""
    several_calls: bool = True
    """Whether a message may have more than one call."""
    content_with_calls: bool = True
    """Whether a message with calls may have content."""
    parts: bool = False
    reasoning_close: str = ""
    """With `parts`: the control token that closes a span of reasoning. Like the next two, "" is the first
    of the template's `closes`."""
    content_close: str = ""
    call_close: str = ""
    also_reads: tuple[str, ...] = ()
    """Further layouts that a sampled span may have, with the slots of the layouts above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A chat format. Its layouts are written in the notation of `chat.layout`.

    Raises `InvalidTemplate` if what it writes cannot be read back.

    >>> Template(
    ...     name="mine",
    ...     controls=("<|turn|>", "<|end|>"),
    ...     system="<|turn|>system: {content}<|end|>",
    ...     user="<|turn|>user: {content}<|end|>",
    ...     prompt="<|turn|>model: ",
    ...     closes=("<|end|>",),
    ... ).name
    'mine'
    """

    name: str
    controls: tuple[str, ...]
    """The literals of the control tokens: added tokens of the tokenizer."""
    begin: str = ""
    """What stands before the first event."""
    separator: str = ""
    """What stands before every other event."""
    system: str | None = None
    """Layout with the slot `content`; None if the format has no system messages."""
    system_first: bool = False
    """Whether a system message may only be the first event."""
    default_system: str | None = None
    """The system message that the published template puts where none is given. It is never put here by
    itself: add it as a message."""
    definitions: Definitions | None = None
    """A message that describes tools; None if the format has none."""
    user: str
    """Layout with the slot `content`."""
    tools: Group | None = None
    """The results of tool calls; the item has the slot `content` and may have `name`, the tool's."""
    prompt: str
    """The generation prompt: what opens the assistant's turn."""
    prefill: str = ""
    """The part of the reply that belongs to the generation prompt, for example an opened reasoning."""
    reply: Reply = field(default_factory=Reply)
    closes: tuple[str, ...]
    """The control tokens that end a turn of the assistant; the first one is put by `close`. A tokenizer may
    lack the others."""
    tools_open_turn: bool = False
    """Whether the assistant's turn goes on behind tool results without a generation prompt, and may only
    begin behind a user's message or tool results."""

    def __post_init__(self) -> None:
        _check_types(self)
        _check_controls(self)
        check_template(self)
        Replies(self)  # checks itself

    def to_data(self) -> dict[str, Any]:
        """The template as JSON values."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Template:
        """The template that `to_data` wrote. Raises `InvalidTemplate`."""
        try:
            given = {name: _frozen(value) for name, value in data.items()}
            reply = {name: _frozen(value) for name, value in given["reply"].items()}
            kinds = ((given, "tools", Group), (given, "definitions", Definitions), (reply, "calls", Group))
            for part, name, kind in kinds:
                part[name] = None if part[name] is None else kind(**part[name])
            return cls(**{**given, "reply": Reply(**reply)})
        except (AttributeError, KeyError, TypeError) as error:
            raise InvalidTemplate(f"the data is no template: {error}") from None


def _frozen(value: object) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _check_types(template: Template) -> None:
    groups = (template.tools, template.definitions, getattr(template.reply, "calls", None))
    for owner in (template, template.reply, *(group for group in groups if group is not None)):
        for one in fields(owner):
            value = getattr(owner, one.name)
            kind = str(one.type)
            well = {
                "str": isinstance(value, str),
                "str | None": value is None or isinstance(value, str),
                "bool": isinstance(value, bool),
                "Group | None": value is None or isinstance(value, Group),
                "Definitions | None": value is None or isinstance(value, Definitions),
                "Reply": isinstance(value, Reply),
                "tuple[str, ...]": isinstance(value, tuple) and all(isinstance(v, str) for v in value),
            }[kind]
            if not well:
                raise InvalidTemplate(f"{type(owner).__name__}.{one.name} must be a {kind}, not {value!r}")


def _check_controls(template: Template) -> None:
    reply = template.reply
    parts = {reply.reasoning_close, reply.content_close, reply.call_close} - {""}
    for name, literals in (("controls", template.controls), ("closes", template.closes)):
        if not literals or len(set(literals)) < len(literals) or "" in literals:
            raise InvalidTemplate(f"{name} must be distinct literals, at least one: {literals!r}")
    for literal in template.closes:
        if literal not in template.controls:
            raise InvalidTemplate(f"{literal!r} closes a turn and is not among the controls")
    for literal in parts:
        if literal not in template.closes:
            raise InvalidTemplate(f"{literal!r} closes a part of a reply and is not among the closes")
