"""The seam table of a tokenizer (`reference.seam_table`), as tables of the native core.

A character is touched if the normalizer may change it or join it with others; all others stand for
themselves. Characters whose pairs have the same answers share a class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verified_tok.native import NotNative, Sections
from verified_tok.native.two_stage import two_stage
from verified_tok.reference import unicode_form
from verified_tok.reference.charset import CharSet
from verified_tok.reference.classes import char_class
from verified_tok.reference.regex import pat_of
from verified_tok.reference.seam import consumes
from verified_tok.reference.seam_table import NO, YES, SeamTable, beside
from verified_tok.reference.tables import FALLBACK_BYTES
from verified_tok.spec import Dialect, Literal, Normalizer, Prepend, ReplaceAll, StripSpace, UnicodeForm

Codes = npt.NDArray[np.int64]

_LIMIT = 0x110000
_NEVER = -1
_NONE, _CHAR, _BYTE = 0, 1, 2  # as in `_core/seams.h`
_GOLDEN = 0x9E3779B97F4A7C15
_LEADING, _SYLLABLES, _SAME_LEADING = range(0x1100, 0x1113), range(0xAC00, 0xD7A4), 588  # of Hangul


def seam_sections(table: SeamTable) -> Sections:
    """The sections with which `is_seam` in `_core/seams.h` answers as the table does.

    (It answers no where the model's merges decide and the normalizer may turn the character behind the cut
    into several, and everywhere if the normalizer leaves no ordinary character as it is.)
    """
    sides = _Sides(table)
    left, left_class = _classes(sides.left, sides.left_kind, [before for before, _ in table.flagged])
    right, right_class = _classes(sides.right, sides.right_kind, [after for _, after in table.flagged])
    answers = [[NO if x.flags & y.flags else sides.answer(x.value, y.value) for y in right] for x in left]
    block, [stored_left, stored_right] = two_stage(left_class, right_class)
    held_start, held = _pair_set(sides.held())
    joined_start, joined = _pair_set(sides.joined())
    return {
        "seam_block": block,
        "seam_left": stored_left,
        "seam_right": stored_right,
        "seam_left_kind": np.array([x.kind for x in left], np.uint8),
        "seam_right_kind": np.array([y.kind for y in right], np.uint8),
        "seam_answers": np.array(answers, np.uint8).ravel(),
        "seam_options": np.array([_bits(held_start), _bits(joined_start)], np.uint32),
        "seam_held_start": held_start,
        "seam_held": held,
        "seam_joined_start": joined_start,
        "seam_joined": joined,
    }


# --- what stands beside a cut ------------------------------------------------------------------------


class _Sides:
    """What each character becomes on the left and on the right of a cut."""

    def __init__(self, table: SeamTable) -> None:
        self._table = table
        self._joins = table.joins if table.joined else None
        self._before, self._after, never = _touched(table.normalizers)
        self._sets = [frozenset((number,)) for number in range(len(table.representatives))]
        self.left: Codes = table.class_of.astype(np.int64)
        """The class of what a character on the left becomes; -1 if nothing may be cut behind it."""
        self.right: Codes = self.left.copy()
        """The number of the set of classes that a character on the right may become one of; -1 as above."""
        for first, last in never.ranges:
            self.left[first : last + 1] = self.right[first : last + 1] = _NEVER
        numbers: dict[frozenset[str] | frozenset[int], int] = {
            classes: number for number, classes in enumerate(self._sets)
        }
        for char, become in self._before.items():
            self.left[ord(char)] = _NEVER if become is None else table.class_of[ord(become)]
        for char, may_become in self._after.items():
            if may_become is None:
                self.right[ord(char)] = _NEVER
                continue
            if may_become not in numbers:
                classes = frozenset(table.class_of[[ord(c) for c in may_become]].tolist())
                numbers[may_become] = numbers.setdefault(classes, len(self._sets))
                if numbers[classes] == len(self._sets):
                    self._sets.append(classes)
            self.right[ord(char)] = numbers[may_become]
        self.left_kind, self.right_kind = self._kinds()

    def answer(self, left: int, right: int) -> int:
        """What the stages say of a class on the left and a set of classes on the right."""
        if left == _NEVER or right == _NEVER:
            return NO
        return min((self._table.answer(left, number) for number in self._sets[right]), default=YES)

    def held(self) -> Iterator[tuple[int, int]]:
        """The pairs that literals hold, as characters of raw text."""
        yield from ((ord(pair[0]), ord(pair[1])) for pair in self._table.raw_pairs)
        if self._table.normalized_pairs:
            lefts, rights = self._sources()
            for pair in self._table.normalized_pairs:
                yield from ((a, b) for a in lefts(pair[0]) for b in rights(pair[1]))

    def joined(self) -> Iterator[tuple[int, int]]:
        """The pairs of symbols that a merge joins: characters of raw text, or bytes."""
        if self._joins is None:
            return
        lefts, rights = self._sources()

        def numbers(symbol: str, sources: Callable[[str], list[int]]) -> list[int]:
            byte = FALLBACK_BYTES.get(symbol)
            return sources(symbol) if byte is None else [_LIMIT + byte]

        for left, right in self._joins.pairs:
            yield from ((a, b) for a in numbers(left, lefts) for b in numbers(right, rights))

    def _kinds(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
        """What merges see of each character on the left, and of each on the right."""
        kinds = np.zeros(_LIMIT, np.uint8)
        if self._joins is None:
            return kinds, kinds
        known = self._joins.known
        kinds[:] = _BYTE if self._joins.complete else _NONE
        kinds[[ord(char) for char in known]] = _CHAR
        left, right = kinds, kinds.copy()
        for char, become in self._before.items():
            left[ord(char)] = _CHAR if become in known else _NONE
        for char, may_become in self._after.items():
            one = may_become is not None and len(may_become) == 1 and may_become <= known
            right[ord(char)] = _CHAR if one else _NONE
        return left, right

    def _sources(self) -> tuple[Callable[[str], list[int]], Callable[[str], list[int]]]:
        """The characters of raw text that become a character, on the left and on the right."""
        left: dict[str, list[int]] = {}
        alike: dict[frozenset[str], list[int]] = {}
        for char, become in self._before.items():
            if become is not None:
                left.setdefault(become, []).append(ord(char))
        for char, may_become in self._after.items():
            if may_become is not None:
                alike.setdefault(may_become, []).append(ord(char))
        right: dict[str, list[list[int]]] = {}
        for may_become, chars in alike.items():
            for c in may_become:
                right.setdefault(c, []).append(chars)

        def lefts(char: str) -> list[int]:
            return left.get(char, []) + ([] if char in self._before else [ord(char)])

        def rights(char: str) -> list[int]:
            return [*chain(*right.get(char, []), () if char in self._after else (ord(char),))]

        return lefts, rights


@cache
def _touched(
    normalizers: tuple[Normalizer, ...],
) -> tuple[dict[str, str | None], dict[str, frozenset[str] | None], CharSet]:
    """What the touched characters become on the left of a cut, and may become on its right; None if nothing
    may be cut beside them. A character may be touched on one side only. Beside the characters of the last set
    nothing may be cut, unless they are touched: patterns that are replaced consume them."""
    touched: set[str] = set()
    consumed = CharSet()
    syllables = range(0)
    for stage in normalizers:
        match stage:
            case UnicodeForm(form):
                touched |= unicode_form.decompositions(form == "NFKC").keys() | unicode_form.seconds()
                touched |= unicode_form.combining_classes().keys()
                touched |= {pair[0] for pair in unicode_form.compositions()}
                touched |= set(map(chr, _LEADING))
                syllables = _SYLLABLES
            case ReplaceAll(Literal(text), _):
                touched |= set(text)
            case StripSpace():
                strip = char_class("strip", Dialect.ONIGURUMA)
                touched |= {chr(code) for first, last in strip.ranges for code in range(first, last + 1)}
            case ReplaceAll(pattern, _):
                consumed = consumed | consumes(pat_of(pattern))
            case Prepend():
                pass
    neutral = next((c for c in map(chr, range(0x21, 0xD800)) if c not in touched and c not in consumed), None)
    if neutral is None:  # hardly anything is left that a text may be cut beside
        return {}, {}, ~CharSet()
    before: dict[str, str | None] = {}
    after: dict[str, frozenset[str] | None] = {}
    for char in sorted(touched):
        on_left, on_right = beside(normalizers, char, neutral), beside(normalizers, neutral, char)
        before[char] = None if on_left is None else next(iter(on_left[0]))
        after[char] = None if on_right is None else on_right[1]
    for first in syllables[::_SAME_LEADING]:  # normal forms; what they may become begins with the same sound
        alike = [char for char in map(chr, range(first, first + _SAME_LEADING)) if char not in touched]
        on_right = beside(normalizers, neutral, alike[0]) if alike else None
        after |= dict.fromkeys(alike, None if on_right is None else on_right[1])
    return before, after, consumed


# --- classes -----------------------------------------------------------------------------------------


class _Class(NamedTuple):
    """Characters that are alike on one side of a cut."""

    value: int
    kind: int
    flags: int
    """The pairs of sets (bit by bit) that a flag of an added token could act across, and this side is in."""


def _classes(
    values: Codes, kinds: npt.NDArray[np.uint8], flagged: Sequence[CharSet]
) -> tuple[list[_Class], npt.NDArray[np.uint16]]:
    """The classes of one side, and the class of every code point."""
    flags, flags_of = _memberships(flagged)
    keys = (values - _NEVER) << 24 | flags_of << 2 | kinds
    runs = np.flatnonzero(np.diff(keys, prepend=-1))
    found, class_of = np.unique(keys[runs], return_inverse=True)
    if len(found) > 0xFFFF:
        raise NotNative("too many classes of characters")
    classes = [_Class((key >> 24) + _NEVER, key & 3, flags[key >> 2 & 0x3FFFFF]) for key in found.tolist()]
    sizes = np.diff(runs, append=_LIMIT)
    return classes, np.repeat(class_of.ravel().astype(np.uint16), sizes)


def _memberships(sets: Sequence[CharSet]) -> tuple[list[int], Codes]:
    """Which of some sets characters are in, as bits, and for every code point the place in that list."""
    bounds = {bound for chars in sets for first, last in chars.ranges for bound in (first, last + 1)}
    found: dict[int, int] = {}
    place = np.zeros(_LIMIT, np.int64)
    for start, stop in pairwise([*sorted({0, *bounds} - {_LIMIT}), _LIMIT]):
        bits = sum(1 << number for number, chars in enumerate(sets) if chr(start) in chars)
        place[start:stop] = found.setdefault(bits, len(found))
    return list(found), place


# --- sets of pairs -----------------------------------------------------------------------------------


def _pair_set(pairs: Iterable[tuple[int, int]]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]:
    """A set of pairs in buckets: where each begins, and the pairs."""
    keys = np.unique(np.fromiter((x << 32 | y for x, y in pairs), np.uint64))
    bits = max(len(keys), 1).bit_length()
    bucket = (keys * np.uint64(_GOLDEN)) >> np.uint64(64 - bits)
    order = np.argsort(bucket, kind="stable")
    start = np.searchsorted(bucket[order], np.arange((1 << bits) + 1, dtype=np.uint64))
    return start.astype(np.uint32), keys[order]


def _bits(start: npt.NDArray[np.uint32]) -> int:
    return (len(start) - 1).bit_length() - 1
