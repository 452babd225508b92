"""Names of tokenizers that do not come from one file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict

from verified_tok.spec import Normalizer


def name_of_ranks(
    file: bytes, pattern: str, special_tokens: Mapping[str, int], normalizers: tuple[Normalizer, ...]
) -> str | None:
    """The SHA-256 of one canonical text for everything that the ids depend on: it begins with the file that
    tiktoken would write for the ranks. None for what is no pattern, or no special tokens."""
    if not isinstance(pattern, str) or not isinstance(special_tokens, Mapping):
        return None
    if not all(type(name) is str and type(id) is int for name, id in special_tokens.items()):
        return None
    rest = {
        "pattern": pattern,
        "special_tokens": dict(special_tokens),
        "normalizers": [{"type": type(stage).__name__, **asdict(stage)} for stage in normalizers],
    }
    digest = hashlib.sha256(b"verified_tok ranks 1\n")
    digest.update(file)
    digest.update(json.dumps(rest, sort_keys=True).encode())
    return digest.hexdigest()
