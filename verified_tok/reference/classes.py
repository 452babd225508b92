"""The character classes of the engines, from the probed tables."""

from __future__ import annotations

from functools import cache

from verified_tok.reference.charset import CharSet, Range
from verified_tok.spec import Dialect
from verified_tok.tables import read


@cache
def char_class(name: str, dialect: Dialect) -> CharSet:
    r"""The class that a dialect calls `name`; KeyError if it was not probed.

    In both dialects: general categories ("L", "Nd", …) and scripts ("Han", …) as `\p{…}` names them, "space",
    "digit" and "word" for `\s`, `\d` and `\w`, "word in brackets" for `\w` in `[…]`.
    `Dialect.ONIGURUMA` also holds what Hugging Face tokenizers decides without a regex of the file:
    "numeric" (`Digits`), "punctuation" (`Punctuation`), "strip" (what `Strip` removes), "literal space"
    (`lstrip` and `rstrip` of added tokens) and "literal word" (`single_word`).
    """
    return CharSet(_ranges(read(file_name(dialect)).sections[name]))


@cache
def same_letter(letter: str, dialect: Dialect) -> CharSet:
    """The characters that a lower-case ASCII letter matches when case is ignored."""
    return char_class(f"(?i:{letter})", dialect)


@cache
def folds_to_one(letters: str, dialect: Dialect) -> bool:
    """Whether two lower-case ASCII letters, case ignored, match some single character (ß for "ss")."""
    return f"(?i:{letters})" in read(file_name(dialect)).sections


def file_name(dialect: Dialect) -> str:
    """The table that holds a dialect's classes."""
    return f"classes.{dialect.value}.txt"


def _ranges(lines: list[str]) -> list[Range]:
    ranges = []
    for line in lines:
        for item in line.split():
            first, _, last = item.partition("-")
            ranges.append((int(first, 16), int(last or first, 16)))
    return ranges
