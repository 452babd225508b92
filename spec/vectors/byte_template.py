"""Vectors for `Spec/ByteTemplate.lean`: messages, their bytes, and bytes that are no rendering."""

from __future__ import annotations

from collections.abc import Iterator

from spec.vectors import lean_text as lean
from verified_tok.reference.byte_template import Message, Role, esc, parse, render, unesc

CONTENTS = (
    b"",
    b"a\n",
    b"<|",
    b"<\\|",
    b"<\\\\|x",
    b"<<|>|",
    b"\\|",
    b"<|im_end|>\n",
    b"<\\",
    b"<a|",
    b"<\\<|",
)
TALKS = (
    (),
    (Message(Role.SYSTEM, b""),),
    (Message(Role.USER, b"<|im_end|>\n"), Message(Role.ASSISTANT, b"<\\|")),
    (Message(Role.TOOL, b"\n"), Message(Role.USER, b"|<|"), Message(Role.ASSISTANT, b"ab")),
)
OTHERS = (
    b"a",
    b"<|im_start|>user\n",
    b"<|im_start|>users\n<|im_end|>\n",
    b"<|im_start|>user\na<|im_end|>",
    b"<|im_start|>user\na<|b<|im_end|>\n",
    b"<|im_start|>tool\n<\\\\|<|im_end|>\n",
)


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/ByteTemplate.lean`."""
    return lean.module("The fixed template", ["VerifiedTok.Spec.ByteTemplate"], _body())


def _body() -> Iterator[str]:
    yield "open ByteTemplate"
    yield ""
    yield "def data (ms : List Message) := ms.map fun m => (m.role.name, m.content)"
    yield ""
    for content in CONTENTS:
        yield lean.example(f"esc false {lean.nats(content)}", lean.nats(esc(content)))
        yield lean.example(f"unesc false {lean.nats(content)}", lean.nats(unesc(content)))
    yield ""
    for talk in TALKS:
        yield lean.example(f"render {_messages(talk)}", lean.nats(render(talk)))
    for text in (*map(render, TALKS), *OTHERS):
        found = parse(text)
        answer = None if found is None else f"data {_messages(found)}"
        yield lean.example(
            f"(parse {lean.nats(text)}).map data", "none" if answer is None else f"some ({answer})"
        )


def _messages(messages: list[Message] | tuple[Message, ...]) -> str:
    return "[" + ", ".join(f"⟨.{m.role}, {lean.nats(m.content)}⟩" for m in messages) + "]"
