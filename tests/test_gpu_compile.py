"""The kernels compile with CUDA's own compiler, where there is no GPU."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from verified_tok.gpu import compile as gpu_compile
from verified_tok.gpu import source

KERNELS = [
    "add_groups",
    "count_parts",
    "encode_parts",
    "encode_parts_placed",
    "gather_parts",
    "list_left",
    "normalize_parts",
    "place_parts",
    "place_texts",
    "spread_sums",
]


def test_every_kernel_compiles_and_keeps_its_registers() -> None:
    uses = gpu_compile.compile_kernels()
    assert [use.name for use in uses] == KERNELS
    for use in uses:
        assert 0 < use.registers < 255
        assert use.spilled == 0


def test_an_error_shows_the_compilers_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "kernels.cu"
    broken.write_text('#include "seams.h"\n__global__ void kernel() { no_such_name(); }\n')
    monkeypatch.setattr(source, "KERNELS", broken)
    with pytest.raises(RuntimeError, match="no_such_name"):
        gpu_compile.compile_kernels()


def test_the_source_is_another_when_a_header_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = source.kernel_source()
    assert before == source.kernel_source()
    assert before.endswith(source.KERNELS.read_text("utf-8"))
    shutil.copytree(source.HEADERS, tmp_path / "headers", ignore=shutil.ignore_patterns("*.so"))
    monkeypatch.setattr(source, "HEADERS", tmp_path / "headers")
    assert before == source.kernel_source()
    header = tmp_path / "headers" / "seams.h"
    header.write_text(header.read_text() + "\n")
    assert before != source.kernel_source()
