"""The model stage: from one piece of text to its tokens (`lean/VerifiedTok/Spec/Model.lean`).

A piece becomes symbols, one for each character or byte (`initial_symbols`), and the rank table merges those
(`bpe`). Both kinds of model take this road; a vocabulary of bytes is one without any character.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from verified_tok.reference.bpe import Table, merge_places
from verified_tok.reference.tables import FALLBACK_NAMES, NOT_IN_UTF8, of_merges, of_ranks
from verified_tok.spec import MergeBpe, Model, RankBpe
from verified_tok.vocabulary import Vocabulary


class Token(NamedTuple):
    """A token, and the bytes of its piece (in UTF-8) that it covers."""

    id: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Encoder:
    """A model as encoding needs it, built once for a tokenizer."""

    table: Table = field(repr=False)
    whole: Mapping[str, int] = field(repr=False)
    """Pieces that are one token, whatever the merges say."""
    chars: Mapping[str, int] = field(repr=False)
    """The tokens of single characters."""
    byte_tokens: tuple[int | None, ...] = field(repr=False)
    """The token of each byte, for characters that have none; empty if the model does not fall back."""
    unk: int | None
    """The token of a character that has neither; without it the character is dropped."""
    fuse_unk: bool


def encoder(model: Model) -> Encoder:
    """Build the tables of a model."""
    if isinstance(model, RankBpe):
        table = of_ranks(model.ranks)
        return Encoder(
            table=table,
            whole={text: id for data, id in model.ranks.items() if (text := _text(data)) is not None},
            chars={},
            byte_tokens=table.byte_token,
            unk=None,
            fuse_unk=False,
        )
    return replace(unmerged(model), table=of_merges((), model.merges))


def unmerged(model: MergeBpe) -> Encoder:
    """The encoder of a model as if it had no merges: what a vocabulary alone decides, built in a moment."""
    vocab = Vocabulary.of(model.vocab)
    known = vocab.find([*FALLBACK_NAMES, model.unk_token or ""])
    return Encoder(
        table=Table((), {}),
        whole=vocab if model.ignore_merges else {},
        chars=vocab.chars(),
        byte_tokens=tuple(map(known.get, FALLBACK_NAMES)) if model.byte_fallback else (),
        unk=None if model.unk_token is None else known[model.unk_token],
        fuse_unk=model.fuse_unk,
    )


def without(encoder: Encoder, banned: Set[int]) -> Encoder:
    """The encoder that never answers with a banned token.

    No merge and no whole piece gives one. A character whose token is banned falls back to its bytes; if it
    cannot, it keeps its token, because text must not be lost. Tokens of bytes and the unknown token stay.
    """
    rules, whole, chars = encoder.table.rules, encoder.whole, encoder.chars
    results = {rule.result for rule in rules.values()} if banned else set()
    replaceable = {char for char, id in chars.items() if id in banned and _bytes(encoder, char)}
    if banned.isdisjoint(results) and banned.isdisjoint(whole.values()) and not replaceable:
        return encoder
    return replace(
        encoder,
        table=replace(encoder.table, rules={pair: r for pair, r in rules.items() if r.result not in banned}),
        whole={text: id for text, id in whole.items() if id not in banned},
        chars={char: id for char, id in chars.items() if char not in replaceable},
    )


def initial_symbols(encoder: Encoder, piece: str) -> list[Token]:
    """The tokens that merging begins with.

    An unknown character waits for the next one, with which `fuse_unk` may join it. As in the reference
    engine, bytes that a character falls back to do not wait behind it: they come first.
    """
    symbols: list[Token] = []
    unknown: Token | None = None
    start = 0
    for char in piece:
        stop = start + len(char.encode())
        token = encoder.chars.get(char)
        if token is not None:
            if unknown:
                symbols.append(unknown)
                unknown = None
            symbols.append(Token(token, start, stop))
        elif fallback := _bytes(encoder, char):
            symbols += [Token(byte, start + k, start + k + 1) for k, byte in enumerate(fallback)]
        elif encoder.unk is not None:
            if unknown and encoder.fuse_unk:
                unknown = Token(encoder.unk, unknown.start, stop)
            else:
                if unknown:
                    symbols.append(unknown)
                unknown = Token(encoder.unk, start, stop)
        start = stop
    return [*symbols, unknown] if unknown else symbols


def symbols(encoder: Encoder, char: str) -> list[int]:
    """The symbols of a character that is not unknown; none for one that is."""
    return [encoder.chars[char]] if char in encoder.chars else _bytes(encoder, char)


def complete(encoder: Encoder) -> bool:
    """Whether no character is unknown: every byte that text can hold has a token."""
    missing = {byte for byte, token in enumerate(encoder.byte_tokens) if token is None}
    return bool(encoder.byte_tokens) and missing <= NOT_IN_UTF8


def encode_piece(encoder: Encoder, piece: str) -> tuple[Token, ...]:
    """The tokens of a piece."""
    whole = encoder.whole.get(piece)
    if whole is not None:
        return (Token(whole, 0, len(piece.encode())),)
    symbols = initial_symbols(encoder, piece)
    places = merge_places(encoder.table, [symbol.id for symbol in symbols])
    tokens = []
    for (first, id), (behind, _) in pairwise([*places, (len(symbols), -1)]):
        made_of = symbols[first:behind]
        tokens.append(Token(id, min(s.start for s in made_of), max(s.stop for s in made_of)))
    return tuple(tokens)


def _bytes(encoder: Encoder, char: str) -> list[int]:
    """The tokens of a character's bytes; none if one of them has no token."""
    if not encoder.byte_tokens:
        return []
    tokens = [encoder.byte_tokens[byte] for byte in char.encode()]
    return [] if None in tokens else tokens  # type: ignore[return-value]


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
