"""One measurement in one fresh process, on so many cores.

Engines settle how many threads they use when they start, some keep what they learn for as long as the
process lives, and some end the process where they fail.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_THREADS = ("RAYON_NUM_THREADS", "TOKENIZERS_NUM_THREADS", "OMP_NUM_THREADS")


class ProcessEnded(Exception):
    """An engine took the process with it."""


def in_a_fresh_process(cores: int, measure: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What `measure` gives, run alone on the last `cores` cores of this process. Raises ProcessEnded."""
    with _environment({name: str(cores) for name in _THREADS} | {"TOKENIZERS_PARALLELISM": str(cores > 1)}):
        context = get_context("spawn")
        with ProcessPoolExecutor(1, context, initializer=_pin, initargs=(cores,)) as alone:
            try:
                return alone.submit(measure, *args, **kwargs).result()
            except BrokenProcessPool as error:
                raise ProcessEnded("the process ended") from error


def _pin(cores: int) -> None:
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-cores:])


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update({name: value.lower() for name, value in values.items()})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
