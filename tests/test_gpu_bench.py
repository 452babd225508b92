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

from bench import gpu, gpu_exact
from bench.gpu import block_sizes, times
from bench.gpu_exact import Comparison, Divergence, NotByTheGpu, Pair, compare, documents, pair
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
    for module in (gpu, gpu_exact):
        monkeypatch.setattr(module, "open_family", tokenizer)


def some_documents(seed: int, size: int = 100_000) -> list[str]:
    return documents(tokenizer("gpt-oss"), SOURCES, random.Random(seed), size)


def test_documents_are_of_all_lengths_and_hold_added_tokens() -> None:
    found = some_documents(0)
    assert 100_000 <= sum(map(len, found)) < 110_000
    assert any("<|" in text for text in found)
    assert any(text and text in SOURCES[0] for text in found)
    assert any(len(set(text) - set("".join(SOURCES))) > 50 for text in found)  # generated
    assert min(map(len, found)) < 10
    assert found == some_documents(0)
    assert found != some_documents(1)


def test_families_are_compared_in_rounds(library: Path) -> None:
    lanes = Lanes(Emulator(library, 0), smallest=1 << 14)
    comparison = Comparison(["gpt-oss", "llama-2", "bert"], lanes, SOURCES, 0)
    assert [*comparison.refused] == ["bert"]
    done = [*comparison.run(12_000, 4_000, seconds=600)]
    assert done[:4] == ["gpt-oss", "llama-2"] * 2
    assert [each.family for each in comparison.found] == ["gpt-oss", "llama-2"]
    assert all(12_000 <= each.bytes < 40_000 for each in comparison.found)
    assert all(each.counters.requests > 0 == each.counters.failures for each in comparison.found)
    before = comparison.bytes
    assert not [*comparison.run(1 << 40, 4_000, seconds=0)]  # the time is over
    assert comparison.bytes == before


def test_what_the_cpu_encoded_in_its_place_is_no_comparison(library: Path) -> None:
    device = Emulator(library, 0)
    comparison = Comparison(["gpt-oss"], Lanes(device, smallest=1 << 14), SOURCES, 0)
    device.fails_at = 4
    with pytest.raises(NotByTheGpu, match=r"gpt-oss: .*'failures': 1"):
        list(comparison.run(4_000, 4_000, seconds=600))


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
    assert len({row.what for row in rows}) == len(rows) == 11
    rows += block_sizes("gpt-oss", "here", lanes.device, SOURCES[0][:1500], repeats=1)
    assert len(rows) == 16
    assert all(0 < row.median_ms <= row.p99_ms * 1.001 and row.speed > 0 for row in rows)
    assert all(1500 <= row.bytes <= 1600 for row in rows)


@pytest.fixture
def emulated(library: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Lanes:
    """A machine with one kind of text, and with an emulator for a GPU."""
    lanes = Lanes(Emulator(library, 0), smallest=1 << 12)
    monkeypatch.setattr(gpu, "cuda_lanes", lambda: lanes)
    monkeypatch.setattr(gpu, "text", lambda kind, size: SOURCES[0][:size])
    monkeypatch.setattr(gpu, "KINDS", {"here": None})
    monkeypatch.setattr(router, "SIZES", (100,))
    monkeypatch.setattr(router, "cache_folder", lambda: tmp_path)
    return lanes


@pytest.mark.usefixtures("emulated")
def test_the_whole_script(tmp_path: Path) -> None:
    out, path = StringIO(), tmp_path / "made" / "gpu.json"
    families = ["gpt-oss", "bert"]
    console = Console(file=out)
    gpu.run(console, 1e-6, repeats=1, size=500, checked=families, timed=families[:1], path=path)
    found = json.loads(path.read_text())
    assert found["device"] == "emulator"
    assert [each["family"] for each in found["compared"]] == families[:1]
    assert found["compared_bytes"] >= 500
    assert len(found["rows"]) == 2 * 11 + 5
    assert found["thresholds"].keys() == {"one", "many"}
    assert all(f" {row['what']}: " in out.getvalue() for row in found["rows"])


@pytest.mark.usefixtures("emulated")
def test_a_script_that_is_cut_off_keeps_what_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(gpu, "block_sizes", killed)
    path = tmp_path / "gpu.json"
    with pytest.raises(KeyboardInterrupt):
        gpu.run(Console(file=StringIO()), 0, 1, size=500, timed=["gpt-oss"], path=path)
    assert len(json.loads(path.read_text())["rows"]) == 2 * 11


def test_a_script_whose_gpu_fails_ends_with_an_error(emulated: Lanes, tmp_path: Path) -> None:
    emulated.device.fails_at = 6
    path = tmp_path / "gpu.json"
    with pytest.raises(SystemExit, match="not the CPU's: gpt-oss"):
        gpu.run(Console(file=StringIO()), 1e-6, 1, size=500, checked=["gpt-oss"], path=path)
    assert json.loads(path.read_text())["compared"][0]["counters"]["failures"] == 1
