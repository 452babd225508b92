"""The vectors in lean/ are what the Python reference answers, and a wrong answer would not pass unseen.

That Lean agrees with them is checked by `python -m spec.lean check`, which the Lean tests run.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spec.vectors import MODULES
from spec.vectors.__main__ import FOLDER

IMPORT = re.compile(r"^public import VerifiedTok\.Vectors\.(\w+)$", re.MULTILINE)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_regenerating_gives_the_same_file(name: str) -> None:
    assert (FOLDER / f"{name}.lean").read_text(encoding="utf-8") == MODULES[name]()


def test_every_file_is_generated_and_reached_from_the_root_module() -> None:
    root = (FOLDER.parents[1] / "VerifiedTok.lean").read_text(encoding="utf-8")
    files = {path.stem for path in Path(FOLDER).glob("*.lean")}
    assert files == set(MODULES) == set(IMPORT.findall(root))


def test_there_are_enough_vectors_of_the_encoder() -> None:
    text = MODULES["Bpe"]()
    assert len(re.findall(r"^example : encodePiece ", text, re.MULTILINE)) >= 250
    assert text.count("example :") >= 400
