"""What every engine of regular expressions is asked, by whatever means it answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from verified_tok.reference.charset import ALL, CharSet

SCALARS = "".join(ALL)
"""Every scalar value once, in order."""


class RegexClass(Protocol):
    """An engine's answer to a regex for one character."""

    def __call__(self, regex: str, text: str = SCALARS) -> CharSet:
        """The characters of `text`, which holds each but once, that the regex matches."""
        ...


def named_classes(regex_class: RegexClass, names: Iterable[str]) -> dict[str, CharSet]:
    """The sections that both dialects have: `names` are those of general categories and scripts."""
    sections = {name: regex_class(rf"\p{{{name}}}") for name in names}
    sections |= {"space": regex_class(r"\s"), "digit": regex_class(r"\d"), "word": regex_class(r"\w")}
    sections["word in brackets"] = regex_class(r"[\w]")  # Oniguruma leaves six characters out there
    sections["caseless"] = caseless(regex_class, sections["P"] | sections["space"])
    return sections


def caseless(regex_class: RegexClass, candidates: CharSet) -> CharSet:
    """Those of some characters that match nothing but themselves when case is ignored."""
    text = "".join(candidates)
    regex = "(?i:" + "|".join(rf"\x{{{ord(c):x}}}" for c in text) + ")"
    if regex_class(regex) != candidates:
        raise AssertionError("some of the characters match others when case is ignored")
    return CharSet.of("".join(c for c in text if "".join(regex_class(rf"(?i:\x{{{ord(c):x}}})", text)) == c))
