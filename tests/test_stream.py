"""Streaming decoding: however the ids come in, the text is that of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from test_decode import LLAMA, chains, tokens

import verified_tok as vt
from verified_tok.errors import (
    InvalidOption,
    InvalidTokenId,
    InvalidUtf8,
    StreamFinished,
    UnsupportedTokenizer,
)
from verified_tok.reference.decode import decode_text
from verified_tok.reference.stream import StreamDecoder
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


def stream(chain: Sequence[Decoder], texts: Sequence[str], prompt: int = 0) -> StreamDecoder:
    """A stream whose ids are places in `texts`, and whose prompt are the first of them."""
    try:
        return StreamDecoder(chain, lambda ids: [texts[id].encode() for id in ids], range(prompt))
    except UnsupportedTokenizer:
        assume(False)
        raise


@example(list(LLAMA), ["▁a", "<0xE4>", "<0xB8>", "<0xAD>", "<0xff>"], [1, 1, 1])
@example([FuseDecode(), StripDecode(" ", 2, 2)], [" ", "  a ", " ", " b", "  ", " "], [1] * 6)
@given(chains, tokens, st.lists(st.integers(0, 3)))
def test_all_parts_together_are_the_whole(chain: list[Decoder], tokens: list[str], cuts: list[int]) -> None:
    decoder = stream(chain, tokens)
    text, start = "", 0
    for size in [*cuts, len(tokens)]:
        text += decoder.put(range(start, min(start + size, len(tokens))))
        start = min(start + size, len(tokens))
    assert text + decoder.finish() == decode_text(chain, [token.encode() for token in tokens])


@example(list(LLAMA), ["▁a", "<0xE4>", "<0xB8>", "<0xAD>", "b"], 3)
@example([ByteFallbackDecode(), ByteLevelDecode()], ["é", "<0x20>"], 2)
@example([ByteFallbackDecode(), MetaspaceDecode("▁", "always")], ["▁"], 0)
@given(chains, tokens, st.integers(0, 8))
def test_the_prompt_does_not_come_again(chain: list[Decoder], tokens: list[str], prompt: int) -> None:
    """What comes is the end of the whole text, and no more than what the prompt's text leaves of it."""
    prompt = min(prompt, len(tokens))
    decoder = stream(chain, tokens, prompt)
    text = decoder.put(range(prompt, len(tokens))) + decoder.finish()
    whole = decode_text(chain, [token.encode() for token in tokens])
    assert whole.endswith(text)
    seen = stream(chain, tokens)
    shown = seen.put(range(prompt))
    assert len(text) <= len(whole) - len(shown)


@given(st.binary(max_size=10), st.integers(0, 10), st.booleans())
def test_a_prompt_that_ends_inside_a_character(data: bytes, prompt: int, fallback: bool) -> None:
    """The characters that the prompt's bytes complete are its own; the first that comes is the one that it
    leaves open."""
    text = data.decode(errors="ignore")
    data = text.encode()
    prompt = min(prompt, len(data))
    names = [f"<0x{byte:02X}>" for byte in data]
    chain: tuple[Decoder, ...] = (ByteFallbackDecode(), FuseDecode()) if fallback else ()
    decoder = StreamDecoder(
        chain, lambda ids: [names[i].encode() if fallback else data[i : i + 1] for i in ids], range(prompt)
    )
    complete = len(data[:prompt].decode(errors="ignore"))
    assert decoder.put(range(prompt, len(data))) + decoder.finish() == text[complete:]


def test_characters_come_as_soon_as_they_are_whole() -> None:
    decoder = stream((ByteLevelDecode(),), ["a", "ä", "¸", "Ń", "Ġ", "ð", "!"])
    assert [decoder.put(id) for id in range(7)] == ["a", "", "", "中", " ", "", "\ufffd!"]
    decoder = stream(LLAMA, ["▁", "▁a", "<0xE4>", "<0xB8>", "<0xAD>", "b", "<0xff>", "<0x61>", "c"])
    assert [decoder.put(id) for id in range(9)] == ["", " a", "", "", "", "中b", "\ufffd", "\ufffd", "c"]


def test_the_end() -> None:
    for chain, half in [((ByteLevelDecode(),), "ä"), ((ByteFallbackDecode(),), "<0xE4>")]:
        decoder = stream(chain, ["a", half])
        assert decoder.put([0, 1]) == "a"
        with pytest.raises(InvalidUtf8, match=r"inside a character \(e4\)"):
            decoder.finish(errors="strict")
        assert decoder.finish() == "\ufffd"
        with pytest.raises(StreamFinished):
            decoder.put(0)
        with pytest.raises(StreamFinished):
            decoder.finish()
        decoder = stream(chain, ["a"])
        assert decoder.put(0) + decoder.finish(errors="strict") == "a"


@pytest.mark.parametrize(
    "stage", [ByteLevelDecode(), ByteFallbackDecode(), ReplaceDecode(Literal("ab"), "c")]
)
def test_stages_that_need_the_whole_text(stage: Decoder) -> None:
    """They can act on tokens, not on a text of which more may come."""
    assert StreamDecoder([stage], lambda ids: [b"ab"] * len(ids)).put(0) in ("ab", "c")
    with pytest.raises(UnsupportedTokenizer, match="needs all of the text"):
        StreamDecoder([FuseDecode(), stage], lambda ids: [b"ab"] * len(ids))


def test_qwen_prompt_that_ends_inside_a_character(family_file: Callable[[str], Path]) -> None:
    tok = vt.load(family_file("qwen3"))
    prompt = [*tok.encode("Hello world "), 124750]
    decoder = tok.decode_stream(prompt)
    first = decoder.put(119)
    assert len(first) == 1
    assert tok.decode([*prompt, 119]) == "Hello world " + first
    with pytest.raises(InvalidTokenId, match=r"ids\[1\] is -1"):
        decoder.put([0, -1])
    assert decoder.put(tok.encode("!<|im_end|>")) == "!<|im_end|>"  # the bad call left no trace
    skipping = tok.decode_stream(skip_special_tokens=True)
    assert skipping.put(tok.encode("!<|im_end|>")) == "!"


@pytest.mark.parametrize("errors", ["ignore", "Strict", "", None, 5])
def test_other_ways_to_treat_errors_are_refused(errors: Any, family_file: Callable[[str], Path]) -> None:
    tok = vt.load(family_file("qwen3"))
    reference = StreamDecoder([ByteLevelDecode()], lambda ids: [b"a" for _ in ids])
    for decoder in (tok.decode_stream(), reference):
        with pytest.raises(InvalidOption, match="errors must be 'replace' or 'strict'"):
            decoder.finish(errors)
        decoder.put([0])  # it goes on


def test_every_character_of_a_real_text_comes_whole(family_file: Callable[[str], Path]) -> None:
    text = "Grüße, 世界! 👩‍👩‍👧‍👦 𝔘𝔫𝔦 한국어 नमस्ते ๙ \u0897 🏴󠁧󠁢󠁥󠁮󠁧󠁿"
    for family in ("qwen3", "llama-2"):
        tok = vt.load(family_file(family))
        decoder = tok.decode_stream()
        parts = [decoder.put(id) for id in tok.encode(text)] + [decoder.finish(errors="strict")]
        assert "".join(parts) == text
        assert "\ufffd" not in "".join(parts)
