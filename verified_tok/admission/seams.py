"""Where texts of a tokenizer may be cut without changing ids, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from rich.cells import cell_len

from verified_tok.admission.layout import shown, wrapped
from verified_tok.reference.seam_table import NO, VOCABULARY, YES, SeamTable
from verified_tok.spec import Prepend, UnicodeForm

_MARKS = {NO: "·", VOCABULARY: "v", YES: "|"}
_ORDINARY = " \n" + "".join(map(chr, range(0x21, 0x7F))) + "éß中あ한"
_EXAMPLES = 6


@dataclass(frozen=True, slots=True)
class CharacterClass:
    """Characters that the pre-tokenizer's patterns cannot tell apart: one of them, and how many there are."""

    example: str
    size: int


@dataclass(frozen=True, slots=True)
class SeamReport:
    """The places where a text may be cut, each part encoded alone, and the ids stay the same.

    `pairs[i]` says for class i before the place and each class behind it: `|` is a seam, `v` one if no merge
    joins the two characters, `·` none. It speaks of normalized text.
    """

    classes: tuple[CharacterClass, ...]
    pairs: tuple[str, ...]
    theorems: tuple[str, ...]
    facts: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share of seams among the pairs of classes, those of the vocabulary not counted."""
        marks = "".join(self.pairs)
        return marks.count(_MARKS[YES]) / len(marks)

    def lines(self) -> Iterator[str]:
        """The report as text."""
        yield "seams"
        yield from wrapped("where a text may be cut, each part encoded alone, and the ids stay", "  does    ")
        yield from wrapped(", ".join(self.theorems), "  proved  ")
        for margin, fact in zip(["  note    ", *["          "] * len(self.facts)], self.facts, strict=False):
            yield from wrapped(fact, margin)
        if len(self.classes) > 1:
            yield from wrapped(_LEGEND, "  table   ")
            yield from self._table()

    def _table(self) -> Iterator[str]:
        names = [_name(one.example) for one in self.classes]
        widths = [cell_len(name) for name in names]
        margin = 10 + max(widths)
        yield f"{'':{margin}} {' '.join(names)}"
        for name, width, marks in zip(names, widths, self.pairs, strict=True):
            cells = (f"{mark:<{columns}}" for mark, columns in zip(marks, widths, strict=True))
            yield f"{' ' * (margin - width)}{name} {' '.join(cells)}".rstrip()


_LEGEND = (
    f"characters that the patterns tell apart, one for each class; {_MARKS[YES]} seam, "
    f"{_MARKS[VOCABULARY]} seam if no merge joins the two, {_MARKS[NO]} none"
)


def report(table: SeamTable) -> SeamReport:
    """The report on a tokenizer's seams."""
    joined = (table.stages == VOCABULARY).any()
    return SeamReport(
        classes=tuple(_character_class(table, number) for number in range(len(table.representatives))),
        pairs=tuple("".join(_MARKS[int(answer)] for answer in row) for row in table.stages),
        theorems=(
            "encode_append_of_seam",
            *(("splitAll_append_of_seam",) if (table.stages == YES).any() else ()),
            *(("pairSeam_of_chars",) if joined else ()),
            *(("normalBoundary_of_beginsSegment",) if _forms(table) else ()),
            *(("seam_of_prepend",) if Prepend in map(type, table.normalizers) else ()),
        ),
        facts=tuple(_facts(table)),
    )


def _facts(table: SeamTable) -> Iterator[str]:
    by_stages = int((table.stages == YES).sum())
    yield f"seams of the pre-tokenizer among the pairs of classes: {by_stages} of {table.stages.size}"
    if table.joins is not None and (table.stages == VOCABULARY).any():
        known, joined = len(table.joins.known), len(table.joins.pairs)
        yield (
            f"merges join {joined} pairs of characters, of {known * known} pairs of characters with a token; "
            f"the others are seams where v stands, unless noted below, as {_shown_pairs(_unjoined(table))}"
        )
        yield (
            "all other characters become bytes, so pairs with them are seams likewise"
            if table.joins.complete
            else "other characters may be unknown, so pairs with them are none"
        )
    held = table.raw_pairs | table.normalized_pairs
    if held:
        yield f"pairs that literals hold, which are none: {shown(sorted(held))}"
    if table.changed:
        yield (
            "the pre-tokenizer's first stage changes text and may put something in front of it, which text "
            "that goes on does not get: that a text may be cut then is tested, not proved"
        )
    if table.flagged:
        yield "pairs that a flag of a literal could act across are none"
    for form in _forms(table):
        yield (
            f"a pair is one only if the second character begins afresh in {form} and the first is its own "
            f"{form}"
        )


def _forms(table: SeamTable) -> list[str]:
    return [stage.form for stage in table.normalizers if isinstance(stage, UnicodeForm)]


def _unjoined(table: SeamTable) -> list[tuple[str, str]]:
    """Pairs of ordinary characters that are seams only since no merge joins them; the first few."""
    found = []
    for x, y in product(_ORDINARY, _ORDINARY):
        by_stages = table.stages[table.class_of[ord(x)], table.class_of[ord(y)]]
        if by_stages == VOCABULARY and table.is_seam(x, y):
            found.append((x, y))
    return found[:: max(1, len(found) // _EXAMPLES)][:_EXAMPLES]


def _shown_pairs(pairs: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{x!r} {y!r}" for x, y in pairs)


def _character_class(table: SeamTable, number: int) -> CharacterClass:
    codes = np.flatnonzero(table.class_of == number)
    chars = [chr(code) for code in codes[(codes < 0xD800) | (codes > 0xDFFF)]]
    ordinary = sorted(set(_ORDINARY).intersection(chars), key=lambda char: (not char.isalnum(), char))
    return CharacterClass(next(filter(str.isprintable, [*ordinary, *chars]), chars[0]), len(chars))


def _name(char: str) -> str:
    """A character in a table: as it is if it is printed with a width."""
    if char == " ":
        return "space"
    return char if char.isprintable() and cell_len(char) > 0 else ascii(char)[1:-1]
