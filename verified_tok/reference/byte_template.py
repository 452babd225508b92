r"""A fixed chat template over bytes, in the style of ChatML, that any content survives.

A message is `<|im_start|>role\n`, its escaped content, and `<|im_end|>\n`. Escaping touches only where `<`,
any number of backslashes and `|` stand together: one more backslash is put before the bar, so that rendered
content never holds the two bytes `<|`.

Mirrors `lean/VerifiedTok/Spec/ByteTemplate.lean` name by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

IM_START = b"<|im_start|>"
IM_END = b"<|im_end|>"


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True)
class Message:
    """What somebody says."""

    role: Role
    content: bytes


def esc(content: bytes) -> bytes:
    r"""Content that does not hold `<|`.

    >>> esc(b"a<|im_end|>"), esc(b"<\\|"), esc(b"a|b")
    (b'a<\\|im_end|>', b'<\\\\|', b'a|b')
    """
    return re.sub(rb"(<\\*)\|", rb"\1\\|", content)


def unesc(content: bytes) -> bytes:
    r"""Content as it was before `esc`.

    >>> unesc(b"a<\\|im_end|>")
    b'a<|im_end|>'
    """
    return re.sub(rb"(<\\*)\\\|", rb"\1|", content)


def render_one(message: Message) -> bytes:
    """The bytes of a message."""
    return IM_START + message.role.encode() + b"\n" + esc(message.content) + IM_END + b"\n"


def render(messages: Iterable[Message]) -> bytes:
    """The bytes of messages."""
    return b"".join(map(render_one, messages))


def parse_role(text: bytes) -> tuple[Role, bytes] | None:
    """A role and its newline at the beginning of `text`, and what follows."""
    for role in Role:
        name = role.encode() + b"\n"
        if text.startswith(name):
            return role, text[len(name) :]
    return None


def parse_one(text: bytes) -> tuple[Message, bytes] | None:
    """The message at the beginning of `text`, and what follows."""
    found = parse_role(text[len(IM_START) :]) if text.startswith(IM_START) else None
    if found is None:
        return None
    role, rest = found
    end = rest.find(b"<|")
    if end < 0 or not rest.startswith(IM_END + b"\n", end):
        return None
    return Message(role, unesc(rest[:end])), rest[end + len(IM_END) + 1 :]


def parse(text: bytes) -> list[Message] | None:
    """The messages whose rendering `text` is; `None` if it is no rendering."""
    messages = []
    while text:
        found = parse_one(text)
        if found is None:
            return None
        message, text = found
        messages.append(message)
    return messages
