"""The GPU: compiled, compared with the CPU on every family, and timed. Needs one that CuPy can use.

Whatever is found is printed and written at once, so that a run that is cut off has shown something.
"""

from __future__ import annotations

import gc
import json
import logging
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from bench.gpu_exact import Comparison, Divergence, NotByTheGpu, Pair, pair
from bench.result import machine
from bench.texts import KINDS, text
from verified_tok._core import native
from verified_tok.fetch import open_family
from verified_tok.gpu.cuda import cuda_lanes
from verified_tok.gpu.device import Device
from verified_tok.gpu.lanes import Lanes
from verified_tok.gpu.router import measured, thresholds

RESULT = Path(__file__).parent / "results" / "gpu.json"

_REQUEST = 1_000_000
"""Characters of a request that is timed."""

_DOCUMENTS = 10_000
_DOCUMENT = 1_000

_BATCH = 64_000_000
"""Characters that are compared at once."""


class Row(NamedTuple):
    """One measurement."""

    family: str
    text: str
    what: str
    bytes: int
    median_ms: float
    p99_ms: float

    @property
    def speed(self) -> float:
        """Gigabytes a second."""
        return self.bytes / self.median_ms / 1e6


def milliseconds(runs: Iterator[Callable[[], object]], repeats: int) -> tuple[float, float]:
    """The median and the 99th percentile of some runs, after a few that are not timed."""
    times = []
    gc.collect()
    gc.disable()  # its pauses are the caller's
    try:
        for number in range(repeats + 5):
            run = next(runs)
            start = time.perf_counter()
            run()
            if number >= 5:
                times.append((time.perf_counter() - start) * 1e3)
    finally:
        gc.enable()
    return statistics.median(times), float(np.percentile(times, 99))


def times(name: str, kind: str, encoders: Pair, whole: str, repeats: int) -> Iterator[Row]:
    """Requests of new text each time, one long text, and many short ones."""
    gpu, cpu = encoders.gpu, encoders.cpu
    request = min(_REQUEST, len(whole))
    parts = [whole[at : at + request] for at in range(0, len(whole) - request + 1, request)]
    short = [whole[at : at + _DOCUMENT] for at in range(0, len(whole), _DOCUMENT)][:_DOCUMENTS]
    kept: Callable[[str], object] = partial(gpu.encode, resident=True)
    arrays = [native.TextArray.of_texts((part,)) for part in parts]
    several = ThreadPoolExecutor(4)

    def by_threads() -> None:
        list(several.map(gpu.encode, parts))

    measurements: list[tuple[str, list[str], list[Callable[[], object]], int]] = [
        ("1 M characters", parts, [partial(gpu.encode, part) for part in parts], repeats),
        ("1 M, in an array", parts, [partial(gpu.encode_batch, part) for part in arrays], repeats),
        ("1 M, ids stay there", parts, [partial(kept, part) for part in parts], repeats),
        ("1 M, with places", parts, [partial(gpu.encode_placed, part) for part in parts], repeats),
        ("1 M, one CPU thread", parts, [partial(cpu.encode, part) for part in parts], 10),
        ("all of it", [whole], [partial(gpu.encode, whole)], 20),
        ("all of it, stays there", [whole], [partial(kept, whole)], 20),
        ("all of it, CPU", [whole], [partial(cpu.encode, whole, None)], 5),
        ("documents of 1 KB", ["".join(short)], [partial(gpu.encode_batch, short)], 20),
        ("documents of 1 KB, CPU", ["".join(short)], [partial(cpu.encode_batch, short, (), ())], 5),
        ("four threads", ["".join(parts)], [by_threads], 20),
    ]
    with several:
        for what, texts, runs, count in measurements:
            size = sum(len(each.encode()) for each in texts) // len(texts)
            yield Row(name, kind, what, size, *milliseconds(cycle(runs), min(count, repeats)))


def block_sizes(name: str, kind: str, device: Device, whole: str, repeats: int) -> Iterator[Row]:
    """Requests of new text, cut into parts of several lengths."""
    tok, request = open_family(name), min(_REQUEST, len(whole))
    parts = [whole[at : at + request] for at in range(0, len(whole) - request + 1, request)]
    size = sum(len(each.encode()) for each in parts) // len(parts)
    for block in (32, 64, 128, 256, 512):
        gpu = pair(tok, Lanes(device, block=block)).gpu
        runs = cycle([partial(gpu.encode, part) for part in parts])
        yield Row(name, kind, f"1 M, parts of {block}", size, *milliseconds(runs, repeats))


def clocks() -> str:
    """The GPU's driver, clocks and power now, as its own tool gives them."""
    asked = "driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.draw,power.limit"
    try:
        command = ["nvidia-smi", f"--query-gpu={asked}", "--format=csv,noheader"]
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout
    except (OSError, subprocess.SubprocessError) as error:
        return f"unknown ({error})"
    return f"{asked}: {answer.strip()}"


class Report:
    """What was found so far: printed, and kept in a file."""

    def __init__(self, console: Console, path: Path, about: dict[str, Any]) -> None:
        self._console = console
        self._path = path
        self._content: dict[str, Any] = {**about, "compared": [], "rows": []}
        self._start = time.monotonic()
        self.say(", ".join(f"{name}: {value}" for name, value in about.items()))

    def say(self, line: str) -> None:
        """Print a line, with the seconds since the beginning, and write the file."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(self._content, indent=1) + "\n")
        passed = time.monotonic() - self._start
        self._console.print(f"{passed:6.1f} s  {line}", soft_wrap=True, markup=False, highlight=False)

    def keep(self, **found: object) -> None:
        """Keep something."""
        self._content |= found

    def note(self, **found: object) -> None:
        """Keep something, and print it."""
        self.keep(**found)
        self.say(", ".join(f"{name}: {value}" for name, value in found.items()))

    def rows(self, rows: Iterable[Row]) -> None:
        """Keep each measurement when it is made, and print it."""
        for row in rows:
            self._content["rows"].append(row._asdict())
            took = f"{row.median_ms:.3f} ms, 99%: {row.p99_ms:.3f} ms, {row.speed:.2f} GB/s"
            self.say(f"{row.family}, {row.text}, {row.what}: {row.bytes / 1e6:.1f} MB in {took}")


def run(
    console: Console,
    gigabytes: float,
    repeats: int,
    seed: int = 0,
    seconds: float = 240,
    size: int = 10_000_000,
    checked: Sequence[str] = (),
    timed: Sequence[str] = (),
    path: Path = RESULT,
) -> None:
    """Compare families on so many gigabytes in all, for about so many seconds at most; then time some, on so
    many bytes of each kind of text.

    Raises `GpuUnavailable` where there is no GPU, SystemExit where it fails or gives other ids.
    """
    logging.basicConfig(level=logging.INFO)  # what fails is said where it fails
    date = datetime.now(UTC).isoformat(timespec="seconds")
    before = time.monotonic()
    lanes = cuda_lanes()
    about = {"date": date, "device": lanes.device.identity, "clocks": clocks(), "machine": machine()}
    about["compiled"] = f"in {time.monotonic() - before:.1f} s"
    report = Report(console, path, about)
    report.note(largest_request=lanes.largest(0))
    sources = [text(kind, size) for kind in KINDS]
    comparison = Comparison(checked, lanes, sources, seed)
    for name, reason in comparison.refused.items():
        report.say(f"{name}: {reason}")
    try:
        for name in comparison.run(int(gigabytes * 1e9 / max(1, len(checked))), _BATCH, seconds):
            report.say(f"{name}: the same; {comparison.bytes:,} bytes in all")
    except (Divergence, NotByTheGpu) as error:
        raise SystemExit(f"the GPU's ids are not the CPU's: {error}") from None
    finally:
        found = comparison.found
        report.keep(compared=[each._asdict() | {"counters": asdict(each.counters)} for each in found])
        for each in found:
            report.say(f"{each.family}: {each.bytes:,} bytes compared; {asdict(each.counters)}")
    report.note(compared_bytes=comparison.bytes, seed=seed)
    for name in timed:
        encoders = pair(open_family(name), lanes)
        for kind, whole in zip(KINDS, sources, strict=True):
            report.rows(times(name, kind, encoders, whole, repeats))
        report.rows(times(name, "all", encoders, "".join(sources), repeats))
        report.say(f"{name}: {asdict(encoders.counting.sums)}; {clocks()}")
    for name in timed[:1]:
        encoders = pair(open_family(name), lanes)
        measure = partial(measured, encoders.cpu, encoders.gpu)
        report.note(thresholds=thresholds(lanes.device.identity, measure)._asdict())
        for kind, whole in zip(KINDS, sources, strict=True):
            report.rows(block_sizes(name, kind, lanes.device, whole, repeats))
    report.note(clocks_at_the_end=clocks())
