"""Images that are kept in the cache folder, so that a tokenizer's tables are built once on a machine.

A file is named by what its tables are for, the tokenizer's hash, and that of the code that built it, tables
included. It ends with the SHA-256 of what is before: what does not fit is built anew, and nothing that goes
wrong with the cache is an error.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

import verified_tok
from verified_tok._core import native
from verified_tok.registry import cache_folder
from verified_tok.spec import RankBpe, TokenizerSpec

WORTH_KEEPING = 10_000
"""Vocabularies of so many tokens take long enough to build that their tables are kept."""

FILES_KEPT = 32
"""How many images the folder holds; the one that was written first goes first."""

_DIGEST = 32


def image_for(use: str, spec: TokenizerSpec, build: Callable[[], native.Image]) -> native.Image:
    """The image for a use of a tokenizer: kept if its vocabulary is large, else built each time."""
    size = len(spec.model.ranks if isinstance(spec.model, RankBpe) else spec.model.vocab)
    return kept(use, spec.sha256, build) if size >= WORTH_KEEPING else build()


def kept(use: str, sha256: str, build: Callable[[], native.Image]) -> native.Image:
    """The image for a use of the tokenizer with this hash: from its file, or built and then written there."""
    path = cache_folder() / "images" / f"{use}-{sha256[:32]}-{_code()[:32]}.image"
    image = _read(path)
    if image is None:
        image = build()
        with suppress(OSError):
            _write(path, image)
    return image


def _read(path: Path) -> native.Image | None:
    try:
        data = np.fromfile(path, np.uint8)
    except (OSError, ValueError):
        return None
    if len(data) < _DIGEST or hashlib.sha256(data[:-_DIGEST].data).digest() != data[-_DIGEST:].tobytes():
        return None
    try:
        return native.Image.copy_of(data[:-_DIGEST])
    except ValueError:
        return None


def _write(path: Path, image: native.Image) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        try:
            file.write(image.memory.data)
            file.write(hashlib.sha256(image.memory.data).digest())
        except OSError:
            os.unlink(file.name)
            raise
    os.replace(file.name, path)
    files = sorted(path.parent.glob("*.image"), key=lambda file: file.stat().st_mtime)
    for old in files[:-FILES_KEPT]:
        old.unlink(missing_ok=True)


@cache
def _code() -> str:
    """The hash of the package's code and tables."""
    root = Path(verified_tok.__file__).parent
    total = hashlib.sha256(Path(native.__file__).read_bytes())
    for path in sorted([*root.glob("native/*.py"), *root.glob("reference/*.py"), *root.glob("tables/*")]):
        if path.is_file():
            total.update(path.read_bytes())
    return total.hexdigest()
