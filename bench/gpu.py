"""The GPU: compiled, compared with the CPU on every family, and timed. Needs one that CuPy can use."""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.texts import KINDS, text
from verified_tok.encoders import NativeEncoder
from verified_tok.errors import GpuUnavailable
from verified_tok.families import FAMILIES
from verified_tok.fetch import open_family
from verified_tok.gpu.counters import Counting
from verified_tok.gpu.cuda import cuda_lanes
from verified_tok.gpu.device import Device
from verified_tok.gpu.encoder import DeviceEncoder
from verified_tok.gpu.lanes import Lanes
from verified_tok.gpu.router import measured, thresholds
from verified_tok.tokenizer import Tokenizer

TIMED = ("gpt-oss", "qwen3", "llama-3.1", "deepseek-v3")
RESULT = Path(__file__).parent / "results" / "gpu.json"

_REQUEST = 1_000_000
"""Characters of a request that is timed."""

_DOCUMENTS = 10_000
_DOCUMENT = 1_000

_STRANGE = [
    "\u0301",
    "\ufdfa",
    "\u1100\u1161\u11a8",
    "\U0001f469\u200d\U0001f467",
    "\U0001f1e9",
    "\ufb01",
    "\x00",
    "\r\n\r\n",
    "x" * 400,
    " " * 300,
]
"""What is put into real text: marks, characters that normalizers change, long runs."""


class Pair(NamedTuple):
    """A tokenizer's two encoders."""

    cpu: NativeEncoder
    gpu: DeviceEncoder
    counting: Counting


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


class Divergence(Exception):
    """The GPU gives other ids than the CPU."""


def pair(tok: Tokenizer, lanes: Lanes) -> Pair:
    """The encoders of a tokenizer. Raises `GpuUnavailable`."""
    own = tok._encoder(tok._all_added)
    if not isinstance(own, NativeEncoder):
        raise GpuUnavailable("the native core is not built, or has no code for this tokenizer")
    counting = Counting()
    return Pair(own, DeviceEncoder(tok.spec, own.engine, own.seams, lanes, counting), counting)


# --- exactness ----------------------------------------------------------------------------------------


def compare(encoders: Pair, texts: list[str]) -> int:
    """How many ids texts have on both sides, with where they come from. Raises `Divergence`."""
    ids, offsets = encoders.gpu.encode_batch(texts)
    expected_ids, expected_offsets = encoders.cpu.encode_batch(texts, (), ())
    if ids.tobytes() != expected_ids.tobytes() or offsets.tobytes() != expected_offsets.tobytes():
        for number, each in enumerate(texts):
            if encoders.gpu.encode(each).tobytes() != encoders.cpu.encode(each).tobytes():
                raise Divergence(f"text {number}: {each[:2000]!r}")
        raise Divergence("in a batch, and in none of its texts")
    for each in texts[:3]:
        placed_ids, spans = encoders.gpu.encode_placed(each)
        placed = encoders.cpu.encode_placed(each)
        if placed_ids.tobytes() != placed.ids.tobytes() or spans.tobytes() != placed.byte_spans.tobytes():
            raise Divergence(f"the places of {each[:2000]!r}")
    return len(ids)


def documents(sources: Sequence[str], added: Sequence[str], rng: random.Random, size: int) -> list[str]:
    """About so many characters of documents of all lengths: real text, with added tokens and strange
    characters in some of it."""
    found = []
    while size > 0:
        source = rng.choice(sources)
        length = min(size, int(2 ** rng.uniform(0, 20)))
        start = rng.randrange(max(1, len(source) - length))
        parts = [source[start : start + length]]
        if rng.random() < 0.5:
            for _ in range(rng.randrange(1, 20)):
                cut = rng.randrange(len(parts[-1]) + 1)
                parts[-1:] = [parts[-1][:cut], rng.choice([*added, *_STRANGE]), parts[-1][cut:]]
        found.append("".join(parts))
        size -= max(1, len(found[-1]))
    return found


def check(
    families: Sequence[str], lanes: Lanes, sources: Sequence[str], size: int, batch: int, console: Console
) -> None:
    """Compare every family on so many bytes of documents. Raises `Divergence`, naming a text."""
    for name in families:
        tok = open_family(name)
        try:
            encoders = pair(tok, lanes)
        except GpuUnavailable as error:
            console.print(f"{name}: {error}")
            continue
        rng = random.Random(name)
        added = [token.content for token in tok.spec.added_tokens] or [""]
        ids, done = 0, 0
        while done < size:
            texts = documents(sources, added, rng, min(batch, size - done))
            try:
                ids += compare(encoders, texts)
            except Divergence as error:
                raise Divergence(f"{name}: {error}") from None
            done += sum(len(each.encode()) for each in texts)
        console.print(f"{name}: {done:,} bytes, {ids:,} ids, the same; {asdict(encoders.counting.sums)}")


# --- time ---------------------------------------------------------------------------------------------


def milliseconds(runs: Iterator[Callable[[], object]], repeats: int) -> tuple[float, float]:
    """The median and the 99th percentile of some runs, after a few that are not timed."""
    times = []
    for number in range(repeats + 5):
        run = next(runs)
        start = time.perf_counter()
        run()
        if number >= 5:
            times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times), float(np.percentile(times, 99))


def times(name: str, kind: str, encoders: Pair, whole: str, repeats: int) -> Iterator[Row]:
    """Requests of new text each time, one long text, and many short ones."""
    gpu, cpu = encoders.gpu, encoders.cpu
    request = min(_REQUEST, len(whole))
    parts = [whole[at : at + request] for at in range(0, len(whole) - request + 1, request)]
    short = [whole[at : at + _DOCUMENT] for at in range(0, len(whole), _DOCUMENT)][:_DOCUMENTS]
    kept: Callable[[str], object] = partial(gpu.encode, resident=True)
    several = ThreadPoolExecutor(4)

    def by_threads() -> None:
        list(several.map(gpu.encode, parts))

    measurements: list[tuple[str, list[str], list[Callable[[], object]], int]] = [
        ("1 M characters", parts, [partial(gpu.encode, part) for part in parts], repeats),
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
    """The GPU's clocks and its power now, as its own tool gives them."""
    asked = "clocks.sm,clocks.max.sm,clocks.mem,power.draw,power.limit"
    try:
        command = ["nvidia-smi", f"--query-gpu={asked}", "--format=csv,noheader"]
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        return f"unknown ({error})"
    return f"{asked}: {answer.strip()}"


def run(console: Console, gigabytes: float, repeats: int, size: int = 10_000_000) -> None:
    """Check every family on so many gigabytes in all, then time some, on so many bytes of each kind of text.
    Raises `GpuUnavailable` where there is no GPU, SystemExit where it gives other ids."""
    lanes = cuda_lanes()
    date = datetime.now(UTC).isoformat(timespec="seconds")
    console.print(f"{date}, {lanes.device.identity}, {clocks()}, largest request {lanes.largest(0):,} bytes")
    sources = [text(kind, size) for kind in KINDS]
    try:
        check([*FAMILIES], lanes, sources, int(gigabytes * 1e9 / len(FAMILIES)), 64_000_000, console)
    except Divergence as error:
        raise SystemExit(f"the GPU gives other ids than the CPU: {error}") from None
    rows: list[Row] = []
    table = Table("tokenizer", "text", "what", "MB", "median, ms", "99%, ms", "GB/s", title="ids on the CPU")
    for name in TIMED:
        encoders = pair(open_family(name), lanes)
        for kind, whole in zip(KINDS, sources, strict=True):
            rows += times(name, kind, encoders, whole, repeats)
        rows += times(name, "all", encoders, "".join(sources), repeats)
        console.print(f"{name}: {asdict(encoders.counting.sums)}")
    for kind, whole in zip(KINDS, sources, strict=True):
        rows += block_sizes(TIMED[0], kind, lanes.device, whole, repeats)
    found = thresholds(lanes.device.identity, partial(measured, encoders.cpu, encoders.gpu))
    for row in rows:
        columns = f"{row.bytes / 1e6:.1f}", f"{row.median_ms:.3f}", f"{row.p99_ms:.3f}", f"{row.speed:.2f}"
        table.add_row(row.family, row.text, row.what, *columns)
    console.print(table)
    console.print(f"faster than the CPU from so many characters on: {found}; {clocks()}")
    about = {"date": date, "device": lanes.device.identity, "clocks": clocks(), "thresholds": found._asdict()}
    RESULT.write_text(json.dumps(about | {"rows": [row._asdict() for row in rows]}, indent=1) + "\n")
