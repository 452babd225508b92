"""Sessions of the reference pipeline."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from verified_tok.encoder_reference import ReferenceEncoder
from verified_tok.engine import KnownTokens
from verified_tok.reference.pipeline import char_spans
from verified_tok.reference.seam_table import SeamTable
from verified_tok.session import Identity, Session
from verified_tok.session_reference import ReferenceSession, Tokens

_PAIRS_KEPT = 1 << 16


class ReferenceEngine:
    """Encodes parts of texts with the reference pipeline, cut at the seams of a table."""

    def __init__(self, identity: Identity, encoder: ReferenceEncoder, table: SeamTable) -> None:
        self.identity = identity
        self.table = table
        self.is_seam = lru_cache(maxsize=_PAIRS_KEPT)(table.is_seam)
        self._encoder = encoder

    def encode_part(self, text: str, inside: bool) -> Tokens:
        """The tokens of a text; `inside` says that it goes on from other text, at a seam."""
        placed = self._encoder.encode_placed(text, inside)
        return Tokens(placed.ids, placed.byte_spans, placed.char_spans)

    def open(self, text: str, known: KnownTokens | None = None) -> Session:
        """See `Sessions`."""
        if known is None:
            return Session(self.identity, ReferenceSession(self, text))
        ids, byte_spans = known
        spans = np.array(char_spans(text, byte_spans.tolist()), np.int64).reshape(-1, 2)
        return Session(self.identity, ReferenceSession(self, text, Tokens(ids, byte_spans, spans)))
