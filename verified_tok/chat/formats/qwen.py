"""ChatML and the Qwen formats, which put tool calls and tool results into it.

A newline follows `<|im_end|>`; the engine stops before it, so it is the separator: it belongs to the event
that comes next.
"""

from __future__ import annotations

from dataclasses import replace

from verified_tok.chat.template import Definitions, Group, Reply, Template

_CALL = '<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'
_TOOLS = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with "
    "function signatures within <tools></tools> XML tags:\n<tools>\n{tools}\n</tools>\n\nFor each function "
    "call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n"
    '<tool_call>\n{{"name": <function-name>, "arguments": <args-json-object>}}\n</tool_call><|im_end|>'
)
_DEFINITIONS = Definitions(layout=f"<|im_start|>system\n{{content}}\n\n{_TOOLS}", between="\n")
_THINK = "<think>\n{reasoning}\n</think>\n\n"

CHATML = Template(
    name="chatml",
    controls=("<|im_start|>", "<|im_end|>"),
    separator="\n",
    system="<|im_start|>system\n{content}<|im_end|>",
    user="<|im_start|>user\n{content}<|im_end|>",
    prompt="<|im_start|>assistant\n",
    closes=("<|im_end|>",),
)
"""ChatML alone, without tools."""

QWEN2_5 = replace(
    CHATML,
    name="qwen2.5",
    controls=(*CHATML.controls, "<tool_call>", "</tool_call>"),
    default_system="You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
    definitions=_DEFINITIONS,
    tools=Group(
        open="<|im_start|>user",
        item="\n<tool_response>\n{content}\n</tool_response>",  # all of it is text of one run
        close="<|im_end|>",
    ),
    reply=Reply(calls=Group(item=_CALL), before_calls="\n", between_calls="\n"),
)
"""Qwen2.5 Instruct."""

_WITH_RESPONSES = replace(
    QWEN2_5,
    controls=(*QWEN2_5.controls, "<tool_response>", "</tool_response>", "<think>", "</think>"),
    default_system=None,
    definitions=replace(_DEFINITIONS, alone=f"<|im_start|>system\n{_TOOLS}"),
)

QWEN3_INSTRUCT_2507 = replace(_WITH_RESPONSES, name="qwen3-instruct-2507")
"""Qwen3 Instruct 2507, which has no reasoning. (A sampled one is read all the same.)"""

QWEN3 = replace(
    _WITH_RESPONSES,
    name="qwen3",
    reply=replace(_WITH_RESPONSES.reply, reasoning=_THINK, always_reasoning=True),
)
"""Qwen3 in append mode: the model writes its reasoning, and every turn keeps it."""

QWEN3_NO_THINKING = replace(QWEN3, name="qwen3-no-thinking", prefill="<think>\n\n</think>\n\n")
"""Qwen3 with `enable_thinking=False`: the generation prompt holds an empty reasoning."""

QWEN3_THINKING_2507 = replace(QWEN3, name="qwen3-thinking-2507", prefill="<think>\n")
"""Qwen3 Thinking 2507: the generation prompt opens the reasoning."""
