"""The kernels compile with CUDA's own compiler, where there is no GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from verified_tok.gpu import compile as gpu_compile

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
    monkeypatch.setattr(gpu_compile, "KERNELS", broken)
    with pytest.raises(RuntimeError, match="no_such_name"):
        gpu_compile.compile_kernels()
