"""The model, as tables of the native core.

The core works on the bytes of pieces. A byte-level vocabulary, or one of ranks, has symbols of bytes; any
other has symbols of characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

import numpy as np
import numpy.typing as npt

from verified_tok._core import native
from verified_tok.native import NotNative, Sections
from verified_tok.native.alphabet import BYTES_SPELLED
from verified_tok.reference.byte_level import CHAR_OF_BYTE
from verified_tok.reference.tables import FALLBACK_NAMES
from verified_tok.spec import MergeBpe, Model, RankBpe
from verified_tok.vocabulary import Flat, Merges, RankTable, Vocabulary, entries_of

_NONE = 0xFFFFFFFF


def sections(model: Model, byte_level: bool, banned: Set[int]) -> Sections:
    """The tables of a model that never answers with a banned token (see `reference.model.without`).

    `byte_level` says that pieces come to the model in byte-level characters. Raises `NotNative` for
    ids of 2**21 and above, and for a byte-level vocabulary whose bytes fall back to other tokens.
    """
    if isinstance(model, RankBpe):
        return _of_ranks(RankTable.of(model.ranks), banned)
    vocab = Vocabulary.of(model.vocab)
    return _of_bytes(model, vocab, banned) if byte_level else _of_chars(model, vocab, banned)


def changes(model: Model, byte_level: bool, banned: Set[int]) -> bool:
    """Whether banning these tokens changes the tables of a model."""
    if not banned:
        return False
    given = _among(entries_of(model).ids, banned).any()
    if isinstance(model, RankBpe):
        return bool(given)
    if (model.ignore_merges and given) or _among(Merges.of(model.merges).ids[:, 2], banned).any():
        return True
    vocab = Vocabulary.of(model.vocab)
    return not byte_level and _chars(model, vocab, banned) != _chars(model, vocab, frozenset())


def _of_ranks(ranks: RankTable, banned: Set[int]) -> Sections:
    byte_ids = ranks.find(bytes([byte]) for byte in range(256))
    byte_symbols = np.array([byte_ids[bytes([byte])] for byte in range(256)], np.uint32)
    return _build(ranks.flat, ~_among(ranks.ids, banned), byte_symbols=byte_symbols, banned=banned)


def _of_bytes(model: MergeBpe, vocab: Vocabulary, banned: Set[int]) -> Sections:
    known = vocab.find(CHAR_OF_BYTE)
    symbols = [known.get(char) for char in CHAR_OF_BYTE]
    if model.byte_fallback and (None in symbols or not banned.isdisjoint(symbols)):
        raise NotNative("a byte-level model in which single bytes fall back to other tokens")
    places, data, offsets = native.spelled_in(vocab.flat.data, vocab.flat.offsets, BYTES_SPELLED)
    ids = vocab.ids[places]
    return _build(
        Flat(data, offsets, ids),
        ~_among(ids, banned) if model.ignore_merges else np.zeros(len(ids), bool),
        byte_symbols=np.array([_NONE if id is None else id for id in symbols], np.uint32),
        rules=_rules(model, banned),
        model=model,
    )


def _of_chars(model: MergeBpe, vocab: Vocabulary, banned: Set[int]) -> Sections:
    return _build(
        vocab.flat,
        ~_among(vocab.ids, banned) if model.ignore_merges else np.zeros(len(vocab), bool),
        fallback_symbols=np.array([_NONE if id is None else id for id in _fallback(model, vocab)], np.uint32),
        chars=_chars(model, vocab, banned),
        rules=_rules(model, banned),
        model=model,
    )


def _fallback(model: MergeBpe, vocab: Vocabulary) -> list[int | None]:
    known = vocab.find(FALLBACK_NAMES) if model.byte_fallback else {}
    return [known.get(name) for name in FALLBACK_NAMES] if model.byte_fallback else []


def _chars(model: MergeBpe, vocab: Vocabulary, banned: Set[int]) -> dict[str, int]:
    """The tokens of characters; without a banned one where the character has other tokens, of its bytes."""
    fallback = _fallback(model, vocab)

    def replaceable(char: str) -> bool:
        return bool(fallback) and None not in [fallback[byte] for byte in char.encode()]

    return {text: id for text, id in vocab.chars().items() if not (id in banned and replaceable(text))}


def _build(
    entries: Flat,
    whole: npt.NDArray[np.bool_],
    byte_symbols: npt.NDArray[np.uint32] | None = None,
    fallback_symbols: npt.NDArray[np.uint32] | None = None,
    chars: Mapping[str, int] | None = None,
    rules: npt.NDArray[np.uint32] | None = None,
    model: MergeBpe | None = None,
    banned: Iterable[int] = (),
) -> Sections:
    nothing = np.empty(0, np.uint32)
    unknown = (
        None
        if model is None or model.unk_token is None
        else Vocabulary.of(model.vocab).find([model.unk_token])[model.unk_token]
    )
    try:
        return native.build_model(
            of_chars=chars is not None,
            fuses_unknown=model is not None and model.fuse_unk,
            unknown=_NONE if unknown is None else unknown,
            ids=entries.ids,
            offsets=entries.offsets.astype(np.uint64),
            bytes=entries.data,
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
    merges = Merges.of(model.merges).ids
    ranks = np.arange(len(merges), dtype=np.uint32)
    rules = np.column_stack([merges[:, 0], merges[:, 1], ranks, merges[:, 2]])
    if banned:
        rules = np.ascontiguousarray(rules[~_among(merges[:, 2], banned)])
    return rules.reshape(-1)


def _among(ids: npt.NDArray[np.uint32], banned: Set[int]) -> npt.NDArray[np.bool_]:
    return np.isin(ids, np.array(sorted(banned), np.uint32))
