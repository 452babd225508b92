"""`python -m bench.opened PACKAGE FAMILY PATH < TEXT`: open an engine in this process, encode the text, and
say what that took.

`PATH` is the family's file. All counts from where Python and NumPy are loaded, so an engine's own import is
included.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import numpy  # noqa: F401  # what every engine takes is not counted

OURS = "verified-tok"
_FIRST_TEXT = "Hello, world! 世界 12\n"


def resident() -> float:
    """Megabytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main(package: str, family: str, path: str) -> None:
    """Print milliseconds and megabytes as JSON."""
    code = sys.stdin.read()
    if package != OURS:  # what opens it stands in modules that take the kit
        import bench.engines  # noqa: F401
    bare, start = resident(), time.process_time()
    engine = _open(package, family, path)
    opened, memory = time.process_time(), resident() - bare
    engine.encode(_FIRST_TEXT)
    first = time.process_time()
    engine.encode(code)
    found = {
        "open": (opened - start) * 1e3,
        "first": (first - opened) * 1e3,
        "opened": memory,
        "used": resident() - bare,
    }
    print(json.dumps(found))


def _open(package: str, family: str, path: str) -> Any:
    if package != OURS:
        from bench.engines import ENGINES

        return ENGINES[package](family)
    import verified_tok as vt

    if path.endswith(".json"):
        return vt.load(path)
    from verified_tok.families import FAMILIES, RankFile

    rest = FAMILIES[family].file
    assert isinstance(rest, RankFile)
    return vt.from_tiktoken(path, rest.pattern, rest.special_tokens, *rest.normalizers)


if __name__ == "__main__":
    main(*sys.argv[1:4])
