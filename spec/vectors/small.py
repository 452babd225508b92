"""A small tokenizer, in Python and in Lean: two literals, a pattern of the usual shape and a rank table."""

from __future__ import annotations

from collections.abc import Iterator

import verified_tok
from spec.vectors import lean_text as lean
from spec.vectors.pattern import pat
from verified_tok.reference.regex import parse
from verified_tok.spec import Dialect
from verified_tok.tokenizer import Tokenizer

ALPHABET = "ab<> \n"
LITERALS = {"<a>": 300, "\n<": 301}
PATTERN = r" ?[ab]+| ?[<>]+|[ \n]*\n|[ \n]+(?![ab<>])|[ \n]+"
PARTS = (b"ab", b" a", b"ba", b"aba", b" ab", b"\n\n", b"abab", b"  ", b"<a")
"""The tokens of more than one byte, from 256 on. The letters of the literal `<a>` have one in common."""


def tokenizer() -> Tokenizer:
    """The tokenizer. Its pattern matches every character of the alphabet, so nothing is dropped."""
    ranks = {bytes([b]): b for b in range(256)} | {part: 256 + i for i, part in enumerate(PARTS)}
    return verified_tok.from_tiktoken(ranks, PATTERN, LITERALS)


def definitions() -> Iterator[str]:
    """The same tokenizer as the Lean definition `small`, for texts over the alphabet."""
    entries = [(part, 256 + i) for i, part in enumerate(PARTS)]
    entries += [(char.encode(), ord(char)) for char in ALPHABET]
    ranks = ", ".join(f"({lean.nats(spelling)}, {token})" for spelling, token in entries)
    literals = ", ".join(f"{{ content := {text(content)}, id := {id} }}" for content, id in LITERALS.items())
    yield "def among (cs : List Nat) (c : Nat) : Bool := cs.contains c"
    yield f"def alphabet : List Nat := {text(ALPHABET)}"
    yield f"def ranks : Ranks := [{ranks}]"
    yield f"def pattern : Pat Nat := {pat(parse(PATTERN, Dialect.RUST_REGEX))}"
    yield "def small : Tokenizer Nat where"
    yield f"  literals := [{literals}]"
    yield "  normalize := id"
    yield "  normalizedLiterals := []"
    yield "  stages := [⟨pattern, .removed, true⟩]"
    yield "  encodePiece w :="
    yield "    encodePieceIgnoreMerges (ofRanks ranks) ranks.token? (w.map UInt8.ofNat)"
    yield ""


def text(s: str) -> str:
    """A text in Lean."""
    return lean.nats(map(ord, s))
