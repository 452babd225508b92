"""Rank tables in tiktoken's form: byte strings with their ranks, and a pattern beside them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

from verified_tok.errors import InvalidTokenizerFile, UnsupportedConstruct, UnsupportedTokenizer
from verified_tok.loading.node import U32, Node
from verified_tok.loading.patterns import read_regex
from verified_tok.spec import (
    AddedToken,
    Dialect,
    Normalizer,
    RankBpe,
    Split,
    SplitBehavior,
    TokenizerSpec,
)
from verified_tok.text import check_text

Ranks = Mapping[bytes, int] | bytes | str | Path
"""Ranks themselves, the bytes of a `.tiktoken` file, or the path of one."""


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
    table = _read(ranks)
    _check(table)
    problems: list[UnsupportedConstruct] = []
    regex = read_regex(Node(check_text(pattern), "pattern", problems), Dialect.RUST_REGEX)
    specials = _special_tokens(Node(dict(special_tokens), "special_tokens", problems), table)
    if regex is None or problems:
        raise UnsupportedTokenizer(tuple(problems))
    return TokenizerSpec(
        sha256=_name(table, pattern, specials, normalizers),
        source="tiktoken",
        added_tokens=specials,
        normalizers=normalizers,
        pre_tokenizers=(Split(regex, SplitBehavior.REMOVED, invert=True, dialect=Dialect.RUST_REGEX),),
        model=RankBpe(MappingProxyType(table)),
        decoders=(),
        post_processors=(),
    )


def _read(ranks: Ranks) -> dict[bytes, int]:
    if isinstance(ranks, Mapping):
        return dict(ranks)
    if not isinstance(ranks, bytes):
        ranks = Path(ranks).read_bytes()
    table: dict[bytes, int] = {}
    for number, line in enumerate(ranks.splitlines(), 1):
        if not line:
            continue
        try:
            token, rank = line.split()
            piece, id = base64.b64decode(token, validate=True), int(rank)
        except (ValueError, binascii.Error):
            shown = line[:40].decode("latin-1")
            raise InvalidTokenizerFile(
                f"line {number}: base64 and a rank are expected, not {shown!r}"
            ) from None
        if table.setdefault(piece, id) != id:
            raise InvalidTokenizerFile(f"line {number}: {piece!r} has the rank {table[piece]} already")
    return table


def _check(table: Mapping[bytes, int]) -> None:
    owner: dict[int, bytes] = {}
    for piece, rank in table.items():
        if not isinstance(piece, bytes) or not piece:
            raise InvalidTokenizerFile(f"ranks: non-empty bytes are expected, not {piece!r}")
        if type(rank) is not int or not 0 <= rank <= U32:
            raise InvalidTokenizerFile(
                f"ranks: {piece!r} has the rank {rank!r}, not an integer from 0 to {U32}"
            )
        if owner.setdefault(rank, piece) != piece:
            raise InvalidTokenizerFile(f"ranks: {piece!r} and {owner[rank]!r} have the same rank {rank}")
    missing = [byte for byte in range(256) if bytes([byte]) not in table]
    if missing:
        raise InvalidTokenizerFile(
            f"ranks: {len(missing)} of the 256 bytes have no rank, first {missing[0]:#04x}"
        )


def _special_tokens(node: Node, table: Mapping[bytes, int]) -> tuple[AddedToken, ...]:
    owner: dict[int, bytes | str] = {rank: piece for piece, rank in table.items()}
    tokens = []
    for content in node.object():
        field = node.child(check_text(content))
        id = field.natural()
        if not content:
            raise field.invalid("a special token without content")
        if owner.setdefault(id, content) != content:
            raise field.invalid(f"the id {id} belongs to {owner[id]!r} already")
        tokens.append(AddedToken(id, content, special=True))
    contents = sorted(token.content for token in tokens)
    for shorter, longer in pairwise(contents):
        if longer.startswith(shorter):
            node.child(longer).unsupported(
                f"begins with {shorter!r}; tiktoken's choice between the two is not fixed"
            )
    return tuple(sorted(tokens, key=lambda token: token.id))


def _name(
    table: Mapping[bytes, int],
    pattern: str,
    special_tokens: tuple[AddedToken, ...],
    normalizers: tuple[Normalizer, ...],
) -> str:
    """The SHA-256 of one canonical text for everything that the ids depend on."""
    digest = hashlib.sha256(b"verified_tok ranks 1\n")
    for piece in sorted(table, key=table.__getitem__):
        digest.update(base64.b64encode(piece) + b" %d\n" % table[piece])
    rest = {
        "pattern": pattern,
        "special_tokens": {token.content: token.id for token in special_tokens},
        "normalizers": [{"type": type(stage).__name__, **asdict(stage)} for stage in normalizers],
    }
    digest.update(json.dumps(rest, sort_keys=True).encode())
    return digest.hexdigest()
