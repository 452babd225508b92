"""Sessions: a text and its ids, kept in step under edits, at the cost of what changes.

Mirrors `lean/VerifiedTok/Spec/Session.lean`: an edit encodes what lies between a seam before the change and
one behind it, and keeps the ids on both sides; `valid_edit` there proves that the result is the encoding of
the new text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, final

import numpy as np
import numpy.typing as npt

from verified_tok.errors import InvalidRange, SessionMismatch
from verified_tok.session_file import SavedSession, write_session
from verified_tok.session_state import Ids, SessionText, SessionTokens, Spans, code_points
from verified_tok.text import check_text

_WINDOW = 64  # characters looked at together on the way to a seam
_BLOCK = 1 << 16  # characters compared together
_INSIDE = {bytes([byte]) for byte in range(0x80, 0xC0)}  # the bytes that go on with a character


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """What an operation changed in the ids: the first `keep_front` and the last `keep_back` stayed, and `new`
    (uint32 of shape (k,)) stands between them."""

    keep_front: int
    new: Ids
    keep_back: int

    def apply(self, ids: npt.ArrayLike) -> Ids:
        """The ids after the operation, from those before it."""
        old = np.asarray(ids, dtype=np.uint32)
        return np.concatenate([old[: self.keep_front], self.new, old[len(old) - self.keep_back :]])


@dataclass(frozen=True, slots=True)
class SessionStats:
    """What a session's operations cost."""

    operations: int = 0
    characters_given: int = 0
    """Characters of new text."""
    characters_encoded: int = 0
    """Characters that were encoded, the text between the change and the seams around it included."""
    longest_reach: int = 0
    """The largest distance from a change to the seam beside it, in characters."""
    without_seam: int = 0
    """How often no seam was found on one side, and everything up to the end of the text was encoded."""


class Tokens(NamedTuple):
    """Tokens of a part of a text; the spans count from its beginning."""

    ids: Ids
    byte_spans: Spans
    char_spans: Spans


class Identity(NamedTuple):
    """Which encoder a session's ids come from: equal identities give equal ids."""

    sha256: str
    """Names the tokenizer."""
    added_tokens: frozenset[int]
    """The added tokens that are recognized."""


class Engine(Protocol):
    """What a session needs of a tokenizer."""

    @property
    def identity(self) -> Identity:
        """Which encoder it is."""
        ...

    def is_seam(self, x: str, y: str) -> bool:
        """Whether every text may be cut between two characters."""
        ...

    def encode_part(self, text: str, inside: bool) -> Tokens:
        """The tokens of a text; `inside` says that it goes on from other text, at a seam."""
        ...


@final
class Session:
    """A text and its ids. `ids` is always what `encode` gives for `text`.

    Made by `Tokenizer.session`. Offsets are characters, or bytes of UTF-8 in the methods that say so. An
    operation that raises leaves the session as it was.
    """

    __slots__ = ("_engine", "_shared", "_stats", "_text", "_tokens")

    def __init__(self, engine: Engine, text: str, tokens: Tokens | None = None) -> None:
        """A session of `text`; `tokens`, if given, must be the engine's for this text."""
        if tokens is None:
            tokens = engine.encode_part(check_text(text), inside=False)
        self._engine = engine
        self._text = SessionText(text)
        self._tokens = SessionTokens(*tokens, bytes=self._text.bytes, chars=len(self._text))
        self._shared = False
        self._stats = SessionStats()

    def __len__(self) -> int:
        """The number of ids."""
        return len(self._tokens)

    def __repr__(self) -> str:
        return f"<Session of {len(self._text)} characters, {len(self)} tokens>"

    # --- what is there ---

    @property
    def identity(self) -> Identity:
        """Which encoder the ids come from."""
        return self._engine.identity

    @property
    def text(self) -> str:
        """The whole text. Costs its length."""
        return str(self._text)

    @property
    def ids(self) -> Ids:
        """The ids: a read-only view, uint32 of shape (n,), valid until the next operation."""
        return _read_only(self._tokens.ids())

    @property
    def spans(self) -> Spans:
        """The span of characters of every token: int64 of shape (n, 2). Costs the number of tokens."""
        return _read_only(self._tokens.char_spans())

    @property
    def byte_spans(self) -> Spans:
        """The span of bytes of every token: int64 of shape (n, 2). Costs the number of tokens."""
        return _read_only(self._tokens.byte_spans())

    @property
    def stats(self) -> SessionStats:
        """What the operations cost so far."""
        return self._stats

    # --- operations ---

    def append(self, text: str) -> Patch:
        """Put text behind the end. Raises `InvalidText`."""
        end = len(self._text)
        return self.edit(end, end, text)

    def insert(self, at: int, text: str) -> Patch:
        """Put text before the character `at`. Raises `InvalidText`, `InvalidRange`."""
        return self.edit(at, at, text)

    def truncate(self, length: int) -> Patch:
        """Keep the first `length` characters. Raises `InvalidRange`."""
        return self.edit(length, len(self._text), "")

    def edit(self, start: int, stop: int, text: str) -> Patch:
        """Put `text` in the place of the characters from `start` up to `stop`.

        Raises `InvalidText`, and `InvalidRange` unless 0 <= start <= stop <= the length of the text.
        """
        check_text(text)
        length = len(self._text)
        if not (_is_index(start) and _is_index(stop) and 0 <= start <= stop <= length):
            raise InvalidRange(
                f"characters {start!r} to {stop!r} are no range of a text of {length} characters"
            )
        lo = self._cut_before(start, text[:1] or self._text.slice(stop, min(stop + 1, length)))
        hi = self._cut_after(stop, text[-1:] or self._text.slice(max(start - 1, 0), start))
        part = self._text.slice(lo, start) + text + self._text.slice(stop, hi)
        tokens = self._engine.encode_part(part, inside=lo > 0)
        self._count(text, part, start - lo, hi - stop, lo == 0 < start or hi == length > stop)
        return self._put(lo, hi, start, stop, text, tokens)

    def edit_bytes(self, start: int, stop: int, text: str) -> Patch:
        """As `edit`, with offsets in bytes of UTF-8, which must stand between characters. Costs the length of
        the text. Raises what `edit` raises."""
        data = self.text.encode()
        chars = []
        for offset in (start, stop):
            inside = not _is_index(offset) or data[offset : offset + 1] in _INSIDE
            if inside or not 0 <= offset <= len(data):
                raise InvalidRange(f"byte {offset!r} is no place between characters of {len(data)} bytes")
            chars.append(len(data[:offset].decode()))
        return self.edit(chars[0], chars[1], text)

    def update(self, text: str) -> Patch:
        """Make `text` the session's text, as one edit between what the two have in common at both ends.
        Costs a comparison of the two. Raises `InvalidText`."""
        old, new = self._text.points(), code_points(check_text(text))
        front = _common(old, new)
        back = _common(old[front:][::-1], new[front:][::-1])
        return self.edit(front, len(old) - back, text[front : len(text) - back])

    def concat(self, other: Session) -> Patch:
        """Put another session's text behind the end; its ids are kept where they can be.

        Costs the other's length. Raises `SessionMismatch` if the sessions belong to different tokenizers.
        """
        if not isinstance(other, Session):
            raise SessionMismatch(f"{other!r} is no session; append takes text")
        if other.identity != self.identity:
            raise SessionMismatch(f"sessions of {self.identity} and of {other.identity} cannot be joined")
        end, text = len(self._text), other.text
        lo = self._cut_before(end, text[:1])
        hi = other._cut_after(0, self._text.slice(max(end - 1, 0), end))
        part = self._text.slice(lo, end) + text[:hi]
        tokens = self._engine.encode_part(part, inside=lo > 0)
        kept = other._tokens.before(hi)
        moved = len(part.encode()) - len(text[:hi].encode()), len(part) - hi
        joined = _join(tokens, other, kept, *moved)
        self._count(text, part, end - lo, hi, lo == 0 < end or hi == len(text) > 0)
        return self._put(lo, end, end, end, text, joined)

    def fork(self) -> Session:
        """An independent session with the same text. The two share their arrays until one of them changes."""
        other = object.__new__(Session)
        other._engine, other._stats = self._engine, self._stats
        other._text, other._tokens = self._text, self._tokens
        self._shared = other._shared = True
        return other

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the session to a file, whole or not at all; `Tokenizer.load_session` reads it."""
        write_session(path, SavedSession(*self.identity, self.text, self.ids, self.byte_spans, self.spans))

    # --- how ---

    def _cut_before(self, at: int, right: str) -> int:
        """The last cut of the old and the new text at or before `at`, where the change begins; `right` is the
        character behind that place in the new text, if there is one."""
        x, y = self._text.slice(max(at - 1, 0), at), self._text.slice(at, min(at + 1, len(self._text)))
        if not x or all(not c or self._engine.is_seam(x, c) for c in (y, right)):
            return at
        return next((p for p, x, y in self._pairs_before(at) if self._engine.is_seam(x, y)), 0)

    def _cut_after(self, at: int, left: str) -> int:
        """The first cut of the old and the new text at or behind `at`, where the change ends; `left` is the
        character before that place in the new text, if there is one."""
        x, y = self._text.slice(max(at - 1, 0), at), self._text.slice(at, min(at + 1, len(self._text)))
        if not y:
            return at
        # What begins a text may be encoded in another way than what goes on from other text.
        if bool(x) == bool(left) and all(
            not before or self._engine.is_seam(before, y) for before in (x, left)
        ):
            return at
        return next((p for p, x, y in self._pairs_after(at) if self._engine.is_seam(x, y)), len(self._text))

    def _pairs_before(self, at: int) -> Iterator[tuple[int, str, str]]:
        """Every place before `at`, from there on back, with the characters on both sides of it."""
        while at > 1:
            base = max(at - _WINDOW, 0)
            chars = self._text.slice(base, at)
            for p in range(len(chars) - 1, 0, -1):
                yield base + p, chars[p - 1], chars[p]
            at = base + 1

    def _pairs_after(self, at: int) -> Iterator[tuple[int, str, str]]:
        """Every place behind `at`, from there on, with the characters on both sides of it."""
        while at + 1 < len(self._text):
            chars = self._text.slice(at, min(at + _WINDOW, len(self._text)))
            for p in range(1, len(chars)):
                yield at + p, chars[p - 1], chars[p]
            at += len(chars) - 1

    def _put(self, lo: int, hi: int, start: int, stop: int, text: str, new: Tokens) -> Patch:
        """Put the tokens in the place of those from `lo` up to `hi`, and the text in its place."""
        if self._shared:
            self._text, self._tokens, self._shared = self._text.copy(), self._tokens.copy(), False
        front = self._tokens.before(lo)
        back = len(self) - self._tokens.before(hi) if hi < len(self._text) else 0
        byte = self._text.byte_at(lo)
        self._text.replace(start, stop, text)
        self._tokens.replace(
            front,
            len(self) - back,
            new.ids,
            new.byte_spans + byte,
            new.char_spans + lo,
            bytes=self._text.bytes,
            chars=len(self._text),
        )
        return Patch(front, new.ids, back)

    def _count(self, text: str, part: str, before: int, behind: int, missed: bool) -> None:
        stats = self._stats
        self._stats = SessionStats(
            operations=stats.operations + 1,
            characters_given=stats.characters_given + len(text),
            characters_encoded=stats.characters_encoded + len(part),
            longest_reach=max(stats.longest_reach, before, behind),
            without_seam=stats.without_seam + missed,
        )


def _join(front: Tokens, other: Session, kept: int, byte: int, char: int) -> Tokens:
    """Tokens, and behind them those of another session from the one with index `kept` on, moved."""
    tokens = other._tokens
    return Tokens(
        np.concatenate([front.ids, tokens.ids()[kept:]]),
        np.concatenate([front.byte_spans, tokens.byte_spans()[kept:] + byte]),
        np.concatenate([front.char_spans, tokens.char_spans()[kept:] + char]),
    )


def _common(a: npt.NDArray[np.uint32], b: npt.NDArray[np.uint32]) -> int:
    """How many items two arrays have in common at the start."""
    size = min(len(a), len(b))
    for start in range(0, size, _BLOCK):
        stop = min(start + _BLOCK, size)
        differ = a[start:stop] != b[start:stop]
        if differ.any():
            return start + int(differ.argmax())
    return size


def _is_index(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
