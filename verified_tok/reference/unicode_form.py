"""Unicode normalization as the reference engine does it, from its probed tables.

The algorithm is the standard's (decompose, order the marks, compose); the data is the engine's, which knows
fewer characters than its regular expressions do: marks that are newer than its tables are not reordered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from verified_tok.reference.aligned import Aligned, Span, hull
from verified_tok.tables import read

TABLE = "normalization.txt"

Char = tuple[str, Span]
"""A character and where it came from."""

_L, _V, _T, _S = 0x1100, 0x1161, 0x11A7, 0xAC00  # the first Hangul leading consonant, vowel, … and syllable
_L_COUNT, _V_COUNT, _T_COUNT = 19, 21, 28  # "no trailing consonant" counts as one
_S_COUNT = _L_COUNT * _V_COUNT * _T_COUNT


def unicode_form(form: str, source: Aligned) -> Aligned:
    """The normal form "NFC" or "NFKC" of a text; a composed character's origin spans all its sources."""
    if source.text.isascii():
        return source
    chars = decompose(zip(source.text, source.origins, strict=True), compatible=form == "NFKC")
    composed = list(compose(order(chars)))
    return Aligned("".join(c for c, _ in composed), tuple(span for _, span in composed))


def decompose(chars: Iterable[Char], compatible: bool) -> Iterator[Char]:
    """Each character's full decomposition in its place."""
    table = decompositions(compatible)
    for char, span in chars:
        for part in table.get(char) or _decompose_hangul(char):
            yield part, span


def order(chars: Iterable[Char]) -> Iterator[Char]:
    """Each run of marks (characters of class not 0) in the order of their classes, equals as they stood."""
    classes = combining_classes()
    marks: list[Char] = []
    for char in chars:
        if char[0] in classes:
            marks.append(char)
        else:
            yield from sorted(marks, key=lambda mark: classes[mark[0]])
            marks.clear()
            yield char
    yield from sorted(marks, key=lambda mark: classes[mark[0]])


def compose(chars: Iterable[Char]) -> Iterator[Char]:
    """Each starter joined with the characters after it that it composes with and that are not blocked."""
    classes = combining_classes()
    starter: Char | None = None
    marks: list[Char] = []  # what stands between the starter and the next character
    for char, span in chars:
        rank = classes.get(char, 0)
        if starter is not None and (not marks or classes[marks[-1][0]] < rank):
            composite = _composite(starter[0], char)
            if composite is not None:
                starter = composite, hull((starter[1], span))
                continue
        if rank:
            marks.append((char, span))
            continue
        if starter is not None:
            yield starter
        yield from marks
        marks.clear()
        starter = char, span
    if starter is not None:
        yield starter
    yield from marks


@cache
def decompositions(compatible: bool) -> dict[str, str]:
    """The full decomposition of every character that has one, Hangul syllables excepted."""
    table = _mapping("canonical decompositions")
    return table | _mapping("compatibility decompositions") if compatible else table


@cache
def compositions() -> dict[str, str]:
    """The character that a pair becomes, Hangul excepted."""
    return _mapping("compositions")


@cache
def seconds() -> frozenset[str]:
    """The characters that compose with one before them."""
    vowels, trailing = range(_V, _V + _V_COUNT), range(_T + 1, _T + _T_COUNT)
    return frozenset([*(pair[1] for pair in compositions()), *map(chr, vowels), *map(chr, trailing)])


@cache
def composites(first: str) -> frozenset[str]:
    """What a character may become by composing with one after it."""
    found = _composites_by_first().get(first, frozenset())
    leading, syllable = ord(first) - _L, ord(first) - _S
    if 0 <= leading < _L_COUNT:
        begins = _S + leading * _V_COUNT * _T_COUNT
        return found.union(map(chr, range(begins, begins + _V_COUNT * _T_COUNT, _T_COUNT)))
    if 0 <= syllable < _S_COUNT and syllable % _T_COUNT == 0:
        return found.union(map(chr, range(ord(first) + 1, ord(first) + _T_COUNT)))
    return found


@cache
def _composites_by_first() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair, composite in compositions().items():
        found.setdefault(pair[0], set()).add(composite)
    return {first: frozenset(composites) for first, composites in found.items()}


@cache
def combining_classes() -> dict[str, int]:
    """The rank of each mark's combining class, from 1; the other characters have class 0."""
    classes: dict[str, int] = {}
    for line in read(TABLE).sections["combining classes"]:
        rank, _, marks = line.partition(" = ")
        classes |= dict.fromkeys(_text(marks), int(rank))
    return classes


def _composite(first: str, second: str) -> str | None:
    a, b = ord(first), ord(second)
    if _L <= a < _L + _L_COUNT and _V <= b < _V + _V_COUNT:
        return chr(_S + ((a - _L) * _V_COUNT + b - _V) * _T_COUNT)
    if _S <= a < _S + _S_COUNT and (a - _S) % _T_COUNT == 0 and _T < b < _T + _T_COUNT:
        return chr(a + b - _T)
    return compositions().get(first + second)


def _decompose_hangul(char: str) -> str:
    index = ord(char) - _S
    if not 0 <= index < _S_COUNT:
        return char
    syllable, trailing = divmod(index, _T_COUNT)
    leading, vowel = divmod(syllable, _V_COUNT)
    return chr(_L + leading) + chr(_V + vowel) + (chr(_T + trailing) if trailing else "")


def _mapping(section: str) -> dict[str, str]:
    parts = (line.split(" = ") for line in read(TABLE).sections[section])
    return {_text(key): _text(value) for key, value in parts}


def _text(codes: str) -> str:
    return "".join(chr(int(code, 16)) for code in codes.split())
