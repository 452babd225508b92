"""Contracts about the analysis of seams, on all patterns of three atoms over two letters.

CrossHair searches them for counterexamples; `test_seam.py` runs it. Each says of one function of
`verified_tok.reference.seam` what the theorem with its name says (`first_of_matches`, …). A pattern is a
shape and the numbers of its atoms, and the texts are few and fixed, so that the search gets around.
"""

from verified_tok.reference.charset import CharSet
from verified_tok.reference.pattern import Alt, Chr, NotAhead, Pat, Seq, Star, first_match, matches
from verified_tok.reference.seam import covers, crosses, first, last, looks, nullable, stable

A, B, AB = CharSet.of("a"), CharSet.of("b"), CharSet.of("ab")
for _chars in (A, B, AB):
    assert _chars.pages  # a table of all characters, made here: under CrossHair it takes half a minute
TEXTS = ("", "a", "b", "ab")


def atom(number: int) -> Pat:
    """One of four atoms."""
    if number == 0:
        return Chr(A)
    if number == 1:
        return Star(B)
    if number == 2:
        return Star(AB)
    return NotAhead(Chr(B))


def pattern(left: bool, u: int, v: int, w: int) -> Pat:
    """Three atoms in a row, grouped to the left or to the right."""
    if left:
        return Seq(Seq(atom(u), atom(v)), atom(w))
    return Seq(atom(u), Seq(atom(v), atom(w)))


def first_of_matches(left: bool, u: int, v: int, w: int) -> bool:
    """
    pre: 0 <= u < 4 and 0 <= v < 4 and 0 <= w < 4
    post: __return__
    """
    p = pattern(left, u, v, w)
    return all(first(p, text[0]) or not any(matches(p, text, 0)) for text in TEXTS if text)


def last_of_matches(left: bool, u: int, v: int, w: int) -> bool:
    """
    pre: 0 <= u < 4 and 0 <= v < 4 and 0 <= w < 4
    post: __return__
    """
    p = pattern(left, u, v, w)
    return all(last(p, text[-1]) or len(text) not in matches(p, text, 0) for text in TEXTS if text)


def nullable_of_matches(left: bool, u: int, v: int, w: int) -> bool:
    """
    pre: 0 <= u < 4 and 0 <= v < 4 and 0 <= w < 4
    post: __return__
    """
    p = pattern(left, u, v, w)
    return nullable(p) or all(0 not in matches(p, text, 0) for text in TEXTS)


def matches_stop(left: bool, u: int, v: int, w: int) -> bool:
    """
    pre: 0 <= u < 4 and 0 <= v < 4 and 0 <= w < 4
    post: __return__
    """
    p = pattern(left, u, v, w)
    return all(first(p, d) or looks(p, d) or [*matches(p, d, 0)] == [*matches(p, "", 0)] for d in "ab")


def matches_append_of_not_crosses(left: bool, u: int, v: int, w: int) -> bool:
    """
    pre: 0 <= u < 4 and 0 <= v < 4 and 0 <= w < 4
    post: __return__
    """
    p = pattern(left, u, v, w)
    return all(
        crosses(p, text[-1], d) or [*matches(p, text + d, 0)] == [*matches(p, text, 0)]
        for text in TEXTS
        if text
        for d in "ab"
    )


def first_match_append_of_stable(left: bool, u: int, v: int, w: int) -> bool:
    """
    pre: 0 <= u < 4 and 0 <= v < 4 and 0 <= w < 4
    post: __return__
    """
    p = Alt(Seq(atom(u), atom(v)), atom(w)) if left else Alt(atom(u), Seq(atom(v), atom(w)))
    return all(
        first_match(p, text + d, 0) == first_match(p, text, 0)
        for text in TEXTS
        if text
        for d in "ab"
        if stable(p, text[-1], d)
    )


def first_match_of_covers(left: bool, u: int, v: int, w: int) -> bool:
    """
    pre: 0 <= u < 4 and 0 <= v < 4 and 0 <= w < 4
    post: __return__
    """
    p = Alt(Seq(atom(u), atom(v)), atom(w)) if left else Alt(atom(u), Seq(atom(v), atom(w)))
    return all(bool(first_match(p, text, 0)) for text in TEXTS if text and covers(p, text[0]))
