"""Vectors for `Spec/Tables.lean`: merges and ranks as tables. In many, several pairs give one token."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from spec.vectors import lean_text as lean
from verified_tok.reference.bpe import Table, encode_piece
from verified_tok.reference.tables import Merge, bytes_of_ranks, of_merges, of_ranks

LETTERS = b"abc"
BYTE_TOKEN = [(b + 7) % 256 for b in range(256)]
"""The tokens of the bytes are not the bytes, so that a mix-up shows."""

A, B, C = (BYTE_TOKEN[letter] for letter in LETTERS)

MERGE_CASES: tuple[tuple[str, Sequence[tuple[int, int, int]], Sequence[bytes]], ...] = (
    (
        "Two ways to one token.",
        ((B, C, 300), (A, B, 301), (A, 300, 302), (301, C, 302)),
        (b"abc", b"aabc", b"abcabc"),
    ),
    (
        "Three ways to one token.",
        ((A, A, 300), (300, A, 301), (A, 300, 301), (301, A, 302), (300, 300, 302)),
        (b"aaa", b"aaaa", b"aaaaaaa"),
    ),
    (
        "A pair that is listed twice keeps its first merge.",
        ((A, B, 300), (B, C, 301), (A, B, 302)),
        (b"abab", b"abc"),
    ),
    (
        "The ids are not in the order of the ranks.",
        ((B, C, 310), (A, B, 300), (300, C, 305)),
        (b"abc", b"abab", b"cabcab"),
    ),
)

RANDOM_TABLES = 12
PIECES_PER_TABLE = 3


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/Tables.lean`."""
    return lean.module("Tables of merges and of ranks", ["VerifiedTok.Spec.Tables"], _body())


def _body() -> Iterator[str]:
    yield f"def shifted (b : UInt8) : Token := (b.toNat + {BYTE_TOKEN[0]}) % 256"
    yield "/-- The single bytes that the texts hold. -/"
    yield f"def bytes : Ranks := {_entries({bytes([b]): b for b in LETTERS})}"
    yield ""
    rng = random.Random("tables")
    for number, (comment, merges, pieces) in enumerate(MERGE_CASES):
        yield f"/-! {comment} -/"
        yield from _of_merges(f"m{number}", merges, pieces)
    yield "/-! Random merges: each result is drawn from few, and not in order -/"
    for number in range(RANDOM_TABLES):
        known = [A, B, C, *range(300, 306)]
        merges = [
            (rng.choice(known[: 3 + k]), rng.choice(known[: 3 + k]), rng.randint(300, 305)) for k in range(6)
        ]
        yield from _of_merges(f"r{number}", merges, _pieces(rng))
    yield "/-! Random ranks -/"
    for number in range(RANDOM_TABLES):
        drawn = {bytes(rng.choices(LETTERS, k=rng.randint(2, 4))) for _ in range(7)}
        tokens = rng.sample(range(256, 290), len(drawn))
        yield from _of_ranks(f"v{number}", dict(zip(sorted(drawn), tokens, strict=True)), rng)


def _pieces(rng: random.Random) -> list[bytes]:
    return [bytes(rng.choices(LETTERS, k=rng.randint(3, 9))) for _ in range(PIECES_PER_TABLE)]


def _of_merges(name: str, merges: Sequence[tuple[int, int, int]], pieces: Sequence[bytes]) -> Iterator[str]:
    table = of_merges(BYTE_TOKEN, [Merge(*merge) for merge in merges])
    listed = ", ".join(f"⟨{left}, {right}, {result}⟩" for left, right, result in merges)
    yield f"def {name} : Table := ofMerges shifted [{listed}]"
    yield from _looks(name, table, [(left, right) for left, right, _ in merges])
    yield from _encodes(name, table, pieces)
    yield ""


def _of_ranks(name: str, ranks: Mapping[bytes, int], rng: random.Random) -> Iterator[str]:
    whole = {**{bytes([b]): b for b in range(256)}, **ranks}
    table, bytes_of = of_ranks(whole), bytes_of_ranks(whole)
    yield f"def {name} : Ranks := {_entries(ranks)} ++ bytes"
    asked = sorted([*ranks.values(), LETTERS[0], 299])
    spelled = "[" + ", ".join(lean.nats(bytes_of.get(token, b"")) for token in asked) + "]"
    yield lean.example(f"({lean.nats(asked)}).map {name}.bytesOf", spelled)
    tokens = [*LETTERS, *ranks.values()]
    pairs = [(rng.choice(tokens), rng.choice(tokens)) for _ in range(3)]
    yield from _looks(f"(ofRanks {name})", table, [*pairs, *islice(table.rules, 3)])
    yield from _encodes(f"(ofRanks {name})", table, _pieces(rng))
    yield ""


def _looks(name: str, table: Table, pairs: Sequence[tuple[int, int]]) -> Iterator[str]:
    """What the table says of these pairs, and of each the other way round."""
    asked = sorted({pair for a, b in pairs for pair in ((a, b), (b, a))})
    rules = map(table.rules.get, asked)
    found = ", ".join(lean.option(f"({rule.rank}, {rule.result})" if rule else None) for rule in rules)
    listed = ", ".join(f"{name}.look {a} {b}" for a, b in asked)
    yield lean.example(f"[{listed}]", f"[{found}]")


def _encodes(name: str, table: Table, pieces: Sequence[bytes]) -> Iterator[str]:
    for piece in pieces:
        yield lean.example(f"encodePiece {name} {lean.nats(piece)}", lean.nats(encode_piece(table, piece)))


def _entries(ranks: Mapping[bytes, int]) -> str:
    return "[" + ", ".join(f"({lean.nats(spelling)}, {token})" for spelling, token in ranks.items()) + "]"
