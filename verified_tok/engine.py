"""Who makes and restores sessions: the native core here, in `engine_reference` the reference pipeline."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from verified_tok._core import native
from verified_tok.encoders import NativeEncoder
from verified_tok.errors import InvalidSessionFile
from verified_tok.session import Identity, Session
from verified_tok.session_file import SavedSession
from verified_tok.session_state import Ids, Spans
from verified_tok.text import explained

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
        return Session(self._identity, explained(text, native.Session, engine, seams, text))
