"""Sessions by the reference pipeline: the algorithm, and the oracle of the native sessions.

Mirrors `lean/VerifiedTok/Spec/Session.lean`: an edit encodes what lies between a seam before the change and
one behind it, and keeps the ids on both sides; `valid_edit` there proves that the result is the encoding of
the new text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol, final

import numpy as np
import numpy.typing as npt

from verified_tok.session_state import Ids, SessionText, SessionTokens, Spans, code_points, read_only
from verified_tok.text import check_text

_WINDOW = 64  # characters looked at together on the way to a seam
_BLOCK = 1 << 16  # characters compared together
_INSIDE = {bytes([byte]) for byte in range(0x80, 0xC0)}  # the bytes that go on with a character


class Tokens(NamedTuple):
    """Tokens of a part of a text; the spans count from its beginning."""

    ids: Ids
    byte_spans: Spans
    char_spans: Spans


Change = tuple[int, Ids, int]
"""How many ids stayed at the front, the new ones, how many stayed at the back."""


class Engine(Protocol):
    """What a session needs of a tokenizer."""

    def is_seam(self, x: str, y: str) -> bool:
        """Whether every text may be cut between two characters."""
        ...

    def encode_part(self, text: str, inside: bool) -> Tokens:
        """The tokens of a text; `inside` says that it goes on from other text, at a seam."""
        ...


@final
class ReferenceSession:
    """A text and its ids. See `session.WorkingSession` for what its methods do."""

    __slots__ = ("_engine", "_shared", "_stats", "_text", "_tokens")

    def __init__(self, engine: Engine, text: str, tokens: Tokens | None = None) -> None:
        """A session of `text`; `tokens`, if given, must be the engine's for this text."""
        if tokens is None:
            tokens = engine.encode_part(check_text(text), inside=False)
        self._engine = engine
        self._text = SessionText(text)
        self._tokens = SessionTokens(*tokens, bytes=self._text.bytes, chars=len(self._text))
        self._shared = False
        self._stats = (0, 0, 0, 0, 0)

    def __len__(self) -> int:
        return len(self._tokens)

    @property
    def chars(self) -> int:
        """The length of the text in characters."""
        return len(self._text)

    @property
    def bytes(self) -> int:
        """The length of the text in UTF-8."""
        return self._text.bytes

    @property
    def text(self) -> str:
        """The whole text."""
        return str(self._text)

    @property
    def ids(self) -> Ids:
        """The ids: a view."""
        return read_only(self._tokens.ids())

    @property
    def byte_spans(self) -> Spans:
        """The span of bytes of every token."""
        return self._tokens.byte_spans()

    @property
    def char_spans(self) -> Spans:
        """The span of characters of every token."""
        return self._tokens.char_spans()

    @property
    def stats(self) -> tuple[int, int, int, int, int]:
        """What the operations cost so far."""
        return self._stats

    # --- operations ---

    def append(self, text: str) -> Change:
        """Put text behind the end."""
        end = len(self._text)
        return self.edit(end, end, text)

    def edit(self, start: int, stop: int, text: str) -> Change:
        """Put `text` in the place of the characters from `start` up to `stop`."""
        check_text(text)
        length = len(self._text)
        lo = self._cut_before(start, text[:1] or self._text.slice(stop, min(stop + 1, length)))
        hi = self._cut_after(stop, text[-1:] or self._text.slice(max(start - 1, 0), start))
        part = self._text.slice(lo, start) + text + self._text.slice(stop, hi)
        tokens = self._engine.encode_part(part, inside=lo > 0)
        self._count(text, part, start - lo, hi - stop, lo == 0 < start or hi == length > stop)
        return self._put(lo, hi, start, stop, text, tokens)

    def edit_bytes(self, start: int, stop: int, text: str) -> Change:
        """As `edit`, with offsets in bytes; IndexError if they do not stand between characters."""
        data = self.text.encode()
        if any(data[offset : offset + 1] in _INSIDE for offset in (start, stop)):
            raise IndexError(f"bytes {start} to {stop}: inside a character")
        return self.edit(len(data[:start].decode()), len(data[:stop].decode()), text)

    def update(self, text: str) -> Change:
        """Make `text` the session's text, as one edit between what the two have in common at both ends."""
        old, new = self._text.points(), code_points(check_text(text))
        front = _common(old, new)
        back = _common(old[front:][::-1], new[front:][::-1])
        return self.edit(front, len(old) - back, text[front : len(text) - back])

    def concat(self, other: ReferenceSession) -> Change:
        """Put another session's text behind the end; its ids are kept where they can be."""
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

    def fork(self) -> ReferenceSession:
        """An independent session with the same text. The two share their arrays until one of them changes."""
        other = object.__new__(ReferenceSession)
        other._engine, other._stats = self._engine, self._stats
        other._text, other._tokens = self._text, self._tokens
        self._shared = other._shared = True
        return other

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

    def _put(self, lo: int, hi: int, start: int, stop: int, text: str, new: Tokens) -> Change:
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
        return front, new.ids, back

    def _count(self, text: str, part: str, before: int, behind: int, missed: bool) -> None:
        operations, given, encoded, reach, without = self._stats
        self._stats = (
            operations + 1,
            given + len(text),
            encoded + len(part),
            max(reach, before, behind),
            without + missed,
        )


def _join(front: Tokens, other: ReferenceSession, kept: int, byte: int, char: int) -> Tokens:
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
