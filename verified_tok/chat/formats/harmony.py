"""Harmony, the format of gpt-oss.

Every message of a channel is a span of its own with a close of its own; sampling may go through several of
them. What the format calls the system message (who the model is, the day, the effort of reasoning) stands at
the beginning; system messages of a chat are its developer messages.
"""

from __future__ import annotations

from verified_tok.chat.template import Definitions, Group, Reply, Template

_BRACES = str.maketrans({"{": "{{", "}": "}}"})
_MESSAGE = "<|message|>{arguments}"
_TO = "to=functions.{name}"
_FUNCTIONS = (
    "# Tools\n\n## functions\n\nnamespace functions {{\n\n{tools:typescript}\n\n}} // namespace functions"
    "<|end|>"
)
_DEFINITIONS = Definitions(
    layout=f"<|start|>developer<|message|># Instructions\n\n{{content}}\n\n{_FUNCTIONS}",
    alone=f"<|start|>developer<|message|>{_FUNCTIONS}",
    between="\n\n",
)


def harmony(
    date: str = "2025-08-05",
    reasoning_effort: str = "medium",
    identity: str = "You are ChatGPT, a large language model trained by OpenAI.",
    tools: bool = False,
) -> Template:
    """The format for a day and an effort. With `tools`, a system message may describe functions (its key
    `tools`), and the format's own system message says where calls go."""
    head = (
        f"{identity}\nKnowledge cutoff: 2024-06\nCurrent date: {date}\n\nReasoning: {reasoning_effort}\n\n"
        "# Valid channels: analysis, commentary, final. Channel must be included for every message."
    ).translate(_BRACES)
    functions = "\nCalls to these tools must go to the commentary channel: 'functions'." if tools else ""
    return Template(
        name="harmony",
        controls=(
            "<|start|>",
            "<|channel|>",
            "<|constrain|>",
            "<|message|>",
            "<|end|>",
            "<|return|>",
            "<|call|>",
        ),
        begin=f"<|start|>system<|message|>{head}{functions}<|end|>",
        system="<|start|>developer<|message|># Instructions\n\n{content}\n\n<|end|>",
        definitions=_DEFINITIONS if tools else None,
        user="<|start|>user<|message|>{content}<|end|>",
        tools=Group(
            item="<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{content:json}<|end|>"
        ),
        prompt="<|start|>assistant",
        reply=Reply(
            parts=True,
            reasoning="<|channel|>analysis<|message|>{reasoning}",
            content="<|channel|>final<|message|>{content}",
            calls=Group(item=f" {_TO}<|channel|>commentary json{_MESSAGE}"),
            call_close="<|call|>",
            several_calls=False,
            content_with_calls=False,
            also_reads=(
                f" {_TO}<|channel|>commentary <|constrain|>json{_MESSAGE}",
                f" {_TO}<|channel|>commentary<|constrain|>json{_MESSAGE}",
                f" {_TO}<|channel|>commentary{_MESSAGE}",
                f"<|channel|>commentary {_TO} <|constrain|>json{_MESSAGE}",
                f"<|channel|>commentary {_TO}<|constrain|>json{_MESSAGE}",
                f"<|channel|>commentary {_TO} json{_MESSAGE}",
                f"<|channel|>commentary {_TO}{_MESSAGE}",
                "<|channel|>commentary<|message|>{content}",
            ),
        ),
        closes=("<|end|>", "<|return|>", "<|call|>"),
    )


HARMONY = harmony()
"""Harmony on the day of the release of gpt-oss, with medium effort."""
