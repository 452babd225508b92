"""The command `verified-tok stability`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from genuine import TRL

from verified_tok.adapters.chat_template import ChatTemplate
from verified_tok.adapters.stability import stability
from verified_tok.cli import run
from verified_tok.fetch import read_member

APPENDS = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"


@pytest.fixture
def qwen3(tmp_path) -> Path:
    path: Path = tmp_path / "qwen3.jinja"
    path.write_bytes(read_member(TRL, "trl/chat_templates/qwen3.jinja"))
    return path


def test_what_is_rewritten_is_a_table(qwen3, capsys):
    assert run(["stability", str(qwen3), "--turns", "1"]) == 1
    printed = capsys.readouterr()
    head, first, *rest = printed.out.splitlines()
    assert head.split() == ["conversation", "|", "what", "comes", "changes", "it", "was", "it", "becomes"]
    assert first.startswith("user, answer | user  ")
    assert "'m_end|>\\n<|im_start|>assistant\\n<think>\\n\\n</think>\\n\\nA line.<|im'" in first
    found = stability(ChatTemplate.from_file(qwen3), 1)
    looked = len(found.stable) + len(found.unstable)
    assert rest[-1] == f"append-stable on {len(found.stable)} of {looked} kinds of conversations"
    assert len(rest) >= len(found.rewrites) + 1
    assert printed.err == ""


def test_one_json_value(qwen3, capsys):
    assert run(["stability", str(qwen3), "--turns", "1", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == stability(ChatTemplate.from_file(qwen3), 1).to_json()


def test_a_configuration_with_several_templates(tmp_path, capsys):
    path = tmp_path / "tokenizer_config.json"
    newest = "{% for m in messages | reverse %}{{ m.content }}{% endfor %}"
    named = [{"name": "default", "template": APPENDS}, {"name": "newest", "template": newest}]
    path.write_text(json.dumps({"chat_template": named}))
    assert run(["stability", str(path)]) == 0
    printed = capsys.readouterr().out
    assert printed == "append-stable on 170 of 170 kinds of conversations\n"
    assert run(["stability", str(path), "--name", "newest"]) == 1
    assert "user | answer" in capsys.readouterr().out


def test_what_is_refused(tmp_path, capsys):
    path = tmp_path / "two.jinja"
    path.write_text(
        "{% for m in messages %}{% if m.tool_calls and m.tool_calls | length > 1 %}"
        "{{ raise_exception('[one]') }}{% endif %}{{ m.content }}{% endfor %}"
    )
    assert run(["stability", str(path), "--turns", "1"]) == 0
    assert "refused: 4 kinds, the first user, two calls" in (printed := capsys.readouterr().out)
    assert "[one]" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{folder}/nothing.jinja"], "No such file"),
        (["{folder}/bad.jinja"], "line 1 of the chat template"),
        (["{folder}/none.json"], "there is no chat template named 'default'"),
        (["{folder}/bad.jinja", "--turns", "9"], "less than or equal to 3"),
        ([], "Missing argument 'TEMPLATE'"),
    ],
)
def test_errors_are_one_line(tmp_path, capsys, arguments, message):
    (tmp_path / "bad.jinja").write_text("{% for %}")
    (tmp_path / "none.json").write_text("{}")
    assert run(["stability", *(one.format(folder=tmp_path) for one in arguments)]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("error: ")
    assert message in printed.err
    assert printed.err.count("\n") == 1
