"""`python -m spec.lean`: checks the Lean files of the project."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from .errors import LeanToolError
from .project import REPOSITORY, Project, cache_directory
from .report import Report, check_with_wasm


def main() -> int:
    """0: everything passed. 1: something is wrong with the Lean files. 2: the check could not run."""
    parser = argparse.ArgumentParser(prog="python -m spec.lean", description=__doc__)
    parser.add_argument("command", choices=["check"])
    parser.add_argument("--project", type=Path, default=REPOSITORY)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    try:
        began = time.monotonic()
        report = Report(Project(arguments.project.resolve()), say=lambda line: print(line, flush=True))
        check_with_wasm(report, cache_directory(), arguments.jobs)
        print(f"{report.summary()} in {time.monotonic() - began:.1f} s")
        return 1 if report.problems else 0
    except LeanToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


sys.exit(main())
