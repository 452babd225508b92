"""Tables over all code points in two stages: the number of a block, then the value in the block."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from verified_tok.reference.numbering import numbered


def two_stage(
    *values: npt.NDArray[Any], size: int = 128
) -> tuple[npt.NDArray[np.uint16], list[npt.NDArray[Any]]]:
    """Arrays of one value a code point, with their equal blocks of some size kept once.

    The value of code point c is `stored[block[c // size] * size + c % size]`; several arrays share the
    blocks.
    """
    blocks = [array.reshape(-1, size) for array in values]
    changes = sum((array[1:] != array[:-1]).any(axis=1) for array in blocks)
    starts = np.flatnonzero(np.append(True, changes))  # of runs of equal blocks, which are most
    numbers, first = numbered(b"".join(array[row].tobytes() for array in blocks) for row in starts.tolist())
    block = np.repeat(np.array(numbers, np.uint16), np.diff(starts, append=len(blocks[0])))
    rows = starts[first]
    return block, [np.ascontiguousarray(array[rows].reshape(-1)) for array in blocks]
