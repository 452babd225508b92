"""One tokenizer file, loaded by the kit and by the reference engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from tiny import Document

import verified_tok as vt
from verified_tok.peer import HuggingFace

T = TypeVar("T")


def answer(call: Callable[[], T]) -> T | None:
    """What a call of the engine returns, or None where the engine panics and so has no answer."""
    try:
        return call()
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None


class Twins:
    """`ours` and `theirs`, made of the same file."""

    def __init__(self, file: Document | bytes) -> None:
        data = file if isinstance(file, bytes) else json.dumps(file).encode()
        self.ours = vt.load(data)
        self.theirs = HuggingFace(data).engine

    @cached_property
    def all_ids(self) -> list[int]:
        """Every id that the engine knows."""
        return sorted(self.theirs.get_vocab(with_added_tokens=True).values())

    def assert_same_ids(self, text: str, add_special_tokens: bool = False) -> list[int]:
        """Both encode a text to the same ids, which are returned."""
        ids = self.ours.encode(text, add_special_tokens=add_special_tokens).tolist()
        assert ids == self.theirs.encode(text, add_special_tokens=add_special_tokens).ids
        return ids

    def assert_same_offsets(self, text: str, add_special_tokens: bool = False) -> None:
        """Both say the same about where in a text its tokens are."""
        encoding = self.ours.encode_with_spans(text, add_special_tokens=add_special_tokens)
        expected = self.theirs.encode(text, add_special_tokens=add_special_tokens)
        assert encoding.ids.tolist() == expected.ids
        assert list(map(tuple, encoding.offsets.tolist())) == expected.offsets

    def assert_same_text(self, ids: list[int]) -> None:
        """Both decode ids to the same text."""
        for skip in (False, True):
            assert self.ours.decode(ids, skip_special_tokens=skip) == self.theirs.decode(
                ids, skip_special_tokens=skip
            )
