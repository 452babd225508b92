"""Where the kernels' source lies, and how it is compiled."""

from __future__ import annotations

import hashlib
from pathlib import Path

import verified_tok

HERE = Path(__file__).parent
KERNELS = HERE / "kernels.cu"
EMULATOR = HERE / "emulator.cpp"
HEADERS = Path(verified_tok.__file__).parent / "_core"
"""The functions that the CPU engine and the kernels share."""
NVRTC_HEADERS = HERE / "nvrtc"
"""What stands for the standard library where there is none: CUDA's run-time compiler."""

NVRTC_OPTIONS = ("--std=c++17", f"-I{HEADERS}", f"-I{NVRTC_HEADERS}", f"-I{HERE}")
EMULATOR_OPTIONS = ("-std=c++17", "-O1", "-shared", "-fPIC", "-pthread", f"-I{HEADERS}", f"-I{HERE}")


def kernel_source() -> str:
    """The kernels' source, beginning with the hash of all headers: CuPy keeps what it compiled under the hash
    of this text, and does not look at what it includes."""
    total = hashlib.sha256()
    for folder in (HEADERS, NVRTC_HEADERS, HERE):
        for header in sorted(folder.glob("*.h")):
            total.update(header.read_bytes())
    return f"// {total.hexdigest()}\n{KERNELS.read_text('utf-8')}"
