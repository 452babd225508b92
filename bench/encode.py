"""Encoding one text: cold, warm, and warm with text that the engine has not seen."""

from __future__ import annotations

from collections.abc import Sequence

from bench.engines import Engine, Ids, as_ids
from bench.oracle import reference_ids
from bench.race import Runner, Timed, again, difference, in_turn, once, runners
from bench.result import Result
from bench.texts import in_a_new_str, text

MEASUREMENT = "encode"
PARTS = 3


def cold(family: str, kind: str, size: int, cores: int, packages: Sequence[str], number: int) -> list[Result]:
    """Each engine once on the first `size` bytes of a kind of text, by a fresh object."""
    given = text(kind, size)
    expected = reference_ids(family, given)
    field = runners(family, packages)
    once(field, number, cores, lambda: on_ids(in_a_new_str(given), expected))
    return _results(field, "cold", kind, size, cores)


def warm(family: str, kind: str, size: int, cores: int, packages: Sequence[str], rounds: int) -> list[Result]:
    """The same text again and again; then, unseen, some of the bytes that follow it, as far as there are
    any."""
    given = text(kind, size)
    call, check = on_ids(given, reference_ids(family, given))
    field = runners(family, packages)
    once(field, 0, cores, lambda: (call, check))
    field = again(field)
    for _, each in in_turn(field, rounds):
        each.run(cores, call, check)
    results = _results(field, "warm", kind, size, cores)
    field, parts = again(field), _parts_after(kind, size)
    answers = [reference_ids(family, part) for part in parts]
    for number, each in in_turn(field, len(parts)):
        each.run(cores, *on_ids(in_a_new_str(parts[number]), answers[number]))
    return results + (_results(field, "unseen", kind, size, cores) if parts else [])


def _results(field: Sequence[Runner], state: str, kind: str, size: int, cores: int) -> list[Result]:
    case = f"{state}, {size_name(size)}" + (f", {cores} cores" if cores > 1 else "")
    return [each.result(MEASUREMENT, case, kind, "MB/s", size / 1e6) for each in field]


def on_ids(given: str, expected: Ids) -> Timed:
    """Encoding a text, which must give these ids."""

    def call(engine: Engine) -> object:
        return engine.encode(given)

    def check(engine: Engine, found: object) -> str:
        return difference(as_ids(found), expected)

    return call, check


def size_name(size: int) -> str:
    """A number of bytes as people say it."""
    for unit, name in ((1_000_000, "MB"), (1_000, "KB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} bytes"


def _parts_after(kind: str, size: int) -> list[str]:
    whole = text(kind, 10_000_000).encode()
    starts = [*range(size, len(whole) - size + 1, size)][:PARTS]
    return [whole[start : start + size].decode(errors="ignore") for start in starts]
