"""Vectors for `Spec/Splice.lean`: units, and the tokens of overlapping windows that are cut at seams."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

from spec.vectors import lean_text as lean
from spec.vectors.small import ALPHABET, definitions, text, tokenizer
from verified_tok.reference.added_tokens import Literals, extract
from verified_tok.tokenizer import Tokenizer

TEXTS = 6
WINDOWS = 3


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/Splice.lean`."""
    imports = [f"VerifiedTok.Spec.{name}" for name in ("Splice", "Tables")]
    return lean.module("Windows of a text", imports, _body())


def _body() -> Iterator[str]:
    tok, rng = tokenizer(), random.Random("splice")
    yield from definitions()
    yield "def fields (u : SrcUnit (Segment Nat)) := (u.key, u.lo, u.hi)"
    yield "def windows (ws : List (Nat × Nat)) (i : Nat) : Window :="
    yield "  let w := ws.getD i (0, 0)"
    yield "  ⟨w.1, w.2⟩"
    yield "def merged (s : List Nat) (ws : List (Nat × Nat)) (bs : List Nat) : List Token :="
    yield "  (List.range ws.length).flatMap"
    yield "    (keptTokens small.units small.encodeUnit s (windows ws) (bs.getD · 0))"
    yield ""
    for number in range(TEXTS):
        s = _text_with_seams(tok, rng)
        name = f"s{number}"
        yield f"def {name} : List Nat := {text(s)}"
        yield from _units(tok, name, s)
        yield from _windows(tok, rng, name, s)
        yield ""


def _text_with_seams(tok: Tokenizer, rng: random.Random) -> str:
    while True:
        s = "".join(rng.choices(ALPHABET, k=10))
        if len(_seams(tok, s)) >= WINDOWS - 1:
            return s


def _seams(tok: Tokenizer, s: str) -> list[int]:
    return [p for p in range(1, len(s)) if tok.seams().is_seam(s[p - 1], s[p])]


def _units(tok: Tokenizer, name: str, s: str) -> Iterator[str]:
    """The literals and the pieces between them, with their places, and what the model makes of them."""
    units = []
    for start, stop, token in extract(_literals(tok), s):
        inside = tok.pre_tokenize(s[start:stop])
        found = [(s[start:stop], (0, stop - start))] if token else inside
        units += [(token is not None, piece, start + lo, start + hi) for piece, (lo, hi) in found]
    listed = ", ".join(f"(({str(kind).lower()}, {text(piece)}), {lo}, {hi})" for kind, piece, lo, hi in units)
    yield lean.example(f"(small.units {name}).map fields", f"[{listed}]")
    ids = lean.nats(tok.encode(s).tolist())
    yield lean.example(f"tokenizeUnits small.units small.encodeUnit {name}", ids)


def _windows(tok: Tokenizer, rng: random.Random, name: str, s: str) -> Iterator[str]:
    """The merge of windows that reach past the junctions, which are seams."""
    junctions = [0, *sorted(rng.sample(_seams(tok, s), WINDOWS - 1)), len(s)]
    windows = [
        (max(lo - rng.randint(0, 2), 0), min(hi + rng.randint(0, 2), len(s)))
        for lo, hi in pairwise(junctions)
    ]
    ids = lean.nats(tok.encode(s).tolist())
    yield lean.example(f"merged {name} {lean.pairs(windows)} {lean.nats(junctions)}", ids)


def _literals(tok: Tokenizer) -> Literals:
    return Literals.of((token.content, token) for token in tok.spec.added_tokens)
