"""Ids with their places, and the offsets that the reference engine reports.

What `reference.post_processor` does token by token is done here for all tokens of a text at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verified_tok.encoders import Placed
from verified_tok.session_state import Ids, Spans
from verified_tok.spec import PostProcessor, Template, TrimOffsets, around

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """The tokens of a text and their places.

    `ids` is uint32 of shape (n,); the spans are int64 of shape (n, 2), first included, last not:
    `byte_spans` count bytes of the text in UTF-8, `char_spans` characters. `char_spans` are the smallest
    spans of whole characters that hold `byte_spans`. A token of a space that encoding put there has an
    empty span.

    `offsets` are those of the reference engine: `char_spans`, with white space trimmed off if the tokenizer's
    post-processor says so. They differ from the engine's where a normalizer joins or moves characters (it
    gives the result the place of one of them) or the model drops unknown ones (it counts on without them).
    """

    ids: Ids
    byte_spans: Spans
    char_spans: Spans
    offsets: Spans


class Batch(NamedTuple):
    """The ids of several texts, one behind the other: text i has `ids[offsets[i]:offsets[i + 1]]`.

    `ids` is uint32 of shape (n,), `offsets` int64 of shape (number of texts + 1,).
    """

    ids: Ids
    offsets: npt.NDArray[np.int64]


@lru_cache(maxsize=1 << 10)
def _taken_spaces(text: str) -> tuple[int, int]:
    return _spaces_at_ends()(text)


def _spaces_at_ends() -> Callable[[str], tuple[int, int]]:
    from verified_tok.reference.post_processor import spaces_at_ends

    return spaces_at_ends


class TokenSpaces(NamedTuple):
    """How much white space each token begins and ends with, by its id."""

    leading: Counts
    trailing: Counts

    @classmethod
    def of(cls, texts: Mapping[int, bytes]) -> TokenSpaces:
        """Of the tokens' texts, as their vocabulary writes them."""
        spaces_at_ends = _spaces_at_ends()
        size = max(texts, default=-1) + 1
        spaces = cls(np.zeros(size, np.int64), np.zeros(size, np.int64))
        for id, text in texts.items():
            spaces.leading[id], spaces.trailing[id] = spaces_at_ends(text.decode(errors="replace"))
        return spaces

    def of_tokens(self, placed: Placed) -> TokenSpaces:
        """Of the tokens of a text: an added token has the white space that it took."""
        leading, trailing = self.leading[placed.ids], self.trailing[placed.ids]
        if placed.taken:
            places = [place for place, _ in placed.taken]
            of_taken = np.array([_taken_spaces(text) for _, text in placed.taken])
            leading[places], trailing[places] = of_taken.T
        return TokenSpaces(leading, trailing)


def post_processed(
    stages: Sequence[PostProcessor],
    placed: Placed,
    size: int,
    spaces: Callable[[], TokenSpaces],
    add_special_tokens: bool,
) -> Encoding:
    """The encoding of a text of `size` characters, from its tokens. The tokens that a template adds have
    empty spans at 0."""
    before, after = around(stages) if add_special_tokens else ((), ())
    widths = (len(before), len(after))

    def put_around(rows: Spans) -> Spans:
        return np.pad(rows, (widths, (0, 0))) if any(widths) else rows

    offsets = _untrimmed(placed.char_spans, size)
    framed = False
    for stage in stages:
        match stage:
            case Template():
                offsets, framed = put_around(offsets), True
            case TrimOffsets():
                of_tokens = spaces().of_tokens(placed)
                if framed and any(widths):
                    of_tokens = TokenSpaces(*(np.pad(counts, widths) for counts in of_tokens))
                _trim(stage, offsets, of_tokens)
    return Encoding(
        ids=np.concatenate([np.array(before, np.uint32), placed.ids, np.array(after, np.uint32)])
        if any(widths)
        else placed.ids,
        byte_spans=put_around(placed.byte_spans),
        char_spans=put_around(placed.char_spans),
        offsets=offsets,
    )


def _untrimmed(chars: Spans, size: int) -> Spans:
    """The engine's offsets before any stage. A token that came from nothing, such as a prefixed space, has
    the place of the next character."""
    offsets = chars.copy()
    start, stop = offsets.T
    empty = start == stop
    if empty.any():
        stop[empty] = np.minimum(start[empty] + 1, size)
    return offsets


def _trim(stage: TrimOffsets, offsets: Spans, spaces: TokenSpaces) -> None:
    """Takes the white space at the tokens' ends off the offsets, as many characters as each text has there.

    One space at the start of the text stays: it may be the one that `add_prefix_space` put there.
    """
    start, stop = offsets.T
    leading, trailing = spaces
    if stage.add_prefix_space:
        at_start = start == 0
        at_start[:1] = True
        leading[at_start & (leading == 1)] = 0
    np.minimum(start + leading, stop, out=start)
    some = np.flatnonzero(trailing)  # of few tokens
    behind, ends = trailing[some], stop[some]
    stop[some] = np.where(ends >= behind, np.maximum(ends - behind, start[some]), ends)
