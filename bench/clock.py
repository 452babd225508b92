"""Time of one call, on the clock that fits how many cores it has."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

R = TypeVar("R")


def timed(call: Callable[[], R], cores: int) -> tuple[float, R]:
    """Seconds, and what the call gave.

    On one core, the processor time of the whole process: what else the machine does is left out. On more,
    the time that passes.
    """
    clock = time.process_time if cores == 1 else time.perf_counter
    collected = gc.isenabled()
    gc.disable()
    try:
        start = clock()
        given = call()
        stop = clock()
    finally:
        if collected:
            gc.enable()
    return stop - start, given
