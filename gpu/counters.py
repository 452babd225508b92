"""What a tokenizer's requests to a device came to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from threading import Lock


@dataclass(frozen=True, slots=True)
class GpuCounters:
    """Sums over all requests so far."""

    requests: int = 0
    """Requests that the device served; many texts may be one request."""
    bytes: int = 0
    """Bytes of text in them."""
    parts: int = 0
    """Parts between seams, each for one thread, in these and other requests."""
    parts_by_cpu: int = 0
    """Parts that the device left to the CPU."""
    waits: int = 0
    """How often the CPU waited for the device."""
    left: int = 0
    """Requests that the CPU encoded because the device left too many of their parts to it."""
    too_large: int = 0
    """Texts that the CPU encoded because the device's memory has no room for them."""
    failures: int = 0
    """Requests that the CPU encoded because the device failed or was out of memory."""


class Counting:
    """Counts. Any number of threads may do so."""

    def __init__(self) -> None:
        self._numbers: Counter[str] = Counter()
        self._lock = Lock()

    @property
    def sums(self) -> GpuCounters:
        """What was counted so far."""
        with self._lock:
            return GpuCounters(**self._numbers)

    def add(self, **numbers: int) -> None:
        """Count this too; the names are those of the fields of `GpuCounters`."""
        with self._lock:
            self._numbers.update(numbers)
