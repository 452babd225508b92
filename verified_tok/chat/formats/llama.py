"""Llama 3.1."""

from __future__ import annotations

from verified_tok.chat.template import Definitions, Group, Reply, Template

_BRACES = str.maketrans({"{": "{{", "}": "}}"})
_HEADER = "<|start_header_id|>{role}<|end_header_id|>\n\n"
_HOW = (
    'Respond in the format {{"name": function name, "parameters": dictionary of argument name and its '
    "value}}.Do not use variables.\n\n{tools:indented}\n\n{content}<|eot_id|>"
)


def llama3_1(date: str = "26 Jul 2024", tools_in_user_message: bool = False) -> Template:
    """Llama 3.1 Instruct. The published template always writes a system message, with the day in it: add one,
    empty if need be.

    Tools are described in the system message, as the published template does if its variable
    `tools_in_user_message` is false. By default it is true there: it describes them in the first user's
    message, which then has the key `tools` here, and its system message says that there are some.
    """
    system = _HEADER.format(role="system")
    day = f"Cutting Knowledge Date: December 2023\nToday Date: {date.translate(_BRACES)}\n\n"
    tools_there = "Environment: ipython\n"
    by_system = (
        f"{system}{tools_there}{day}You have access to the following functions. To call a function, please "
        f"respond with JSON for a function call.{_HOW}"
    )
    by_user = (
        f"{_HEADER.format(role='user')}Given the following functions, please respond with a JSON for a "
        f"function call with its proper arguments that best answers the given prompt.\n\n{_HOW}"
    )
    return Template(
        name="llama3.1",
        controls=(
            "<|begin_of_text|>",
            "<|start_header_id|>",
            "<|end_header_id|>",
            "<|eot_id|>",
            "<|eom_id|>",
        ),
        begin="<|begin_of_text|>",
        system=f"{system}{tools_there if tools_in_user_message else ''}{day}{{content}}<|eot_id|>",
        default_system="",
        definitions=Definitions(
            layout=by_user if tools_in_user_message else by_system,
            between="\n\n",
            in_user_message=tools_in_user_message,
        ),
        user="<|start_header_id|>user<|end_header_id|>\n\n{content}<|eot_id|>",
        tools=Group(item="<|start_header_id|>ipython<|end_header_id|>\n\n{content:json}<|eot_id|>"),
        prompt="<|start_header_id|>assistant<|end_header_id|>\n\n",
        reply=Reply(
            calls=Group(item='{{"name": "{name}", "parameters": {arguments}}}'),
            several_calls=False,
            content_with_calls=False,
        ),
        closes=("<|eot_id|>", "<|eom_id|>"),
    )


LLAMA3_1 = llama3_1()
"""Llama 3.1 Instruct, on the day of its release."""
