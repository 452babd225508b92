"""The kernels on the CPU: compiled by the machine's C++ compiler, their threads in a shuffled order.

It is no way to encode fast. It runs the kernels where there is no GPU, to compare what they do, and it does
what a GPU does to a program: work waits until somebody waits for it, memory holds anything at first, and any
operation may fail.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from verified_tok.gpu.device import Array, HostBytes, Memory
from verified_tok.gpu.source import EMULATOR, EMULATOR_OPTIONS

_BLOCK = 32  # threads
_ALIGNED = 256
_GUARD = 256  # bytes on both sides of memory that nothing may change
_GUARDED, _ANYTHING = 0xB7, 0xA5


def build_emulator(folder: Path, *more: str) -> Path:
    """Compile the emulator into a folder, with $CXX or c++, and with more options or sources;
    CalledProcessError if the compiler refuses."""
    library = folder / "emulator.so"
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, *EMULATOR_OPTIONS, *more, "-o", library, EMULATOR], check=True)
    return library


class EmulatedFailure(Exception):
    """An operation that was to fail."""


class OutOfBounds(Exception):
    """A kernel or a copy wrote beside the memory of the device: a fault of this package."""


class Emulator:
    """Runs kernels on memory of the CPU. `seed` decides the order of their threads, another each time, and
    `workers` how many run at once."""

    def __init__(self, library: Path, seed: int, memory: int = 1 << 30, workers: int = 1) -> None:
        self.xp: Any = np
        self.failures: tuple[type[Exception], ...] = (EmulatedFailure,)
        self.identity = "emulator"
        self.free_memory = memory
        self.operations: Counter[str] = Counter()
        """How often each method of a queue was called and each kernel launched; `replay`: recorded work."""
        self.fails_at = -1
        """The operation, counted from 0, that fails; it counts down to below 0."""
        self.library = ctypes.CDLL(str(library))
        self.workers = workers
        self._random = np.random.default_rng(seed)
        self._lock = Lock()

    def put(self, array: npt.NDArray[Any]) -> Memory:
        """See `Device`."""
        copied = np.array(array)
        return Memory(copied.ctypes.data, copied)

    def array(self, values: npt.NDArray[Any]) -> Array:
        """See `Device`."""
        return np.array(values)

    def queue(self) -> EmulatedQueue:
        """See `Device`."""
        self.operation("queue")
        return EmulatedQueue(self)

    def operation(self, name: str) -> None:
        """Count an operation; EmulatedFailure if it is the one that fails."""
        with self._lock:
            self.operations[name] += 1
            self.fails_at -= 1
            if self.fails_at == -1:
                raise EmulatedFailure(name)

    def order(self, count: int) -> npt.NDArray[np.uint64]:
        """The numbers below `count`, in the next order."""
        with self._lock:
            return self._random.permutation(count).astype(np.uint64)


class EmulatedQueue:
    """Keeps what it is asked for until it is waited for."""

    def __init__(self, device: Emulator) -> None:
        self._device = device
        self._waiting: list[Callable[[], None]] = []
        self._memories: list[npt.NDArray[np.uint8]] = []

    def allocate(self, size: int) -> Memory:
        """See `Queue`. It holds anything, and there is a guard on both sides."""
        self._device.operation("allocate")
        whole = np.full(size + 2 * _GUARD + _ALIGNED, _GUARDED, np.uint8)
        begin = -(whole.ctypes.data + _GUARD) % _ALIGNED + _GUARD
        whole[begin : begin + size] = _ANYTHING
        self._memories += [whole[begin - _GUARD : begin], whole[begin + size : begin + size + _GUARD]]
        return Memory(whole.ctypes.data + begin, whole)

    def staging(self, size: int) -> HostBytes:
        """See `Queue`."""
        self._device.operation("staging")
        return np.full(size, _ANYTHING, np.uint8)

    def upload(self, source: HostBytes, address: int) -> None:
        """See `Queue`."""
        self._device.operation("upload")
        self._waiting.append(lambda: _copy(address, source.ctypes.data, source.nbytes))

    def download(self, address: int, target: HostBytes) -> None:
        """See `Queue`."""
        self._device.operation("download")
        target.fill(_ANYTHING)
        self._waiting.append(lambda: _copy(target.ctypes.data, address, target.nbytes))

    def launch(self, kernel: str, threads: int, *arguments: int) -> None:
        """See `Queue`. Threads beyond the last that was asked for run too, as on a GPU."""
        self._device.operation(kernel)
        self._waiting.append(lambda: self._run(kernel, threads, arguments))

    def recorded(self, work: Callable[[], None]) -> Callable[[], None]:
        """See `Queue`."""
        self._device.operation("recorded")
        before, self._waiting = self._waiting, []
        work()
        steps, self._waiting = self._waiting, before

        def replay() -> None:
            self._device.operation("replay")
            self._waiting += steps

        return replay

    def wait(self) -> None:
        """See `Queue`. Raises `OutOfBounds`."""
        self._device.operation("wait")
        self._do()

    def handed_over(self, address: int, count: int, dtype: type[np.generic]) -> Array:
        """See `Queue`."""
        self._device.operation("handed_over")
        array = np.empty(count, dtype)
        self._waiting.append(lambda: _copy(array.ctypes.data, address, array.nbytes))
        self._do()  # as the calling thread's stream waits for it
        return array

    def _do(self) -> None:
        steps, self._waiting = self._waiting, []
        for step in steps:
            step()
        if any((guard != _GUARDED).any() for guard in self._memories):
            raise OutOfBounds

    def _run(self, kernel: str, threads: int, arguments: tuple[int, ...]) -> None:
        started = -(-threads // _BLOCK) * _BLOCK
        order = self._device.order(started)
        values = (ctypes.c_uint64 * len(arguments))(*arguments)
        given = (ctypes.c_void_p * len(arguments))(
            *(ctypes.addressof(values) + 8 * k for k in range(len(arguments)))
        )
        run = getattr(self._device.library, f"emulate_{kernel}")
        counts = ctypes.c_uint64(started), ctypes.c_uint(_BLOCK), ctypes.c_uint(self._device.workers)
        run(ctypes.c_void_p(order.ctypes.data), *counts, given)


def _copy(target: int, source: int, size: int) -> None:
    ctypes.memmove(target, source, size)
