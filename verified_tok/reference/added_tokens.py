"""Added tokens: the literals that are cut out of a text before the model sees it.

At the leftmost place where any literal begins, the longest wins; for literals without flags,
`lean/VerifiedTok/Spec/AddedTokens.lean` says the same. This is one pass: the pipeline makes two, over raw and
over normalized text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from verified_tok.errors import InvalidTokenizerFile
from verified_tok.reference.classes import char_class
from verified_tok.reference.normalizer import normalize_text
from verified_tok.spec import AddedToken, Dialect, Normalizer


class Found(NamedTuple):
    """A literal at `text[start:stop]`."""

    start: int
    stop: int
    token: AddedToken


class Part(NamedTuple):
    """`text[start:stop]`: an added token, or (None) text between them."""

    start: int
    stop: int
    token: AddedToken | None


@dataclass(frozen=True)
class Literals:
    """Literals and the tokens that they stand for, ready to be searched for."""

    tokens: Mapping[str, AddedToken]
    lengths: dict[str, list[int]] = field(init=False, repr=False)
    """For each first character, the lengths of the literals that begin with it, longest first."""
    first: re.Pattern[str] | None = field(init=False, repr=False)
    """Finds a character that begins a literal."""

    def __post_init__(self) -> None:
        lengths: dict[str, set[int]] = {}
        for literal in self.tokens:
            lengths.setdefault(literal[0], set()).add(len(literal))
        descending = {char: sorted(found, reverse=True) for char, found in lengths.items()}
        first = re.compile(f"[{''.join(map(re.escape, lengths))}]") if lengths else None
        object.__setattr__(self, "lengths", descending)
        object.__setattr__(self, "first", first)

    @classmethod
    def of(cls, tokens: Iterable[tuple[str, AddedToken]]) -> Literals:
        """The literals of `tokens`, each given with the text that it matches.

        Raises `InvalidTokenizerFile` if two are the same or one is empty (once normalized).
        """
        literals: dict[str, AddedToken] = {}
        for literal, token in tokens:
            if not literal:
                raise InvalidTokenizerFile(f"added token {token.content!r}: normalizing leaves nothing of it")
            other = literals.setdefault(literal, token)
            if other != token:
                both = f"{other.content!r} and {token.content!r}"
                raise InvalidTokenizerFile(f"the added tokens {both} match the same text")
        return cls(literals)

    def longest(self, text: str, start: int) -> Found | None:
        """The longest literal that begins at `start`."""
        for length in self.lengths.get(text[start], ()):
            literal = text[start : start + length]  # shorter at the end of the text
            if literal in self.tokens:
                return Found(start, start + len(literal), self.tokens[literal])
        return None

    def leftmost(self, text: str, start: int) -> Found | None:
        """The longest literal at the leftmost place, from `start` on, where any literal begins."""
        places = self.first.finditer(text, start) if self.first else ()
        return next(filter(None, (self.longest(text, place.start()) for place in places)), None)


def extract(literals: Literals, text: str) -> list[Part]:
    """Cut a text at its added tokens.

    The parts cover the text, in order. They overlap in one case: white space that an `rstrip` token took
    begins the next literal. The search goes on behind the literal itself, so that literal is found too.
    """
    parts: list[Part] = []
    done = 0  # the end of the last added token
    at = 0
    while found := literals.leftmost(text, at):
        start, at, token = found
        stop = at
        if token.single_word and not _stands_alone(text, start, stop):
            continue  # its text is not searched again: a shorter literal inside it is missed
        if token.lstrip:
            start = max(_space_before(text, start), done)
        if token.rstrip:
            stop = _space_after(text, stop)
        if stop <= start:
            continue  # an `rstrip` token before it took all of an `lstrip` token's literal
        if done < start:
            parts.append(Part(done, start, None))
        parts.append(Part(start, stop, token))
        done = stop
    if done < len(text):
        parts.append(Part(done, len(text), None))
    return parts


def literal_of(normalizers: Sequence[Normalizer], token: AddedToken) -> str:
    """The text that an added token matches."""
    return normalize_text(normalizers, token.content) if token.normalized else token.content


def _stands_alone(text: str, start: int, stop: int) -> bool:
    word = char_class("literal word", Dialect.ONIGURUMA)
    return (start == 0 or text[start - 1] not in word) and (stop == len(text) or text[stop] not in word)


def _space_before(text: str, stop: int) -> int:
    """Where the white space that ends at `stop` begins."""
    space = char_class("literal space", Dialect.ONIGURUMA)
    while stop > 0 and text[stop - 1] in space:
        stop -= 1
    return stop


def _space_after(text: str, start: int) -> int:
    """Where the white space that begins at `start` ends."""
    space = char_class("literal space", Dialect.ONIGURUMA)
    while start < len(text) and text[start] in space:
        start += 1
    return start
