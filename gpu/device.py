"""Where kernels run: a GPU, or the emulator."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = Any
"""An array of the device: of CuPy or NumPy."""


class Device(Protocol):
    """Runs kernels on arrays of its own."""

    xp: Any
    """NumPy, or what has the same functions for the device's arrays."""
    failures: tuple[type[Exception], ...]
    """What a launch or a lack of memory raises."""

    def put(self, array: npt.NDArray[Any]) -> Array:
        """An array on the device with the same elements."""
        ...

    def take(self, array: Array) -> npt.NDArray[Any]:
        """The elements of a device's array. Waits for the kernels that write them."""
        ...

    def address(self, array: Array) -> int:
        """Where an array lies on the device."""
        ...

    def launch(self, kernel: str, threads: int, *arguments: Array | int) -> None:
        """Run a kernel with so many threads; its arguments are arrays, or numbers as uint64."""
        ...


def bytes_array(data: bytes) -> npt.NDArray[np.uint8]:
    """Bytes as an array."""
    return np.frombuffer(data, np.uint8)
