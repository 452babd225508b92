"""The same check by the stock toolchain: `lake build`, then `#print axioms` for the manifest's theorems."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .audit import STANDARD_AXIOMS, Verdict
from .errors import LeanToolError
from .project import Problem
from .report import Report

_AXIOMS = re.compile(
    r"'(?P<name>.+?)' (?:does not depend on any axioms|depends on axioms: \[(?P<axioms>[^\]]*)\])"
)


def usable_lake(lean_directory: Path) -> tuple[str | None, str]:
    """The `lake` on the PATH if it starts for this project, else None; and why not."""
    lake = shutil.which("lake")
    if lake is None:
        return None, "lake is not on the PATH"
    # elan's `lake` fetches the pinned toolchain first, which fails where it cannot be downloaded.
    started = subprocess.run([lake, "--version"], cwd=lean_directory, capture_output=True, text=True)
    if started.returncode == 0:
        return lake, ""
    return None, f"{lake} does not start: {(started.stderr or started.stdout).strip()[-300:]}"


def check_with_lake(report: Report, lake: str) -> None:
    """The whole check by `lake build`. Raises LeanToolError when a compiled file cannot be read."""
    graph = report.add_sources()
    lean = report.project.lean
    build = subprocess.run(
        [lake, "build", report.project.library()],
        cwd=lean,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    for line in build.stdout.splitlines():
        report.say(line)
        report.warnings += line.startswith("warning:")
        if "declaration uses" in line and "sorry" in line:
            report.add(Problem("lake build", line))
    if build.returncode != 0:
        report.add(Problem("lake build", f"ended with status {build.returncode}"))
    else:
        report.add_compiled(graph, lean / ".lake" / "build" / "lib" / "lean")
        _add_printed_axioms(report, lake)


def _add_printed_axioms(report: Report, lake: str) -> None:
    """Replaces the verdicts by Lean's own, which follow the proofs of the core library too."""
    names = [verdict.name for verdict in report.verdicts]
    with tempfile.TemporaryDirectory() as directory:
        # Not a `module`: only such a file sees all proofs.
        source = Path(directory, "Axioms.lean")
        commands = "".join(f"#print axioms {name}\n" for name in names)
        source.write_text(f"import {report.project.library()}\n{commands}", "utf-8")
        command = [lake, "env", "lean", "--json", str(source)]
        printed = subprocess.run(command, cwd=report.project.lean, capture_output=True, text=True)
    axioms = printed_axioms(printed.stdout)
    for name in names:
        if name not in axioms:
            report.add(Problem(name, f"'#print axioms' said nothing about it\n{printed.stderr[-500:]}"))
        for axiom in axioms.get(name, ()):
            if axiom not in STANDARD_AXIOMS:
                report.add(Problem(name, f"rests on {axiom}"))
    report.verdicts = [Verdict(name, axioms[name]) for name in names if name in axioms]


def printed_axioms(output: str) -> dict[str, tuple[str, ...]]:
    """The answers to `#print axioms` among the messages of `lean --json`, by theorem."""
    messages = [json.loads(line)["data"] for line in output.splitlines() if line.startswith("{")]
    answers = filter(None, map(_AXIOMS.match, messages))
    return {
        answer["name"]: tuple(sorted((answer["axioms"] or "").replace(",", " ").split()))
        for answer in answers
    }


def require_lake(lean_directory: Path) -> str:
    """The usable `lake`. Raises LeanToolError when there is none."""
    lake, reason = usable_lake(lean_directory)
    if lake is None:
        raise LeanToolError(f"{reason}; install elan, Lean's version manager, or use --with wasm")
    return lake
