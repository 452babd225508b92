"""Decoding the ids of one text on one core, to a string and to bytes."""

from __future__ import annotations

from collections.abc import Sequence

from bench.oracle import reference_bytes, reference_ids
from bench.race import again, in_turn, runners
from bench.result import Result
from bench.texts import text

MEASUREMENT = "decode"

FIRST_IDS = 8
"""Engines do some of their loading when they get their first ids: so many, before anything is timed."""


def decode(family: str, kind: str, size: int, packages: Sequence[str], rounds: int) -> list[Result]:
    """Each engine on the ids of the first `size` bytes of a kind of text, given as an array."""
    ids = reference_ids(family, text(kind, size))
    data = reference_bytes(family, ids)
    whole = data.decode()
    field = runners(family, packages)
    for each in field:
        each.open()
        each.run(1, lambda e: e.decode(ids[:FIRST_IDS]), lambda _, __: "")
        each.samples.clear()
    for _, each in in_turn(field, rounds):
        each.run(1, lambda e: e.decode(ids), lambda _, found: "" if found == whole else "other text")
    results = [each.result(MEASUREMENT, "to a string", kind, "MB/s", len(data) / 1e6) for each in field]
    field = [each for each in again(field) if each.engine is not None]
    for each in field:
        each.failed = ""  # who gives no text may give bytes
    for _, each in in_turn(field, rounds):
        each.run(1, lambda e: e.decode_bytes(ids), lambda _, found: "" if found == data else "other bytes")
    return results + [each.result(MEASUREMENT, "to bytes", kind, "MB/s", len(data) / 1e6) for each in field]
