"""Encoding by the reference pipeline, where the native core is not built or lacks a stage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verified_tok._core import native
from verified_tok.encoders import Offsets, Placed
from verified_tok.reference import pipeline as reference
from verified_tok.reference.aligned import Aligned, Span, hull
from verified_tok.reference.pipeline import Pipeline
from verified_tok.reference.pre_tokenizer import pre_tokenize
from verified_tok.session_state import Ids
from verified_tok.text import check_text
from verified_tok.text_arrays import Texts, text_list


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
