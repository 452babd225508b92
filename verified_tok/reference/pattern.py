"""Pre-tokenizer patterns as data, and what they match.

Mirrors `lean/VerifiedTok/Spec/Pattern.lean` name by name. A pattern's meaning is a list of successes: the
lengths that it can match at a place of a text, best first (leftmost alternative first, greedy, with
backtracking), so the first one is what a backtracking engine reports.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verified_tok.reference.charset import ALL, CharSet


@dataclass(frozen=True, slots=True)
class Eps:
    """Matches nothing, successfully."""


@dataclass(frozen=True, slots=True)
class Chr:
    """One character of the set."""

    chars: CharSet


@dataclass(frozen=True, slots=True)
class Seq:
    """`first`, then `second`."""

    first: Pat
    second: Pat


@dataclass(frozen=True, slots=True)
class Alt:
    """`first`, or else `second`."""

    first: Pat
    second: Pat


@dataclass(frozen=True, slots=True)
class Star:
    """As many characters of the set as possible, fewer on backtracking."""

    chars: CharSet


@dataclass(frozen=True, slots=True)
class NotAhead:
    """`(?!body)`: succeeds without consuming where `body` does not match."""

    body: Pat


@dataclass(frozen=True, slots=True)
class Atomic:
    """`(?>body)`: the best match of `body` only, never reconsidered."""

    body: Pat


Pat = Eps | Chr | Seq | Alt | Star | NotAhead | Atomic

# --- derived patterns --------------------------------------------------------------------------------


def plus(chars: CharSet) -> Pat:
    """`p+`"""
    return Seq(Chr(chars), Star(chars))


def opt(body: Pat) -> Pat:
    """`a?`"""
    return Alt(body, Eps())


def up_to(body: Pat, n: int) -> Pat:
    """`a{0,n}`"""
    pat: Pat = Eps()
    for _ in range(n):
        pat = opt(Seq(body, pat))
    return pat


def times(body: Pat, n: int) -> Pat:
    """`a{n}`"""
    pat: Pat = Eps()
    for _ in range(n):
        pat = Seq(body, pat)
    return pat


def bounded(body: Pat, m: int, n: int) -> Pat:
    """`a{m,n}`"""
    return Seq(times(body, m), up_to(body, n - m))


def ahead(body: Pat) -> Pat:
    """`(?=a)`"""
    return NotAhead(NotAhead(body))


def at_end() -> Pat:
    """The end of the input."""
    return NotAhead(Chr(ALL))


def literal(text: str) -> Pat:
    """A literal text."""
    pat: Pat = Eps()
    for char in reversed(text):
        pat = Seq(Chr(CharSet.of(char)), pat)
    return pat


def sets_in(pat: Pat) -> Iterator[CharSet]:
    """Every set of characters in a pattern."""
    match pat:
        case Chr(chars) | Star(chars):
            yield chars
        case Seq(a, b) | Alt(a, b):
            yield from sets_in(a)
            yield from sets_in(b)
        case NotAhead(a) | Atomic(a):
            yield from sets_in(a)
        case Eps():
            pass


# --- what a pattern matches --------------------------------------------------------------------------


def run(chars: CharSet, text: str, start: int) -> int:
    """How many characters from `start` on are in the set."""
    pages = chars.pages  # `in` would take twice as long
    stop = start
    while stop < len(text) and pages[(code := ord(text[stop])) >> 8][code & 255]:
        stop += 1
    return stop - start


def matches(pat: Pat, text: str, start: int) -> Iterator[int]:
    """The lengths that a pattern can match at `start`, best first; computed as they are asked for.

    Recursion goes as deep as the pattern, never as the text.
    """
    match pat:
        case Eps():
            yield 0
        case Chr(chars):
            if start < len(text) and text[start] in chars:
                yield 1
        case Seq(first, second):
            for n in matches(first, text, start):
                for m in matches(second, text, start + n):
                    yield n + m
        case Alt(first, second):
            yield from matches(first, text, start)
            yield from matches(second, text, start)
        case Star(chars):
            yield from range(run(chars, text, start), -1, -1)
        case NotAhead(body):
            if first_match(body, text, start) is None:
                yield 0
        case Atomic(body):
            best = first_match(body, text, start)
            if best is not None:
                yield best


def first_match(pat: Pat, text: str, start: int) -> int | None:
    """The length of the match that a backtracking engine reports at `start`."""
    return next(matches(pat, text, start), None)


# --- cutting a text ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: a match, or a gap between matches."""

    start: int
    stop: int
    matched: bool


def split(pat: Pat, text: str) -> list[Piece]:
    """Cuts a text at the matches of a pattern, from left to right; what no match takes is a gap.

    An empty match is a piece too, unless it follows the match before it immediately; after it the search
    goes on one character later.
    """
    pieces: list[Piece] = []
    done = 0  # the text before it is in `pieces`
    start = 0
    while start <= len(text):
        length = first_match(pat, text, start)
        if length is None or (length == 0 and pieces and pieces[-1].matched and done == start):
            start += 1
            continue
        if done < start:
            pieces.append(Piece(done, start, matched=False))
        done = start + length
        pieces.append(Piece(start, done, matched=True))
        start = done
    if done < len(text):
        pieces.append(Piece(done, len(text), matched=False))
    return pieces
