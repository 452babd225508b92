"""What the engines cut out of a text by a regular expression."""

from __future__ import annotations

from collections.abc import Iterable

import tiktoken
from tokenizers import Regex, pre_tokenizers

from verified_tok.reference.pattern import Pat, split


class TokenizersSplit:
    """A `Split` stage of Hugging Face tokenizers; raises what the engine raises for a bad regex."""

    def __init__(self, regex: str, behavior: str = "isolated") -> None:
        self._engine = pre_tokenizers.Split(Regex(regex), behavior)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The non-empty matches and gaps, as spans of characters."""
        return [span for _, span in self._engine.pre_tokenize_str(text)]


def our_spans(pat: Pat, text: str) -> list[tuple[int, int]]:
    """The same by our matcher."""
    return [(piece.start, piece.stop) for piece in split(pat, text) if piece.start < piece.stop]


def tiktoken_matches(regex: str, texts: Iterable[str]) -> list[list[str]]:
    """The texts of the matches that tiktoken finds; it drops the gaps between them.

    Every substring of the texts is made a token, so that a match is one token.
    """
    texts = list(texts)
    pieces = {t[i:j].encode() for t in texts for i in range(len(t)) for j in range(i + 1, len(t) + 1)}
    single = {bytes([b]) for b in range(256)}
    ranks = {piece: rank for rank, piece in enumerate([*sorted(single), *sorted(pieces - single)])}
    engine = tiktoken.Encoding("probe", pat_str=regex, mergeable_ranks=ranks, special_tokens={})
    return [
        [engine.decode_single_token_bytes(i).decode() for i in engine.encode_ordinary(text)] for text in texts
    ]


def our_matches(pat: Pat, text: str) -> list[str]:
    """The same by our matcher."""
    return [text[piece.start : piece.stop] for piece in split(pat, text) if piece.matched]
