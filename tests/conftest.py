"""Fixtures that several test modules share: the real tokenizer files, by family name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verified_tok.fetch import fetch


@pytest.fixture(scope="session")
def family_file() -> Callable[[str], Path]:
    """`family_file("qwen3")` is the path of that family's real file, fetched on first use."""
    return fetch
