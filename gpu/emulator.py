"""The kernels on the CPU: compiled by the machine's C++ compiler, their threads in a shuffled order.

It is no way to encode fast. It runs the kernels where there is no GPU, to compare what they do.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from verified_tok.gpu.device import Array
from verified_tok.gpu.source import EMULATOR, EMULATOR_OPTIONS

_BLOCK = 32  # threads


def build_emulator(folder: Path) -> Path:
    """Compile the emulator into a folder, with $CXX or c++; CalledProcessError if the compiler refuses."""
    library = folder / "emulator.so"
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, *EMULATOR_OPTIONS, "-o", library, EMULATOR], check=True)
    return library


class Emulator:
    """Runs kernels on arrays of NumPy. Every launch takes its threads in another order; `seed` decides it."""

    def __init__(self, library: Path, seed: int) -> None:
        self.xp: Any = np
        self.failures: tuple[type[Exception], ...] = ()
        self.launches: list[tuple[str, int]] = []
        """The kernels that ran, and with how many threads."""
        self._library = ctypes.CDLL(str(library))
        self._random = np.random.default_rng(seed)

    def put(self, array: npt.NDArray[Any]) -> Array:
        """See `Device`. The array itself, if it can be."""
        return np.ascontiguousarray(array)

    def take(self, array: Array) -> npt.NDArray[Any]:
        """See `Device`."""
        taken: npt.NDArray[Any] = array
        return taken

    def address(self, array: Array) -> int:
        """See `Device`."""
        return int(array.ctypes.data)

    def launch(self, kernel: str, threads: int, *arguments: Array | int) -> None:
        """See `Device`. Threads beyond the last that was asked for run too, as on a GPU."""
        self.launches.append((kernel, threads))
        started = -(-threads // _BLOCK) * _BLOCK
        order = self._random.permutation(started).astype(np.uint64)
        given = [
            ctypes.c_uint64(argument) if isinstance(argument, int) else ctypes.c_void_p(argument.ctypes.data)
            for argument in arguments
        ]
        run = getattr(self._library, f"emulate_{kernel}")
        run(ctypes.c_void_p(order.ctypes.data), ctypes.c_uint64(started), ctypes.c_uint(_BLOCK), *given)
