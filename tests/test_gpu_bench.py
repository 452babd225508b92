"""The script for a machine with a GPU, on the emulator: it compares, it notices, it times."""

from __future__ import annotations

import random
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from test_gpu_emulator import native_encoder, tokenizer

from bench.gpu import Divergence, Pair, check, compare, documents, pair, times
from verified_tok._core import native
from verified_tok.gpu.counters import Counting
from verified_tok.gpu.emulator import Emulator
from verified_tok.gpu.encoder import DeviceEncoder
from verified_tok.gpu.lanes import Lanes
from verified_tok.native.seams import seam_sections

SOURCES = [Path(__file__).read_text("utf-8"), "Grüße aus Köln, 你好世界。 " * 300]


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
    gpu = DeviceEncoder(tok.spec, own.engine, everywhere, lanes, Counting())
    with pytest.raises(Divergence, match="text 1: 'something long'"):
        compare(Pair(own, gpu, Counting()), ["a", "something long", "b"])


def test_everything_is_timed(library: Path) -> None:
    lanes = Lanes(Emulator(library, 0), smallest=1 << 12)
    rows = [*times("gpt-oss", "here", pair(tokenizer("gpt-oss"), lanes), SOURCES[0][:1500], repeats=1)]
    assert len({row.what for row in rows}) == len(rows) == 10
    assert all(0 < row.median_ms <= row.p99_ms * 1.001 and row.speed > 0 for row in rows)
    assert all(1500 <= row.bytes <= 1600 for row in rows)
