"""What the audit asks of a tokenizer about single ids, answered once each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from verified_tok.errors import InvalidTokenId
from verified_tok.session_state import Ids
from verified_tok.spec import AddedToken, Template
from verified_tok.tokenizer import Tokenizer
from verified_tok.visible import piece_text

_UNSEEN, _UNKNOWN = -1, -2


@dataclass(frozen=True, slots=True)
class Literal:
    """An added token that stands as text in a text: characters `start` to `stop`."""

    start: int
    stop: int
    token: AddedToken


class Vocabulary:
    """A tokenizer's ids.

    `control` holds the ids of its added tokens, but of those that are white space: some tokenizers have
    runs of spaces and newlines among them.
    """

    def __init__(self, tok: Tokenizer) -> None:
        self.tok = tok
        control = [token for token in tok.spec.added_tokens if token.content.strip()]
        self._tokens = {token.content: token for token in control}
        self.control = frozenset(token.id for token in control)
        self.begin: tuple[int, ...] = sum(
            (stage.before for stage in tok.spec.post_processors if isinstance(stage, Template)), ()
        )
        self._lengths = np.full(tok.vocab_size, _UNSEEN, dtype=np.int64)
        longest_first = sorted(self._tokens, key=len, reverse=True)
        self._literal = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    def bytes_of(self, id: int) -> bytes:
        """The bytes of an id that is known."""
        return self.tok.id_to_bytes(id)

    def names(self, ids: Iterable[int]) -> str:
        """The texts of known ids, for a sentence."""
        return " ".join(piece_text(self.bytes_of(int(id))) for id in ids)

    def lengths(self, ids: Ids) -> npt.NDArray[np.int64]:
        """The numbers of bytes of known ids."""
        return self._lengths[ids]

    def unknown(self, ids: npt.NDArray[np.int64]) -> int | None:
        """The place of the first id that no token has, or None."""
        outside = (ids < 0) | (ids >= len(self._lengths))
        if outside.any():
            return int(outside.argmax())
        for id in np.unique(ids[self._lengths[ids] == _UNSEEN]).tolist():
            try:
                self._lengths[id] = len(self.tok.id_to_bytes(id))
            except InvalidTokenId:
                self._lengths[id] = _UNKNOWN
        strange = self._lengths[ids] == _UNKNOWN
        return int(strange.argmax()) if strange.any() else None

    def literals(self, text: str) -> Iterator[Literal]:
        """The literals of control tokens in a text, leftmost and longest first."""
        for match in self._literal.finditer(text):
            yield Literal(match.start(), match.end(), self._tokens[match.group()])
