"""Measurements one after the other, each in a process of its own, and what to show of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench.process import ProcessEnded, in_a_fresh_process
from bench.race import TOO_SLOW
from bench.result import Report, Result, fastest


@dataclass(frozen=True, slots=True)
class Job:
    """One process's share of a measurement: `measure(*arguments, engines, last)`.

    Jobs with the same `about` are rounds of one measurement.
    """

    about: str
    cores: int
    measure: Callable[..., list[Result]]
    arguments: tuple[object, ...]
    engines: Sequence[str]
    last: int


def run(jobs: Iterable[Job]) -> None:
    """Do all of them, write the files, show the tables.

    Raises nothing for what engines do: one that ends the process loses that round for all, and is named.
    """
    console, report, out = Console(), Report(), dict[str, set[str]]()
    jobs = list(jobs)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(jobs))
        for job in jobs:
            progress.update(task, description=job.about)
            engines = [engine for engine in job.engines if engine not in out.get(job.about, ())]
            try:
                found = in_a_fresh_process(job.cores, job.measure, *job.arguments, engines, job.last)
                report.add(found)
                out.setdefault(job.about, set()).update(hopeless(found))
            except ProcessEnded as error:
                console.print(f"[red]{job.about}: {error}[/]")
            report.save()  # a run may be ended early
            progress.advance(task)
    report.show(console)


def hopeless(found: Sequence[Result]) -> set[str]:
    """Engines that another round would tell nothing new about."""
    best = fastest(found)
    return {
        result.engine
        for result in found
        if not result.samples or (best is not None and result.ratio_to(best) > TOO_SLOW)
    }
