"""Opening a tokenizer in a fresh process: how long it takes, and how much memory it keeps."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from tempfile import TemporaryDirectory

from bench.opened import OURS
from bench.result import Result
from bench.texts import text
from verified_tok.fetch import fetch

MEASUREMENT = "load"
_CASES = {
    "open": ("opening the file", "ms"),
    "first": ("the first text", "ms"),
    "opened": ("memory when open", "MB"),
    "used": ("memory after a megabyte of code", "MB"),
}
_AGAIN = ", opened before"
"""Engines without a cache of their own do the same each time; it is measured once and counts twice."""


def load(family: str, packages: Sequence[str], rounds: int) -> list[Result]:
    """Each engine, opened by processes of their own in turn."""
    found: dict[tuple[str, str], list[dict[str, float]]] = {}
    failed: dict[str, str] = {}
    code, path = text("code", 1_000_000), str(fetch(family))
    for number in range(rounds):
        shift = number % len(packages)
        for package in [*packages[shift:], *packages[:shift]]:
            with (
                TemporaryDirectory() as folder
            ):  # the kit's cache: empty, and then what the first process left
                for again in ("", _AGAIN):
                    if package in failed:
                        continue
                    if again and package != OURS:
                        found[package, again] = found[package, ""]
                        continue
                    environment = {"VERIFIED_TOK_CACHE": folder} if package == OURS else {}
                    ended = subprocess.run(
                        [sys.executable, "-m", "bench.opened", package, family, path],
                        input=code,
                        capture_output=True,
                        text=True,
                        env={**os.environ, **environment},
                    )
                    if ended.returncode == 0:
                        said = json.loads(ended.stdout.splitlines()[-1])
                        found.setdefault((package, again), []).append(said)
                    else:
                        failed[package] = (ended.stderr.splitlines() or ["the process ended"])[-1][:80]
    results = []
    for package in packages:
        blank = Result(MEASUREMENT, family, "", "", package, "", (), failed.get(package, ""))
        for key, (case, unit) in _CASES.items():
            for again in ("", _AGAIN):
                samples = [each[key] for each in found.get((package, again), [])]
                results.append(replace(blank, case=case + again, text=unit, unit=unit, samples=samples))
    return results
