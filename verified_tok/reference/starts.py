r"""Where pieces start, read off the runs of a text, as ``lean/VerifiedTok/Spec/Starts.lean`` says it.

The patterns of GPT-2, and of Llama 3 and Qwen, need no search from the left: whether a piece starts at a
place is decided by the runs of letters, digits, others and white space around it (``gpt2_split``,
``llama3_split``). The hand-tuned matchers of the native core read the same places off sets of bytes
(`matcher_blocks.h`). A place is given as a text and the number of characters before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from verified_tok.reference.charset import CharSet
from verified_tok.reference.pattern import (
    Alt,
    Chr,
    NotAhead,
    Pat,
    Seq,
    Star,
    at_end,
    bounded,
    first_match,
    opt,
    plus,
    run,
)

Starts = Callable[[str, int], bool]
"""Whether a piece starts at a place inside a text."""


def pieces_at(starts: Starts, text: str) -> list[str]:
    """A text cut at the places at which `starts` holds."""
    places = [0, *(place for place in range(1, len(text)) if starts(text, place)), len(text)]
    return [text[start:stop] for start, stop in pairwise(places) if start < stop]


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of characters that the patterns tell apart."""

    letter: CharSet
    r"""What a run of letters holds: `\p{L}`, or `[\p{L}\p{M}]`."""
    core: CharSet
    r"""`\p{L}`: the letters that are not taken for the one character before letters."""
    number: CharSet
    blank: CharSet
    newline: CharSet
    space: CharSet
    """The one space that a piece may begin with."""

    @property
    def other(self) -> CharSet:
        r"""`[^\s\p{L}\p{N}]`"""
        return ~(self.letter | self.number | self.blank)

    @property
    def plain(self) -> CharSet:
        """White space that is no newline."""
        return self.blank - self.newline

    @property
    def lead(self) -> CharSet:
        r"""`[^\r\n\p{L}\p{N}]`: the one character that may stand before letters."""
        return ~(self.newline | self.core | self.number)


def proper(k: Kinds) -> bool:
    """The kinds do not overlap, and each is where it should be."""
    return (
        k.core <= k.letter
        and not k.letter & (k.number | k.blank)
        and not k.number & k.blank
        and k.newline <= k.blank
        and k.space <= k.plain
    )


# --- the patterns ------------------------------------------------------------------------------------

NEVER: Pat = Chr(CharSet())
"""Matches nowhere."""


def or_else(pats: Sequence[Pat], last: Pat) -> Pat:
    """`a|b|…|z`"""
    for pat in reversed(pats):
        last = Alt(pat, last)
    return last


def blanks(k: Kinds) -> Pat:
    r"""`\s+(?!\S)|\s+`"""
    return Alt(Seq(plus(k.blank), NotAhead(Chr(~k.blank))), plus(k.blank))


def gpt2(k: Kinds, contractions: Sequence[Pat]) -> Pat:
    r"""Contractions, then ` ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`."""
    runs = [Seq(opt(Chr(k.space)), plus(kind)) for kind in (k.letter, k.number, k.other)]
    return or_else([*contractions, *runs], blanks(k))


def digits(k: Kinds, n: int) -> Pat:
    r"""`\p{N}`, or `\p{N}{1,n}`"""
    return Chr(k.number) if n == 1 else bounded(Chr(k.number), 1, n)


def or_whole(k: Kinds, whole: bool, last: Pat) -> Pat:
    r"""`\s+$|z`, or `z`"""
    return Alt(Seq(plus(k.blank), at_end()), last) if whole else last


def llama3(k: Kinds, contraction: Pat, n: int, whole: bool) -> Pat:
    r"""A contraction, then
    `[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,n}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.

    tiktoken's cl100k has `\s+$` before the last three (`whole`).
    """
    others = Seq(opt(Chr(k.space)), Seq(plus(k.other), Star(k.newline)))
    words = Seq(opt(Chr(k.lead)), plus(k.letter))
    newlines = Seq(Star(k.blank), plus(k.newline))
    return or_else([contraction, words, digits(k, n), others], or_whole(k, whole, Alt(newlines, blanks(k))))


# --- contractions ------------------------------------------------------------------------------------


def short_letters(k: Kinds, pat: Pat) -> bool:
    """One letter or two, or alternatives of these."""
    match pat:
        case Chr(p):
            return p <= k.letter
        case Seq(Chr(p), Chr(q)):
            return p <= k.letter and q <= k.letter
        case Alt(a, b):
            return short_letters(k, a) and short_letters(k, b)
        case _:
            return False


def is_contraction(k: Kinds, pat: Pat) -> bool:
    """One character of others, then one letter or two; or alternatives of these."""
    match pat:
        case Chr(p):
            return not p
        case Seq(Chr(p), end):
            return p <= k.other and short_letters(k, end)
        case Alt(a, b):
            return is_contraction(k, a) and is_contraction(k, b)
        case _:
            return False


def fresh(k: Kinds, text: str, place: int) -> bool:
    """Others behind `place` begin a piece: neither others nor a space come before them."""
    return place == 0 or not (text[place - 1] in k.other or text[place - 1] in k.space)


def contraction_ends(k: Kinds, contraction: Pat, text: str, place: int) -> bool:
    """A contraction that begins a piece ends here."""
    return any(
        size <= place
        and fresh(k, text, place - size)
        and first_match(contraction, text, place - size) == size
        for size in (2, 3)
    )


def contraction_began(k: Kinds, contraction: Pat, text: str, place: int) -> bool:
    """A contraction that begins a piece begins one character before."""
    begin = place - 1
    return begin >= 0 and fresh(k, text, begin) and first_match(contraction, text, begin) is not None


# --- the places --------------------------------------------------------------------------------------


def run_back(chars: CharSet, text: str, place: int) -> int:
    """How many characters right before `place` are in the set."""
    start = place
    while start > 0 and text[start - 1] in chars:
        start -= 1
    return place - start


def at_text(k: Kinds, text: str, place: int) -> bool:
    """Text comes next: something that is no white space."""
    return place < len(text) and text[place] not in k.blank


def gpt2_starts(k: Kinds, contraction: Pat, text: str, place: int) -> bool:
    """A piece of GPT-2's pattern starts here.

    Where a run starts, but not behind a space, which belongs to the run behind it; at the last of white space
    before text; behind a contraction, and not inside it.
    """
    if contraction_ends(k, contraction, text, place):
        return True
    if contraction_began(k, contraction, text, place):
        return False
    before, here = text[place - 1], text[place]
    if here in k.blank:
        return before not in k.blank or at_text(k, text, place + 1)
    kinds = (k.letter, k.number, k.other)
    return before not in k.space and any(here in kind and before not in kind for kind in kinds)


def taken(k: Kinds, text: str, place: int) -> bool:
    """A newline before this place belongs to the others before it."""
    begin = place - run_back(k.newline, text, place)
    return begin > 0 and text[begin - 1] in k.other


def last_blanks(k: Kinds, whole: bool, text: str, place: int) -> bool:
    """No newline stands in the white space from here on.

    If `whole`, text must follow it: at the end of the text, it is one piece with all white space before it.
    """
    stop = place + run(k.plain, text, place)
    return text[stop] not in k.newline if stop < len(text) else not whole


def llama3_starts(k: Kinds, contraction: Pat, n: int, whole: bool, text: str, place: int) -> bool:
    """A piece of Llama 3's pattern starts here.

    Letters start one unless the one character before them is taken along: white space, or others that are one
    character alone. Every `n`th digit of a run does. Others do, but not behind a space. White space does
    behind anything else, behind newlines that others took, behind its last newline, and at its last character
    before text.
    """
    if contraction_ends(k, contraction, text, place):
        return True
    before, here = text[place - 1], text[place]
    if here in k.letter:
        alone = before in k.other and fresh(k, text, place - 1)
        return not (before in k.letter or before in k.plain or alone)
    if here in k.number:
        return run_back(k.number, text, place) % n == 0
    if here in k.other:
        return fresh(k, text, place)
    if here in k.newline:
        return not (before in k.blank or before in k.other)
    return (
        before not in k.blank
        or (before in k.newline and (taken(k, text, place) or last_blanks(k, whole, text, place)))
        or at_text(k, text, place + 1)
    )


# --- what more text cannot change ---------------------------------------------------------------------


def settled(k: Kinds, text: str, place: int) -> bool:
    """Whatever follows `text`, it is decided whether a piece starts at `place`.

    That is so unless white space stands around the place that reaches to the end of `text`
    (``llama3_block``; ``gpt2_block`` asks for two characters behind the place besides).
    """
    inside = text[place - 1] in k.blank and text[place] in k.blank
    return not inside or place + run(k.blank, text, place) < len(text)
