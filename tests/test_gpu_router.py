"""When the GPU is chosen: measured once, kept in a file of the machine, and the same with the same file."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from test_gpu_emulator import native_encoder, on_emulator, tokenizer

import verified_tok as vt
from verified_tok.gpu import cuda, router
from verified_tok.gpu.emulator import Emulator
from verified_tok.gpu.lanes import Lanes
from verified_tok.gpu.router import Thresholds, least_size, measured, sample, thresholds


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and nothing known from before."""
    monkeypatch.setattr(router, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(router, "_known", {})
    return tmp_path


def forget() -> None:
    router._known.clear()


def unexpected() -> Thresholds:
    raise AssertionError("measured once more")


def test_a_machine_is_measured_once(cache: Path) -> None:
    found = Thresholds(50_000, None)
    assert thresholds("one", lambda: found) == found
    assert thresholds("one", unexpected) == found
    forget()
    assert thresholds("one", unexpected) == found
    assert thresholds("another", lambda: Thresholds(1, 2)) == Thresholds(1, 2)
    files = [*cache.glob("gpu/*.json")]
    assert len(files) == 2
    assert all("processors; code" in json.loads(file.read_text())["machine"] for file in files)


@pytest.mark.parametrize(
    "damage",
    ["", "{", "[]", '{"machine": "?"}', '"one"', "-1", "1.5", '"x"', "true"],
)
def test_a_damaged_file_is_measured_anew(damage: str, cache: Path) -> None:
    thresholds("one", lambda: Thresholds(1, 2))
    [file] = cache.glob("gpu/*.json")
    saved = json.loads(file.read_text())
    values = ["-1", "1.5", '"x"', "true"]
    file.write_text(json.dumps(saved | {"one": json.loads(damage)}) if damage in values else damage)
    forget()
    assert thresholds("one", lambda: Thresholds(3, 4)) == Thresholds(3, 4)
    forget()
    assert thresholds("one", unexpected) == Thresholds(3, 4)


def test_a_cache_that_cannot_be_written_is_no_error(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / "file").write_text("")
    monkeypatch.setattr(router, "cache_folder", lambda: cache / "file")
    assert thresholds("one", lambda: Thresholds(1, None)) == Thresholds(1, None)
    assert thresholds("one", unexpected) == Thresholds(1, None)


def test_which_is_preferred() -> None:
    found = Thresholds(100, None)
    assert [found.prefer_gpu(size, 1) for size in (0, 99, 100, 10**9)] == [False, False, True, True]
    assert not any(found.prefer_gpu(10**9, threads) for threads in (None, 2))
    assert Thresholds(None, 7).prefer_gpu(7, None)


def test_the_least_size_is_the_one_from_which_on_all_are_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that only the two functions move, for a busy machine's own would decide at random."""
    sizes, now = [1, 2, 3, 4], [0.0]
    monkeypatch.setattr(router, "time", SimpleNamespace(perf_counter=lambda: now[0]))

    def slow_for(slow: set[int]) -> int | None:
        def gpu(part: str) -> None:
            now[0] += 2 if len(part) in slow else 0

        def cpu(part: str) -> None:
            now[0] += 1

        return least_size(gpu, cpu, "abcdef", sizes)

    assert slow_for(set()) == 1
    assert slow_for({1, 2}) == 3
    assert slow_for({1, 3}) == 4
    assert slow_for({4}) is None


def test_an_emulator_is_measured_and_never_preferred(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(router, "SIZES", (50, 400))
    encoder = on_emulator("gpt-oss", library)
    assert measured(native_encoder(tokenizer("gpt-oss")), encoder) == Thresholds(None, None)
    assert encoder.sums.requests > 0


def test_samples_are_text_of_any_size() -> None:
    for size in (1, 1000, 3_000_000):
        assert len(sample(size)) == size
    assert "def " in sample(50_000)


# --- the tokenizer's methods --------------------------------------------------------------------------


@pytest.fixture
def tok(library: Path, monkeypatch: pytest.MonkeyPatch) -> vt.Tokenizer:
    """A tokenizer on a machine whose GPU is an emulator, which is said to be faster from 100 characters on,
    and from 300 on for all processors."""
    lanes = Lanes(Emulator(library, 0), smallest=1 << 12)
    monkeypatch.setattr(cuda, "cuda_lanes", lambda: lanes)
    thresholds(lanes.device.identity, lambda: Thresholds(100, 300))
    return vt.Tokenizer(tokenizer("gpt-oss").spec)


def test_auto_takes_the_gpu_from_the_threshold_on(tok: vt.Tokenizer) -> None:
    for size, threads, by_gpu in [(99, 1, 0), (100, 1, 1), (299, None, 0), (300, None, 1), (299, 2, 0)]:
        before = tok.gpu_counters.requests
        text = "word " * 60
        ids = tok.encode(text[:size], threads=threads, device="auto")
        assert ids.tolist() == tok.encode(text[:size]).tolist()
        assert tok.gpu_counters.requests - before == by_gpu
    nine, ten = ["a" * 30] * 9, ["a" * 30] * 10
    for texts, by_gpu in [(nine, 0), (ten, 1), ([], 0), (np.array(nine), 0), (np.array(ten), 1)]:
        before = tok.gpu_counters.requests
        found, expected = tok.encode_batch(texts, device="auto"), tok.encode_batch(texts)
        assert [array.tolist() for array in found] == [array.tolist() for array in expected]
        assert tok.gpu_counters.requests - before == by_gpu
    before = tok.gpu_counters.requests
    assert tok.session("word " * 60, device="auto").ids.tolist() == tok.encode("word " * 60).tolist()
    assert tok.gpu_counters.requests - before == 1


def test_auto_without_a_gpu_is_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def none() -> Lanes:
        asked.append(1)
        raise vt.errors.GpuUnavailable("there is none")

    monkeypatch.setattr(cuda, "cuda_lanes", none)
    tok = vt.Tokenizer(tokenizer("gpt-oss").spec)
    for _ in range(3):
        assert tok.encode("word " * 1000, device="auto").tolist() == tok.encode("word " * 1000).tolist()
    assert len(asked) == 1
    assert tok.gpu_counters.requests == 0
    with pytest.raises(vt.errors.GpuUnavailable):
        tok.encode("a", device="gpu")
