"""Llama 3.1."""

from __future__ import annotations

from verified_tok.chat.template import Group, Reply, Template

_BRACES = str.maketrans({"{": "{{", "}": "}}"})


def llama3_1(date: str = "26 Jul 2024") -> Template:
    """Llama 3.1 Instruct. The published template always writes a system message, with the day in it: add one,
    empty if need be."""
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
        system=(
            "<|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\n"
            f"Today Date: {date.translate(_BRACES)}\n\n{{content}}<|eot_id|>"
        ),
        default_system="",
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
