"""Compiling the kernels with CUDA's run-time compiler alone: it needs no GPU and no driver.

`python -m verified_tok.gpu.compile` prints what each kernel uses. The compiler is a shared library, in the
package `nvidia-cuda-nvrtc-cu12` or `-cu13`.
"""

from __future__ import annotations

import ctypes
import re
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from verified_tok.errors import GpuUnavailable
from verified_tok.gpu.source import NVRTC_OPTIONS, kernel_source

_PACKAGES = ("nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu13")
_OF_CUPY = ("-ftz=true", "--device-as-default-execution-space")
"""Options that CuPy adds to those of its caller."""

_LIBRARY = re.compile(r"libnvrtc\.so\.\d+$|nvrtc64_\d+_0\.dll$")


class KernelUse(NamedTuple):
    """What a thread of a kernel uses."""

    name: str
    registers: int
    stack: int
    """Bytes of its own memory."""
    spilled: int
    """Bytes of registers that had no room."""


def compile_kernels(architecture: str = "sm_90") -> list[KernelUse]:
    """Compile for an architecture. Raises `GpuUnavailable` if there is no compiler, RuntimeError with the
    compiler's words if it refuses the source."""
    nvrtc = ctypes.CDLL(str(_library()))
    program = ctypes.c_void_p()
    source = kernel_source().encode()
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernels.cu", 0, None, None))
    try:
        options = [*NVRTC_OPTIONS, *_OF_CUPY, f"--gpu-architecture={architecture}", "--ptxas-options=-v"]
        given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        status = nvrtc.nvrtcCompileProgram(program, len(options), given)
        log = _log(nvrtc, program)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    if status:
        raise RuntimeError(f"the kernels do not compile for {architecture}:\n{log}")
    return _uses(log)


def _library() -> Path:
    for package in _PACKAGES:
        try:
            found = files(package) or []
        except PackageNotFoundError:
            continue
        for file in found:
            if _LIBRARY.search(file.name):
                return Path(str(file.locate()))
    raise GpuUnavailable(f"CUDA's run-time compiler is not installed: pip install {_PACKAGES[0]}")


def _log(nvrtc: ctypes.CDLL, program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    _check(nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    _check(nvrtc.nvrtcGetProgramLog(program, text))
    return text.value.decode(errors="replace")


def _check(status: int) -> None:
    if status:
        raise RuntimeError(f"CUDA's run-time compiler answers with error {status}")


def _uses(log: str) -> list[KernelUse]:
    uses = []
    for part in log.split("Compiling entry function '")[1:]:
        name = part.partition("'")[0]
        registers, stack, spilled = (
            int(found[1]) if (found := re.search(pattern, part)) else 0
            for pattern in (r"Used (\d+) registers", r"(\d+) bytes stack frame", r"(\d+) bytes spill stores")
        )
        uses.append(KernelUse(name, registers, stack, spilled))
    return sorted(uses)


def main(architecture: str = "sm_90") -> None:
    """Compile the kernels and print what they use."""
    table = Table("kernel", "registers", "stack, bytes", "spilled, bytes", title=architecture)
    for use in compile_kernels(architecture):
        table.add_row(use.name, *map(str, use[1:]))
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
