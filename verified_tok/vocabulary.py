"""Vocabularies and merges as flat arrays.

A vocabulary has hundreds of thousands of entries, and most tokenizers never look at one by itself: the native
core reads arrays. So entries become Python objects, in a dict, only when somebody asks for them as a mapping.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, ValuesView
from itertools import pairwise
from typing import Any, Generic, NamedTuple, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

from verified_tok._core import native
from verified_tok.spec import MergeBpe, Model

Token = TypeVar("Token", str, bytes)
Ids = npt.NDArray[np.uint32]
Merge = tuple[int, int, int]


class Flat(NamedTuple):
    """The entries of a vocabulary: token k has the id `ids[k]` and the bytes
    `data[offsets[k]:offsets[k + 1]]`."""

    data: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.uint32]
    ids: Ids


class Entries(Mapping[Token, int], Generic[Token]):
    """Tokens and their ids, which are distinct: an immutable mapping that is made of arrays or of a dict, and
    turns one into the other when it must."""

    __slots__ = ("_flat", "_ids_of")

    def __init__(self, flat: Flat | None, ids_of: dict[Token, int] | None = None) -> None:
        self._flat = flat
        self._ids_of: dict[Token, int] | None = ids_of

    @classmethod
    def of(cls, entries: Mapping[Token, int]) -> Self:
        """The entries of a mapping."""
        return entries if isinstance(entries, cls) else cls(None, dict(entries))

    @staticmethod
    @abstractmethod
    def encoded(token: Token) -> bytes:
        """A token as bytes."""

    @staticmethod
    @abstractmethod
    def decoded(data: bytes) -> Token:
        """A token from its bytes."""

    @property
    def flat(self) -> Flat:
        """The entries as arrays."""
        if self._flat is None:
            assert self._ids_of is not None
            tokens = list(map(self.encoded, self._ids_of))
            offsets = np.zeros(len(tokens) + 1, np.uint32)
            np.cumsum(np.fromiter(map(len, tokens), np.uint32, len(tokens)), out=offsets[1:])
            ids = np.fromiter(self._ids_of.values(), np.uint32, len(tokens))
            self._flat = Flat(np.frombuffer(b"".join(tokens), np.uint8), offsets, ids)
        return self._flat

    @property
    def ids(self) -> Ids:
        """The ids of all entries."""
        return self.flat.ids

    def find(self, tokens: Iterable[Token]) -> dict[Token, int]:
        """Those of some tokens that are entries, with their ids."""
        wanted = list(dict.fromkeys(tokens))
        if self._ids_of is not None or native is None:
            ids_of = self._entries()
            return {token: ids_of[token] for token in wanted if token in ids_of}
        data, offsets, ids = self.flat
        places = native.places_of(data, offsets, list(map(self.encoded, wanted)))
        return {token: int(ids[place]) for token, place in zip(wanted, places, strict=True) if place >= 0}

    def with_ids(self, ids: Collection[int]) -> dict[int, Token]:
        """The entries that have some of these ids."""
        data, offsets, ids_of = self.flat
        places = np.flatnonzero(np.isin(ids_of, np.fromiter(ids, np.int64)))
        return {
            int(ids_of[place]): self.decoded(data[offsets[place] : offsets[place + 1]].tobytes())
            for place in places
        }

    def _entries(self) -> dict[Token, int]:
        if self._ids_of is None:
            data, bounds = self.flat.data.tobytes(), self.flat.offsets.tolist()
            tokens = (self.decoded(data[a:b]) for a, b in pairwise(bounds))
            self._ids_of = dict(zip(tokens, self.ids.tolist(), strict=True))
        return self._ids_of

    def __getitem__(self, token: Token) -> int:
        return self._entries()[token]

    def __iter__(self) -> Iterator[Token]:
        return iter(self._entries())

    def __len__(self) -> int:
        return len(self._flat.ids if self._flat is not None else self._entries())

    # What `Mapping` derives from these is slow.

    def __contains__(self, token: object) -> bool:
        return token in self._entries()

    def get(self, token: Token, default: Any = None) -> Any:
        """The id of a token, or `default`."""
        return self._entries().get(token, default)

    def items(self) -> Any:
        """See `Mapping`."""
        return self._entries().items()

    def values(self) -> ValuesView[int]:
        """See `Mapping`."""
        return self._entries().values()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} entries>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.flat,)


_SIZES = np.array([1] * 0xC0 + [2] * 0x20 + [3] * 0x10 + [4] * 0x10, np.uint32)
"""The size of the character that begins with each byte."""


class Vocabulary(Entries[str]):
    """The ids of tokens by their texts."""

    __slots__ = ()

    @staticmethod
    def encoded(token: str) -> bytes:
        """See `Entries`."""
        return token.encode()

    @staticmethod
    def decoded(data: bytes) -> str:
        """See `Entries`."""
        return data.decode()

    def chars(self) -> dict[str, int]:
        """The entries of one character."""
        data, offsets, ids = self.flat
        starts = offsets[:-1][offsets[1:] > offsets[:-1]]
        places = np.flatnonzero(offsets[1:] > offsets[:-1])
        sizes = _SIZES[data[starts]]
        places = places[sizes == offsets[places + 1] - starts]
        return {self.decoded(data[offsets[k] : offsets[k + 1]].tobytes()): int(ids[k]) for k in places}


class RankTable(Entries[bytes]):
    """The ids of tokens by their bytes."""

    __slots__ = ()

    @staticmethod
    def encoded(token: bytes) -> bytes:
        """See `Entries`."""
        return token

    @staticmethod
    def decoded(data: bytes) -> bytes:
        """See `Entries`."""
        return data


def entries_of(model: Model) -> Vocabulary | RankTable:
    """The entries of a model."""
    return Vocabulary.of(model.vocab) if isinstance(model, MergeBpe) else RankTable.of(model.ranks)


class Merges(Sequence[Merge]):
    """Merges as triples (left id, right id, result id), one behind the other in an array: a sequence of
    tuples, equal to any other with the same ones."""

    __slots__ = ("ids",)

    def __init__(self, ids: Ids) -> None:
        self.ids = ids.reshape(-1, 3)

    @classmethod
    def of(cls, merges: Iterable[Merge]) -> Merges:
        """The merges of a sequence."""
        return merges if isinstance(merges, Merges) else cls(np.array(list(merges), np.uint32))

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, place: int) -> Merge: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Merge, ...]: ...
    def __getitem__(self, place: int | slice) -> Merge | tuple[Merge, ...]:
        rows = self.ids[place].tolist()
        return tuple(map(tuple, rows)) if isinstance(place, slice) else tuple(rows)

    def __iter__(self) -> Iterator[Merge]:
        return iter(self[:])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Merges):
            return np.array_equal(self.ids, other.ids)
        return isinstance(other, tuple) and self[:] == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} merges>"
