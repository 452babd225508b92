"""Characters that patterns cannot tell apart, as numbers from 0 on: what native matchers look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from verified_tok.native import NotNative
from verified_tok.native.two_stage import two_stage
from verified_tok.reference.byte_level import CHAR_OF_BYTE
from verified_tok.reference.charset import CharSet
from verified_tok.reference.pattern import Chr, Pat
from verified_tok.reference.seam_table import classes_of

BLOCK = 64
"""How many code points share a block: those whose UTF-8 differs in the last byte only."""

_ASCII = CharSet([(0, 0x7F)])

Symbols = int
"""A set of symbols, bit `n` for class `n`; the end of the text is one more symbol, behind all classes."""


@dataclass(frozen=True, slots=True)
class CharClasses:
    """The coarsest classes for some patterns, and a two-stage table to find them.

    No class holds both ASCII and other characters: hand-tuned matchers look at the others only. The class of
    a code point `c` is `blocks[index[c // 64] * 64 + c % 64]`; of an ASCII character also `blocks[c]`.
    """

    representatives: str
    index: npt.NDArray[np.uint16]
    blocks: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, patterns: Sequence[Pat]) -> CharClasses:
        """The classes of some patterns together; raises NotNative if a byte cannot number them."""
        class_of, representatives = classes_of([*patterns, Chr(_ASCII)])
        if len(representatives) > 255:
            raise NotNative(f"patterns that tell {len(representatives)} classes of characters apart")
        class_of = class_of.astype(np.uint8)
        index, [blocks] = two_stage(class_of, size=BLOCK)
        return cls(representatives, index + np.uint16(2), np.concatenate([class_of[: 2 * BLOCK], blocks]))

    @property
    def end(self) -> int:
        """The symbol that stands for the end of the text."""
        return len(self.representatives)

    @property
    def every(self) -> Symbols:
        """All symbols."""
        return (1 << (self.end + 1)) - 1

    def symbols(self, chars: CharSet) -> Symbols:
        """The classes that a set of characters is made of."""
        members = np.searchsorted(chars.edges, [ord(char) for char in self.representatives], side="right") % 2
        return sum(1 << int(number) for number in np.flatnonzero(members))

    def first_bytes(self, symbols: Symbols) -> npt.NDArray[np.uint8]:
        """Which bytes the UTF-8 of a character of these classes can begin with: one flag a byte."""
        in_block = self.members(symbols)[self.blocks].reshape(-1, BLOCK)
        blocks: npt.NDArray[np.bool_] = np.any(in_block, axis=1)[self.index]
        flags = np.zeros(256, dtype=np.uint8)
        flags[:0x80] = in_block[:2].ravel()
        flags[0xC0:0xE0] = blocks[:32]
        flags[0xE0:0xF0] = blocks[:1024].reshape(16, 64).any(axis=1)
        flags[0xF0:0xF4] = blocks[: 4 * 4096].reshape(4, 4096).any(axis=1)
        flags[0xF4] = blocks[4 * 4096 :].any()
        return flags

    def of_spelled(self) -> npt.NDArray[np.uint8]:
        """The class of the byte-level character of each byte."""
        letters = np.array([*map(ord, CHAR_OF_BYTE)])
        places = self.index.astype(np.int64)[letters // BLOCK] * BLOCK + letters % BLOCK
        found: npt.NDArray[np.uint8] = self.blocks[places]
        return found

    def members(self, symbols: Symbols) -> npt.NDArray[np.uint8]:
        """A set of symbols as one flag a symbol."""
        return np.array([symbols >> number & 1 for number in range(self.end + 1)], dtype=np.uint8)
