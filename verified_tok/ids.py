"""What counts as ids of tokens: integers that some token has."""

from __future__ import annotations

from collections.abc import Container, Iterable
from operator import index

import numpy as np

from verified_tok.errors import InvalidTokenId


def check_ids(ids: Iterable[int], known: Container[int]) -> list[int]:
    """`ids` as a list of Python integers.

    Raises `InvalidTokenId`, naming the place and the value, for anything that is no integer (booleans and
    floating-point numbers are none) and for an integer that is not in `known`.

    >>> check_ids(np.array([2, 0], dtype=np.uint32), known={0, 1, 2})
    [2, 0]
    """
    if isinstance(ids, np.ndarray):
        if ids.dtype.kind in "mM":  # `tolist` would make integers of some
            raise InvalidTokenId(f"ids must be integers, not dates or times ({ids.dtype})")
        ids = ids.tolist()  # Python numbers: the checks below are the same for arrays and lists
    if not isinstance(ids, Iterable):
        raise InvalidTokenId(f"ids must be a sequence of integers, not {ids!r}")
    checked = []
    for position, id in enumerate(ids):
        try:
            if isinstance(id, bool):
                raise TypeError
            number = index(id)
        except TypeError:
            kind = type(id).__name__
            raise InvalidTokenId(f"ids[{position}] is {id!r}, not an integer but {kind}") from None
        if number not in known:
            raise InvalidTokenId(f"ids[{position}] is {number}, and no token has this id")
        checked.append(number)
    return checked
