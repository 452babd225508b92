"""Encoding a thousand documents, and a thousand short strings, on several cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bench.engines import Engine
from bench.oracle import reference_ids
from bench.race import Timed, again, difference, in_turn, once, runners
from bench.result import Result
from bench.texts import in_a_new_str, text

MEASUREMENT = "batch"
TEXTS = 1_000
CASES = ("documents", "short strings")


def cold(family: str, kind: str, case: str, cores: int, packages: Sequence[str], number: int) -> list[Result]:
    """Each engine once on a thousand texts, by a fresh object."""
    size, given, answer = _on(family, kind, case, cores)
    field = runners(family, packages)
    once(field, number, cores, lambda: answer([in_a_new_str(each) for each in given]))
    return [each.result(MEASUREMENT, _named("cold", case, cores), kind, "MB/s", size) for each in field]


def warm(family: str, kind: str, case: str, cores: int, packages: Sequence[str], rounds: int) -> list[Result]:
    """The same batch again and again."""
    size, given, answer = _on(family, kind, case, cores)
    call, check = answer(given)
    field = runners(family, packages)
    once(field, 0, cores, lambda: (call, check))
    field = again(field)
    for _, each in in_turn(field, rounds):
        each.run(cores, call, check)
    return [each.result(MEASUREMENT, _named("warm", case, cores), kind, "MB/s", size) for each in field]


def _named(state: str, case: str, cores: int) -> str:
    return f"{state}, {TEXTS:,} {case}, {cores} core{'s' if cores > 1 else ''}"


def _on(
    family: str, kind: str, case: str, cores: int
) -> tuple[float, list[str], Callable[[list[str]], Timed]]:
    """How many megabytes the texts have, the texts, and what is timed when they are given."""
    texts = documents(kind) if case == "documents" else short_strings(kind)
    answers = [reference_ids(family, each) for each in texts]
    expected = np.concatenate(answers)
    ends = np.cumsum([len(each) for each in answers])

    def check(engine: Engine, found: object) -> str:
        ids, lengths = engine.rows(found)
        if not np.array_equal(np.cumsum(lengths), ends):
            return "other lengths"
        return difference(ids, expected)

    def answer(given: list[str]) -> Timed:
        return lambda engine: engine.encode_batch(given, cores), check

    return sum(len(each.encode()) for each in texts) / 1e6, texts, answer


def documents(kind: str, size: int = 10_000) -> list[str]:
    """Texts of about ten thousand bytes."""
    whole = text(kind, TEXTS * size).encode()
    return [whole[start : start + size].decode(errors="ignore") for start in range(0, len(whole), size)]


def short_strings(kind: str) -> list[str]:
    """Lines of twenty to two hundred characters."""
    lines = (line.strip() for line in text(kind, 2_000_000).splitlines())
    return list(dict.fromkeys(line for line in lines if 20 <= len(line) <= 200))[:TEXTS]
