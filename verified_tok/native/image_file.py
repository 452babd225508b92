"""Images that are kept in the cache folder, so that what a tokenizer needs is built once on a machine.

A file is named by what it is for, by the hash of its tokenizer, and by that of the code that built it, tables
included. It ends with these three, and with a checksum: what does not fit is built anew, and nothing that
goes wrong with the cache is an error. Files appear whole, under their names, so processes need not wait for
each other; the checksum is for machines that go down, disks that rot, and other accidents.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

import verified_tok
from verified_tok._core import native
from verified_tok.cache import cache_folder
from verified_tok.spec import RankBpe, TokenizerSpec

WORTH_KEEPING = 10_000
"""Vocabularies of so many tokens take long enough to build that their tables are kept."""

FILES_KEPT = 128
"""How many images the folder holds, about four for a tokenizer; the one that was written first goes first."""

_CHECKSUM = 8
_END = _CHECKSUM + hashlib.sha256().digest_size
_UNFINISHED = ".part"
_GIVEN_UP = 3600
"""A file that was begun so many seconds ago will not be finished."""


def image_for(use: str, spec: TokenizerSpec, build: Callable[[], native.Image]) -> native.Image:
    """The image for a use of a tokenizer: kept if its hash names it and its vocabulary is large, else built
    each time."""
    if not (spec.named and worth_keeping(spec)):
        return build()
    image = kept(use, spec.sha256)
    if image is None:
        image = build()
        keep(use, spec.sha256, image)
        native.give_memory_back()  # building takes several times as much as what is built
    return image


def worth_keeping(spec: TokenizerSpec) -> bool:
    """Whether the vocabulary is large."""
    return len(spec.model.ranks if isinstance(spec.model, RankBpe) else spec.model.vocab) >= WORTH_KEEPING


def kept(use: str, sha256: str) -> native.Image | None:
    """The image for a use of the tokenizer with this hash, if there is a sound one.

    It is read into memory, not mapped: the folder may lie on another machine, and a file that is cut or goes
    away there would end the process that has it mapped.
    """
    memory = _read(_path(use, sha256))
    if memory is None:
        return None
    body, end = memory[:-_END], memory[-_END:].tobytes()
    try:
        return native.Image.over(body) if _end(use, sha256, body) == end else None
    except ValueError:
        return None


def keep(use: str, sha256: str, image: native.Image) -> None:
    """Write an image to its file, if that can be done."""
    with suppress(OSError):
        _write(_path(use, sha256), image.memory, _end(use, sha256, image.memory))


def _end(use: str, sha256: str, body: npt.NDArray[np.uint8]) -> bytes:
    """What the file of an image ends with."""
    whose = hashlib.sha256(f"{use} {sha256} {_code()}".encode()).digest()
    return whose + native.checksum(body).to_bytes(_CHECKSUM, "little")


def _path(use: str, sha256: str) -> Path:
    return cache_folder() / "images" / f"{use}-{sha256[:32]}-{_code()[:32]}.image"


def _read(path: Path) -> npt.NDArray[np.uint8] | None:
    try:
        with open(path, "rb", buffering=0) as file:
            memory = native.memory_for(os.fstat(file.fileno()).st_size)
            whole = file.readinto(memory.data) == len(memory)
    except OSError:
        return None
    return memory if whole and len(memory) > _END else None


def _write(path: Path, body: npt.NDArray[np.uint8], end: bytes) -> None:
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=_UNFINISHED, delete=False) as file:
        try:
            file.write(body.data)
            file.write(end)
            file.flush()
            os.replace(file.name, path)
        except OSError:
            os.unlink(file.name)
            raise
    files = sorted(path.parent.glob("*.image"), key=lambda file: file.stat().st_mtime)
    for old in files[:-FILES_KEPT]:
        old.unlink(missing_ok=True)
    for begun in path.parent.glob(f"*{_UNFINISHED}"):
        if begun.stat().st_mtime < time.time() - _GIVEN_UP:
            begun.unlink(missing_ok=True)


@cache
def _code() -> str:
    """The hash of the code that images depend on, and of its tables."""
    root = Path(verified_tok.__file__).parent
    total = hashlib.sha256(Path(native.__file__).read_bytes())
    files = [root / "spec.py", root / "vocabulary.py"]
    for folder in ("loading", "native", "reference", "tables"):
        files += (
            Path(entry)
            for entry in sorted(os.scandir(root / folder), key=lambda e: e.name)
            if entry.is_file()
        )
    for path in files:
        total.update(path.read_bytes())
    return total.hexdigest()
