"""Files that the native core reads: the usual ones, whose vocabulary never becomes Python objects.

The core takes the vocabulary and the merges out of a file; what is left is as small a document as any other.
Where a file is unusual in any way, or damaged, the loader in Python reads all of it, and says what is wrong.
"""

from __future__ import annotations

from typing import NamedTuple

from verified_tok._core import native
from verified_tok.vocabulary import Flat, Merges, RankTable, Vocabulary


class ScannedModel(NamedTuple):
    """The vocabulary and the merges of a `tokenizer.json`, which obey all rules of the format."""

    vocab: Vocabulary
    merges: Merges


def scan_model(data: bytes) -> tuple[bytes, ScannedModel] | None:
    """A `tokenizer.json` with an empty vocabulary and without merges, and what was in their place.

    The file is well-formed if what is left is.
    """
    found = native.scan_model(data) if native is not None else None
    if found is None:
        return None
    vocab, merges, (vocab_start, vocab_stop, merges_start, merges_stop) = found
    left = (data[:vocab_start], b"{}", data[vocab_stop:merges_start], b"[]", data[merges_stop:])
    return b"".join(left), ScannedModel(Vocabulary(Flat(*vocab)), Merges(merges))


def scan_ranks(data: bytes) -> RankTable | None:
    """The entries of a `.tiktoken` file that is just what tiktoken would write for them."""
    found = native.scan_ranks(data) if native is not None else None
    return None if found is None else RankTable(Flat(*found))
