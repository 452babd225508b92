"""Sessions: a text and its ids, kept in step under edits, at the cost of what changes.

An edit encodes what lies between a seam before the change and one behind it, and keeps the ids on both sides
(`valid_edit` in `lean/VerifiedTok/Thm/Session.lean`). Who does it is the native core or, where that is not
built, `session_reference`. Where no seam is near, as in a million letters, the native core appends by a
window of the text's end (`_core/append_window.h`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, Protocol, Self, TypeGuard, final

import numpy as np
import numpy.typing as npt

from verified_tok.errors import CannotPickle, InvalidRange, InvalidTokenId, SessionMismatch
from verified_tok.options import check_path
from verified_tok.session_file import SavedSession, write_session
from verified_tok.session_state import Ids, Spans, read_only
from verified_tok.text import explained


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """What an operation changed in the ids: the first `keep_front` and the last `keep_back` stayed, and `new`
    (uint32 of shape (k,)) stands between them."""

    keep_front: int
    new: Ids
    keep_back: int

    def apply(self, ids: npt.ArrayLike) -> Ids:
        """The ids after the operation, from those before it. Raises `InvalidTokenId` if these are none, or
        too few."""
        try:
            old = np.asarray(ids)
            if old.ndim != 1 or not (old.dtype.kind in "iu" or old.size == 0):
                raise ValueError
        except ValueError:
            raise InvalidTokenId(f"ids are integers one behind the other, not {ids!r}") from None
        if old.size and (old.min() < 0 or old.max() > 0xFFFFFFFF):
            raise InvalidTokenId(f"ids are from 0 to 2^32 - 1; these are from {old.min()} to {old.max()}")
        if len(old) < self.keep_front + self.keep_back:
            raise InvalidTokenId(
                f"{len(old)} ids were given, and the operation kept {self.keep_front + self.keep_back}: "
                "apply takes the ids from before the operation"
            )
        old = old.astype(np.uint32, copy=False)
        return np.concatenate([old[: self.keep_front], self.new, old[len(old) - self.keep_back :]])


@dataclass(frozen=True, slots=True)
class SessionStats:
    """What a session's operations cost."""

    operations: int = 0
    characters_given: int = 0
    """Characters of new text."""
    characters_encoded: int = 0
    """Characters that were encoded, with the text between the change and the seams around it, or in the
    window before it."""
    longest_reach: int = 0
    """The largest distance from a change to the seam or to the beginning of the window, in characters."""
    without_seam: int = 0
    """How often no seam was found on one side, and everything up to the end of the text was encoded."""


class Identity(NamedTuple):
    """Which encoder a session's ids come from: equal identities give equal ids."""

    sha256: str
    """Names the tokenizer."""
    added_tokens: frozenset[int]
    """The added tokens that are recognized."""


class WorkingSession(Protocol):
    """What does a session's work. Offsets are right: 0 <= start <= stop <= the length. What is no text raises
    `InvalidText`, TypeError or UnicodeEncodeError; what raises changes nothing."""

    def __len__(self) -> int: ...
    @property
    def chars(self) -> int:
        """The length of the text in characters."""
        ...

    @property
    def bytes(self) -> int:
        """The length of the text in UTF-8."""
        ...

    @property
    def text(self) -> str:
        """The whole text."""
        ...

    @property
    def ids(self) -> Ids:
        """The ids: a read-only view, which the next operation may change."""
        ...

    @property
    def byte_spans(self) -> Spans:
        """The span of bytes of every token."""
        ...

    @property
    def char_spans(self) -> Spans:
        """The span of characters of every token."""
        ...

    @property
    def stats(self) -> tuple[int, int, int, int, int]:
        """The fields of `SessionStats`."""
        ...

    def append(self, text: str) -> tuple[int, Ids, int]:
        """Put text behind the end; answers with the fields of a `Patch`, as the others do."""
        ...

    def edit(self, start: int, stop: int, text: str) -> tuple[int, Ids, int]:
        """Put text in the place of the characters from `start` up to `stop`."""
        ...

    def edit_bytes(self, start: int, stop: int, text: str) -> tuple[int, Ids, int]:
        """The same with offsets in bytes. Raises IndexError if one is inside a character."""
        ...

    def update(self, text: str) -> tuple[int, Ids, int]:
        """Make the text another one."""
        ...

    def concat(self, other: Self) -> tuple[int, Ids, int]:
        """Put another session's text behind the end."""
        ...

    def fork(self) -> Self:
        """An independent session."""
        ...


@final
class Session:
    """A text and its ids. `ids` is always what `encode` gives for `text`.

    Made by `Tokenizer.session`. Offsets are characters, or bytes of UTF-8 in the methods that say so. An
    operation that raises leaves the session as it was. Threads may share sessions; operations on one session
    and its forks wait for one another if the native core does the work.
    """

    __slots__ = ("_identity", "_working")

    def __init__(self, identity: Identity, working: WorkingSession) -> None:
        self._identity = identity
        self._working: Any = working

    def __len__(self) -> int:
        """The number of ids."""
        return len(self._working)

    def __repr__(self) -> str:
        return f"<Session of {self._working.chars} characters, {len(self)} tokens>"

    # --- what is there ---

    @property
    def identity(self) -> Identity:
        """Which encoder the ids come from."""
        return self._identity

    @property
    def text(self) -> str:
        """The whole text. Costs its length."""
        return str(self._working.text)

    @property
    def ids(self) -> Ids:
        """The ids: a read-only view, uint32 of shape (n,), valid until the next operation."""
        ids: Ids = self._working.ids
        return ids

    @property
    def spans(self) -> Spans:
        """The span of characters of every token: int64 of shape (n, 2). Costs the length of the text."""
        return read_only(self._working.char_spans)

    @property
    def byte_spans(self) -> Spans:
        """The span of bytes of every token: int64 of shape (n, 2). Costs the number of tokens."""
        return read_only(self._working.byte_spans)

    @property
    def stats(self) -> SessionStats:
        """What the operations cost so far."""
        return SessionStats(*self._working.stats)

    # --- operations ---

    def append(self, text: str) -> Patch:
        """Put text behind the end. Raises `InvalidText`."""
        return _patch(self._working.append, text)

    def insert(self, at: int, text: str) -> Patch:
        """Put text before the character `at`. Raises `InvalidText`, `InvalidRange`."""
        return self.edit(at, at, text)

    def truncate(self, length: int) -> Patch:
        """Keep the first `length` characters. Raises `InvalidRange`."""
        return self.edit(length, self._working.chars, "")

    def edit(self, start: int, stop: int, text: str) -> Patch:
        """Put `text` in the place of the characters from `start` up to `stop`.

        Raises `InvalidText`, and `InvalidRange` unless 0 <= start <= stop <= the length of the text.
        """
        check_range(start, stop, self._working.chars, "characters")
        return _patch(self._working.edit, int(start), int(stop), text)

    def edit_bytes(self, start: int, stop: int, text: str) -> Patch:
        """As `edit`, with offsets in bytes of UTF-8, which must stand between characters. Raises what `edit`
        raises."""
        check_range(start, stop, self._working.bytes, "bytes")
        try:
            return _patch(self._working.edit_bytes, int(start), int(stop), text)
        except IndexError:
            raise InvalidRange(f"bytes {start} to {stop}: one of them is inside a character") from None

    def update(self, text: str) -> Patch:
        """Make `text` the session's text, as one edit between what the two have in common at both ends.

        Costs a comparison of the two. For that the native core keeps the last str that it was given here or
        began with, unless it is ASCII. Raises `InvalidText`."""
        return _patch(self._working.update, text)

    def concat(self, other: Session) -> Patch:
        """Put another session's text behind the end; its ids are kept where they can be.

        Costs the other's length. Raises `SessionMismatch` if the sessions belong to different tokenizers, and
        `InvalidText` if the texts are too long together.
        """
        if not isinstance(other, Session):
            raise SessionMismatch(f"{other!r} is no session; append takes text")
        if other.identity != self.identity:
            raise SessionMismatch(f"sessions of {self.identity} and of {other.identity} cannot be joined")
        return _patch(self._working.concat, other._working)

    def fork(self) -> Session:
        """An independent session with the same text. The two share their arrays until one of them changes."""
        return Session(self._identity, self._working.fork())

    __copy__ = fork

    def __reduce__(self) -> NoReturn:
        """Raises `CannotPickle`: a session would have to bring its tokenizer along."""
        raise CannotPickle(
            "a session cannot be pickled: save it to a file, or send its text and open a session there"
        )

    def __deepcopy__(self, memo: object) -> Session:
        return self.fork()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the session to a file, whole or not at all; `Tokenizer.load_session` reads it.

        Raises OSError, and `InvalidOption` for what is no path.
        """
        write_session(check_path(path), SavedSession(*self.identity, self.text, self.ids))


def check_range(start: object, stop: object, length: int, unit: str) -> None:
    """Raises `InvalidRange` unless 0 <= start <= stop <= length."""
    if not (_is_index(start) and _is_index(stop) and 0 <= start <= stop <= length):
        raise InvalidRange(f"{unit} {start!r} to {stop!r} are no range of a text of {length} {unit}")


def _patch(operation: Callable[..., tuple[int, Ids, int]], *arguments: Any) -> Patch:
    """The patch of an operation, whose last argument is a text or a session."""
    return Patch(*explained(arguments[-1], operation, *arguments))


def _is_index(value: object) -> TypeGuard[int]:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
