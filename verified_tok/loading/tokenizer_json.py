"""Hugging Face `tokenizer.json` files."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from verified_tok.errors import InvalidTokenizerFile, UnsupportedConstruct, UnsupportedTokenizer
from verified_tok.loading.added_tokens import read_added_tokens
from verified_tok.loading.decoders import read_decoders
from verified_tok.loading.document import parse
from verified_tok.loading.model import read_model
from verified_tok.loading.node import Node
from verified_tok.loading.normalizers import read_normalizers
from verified_tok.loading.post_processors import read_post_processors
from verified_tok.loading.pre_tokenizers import read_pre_tokenizers
from verified_tok.loading.scan import ScannedModel, scan_model
from verified_tok.reference.added_tokens import Literals, literal_of
from verified_tok.reference.pattern import Chr
from verified_tok.reference.regex import pat_of
from verified_tok.spec import (
    AddedToken,
    ByteLevel,
    Literal,
    Metaspace,
    Normalizer,
    PreTokenizer,
    Regex,
    ReplaceAll,
    TokenizerSpec,
)
from verified_tok.vocabulary import Vocabulary

_STAGES = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
_OPTIONAL = ("version", "truncation", "padding", "added_tokens", *_STAGES)


def read_json(data: bytes, sha256: str) -> TokenizerSpec:
    """See `loading.load_json`; `sha256` is the hash of `data`."""
    usual = scan_model(data)
    if usual is not None:
        with suppress(InvalidTokenizerFile, UnsupportedTokenizer):  # the whole file says better what is wrong
            return _read(sha256, *usual)
    return _read(sha256, data, None)


def _read(sha256: str, data: bytes, scanned: ScannedModel | None) -> TokenizerSpec:
    problems: list[UnsupportedConstruct] = []
    root = Node(parse(data), "", problems)
    if "model" not in root.object():
        raise InvalidTokenizerFile(_other_file(root.object()))
    fields = root.record("model", optional=_OPTIONAL)
    if "version" in fields:
        fields["version"].one_of("1.0")
    field = {name: fields.get(name, Node(None, name, problems)) for name in _OPTIONAL}

    model = read_model(fields["model"], scanned)
    added_tokens: tuple[AddedToken, ...] = ()
    if "added_tokens" in fields:
        added_tokens = read_added_tokens(
            fields["added_tokens"], Vocabulary.of(model.vocab) if model else None
        )
    normalizers = read_normalizers(field["normalizer"])
    pre_tokenizers = read_pre_tokenizers(field["pre_tokenizer"])
    unknown_ids = partial(_unknown_ids, Vocabulary.of(model.vocab), added_tokens) if model else None
    post_processors = read_post_processors(field["post_processor"], unknown_ids)
    _check_first(field["pre_tokenizer"], normalizers, pre_tokenizers)
    decoders = read_decoders(field["decoder"])
    _check_truncation(field["truncation"])
    pads_batches = _read_padding(field["padding"])
    if model is None or problems:
        raise UnsupportedTokenizer(tuple(problems))
    _check_normalized(added_tokens, normalizers)
    return TokenizerSpec(
        sha256=sha256,
        source="tokenizer.json",
        added_tokens=added_tokens,
        normalizers=normalizers,
        pre_tokenizers=pre_tokenizers,
        model=model,
        decoders=decoders,
        post_processors=post_processors,
        pads_batches=pads_batches,
    )


def _unknown_ids(vocab: Vocabulary, tokens: tuple[AddedToken, ...], ids: Sequence[int]) -> list[int]:
    """Those of some ids that no token has."""
    known = {*vocab.with_ids(ids), *(token.id for token in tokens)}
    return [id for id in ids if id not in known]


def _check_normalized(tokens: tuple[AddedToken, ...], normalizers: tuple[Normalizer, ...]) -> None:
    """Literals that match normalized text are normalized themselves, and must stay distinct and not empty."""
    Literals.of((literal_of(normalizers, token), token) for token in tokens if token.normalized)


def _check_first(
    node: Node, normalizers: tuple[Normalizer, ...], pre_tokenizers: tuple[PreTokenizer, ...]
) -> None:
    """Notes a `Metaspace` for the first piece alone, where the engine takes other pieces for the first one.

    It asks whether a piece came from the very beginning of the text. Measured: what replaces several
    characters came from the last of them, and all bytes of a character came from where the character begins.
    """
    before: list[PreTokenizer] = []
    for stage in pre_tokenizers:
        if isinstance(stage, Metaspace) and stage.prepend_scheme == "first":
            if any(isinstance(other, ByteLevel) for other in before):
                node.unsupported('a Metaspace of prepend_scheme "first" behind a ByteLevel; put it in front')
            for normalizer in normalizers:
                if isinstance(normalizer, ReplaceAll) and not _takes_one(normalizer.pattern):
                    node.unsupported(
                        'a Metaspace of prepend_scheme "first" behind a Replace of several characters; '
                        'write "always" or "never"'
                    )
        before.append(stage)


def _takes_one(pattern: Literal | Regex) -> bool:
    """Whether each match of a pattern is one character."""
    return len(pattern.text) == 1 if isinstance(pattern, Literal) else isinstance(pat_of(pattern), Chr)


def _other_file(document: dict[str, object]) -> str:
    if "tokenizer_class" in document:
        return "not a tokenizer file but a tokenizer_config.json: load the tokenizer.json beside it"
    keys = ", ".join(sorted(document)[:5]) or "none"
    return f"not a tokenizer file: it has no `model` (its keys: {keys})"


def _check_truncation(node: Node) -> None:
    if node.value is not None:
        node.unsupported("texts would be cut off; write null, and cut the ids yourself")


def _read_padding(node: Node) -> bool:
    """Whether batches are to be padded to their longest text, which leaves every text's own ids alone.
    Padding that lengthens single texts is noted as not supported."""
    if node.value is None:
        return False
    fields = node.record(
        "strategy", "direction", "pad_id", "pad_type_id", "pad_token", optional=("pad_to_multiple_of",)
    )
    fields["direction"].one_of("Left", "Right")
    fields["pad_id"].natural()
    fields["pad_type_id"].natural()
    fields["pad_token"].string()
    multiple = fields.get("pad_to_multiple_of")
    if multiple is not None and multiple.value is not None and multiple.natural() > 1:
        multiple.unsupported("texts would be lengthened; write null, and pad the ids yourself")
    if fields["strategy"].value != "BatchLongest":
        fields["strategy"].unsupported(
            "texts would be lengthened; write BatchLongest, and pad the ids yourself"
        )
    return True
