"""From tokenizer files to `TokenizerSpec`: every construct is read exactly or refused by name.

What was read once is kept in the cache folder (`kept`); the readers are imported when they are needed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from verified_tok.loading.kept import keep_spec, kept_spec, named
from verified_tok.loading.names import name_of_ranks
from verified_tok.options import check_path
from verified_tok.spec import Normalizer, TokenizerSpec

__all__ = ["Ranks", "from_pretrained", "from_ranks", "load_json"]

Ranks = Mapping[bytes, int] | bytes | str | Path
"""Ranks themselves, the bytes of a `.tiktoken` file, or the path of one."""


def load_json(data: bytes) -> TokenizerSpec:
    """The tokenizer that the bytes of a `tokenizer.json` describe.

    Raises `InvalidTokenizerFile` if they do not describe one, naming the place, and
    `UnsupportedTokenizer` if they use what the kit does not reproduce exactly, naming all of it.
    What the reference engine refuses is refused here; what both accept means the same to both.
    """
    sha256 = hashlib.sha256(data).hexdigest()
    return kept_spec(sha256) or _read_json(data, sha256)


def from_ranks(
    ranks: Ranks,
    pattern: str,
    special_tokens: Mapping[str, int],
    normalizers: tuple[Normalizer, ...] = (),
) -> TokenizerSpec:
    """The tokenizer that tiktoken makes of ranks, a pattern and special tokens.

    `normalizers` run first; tiktoken has none, but the code around some models does (Qwen's: NFC). The
    name of the result is a hash of all four. Only what the pattern matches is encoded: tiktoken drops
    text between matches.

    Raises `InvalidTokenizerFile` if the ranks are malformed or lack a byte, or if two tokens have one
    id; `UnsupportedTokenizer` if the pattern uses syntax that the kit does not know, or if one special
    token begins with another (tiktoken then takes either); `InvalidText` if the pattern or a special
    token is no string of Unicode scalar values.
    """
    given = ranks if isinstance(ranks, Mapping | bytes) else check_path(ranks).read_bytes()
    if isinstance(given, bytes):
        name = name_of_ranks(given, pattern, special_tokens, normalizers)
        loaded = None if name is None else kept_spec(name)
        if loaded is not None:
            return loaded
    from verified_tok.loading.ranks import read_ranks

    return _kept(read_ranks(given, pattern, special_tokens, normalizers))


def from_pretrained(repo_id: str, revision: str | None = None) -> TokenizerSpec:
    """The tokenizer of a model repository; `revision` is a branch, a tag or a commit.

    Raises `MissingDependency` without huggingface_hub, `FetchError` if its `tokenizer.json` cannot be
    had, and what `load_json` raises.
    """
    from verified_tok.loading.hub import download

    return load_json(download(repo_id, revision).read_bytes())


def _read_json(data: bytes, sha256: str) -> TokenizerSpec:
    from verified_tok.loading.tokenizer_json import read_json

    return _kept(read_json(data, sha256))


def _kept(loaded: TokenizerSpec) -> TokenizerSpec:
    """The same tokenizer, kept if that can be done; then its vocabulary lies in the file from now on."""
    keep_spec(loaded)
    return kept_spec(loaded.sha256) or named(loaded)
