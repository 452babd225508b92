"""Rank tables in tiktoken's form: byte strings with their ranks, and a pattern beside them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from itertools import pairwise

from verified_tok.errors import InvalidTokenizerFile, UnsupportedConstruct, UnsupportedTokenizer
from verified_tok.loading.names import name_of_ranks
from verified_tok.loading.node import U32, Node
from verified_tok.loading.patterns import read_regex
from verified_tok.loading.scan import scan_ranks
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
from verified_tok.vocabulary import RankTable

_BYTES = [bytes([byte]) for byte in range(256)]


def read_ranks(
    ranks: Mapping[bytes, int] | bytes,
    pattern: str,
    special_tokens: Mapping[str, int],
    normalizers: tuple[Normalizer, ...],
) -> TokenizerSpec:
    """See `loading.from_ranks`."""
    table, file = _read(ranks)
    problems: list[UnsupportedConstruct] = []
    regex = read_regex(Node(check_text(pattern), "pattern", problems), Dialect.RUST_REGEX)
    try:
        literals = dict(special_tokens)
    except (TypeError, ValueError):
        raise InvalidTokenizerFile(
            f"special_tokens: a mapping of literals to ids is expected, not {special_tokens!r}"
        ) from None
    specials = _special_tokens(Node(literals, "special_tokens", problems), table)
    if regex is None or problems:
        raise UnsupportedTokenizer(tuple(problems))
    name = name_of_ranks(file, pattern, {token.content: token.id for token in specials}, normalizers)
    assert name is not None
    return TokenizerSpec(
        sha256=name,
        source="tiktoken",
        added_tokens=specials,
        normalizers=normalizers,
        pre_tokenizers=(Split(regex, SplitBehavior.REMOVED, invert=True, dialect=Dialect.RUST_REGEX),),
        model=RankBpe(table),
        decoders=(),
        post_processors=(),
    )


def _read(ranks: Mapping[bytes, int] | bytes) -> tuple[RankTable, bytes]:
    """The entries, and the file that tiktoken would write for them."""
    scanned = scan_ranks(ranks) if isinstance(ranks, bytes) else None
    if isinstance(ranks, bytes) and scanned is not None:
        table, file = scanned, ranks
    else:
        entries = dict(ranks) if isinstance(ranks, Mapping) else _parse(ranks)
        _check_entries(entries)
        table, file = RankTable.of(entries), _file(entries)
    known = table.find(_BYTES)
    missing = [byte for byte, data in enumerate(_BYTES) if data not in known]
    if missing:
        raise InvalidTokenizerFile(
            f"ranks: {len(missing)} of the 256 bytes have no rank, first {missing[0]:#04x}"
        )
    return table, file


def _file(table: Mapping[bytes, int]) -> bytes:
    return b"".join(
        base64.b64encode(piece) + b" %d\n" % table[piece] for piece in sorted(table, key=table.__getitem__)
    )


def _parse(file: bytes) -> dict[bytes, int]:
    table: dict[bytes, int] = {}
    for number, line in enumerate(file.splitlines(), 1):
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


def _check_entries(table: Mapping[bytes, int]) -> None:
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


def _special_tokens(node: Node, table: RankTable) -> tuple[AddedToken, ...]:
    ids = [id for id in node.object().values() if type(id) is int and 0 <= id <= U32]
    owner: dict[int, bytes | str] = {**table.with_ids(ids)}
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
