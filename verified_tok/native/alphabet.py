"""The characters that byte-level tokenizers write bytes with, as a table of the native core."""

from __future__ import annotations

import numpy as np

from verified_tok.reference.byte_level import BYTE_OF_CHAR

BYTES_SPELLED = np.full(1 + max(map(ord, BYTE_OF_CHAR)), -1, np.int16)
BYTES_SPELLED[[*map(ord, BYTE_OF_CHAR)]] = [*BYTE_OF_CHAR.values()]
"""The byte that each byte-level character stands for, -1 for other characters."""
