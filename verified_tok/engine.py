"""The reference pipeline as an engine for sessions."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from verified_tok.reference.model import Encoder
from verified_tok.reference.pipeline import Pipeline, char_spans, encode_with_spans
from verified_tok.reference.seam_table import seam_table
from verified_tok.session import Identity, Tokens
from verified_tok.spec import TokenizerSpec

_PAIRS_KEPT = 1 << 16


class ReferenceEngine:
    """Encodes parts of texts with the reference pipeline, cut at the seams of its table."""

    def __init__(self, spec: TokenizerSpec, pipeline: Pipeline, encoder: Encoder) -> None:
        tokens = (*pipeline.raw.tokens.values(), *pipeline.normalized.tokens.values())
        self.identity = Identity(spec.sha256, frozenset(token.id for token in tokens))
        self._pipeline = pipeline
        self.table = seam_table(spec, pipeline, encoder)
        self.is_seam = lru_cache(maxsize=_PAIRS_KEPT)(self.table.is_seam)

    def encode_part(self, text: str, inside: bool) -> Tokens:
        """The tokens of a text; `inside` says that it goes on from other text, at a seam."""
        placed = encode_with_spans(self._pipeline, text, inside)
        spans = [token.span for token in placed]
        return Tokens(
            np.array([token.id for token in placed], dtype=np.uint32),
            np.array(spans, dtype=np.int64).reshape(-1, 2),
            np.array(char_spans(text, spans), dtype=np.int64).reshape(-1, 2),
        )
