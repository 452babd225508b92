"""Templates: what is checked when one is made, and when it meets a tokenizer; messages, and replies."""

from __future__ import annotations

import doctest
import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_chat import FORMATS, TEXTS, form, tokenizer

import verified_tok as vt
from verified_tok import chat, conversation
from verified_tok.adapters.sampled import conversation_from_ids
from verified_tok.chat import Definitions, Format, Group, Reply, Template, layout, message, typescript
from verified_tok.chat import template as template_module
from verified_tok.chat.message import Assistant, System, ToolCall, ToolResult, User, check_message, to_message
from verified_tok.errors import InvalidMessage, InvalidOperation, InvalidTemplate
from verified_tok.reference import chat as reference
from verified_tok.reference.chat import Edge, Kind

PLAIN = Template(
    name="plain",
    controls=("<|im_start|>", "<|im_end|>"),
    separator="\n",
    system="<|im_start|>system\n{content}<|im_end|>",
    user="<|im_start|>user\n{content}<|im_end|>",
    prompt="<|im_start|>assistant\n",
    closes=("<|im_end|>",),
)


def test_examples():
    for module in (chat, conversation, layout, message, template_module, typescript):
        failed, tried = doctest.testmod(module)
        assert not failed, module
    assert tried


# --- a template of one's own -------------------------------------------------------------------------


def test_a_template_of_ones_own():
    ours = vt.Conversation(tokenizer(), PLAIN)
    ours.add([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}])
    assert ours.text == "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nhello<|im_end|>"


@pytest.mark.parametrize("known", chat.TEMPLATES.values(), ids=lambda known: known.name)
def test_templates_are_data(known):
    assert Template.from_data(json.loads(json.dumps(known.to_data()))) == known


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"controls": ()}, "controls must be distinct literals"),
        ({"controls": ("a", "a")}, "controls must be distinct literals"),
        ({"closes": ()}, "closes must be distinct literals"),
        ({"closes": ("<|eot|>",)}, "is not among the controls"),
        ({"reply": Reply(call_close="<|im_start|>")}, "not among the closes"),
        ({"user": 3}, "Template.user must be a str, not 3"),
        ({"tools": "x"}, "Template.tools must be a Group"),
        ({"reply": None}, "Template.reply must be a Reply"),
        ({"user": "<|im_start|>user<|im_end|>"}, "has no slot {content}"),
        ({"user": "<|im_start|>{content}{content}<|im_end|>"}, "has the slot 'content' twice"),
        ({"user": "<|im_start|>{text}<|im_end|>"}, "has a field 'text'; its slots are {content}"),
        ({"user": "<|im_start|>{content"}, "is malformed"),
        ({"user": "user: {content}\n"}, "cannot be read back"),
        ({"user": "<|im_start|>user\n{content}"}, "cannot be read back"),
        ({"user": "<|im_start|>system\n{content}<|im_end|>"}, "cannot be read back"),
        ({"system": "<|im_start|>assistant\n{content}<|im_end|>"}, "cannot be read back"),
        ({"prompt": "<|im_end|>"}, "generation prompt holds a control token that closes"),
        ({"prompt": "<|im_start|>{content}"}, "its slots are none"),
        ({"prefill": "<|im_start|>"}, "a reply without reasoning cannot be written"),
        ({"reply": Reply(content="{content}<|im_end|>")}, "holds '<|im_end|>', which closes"),
        ({"reply": Reply(content="x")}, "must have the slots content"),
        ({"reply": Reply(calls=Group(item="{name} {arguments}"), before_calls="{x}")}, "its slots are none"),
        ({"reply": Reply(calls=Group(item="{name}"))}, "must have the slots arguments, name"),
        ({"reply": Reply(calls=Group(item="{name}{arguments}"))}, "has nothing between"),
        ({"reply": Reply(parts=True, before_calls="\n")}, "replies in parts"),
        ({"tools": Group(item="{content}<|im_end|>{name}")}, "at the border"),
        ({"tools": Group(open="<|im_start|>tool", item="\n{content}\n{name}")}, "it is {content} alone"),
        ({"tools": Group(open="<|im_start|>", item="{content:xml}<|im_end|>")}, "has a field 'content'"),
        ({"definitions": Group(item="{tool}")}, "Template.definitions must be a Definitions"),
        ({"definitions": Definitions(layout="{content}", between="")}, "must have {content} and {tools}"),
        (
            {"definitions": Definitions(layout="{content}<|im_end|>{tools}", between="")},
            "with no control token between",
        ),
        ({"definitions": Definitions(layout="{content}{tools}", between="")}, "has nothing between"),
        ({"definitions": Definitions(layout="{content} {tools:json}", between="")}, "has a field 'tools'"),
        (
            {
                "definitions": Definitions(
                    layout="<|im_start|>x {content} {tools}<|im_end|>",
                    alone="<|im_start|>{tools}",
                    between="",
                )
            },
            "stand between the same control tokens",
        ),
        ({"definitions": Definitions(layout="{content} {tools}", between="")}, "cannot be read back"),
        (
            {"definitions": Definitions(layout="{content} {tools}", alone="{tools:indented}", between="")},
            "in one form, not in indented and text",
        ),
    ],
)
def test_templates_that_are_refused(change, match):
    with pytest.raises(InvalidTemplate) as error:
        replace(PLAIN, **change)
    assert match in str(error.value)


@pytest.mark.parametrize(
    "data", [{}, {"reply": 3}, PLAIN.to_data() | {"x": 1}, PLAIN.to_data() | {"tools": {"a": 1}}]
)
def test_data_that_is_no_template(data):
    with pytest.raises(InvalidTemplate, match="no template"):
        Template.from_data(data)


def test_templates_and_tokenizers():
    with pytest.raises(InvalidTemplate, match="did you mean qwen3"):
        vt.Conversation(tokenizer(), "qwen33")
    with pytest.raises(InvalidTemplate, match=r"a template is a name, .* not 3"):
        vt.Conversation(tokenizer(), 3)
    with pytest.raises(InvalidOperation, match="needs a tokenizer that was loaded, not 'qwen3'"):
        vt.Conversation("qwen3", "qwen3")
    with pytest.raises(InvalidTemplate, match=r"has no added token '<\|nothing\|>'"):
        Format(replace(PLAIN, controls=(*PLAIN.controls, "<|nothing|>")), tokenizer())
    with pytest.raises(InvalidTemplate, match=r"writes '</?tool_response>' as text"):
        Format(chat.known("qwen2.5"), tokenizer())  # one for Qwen3
    lacking = Format(
        replace(PLAIN, controls=(*PLAIN.controls, "<|more|>"), closes=("<|im_end|>", "<|more|>")), tokenizer()
    )
    assert len(lacking.stops) == 1
    with pytest.raises(InvalidTemplate, match="does not close a turn"):
        lacking.stop("<|more|>")


# --- messages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ("hi", "a message is a mapping"),
        ({}, "role must be one of"),
        ({"role": "robot", "content": ""}, "not 'robot'"),
        ({"role": ["user"], "content": ""}, "role must be one of"),
        ({"role": "user"}, "content must be a string"),
        ({"role": "user", "content": None}, "content must be a string"),
        ({"role": "user", "content": 3}, "content must be a string"),
        ({"role": "user", "content": {"type": "text", "text": "x"}}, "content must be a string"),
        (
            {"role": "user", "content": [{"type": "image_url", "image_url": "x"}]},
            r"content\[0\] must be a part",
        ),
        (
            {"role": "user", "content": [{"type": "text", "text": 1}]},
            r"content\[0\].text: the text must be a str",
        ),
        ({"role": "user", "content": "\ud800"}, "content: the text holds the lone surrogate"),
        ({"role": "user", "content": "x", "name": "bob"}, "a message of 'user' cannot have 'name'"),
        ({"role": "user", "content": "x", "tool_calls": [1]}, "cannot have 'tool_calls'"),
        ({"role": "assistant", "content": None}, "content must be a string"),
        ({"role": "assistant", "content": "", "refusal": "no"}, "cannot have 'refusal'"),
        ({"role": "assistant", "content": "", "tool_calls": {"a": 1}}, "tool_calls must be a list"),
        ({"role": "assistant", "content": "", "tool_calls": [3]}, r"tool_calls\[0\] must be a mapping"),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"type": "custom"}]},
            "only calls of type 'function'",
        ),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f"}}]},
            "'name' and 'arguments'",
        ),
        (
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"function": {"name": "f", "arguments": {1, 2}}}],
            },
            "is no JSON value",
        ),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": 1, "arguments": ""}}]},
            "function.name: the text must be a str",
        ),
        (
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"x": 1, "function": {"name": "f", "arguments": ""}}],
            },
            "cannot have 'x'",
        ),
        ({"role": "system", "content": "", "tools": "x"}, "tools must be a list"),
        ({"role": "system", "content": "", "tools": [{"a": float("nan")}]}, r"tools\[0\] is no JSON value"),
        ({"role": "tool", "content": "x", "tool_call_id": 3}, "tool_call_id: the text must be a str"),
    ],
)
def test_messages_that_are_refused(given, match):
    with pytest.raises(InvalidMessage, match=match):
        check_message(given)


def test_messages_of_client_libraries():
    """They have keys without values, and contents in parts."""
    given = {
        "role": "assistant",
        "content": None,
        "refusal": None,
        "annotations": [],
        "function_call": None,
        "tool_calls": [
            {"id": "a", "index": 0, "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ],
    }
    assert check_message(given) == Assistant("", None, (ToolCall("f", "{}", "a"),))
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert check_message({"role": "developer", "content": parts}) == System("ab")


TOOLS = st.dictionaries(st.sampled_from(["name", "x"]), TEXTS).map(partial(json.dumps, ensure_ascii=False))
CHECKED = st.one_of(
    st.builds(System, TEXTS, st.lists(TOOLS, max_size=2).map(tuple)),
    st.builds(System, st.none(), TOOLS.map(lambda tool: (tool,))),
    st.builds(User, TEXTS, st.lists(TOOLS, max_size=1).map(tuple)),
    st.builds(ToolResult, TEXTS, st.sampled_from(["f", "g"])),
    st.builds(
        Assistant,
        TEXTS,
        st.none() | TEXTS.filter(bool),
        st.lists(st.builds(ToolCall, st.sampled_from(["f", "g"]), TOOLS), max_size=2).map(tuple),
    ),
)


@given(checked=CHECKED)
def test_to_message_and_back(checked):
    assert check_message(to_message(checked)) == checked


# --- what is read back -------------------------------------------------------------------------------


@settings(max_examples=200)
@given(checked=CHECKED, data=st.data())
def test_messages_are_read_back_from_their_ids(checked, data):
    """If their event is canonical; a reply, unless its content has the shape of a call."""
    format = form(data.draw(st.sampled_from(FORMATS)))
    try:
        if isinstance(checked, Assistant):
            spans = format.reply(checked, Kind.USER)
            read = format.read_reply([span for span, _ in spans], Kind.USER)
            if "{" not in checked.content and not (checked.calls and checked.content.endswith("\n")):
                assert read == checked
            assert not any(id in format.stops for span, _ in spans for id in span)
            return
        event = format.event((checked,) if isinstance(checked, ToolResult) else checked)
        format.lead(Edge.START, event.kind)
    except InvalidMessage:
        return
    if reference.canonical(format.table, format.coder, Edge.START, [event]):
        [found] = format.parse(format.lead(Edge.START, event.kind) + format.body(event))
        assert isinstance(found, reference.FoundEvent)
        assert isinstance(found.event, reference.Message)
        said: Any = format.said(found.event)
        if isinstance(checked, ToolResult):
            [said] = said
            checked = replace(checked, name=said.name)
        assert said == checked


FUNCTIONS = st.fixed_dictionaries({"function": st.fixed_dictionaries({"name": TEXTS, "description": TEXTS})})


@settings(max_examples=100)
@given(
    template=st.sampled_from(
        [
            *(chat.known(name) for name in ("qwen3", "llama3.1")),
            *(chat.llama3_1(tools_in_user_message=True), chat.harmony(tools=True)),
        ]
    ),
    content=st.lists(st.sampled_from(["\n\n", "{}", "# Tools", "# Tools\n\n", "u"]) | TEXTS).map("".join),
    tools=st.lists(FUNCTIONS | TEXTS, min_size=1, max_size=3),
    lacks_content=st.booleans(),
)
def test_tools_are_read_back_from_their_ids(template, content, tools, lacks_content):
    """Always so that the message has the same ids; as they were given, if the format shows all of them."""
    role = "user" if template.name == "llama3.1" and template.definitions.in_user_message else "system"
    lacks_content = lacks_content and template.definitions.alone is not None
    given = {"role": role, "content": None if lacks_content else content, "tools": tools}
    ours = vt.Conversation(tokenizer(), template)
    ours.add(given)
    read = conversation_from_ids(tokenizer(), template, ours.ids)
    assert read.ids.tolist() == ours.ids.tolist()
    if all(isinstance(tool, dict) for tool in tools) and template.name != "harmony":
        assert "{}" in content or read.messages == [given]


def test_what_tools_cannot_be():
    with pytest.raises(
        InvalidMessage, match=r"tools\[1\]: 'description' of a tool must be a string, not None"
    ):
        vt.Conversation(tokenizer(), chat.harmony(tools=True)).add(
            {
                "role": "system",
                "content": None,
                "tools": ["x", {"function": {"name": "f", "description": None}}],
            }
        )
    deep: Any = {}
    for _ in range(100_000):
        deep = {"items": deep, "type": "array"}
    for nested in (
        deep,
        {"function": {"name": "f", "description": "", "parameters": {"properties": {"p": deep}}}},
    ):
        with pytest.raises(InvalidMessage, match=r"tools\[0\]"):
            vt.Conversation(tokenizer(), chat.harmony(tools=True)).add(
                {"role": "system", "content": None, "tools": [nested]}
            )


@given(
    text=st.lists(
        st.sampled_from(
            [
                "<think>",
                "</think>",
                "<tool_call>",
                "</tool_call>",
                "\n",
                "x",
                '{"name": "f", "arguments": {}}',
            ]
        )
    )
)
def test_every_sampled_text_is_some_message(text):
    """And nothing that looks like a call but is none is one."""
    format = form("qwen3")
    ids = tokenizer().encode("".join(text))
    read = format.read_reply([ids], Kind.USER)
    assert all(call.name == "f" and call.arguments == "{}" for call in read.calls)
    assert len(read.calls) <= text.count('{"name": "f", "arguments": {}}')
    shown = "".join([read.content, read.reasoning or "", *(call.name for call in read.calls)])
    assert shown.count("x") == "".join(text).replace('{"name": "f", "arguments": {}}', "").count("x")


@pytest.mark.parametrize(
    ("calls", "match"),
    [
        ([("f", "{")], "is no JSON"),
        ([('f"', "{}")], "cannot express the name"),
        ([("f", "{}", '{"name": "g", "arguments": {}}')], "raw does not say"),
    ],
)
def test_calls_that_cannot_be_read_back_are_refused(calls, match):
    message = Assistant("", None, tuple(ToolCall(name, text, None, *raw) for name, text, *raw in calls))
    with pytest.raises(InvalidMessage, match=match):
        form("qwen3").reply(message, Kind.USER)
