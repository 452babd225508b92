"""`python -m bench.opened PACKAGE FAMILY`: open an engine in this process, and say what that took.

Memory is counted from where Python, numpy and this benchmark are loaded, for the kit from where Python is.
"""

from __future__ import annotations

import os
import sys
import time


def resident() -> float:
    """Megabytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main(package: str, family: str) -> None:
    """Print milliseconds and megabytes as JSON."""
    bare = resident()
    import json

    from bench.engines import ENGINES, OURS
    from bench.race import FIRST_TEXT
    from bench.texts import text
    from verified_tok.fetch import fetch

    fetch(family)
    if package != OURS:
        bare = resident()
    start = time.process_time()
    engine = ENGINES[package](family)
    opened = time.process_time()
    memory_opened = resident() - bare
    engine.encode(FIRST_TEXT)
    first = time.process_time()
    code = text("code", 1_000_000)
    engine.encode(code)
    found = {
        "open": (opened - start) * 1e3,
        "first": (first - opened) * 1e3,
        "opened": memory_opened,
        "used": resident() - bare,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
