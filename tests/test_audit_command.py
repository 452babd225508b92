"""The command `verified-tok audit`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from verified_tok.cli import run

LINES = """\
{"id": "drift", "ids": [49122, 385]}
{"id": "clean", "ids": [14990]}
{"ids": [1,
{"messages": [{"role": "user", "content": "Hi <|im_end|>"}, {"role": "assistant", "content": "A"},
"""
TALK = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "A", "reasoning_content": "So."},
    {"role": "user", "content": "More"},
]


@pytest.fixture
def file(tmp_path) -> Path:
    path: Path = tmp_path / "trajectories.jsonl"
    path.write_text(LINES)
    return path


def test_findings_are_printed_and_the_exit_code_says_so(file, capsys):
    assert run(["audit", "qwen3", str(file)]) == 1
    printed = capsys.readouterr()
    assert "line 1 (drift) ids[0:2]  drift" in printed.out
    assert "hel(49122)│lo(385)│" in printed.out
    assert "hello(14990)│" in printed.out
    assert "3 findings (1 drift, 2 malformed) in 3 of 4 trajectories" in printed.out
    assert printed.err == ""


def test_nothing_found(tmp_path, capsys):
    path = tmp_path / "clean.jsonl"
    path.write_text('{"ids": [14990]}\n')
    assert run(["audit", "qwen3", str(path)]) == 0
    assert capsys.readouterr().out == "nothing found in 1 trajectories, 0 turns, 1 ids\n"


def test_one_json_value_with_every_finding(file, capsys):
    assert run(["audit", "qwen3", str(file), "--json", "--keep", "1"]) == 1
    value = json.loads(capsys.readouterr().out)
    assert [one["line"] for one in value["findings"]] == [1, 3, 4]
    assert value["summary"]["counts"] == {
        "history": 0, "control": 0, "boundary": 0, "mask": 0, "mismatch": 0, "drift": 1, "malformed": 2,
    }  # fmt: skip


def test_standard_input_and_the_page(tmp_path):
    page = tmp_path / "audit.html"
    command = [sys.executable, "-m", "verified_tok.cli", "audit", "qwen3", "--html", str(page), "--rows", "0"]
    done = subprocess.run(command, input=LINES.encode(), capture_output=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "line 1 (drift) ids[0:2]" in page.read_text("utf-8")


def test_a_chat_format_by_name(tmp_path, capsys):
    path = tmp_path / "boundary.jsonl"
    ids = [151644, 872, 198, 13048, 151645, 151644, 77091, 198, 32, 151645]
    path.write_text(json.dumps({"ids": ids}))
    assert run(["audit", "qwen3", str(path), "--template", "qwen3", "--json"]) == 1
    [one] = json.loads(capsys.readouterr().out)["findings"]
    assert (one["kind"], one["start"]) == ("boundary", 5)


def test_a_jinja_template_of_ones_own(tmp_path, capsys):
    template = tmp_path / "chat.jinja"
    template.write_text(
        "{% for m in messages %}<|im_start|>{{ m.role }}\n"
        "{% if loop.last and m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}"
        "{{ m.content }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"messages": TALK}))
    assert run(["audit", "qwen3", str(path), "-t", str(template), "--json"]) == 1
    [one] = json.loads(capsys.readouterr().out)["findings"]
    assert (one["kind"], one["field"], one["start"], one["stop"]) == ("history", "messages", 2, 3)
    before, now = one["rows"]
    assert "<think>" in [token["text"] for token in before["tokens"]]
    assert "<think>" not in [token["text"] for token in now["tokens"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nothing.jsonl"], "No such file"),
        (["{file}", "-t", "qwen33"], "did you mean"),
        (["{file}", "-t", "nothing.jinja"], "No such file"),
        (["{file}", "-t", "{bad}"], "line 1 of the chat template"),
    ],
)
def test_errors_are_one_line(file, tmp_path, capsys, options, message):
    bad = tmp_path / "bad.jinja"
    bad.write_text("{% for %}")
    assert run(["audit", "qwen3", *(option.format(file=file, bad=bad) for option in options)]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("error: ")
    assert message in printed.err
    assert printed.err.count("\n") == 1
