"""Post-processing: tokens around the text, and offsets as the reference engine reports them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import NamedTuple

from verified_tok.reference.aligned import Span
from verified_tok.reference.byte_level import CHAR_OF_BYTE
from verified_tok.reference.charset import CharSet
from verified_tok.reference.classes import char_class
from verified_tok.reference.pipeline import Placed, char_spans
from verified_tok.spec import Dialect, PostProcessor, Template, TrimOffsets

_SPACES = char_class("literal space", Dialect.ONIGURUMA) | CharSet.of(CHAR_OF_BYTE[ord(" ")])
"""White space, and the byte-level character that stands for a space."""


class Row(NamedTuple):
    """A token of an encoded text."""

    id: int
    text: str
    """The token as its vocabulary writes it; an added token's is the text that it took."""
    byte_span: Span
    char_span: Span
    offsets: Span
    """The engine's offsets: the span of characters, perhaps trimmed."""


def rows_of(text: str, placed: Sequence[Placed], vocabulary: Callable[[int], str]) -> list[Row]:
    """The tokens of a text before any stage; `vocabulary` gives a token as its vocabulary writes it."""
    chars = char_spans(text, [token.span for token in placed])
    return [
        Row(
            id=token.id,
            text=vocabulary(token.id) if token.taken is None else token.taken,
            byte_span=token.span,
            char_span=(start, stop),
            # A token that came from nothing, such as a prefixed space, has the place of the next character.
            offsets=(start, stop) if start < stop else (start, min(start + 1, len(text))),
        )
        for token, (start, stop) in zip(placed, chars, strict=True)
    ]


def post_process(stages: Sequence[PostProcessor], rows: Sequence[Row], add_special_tokens: bool) -> list[Row]:
    """Run the post-processor's stages. The tokens that a template adds have empty spans at 0."""
    rows = list(rows)
    for stage in stages:
        match stage:
            case Template(before, after) if add_special_tokens:
                rows = [*map(_special, before), *rows, *map(_special, after)]
            case TrimOffsets():
                rows = [_trim(row, stage, first=place == 0) for place, row in enumerate(rows)]
    return rows


def _special(id: int) -> Row:
    return Row(id, "", (0, 0), (0, 0), (0, 0))


def _trim(row: Row, stage: TrimOffsets, first: bool) -> Row:
    """Take the white space at a token's ends off its offsets, as many characters as its text has there.

    One space at the start of the text stays: it may be the one that `add_prefix_space` put there.
    """
    start, stop = row.offsets
    leading, trailing = spaces_at_ends(row.text)
    if leading == 1 and stage.add_prefix_space and (first or start == 0):
        leading = 0
    start = min(start + leading, stop)
    if stop >= trailing:
        stop = max(stop - trailing, start)
    return row._replace(offsets=(start, stop))


def spaces_at_ends(token: str) -> tuple[int, int]:
    """How many characters of white space a token begins and ends with.

    >>> spaces_at_ends("Ġ the ")
    (2, 1)
    """
    leading = sum(1 for _ in takewhile(_SPACES.__contains__, token))
    return leading, sum(1 for _ in takewhile(_SPACES.__contains__, reversed(token)))
