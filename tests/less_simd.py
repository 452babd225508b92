"""Tests again, as on machines that have fewer vector instructions."""

from __future__ import annotations

import os
import subprocess
import sys


def assert_passing(most: str, tests: str, *files: str) -> None:
    """Those whose names match `tests`, with `most` as the most that is used."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", tests, *files]
    environment = {**os.environ, "VERIFIED_TOK_SIMD": most}
    answer = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr
