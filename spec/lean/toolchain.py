"""A Lean that runs wherever Node does: the prepared package, its libraries, and how it is started."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import IO

from .errors import LeanToolError
from .fetch import LEAN_INTEGRITY, create_once, lean_archive, node_executable
from .modules import CORE_LIBRARIES
from .prepare_wasm import BINARY, SCRIPT, SYMBOLS, prepare

_DIGESTS = "digests.json"
_SOURCES_OF_PREPARATION = ("wasm_format.py", "prepare_wasm.py", "prepare_script.py", "runtime_patch.js")


@dataclass(frozen=True)
class Toolchain:
    """A prepared checker."""

    node: Path
    directory: Path

    @property
    def library(self) -> Path:
        """The compiled core library."""
        return self.directory / "library"

    @cached_property
    def key(self) -> str:
        """A hash over all files of the checker; what was compiled by another one is never used."""
        return hashlib.sha256((self.directory / _DIGESTS).read_bytes()).hexdigest()

    def verify(self) -> None:
        """Compares every file with the digest taken when it was prepared. Raises LeanToolError.

        A damaged cache must end in an error, not in a verdict; this takes half a second.
        """
        recorded = json.loads((self.directory / _DIGESTS).read_text("utf-8"))
        found = _digests(self.directory)
        damaged = [name for name, digest in recorded.items() if found.get(name) != digest]
        if damaged:
            what = ", ".join(damaged)
            raise LeanToolError(
                f"{self.directory}: {what} changed since it was prepared; delete this directory and run again"
            )

    def start(
        self,
        arguments: list[str],
        compiled: Path,
        directory: Path,
        *,
        stderr: int | IO[bytes] = subprocess.PIPE,
        long_lived: bool = False,
    ) -> subprocess.Popen[bytes]:
        """Starts Lean in `directory` with pipes; `compiled` is searched for the project's own modules.

        Node compiles each function when it is first called, with its fast compiler alone unless the process
        is to live long.
        """
        flags = ["--stack-size=60000", "--wasm-lazy-validation", *([] if long_lived else ["--liftoff-only"])]
        return subprocess.Popen(
            [str(self.node), *flags, str(self.directory / SCRIPT), *arguments],
            cwd=directory,
            env=os.environ | {"LEAN_PATH": f"{self.library}:{compiled}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )


def toolchain(cache: Path) -> Toolchain:
    """The checker in `cache`, fetched and prepared when it is not there yet. Raises LeanToolError."""
    node = node_executable(cache)
    sources = [Path(__file__).with_name(name).read_bytes() for name in _SOURCES_OF_PREPARATION]
    version = hashlib.sha256(LEAN_INTEGRITY.encode() + b"".join(sources)).hexdigest()[:16]

    def fill(directory: Path) -> None:
        _prepare(lean_archive(cache, node), directory)

    return Toolchain(node, create_once(cache / f"toolchain-{version}", fill))


def _prepare(archive: Path, output: Path) -> None:
    print("preparing the checker", file=sys.stderr, flush=True)
    package = output / "package"
    with tarfile.open(archive) as tar:
        tar.extractall(output, filter="data")
    prepare(package, output)
    with tarfile.open(package / "lean-lib.tar.gz") as tar:
        tar.extractall(
            output / "library", members=[member for member in tar if _is_core(member.name)], filter="data"
        )
    shutil.rmtree(package)
    (output / _DIGESTS).write_text(json.dumps(_digests(output), indent=0), "utf-8")


def _is_core(member: str) -> bool:
    """Whether a file of the archive belongs to a library that may be imported; `._` files are macOS's."""
    parts = PurePosixPath(member).parts
    return (
        bool(parts) and parts[0].removesuffix(".olean") in CORE_LIBRARIES and not parts[-1].startswith("._")
    )


def _digests(directory: Path) -> dict[str, str]:
    """SHA-256 of each large file, and one over the whole library."""
    digests = {}
    for name in (SCRIPT, BINARY, SYMBOLS):
        with (directory / name).open("rb") as stream:
            digests[name] = hashlib.file_digest(stream, "sha256").hexdigest()
    whole = hashlib.sha256()
    library = directory / "library"
    for file in sorted(library.rglob("*.olean")):
        whole.update(file.relative_to(library).as_posix().encode() + b"\0")
        whole.update(hashlib.sha256(file.read_bytes()).digest())
    digests["library"] = whole.hexdigest()
    return digests
