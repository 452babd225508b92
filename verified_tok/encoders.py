"""Encoding with one choice of added tokens: natively, or by the reference pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from verified_tok._core import native
from verified_tok.errors import InvalidText
from verified_tok.native.seams import seam_sections
from verified_tok.options import processors
from verified_tok.reference import pipeline as reference
from verified_tok.reference.aligned import Aligned, Span, hull
from verified_tok.reference.byte_level import CHAR_OF_BYTE
from verified_tok.reference.pipeline import Pipeline
from verified_tok.reference.pre_tokenizer import pre_tokenize
from verified_tok.reference.seam_table import SeamTable
from verified_tok.session_state import Ids, Spans
from verified_tok.text import check_text, explained
from verified_tok.text_arrays import Texts, text_array, text_list

Offsets = npt.NDArray[np.int64]

_WORTH_THREADS = 1 << 19
"""Characters from which on a second thread saves more than it costs."""


class Placed(NamedTuple):
    """The tokens of a text and where they came from."""

    ids: Ids
    byte_spans: Spans
    char_spans: Spans
    taken: Sequence[tuple[int, str]]
    """The added tokens: which of the ids, and the text that each took, with the white space beside it."""


class TextEncoder(Protocol):
    """Encodes texts with one tokenizer and one choice of its added tokens.

    All methods raise `InvalidText` for what is no string of Unicode scalar values.
    """

    @property
    def path(self) -> str:
        """Who does it, and why, if that is not the native core."""
        ...

    def encode(self, text: str, threads: int | None = 1) -> Ids:
        """The ids of a text, by at most so many threads; None: as many as there are processors."""
        ...

    def count(self, text: str) -> int:
        """How many ids a text has."""
        ...

    def normalize(self, text: str) -> str:
        """What the tokens of a text spell; see `Tokenizer.normalize`."""
        ...

    def encode_batch(
        self,
        texts: Texts | native.TextArray,
        before: Sequence[int],
        after: Sequence[int],
        threads: int | None = None,
    ) -> tuple[Ids, Offsets]:
        """The ids of several texts in one array, each with `before` and `after` around it, and the bounds
        of each text's ids. By at most so many threads; None: as many as there are processors."""
        ...

    def encode_placed(self, text: str, inside: bool = False) -> Placed:
        """The ids of a text and their places; `inside`: the text goes on from other text, at a seam."""
        ...

    def pre_tokenize(self, text: str) -> list[tuple[str, Span]]:
        """The pieces of a text; see `Tokenizer.pre_tokenize`."""
        ...


class ReferenceEncoder:
    """Encodes with the reference pipeline."""

    def __init__(self, pipeline: Pipeline, why: str = "chosen") -> None:
        self._pipeline = pipeline
        self.path = f"reference ({why})"

    def encode(self, text: str, threads: int | None = 1) -> Ids:
        """See `TextEncoder`. One thread does it."""
        return np.array(reference.encode(self._pipeline, check_text(text)), dtype=np.uint32)

    def count(self, text: str) -> int:
        """See `TextEncoder`."""
        return len(reference.encode(self._pipeline, check_text(text)))

    def normalize(self, text: str) -> str:
        """See `TextEncoder`."""
        return reference.normalized(self._pipeline, check_text(text))

    def encode_batch(
        self,
        texts: Texts | native.TextArray,
        before: Sequence[int],
        after: Sequence[int],
        threads: int | None = None,
    ) -> tuple[Ids, Offsets]:
        """See `TextEncoder`. One thread does it."""
        encoded = [[*before, *reference.encode(self._pipeline, text), *after] for text in text_list(texts)]
        ids = [id for part in encoded for id in part]
        return np.array(ids, dtype=np.uint32), np.cumsum([0, *map(len, encoded)], dtype=np.int64)

    def encode_placed(self, text: str, inside: bool = False) -> Placed:
        """See `TextEncoder`."""
        placed = reference.encode_with_spans(self._pipeline, check_text(text), inside)
        spans = [token.span for token in placed]
        return Placed(
            np.array([token.id for token in placed], dtype=np.uint32),
            np.array(spans, dtype=np.int64).reshape(-1, 2),
            np.array(reference.char_spans(text, spans), dtype=np.int64).reshape(-1, 2),
            [(place, token.taken) for place, token in enumerate(placed) if token.taken is not None],
        )

    def pre_tokenize(self, text: str) -> list[tuple[str, Span]]:
        """See `TextEncoder`."""
        pieces = pre_tokenize(self._pipeline.pre_tokenizers, Aligned.of(check_text(text)))
        return [(piece.text, hull(piece.origins)) for piece in pieces]


class NativeEncoder:
    """Encodes with the native core."""

    def __init__(self, engine: native.Engine, table: Callable[[], SeamTable], spells: bool) -> None:
        """`spells`: the pre-tokenizer writes bytes as characters."""
        self.path = "native"
        self.engine = engine
        self._table = table
        self._alphabet = "".join(CHAR_OF_BYTE) if spells else ""

    @cached_property
    def seams(self) -> native.Image:
        """Between which characters texts are cut. Looked for when it is asked for."""
        return native.Image.of(seam_sections(self._table()))

    def encode(self, text: str, threads: int | None = 1) -> Ids:
        """See `TextEncoder`."""
        many = 1 if threads == 1 else threads or processors()
        if many == 1 or not isinstance(text, str) or len(text) < _WORTH_THREADS:
            return explained(text, lambda: self.engine.encode(text))
        return explained(text, lambda: native.encode_parallel(self.engine, self.seams, text, many))

    def count(self, text: str) -> int:
        """See `TextEncoder`."""
        return explained(text, lambda: self.engine.count(text))

    def normalize(self, text: str) -> str:
        """See `TextEncoder`."""
        return explained(text, lambda: self.engine.normalize(text))

    def encode_batch(
        self,
        texts: Texts | native.TextArray,
        before: Sequence[int],
        after: Sequence[int],
        threads: int | None = None,
    ) -> tuple[Ids, Offsets]:
        """See `TextEncoder`."""
        many = threads or processors()
        array = text_array(texts)
        if array is not None:
            try:
                return self.engine.encode_array(array, before, after, many)
            except ValueError as error:  # it is not UTF-8
                raise InvalidText(str(error)) from None
        given = list(texts)  # type: ignore[arg-type]  # even of a list: another thread may change that one
        try:
            return self.engine.encode_list(given, before, after, many)
        except (TypeError, UnicodeEncodeError):
            text_list(given)  # says which it is
            raise

    def encode_placed(self, text: str, inside: bool = False) -> Placed:
        """See `TextEncoder`."""
        return Placed(*explained(text, lambda: self.engine.encode_placed(text, inside)))

    def pre_tokenize(self, text: str) -> list[tuple[str, Span]]:
        """See `TextEncoder`."""
        return explained(text, lambda: native.pre_tokenize(self.engine, text, self._alphabet))
