"""A Lean that runs wherever Node does: the prepared package, its libraries, and how it is started."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .errors import LeanToolError
from .fetch import LEAN_INTEGRITY, NODE_REQUIREMENTS, create_once, lean_archive, node_executable
from .modules import CORE_LIBRARIES
from .prepare_wasm import BINARY, SCRIPT, SYMBOLS, prepare

_DIGESTS = "digests.json"
_SOURCES_OF_PREPARATION = ("wasm_format.py", "prepare_wasm.py", "prepare_script.py")


@dataclass(frozen=True)
class Toolchain:
    """A prepared checker. `key` names its version: package, preparation and Node."""

    node: Path
    directory: Path
    key: str

    @property
    def library(self) -> Path:
        """The compiled core library."""
        return self.directory / "library"

    def start(
        self, arguments: list[str], compiled: Path, directory: Path, *, long_lived: bool = False
    ) -> subprocess.Popen[bytes]:
        """Starts Lean with its standard streams as pipes. `compiled` is searched for the project's own modules.

        Node compiles a function when it is first called, with its fast compiler; a long-lived process gets the
        optimizing one too.
        """
        flags = ["--stack-size=60000", "--wasm-lazy-validation", *([] if long_lived else ["--liftoff-only"])]
        environment = os.environ | {"LEAN_PATH": f"{self.library}:{compiled}"}
        return subprocess.Popen(
            [str(self.node), *flags, str(self.directory / SCRIPT), *arguments],
            cwd=directory,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


def toolchain(cache: Path) -> Toolchain:
    """The checker in `cache`, fetched and prepared when it is not there yet. Raises LeanToolError.

    Every file is compared with the digest taken when it was prepared: a damaged cache is an error, not a verdict.
    """
    node = node_executable(cache)
    key = toolchain_key()
    directory = create_once(
        cache / f"toolchain-{key[:16]}", lambda output: _prepare(lean_archive(cache, node), output)
    )
    _verify(directory)
    return Toolchain(node, directory, key)


def toolchain_key() -> str:
    """A hash over everything that makes the checker what it is; compiled files of another key are never used."""
    here = Path(__file__).parent
    digest = hashlib.sha256(LEAN_INTEGRITY.encode() + NODE_REQUIREMENTS.read_bytes())
    for name in _SOURCES_OF_PREPARATION:
        digest.update((here / name).read_bytes())
    return digest.hexdigest()


def _prepare(archive: Path, output: Path) -> None:
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
    """Whether a file of the archive belongs to a library that may be imported (not macOS's `._` companions of it)."""
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


def _verify(directory: Path) -> None:
    try:
        recorded = json.loads((directory / _DIGESTS).read_text("utf-8"))
        found = _digests(directory)
    except (OSError, ValueError) as error:
        raise LeanToolError(
            f"{directory}: the prepared checker is incomplete ({error}); delete it and run again"
        ) from None
    damaged = [name for name, digest in found.items() if recorded.get(name) != digest]
    if damaged:
        raise LeanToolError(
            f"{directory}: {', '.join(damaged)} changed since it was prepared; delete it and run again"
        )
