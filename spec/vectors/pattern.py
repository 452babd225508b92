"""Vectors for `Spec/Pattern.lean`: patterns over a small alphabet, and the stages that cut by them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from spec.vectors import lean_text as lean
from verified_tok.reference import pattern
from verified_tok.reference.aligned import Aligned
from verified_tok.reference.charset import ALL, CharSet
from verified_tok.reference.pattern import Alt, Atomic, Chr, Eps, NotAhead, Pat, Seq, Star, plus
from verified_tok.reference.pre_tokenizer import cut
from verified_tok.reference.seam import nullable
from verified_tok.spec import SplitBehavior

LETTERS = "abc"
RANDOM_PATTERNS = 60
TEXTS_PER_PATTERN = 4

BEHAVIOURS = {
    SplitBehavior.ISOLATED: "isolated",
    SplitBehavior.REMOVED: "removed",
    SplitBehavior.MERGED_WITH_PREVIOUS: "mergedWithPrevious",
    SplitBehavior.MERGED_WITH_NEXT: "mergedWithNext",
    SplitBehavior.CONTIGUOUS: "contiguous",
}

A, B, C = (CharSet.of(letter) for letter in LETTERS)

# Shapes of the real patterns, with `a` a letter, `b` a space and `c` a newline.
EDGE_CASES: tuple[tuple[str, Pat, tuple[str, ...]], ...] = (
    (
        "`b?a+`: a word with the space before it",
        Seq(Alt(Chr(B), Eps()), plus(A)),
        ("", "a", "ba", "bbaab", "ab"),
    ),
    (
        "`b+(?!a)|b+`: the last space is left to the word",
        Alt(Seq(plus(B), NotAhead(Chr(A))), plus(B)),
        ("bb", "bba", "b", "ba"),
    ),
    ("`b*c+`: newlines with the spaces before them", Seq(Star(B | C), plus(C)), ("bcb", "ccb", "cbc", "b")),
    ("`a{1,3}`: groups of three", pattern.bounded(Chr(A), 1, 3), ("a", "aaa", "aaaa", "aaaaaaab")),
    ("`(?>b+)b`: an atomic group gives nothing back", Seq(Atomic(plus(B)), Chr(B)), ("bb", "bbb", "ab")),
    ("`b+$`: spaces at the end", Seq(plus(B), pattern.at_end()), ("bab", "bb", "abb", "")),
    ("`a(?=b)`: looking ahead", Seq(Chr(A), pattern.ahead(Chr(B))), ("ab", "aab", "aa")),
    ("`a*`: a pattern that matches nothing", Star(A), ("", "a", "b", "ab", "bba", "aabaa")),
    (
        "`ab|a`: the first alternative, not the longest",
        Alt(Chr(A), pattern.literal("ab")),
        ("ab", "abab", "ba"),
    ),
)


def random_pattern(rng: random.Random, depth: int) -> Pat:
    """A pattern of every constructor, at most `depth` deep."""
    chars = CharSet.of("".join(rng.sample(LETTERS, rng.randint(1, 2))))
    leaves: list[Pat] = [Eps(), Chr(chars), Chr(chars), Star(chars)]
    if depth == 0:
        return rng.choice(leaves)
    left, right = random_pattern(rng, depth - 1), random_pattern(rng, depth - 1)
    return rng.choice(
        [
            *leaves,
            Seq(left, right),
            Seq(left, right),
            Alt(left, right),
            Alt(left, right),
            NotAhead(left),
            Atomic(left),
        ]
    )


def pat(p: Pat) -> str:
    """A pattern in Lean; characters are their code points."""
    match p:
        case Eps():
            return ".eps"
        case Chr(chars):
            return f"(.chr {_class(chars)})"
        case Star(chars):
            return f"(.star {_class(chars)})"
        case Seq(first, second):
            return f"(.seq {pat(first)} {pat(second)})"
        case Alt(first, second):
            return f"(.alt {pat(first)} {pat(second)})"
        case NotAhead(body):
            return f"(.notAhead {pat(body)})"
        case Atomic(body):
            return f"(.atomic {pat(body)})"


def _class(chars: CharSet) -> str:
    return "fun _ => true" if chars == ALL else f"(among {lean.nats(map(ord, chars))})"


def text(s: str) -> str:
    """A text in Lean."""
    return lean.nats(map(ord, s))


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/Pattern.lean`."""
    return lean.module("Patterns and stages", ["VerifiedTok.Spec.Pattern"], _body())


def _body() -> Iterator[str]:
    yield "def among (cs : List Nat) (c : Nat) : Bool := cs.contains c"
    yield ""
    number = 0
    rng = random.Random("pattern")
    for comment, p, texts in EDGE_CASES:
        yield f"/-! {comment} -/"
        yield from _examples(rng, number, p, texts)
        number += 1
    yield "/-! Random patterns and texts -/"
    for _ in range(RANDOM_PATTERNS):
        p = random_pattern(rng, 3)
        texts = tuple("".join(rng.choices(LETTERS, k=rng.randint(0, 7))) for _ in range(TEXTS_PER_PATTERN))
        yield from _examples(rng, number, p, texts)
        number += 1


def _examples(rng: random.Random, number: int, p: Pat, texts: tuple[str, ...]) -> Iterator[str]:
    name = f"p{number}"
    yield f"def {name} : Pat Nat := {pat(p)}"
    for s in texts:
        lengths = list(pattern.matches(p, s, 0))
        yield lean.example(f"{name}.matches {text(s)}", lean.nats(lengths))
        # Lean's stages know no empty match after a match or at the end, which only merging stages could tell
        # (`Stage.cuttable` asks those for patterns without empty matches).
        behaviour = rng.choice(list(BEHAVIOURS)[: 2 if nullable(p) else None])
        invert = rng.random() < 0.3
        pieces = [piece.text for piece in cut(p, behaviour, invert, Aligned.of(s))]
        stage = f"Stage.mk {name} .{BEHAVIOURS[behaviour]} {str(invert).lower()}"
        yield lean.example(f"({stage}).split {text(s)}", "[" + ", ".join(map(text, pieces)) + "]")
    yield ""
