"""Vectors for `Spec/Bpe.lean` and `Spec/Bytes.lean`: textbook tables, edge cases and random ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from spec.vectors import lean_text as lean
from verified_tok.reference import bpe

Rules = Sequence[tuple[int, int]]
Pieces = tuple[bytes, ...]

A, B, C, D = b"abcd"

# Each table with what it is there to show, and the pieces that show it.
EDGE_CASES: tuple[tuple[str, Rules, Pieces], ...] = (
    ("No rule: every byte is a token.", (), (b"", b"a", b"\x00\xff", b"abcd")),
    ("A run of one byte: leftmost first.", ((A, A),), (b"a", b"aa", b"aaa", b"aaaa", b"aaaaa")),
    ("Doubling.", ((A, A), (256, 256), (257, 257)), (b"a" * 7, b"a" * 8, b"a" * 15, b"a" * 16)),
    ("Overlapping rules: the lower rank wins.", ((B, C), (A, B)), (b"abc", b"ab", b"aabcab")),
    ("Equal ranks: the left place wins.", ((A, B), (B, A)), (b"aba", b"bab", b"ababa", b"babab")),
    ("A pair listed twice keeps its first rank.", ((A, B), (C, D), (A, B)), (b"abcd", b"cdab")),
    ("A rule for its own result.", ((A, A), (256, A), (257, A)), (b"aaa", b"aaaa", b"aaaaaa")),
    ("A rule that needs a later result never fires first.", ((257, C), (A, B)), (b"abc", b"ab")),
    (
        "A greedy longest match would be wrong.",
        ((B, C), (A, B), (257, C), (256, D)),
        (b"abc", b"abcd", b"bcd", b"abcabcd"),
    ),
    ("The ends of the byte range.", ((0, 255), (256, 0), (255, 0)), (b"\x00\xff\x00", b"\xff\x00\xff\x00")),
)

RANDOM_TABLES = 40
PIECES_PER_TABLE = 6


def random_tables(rng: random.Random) -> Iterator[tuple[Rules, Pieces]]:
    """Tables over three letters, whose rules use bytes, earlier results and now and then a later one."""
    for _ in range(RANDOM_TABLES):
        size = rng.randint(1, 9)
        known = [A, B, C, *range(256, 256 + size)]
        rules = [
            (rng.choice(known[: 3 + rank + rng.choice((0, 0, 0, 1))]), rng.choice(known[: 3 + rank]))
            for rank in range(size)
        ]
        pieces = tuple(bytes(rng.choices(b"abc", k=rng.randint(0, 12))) for _ in range(PIECES_PER_TABLE))
        yield rules, pieces


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/Bpe.lean`."""
    return lean.module("Byte-pair encoding", ["VerifiedTok.Spec.Bpe"], _body())


def _body() -> Iterator[str]:
    number = 0
    for comment, rules, pieces in EDGE_CASES:
        yield f"/-! {comment} -/"
        yield from _examples(number, rules, pieces)
        number += 1
    yield "/-! Random tables and pieces -/"
    for rules, pieces in random_tables(random.Random("bpe")):
        yield from _examples(number, rules, pieces)
        number += 1


def _examples(number: int, rules: Rules, pieces: Pieces) -> Iterator[str]:
    name, table = f"t{number}", bpe.textbook(rules)
    yield f"def {name} : Table := textbook {lean.pairs(rules)}"
    for piece in pieces:
        ids = bpe.encode_piece(table, piece)
        yield lean.example(f"encodePiece {name} {lean.nats(piece)}", lean.nats(ids))
    yield from _parts(name, table, pieces[-1])
    yield ""


def _parts(name: str, table: bpe.Table, piece: bytes) -> Iterator[str]:
    """The definitions under `encodePiece`, on the states of one run."""
    tokens = bpe.initial_tokens(table, piece)
    yield lean.example(f"initialTokens {name} {lean.nats(piece)}", lean.nats(tokens))
    found = bpe.best(table, tokens)
    yield lean.example(f"best {name} {lean.nats(tokens)}", lean.option(str(found) if found else None))
    if found:
        _, place, result = found
        merged = bpe.merge_at(tokens, place, result)
        yield lean.example(f"mergeAt {lean.nats(tokens)} {place} {result}", lean.nats(merged))
    entry = {piece: 7} if len(piece) % 2 else {}
    listed = f"fun p => if p = {lean.nats(piece)} then some 7 else none" if entry else "fun _ => none"
    ids = bpe.encode_piece_ignore_merges(table, entry, piece)
    yield lean.example(f"encodePieceIgnoreMerges {name} ({listed}) {lean.nats(piece)}", lean.nats(ids))
