"""Sessions in files: written whole or not at all, and refused if damaged."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from verified_tok.errors import InvalidSessionFile
from verified_tok.session_state import Ids, Spans

_FORMAT = "verified-tok session"


class SavedSession(NamedTuple):
    """What a file holds: which encoder, and its tokens for a text (see `session.Tokens`)."""

    sha256: str
    added_tokens: frozenset[int]
    text: str
    ids: Ids
    byte_spans: Spans
    char_spans: Spans


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

    The hash tells accidents. It is no signature: who can write the file can write other ids.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:  # TypeError: one array
        raise InvalidSessionFile(f"{os.fspath(path)} is no saved session: {error}") from None
    digest = arrays.pop("digest", None)
    if digest is None or digest.tobytes() != _digest(arrays):
        raise InvalidSessionFile(f"{os.fspath(path)} is no saved session, or is damaged: its hash is wrong")
    try:
        saved = SavedSession(
            arrays["sha256"].tobytes().decode(),
            frozenset(arrays["added_tokens"].tolist()),
            arrays["text"].tobytes().decode(),
            arrays["ids"],
            arrays["byte_spans"],
            arrays["char_spans"],
        )
    except (KeyError, UnicodeDecodeError) as error:
        raise InvalidSessionFile(f"{os.fspath(path)} is no saved session: {error!r}") from None
    spans = [("int64", (len(saved.ids), 2))] * 2
    found = [(array.dtype.name, array.shape) for array in (saved.byte_spans, saved.char_spans)]
    if saved.ids.ndim != 1 or saved.ids.dtype != np.uint32 or found != spans:
        raise InvalidSessionFile(
            f"{os.fspath(path)} is no saved session: its arrays have other shapes or types"
        )
    return saved


def _arrays(saved: SavedSession) -> dict[str, Any]:
    return {
        "sha256": np.frombuffer(saved.sha256.encode(), dtype=np.uint8),
        "added_tokens": np.array(sorted(saved.added_tokens), dtype=np.uint32),
        "text": np.frombuffer(saved.text.encode(), dtype=np.uint8),
        "ids": saved.ids,
        "byte_spans": saved.byte_spans,
        "char_spans": saved.char_spans,
    }


def _digest(arrays: dict[str, Any]) -> bytes:
    digest = hashlib.sha256(_FORMAT.encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name}:{array.dtype.str}:{array.shape};".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()
