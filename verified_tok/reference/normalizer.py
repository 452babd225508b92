"""The normalizer: what happens to a segment of text before it is cut into pieces."""

from __future__ import annotations

from collections.abc import Iterable

from verified_tok.reference.aligned import Aligned, Span, hull
from verified_tok.reference.classes import char_class
from verified_tok.reference.pattern import Pat, split
from verified_tok.reference.regex import pat_of
from verified_tok.reference.unicode_form import unicode_form
from verified_tok.spec import Dialect, Normalizer, Prepend, ReplaceAll, StripSpace, UnicodeForm


def normalize(stages: Iterable[Normalizer], segment: Aligned) -> Aligned:
    """A segment after all stages, one after the other."""
    for stage in stages:
        match stage:
            case UnicodeForm(form):
                segment = unicode_form(form, segment)
            case ReplaceAll(pattern, content):
                segment = replace_all(pat_of(pattern), content, segment)
            case Prepend(text):
                segment = prepend(text, segment)
            case StripSpace(left, right):
                segment = strip_space(left, right, segment)
    return segment


def normalize_text(stages: Iterable[Normalizer], text: str) -> str:
    """The text of a segment after all stages."""
    return normalize(stages, Aligned.of(text)).text


def replace_all(pat: Pat, content: str, segment: Aligned) -> Aligned:
    """Every match becomes `content`, each of whose characters came from the whole match.

    A segment without characters stays as it is, even where the pattern matches nothing.
    """
    if not segment.text:
        return segment
    texts: list[str] = []
    origins: list[Span] = []
    for piece in split(pat, segment.text):
        if piece.matched:
            texts.append(content)
            origins += [_source(segment, piece.start, piece.stop)] * len(content)
        else:
            texts.append(segment.text[piece.start : piece.stop])
            origins += segment.origins[piece.start : piece.stop]
    return Aligned("".join(texts), tuple(origins))


def prepend(text: str, segment: Aligned) -> Aligned:
    """`text` in front of a segment that has characters."""
    if not segment.text:
        return segment
    origin = _source(segment, 0, 0)
    return Aligned(text + segment.text, (origin,) * len(text) + segment.origins)


def strip_space(left: bool, right: bool, segment: Aligned) -> Aligned:
    """A segment without the white space at its ends."""
    space = char_class("strip", Dialect.ONIGURUMA)
    start, stop = 0, len(segment)
    while left and start < stop and segment.text[start] in space:
        start += 1
    while right and start < stop and segment.text[stop - 1] in space:
        stop -= 1
    return segment.slice(start, stop)


def _source(segment: Aligned, start: int, stop: int) -> Span:
    """Where the characters from `start` up to `stop` came from; between two of them if there are none."""
    if start < stop:
        return hull(segment.origins[start:stop])
    place = segment.origins[start][0] if start < len(segment) else segment.origins[-1][1]
    return place, place
