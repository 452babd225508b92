"""The model, as tables of the native core.

The core works on the bytes of pieces. A byte-level vocabulary, or one of ranks, has symbols of bytes; any
other has symbols of characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from itertools import accumulate, chain

import numpy as np
import numpy.typing as npt

from verified_tok._core import native
from verified_tok.native import NotNative
from verified_tok.reference.byte_level import BYTE_OF_CHAR, CHAR_OF_BYTE
from verified_tok.reference.tables import FALLBACK_NAMES
from verified_tok.spec import MergeBpe, Model, RankBpe

Sections = dict[str, npt.NDArray[np.generic]]

_NONE = 0xFFFFFFFF


def sections(model: Model, byte_level: bool, banned: Set[int]) -> Sections:
    """The tables of a model that never answers with a banned token (see `reference.model.without`).

    `byte_level` says that pieces come to the model in byte-level characters. Raises `NotNative` for
    ids of 2**21 and above, and for a byte-level vocabulary whose bytes fall back to other tokens.
    """
    if isinstance(model, RankBpe):
        return _of_ranks(model.ranks, banned)
    return _of_bytes(model, banned) if byte_level else _of_chars(model, banned)


def changes(model: Model, byte_level: bool, banned: Set[int]) -> bool:
    """Whether banning these tokens changes the tables of a model."""
    if not banned:
        return False
    if isinstance(model, RankBpe):
        return not banned.isdisjoint(model.ranks.values())
    made = {result for _, _, result in model.merges}
    if not banned.isdisjoint(made) or (model.ignore_merges and not banned.isdisjoint(model.vocab.values())):
        return True
    return not byte_level and _chars(model, banned) != _chars(model, frozenset())


def _of_ranks(ranks: Mapping[bytes, int], banned: Set[int]) -> Sections:
    tokens = list(ranks)
    ids = np.fromiter(ranks.values(), np.uint32, len(ranks))
    byte_symbols = np.array([ranks[bytes([byte])] for byte in range(256)], np.uint32)
    return _build(ids, tokens, ~_among(ids, banned), byte_symbols=byte_symbols, banned=banned)


def _of_bytes(model: MergeBpe, banned: Set[int]) -> Sections:
    symbols = [model.vocab.get(char) for char in CHAR_OF_BYTE]
    if model.byte_fallback and (None in symbols or not banned.isdisjoint(symbols)):
        raise NotNative("a byte-level model in which single bytes fall back to other tokens")
    spelled = {text: data for text in model.vocab if (data := _unspell(text)) is not None}
    ids = np.fromiter((model.vocab[text] for text in spelled), np.uint32, len(spelled))
    whole = ~_among(ids, banned) if model.ignore_merges else np.zeros(len(ids), bool)
    return _build(
        ids,
        list(spelled.values()),
        whole,
        byte_symbols=np.array([_NONE if id is None else id for id in symbols], np.uint32),
        rules=_rules(model, banned),
        model=model,
    )


def _of_chars(model: MergeBpe, banned: Set[int]) -> Sections:
    vocab = model.vocab
    ids = np.fromiter(vocab.values(), np.uint32, len(vocab))
    return _build(
        ids,
        [text.encode() for text in vocab],
        ~_among(ids, banned) if model.ignore_merges else np.zeros(len(ids), bool),
        fallback_symbols=np.array([_NONE if id is None else id for id in _fallback(model)], np.uint32),
        chars=_chars(model, banned),
        rules=_rules(model, banned),
        model=model,
    )


def _fallback(model: MergeBpe) -> list[int | None]:
    return [model.vocab.get(name) for name in FALLBACK_NAMES] if model.byte_fallback else []


def _chars(model: MergeBpe, banned: Set[int]) -> dict[str, int]:
    """The tokens of characters; without a banned one where the character has other tokens, of its bytes."""
    fallback = _fallback(model)

    def replaceable(char: str) -> bool:
        return bool(fallback) and None not in [fallback[byte] for byte in char.encode()]

    return {
        text: id
        for text, id in model.vocab.items()
        if len(text) == 1 and not (id in banned and replaceable(text))
    }


def _build(
    ids: npt.NDArray[np.uint32],
    tokens: list[bytes],
    whole: npt.NDArray[np.bool_],
    byte_symbols: npt.NDArray[np.uint32] | None = None,
    fallback_symbols: npt.NDArray[np.uint32] | None = None,
    chars: Mapping[str, int] | None = None,
    rules: npt.NDArray[np.uint32] | None = None,
    model: MergeBpe | None = None,
    banned: Iterable[int] = (),
) -> Sections:
    nothing = np.empty(0, np.uint32)
    unknown = None if model is None or model.unk_token is None else model.vocab[model.unk_token]
    try:
        return native.build_model(
            of_chars=chars is not None,
            fuses_unknown=model is not None and model.fuse_unk,
            unknown=_NONE if unknown is None else unknown,
            ids=ids,
            offsets=np.fromiter(accumulate(map(len, tokens), initial=0), np.uint64, len(tokens) + 1),
            bytes=np.frombuffer(b"".join(tokens), np.uint8),
            whole=whole.astype(np.uint8),
            byte_symbols=nothing if byte_symbols is None else byte_symbols,
            fallback_symbols=nothing if fallback_symbols is None else fallback_symbols,
            char_codes=np.array([ord(char) for char in chars or ()], np.uint32),
            char_tokens=np.array(list((chars or {}).values()), np.uint32),
            rules=nothing if rules is None else rules,
            ranks=rules is None,
            banned=np.array(sorted(banned), np.uint32),
        )
    except ValueError as error:  # std::length_error
        raise NotNative(str(error)) from None


def _rules(model: MergeBpe, banned: Set[int]) -> npt.NDArray[np.uint32]:
    merges = np.fromiter(chain.from_iterable(model.merges), np.uint32, 3 * len(model.merges)).reshape(-1, 3)
    ranks = np.arange(len(merges), dtype=np.uint32)
    rules = np.column_stack([merges[:, 0], merges[:, 1], ranks, merges[:, 2]])
    return np.ascontiguousarray(rules[~_among(merges[:, 2], banned)]).reshape(-1)


def _among(ids: npt.NDArray[np.uint32], banned: Set[int]) -> npt.NDArray[np.bool_]:
    return np.isin(ids, np.array(sorted(banned), np.uint32))


_TO_LATIN_1 = {code: BYTE_OF_CHAR.get(chr(code), 0xFFFF) for code in [*range(256), *map(ord, BYTE_OF_CHAR)]}


def _unspell(text: str) -> bytes | None:
    """`reference.byte_level.unspell`, for whole vocabularies: ten times as fast."""
    try:
        return text.translate(_TO_LATIN_1).encode("latin-1")
    except UnicodeEncodeError:
        return None
