"""Well-known patterns that have a hand-tuned matcher (`matcher_blocks.h`).

A matcher is selected because a tokenizer's parsed patterns are equal to known ones, whatever its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

import numpy as np

from verified_tok.errors import PatternError
from verified_tok.native import Sections
from verified_tok.native.char_classes import CharClasses
from verified_tok.reference.charset import ALL, CharSet
from verified_tok.reference.classes import char_class, same_letter
from verified_tok.reference.pattern import Chr, Eps, Pat, Seq
from verified_tok.reference.pre_tokenizer import GPT2, Stage
from verified_tok.reference.regex import pat_of
from verified_tok.spec import Dialect, Regex, SplitBehavior


class Kind(IntEnum):
    """What a character beyond ASCII is to a hand-tuned matcher (`CharKind` in `block.h`)."""

    UNKNOWN = 0  # the matcher stops there, and the automaton goes on
    LETTER = 1
    UPPER = 2
    BOTH = 3  # upper and lower case at once
    NUMBER = 4
    OTHER = 5
    RUN = 6  # cut out of the text by a stage of its own


class Matcher(IntEnum):
    """`KnownPattern` in `matcher_blocks.h`."""

    GPT2 = 1
    LLAMA3 = 2
    O200K = 3
    DEEPSEEK_V3 = 4
    CL100K = 5  # as tiktoken has it: like Llama 3, except for white space at the end
    TEKKEN = 6
    KIMI = 7
    MARK = 8


Named = Callable[[str], CharSet]
"""A class of characters by its name."""


@dataclass(frozen=True, slots=True)
class Known:
    """A pattern, or several in a row, and the matcher for it."""

    matcher: Matcher
    digits: int
    """How many digits a piece can have, if that matters."""
    kinds: Callable[[Named], dict[Kind, CharSet]]
    """The characters of each kind but `OTHER`, which the rest is."""
    spellings: tuple[tuple[str, ...], ...]
    """The regular expressions of the stages; all spellings match alike."""


def _words(letters: str) -> Callable[[Named], dict[Kind, CharSet]]:
    def kinds(named: Named) -> dict[Kind, CharSet]:
        unknown = named("space") | named("N") | named("contraction")
        return {Kind.UNKNOWN: unknown, Kind.LETTER: _union(named, letters) - unknown}

    return kinds


def _gpt2(named: Named) -> dict[Kind, CharSet]:
    return {Kind.UNKNOWN: named("space"), Kind.LETTER: named("L"), Kind.NUMBER: named("N")}


def _cased(named: Named) -> dict[Kind, CharSet]:
    unknown = named("space") | named("N") | named("contraction") | named("M")
    return {
        Kind.UNKNOWN: unknown,
        Kind.LETTER: named("Ll") - unknown,
        Kind.UPPER: _union(named, "Lu Lt") - unknown,
        Kind.BOTH: _union(named, "Lm Lo") - unknown,
    }


def _han_apart(named: Named) -> dict[Kind, CharSet]:
    kinds = _cased(named)
    kinds[Kind.RUN] = named("Han") & kinds[Kind.BOTH]
    kinds[Kind.BOTH] -= kinds[Kind.RUN]
    kinds[Kind.UNKNOWN] |= named("Han") - kinds[Kind.RUN]
    return kinds


_HAN = CharSet([(0x4E00, 0x9F7F)])
_HANGUL = CharSet([(0xAC00, 0xD77F)])
"""These are known by their first bytes, so each must be of one kind."""

_KANA_AND_HAN = CharSet([(0x4E00, 0x9FA5), (0x3040, 0x30FF)])


def _deepseek(named: Named) -> dict[Kind, CharSet]:
    letters = _union(named, "L M")
    signs = _union(named, "P S") - _KANA_AND_HAN
    run = _KANA_AND_HAN & letters
    unknown = ALL - run - signs - (letters - _KANA_AND_HAN)
    return {Kind.UNKNOWN: unknown, Kind.RUN: run, Kind.LETTER: letters - _KANA_AND_HAN}


def _union(named: Named, names: str) -> CharSet:
    chars = CharSet()
    for name in names.split():
        chars |= named(name)
    return chars


_CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACE = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"


def _llama3(letters: str, digits: str) -> str:
    others = r"[^\s\p{L}\p{N}]" if letters == r"\p{L}" else r"[^\s\p{L}\p{M}\p{N}]"
    return rf"{_CONTRACTION}|[^\r\n\p{{L}}\p{{N}}]?{letters}+|{digits}| ?{others}+[\r\n]*|{_SPACE}"


_O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}?"
    rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACE}"
)
_TEKKEN = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*|\p{{N}}"
    rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACE}"
)
_KIMI_UPPER, _KIMI_LOWER = (letters[:-1] + r"&&[^\p{Han}]]" for letters in (_UPPER, _LOWER))
_KIMI = (
    rf"[\p{{Han}}]+|[^\r\n\p{{L}}\p{{N}}]?{_KIMI_UPPER}*{_KIMI_LOWER}+{_CONTRACTION}?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{_KIMI_UPPER}+{_KIMI_LOWER}*{_CONTRACTION}?"
    rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACE}"
)
_DEEPSEEK_V3 = (
    r"\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
)

KNOWN = (
    Known(
        Matcher.GPT2,
        0,
        _gpt2,
        (
            (GPT2,),
            (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",),
            (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",),
        ),
    ),
    Known(Matcher.LLAMA3, 3, _words("L"), ((_llama3(r"\p{L}", r"\p{N}{1,3}"),),)),
    Known(
        Matcher.CL100K,
        3,
        _words("L"),
        (
            (
                r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
                r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
            ),
        ),
    ),
    Known(Matcher.LLAMA3, 1, _words("L"), ((_llama3(r"\p{L}", r"\p{N}"),),)),
    Known(Matcher.LLAMA3, 1, _words("L M"), ((_llama3(r"[\p{L}\p{M}]", r"\p{N}"),),)),
    Known(Matcher.O200K, 3, _cased, ((_O200K,),)),
    Known(Matcher.TEKKEN, 1, _cased, ((_TEKKEN,),)),
    Known(Matcher.KIMI, 3, _han_apart, ((_KIMI,),)),
    Known(Matcher.DEEPSEEK_V3, 3, _deepseek, (_DEEPSEEK_V3,)),
)
"""Every pattern that has a hand-tuned matcher."""


def known(stages: Sequence[Stage]) -> tuple[Known, Dialect] | None:
    """The known pattern that stages have, if their matches and gaps are just the pieces."""
    if any(stage.behaviour is not SplitBehavior.ISOLATED for stage in stages):
        return None
    pats = [stage.pat for stage in stages]
    for dialect in Dialect:
        for candidate in KNOWN:
            if any(_spells(regexes, pats, dialect) for regexes in candidate.spellings):
                return candidate, dialect
    return None


def _spells(regexes: Sequence[str], pats: Sequence[Pat], dialect: Dialect) -> bool:
    try:
        return len(regexes) == len(pats) and all(
            pat == pat_of(Regex(regex), dialect) for regex, pat in zip(regexes, pats, strict=True)
        )
    except PatternError:  # an engine's own syntax
        return False


def known_sections(stages: Sequence[Stage], classes: CharClasses) -> Sections:
    """The sections that select a hand-tuned matcher; none if there is no such matcher."""
    mark = _mark(stages)
    if mark is not None:
        return {"split_known": np.array([Matcher.MARK, mark, 0, 0], dtype=np.uint32)}
    found = known(stages)
    if found is None:
        return {}
    pattern, dialect = found
    kinds = pattern.kinds(lambda name: _named(name, dialect))
    of_class = np.full(classes.end, Kind.OTHER, dtype=np.uint8)
    for kind, chars in kinds.items():
        of_class[np.flatnonzero(classes.members(classes.symbols(chars)))] = kind
    han, hangul = (next(kind for kind, chars in kinds.items() if block <= chars) for block in (_HAN, _HANGUL))
    return {
        "split_known": np.array([pattern.matcher, pattern.digits, han, hangul], dtype=np.uint32),
        "split_kinds": of_class,
    }


def _mark(stages: Sequence[Stage]) -> int | None:
    """The UTF-8 of the character before each of which pieces are cut, its first byte the lowest, if that is
    all that stages do."""
    match stages:
        case [Stage(Seq(Chr(chars), Eps()), SplitBehavior.MERGED_WITH_NEXT, False)]:
            codes = [code for first, last in chars.ranges for code in (first, last)]
            if len(codes) == 2 and codes[0] == codes[1] != 0:
                return int.from_bytes(chr(codes[0]).encode(), "little")
    return None


@cache
def _named(name: str, dialect: Dialect) -> CharSet:
    if name != "contraction":
        return char_class(name, dialect)
    chars = CharSet()
    for letter in "stmdrevl":
        chars |= same_letter(letter, dialect)
    return chars - CharSet([(0, 0x7F)])
