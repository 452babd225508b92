"""What a device does for an encoder: a GPU, or the emulator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

Array = Any
"""An array of the device: of CuPy or NumPy."""

HostBytes = npt.NDArray[np.uint8]
"""Memory of the CPU, as bytes."""


class Memory(NamedTuple):
    """Memory of the device, for as long as this is kept."""

    address: int
    owner: object


class Queue(Protocol):
    """Work that a device does in order, while the CPU goes on. One thread at a time may use a queue.

    Every method may raise what `Device.failures` names; a queue that did is not used again.
    """

    def allocate(self, size: int) -> Memory:
        """So many bytes of the device, at an address that 256 divides."""
        ...

    def staging(self, size: int) -> HostBytes:
        """Memory of the CPU that copies go to and from while the CPU goes on."""
        ...

    def upload(self, source: HostBytes, address: int) -> None:
        """Copy staging memory to the device; it must stay as it is until the queue was waited for."""
        ...

    def download(self, address: int, target: HostBytes) -> None:
        """Copy from the device to staging memory, which has the bytes when the queue was waited for."""
        ...

    def launch(self, kernel: str, threads: int, *arguments: int) -> None:
        """Run a kernel with so many threads, or a few more. Its arguments are addresses and numbers of 64
        bits."""
        ...

    def recorded(self, work: Callable[[], None]) -> Callable[[], None]:
        """What does the work again: the copies and launches that `work` asks for, which are not done now."""
        ...

    def wait(self) -> None:
        """Until everything is done."""
        ...

    def handed_over(self, address: int, count: int, dtype: type[np.generic]) -> Array:
        """A copy of what lies on the device, as an array of its own. The CPU does not wait for it; what the
        calling thread does with it on the device does."""
        ...


class Device(Protocol):
    """A device. Any number of threads may use it."""

    xp: Any
    """NumPy, or what has the same functions for the device's arrays."""
    failures: tuple[type[Exception], ...]
    """What a launch or a lack of memory raises."""

    @property
    def identity(self) -> str:
        """What it is, and what drives it."""
        ...

    @property
    def free_memory(self) -> int:
        """How many bytes can be allocated."""
        ...

    def put(self, array: npt.NDArray[Any]) -> Memory:
        """A copy of an array on the device."""
        ...

    def array(self, values: npt.NDArray[Any]) -> Array:
        """An array of the device with the same elements."""
        ...

    def queue(self) -> Queue:
        """A new queue."""
        ...
