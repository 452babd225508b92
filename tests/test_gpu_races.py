"""The kernels' threads at the same time: what one of a launch writes, no other reads or writes.

The compiler's own check for races (ThreadSanitizer) looks at every access. It must be loaded first, so this
runs in a process of its own, which is this file. On the way the compiler checks what one processor does and
another does not: shifts by too much, words at odd addresses.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from test_gpu_emulator import hostile, native_encoder, tokenizer

from verified_tok.gpu.counters import Counting
from verified_tok.gpu.emulator import Emulator, build_emulator
from verified_tok.gpu.encoder import DeviceEncoder
from verified_tok.gpu.lanes import Lanes

LONG = "x" * 300  # is left to the CPU
FOUND = 66  # the exit status after a race
CHECKS = "-fsanitize=thread,undefined", "-fno-sanitize-recover=undefined"


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_emulator(tmp_path_factory.mktemp("checked"), "-g", *CHECKS)


def runtime() -> str:
    compiler = os.environ.get("CXX", "c++")
    found = subprocess.run(
        [compiler, "-print-file-name=libtsan.so"], capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


def run(library: Path, name: str) -> subprocess.CompletedProcess[str]:
    check = {"LD_PRELOAD": runtime(), "TSAN_OPTIONS": f"exitcode={FOUND}"}
    command = [sys.executable, __file__, str(library), name]
    paths = os.pathsep.join(sys.path)
    return subprocess.run(
        command, env={**os.environ, **check, "PYTHONPATH": paths}, capture_output=True, text=True, timeout=300
    )


@pytest.mark.parametrize("name", ["qwen3", "llama-2"])
def test_threads_of_a_launch_do_not_meet(name: str, checked: Path) -> None:
    done = run(checked, name)
    assert done.returncode == 0, done.stdout + done.stderr


def encode_and_compare(library: Path, name: str) -> None:
    """Texts with parts that a normalizer changes, and some that are left to the CPU; their places, too."""
    rng, own, counting = random.Random(name), native_encoder(tokenizer(name)), Counting()
    lanes = Lanes(Emulator(library, 0, workers=4), smallest=1 << 12, block=7)
    encoder = DeviceEncoder(tokenizer(name).spec, own.engine, own.seams, lanes, counting, many_left=1)
    texts = [*(hostile(name, rng, rng.choice([0, 1, 3, 10, 40])) for _ in range(40)), LONG, "e\u0301 " * 20]
    found, expected = encoder.encode_batch(texts, (1,), (2,)), own.encode_batch(texts, (1,), (2,))
    assert [array.tolist() for array in found] == [array.tolist() for array in expected]
    for text in texts[-4:]:
        assert encoder.encode_placed(text)[1].tolist() == own.encode_placed(text).byte_spans.tolist()
    assert counting.sums.parts_by_cpu > 0 == counting.sums.failures


if __name__ == "__main__":
    encode_and_compare(Path(sys.argv[1]), sys.argv[2])
