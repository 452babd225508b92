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

_Said = dict[str, float]
"""What one process measured."""


def load(family: str, packages: Sequence[str], rounds: int) -> list[Result]:
    """Each engine, opened by processes of their own in turn."""
    found: dict[str, list[tuple[_Said, _Said]]] = {}
    failed: dict[str, str] = {}
    code, path = text("code", 1_000_000), str(fetch(family))
    with TemporaryDirectory() as bytecode:
        for number in range(-1, rounds):  # one more: an installed package has its bytecode
            shift = max(number, 0) % len(packages)
            for package in [*packages[shift:], *packages[:shift]]:
                if package in failed:
                    continue
                try:
                    said = _opened_twice(package, family, path, code, bytecode)
                except _Failed as error:
                    failed[package] = str(error)
                    continue
                if number >= 0:
                    found.setdefault(package, []).append(said)
    results = []
    for package in packages:
        blank = Result(MEASUREMENT, family, "", "", package, "", (), failed.get(package, ""))
        for key, (case, unit) in _CASES.items():
            for which, again in enumerate(("", _AGAIN)):
                samples = [said[which][key] for said in found.get(package, [])]
                results.append(replace(blank, case=case + again, text=unit, unit=unit, samples=samples))
    return results


class _Failed(Exception):
    """An engine did not open."""


def _opened_twice(package: str, family: str, path: str, code: str, bytecode: str) -> tuple[_Said, _Said]:
    """What a process that opens an engine says, and another one after it."""
    # The kit's cache: empty, and then what the first process left.
    with TemporaryDirectory() as cache:
        first = _opened(package, family, path, code, bytecode, cache)
        again = _opened(package, family, path, code, bytecode, cache) if package == OURS else first
        return first, again


def _opened(package: str, family: str, path: str, code: str, bytecode: str, cache: str) -> _Said:
    """What a process that opens an engine says."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = bytecode
    if package == OURS:
        environment["VERIFIED_TOK_CACHE"] = cache
    command = [sys.executable, "-m", "bench.opened", package, family, path]
    ended = subprocess.run(command, input=code, capture_output=True, text=True, env=environment)
    if ended.returncode != 0:
        raise _Failed((ended.stderr.splitlines() or ["the process ended"])[-1][:80])
    said: _Said = json.loads(ended.stdout.splitlines()[-1])
    return said
