"""CrossHair on contracts, and on contracts about code with a planted fault."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
REPOSITORY = TESTS.parent


_CROSSHAIR = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if not type(f).__module__.startswith("_editable")]
from crosshair.main import main
main()
"""
"""CrossHair, on what PYTHONPATH holds: an editable install's hook would go before it."""


def counterexamples(seconds: int, *targets: str, at: Path = REPOSITORY) -> str:
    """CrossHair's counterexamples; empty if it found none in that much CPU time for each contract."""
    command = [sys.executable, "-c", _CROSSHAIR, "check", "--analysis_kind=PEP316"]
    command += [f"--per_condition_timeout={seconds}", *targets]
    path = os.pathsep.join([str(at), str(TESTS)])
    run = subprocess.run(
        command, cwd=at, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=600
    )
    assert run.returncode == (1 if run.stdout else 0), run.stderr
    return run.stdout


def copy_with_fault(folder: Path, module: str, original: str, faulty: str, contracts: str) -> None:
    """Copy the reference into a folder with other text in one of its modules, and contracts about it.

    The package's own imports are left out: CrossHair is slow with large modules.
    """
    ignored = shutil.ignore_patterns("__pycache__", "_core")
    shutil.copytree(REPOSITORY / "verified_tok", folder / "verified_tok", ignore=ignored)
    (folder / "verified_tok" / "__init__.py").write_text("", encoding="utf-8")
    file = folder / "verified_tok" / "reference" / f"{module}.py"
    source = file.read_text(encoding="utf-8")
    assert source.count(original) == 1
    file.write_text(source.replace(original, faulty), encoding="utf-8")
    shutil.copy(TESTS / f"{contracts}.py", folder)
