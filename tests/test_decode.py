"""Decoder chains beside the reference engine's, on any tokens and any bytes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tiny import BYTE_LEVEL, added, byte_level, sentencepiece
from tokenizers import decoders
from twins import Twins, answer

from verified_tok.errors import InvalidUtf8
from verified_tok.reference.byte_level import CHAR_OF_BYTE, spell
from verified_tok.reference.decode import decode_bytes, decode_text, token_bytes
from verified_tok.spec import (
    ByteFallbackDecode,
    ByteLevelDecode,
    Decoder,
    FuseDecode,
    Literal,
    MetaspaceDecode,
    ReplaceDecode,
    StripDecode,
)

BYTE_TOKENS = [
    "<0x20>",
    "<0xE4>",
    "<0xB8>",
    "<0xAD>",
    "<0xF0>",
    "<0x9F>",
    "<0xff>",
    "<0x+f>",
    "<0x61>",
    "<0xED>",
]
TEXTS = [
    "▁",
    "▁▁",
    " ",
    "  ",
    "a",
    "▁a",
    " b ",
    "中",
    "é",
    "Ã©",
    "Ġ",
    "<0xAG>",
    "<0x-1>",
    "<0x0>",
    "x▁y",
    "aab",
    "",
]
tokens = st.lists(
    st.one_of(st.sampled_from(BYTE_TOKENS), st.sampled_from(TEXTS), st.text(max_size=3)), max_size=8
)

replaces = st.builds(
    lambda pattern, content: ReplaceDecode(Literal(pattern), content),
    st.sampled_from(["▁", "a", "aa", "é", "<0x", " "]),
    st.sampled_from([" ", "", "▁a", "aa"]),
)
strips = st.builds(StripDecode, st.sampled_from(" a▁"), st.integers(0, 3), st.integers(0, 2))
metaspaces = st.builds(MetaspaceDecode, st.just("▁"), st.sampled_from(["always", "first", "never"]))
fixed = st.sampled_from([ByteLevelDecode(), ByteFallbackDecode(), FuseDecode()])
chains = st.lists(st.one_of(replaces, strips, metaspaces, fixed), max_size=5)

LLAMA = (ReplaceDecode(Literal("▁"), " "), ByteFallbackDecode(), FuseDecode(), StripDecode(" ", 1, 0))


def engine(chain: list[Decoder] | tuple[Decoder, ...]) -> Any:
    return decoders.Sequence([_stage(stage) for stage in chain])


def _stage(stage: Decoder) -> Any:
    match stage:
        case ByteLevelDecode():
            return decoders.ByteLevel()
        case ByteFallbackDecode():
            return decoders.ByteFallback()
        case FuseDecode():
            return decoders.Fuse()
        case ReplaceDecode(pattern, content):
            return decoders.Replace(pattern.text, content)
        case StripDecode(content, start, stop):
            return decoders.Strip(content, start, stop)
        case MetaspaceDecode(replacement, scheme):
            return decoders.Metaspace(replacement, scheme)


@example(list(LLAMA), ["<0xE4>", "<0xB8>", "<0xAD>", "<0xff>"])  # one wrong byte spoils its run
@example(list(LLAMA), ["<0xE4>", "<0xB8>", "a", "<0xAD>"])
@example(list(LLAMA), ["<0x20>", "<0xff>"])
@example([ByteFallbackDecode(), ByteLevelDecode()], ["<0xff>", "Ã"])
@example([MetaspaceDecode("▁", "first")], ["▁▁a", "▁▁a"])
@given(chains, tokens)
def test_the_engine_decodes_to_the_same_text(chain: list[Decoder], tokens: list[str]) -> None:
    ours = decode_text(chain, [token.encode() for token in tokens])
    # The engine panics where `Strip` may take more from the end than there is.
    theirs = answer(lambda: engine(chain).decode(tokens))
    assert theirs is None or ours == theirs


@given(st.binary(max_size=12))
def test_bytes_that_are_not_utf8(data: bytes) -> None:
    """U+FFFD for each maximal part of a character, as in the engine, whatever the tokens are."""
    tokens = [CHAR_OF_BYTE[byte] for byte in data]
    assert decode_text(
        (ByteLevelDecode(),), [token.encode() for token in tokens]
    ) == decoders.ByteLevel().decode(tokens)
    assert decode_bytes((ByteLevelDecode(),), [spell(data).encode()]) == data


@given(st.binary(max_size=8))
def test_strict(data: bytes) -> None:
    """Text or an error, never U+FFFD; the same through byte-level characters and byte tokens."""
    named = [f"<0x{byte:02X}>".encode() for byte in data]
    for chain, tokens in [
        ((ByteLevelDecode(),), [spell(data).encode()]),
        ((ByteFallbackDecode(),), named),
        ((), [data]),
    ]:
        try:
            expected = data.decode()
        except UnicodeDecodeError as error:
            with pytest.raises(InvalidUtf8, match=f"at byte {error.start} "):
                decode_text(chain, tokens, errors="strict")
        else:
            assert decode_text(chain, tokens, errors="strict") == expected


@pytest.mark.parametrize(
    ("chain", "token", "inside"),
    [
        ((ByteLevelDecode(),), "Ġa", b" a"),
        (LLAMA, "▁a", b" a"),
        (LLAMA, "<0xE4>", b"\xe4"),
        ((MetaspaceDecode("▁", "always"),), "▁a", b" a"),
        ((StripDecode(" ", 1, 0),), " a", b"a"),  # before the tokens are joined: it belongs to the token
    ],
)
def test_the_bytes_of_one_token(chain: tuple[Decoder, ...], token: str, inside: bytes) -> None:
    assert token_bytes(chain, token.encode()) == inside
    around = decode_bytes(chain, [b"x", token.encode(), b"x"])
    assert around == b"x" + inside + b"x"


@given(st.data())
def test_whole_tokenizers(data: st.DataObject) -> None:
    """Any ids, special ones skipped or not."""
    both = data.draw(st.sampled_from(WHOLE))
    ids = data.draw(st.lists(st.integers(0, both.ours.vocab_size - 1), max_size=8))
    both.assert_same_text(ids)


WHOLE = [
    Twins(byte_level()),
    Twins(sentencepiece()),
    # A normalized literal is decoded as it stands in normalized text, and then it is not skipped.
    Twins(
        byte_level(added_tokens=[added(264, "か\u3099!", normalized=True, special=True)], post_processor=None)
    ),
    Twins(byte_level(added_tokens=[added(264, "a b", special=True), added(265, "中")], post_processor=None)),
    # Behind another stage, a literal is no longer a token of its own.
    Twins(
        byte_level(
            decoder={"type": "Sequence", "decoders": [{"type": "Fuse"}, BYTE_LEVEL]},
            added_tokens=[added(264, "中"), added(265, "øø")],
            post_processor=None,
        )
    ),
    Twins(
        sentencepiece(
            decoder={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}
        )
    ),
]


def test_a_literal_of_byte_level_characters_comes_back() -> None:
    """The reference engine makes the bytes F8 F8 of the literal `øø`; text with it would not survive."""
    both = Twins(byte_level(added_tokens=[added(264, "øø"), added(265, "Ġø")], post_processor=None))
    text = "aøøĠø"
    ids = both.assert_same_ids(text)
    assert both.ours.decode(ids) == text
    assert both.theirs.decode(ids, skip_special_tokens=False) == "a\ufffd\ufffd \ufffd"
