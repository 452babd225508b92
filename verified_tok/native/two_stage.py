"""Tables over all code points in two stages: the number of a block, then the value in the block."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_BLOCK = 128


def two_stage(*values: npt.NDArray[Any]) -> tuple[npt.NDArray[np.uint16], list[npt.NDArray[Any]]]:
    """Arrays of one value a code point, with their equal blocks of 128 kept once.

    The value of code point c is `stored[block[c >> 7] << 7 | c & 127]`; several arrays share the blocks.
    """
    blocks = [array.reshape(-1, _BLOCK) for array in values]
    numbers: dict[bytes, int] = {}
    rows: list[int] = []
    block = np.empty(len(blocks[0]), np.uint16)
    for row in range(len(block)):
        key = b"".join(array[row].tobytes() for array in blocks)
        block[row] = numbers.setdefault(key, len(rows))
        if block[row] == len(rows):
            rows.append(row)
    return block, [np.ascontiguousarray(array[rows].reshape(-1)) for array in blocks]
