"""The manifest of theorems, the Lean files, the tests and `proofs.md` say the same.

That every theorem of the manifest is proved, and what it rests on, is checked by `python -m spec.lean check`.
"""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

from spec.ledger import PROOFS, REPOSITORY, SEAMS, Theorem, rewritten, sections, theorems
from spec.seams import facts, row

THEOREMS = theorems()
DECLARATION = re.compile(r"^\s*(?:@\[[^\]]*\]\s*)*theorem ([^\s:({\[]+)", re.MULTILINE)


@cache
def functions_of(file: str) -> set[str]:
    """The names of all functions of a file."""
    tree = ast.parse((REPOSITORY / file).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@cache
def lean_theorems() -> set[str]:
    """The last parts of the names of all theorems in the Lean files."""
    files = (REPOSITORY / "lean" / "VerifiedTok").rglob("*.lean")
    return {name for file in files for name in DECLARATION.findall(file.read_text("utf-8"))}


def python_object(name: str) -> object:
    """What a dotted name below `verified_tok` stands for: a module, or something in one."""
    parts = ["verified_tok", *name.split(".")]
    for size in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:size]))
        except ModuleNotFoundError:
            continue
        for part in parts[size:]:
            found = getattr(found, part)
        return found
    raise AssertionError(name)


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda t: t.lean)
def test_every_entry_names_what_exists(theorem: Theorem) -> None:
    assert python_object(theorem.python) is not None
    file, _, function = theorem.test.partition("::")
    assert function.partition("[")[0] in functions_of(file)
    name = theorem.lean.removeprefix("VerifiedTok.")
    assert any(name == known or name.endswith(f".{known}") for known in lean_theorems())
    assert theorem.statement.endswith(".")


def test_no_theorem_is_listed_twice() -> None:
    names = [theorem.lean for theorem in THEOREMS]
    assert len(names) == len(set(names))


def test_the_ledger_shows_every_theorem_in_its_section() -> None:
    text = PROOFS.read_text("utf-8")
    assert rewritten(text) == text
    assert {theorem.section for theorem in THEOREMS} == set(sections(text))
    headings = set(re.findall(r"^## (.+)$", text, re.MULTILINE))
    assert set(sections(text)) <= headings


def test_only_what_the_kernel_checked_is_called_proven() -> None:
    """A section says PROVEN only if its theorems are in the manifest."""
    text = PROOFS.read_text("utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        if "PROVEN" in body and heading in {theorem.section for theorem in THEOREMS}:
            continue
        assert "**PROVEN" not in body, heading


def test_links_of_the_ledger_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", PROOFS.read_text("utf-8")):
        assert (REPOSITORY / target).exists(), target


def test_theorem_files_are_not_imported_by_definitions() -> None:
    for file in (REPOSITORY / "lean" / "VerifiedTok" / "Spec").rglob("*.lean"):
        assert "VerifiedTok.Thm" not in Path(file).read_text("utf-8"), file


@pytest.mark.parametrize("family", ["gpt2", "deepseek-v3", "llama-2"])
def test_seams_of_real_tokenizers_are_as_the_ledger_says(family: str) -> None:
    block = SEAMS.search(PROOFS.read_text("utf-8"))
    assert block is not None
    rows = [line for line in block[0].splitlines() if line.startswith("| ")]
    names = [line.split("|")[1].strip().split(", ") for line in rows]
    [(written, alike)] = [pair for pair in zip(rows, names, strict=True) if family in pair[1]]
    assert written == row(alike, facts(family))
