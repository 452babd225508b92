"""From which size on a GPU is faster than this machine's CPU: measured once, then read from the cache folder.

A file is named by the machine: the GPU and its driver, the CPU, and the code of the core and the kernels.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import verified_tok
from verified_tok._core import native
from verified_tok.cache import cache_folder
from verified_tok.encoders import NativeEncoder
from verified_tok.gpu.encoder import DeviceEncoder
from verified_tok.gpu.source import kernel_source
from verified_tok.options import processors

SIZES = tuple(1 << power for power in range(12, 23))
"""Characters of the texts that are timed."""

_ROUNDS = 7

Timed = Callable[[str], object]


class Thresholds(NamedTuple):
    """From how many characters on the GPU is faster; None: for no size that was measured."""

    one: int | None
    """Than one thread of the CPU."""
    many: int | None
    """Than all processors."""

    def prefer_gpu(self, size: int, threads: int | None) -> bool:
        """Whether the GPU is to encode so many characters, rather than so many threads of the CPU (None: as
        many as there are processors)."""
        least = self.one if threads == 1 else self.many
        return least is not None and size >= least


_known: dict[Path, Thresholds] = {}
_measuring = Lock()


def thresholds(device: str, measure: Callable[[], Thresholds]) -> Thresholds:
    """This machine's, with a device of this identity: known, or from their file, or measured and then written
    there. What goes wrong with the file is no error."""
    machine = f"{device}; {_processor()}, {processors()} processors; code {_code()}"
    name = hashlib.sha256(machine.encode()).hexdigest()[:32]
    path = cache_folder() / "gpu" / f"thresholds-{name}.json"
    with _measuring:  # one after the other, or they would time each other
        if path not in _known:
            found = _read(path, machine)
            if found is None:
                found = measure()
                with suppress(OSError):
                    _write(path, machine, found)
            _known[path] = found
        return _known[path]


def measured(cpu: NativeEncoder, gpu: DeviceEncoder) -> Thresholds:
    """Time the two on source text, which takes a few seconds."""
    text = sample(SIZES[-1])
    return Thresholds(
        least_size(gpu.encode, cpu.encode, text, SIZES),
        least_size(gpu.encode, lambda part: cpu.encode(part, None), text, SIZES),
    )


def least_size(gpu: Timed, cpu: Timed, text: str, sizes: Sequence[int]) -> int | None:
    """The smallest of the ascending sizes from which on one function is faster than the other on the first so
    many characters of a text; None if it is not for the largest."""
    least = None
    for size in reversed(sizes):
        part = text[:size]
        if _seconds(gpu, part) >= _seconds(cpu, part):
            break
        least = size
    return least


def sample(size: int) -> str:
    """So many characters of the package's own source."""
    sources = sorted(Path(verified_tok.__file__).parent.rglob("*.py"))
    texts = [source.read_text("utf-8") for source in sources]
    whole = "".join(texts)
    return "".join(islice(cycle(texts), len(texts) * -(-size // len(whole))))[:size]


def _seconds(run: Timed, text: str) -> float:
    """The median time; what only the first runs do is left out."""
    times = []
    for number in range(_ROUNDS + 3):
        start = time.perf_counter()
        run(text)
        if number >= 3:
            times.append(time.perf_counter() - start)
    return statistics.median(times)


def _read(path: Path, machine: str) -> Thresholds | None:
    try:
        found = json.loads(path.read_text("utf-8"))
        if found["machine"] != machine:
            return None
        one, many = found["one"], found["many"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    if all(least is None or (type(least) is int and least >= 0) for least in (one, many)):
        return Thresholds(one, many)
    return None


def _write(path: Path, machine: str, found: Thresholds) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        json.dump({"machine": machine, **found._asdict()}, file)
    os.replace(file.name, path)


@cache
def _processor() -> str:
    """What the CPU is called."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


@cache
def _code() -> str:
    """The hash of the core and the kernels."""
    return hashlib.sha256(Path(native.__file__).read_bytes() + kernel_source().encode()).hexdigest()[:16]
