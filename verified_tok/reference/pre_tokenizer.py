"""Pre-tokenization: stages that cut a text into the pieces that the model encodes one by one.

Every stage works on each piece that the stage before it made. Pieces carry their origins along, as spans of
bytes or of characters of the original; this module only copies them, except where a stage turns a character
into bytes (`byte_origins`), for which they must be spans of bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from verified_tok.reference.aligned import Aligned, Span
from verified_tok.reference.byte_level import spell
from verified_tok.reference.classes import char_class
from verified_tok.reference.pattern import Chr, Pat, Piece, literal, split
from verified_tok.reference.regex import pat_of
from verified_tok.spec import (
    ByteLevel,
    Dialect,
    Digits,
    Metaspace,
    PreTokenizer,
    Punctuation,
    Regex,
    Split,
    SplitBehavior,
)

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""The pattern that a `ByteLevel` stage with `use_regex` cuts by."""


def pre_tokenize(stages: Sequence[PreTokenizer], text: Aligned) -> list[Aligned]:
    """The pieces of a text, none of them empty.

    >>> [piece.text for piece in pre_tokenize((ByteLevel(False, True),), Aligned.of("Hi there!"))]
    ['Hi', 'Ġthere', '!']
    """
    pieces = [text]
    for stage in stages:
        pieces = [part for piece in pieces if piece.text for part in _apply(stage, piece)]
    return [piece for piece in pieces if piece.text]


def _apply(stage: PreTokenizer, piece: Aligned) -> Iterable[Aligned]:
    match stage:
        case ByteLevel(add_prefix_space, _):
            if add_prefix_space and not piece.text.startswith(" "):
                piece = _prepend(" ", piece)
            return map(_byte_level, _cut_by(stage, piece))
        case Metaspace():
            return _cut_by(stage, _metaspace(stage, piece))
        case _:
            return _cut_by(stage, piece)


def _cut_by(stage: PreTokenizer, piece: Aligned) -> list[Aligned]:
    by = cutting(stage)
    return [piece] if by is None else cut(by.pat, by.behaviour, by.invert, piece)


# --- what stages cut by ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stage:
    """What one stage cuts by, its pattern parsed."""

    pat: Pat
    behaviour: SplitBehavior
    invert: bool


def cutting(stage: PreTokenizer) -> Stage | None:
    """What a stage cuts its pieces by, whatever else it does to them; None if it leaves them whole."""
    match stage:
        case Split(pattern, behavior, invert, dialect):
            return Stage(pat_of(pattern, dialect), behavior, invert)
        case ByteLevel(_, use_regex):
            return Stage(pat_of(Regex(GPT2)), SplitBehavior.ISOLATED, False) if use_regex else None
        case Digits(individual):
            behavior = SplitBehavior.ISOLATED if individual else SplitBehavior.CONTIGUOUS
            return Stage(Chr(char_class("numeric", Dialect.ONIGURUMA)), behavior, False)
        case Punctuation(behavior):
            return Stage(Chr(char_class("punctuation", Dialect.ONIGURUMA)), behavior, False)
        case Metaspace(replacement, _, split_at):
            return Stage(literal(replacement), SplitBehavior.MERGED_WITH_NEXT, False) if split_at else None


# --- cutting at matches ------------------------------------------------------------------------------


def cut(pattern: Pat, behavior: SplitBehavior, invert: bool, text: Aligned) -> list[Aligned]:
    """Cut a text at the matches of a pattern, or, with `invert`, at the gaps between them."""
    segments = split(pattern, text.text)
    if invert:
        segments = [Piece(part.start, part.stop, not part.matched) for part in segments]
    return [text.slice(start, stop) for start, stop in merge(behavior, segments) if start < stop]


def merge(behavior: SplitBehavior, segments: Iterable[Piece]) -> Iterator[Span]:
    """Join neighbouring segments (matches and gaps) into pieces."""
    if behavior is SplitBehavior.REMOVED:
        segments = [segment for segment in segments if not segment.matched]
    last: Piece | None = None
    start = 0
    for segment in segments:
        if last is None:
            start = segment.start
        elif not joins(behavior, last.matched, segment.matched):
            yield start, last.stop
            start = segment.start
        last = segment
    if last is not None:
        yield start, last.stop


def joins(behavior: SplitBehavior, left: bool, right: bool) -> bool:
    """Whether a segment joins the piece of the one after it; `left` and `right` say which are matches."""
    match behavior:
        case SplitBehavior.MERGED_WITH_PREVIOUS:
            return right and not left
        case SplitBehavior.MERGED_WITH_NEXT:
            return left and not right
        case SplitBehavior.CONTIGUOUS:
            return left == right
        case _:
            return False


# --- stages that change the text ---------------------------------------------------------------------


def byte_origins(text: Aligned) -> list[Span]:
    """The origin of every UTF-8 byte of a text.

    A byte came from the same byte of its character's source if that has as many bytes, else from all of it.
    """
    origins: list[Span] = []
    for char, (start, stop) in zip(text.text, text.origins, strict=True):
        size = len(char.encode())
        if stop - start == size:
            origins += [(byte, byte + 1) for byte in range(start, stop)]
        else:
            origins += [(start, stop)] * size
    return origins


def _byte_level(piece: Aligned) -> Aligned:
    return Aligned(spell(piece.text.encode()), tuple(byte_origins(piece)))


def _metaspace(stage: Metaspace, piece: Aligned) -> Aligned:
    mark = stage.replacement
    piece = Aligned(piece.text.replace(" ", mark), piece.origins)
    first = stage.prepend_scheme == "first" and piece.origins[0][0] == 0
    if (first or stage.prepend_scheme == "always") and not piece.text.startswith(mark):
        piece = _prepend(mark, piece)
    return piece


def _prepend(char: str, piece: Aligned) -> Aligned:
    """Put a character in front; it came from nothing."""
    start, _ = piece.origins[0]
    return Aligned(char + piece.text, ((start, start), *piece.origins))
