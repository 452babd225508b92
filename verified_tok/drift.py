"""Where decoding ids and encoding their text again gives other ids.

What a trainer that keeps text instead of ids does to a sampled sequence. The places are found by the bytes
of the text: two places are the same token boundary if the same bytes stand before them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from verified_tok.reference.decode import REPLACEMENT
from verified_tok.session_state import Ids
from verified_tok.tokenizer import Tokenizer

Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Drift:
    """`ids[start:stop]` became `canonical`; the ids on both sides of the place stay.

    `readable` is False where some bytes of `ids[start:stop]` are no UTF-8, so that no text keeps them; a
    U+FFFD stands for each such part of them in the text that `canonical` encodes.
    """

    start: int
    stop: int
    canonical: tuple[int, ...]
    readable: bool = True


def drifts(tok: Tokenizer, ids: Iterable[int], lengths: Offsets | None = None) -> list[Drift]:
    """The smallest places, in order and apart from each other, at which encoding the text of ids (that is
    `tok.decode(ids)`, but for unreadable bytes) gives other ids.

    `lengths` are the numbers of bytes of the ids, for a caller that has them. Raises `InvalidTokenId`.

    >>> import verified_tok as vt
    >>> tok = vt.from_tiktoken({bytes([b]): b for b in range(256)} | {b"hi": 256}, r"\\p{L}+|\\P{L}", {})
    >>> drifts(tok, [256, 32, 104, 105])
    [Drift(start=2, stop=4, canonical=(256,), readable=True)]
    """
    listed = ids if isinstance(ids, np.ndarray) else list(ids)
    data = tok.decode_bytes(listed)
    given = np.array(listed, dtype=np.int64)
    readable = Readable.of(data)
    canonical = tok.encode(readable.text)
    if np.array_equal(given, canonical):
        return []
    if lengths is None:
        lengths = np.array([len(tok.id_to_bytes(id)) for id in given.tolist()], dtype=np.int64)
    ends = ends_in(data, lengths)
    spans = tok.encode_with_spans(readable.text).byte_spans
    return [
        Drift(start, stop, new, readable.keeps(int(ends[start - 1]) if start else 0, int(ends[stop - 1])))
        for start, stop, new in _differences(
            given, readable.places(ends), canonical, np.maximum.accumulate(spans[:, 1])
        )
    ]


def ends_in(data: bytes, lengths: Offsets) -> Offsets:
    """Where each id's bytes end in the decoded bytes, given how many each has alone.

    A decoder may take a space off the front of a text, and nothing from within it.
    """
    ends = np.cumsum(lengths)
    taken = int(ends[-1]) - len(data) if len(ends) else 0
    return np.clip(ends - taken, 0, len(data))


@dataclass(frozen=True, slots=True, eq=False)
class Readable:
    """Bytes as text, and where each byte went: `broken` are the spans of bytes that are no UTF-8, each of
    which is one U+FFFD in `text`."""

    text: str
    broken: Offsets

    @classmethod
    def of(cls, data: bytes) -> Readable:
        """The text of bytes of any kind."""
        parts: list[str] = []
        broken: list[tuple[int, int]] = []
        at = 0
        while True:
            try:
                parts.append(data[at:].decode())
                return cls("".join(parts), np.array(broken, dtype=np.int64).reshape(-1, 2))
            except UnicodeDecodeError as error:
                parts += [data[at : at + error.start].decode(), REPLACEMENT.decode()]
                broken.append((at + error.start, at + error.end))
                at += error.end

    def places(self, offsets: Offsets) -> Offsets:
        """Offsets into the bytes as offsets into the text's UTF-8; those inside a broken span go to its
        beginning."""
        if not len(self.broken):
            return offsets
        starts, stops = self.broken.T
        grown = np.concatenate([[0], np.cumsum(len(REPLACEMENT) - (stops - starts))])
        whole = np.searchsorted(stops, offsets, side="right")  # broken spans that end before the offset
        inside = np.append(starts, np.iinfo(np.int64).max)[whole]
        places: Offsets = np.minimum(offsets, inside) + grown[whole]
        return places

    def keeps(self, start: int, stop: int) -> bool:
        """Whether the bytes from `start` to `stop` are none of the broken ones."""
        return not bool(np.any((self.broken[:, 0] < stop) & (self.broken[:, 1] > start)))


def _differences(
    a: npt.NDArray[np.int64], a_ends: Offsets, b: Ids, b_ends: Offsets
) -> list[tuple[int, int, tuple[int, ...]]]:
    """Places `a[start:stop]` between common boundaries that are another list in `b`, given the end of each
    element; adjacent places are one."""
    common = np.intersect1d(a_ends, b_ends)
    a_cuts = np.concatenate([[0], np.searchsorted(a_ends, common, side="right"), [len(a)]])
    b_cuts = np.concatenate([[0], np.searchsorted(b_ends, common, side="right"), [len(b)]])
    single = (np.diff(a_cuts) == 1) & (np.diff(b_cuts) == 1)
    same = np.zeros(len(single), dtype=bool)
    same[single] = a[a_cuts[:-1][single]] == b[b_cuts[:-1][single]]
    for i in np.flatnonzero(~single):  # an id of no bytes stands with the one before it
        same[i] = np.array_equal(a[a_cuts[i] : a_cuts[i + 1]], b[b_cuts[i] : b_cuts[i + 1]])
    edges = np.flatnonzero(np.diff(np.concatenate([[True], same, [True]])))
    return [
        (int(a_cuts[i]), int(a_cuts[j]), tuple(b[b_cuts[i] : b_cuts[j]].tolist()))
        for i, j in edges.reshape(-1, 2)
    ]
