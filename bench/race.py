"""Engines side by side: in turn, each time in another order, and only as long as they give the right ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench.clock import timed
from bench.engines import ENGINES, Engine, Ids, NotServed
from bench.result import Result, is_rate

FIRST_TEXT = "Hello, world! 世界 12\n"
"""Engines do some of their loading when they get their first text: this one, before anything is timed."""

TOO_SLOW = 5
"""An engine that takes so many times as long as the fastest is not measured on and on."""


Call = Callable[[Engine], Any]
"""What is timed."""

Check = Callable[[Engine, Any], str]
"""What is wrong with what it gave; nothing if it counts."""

Timed = tuple[Call, Check]


@dataclass(slots=True)
class Runner:
    """One engine in the race: it is out as soon as `failed` says why."""

    package: str
    family: str
    engine: Engine | None = None
    failed: str = ""
    samples: list[float] = field(default_factory=list)

    def open(self) -> None:
        """A fresh object, which has done what it does at its first text."""
        self.engine = None
        try:
            self.engine = ENGINES[self.package](self.family)
            self.engine.encode(FIRST_TEXT)
        except ImportError:
            self.failed = "not installed"
        except NotServed as error:
            self.failed = str(error)
        except Exception as error:  # whatever an engine raises is its result
            self.failed = _said(error)

    def run(self, cores: int, call: Call, check: Check) -> None:
        """Take the time of a call; it counts if `check` finds nothing to say."""
        if self.failed or self.engine is None:
            return
        engine = self.engine
        try:
            seconds, given = timed(lambda: call(engine), cores)
            self.failed = check(engine, given)
        except NotServed as error:
            self.failed = str(error)
        except Exception as error:  # as above
            self.failed = _said(error)
        if not self.failed:
            self.samples.append(seconds)

    def result(self, measurement: str, case: str, text: str, unit: str, size: float) -> Result:
        """What came out: how much of `size` a second; in a unit of time, `size` of it in a second."""
        counted = [] if self.failed else self.samples
        samples = [size / seconds if is_rate(unit) else size * seconds for seconds in counted]
        gives = ENGINES[self.package].gives
        return Result(measurement, self.family, case, text, self.package, unit, samples, self.failed, gives)


def runners(family: str, packages: Sequence[str]) -> list[Runner]:
    """All of them, not opened yet."""
    return [Runner(package, family) for package in packages]


def again(field: Sequence[Runner]) -> list[Runner]:
    """The same objects, no time taken yet."""
    return [Runner(each.package, each.family, each.engine, each.failed) for each in field]


def once(field: Sequence[Runner], number: int, cores: int, given: Callable[[], Timed]) -> None:
    """Each opened and measured once, with what it is `given`. `number` says who is first.

    A cold measurement takes a process for each: some engines are several times slower in the second object
    of a process.
    """
    shift = number % len(field)
    for each in [*field[shift:], *field[:shift]]:
        each.open()
        each.run(cores, *given())


def in_turn(field: Sequence[Runner], rounds: int) -> Iterator[tuple[int, Runner]]:
    """Each round, everyone who is still in: not failed, and not too slow twice. (Once says little of a short
    text: any engine may wait for what other work took out of the caches.)"""
    for number in range(rounds):
        best = min((seconds for each in field for seconds in each.samples), default=float("inf"))
        shift = number % len(field)
        for each in [*field[shift:], *field[:shift]]:
            if not each.failed and (len(each.samples) < 2 or min(each.samples) < TOO_SLOW * best):
                yield number, each


def difference(found: Ids, expected: Ids) -> str:
    """What is wrong with ids; nothing if they are the expected ones."""
    if np.array_equal(found, expected):
        return ""
    shorter = min(len(found), len(expected))
    unequal = np.flatnonzero(found[:shorter] != expected[:shorter])
    return f"other ids, from token {unequal[0] if len(unequal) else shorter} on"


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:80]
