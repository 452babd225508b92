"""DeepSeek V3.1.

A system message has neither header nor end, a user's message no end, and behind tool results the assistant's
turn goes on: there is no generation prompt.
"""

from __future__ import annotations

from dataclasses import replace

from verified_tok.chat.template import Group, Reply, Template

DEEPSEEK_V3_1 = Template(
    name="deepseek-v3.1",
    controls=(
        "<｜begin▁of▁sentence｜>",
        "<｜end▁of▁sentence｜>",
        "<｜User｜>",
        "<｜Assistant｜>",
        "<think>",
        "</think>",
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁call▁begin｜>",
        "<｜tool▁sep｜>",
        "<｜tool▁call▁end｜>",
        "<｜tool▁calls▁end｜>",
        "<｜tool▁output▁begin｜>",
        "<｜tool▁output▁end｜>",
    ),
    begin="<｜begin▁of▁sentence｜>",
    system="{content}",
    system_first=True,
    user="<｜User｜>{content}",
    tools=Group(item="<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>"),
    tools_open_turn=True,
    prompt="<｜Assistant｜>",
    prefill="<think></think>",
    reply=Reply(
        reasoning="<think>{reasoning}</think>",
        always_reasoning=True,
        calls=Group(
            open="<｜tool▁calls▁begin｜>",
            item="<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>",
            close="<｜tool▁calls▁end｜>",
        ),
    ),
    closes=("<｜end▁of▁sentence｜>",),
)
"""DeepSeek V3.1 without thinking."""

DEEPSEEK_V3_1_THINKING = replace(DEEPSEEK_V3_1, name="deepseek-v3.1-thinking", prefill="<think>")
"""DeepSeek V3.1 with `thinking=True`, in append mode: every turn keeps its reasoning."""
