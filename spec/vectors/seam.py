"""Vectors for `Spec/Seam.lean`: every function of the analysis on every pair of a small alphabet."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import product

from spec.vectors import lean_text as lean
from spec.vectors.pattern import BEHAVIOURS, EDGE_CASES, LETTERS, pat, random_pattern
from verified_tok.reference import seam
from verified_tok.reference.pattern import Pat
from verified_tok.reference.pre_tokenizer import Stage

RANDOM_PATTERNS = 40
STAGES_PER_EXAMPLE = (1, 2, 3)
PAIRS = list(product(LETTERS, LETTERS))


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/Seam.lean`."""
    return lean.module("Seams of patterns", ["VerifiedTok.Spec.Seam"], _body())


def _bools(values: Iterable[bool]) -> str:
    return "[" + ", ".join(str(value).lower() for value in values) + "]"


def _body() -> Iterator[str]:
    yield "def among (cs : List Nat) (c : Nat) : Bool := cs.contains c"
    yield f"def letters : List Nat := {lean.nats(map(ord, LETTERS))}"
    yield "def onPairs (f : Nat → Nat → Bool) : List Bool := letters.flatMap fun x => letters.map (f x)"
    yield "/-- Inclusion over the letters and one character that is none of them. -/"
    yield "def subset (p q : Nat → Bool) : Bool := (0 :: letters).all fun c => !p c || q c"
    yield ""
    rng = random.Random("seam")
    patterns = [p for _, p, _ in EDGE_CASES] + [random_pattern(rng, 3) for _ in range(RANDOM_PATTERNS)]
    for number, p in enumerate(patterns):
        yield from _analysis(f"p{number}", p)
    yield "/-! Stages -/"
    for size in STAGES_PER_EXAMPLE:
        for _ in range(20):
            yield from _stages(rng, rng.sample(range(len(patterns)), size), patterns)


def _analysis(name: str, p: Pat) -> Iterator[str]:
    yield f"def {name} : Pat Nat := {pat(p)}"
    whole = (seam.nullable(p), seam.passes(p), seam.always(p))
    yield lean.example(f"[{name}.nullable, {name}.passes, {name}.always]", _bools(whole))
    for function in (seam.first, seam.last, seam.looks, seam.sure, seam.covers):
        values = (function(p, letter) for letter in LETTERS)
        yield lean.example(f"letters.map {name}.{function.__name__}", _bools(values))
    yield lean.example(
        f"letters.map {name}.consumes", _bools(letter in seam.consumes(p) for letter in LETTERS)
    )
    yield lean.example(f"onPairs {name}.crosses", _bools(seam.crosses(p, x, y) for x, y in PAIRS))
    yield lean.example(f"onPairs ({name}.stable subset)", _bools(seam.stable(p, x, y) for x, y in PAIRS))
    yield ""


def _stages(rng: random.Random, numbers: list[int], patterns: list[Pat]) -> Iterator[str]:
    behaviours = [rng.choice(list(BEHAVIOURS)) for _ in numbers]
    inverts = [rng.random() < 0.3 for _ in numbers]
    stages = [Stage(patterns[n], b, i) for n, b, i in zip(numbers, behaviours, inverts, strict=True)]
    listed = ", ".join(
        f"Stage.mk p{n} .{BEHAVIOURS[b]} {str(i).lower()}"
        for n, b, i in zip(numbers, behaviours, inverts, strict=True)
    )
    yield lean.example(
        f"onPairs (isSeam subset [{listed}])", _bools(seam.is_seam(stages, x, y) for x, y in PAIRS)
    )
