"""Numbers for what is alike."""

from __future__ import annotations

from collections.abc import Hashable, Iterable


def numbered(items: Iterable[Hashable]) -> tuple[list[int], list[int]]:
    """The number of each item, from 0 on in the order in which different ones come, and the place where each
    number comes first.

    >>> numbered("abbac")
    ([0, 1, 1, 0, 2], [0, 1, 4])
    """
    number_of: dict[Hashable, int] = {}
    numbers: list[int] = []
    first: list[int] = []
    for place, item in enumerate(items):
        number = number_of.setdefault(item, len(first))
        numbers.append(number)
        if number == len(first):
            first.append(place)
    return numbers, first
