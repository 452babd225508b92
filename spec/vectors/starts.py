"""Vectors for `Spec/Starts.lean`: where pieces start, and that the patterns cut there."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from spec.vectors import lean_text as lean
from spec.vectors.pattern import pat, text
from verified_tok.reference import starts
from verified_tok.reference.charset import CharSet
from verified_tok.reference.pattern import Pat, literal, split
from verified_tok.reference.starts import NEVER, Kinds, or_else, pieces_at

# `'` and `!` are others; `m` is a mark: a letter that may stand before letters.
KINDS = Kinds(
    letter=CharSet.of("slm"),
    core=CharSet.of("sl"),
    number=CharSet.of("1"),
    blank=CharSet.of(" \t\n"),
    newline=CharSet.of("\n"),
    space=CharSet.of(" "),
)
ALPHABET = "sslm11''!  \t\n\n"
CONTRACTIONS = [literal("'s"), literal("'ll")]
TEXTS = (
    *("", "s", "'s", "'sls", "'lls", "'ls", "!s", "!!s", " 's", "s's'll", "1111111", "s1", "1s"),
    *("! s", "!\n\ts", "!\n \n\ts", "\n\n", " \n\t\ts", "\t\t", "\t\t1", "  !", "\t!", " \n!", "m!ms"),
)
RANDOM_TEXTS = 12
LONG = 24


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/Starts.lean`."""
    return lean.module("Where pieces start", ["VerifiedTok.Spec.Starts"], _body())


def _body() -> Iterator[str]:
    yield "def among (cs : List Nat) (c : Nat) : Bool := cs.contains c"
    yield "def kinds : Kinds Nat where"
    for name in ("letter", "core", "number", "blank", "newline", "space"):
        yield f"  {name} := among {lean.nats(map(ord, getattr(KINDS, name)))}"
    contraction = or_else(CONTRACTIONS, NEVER)
    yield f"def contractions : List (Pat Nat) := [{', '.join(map(pat, CONTRACTIONS))}]"
    yield "def contraction : Pat Nat := Kinds.orElse contractions Kinds.never"
    yield ""
    rng = random.Random("starts")
    drawn = ("".join(rng.choices(ALPHABET, k=rng.randint(3, LONG))) for _ in range(RANDOM_TEXTS))
    for s in (*TEXTS, *drawn):
        yield from _examples("gpt2", s, starts.gpt2(KINDS, CONTRACTIONS), contraction, "contractions", "")
        n = rng.choice((1, 3))
        yield from _examples(
            "llama3", s, starts.llama3(KINDS, contraction, n), contraction, "contraction", str(n)
        )


def _examples(name: str, s: str, p: Pat, contraction: Pat, given: str, n: str) -> Iterator[str]:
    """The places of one pattern, and the pieces of its search."""
    if name == "gpt2":
        places = pieces_at(partial(starts.gpt2_starts, KINDS, contraction), s)
    else:
        places = pieces_at(partial(starts.llama3_starts, KINDS, contraction, int(n)), s)
    pieces = [s[piece.start : piece.stop] for piece in split(p, s)]
    yield lean.example(f"piecesAt (kinds.{name}Starts contraction {n}) [] {text(s)}", lean.texts(places))
    yield lean.example(f"Stage.split {{ pat := kinds.{name} {given} {n} }} {text(s)}", lean.texts(pieces))
