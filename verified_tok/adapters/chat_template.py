"""Chat templates as `transformers` runs them: Jinja, in a sandbox, with its filters and tags."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from verified_tok.errors import ChatTemplateError, MissingDependency

try:
    import jinja2
    import jinja2.exceptions
    import jinja2.ext
    import jinja2.nodes
    import jinja2.parser
    import jinja2.sandbox
    import jinja2.utils
except ImportError as error:
    raise MissingDependency("chat templates need Jinja; pip install 'verified-tok[templates]'") from error

_REASONING = ("reasoning_content", "thinking", "reasoning")
_TOKENS = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_DATE = datetime(2026, 1, 1)
"""Templates that print today's date print this one, so that two renderings on two days are the same."""


class ChatTemplate:
    """A chat template; renders messages to one string.

    `special_tokens` are the variables that templates print, such as `bos_token`. `date` is what they take
    for today. A tokenizer of `transformers` has both: `tokenizer.chat_template` and
    `tokenizer.special_tokens_map`. Raises `ChatTemplateError` if it is no Jinja template.

    >>> template = ChatTemplate("{% for m in messages %}[{{ m.role }}] {{ m.content }}\\n{% endfor %}")
    >>> template.render([{"role": "user", "content": "Hi"}])
    '[user] Hi\\n'
    """

    def __init__(
        self, source: str, special_tokens: Mapping[str, str] | None = None, date: datetime = _DATE
    ) -> None:
        if not isinstance(source, str):
            raise ChatTemplateError(f"a chat template is a string, not {source!r}: this model may have none")
        self.source = source
        self._variables: dict[str, object] = dict(special_tokens or {})
        environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, jinja2.ext.loopcontrols]
        )
        environment.filters["tojson"] = _to_json
        environment.globals["raise_exception"] = _refuse
        environment.globals["strftime_now"] = date.strftime
        environment.globals["namespace"] = _Namespace
        try:
            self._template = environment.from_string(source)
        except jinja2.TemplateSyntaxError as error:
            raise ChatTemplateError(f"line {error.lineno} of the chat template: {error}") from None

    @classmethod
    def from_file(
        cls, path: str | Path, name: str = "default", special_tokens: Mapping[str, str] | None = None
    ) -> ChatTemplate:
        """The template in a `.jinja` file, or in a `tokenizer_config.json` with its special tokens.

        A configuration may hold several; `name` chooses one. `special_tokens` go before the file's. Raises
        `ChatTemplateError` if there is none, OSError if the file cannot be read.
        """
        try:
            text = Path(path).read_text("utf-8")
        except UnicodeDecodeError as error:
            raise ChatTemplateError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None
        if Path(path).suffix != ".json":
            return cls(text, special_tokens)
        try:
            return cls.from_config(json.loads(text), name, special_tokens)
        except (json.JSONDecodeError, ChatTemplateError) as error:
            raise ChatTemplateError(f"{path}: {error}") from None

    @classmethod
    def from_config(
        cls, config: object, name: str = "default", special_tokens: Mapping[str, str] | None = None
    ) -> ChatTemplate:
        """The template of a `tokenizer_config.json` that has been parsed. Raises `ChatTemplateError`."""
        given = config.get("chat_template") if isinstance(config, Mapping) else None
        if isinstance(given, Sequence) and not isinstance(given, str):
            named = {one.get("name"): one.get("template") for one in given if isinstance(one, Mapping)}
            given = named.get(name)
        if not isinstance(config, Mapping) or not isinstance(given, str):
            raise ChatTemplateError(f"there is no chat template named {name!r}")
        tokens = {}
        for variable in _TOKENS:
            token = config.get(variable)
            content = token.get("content") if isinstance(token, Mapping) else token
            if isinstance(content, str):
                tokens[variable] = content
        return cls(given, tokens | dict(special_tokens or {}))

    def render(
        self,
        messages: Sequence[Mapping[str, object]],
        tools: Sequence[object] | None = None,
        add_generation_prompt: bool = False,
        **variables: object,
    ) -> str:
        """The rendered conversation. Raises `ChatTemplateError` if the template refuses it."""
        context = self._variables | variables
        try:
            return self._template.render(
                messages=[_with_reasoning(message) for message in messages],
                tools=tools,
                documents=None,
                add_generation_prompt=add_generation_prompt,
                **context,
            )
        except Exception as error:  # whatever a template runs into is its way to refuse a conversation
            raise ChatTemplateError(f"the chat template refuses the conversation: {error}") from None


class _Namespace(jinja2.utils.Namespace):
    """Holds no names that begin with an underscore: a template from elsewhere has no business with them."""

    def __init__(*args: Any, **attributes: Any) -> None:
        self, *rest = args  # so that a template may name an attribute `self`
        for name in (given := dict(*rest, **attributes)):
            _check_attribute(name)
        jinja2.utils.Namespace.__init__(self, given)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_attribute(name)
        super().__setitem__(name, value)


def _check_attribute(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(f"a namespace of a chat template cannot hold {name!r}")


def _with_reasoning(message: Mapping[str, object]) -> Mapping[str, object]:
    """An assistant's reasoning under the names that templates know it by."""
    reasoning = next((message[name] for name in _REASONING if message.get(name) is not None), None)
    if reasoning is None:
        return message
    return {"thinking": reasoning, **message, "reasoning_content": reasoning}


class _Generation(jinja2.ext.Extension):
    """`{% generation %}…{% endgeneration %}` marks what an assistant says; what stands in it is printed."""

    tags = {"generation"}  # noqa: RUF012 (Jinja's own declaration)

    def parse(self, parser: jinja2.parser.Parser) -> jinja2.nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_print"), [], [], body).set_lineno(line)

    def _print(self, caller: Any) -> str:
        printed: str = caller()
        return printed


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _refuse(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)
