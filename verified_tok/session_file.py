"""Sessions in files: written whole or not at all, and refused if damaged."""

from __future__ import annotations

import hashlib
import os
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from verified_tok.errors import InvalidSessionFile
from verified_tok.session_state import Ids

_FORMAT = "verified-tok session"


class SavedSession(NamedTuple):
    """What a file holds: which encoder, and its ids for a text."""

    sha256: str
    added_tokens: frozenset[int]
    text: str
    ids: Ids


def write_session(path: str | os.PathLike[str], saved: SavedSession) -> None:
    """Write a file. One that is there already stays as it was until the new one is complete on the disk."""
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            arrays = _arrays(saved)
            np.savez(file, digest=np.frombuffer(_digest(arrays), dtype=np.uint8), **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read_session(path: str | os.PathLike[str]) -> SavedSession:
    """Read a file. Raises `InvalidSessionFile` if it is none or damaged, `OSError` if it cannot be read.

    The hash tells accidents. It is no signature: who can write the file can write other ids, which
    `engine.restored` finds.
    """
    data = BytesIO(Path(path).read_bytes())
    try:
        with np.load(data, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except Exception as error:  # of many types: the archive's, the compression's, NumPy's
        raise InvalidSessionFile(f"{os.fspath(path)} is no saved session: {error}") from None
    digest = arrays.pop("digest", None)
    if digest is None or digest.tobytes() != _digest(arrays):
        raise InvalidSessionFile(f"{os.fspath(path)} is no saved session, or is damaged: its hash is wrong")
    try:
        text, sha256 = (arrays[name].tobytes().decode() for name in ("text", "sha256"))
        numbers = [arrays[name] for name in ("added_tokens", "ids")]
    except (KeyError, UnicodeDecodeError) as error:
        raise InvalidSessionFile(f"{os.fspath(path)} is no saved session: {error!r}") from None
    if any(array.ndim != 1 or array.dtype != np.uint32 for array in numbers):
        raise InvalidSessionFile(f"{os.fspath(path)} is no saved session: its ids have another shape or type")
    added_tokens, ids = numbers
    return SavedSession(sha256, frozenset(added_tokens.tolist()), text, ids)


def _arrays(saved: SavedSession) -> dict[str, Any]:
    return {
        "sha256": np.frombuffer(saved.sha256.encode(), dtype=np.uint8),
        "added_tokens": np.array(sorted(saved.added_tokens), dtype=np.uint32),
        "text": np.frombuffer(saved.text.encode(), dtype=np.uint8),
        "ids": saved.ids,
    }


def _digest(arrays: dict[str, Any]) -> bytes:
    digest = hashlib.sha256(_FORMAT.encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name}:{array.dtype.str}:{array.shape};".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()
