"""Sets of Unicode scalar values, held as sorted ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

Range = tuple[int, int]
"""The code points from the first to the second, both included."""

_LIMIT = 0x110000
_NO_MEMBER, _ALL_MEMBERS = bytes(256), b"\x01" * 256
_SCALARS: tuple[Range, ...] = ((0, 0xD7FF), (0xE000, _LIMIT - 1))


class CharSet:
    """An immutable set of Unicode scalar values.

    Equality and hash go by the members: `ranges` is the one sorted list of disjoint, non-touching
    ranges that holds them (the ranges that touch only across the surrogates stay apart).
    """

    def __init__(self, ranges: Iterable[Range] = ()) -> None:
        """Any ranges, in any order; the surrogates among them are left out."""
        self.ranges: tuple[Range, ...] = tuple(_intersect(_merge(ranges), _SCALARS))

    @classmethod
    def _of_sorted(cls, ranges: Iterable[Range]) -> CharSet:
        """The set whose `ranges` are these: what is made of sets has little to be sorted, and none of it
        holds surrogates."""
        made = cls.__new__(cls)
        made.ranges = tuple(ranges)
        return made

    @classmethod
    def of(cls, chars: str) -> CharSet:
        """The characters of a string."""
        return cls((ord(c), ord(c)) for c in chars)

    def __contains__(self, char: str) -> bool:
        code = ord(char)
        return self.pages[code >> 8][code & 255] == 1

    @cached_property
    def pages(self) -> list[bytes]:
        """For every 256 code points one byte a code point, 1 for a member: what makes `in` cost two look-ups.
        Built at the first use; pages that are all alike are shared."""
        pages = [_NO_MEMBER] * (_LIMIT >> 8)
        for first, last in self.ranges:
            page, end = first >> 8, last >> 8
            while page <= end:
                start, stop = max(first - (page << 8), 0), min(last + 1 - (page << 8), 256)
                if (start, stop) == (0, 256):
                    behind = (last + 1) >> 8
                    pages[page:behind] = [_ALL_MEMBERS] * (behind - page)
                    page = behind
                else:
                    old = pages[page]
                    pages[page] = old[:start] + _ALL_MEMBERS[start:stop] + old[stop:]
                    page += 1
        return pages

    @lru_cache(maxsize=64)  # noqa: B019  # keeps 64 small sets alive
    def __or__(self, other: CharSet) -> CharSet:
        return CharSet._of_sorted(_merge(self.ranges + other.ranges))

    @lru_cache(maxsize=64)  # noqa: B019
    def __and__(self, other: CharSet) -> CharSet:
        return CharSet._of_sorted(_intersect(self.ranges, other.ranges))

    def __sub__(self, other: CharSet) -> CharSet:
        return self & ~other

    @lru_cache(maxsize=64)  # noqa: B019
    def __invert__(self) -> CharSet:
        """Every other scalar value."""
        return CharSet._of_sorted(_intersect(_gaps(self.ranges), _SCALARS))

    def __le__(self, other: CharSet) -> bool:
        """Whether every member is a member of the other."""
        return self & other == self

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __len__(self) -> int:
        return sum(last + 1 - first for first, last in self.ranges)

    def __iter__(self) -> Iterator[str]:
        """The members in code point order."""
        for first, last in self.ranges:
            yield from map(chr, range(first, last + 1))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CharSet) and self.ranges == other.ranges

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.ranges)

    @property
    def edges(self) -> list[int]:
        """Where membership changes: the first code point of each range, and the one behind its last."""
        return [edge for first, last in self.ranges for edge in (first, last + 1)]

    def __repr__(self) -> str:
        shown = ", ".join(f"{a:04X}" if a == b else f"{a:04X}-{b:04X}" for a, b in self.ranges[:8])
        more = ", …" if len(self.ranges) > 8 else ""
        return f"CharSet({shown}{more})"


def _merge(ranges: Iterable[Range]) -> list[Range]:
    merged: list[Range] = []
    for first, last in sorted(ranges):
        if last < first:
            raise ValueError(f"range {first:#x}-{last:#x} ends before it begins")
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def _gaps(ranges: Iterable[Range]) -> Iterator[Range]:
    start = 0
    for first, last in ranges:
        if start < first:
            yield start, first - 1
        start = last + 1
    if start < _LIMIT:
        yield start, _LIMIT - 1


def _intersect(left: Iterable[Range], right: Iterable[Range]) -> Iterator[Range]:
    lefts, rights = iter(left), iter(right)
    a, b = next(lefts, None), next(rights, None)
    while a is not None and b is not None:
        first, last = max(a[0], b[0]), min(a[1], b[1])
        if first <= last:
            yield first, last
        if a[1] < b[1]:
            a = next(lefts, None)
        else:
            b = next(rights, None)


ALL = CharSet(_SCALARS)
"""All 1,112,064 scalar values."""
