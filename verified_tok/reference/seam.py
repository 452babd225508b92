"""Seams of patterns: between which characters may a text be cut, so that cutting changes no piece?

Mirrors `lean/VerifiedTok/Spec/Seam.lean` name by name; `split_append_of_seam` there is its soundness. The
answer is computed from the pattern alone, like the `first` and `last` sets of a Glushkov automaton. Every
function over-approximates ("may") unless it says "surely".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from verified_tok.reference.charset import CharSet
from verified_tok.reference.pattern import Alt, Atomic, Chr, Eps, NotAhead, Pat, Seq, Star
from verified_tok.reference.pre_tokenizer import Stage, joins
from verified_tok.spec import SplitBehavior


def nullable(p: Pat) -> bool:
    """May match without consuming."""
    match p:
        case Eps() | Star() | NotAhead():
            return True
        case Chr():
            return False
        case Seq(a, b):
            return nullable(a) and nullable(b)
        case Alt(a, b):
            return nullable(a) or nullable(b)
        case Atomic(a):
            return nullable(a)


def first(p: Pat, d: str) -> bool:
    """May consume `d` first."""
    match p:
        case Eps() | NotAhead():
            return False
        case Chr(chars) | Star(chars):
            return d in chars
        case Seq(a, b):
            return first(a, d) or (nullable(a) and first(b, d))
        case Alt(a, b):
            return first(a, d) or first(b, d)
        case Atomic(a):
            return first(a, d)


def last(p: Pat, c: str) -> bool:
    """May consume `c` last."""
    match p:
        case Eps() | NotAhead():
            return False
        case Chr(chars) | Star(chars):
            return c in chars
        case Seq(a, b):
            return last(b, c) or (nullable(b) and last(a, c))
        case Alt(a, b):
            return last(a, c) or last(b, c)
        case Atomic(a):
            return last(a, c)


def looks(p: Pat, d: str) -> bool:
    """May, before consuming, ask a lookahead that answers differently on `d` than at the end."""
    match p:
        case Eps() | Chr() | Star():
            return False
        case Seq(a, b):
            return looks(a, d) or (nullable(a) and looks(b, d))
        case Alt(a, b):
            return looks(a, d) or looks(b, d)
        case NotAhead(a):
            return first(a, d) or looks(a, d)
        case Atomic(a):
            return looks(a, d)


def crosses(p: Pat, c: str, d: str) -> bool:
    """May consume `c` and then consume, or be decided by, `d`."""
    match p:
        case Eps() | Chr():
            return False
        case Star(chars):
            return c in chars and d in chars
        case Seq(a, b):
            return crosses(a, c, d) or crosses(b, c, d) or (last(a, c) and (first(b, d) or looks(b, d)))
        case Alt(a, b):
            return crosses(a, c, d) or crosses(b, c, d)
        case NotAhead(a) | Atomic(a):
            return crosses(a, c, d)


def passes(p: Pat) -> bool:
    """Surely has the empty match among its matches, whatever the text."""
    match p:
        case Eps() | Star():
            return True
        case Chr() | NotAhead() | Atomic():
            return False
        case Seq(a, b):
            return passes(a) and passes(b)
        case Alt(a, b):
            return passes(a) or passes(b)


def always(p: Pat) -> bool:
    """Surely matches, whatever the text."""
    match p:
        case Eps() | Star():
            return True
        case Chr() | NotAhead():
            return False
        case Seq(a, b):
            return always(a) and always(b)
        case Alt(a, b):
            return always(a) or always(b)
        case Atomic(a):
            return always(a)


def sure(p: Pat, y: str) -> bool:
    """Surely matches every text that begins with `y`."""
    match p:
        case Eps() | Star():
            return True
        case Chr(chars):
            return y in chars
        case NotAhead():
            return False
        case Seq(a, b):
            return (sure(a, y) and always(b)) or (passes(a) and sure(b, y))
        case Alt(a, b):
            return sure(a, y) or sure(b, y)
        case Atomic(a):
            return sure(a, y)


def covers(p: Pat, y: str) -> bool:
    """A match surely begins at `y` when the search gets there, so `y` is in no gap."""
    return not nullable(p) and sure(p, y)


# --- a later alternative that an earlier one shields ----------------------------------------------------


@cache
def consumes(p: Pat) -> CharSet:
    """The characters that may be consumed somewhere."""
    match p:
        case Eps() | NotAhead():
            return CharSet()
        case Chr(chars) | Star(chars):
            return chars
        case Seq(a, b) | Alt(a, b):
            return consumes(a) | consumes(b)
        case Atomic(a):
            return consumes(a)


def short_looks(p: Pat) -> bool:
    """Every lookahead looks at one character only."""
    match p:
        case Eps() | Chr() | Star():
            return True
        case NotAhead(a):
            return isinstance(a, Chr)
        case Seq(a, b) | Alt(a, b):
            return short_looks(a) and short_looks(b)
        case Atomic(a):
            return short_looks(a)


def reaches(s: CharSet, x: str, p: Pat) -> bool:
    r"""Surely matches every text of characters of `s` that ends with `x`.

    Some alternative is `p*r`, where `p` holds all of `s` and `r` surely matches at `x`. So `\s*[\r\n]+`
    reaches any white space that ends with a newline.
    """
    match p:
        case Alt(a, b):
            return reaches(s, x, a) or reaches(s, x, b)
        case Seq(Star(chars), r):
            return sure(r, x) and s <= chars
        case _:
            return False


def stable(p: Pat, x: str, y: str) -> bool:
    """The first match surely does not depend on what follows (x, y).

    No alternative crosses, but for those that an earlier alternative shields, because it surely matches
    wherever they could get as far as `x`.
    """
    if not isinstance(p, Alt):
        return not crosses(p, x, y)
    a, b = p.first, p.second
    return stable(a, x, y) and (stable(b, x, y) or (short_looks(b) and reaches(consumes(b), x, a)))


# --- stages --------------------------------------------------------------------------------------------


def cuttable(t: Stage, x: str, y: str) -> bool:
    """Cutting a text between `x` and `y` changes the stage's pieces at most by cutting the piece there."""
    merges_nothing = t.behaviour in (SplitBehavior.ISOLATED, SplitBehavior.REMOVED)
    return stable(t.pat, x, y) and (merges_nothing or not nullable(t.pat))


def may_end(t: Stage, x: str, matched: bool) -> bool:
    """May a match, or a gap, end with `x`?"""
    return last(t.pat, x) if matched else not covers(t.pat, x)


def may_begin(t: Stage, y: str, matched: bool) -> bool:
    """May a match, or a gap, begin with `y`? (An empty match lies before every character.)"""
    return first(t.pat, y) or nullable(t.pat) if matched else not covers(t.pat, y)


def separates(t: Stage, b: bool, c: bool) -> bool:
    """No piece holds the end of a segment of kind `b` and the beginning of one of kind `c` that is next to it
    when the text is cut there. (Two gaps are one segment in the whole text.)"""
    if t.behaviour is SplitBehavior.REMOVED and t.invert:
        return True
    return (b or c) and not joins(t.behaviour, b != t.invert, c != t.invert)


def seals(t: Stage, x: str, y: str) -> bool:
    """The stage surely has a piece boundary between `x` and `y`, and cutting there changes no piece."""
    return cuttable(t, x, y) and all(
        not (may_end(t, x, b) and may_begin(t, y, c)) or separates(t, b, c)
        for b in (True, False)
        for c in (True, False)
    )


def is_seam(stages: Sequence[Stage], x: str, y: str) -> bool:
    """A seam of several stages: one seals, and all stages before it are cuttable. Later ones matter not."""
    for stage in stages:
        if seals(stage, x, y):
            return True
        if not cuttable(stage, x, y):
            return False
    return False
