"""Where tables and progress go."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

_WIDTH_IN_FILES = 1000  # nothing is wrapped or cut short because a pipe has no width


def output() -> Console:
    """Standard output for tables: coloured on a terminal, plain and wide in a file or a pipe."""
    return Console(width=None if sys.stdout.isatty() else _WIDTH_IN_FILES, highlight=False, soft_wrap=False)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show `what` and the time that has passed until the block ends, on a terminal only."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=_errors(), transient=True, disable=not sys.stderr.isatty()) as progress:
        progress.add_task(what)
        yield


@contextmanager
def counting(what: str) -> Iterator[Progress]:
    """A progress bar for work of a known number of steps, on a terminal only; add tasks to it."""
    columns = (TextColumn(what), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeElapsedColumn(), console=_errors(), transient=True, disable=not sys.stderr.isatty()
    ) as progress:
        yield progress


@contextmanager
def reading(what: str, size: int | None) -> Iterator[Callable[[int], None]]:
    """A progress bar for the bytes of a file, on a terminal only; call the function with the bytes read.

    Without a `size` it shows how many there were.
    """
    columns = (TextColumn(what), BarColumn(), DownloadColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_errors(), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("", total=size)
        yield lambda count: progress.advance(task, count)


def _errors() -> Console:
    return Console(stderr=True)
