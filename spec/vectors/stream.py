"""Vectors for `Spec/Stream.lean`: bytes, valid and not, and what each token of a stream adds to the text."""

from __future__ import annotations

import random
from collections.abc import Iterator

from spec.vectors import lean_text as lean
from verified_tok.reference.stream import StreamDecoder
from verified_tok.spec import FuseDecode

CHARACTERS = ("a", "\x7f", "\x80", "߿", "ࠀ", "퟿", "\ue000", "￿", "𐀀", "\U0010ffff")
INVALID = (
    "80",
    "c080",
    "c1bf",
    "c2",
    "e08080",
    "e0a0",
    "eda080",
    "edbfbf",
    "f08080",
    "f0908080f4",
    "f4908080",
)
# CPython's incremental decoder keeps ED A0..BF back until the byte after; so ED is not in streams.
BYTES = bytes.fromhex("6180bfc2c1e0a09fedef9ff0908ff4f5ff")
RANDOM = 30
STREAMS = 12


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/Stream.lean`."""
    return lean.module("Text as the ids come in", ["VerifiedTok.Spec.Stream"], _body())


def _body() -> Iterator[str]:
    rng = random.Random("stream")
    given = [c.encode() for c in CHARACTERS] + [bytes.fromhex(digits) for digits in INVALID]
    given += [bytes(rng.choices(BYTES, k=rng.randint(2, 7))) for _ in range(RANDOM)]
    for text in given:
        yield lean.example(f"textOf {lean.nats(text)}", lean.nats(text.decode(errors="replace").encode()))
    yield ""
    for _ in range(STREAMS):
        known = BYTES.replace(b"\xed", b"")
        yield from _stream([bytes(rng.choices(known, k=rng.randint(0, 3))) for _ in range(rng.randint(1, 5))])


def _stream(tokens: list[bytes]) -> Iterator[str]:
    """A stream of tokens that are numbered in order."""
    decoder = StreamDecoder((FuseDecode(),), lambda ids: [tokens[id] for id in ids])
    parts = [decoder.put(id).encode() for id in range(len(tokens))]
    spelled = "[" + ", ".join(map(lean.nats, tokens)) + "]"
    said = "[" + ", ".join(map(lean.nats, parts)) + "]"
    stream = (
        f"deltas (fun t => ({spelled} : List (List UInt8)).getD t []) .none {lean.nats(range(len(tokens)))}"
    )
    yield lean.example(f"({stream}).1", said)
    yield lean.example(f"({stream}).2.finish", lean.nats(decoder.finish().encode()))
