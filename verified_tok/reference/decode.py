"""Decoding: a chain of stages that turns the texts of tokens into bytes, and those into text.

Bytes come first: a token may end in the middle of a character, so only the whole has a text. Where bytes are
not UTF-8, `decode_text` puts U+FFFD as the reference engine does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from verified_tok.reference.added_tokens import literal_of
from verified_tok.reference.byte_level import spell, unspell
from verified_tok.spec import (
    ByteFallbackDecode,
    ByteLevelDecode,
    Decoder,
    FuseDecode,
    MergeBpe,
    MetaspaceDecode,
    ReplaceDecode,
    StripDecode,
    TokenizerSpec,
)
from verified_tok.text import check_errors, strict_text

REPLACEMENT = "\ufffd".encode()


def token_texts(spec: TokenizerSpec) -> dict[int, bytes]:
    """What decoding begins with: for every token its text in the vocabulary, in UTF-8 (the bytes themselves
    if the vocabulary is one of bytes).

    An added token's text is its literal, as it stands in normalized text if it is a `normalized` one. If
    only the list of added tokens has it, a decoder that begins with a byte-level stage gives it back as it
    is. (The reference engine misreads such a literal if it happens to be made of byte-level characters: `ø`
    becomes the byte F8. Behind other stages it is read as the engine reads it.)
    """
    if isinstance(spec.model, MergeBpe):
        texts = {id: text.encode() for text, id in spec.model.vocab.items()}
    else:
        texts = {id: data for data, id in spec.model.ranks.items()}
    byte_level = isinstance(next(iter(spec.decoders), None), ByteLevelDecode)
    ordinary = set(texts)
    for token in spec.added_tokens:
        data = literal_of(spec.normalizers, token).encode()
        texts[token.id] = spell(data).encode() if byte_level and token.id not in ordinary else data
    return texts


def skipped(spec: TokenizerSpec) -> frozenset[int]:
    """The ids that `skip_special_tokens` leaves out: those of special tokens, except, as in the reference
    engine, tokens whose literal the normalizer changes."""
    return frozenset(
        token.id
        for token in spec.added_tokens
        if token.special and literal_of(spec.normalizers, token) == token.content
    )


def decode_bytes(stages: Sequence[Decoder], tokens: Iterable[bytes]) -> bytes:
    """The bytes that tokens with these texts stand for.

    >>> decode_bytes((ByteLevelDecode(),), ["Ġna".encode(), "Ã".encode(), "¯ve".encode()])
    b' na\\xc3\\xafve'
    """
    return b"".join(decode_chain(stages, list(tokens), lossy=False))


def decode_text(stages: Sequence[Decoder], tokens: Iterable[bytes], errors: str = "replace") -> str:
    """The text that tokens with these texts stand for.

    `errors` says what becomes of bytes that are not UTF-8: "replace" puts U+FFFD, "strict" raises
    `InvalidUtf8`.
    """
    check_errors(errors)
    if errors == "strict":
        return strict_text(decode_bytes(stages, tokens))
    return b"".join(decode_chain(stages, list(tokens), lossy=True)).decode(errors="replace")


def token_bytes(stages: Sequence[Decoder], token: bytes) -> bytes:
    """The bytes that one token stands for inside a text, away from its ends."""
    inside = [*stages]
    for place, stage in enumerate(stages):
        if isinstance(stage, FuseDecode | ByteLevelDecode):
            inside[place + 1 :] = [s for s in stages[place + 1 :] if not isinstance(s, StripDecode)]
            break
    return b"".join(decode_chain(inside, [b"", token], lossy=False))


def decode_chain(stages: Sequence[Decoder], tokens: list[bytes], *, lossy: bool) -> list[bytes]:
    """Run every stage over all tokens. `lossy` puts U+FFFD for what is not UTF-8, where the engine does."""
    for stage in stages:
        match stage:
            case ByteLevelDecode():
                data = b"".join(map(byte_level, tokens))
                tokens = [data.decode(errors="replace").encode() if lossy else data]
            case ReplaceDecode(pattern, content):
                tokens = [token.replace(pattern.text.encode(), content.encode()) for token in tokens]
            case ByteFallbackDecode():
                tokens = _byte_fallback(tokens, lossy)
            case FuseDecode():
                tokens = [b"".join(tokens)]
            case StripDecode(content, start, stop):
                tokens = [strip(token, content.encode(), start, stop) for token in tokens]
            case MetaspaceDecode():
                tokens = [metaspace(stage, token, first=place == 0) for place, token in enumerate(tokens)]
    return tokens


# --- what the stages do ------------------------------------------------------------------------------

_BYTE_TOKEN = re.compile(rb"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>")  # the engine's number parser accepts a plus


def byte_level(token: bytes) -> bytes:
    """The bytes that a token's characters spell; a token with any other character stays as it is."""
    data = unspell(token.decode(errors="surrogateescape"))
    return token if data is None else data


def byte_value(token: bytes) -> bytes | None:
    """The byte that a token such as `<0x0A>` names."""
    named = _BYTE_TOKEN.fullmatch(token)
    return bytes([int(named[1], 16)]) if named else None


def strip(token: bytes, content: bytes, start: int, stop: int) -> bytes:
    """Take at most `start` times `content` from the front and `stop` times from the end."""
    while start > 0 and token.startswith(content):
        token, start = token.removeprefix(content), start - 1
    while stop > 0 and token.endswith(content):
        token, stop = token.removesuffix(content), stop - 1
    return token


def metaspace(stage: MetaspaceDecode, token: bytes, first: bool) -> bytes:
    """Marks become spaces; in the first token they vanish, because encoding put them there."""
    dropped = first and stage.prepend_scheme != "never"
    return token.replace(stage.replacement.encode(), b"" if dropped else b" ")


def _byte_fallback(tokens: list[bytes], lossy: bool) -> list[bytes]:
    """Byte tokens become bytes. If a run of them is not UTF-8, every byte of it is U+FFFD."""
    result: list[bytes] = []
    named = ((byte_value(token), token) for token in tokens)
    for is_byte, group in groupby(named, key=lambda pair: pair[0] is not None):
        if is_byte:
            run = b"".join(byte for byte, _ in group if byte is not None)
            result += [REPLACEMENT] * len(run) if lossy and not _is_utf8(run) else [run]
        else:
            result.extend(token for _, token in group)
    return result


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
