"""The pipeline: text to tokens, stage after stage.

    text → literals of added tokens | segments between them → normalized → literals that match normalized
    text | the rest → pieces → tokens of each piece

Origins are spans of bytes of the text, in UTF-8, from here on down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import NamedTuple

from verified_tok.reference.added_tokens import Literals, extract, literal_of
from verified_tok.reference.aligned import Aligned, Span, hull
from verified_tok.reference.charset import CharSet
from verified_tok.reference.classes import char_class
from verified_tok.reference.model import Token
from verified_tok.reference.normalizer import normalize
from verified_tok.reference.pre_tokenizer import byte_origins, pre_tokenize
from verified_tok.spec import (
    AddedToken,
    ByteLevel,
    Dialect,
    Metaspace,
    Normalizer,
    Prepend,
    PreTokenizer,
    TokenizerSpec,
)
from verified_tok.vocabulary import entries_of

_SPACES = char_class("literal space", Dialect.ONIGURUMA) | CharSet.of("▁")
"""White space, and the mark that stands for a space in SentencePiece vocabularies."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A tokenizer's stages, with the added tokens that are switched on."""

    raw: Literals
    normalized: Literals
    normalizers: tuple[Normalizer, ...]
    pre_tokenizers: tuple[PreTokenizer, ...]
    encode_piece: Callable[[str], Sequence[Token]]


class Segment(NamedTuple):
    """A part of the normalized text: an added token's, or (None) ordinary text."""

    text: Aligned
    token: AddedToken | None


class Placed(NamedTuple):
    """A token and the span of bytes that it came from; for an added token, also the text that it took, with
    the white space beside its literal."""

    id: int
    span: Span
    taken: str | None = None


def pipeline(
    spec: TokenizerSpec, enabled: Set[int], encode_piece: Callable[[str], Sequence[Token]]
) -> Pipeline:
    """The pipeline of a tokenizer in which only the added tokens with these ids are recognized; the others
    might as well not be in the file.

    Raises `InvalidTokenizerFile` if two added tokens match the same text.
    """
    tokens = [token for token in spec.added_tokens if token.id in enabled]
    return Pipeline(
        raw=Literals.of((literal_of(spec.normalizers, t), t) for t in tokens if not t.normalized),
        normalized=Literals.of((literal_of(spec.normalizers, t), t) for t in tokens if t.normalized),
        normalizers=spec.normalizers,
        pre_tokenizers=spec.pre_tokenizers,
        encode_piece=encode_piece,
    )


def markup(spec: TokenizerSpec, enabled: Set[int]) -> frozenset[int]:
    """The switched-off added tokens that the model has too, and must not give for plain text.

    Literals of nothing but white space are left to the model: they are no markup, and a vocabulary such as
    Gemma's has no other token for a line feed.
    """
    switched_off = {token.id for token in spec.added_tokens} - enabled
    shared = entries_of(spec.model).with_ids(switched_off)
    return frozenset(
        token.id
        for token in spec.added_tokens
        if token.id in shared and not all(char in _SPACES for char in token.content)
    )


def segments(p: Pipeline, text: str, inside: bool = False) -> Iterator[Segment]:
    """The normalized text, cut at the added tokens.

    First the literals that match raw text are cut out; then each segment between them is normalized by
    itself, and the literals that match normalized text are cut out of it. `inside` says that the text goes
    on from other text: what it begins with is not the beginning of a segment, so nothing is put before it.
    """
    whole = _with_byte_origins(text)
    for start, stop, token in extract(p.raw, text):
        segment = whole.slice(start, stop)
        if token is not None:
            yield Segment(segment, token)
            continue
        goes_on = inside and start == 0
        segment = normalize(_without_prepend(p.normalizers) if goes_on else p.normalizers, segment)
        for part in extract(p.normalized, segment.text):
            yield Segment(segment.slice(part.start, part.stop), part.token)


def encode(p: Pipeline, text: str) -> list[int]:
    """The ids of a text."""
    ids: list[int] = []
    for segment, token in segments(p, text):
        if token is not None:
            ids.append(token.id)
        else:
            for piece in pre_tokenize(p.pre_tokenizers, segment):
                ids += [token.id for token in p.encode_piece(piece.text)]
    return ids


def encode_with_spans(p: Pipeline, text: str, inside: bool = False) -> list[Placed]:
    """The tokens of a text, each with its place; the ids are those of `encode`. `inside`: see `segments`.

    A token's span is the smallest that holds everything its bytes came from, so it holds the white space
    that an `lstrip` or `rstrip` token took.
    """
    placed: list[Placed] = []
    stages = _without_first(p.pre_tokenizers) if inside else p.pre_tokenizers
    for number, (segment, token) in enumerate(segments(p, text, inside)):
        if token is not None:
            placed.append(Placed(token.id, hull(segment.origins), segment.text))
            continue
        goes_on = inside and number == 0
        for piece in pre_tokenize(_going_on(stages) if goes_on else stages, segment):
            origins = tuple(byte_origins(piece))
            placed += [Placed(id, hull(origins[a:b])) for id, a, b in p.encode_piece(piece.text)]
    return placed


def normalized(p: Pipeline, text: str) -> str:
    """The text as the tokens spell it: segments normalized, added tokens as their literals, without the white
    space that they took."""
    return "".join(
        segment.text if token is None else literal_of(p.normalizers, token)
        for segment, token in segments(p, text)
    )


def char_spans(text: str, spans: Iterable[Span]) -> list[Span]:
    """The smallest spans of whole characters that hold spans of bytes."""
    char_at = [index for index, char in enumerate(text) for _ in char.encode()] + [len(text)]
    return [(char_at[start], char_at[max(start, stop - 1)] + (start < stop)) for start, stop in spans]


def _without_prepend(stages: tuple[Normalizer, ...]) -> tuple[Normalizer, ...]:
    return tuple(stage for stage in stages if not isinstance(stage, Prepend))


def _without_first(stages: tuple[PreTokenizer, ...]) -> tuple[PreTokenizer, ...]:
    """The stages for text that goes on from other text: none of its pieces is the first of the whole."""
    return tuple(
        replace(stage, prepend_scheme="never")
        if isinstance(stage, Metaspace) and stage.prepend_scheme == "first"
        else stage
        for stage in stages
    )


def _going_on(stages: tuple[PreTokenizer, ...]) -> tuple[PreTokenizer, ...]:
    """The stages for what goes on from other text: the first one puts nothing in front of it. (Behind another
    stage, what goes on is a piece that begins there, as it would in the whole text.)"""
    match stages:
        case (ByteLevel() as first, *others):
            return (replace(first, add_prefix_space=False), *others)
        case (Metaspace() as first, *others):
            return (replace(first, prepend_scheme="never"), *others)
        case _:
            return stages


def _with_byte_origins(text: str) -> Aligned:
    ends = list(accumulate((len(char.encode()) for char in text), initial=0))
    return Aligned(text, tuple(pairwise(ends)))
