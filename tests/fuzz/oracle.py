"""What the reference says, by its own modules alone."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import lru_cache, partial
from typing import NamedTuple

from verified_tok.reference import pipeline
from verified_tok.reference.aligned import Aligned, Span, hull
from verified_tok.reference.decode import decode_bytes, decode_text, skipped, token_texts
from verified_tok.reference.model import encode_piece, encoder, without
from verified_tok.reference.pre_tokenizer import pre_tokenize
from verified_tok.spec import TokenizerSpec


class Placed(NamedTuple):
    """Tokens and their places."""

    ids: list[int]
    byte_spans: list[list[int]]
    char_spans: list[list[int]]


class Reference:
    """The reference's answers for one tokenizer."""

    def __init__(self, spec: TokenizerSpec) -> None:
        self.spec = spec
        self.texts = token_texts(spec)
        self.all = frozenset(token.id for token in spec.added_tokens)
        self._model = encoder(spec.model)
        self._skipped = skipped(spec)
        self._pipeline = lru_cache(maxsize=4)(self._build)

    def encode(self, text: str, enabled: Set[int]) -> list[int]:
        """Ids, where these added tokens are recognized."""
        return list(pipeline.encode(self._pipeline(frozenset(enabled)), text))

    def places(self, text: str, enabled: Set[int]) -> Placed:
        """Ids and spans."""
        found = pipeline.encode_with_spans(self._pipeline(frozenset(enabled)), text)
        spans = [token.span for token in found]
        chars = pipeline.char_spans(text, spans)
        return Placed([token.id for token in found], list(map(list, spans)), list(map(list, chars)))

    def pieces(self, text: str) -> list[tuple[str, Span]]:
        """What the pre-tokenizer cuts a text into, and from where each piece came."""
        found = pre_tokenize(self.spec.pre_tokenizers, Aligned.of(text))
        return [(piece.text, hull(piece.origins)) for piece in found]

    def decode(self, ids: Sequence[int], skip: bool) -> str:
        """The text of ids."""
        return decode_text(self.spec.decoders, self._tokens(ids, skip))

    def decode_bytes(self, ids: Sequence[int], skip: bool) -> bytes:
        """Their bytes."""
        return decode_bytes(self.spec.decoders, self._tokens(ids, skip))

    def _tokens(self, ids: Sequence[int], skip: bool) -> list[bytes]:
        return [self.texts[id] for id in ids if not (skip and id in self._skipped)]

    def _build(self, enabled: frozenset[int]) -> pipeline.Pipeline:
        model = without(self._model, pipeline.markup(self.spec, enabled))
        pieces = lru_cache(maxsize=1 << 14)(partial(encode_piece, model))
        return pipeline.pipeline(self.spec, enabled, pieces)
