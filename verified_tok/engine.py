"""Who makes and restores sessions: the reference pipeline, or the native core."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

import numpy as np

from verified_tok._core import native
from verified_tok.encoders import NativeEncoder, ReferenceEncoder
from verified_tok.errors import InvalidSessionFile
from verified_tok.reference.pipeline import char_spans
from verified_tok.reference.seam_table import SeamTable
from verified_tok.session import Identity, Session
from verified_tok.session_file import SavedSession
from verified_tok.session_reference import ReferenceSession, Tokens
from verified_tok.session_state import Ids, Spans
from verified_tok.text import explained

_PAIRS_KEPT = 1 << 16


KnownTokens = tuple[Ids, Spans]
"""The ids of a text, and the span of bytes of each."""


class Sessions(Protocol):
    """Makes the sessions of a tokenizer with one choice of added tokens."""

    def open(self, text: str, known: KnownTokens | None = None) -> Session:
        """A session of a text, whose tokens may be known. Raises `InvalidText`."""
        ...


def restored(sessions: Sessions, saved: SavedSession) -> Session:
    """A session that was saved, by the same encoder. Its text is encoded again: raises `InvalidSessionFile`
    if that gives other ids."""
    session = sessions.open(saved.text)
    if session.identity.added_tokens != saved.added_tokens or not np.array_equal(session.ids, saved.ids):
        raise InvalidSessionFile(
            "the saved session is damaged or forged: its ids are not those that its text has"
        )
    return session


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


class NativeSessions:
    """Sessions of the native core. The seams are looked for when the first one is made."""

    def __init__(self, identity: Identity, encoder: NativeEncoder) -> None:
        self._identity = identity
        self._encoder = encoder

    def open(self, text: str, known: KnownTokens | None = None) -> Session:
        """See `Sessions`."""
        engine, seams = self._encoder.engine, self._encoder.seams
        if known is not None:
            return Session(self._identity, native.Session.restored(engine, seams, text, *known))
        return Session(self._identity, explained(text, lambda: native.Session(engine, seams, text)))
