"""Fixtures that several test modules share: the real tokenizer files, by family name, and the kernels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from verified_tok.fetch import fetch
from verified_tok.gpu.emulator import build_emulator

# No deadline for a single example: a panic of an engine takes long, and so does anything on a busy machine.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")


@pytest.fixture(scope="session")
def family_file() -> Callable[[str], Path]:
    """`family_file("qwen3")` is the path of that family's real file, fetched on first use."""
    return fetch


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The GPU kernels, compiled for this machine's processor."""
    return build_emulator(tmp_path_factory.mktemp("emulator"))
