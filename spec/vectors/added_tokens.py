"""Vectors for `Spec/AddedTokens.lean`: leftmost-longest extraction, and what flags do to it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product

from spec.vectors import lean_text as lean
from verified_tok.reference.added_tokens import Literals, extract
from verified_tok.reference.seam_table import pairs_in
from verified_tok.spec import AddedToken

# A word character, a sign and a space.
ALPHABET = "a- "

# Each list of literals with what it is there to show, and the texts that show it.
EDGE_CASES: tuple[tuple[str, Sequence[str], Sequence[str]], ...] = (
    ("No literal.", (), ("", "a-a")),
    ("The longest at one place.", ("a", "aa", "aaa-"), ("aaa", "aaa-", "-aaaa")),
    ("The leftmost, though a longer one begins further right.", ("a-", "-aaa"), ("a-aaa", "aa-aaa")),
    ("A long one that breaks off gives way to a shorter one.", ("a", "aa-a-"), ("aa-a", "aa-a-", "aa-aa-a-")),
    ("The search goes on behind what was found.", ("a-a",), ("a-a-a", "a-a-a-a")),
)

RANDOM_LISTS = 10
FLAGGED_LISTS = 16
TEXTS_PER_LIST = 3


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/AddedTokens.lean`."""
    return lean.module("Added tokens", ["VerifiedTok.Spec.AddedTokens"], _body())


def _body() -> Iterator[str]:
    yield f"def alphabet : List Nat := {_text(ALPHABET)}"
    yield "def isWord (c : Nat) : Bool := c = 97"
    yield "def isSpace (c : Nat) : Bool := c = 32"
    yield ""
    rng = random.Random("added tokens")
    number = 0
    for comment, contents, texts in EDGE_CASES:
        yield f"/-! {comment} -/"
        yield from _plain(number, _tokens(contents), texts)
        number += 1
    yield "/-! Random literals and texts -/"
    for _ in range(RANDOM_LISTS):
        yield from _plain(number, _tokens(_random_contents(rng, ALPHABET)), _random_texts(rng))
        number += 1
    yield "/-! A word that is refused hides a shorter literal inside it. -/"
    word, inside = AddedToken(100, "-a", single_word=True), AddedToken(101, "a")
    yield from _flagged(number, [word, inside], ("a-aa-a", "-a", "--a a-a"))
    number += 1
    # White space that begins a literal stays with it in Lean, and not in the reference engine.
    yield "/-! Flags, of literals without white space -/"
    for _ in range(FLAGGED_LISTS):
        tokens = _tokens(_random_contents(rng, ALPHABET.strip()), rng)
        yield from _flagged(number, tokens, _random_texts(rng))
        number += 1


def _plain(number: int, tokens: Sequence[AddedToken], texts: Sequence[str]) -> Iterator[str]:
    name, literals = f"ls{number}", _literals(tokens)
    yield _definition(name, tokens)
    parts = [_segments(tokens, text) for text in texts]
    for text, segments in zip(texts, parts, strict=True):
        yield lean.example(f"extract {name} {_text(text)}", lean.segments(segments))
    found = [part for segments in parts for kind, part in segments if kind]
    ids = (literals.tokens[part].id for part in found)
    yield lean.example(f"({lean.texts(found)}).flatMap (literalId {name})", lean.nats(ids))
    longest = [literals.longest(text, 0) for text in texts if text]
    listed = lean.texts(filter(None, texts))
    lengths = ", ".join(lean.option(str(found.stop) if found else None) for found in longest)
    yield lean.example(f"({listed}).map (longest {name})", f"[{lengths}]")
    pairs = set(pairs_in(literals.tokens))
    held = ", ".join(str(x + y in pairs).lower() for x, y in product(ALPHABET, ALPHABET))
    yield lean.example(f"alphabet.flatMap (fun x => alphabet.map (holdsPair {name} x))", f"[{held}]")
    yield ""


def _flagged(number: int, tokens: Sequence[AddedToken], texts: Sequence[str]) -> Iterator[str]:
    name = f"ls{number}"
    yield _definition(name, tokens)
    for text in texts:
        found = lean.segments(_segments(tokens, text))
        yield lean.example(f"extractFlagged isWord isSpace {name} {_text(text)}", found)
    yield ""


def _tokens(contents: Sequence[str], flags: random.Random | None = None) -> list[AddedToken]:
    """Added tokens with these contents, and with flags drawn from `flags`."""

    def flag() -> bool:
        return flags is not None and flags.random() < 0.4

    return [
        AddedToken(100 + i, content, lstrip=flag(), rstrip=flag(), single_word=flag())
        for i, content in enumerate(contents)
    ]


def _random_contents(rng: random.Random, alphabet: str) -> list[str]:
    drawn = ("".join(rng.choices(alphabet, k=rng.randint(1, 4))) for _ in range(rng.randint(1, 4)))
    return list(dict.fromkeys(drawn))


def _random_texts(rng: random.Random) -> list[str]:
    return ["".join(rng.choices(ALPHABET, k=rng.randint(3, 9))) for _ in range(TEXTS_PER_LIST)]


def _literals(tokens: Sequence[AddedToken]) -> Literals:
    return Literals.of((token.content, token) for token in tokens)


def _segments(tokens: Sequence[AddedToken], text: str) -> list[tuple[bool, str]]:
    """The parts of a text, in Lean's form: white space that a literal takes is in no segment."""
    return [
        (False, text[start:stop]) if token is None else (True, token.content)
        for start, stop, token in extract(_literals(tokens), text)
    ]


def _definition(name: str, tokens: Sequence[AddedToken]) -> str:
    listed = ", ".join(map(_literal, tokens))
    return f"def {name} : List (Literal Nat) := [{listed}]"


def _literal(token: AddedToken) -> str:
    flags = ("singleWord", token.single_word), ("lstrip", token.lstrip), ("rstrip", token.rstrip)
    given = [
        f"content := {_text(token.content)}",
        f"id := {token.id}",
        *(f"{k} := true" for k, v in flags if v),
    ]
    return "{ " + ", ".join(given) + " }"


def _text(text: str) -> str:
    return lean.nats(map(ord, text))
