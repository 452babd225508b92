"""The GPU: compiled, compared with the CPU on every family, and timed. Needs one that CuPy can use."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.texts import text
from verified_tok.encoders import NativeEncoder
from verified_tok.errors import GpuUnavailable
from verified_tok.families import FAMILIES
from verified_tok.fetch import open_family
from verified_tok.gpu.counters import Counting
from verified_tok.gpu.cuda import cuda_lanes
from verified_tok.gpu.encoder import DeviceEncoder
from verified_tok.tokenizer import Tokenizer

KINDS = ("english", "code", "cjk", "mixed", "agent")
TIMED = ("gpt-oss", "qwen3", "llama-3.1", "deepseek-v3")
REPEATS = 20


def encoder_of(tok: Tokenizer) -> DeviceEncoder:
    """The encoder on the GPU. Raises `GpuUnavailable`."""
    own = tok._encoder(tok._all_added)
    if not isinstance(own, NativeEncoder):
        raise GpuUnavailable("the native core is not built")
    return DeviceEncoder(tok.spec, own.engine, own.seams, cuda_lanes(), Counting())


def milliseconds(run: Callable[[], object]) -> tuple[float, float]:
    """The median and the 99th percentile of some runs; each ends with the ids on the CPU."""
    run()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times), float(np.percentile(times, 99))


def run(console: Console) -> None:
    """Check every family, then time some; raises `GpuUnavailable` where there is no GPU."""
    texts = {kind: text(kind, 1_000_000) for kind in KINDS}
    for name in FAMILIES:
        tok = open_family(name)
        try:
            encoder = encoder_of(tok)
        except GpuUnavailable as error:
            cuda_lanes()
            console.print(f"{name}: {error}")
            continue
        ids, offsets = encoder.encode_batch([*texts.values()])
        expected = tok.encode_batch([*texts.values()])
        if ids.tobytes() != expected[0].tobytes() or offsets.tobytes() != expected[1].tobytes():
            raise SystemExit(f"{name}: the GPU gives other ids than the CPU")
        console.print(f"{name}: {len(ids):,} ids, the same as the CPU's")
    table = Table(
        "tokenizer", "text", "1 MB, ms", "99%", "10 MB, ms", "GB/s", title="ids in an array on the CPU"
    )
    for name in TIMED:
        encoder = encoder_of(open_family(name))
        for kind in KINDS:
            long = text(kind, 10_000_000)
            median, slow = milliseconds(partial(encoder.encode, texts[kind]))
            whole, _ = milliseconds(partial(encoder.encode, long))
            speed = len(long.encode()) / whole / 1e6
            table.add_row(name, kind, f"{median:.2f}", f"{slow:.2f}", f"{whole:.2f}", f"{speed:.2f}")
    console.print(table)
