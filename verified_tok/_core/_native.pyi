"""The native core (C++)."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

SECTIONS: dict[str, int]
"""The sections of an image, and the size of their elements in bytes."""

class Image:
    """All tables of a tokenizer in one block of memory."""

    @staticmethod
    def of(arrays: Mapping[str, npt.NDArray[np.generic]]) -> Image:
        """An image of one-dimensional arrays, by the names of their sections."""

    @staticmethod
    def over(memory: npt.NDArray[np.uint8]) -> Image:
        """The image that lies in `memory`, which must begin at a multiple of 64 bytes. Raises ValueError."""

    @property
    def memory(self) -> npt.NDArray[np.uint8]: ...

def literal_parts(image: Image, text: bytes, normalized: bool) -> list[tuple[int, int, int]]:
    """A text cut at the added tokens that match raw (or `normalized`) text: (start, stop, id), in bytes; the
    id of the text between them is -1. `text` must be valid UTF-8."""

def split(image: Image, text: bytes) -> npt.NDArray[np.int64]:
    """The pieces of a text as rows (start, stop) of bytes, shape (pieces, 2). `text` must be valid UTF-8."""

def normalize_segment(
    image: Image, segment: bytes, inside: bool, origins: bool
) -> tuple[bytes, list[tuple[int, int]] | None]:
    """A segment after the normalizer, and from where in the segment each of its bytes came. `segment` must be
    valid UTF-8; `inside` says that it goes on from other text."""
