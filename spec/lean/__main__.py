"""Checks the Lean files of the project.

check    every file, the rules and the manifest; by `lake` if it works here, else by the fetched checker
axioms   the same, then a table: what each theorem of the manifest rests on
watch    checks one file again whenever it is saved; `--once` checks it once
goal     prints the proof state at a line (from 1) and column (from 0)

Exit status: 0 all passed, 1 something is wrong with the Lean files, 2 the check could not run.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from .errors import LeanToolError
from .lake import check_with_lake, require_lake, usable_lake
from .project import REPOSITORY, Project, cache_directory
from .report import Report, axioms_table, check_with_wasm
from .watch import Session, ask, watch


def main() -> int:
    """Reads the command line and runs it; returns the exit status."""
    arguments = _parser().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an exception: workers end, temporary files go
    project = Project(arguments.project.resolve())
    try:
        if arguments.command in ("check", "axioms"):
            return _check(project, arguments)
        return _work_on_file(project, arguments)
    except LeanToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _check(project: Project, arguments: argparse.Namespace) -> int:
    failed = False
    for name, run in _checkers(project, arguments.checker, arguments.jobs):
        began = time.monotonic()
        report = Report(project, _say)
        run(report)
        if arguments.command == "axioms":
            _say(axioms_table(report.verdicts))
        _say(f"{name}: {report.summary()} in {time.monotonic() - began:.1f} s")
        failed = failed or bool(report.problems)
    return 1 if failed else 0


def _checkers(project: Project, wanted: str, jobs: int) -> list[tuple[str, Callable[[Report], None]]]:
    """The checkers asked for, by name. With `auto`, Lake is used where it works."""
    if wanted == "auto":
        lake, reason = usable_lake(project.lean)
        if lake is None:
            _say(f"using the fetched checker: {reason}")
        wanted = "wasm" if lake is None else "lake"
    checkers: list[tuple[str, Callable[[Report], None]]] = []
    if wanted in ("lake", "both"):
        found = require_lake(project.lean)
        checkers.append(("lake", lambda report: check_with_lake(report, found)))
    if wanted in ("wasm", "both"):
        checkers.append(("wasm", lambda report: check_with_wasm(report, cache_directory(), jobs)))
    return checkers


def _work_on_file(project: Project, arguments: argparse.Namespace) -> int:
    cache, file = cache_directory(), arguments.file
    if not file.is_file():
        raise LeanToolError(f"{file}: no such file")
    if arguments.command == "watch" and not arguments.once:
        with closing(Session(project, cache, file, arguments.jobs)) as session:
            watch(session, cache, _say)
    request = ["check"] if arguments.command == "watch" else ["goal", arguments.line, arguments.column]
    answer = ask(cache, file, request)
    if answer is None:
        with closing(Session(project, cache, file, arguments.jobs)) as session:
            answer = session.answer(request)
    _say(answer.text)
    return 0 if answer.passed else 1


def _say(text: str) -> None:
    print(text, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m spec.lean", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("check", "axioms", "watch", "goal"):
        command = commands.add_parser(name)
        command.add_argument(
            "--project", type=Path, default=REPOSITORY, help="holds lean/ and spec/theorems.toml"
        )
        command.add_argument("--jobs", type=int, default=2, help="processes of 1 GB each (default 2)")
        if name in ("check", "axioms"):
            command.add_argument(
                "--with", dest="checker", choices=("auto", "wasm", "lake", "both"), default="auto"
            )
        else:
            command.add_argument("file", type=Path)
        if name == "watch":
            command.add_argument("--once", action="store_true", help="check the file once and end")
        if name == "goal":
            command.add_argument("line", type=int)
            command.add_argument("column", type=int)
    return parser


if __name__ == "__main__":
    sys.exit(main())
