"""Opening a tokenizer in a fresh process: how long it takes, and how much memory it keeps."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

from bench.result import Result

MEASUREMENT = "load"
_CASES = {
    "open": ("opening the file", "ms"),
    "first": ("the first text", "ms"),
    "opened": ("memory when open", "MB"),
    "used": ("memory after a megabyte of code", "MB"),
}


def load(family: str, packages: Sequence[str], rounds: int) -> list[Result]:
    """Each engine, opened by processes of their own in turn."""
    found: dict[str, list[dict[str, float]]] = {package: [] for package in packages}
    failed: dict[str, str] = {}
    for number in range(rounds):
        shift = number % len(packages)
        for package in [*packages[shift:], *packages[:shift]]:
            if package not in failed:
                command = [sys.executable, "-m", "bench.opened", package, family]
                ended = subprocess.run(command, capture_output=True, text=True)
                if ended.returncode == 0:
                    found[package].append(json.loads(ended.stdout.splitlines()[-1]))
                else:
                    failed[package] = (ended.stderr.splitlines() or ["the process ended"])[-1][:80]
    results = []
    for package in packages:
        blank = Result(MEASUREMENT, family, "", "", package, "", (), failed.get(package, ""))
        for key, (case, unit) in _CASES.items():
            samples = [each[key] for each in found[package]]
            results.append(replace(blank, case=case, text=unit, unit=unit, samples=samples))
    return results
