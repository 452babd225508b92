"""The script for a machine with a GPU, on the emulator: it compares, it notices, it times."""

from __future__ import annotations

import json
import random
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from test_gpu_emulator import native_encoder, tokenizer

from bench import gpu
from bench.gpu import Divergence, Pair, block_sizes, check, compare, documents, pair, times
from verified_tok._core import native
from verified_tok.gpu import router
from verified_tok.gpu.counters import Counting
from verified_tok.gpu.emulator import Emulator
from verified_tok.gpu.encoder import DeviceEncoder
from verified_tok.gpu.lanes import Lanes
from verified_tok.native.seams import seam_sections

SOURCES = [Path(__file__).read_text("utf-8"), "Grüße aus Köln, 你好世界。 " * 300]


@pytest.fixture(autouse=True)
def opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "open_family", tokenizer)


def test_documents_are_of_all_lengths_and_hold_added_tokens() -> None:
    found = documents(SOURCES, ["<|end|>"], random.Random(0), 100_000)
    assert 100_000 <= sum(map(len, found)) < 110_000
    assert any("<|end|>" in text for text in found)
    assert min(map(len, found)) < 10
    assert found == documents(SOURCES, ["<|end|>"], random.Random(0), 100_000)
    assert found != documents(SOURCES, ["<|end|>"], random.Random(1), 100_000)


def test_families_are_compared(library: Path) -> None:
    lanes, out = Lanes(Emulator(library, 0), smallest=1 << 14), StringIO()
    check(["gpt-oss", "llama-2"], lanes, SOURCES, 20_000, 8_000, Console(file=out, width=1000))
    lines = out.getvalue().splitlines()
    assert [line.partition(":")[0] for line in lines] == ["gpt-oss", "llama-2"]
    assert all("the same" in line and "'failures': 0" in line for line in lines)


def test_other_ids_are_noticed_and_named(library: Path) -> None:
    """The device cuts where no seam is."""
    tok = tokenizer("gpt-oss")
    own = native_encoder(tok)
    sections = seam_sections(tok.seams())
    everywhere = native.Image.of({**sections, "seam_answers": np.full_like(sections["seam_answers"], 2)})
    lanes = Lanes(Emulator(library, 0), smallest=1 << 12, block=7)
    wrong = DeviceEncoder(tok.spec, own.engine, everywhere, lanes, Counting())
    with pytest.raises(Divergence, match="text 1: 'something long'"):
        compare(Pair(own, wrong, Counting()), ["a", "something long", "b"])


def test_everything_is_timed(library: Path) -> None:
    lanes = Lanes(Emulator(library, 0), smallest=1 << 12)
    rows = [*times("gpt-oss", "here", pair(tokenizer("gpt-oss"), lanes), SOURCES[0][:1500], repeats=1)]
    assert len({row.what for row in rows}) == len(rows) == 10
    rows += block_sizes("gpt-oss", "here", lanes.device, SOURCES[0][:1500], repeats=1)
    assert len(rows) == 15
    assert all(0 < row.median_ms <= row.p99_ms * 1.001 and row.speed > 0 for row in rows)
    assert all(1500 <= row.bytes <= 1600 for row in rows)


def test_the_whole_script(library: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lanes, out = Lanes(Emulator(library, 0), smallest=1 << 12), StringIO()
    monkeypatch.setattr(gpu, "cuda_lanes", lambda: lanes)
    monkeypatch.setattr(gpu, "text", lambda kind, size: SOURCES[0][:size])
    monkeypatch.setattr(gpu, "KINDS", {"here": None})
    monkeypatch.setattr(gpu, "FAMILIES", {"gpt-oss": None})
    monkeypatch.setattr(gpu, "TIMED", ("gpt-oss",))
    monkeypatch.setattr(gpu, "RESULT", tmp_path / "gpu.json")
    monkeypatch.setattr(router, "SIZES", (100,))
    monkeypatch.setattr(router, "cache_folder", lambda: tmp_path)
    gpu.run(Console(file=out, width=1000), gigabytes=1e-6, repeats=1, size=500)
    assert "the same" in out.getvalue()
    assert "faster than the CPU" in out.getvalue()
    found = json.loads((tmp_path / "gpu.json").read_text())
    assert found["device"] == "emulator"
    assert len(found["rows"]) == 2 * 10 + 5
