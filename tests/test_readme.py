"""Every example in the README does what the README says."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from verified_tok.fetch import open_family
from verified_tok.visible import piece_text

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")


def shell_examples() -> list[tuple[str, str]]:
    """The commands after `$`, each with the lines that follow it."""
    block = re.findall(r"^    \$ (.*)\n((?:    (?!\$ ).*\n)*)", TEXT, re.MULTILINE)
    return [(command, re.sub(r"^    ", "", shown, flags=re.MULTILINE)) for command, shown in block]


def test_python_examples():
    failed, tried = doctest.testfile(str(README), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 5
    assert failed == 0


@pytest.mark.parametrize(("command", "shown"), shell_examples())
def test_shell_examples(command, shown):
    program = f"{shlex.quote(sys.executable)} -m verified_tok.cli"
    command = re.sub(r"\bverified-tok\b", program, command)
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert words(done.stdout) == words(shown)


def words(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert targets
    for target in targets:
        assert (README.parent / target).exists(), target


def test_theorems_that_are_named_exist():
    for names, target in re.findall(r"\[(`[^\]]+`)\]\((lean/[^)]+)\)", TEXT):
        source = (README.parent / target).read_text(encoding="utf-8")
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"^theorem {name}\b", source, re.MULTILINE), name


def test_cuts_that_are_shown():
    """The tokens between bars are those of the tokenizer that the heading names."""
    [(family, shown)] = re.findall(r"^ +tokens of (\S+)\n((?:.*│.*\n)+)", TEXT, re.MULTILINE)
    samples = tomllib.loads((files("verified_tok.cli") / "samples.toml").read_text("utf-8"))["sample"]
    texts = {sample["name"]: sample["text"] for sample in samples}
    tok = open_family(family)
    for line in shown.splitlines():
        name, tokens = line.split(maxsplit=1)
        pieces = [piece_text(tok.id_to_bytes(id)) for id in tok.encode(texts[name])]
        assert "│".join(pieces) == tokens
