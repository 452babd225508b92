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
from verified_tok.reference.starts import NEVER, Kinds, Starts, or_else, pieces_at

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
RANDOM_TEXTS = 8
LONG = 14


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
        gpt2 = starts.gpt2(KINDS, CONTRACTIONS)
        gpt2_starts = partial(starts.gpt2_starts, KINDS, contraction)
        yield from _examples("gpt2", "contractions", "contraction", s, gpt2, gpt2_starts)
        n, whole = rng.choice((1, 3)), rng.random() < 0.5
        llama3 = starts.llama3(KINDS, contraction, n, whole)
        llama3_starts = partial(starts.llama3_starts, KINDS, contraction, n, whole)
        given = f"contraction {n} {str(whole).lower()}"
        yield from _examples("llama3", given, given, s, llama3, llama3_starts)
        settled = [place for place in range(1, len(s)) if starts.settled(KINDS, s, place)]
        listed = f"(List.range {len(s)}).filter fun p => 0 < p && kinds.settled"
        split_at_p = f"({text(s)}.take p).reverse ({text(s)}.drop p)"
        yield lean.example(f"({listed} {split_at_p})", lean.nats(settled))


def _examples(name: str, given: str, asked: str, s: str, p: Pat, places: Starts) -> Iterator[str]:
    """What lies between the places of one pattern, and the pieces of its search."""
    between = lean.texts(pieces_at(places, s))
    yield lean.example(f"piecesAt (kinds.{name}Starts {asked}) [] {text(s)}", between)
    pieces = lean.texts(s[piece.start : piece.stop] for piece in split(p, s))
    yield lean.example(f"Stage.split {{ pat := kinds.{name} {given} }} {text(s)}", pieces)
