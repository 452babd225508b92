"""What the audit asks of a tokenizer about single ids, answered once each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from verified_tok.errors import InvalidTokenId
from verified_tok.session_state import Ids
from verified_tok.spec import AddedToken, Template
from verified_tok.tokenizer import Tokenizer
from verified_tok.visible import piece_text


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
        self._pieces: dict[int, bytes | None] = {}
        longest_first = sorted(self._tokens, key=len, reverse=True)
        self._literal = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    def bytes_of(self, id: int) -> bytes:
        """The bytes of an id that is known."""
        piece = self._piece(id)
        assert piece is not None, id
        return piece

    def names(self, ids: Iterable[int]) -> str:
        """The texts of known ids, for a sentence."""
        return " ".join(piece_text(self.bytes_of(int(id))) for id in ids)

    def pieces(self, ids: Sequence[int] | Ids) -> list[bytes]:
        """The bytes of known ids."""
        return [self.bytes_of(int(id)) for id in ids]

    def unknown(self, ids: npt.NDArray[np.int64]) -> int | None:
        """The place of the first id that no token has, or None."""
        strangers = [id for id in np.unique(ids) if self._piece(int(id)) is None]
        return int(np.isin(ids, strangers).argmax()) if strangers else None

    def literals(self, text: str) -> Iterator[Literal]:
        """The literals of control tokens in a text, leftmost and longest first."""
        for match in self._literal.finditer(text):
            yield Literal(match.start(), match.end(), self._tokens[match.group()])

    def _piece(self, id: int) -> bytes | None:
        if id not in self._pieces:
            try:
                self._pieces[id] = self.tok.id_to_bytes(id)
            except InvalidTokenId:
                self._pieces[id] = None
        return self._pieces[id]
