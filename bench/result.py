"""What is measured, and the files and tables it is shown in."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.engines import versions

FOLDER = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True)
class Result:
    """One engine in one case.

    `samples` are in `unit`; more is better where `unit` is a rate. `failed` says why there are none: the
    engine gave something else than the reference, or could not do it.
    """

    measurement: str
    family: str
    case: str
    text: str
    engine: str
    unit: str
    samples: Sequence[float] = ()
    failed: str = ""
    gives: str = ""
    when: str = field(default_factory=lambda: datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """What is measured."""
        return self.measurement, self.family, self.case, self.text, self.engine

    @property
    def middle(self) -> float:
        """The median."""
        return median(self.samples)

    @property
    def spread(self) -> float:
        """How far the samples lie from the median: half of the middle half, as a share of it."""
        ordered = sorted(self.samples)
        quarter = len(ordered) // 4
        return (ordered[-1 - quarter] - ordered[quarter]) / 2 / self.middle

    def ratio_to(self, best: Result) -> float:
        """How many times slower this is."""
        quotient = best.middle / self.middle
        return quotient if is_rate(self.unit) else 1 / quotient


def is_rate(unit: str) -> bool:
    """Whether more is better."""
    return unit.endswith("/s")


def fastest(results: Iterable[Result]) -> Result | None:
    """The best of those that count."""
    counted = [result for result in results if result.samples]
    if not counted:
        return None
    rate = is_rate(counted[0].unit)
    return max(counted, key=lambda result: result.middle if rate else -result.middle)


@dataclass(slots=True)
class Report:
    """All results of a run, and the machine that gave them."""

    _by_key: dict[tuple[str, ...], Result] = field(default_factory=dict)

    def add(self, found: Iterable[Result]) -> None:
        """Add results; those of a case that has been measured before are further samples of it."""
        for result in found:
            key = result.key
            known = self._by_key.get(key)
            if known is None:
                self._by_key[key] = result
            else:
                failed = known.failed or result.failed
                samples = [] if failed else [*known.samples, *result.samples]
                self._by_key[key] = replace(known, samples=samples, failed=failed)

    @property
    def results(self) -> list[Result]:
        """All of them."""
        return list(self._by_key.values())

    def save(self) -> None:
        """Write the results of each measurement as JSON; of what was there before, what has not been measured
        again stays. Raises OSError."""
        FOLDER.mkdir(exist_ok=True)
        for measurement in dict.fromkeys(result.measurement for result in self.results):
            path = FOLDER / f"{measurement}.json"
            before = {result.key: result for result in load(path)} if path.is_file() else {}
            now = {key: result for key, result in self._by_key.items() if result.measurement == measurement}
            rows = [asdict(result) for result in (before | now).values()]
            content = {"machine": machine(), "engines": versions(), "results": rows}
            text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
            path.write_text(text, "utf-8")

    def show(self, console: Console) -> None:
        """Print a table for each measurement, family and case: an engine a row, a text a column."""
        for key in dict.fromkeys((r.measurement, r.family, r.case) for r in self.results):
            rows = [r for r in self.results if (r.measurement, r.family, r.case) == key]
            console.print(_table(" · ".join(key), rows))


def load(path: Path) -> list[Result]:
    """The results that `Report.save` wrote."""
    return [Result(**row) for row in json.loads(path.read_text("utf-8"))["results"]]


def machine() -> dict[str, Any]:
    """What the numbers depend on."""
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),
        "system": f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}",
        "python": platform.python_version(),
    }


def _cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _table(title: str, rows: Sequence[Result]) -> Table:
    texts = list(dict.fromkeys(row.text for row in rows))
    best = {text: fastest(row for row in rows if row.text == text) for text in texts}
    table = Table("engine", *texts, title=f"{title} · {rows[0].unit}", title_justify="left")
    for engine in dict.fromkeys(row.engine for row in rows):
        cells = {row.text: _cell(row, best[row.text]) for row in rows if row.engine == engine}
        table.add_row(engine, *(cells.get(text, "") for text in texts))
    return table


def _cell(row: Result, best: Result | None) -> str:
    if not row.samples or best is None:
        return f"[dim]{row.failed}[/]"
    shown = _number(row.middle) + (f" ±{row.spread:.0%}" if len(row.samples) > 1 else "")
    return f"[bold]{shown}[/]" if row is best else f"{shown}  [dim]÷{row.ratio_to(best):.2f}[/]"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
