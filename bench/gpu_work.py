"""What the GPU's threads have to do, counted on the CPU: look-ups that wait for one another.

The emulator is compiled so that every call of a function of interest is counted, thread by thread. A look-up
is taken for so many cycles as memory takes to answer; what a thread computes in between is not counted.
The threads of a warp wait for the slowest one.
"""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from bench.seams import languages, sources
from bench.texts import KINDS, text
from verified_tok.encoders import NativeEncoder
from verified_tok.errors import GpuUnavailable
from verified_tok.fetch import open_family
from verified_tok.gpu.counters import Counting
from verified_tok.gpu.emulator import Emulator, build_emulator
from verified_tok.gpu.encoder import DeviceEncoder
from verified_tok.gpu.lanes import Lanes

NEAR, FAR = 33, 270
"""Cycles until a multiprocessor's own cache answers, and until the cache of all does."""

CYCLES = {
    "class_at": NEAR,  # a move of the automaton
    "may_join": NEAR,
    "short_entry": FAR,
    "long_entry": 2 * FAR,
    "rank_of": 2 * FAR,  # where the pair lies, and the pair
    "entry_lengths": FAR,
    "char_token": FAR,
    "birth_of": FAR,
}
"""The functions of the core that look something up, and what each waits for."""

_HERTZ = 1.7e9
_WARP = 32
_MEMORY = 1 << 34


class Work(NamedTuple):
    """What a text's threads do."""

    bytes: int
    calls: npt.NDArray[np.uint32]
    """A row a thread, in the order of the text; a column for each of `CYCLES`."""
    left: int
    """Parts that are left to the CPU."""

    @property
    def cycles(self) -> npt.NDArray[np.int64]:
        """How long each thread takes alone."""
        cycles: npt.NDArray[np.int64] = self.calls.astype(np.int64) @ np.array([*CYCLES.values()])
        return cycles

    @property
    def warp_cycles(self) -> int:
        """How long all warps take, one after the other."""
        cycles = self.cycles
        return int(np.pad(cycles, (0, -len(cycles) % _WARP)).reshape(-1, _WARP).max(axis=1).sum())


class _InOrder(Emulator):
    """Neighbours are neighbours in a warp."""

    def order(self, count: int) -> npt.NDArray[np.uint64]:
        return np.arange(count, dtype=np.uint64)


class Counted:
    """An emulator that counts."""

    def __init__(self, folder: Path) -> None:
        options = "-finstrument-functions", "-Wl,-Bsymbolic", str(Path(__file__).with_suffix(".cpp"))
        self._path = build_emulator(folder, *options)
        self._library = ctypes.CDLL(str(self._path))
        self._library.work_threads.restype = ctypes.c_uint64
        names = (ctypes.c_char_p * len(CYCLES))(*(name.encode() for name in CYCLES))
        self._library.work_count(names, ctypes.c_uint64(len(CYCLES)))

    def work(self, family: str, given: str, block: int | None = None) -> Work:
        """What the threads do to encode a text. Raises `GpuUnavailable` for a family without kernels."""
        tok = open_family(family)
        own = tok._encoder(tok._all_added)
        if not isinstance(own, NativeEncoder):
            raise GpuUnavailable("the native core is not built")
        counting, lanes = Counting(), Lanes(_InOrder(self._path, 0, _MEMORY), block=block)
        encoder = DeviceEncoder(tok.spec, own.engine, own.seams, lanes, counting, many_left=1)
        if encoder.encode(given).tobytes() != tok.encode(given).tobytes():
            raise AssertionError(f"{family}: the emulator gives other ids than the CPU")
        calls = np.zeros((self._library.work_threads(), len(CYCLES)), np.uint32)
        self._library.work_take(ctypes.c_void_p(calls.ctypes.data))
        calls = calls[: counting.sums.parts]  # threads beyond the parts ran, too
        return Work(len(given.encode()), calls, counting.sums.parts_by_cpu)


def texts(size: int) -> Iterator[tuple[str, str]]:
    """Seven kinds of real text, each of about so many bytes."""
    for kind in KINDS:
        yield kind, text(kind, size)
    for name, parts in (("languages", languages()), ("programs", sources())):
        share = -(-size // len(parts))  # of each, as far as it goes
        yield name, "\n".join(part.encode()[:share].decode(errors="ignore") for part in parts.values())


def run(console: Console, families: list[str], size: int, blocks: list[int]) -> None:
    """Count, and print a row for each tokenizer, kind of text and length of parts."""
    names = (
        "tokenizer",
        "text",
        "parts of",
        "left",
        "moves",
        "far look-ups",
        "cycles",
        "a warp's",
        "slowest, µs",
    )
    table = Table(*names, title="for a byte of text; of moves and look-ups that wait for one another")
    near = [cost == NEAR for cost in CYCLES.values()]
    with tempfile.TemporaryDirectory() as folder:
        counted = Counted(Path(folder))
        for family in families:
            for kind, given in texts(size):
                for block in blocks:
                    work = counted.work(family, given, block)
                    calls = work.calls.sum(axis=0) / work.bytes
                    table.add_row(
                        *(family, kind, str(block), str(work.left)),
                        *(f"{calls[near].sum():.2f}", f"{calls[~np.array(near)].sum():.2f}"),
                        f"{work.cycles.sum() / work.bytes:.0f}",
                        f"{work.warp_cycles / work.bytes:.1f}",
                        f"{work.cycles.max() / _HERTZ * 1e6:.0f}",
                    )
    console.print(table)
