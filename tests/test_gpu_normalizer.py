"""Normalizing and added tokens in the GPU kernels, run by the emulator, beside the reference pipeline."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from test_gpu_emulator import OnEmulator, on_emulator, reference_encoder, tokenizer
from tiny import BYTE_LEVEL, Document, added, byte_level, sentencepiece

import verified_tok as vt
from verified_tok.errors import GpuUnavailable, InvalidTokenizerFile
from verified_tok.gpu.encoder import normalizer_refusal
from verified_tok.spec import Literal, Prepend, Regex, ReplaceAll, StripSpace, UnicodeForm

FLAGS = ("lstrip", "rstrip", "single_word", "normalized")
CHARS = "ab<>  \n\u3000é\u0301\u0323ﬁＡ▁中1_"
NORMALIZERS: list[Document | None] = [
    None,
    {"type": "NFC"},
    {"type": "NFKC"},
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Replace", "pattern": {"String": "ab"}, "content": "é中"},
    sentencepiece()["normalizer"],
]


def loaded(document: Document) -> vt.Tokenizer:
    return vt.load(json.dumps(document).encode())


def with_tokens(rng: random.Random) -> Document:
    """A small tokenizer with a few added tokens, of which each has any of the flags."""
    make = rng.choice([byte_level, sentencepiece])
    document = make(normalizer=rng.choice(NORMALIZERS), post_processor=None)
    first = len(document["model"]["vocab"])
    literals = {"".join(rng.choices(CHARS, k=rng.randint(1, 3))) for _ in range(rng.randint(0, 5))}
    document["added_tokens"] = [
        added(first + number, literal, **{flag: rng.random() < 0.3 for flag in FLAGS})
        for number, literal in enumerate(sorted(literals))
    ]
    return document


@pytest.mark.parametrize("seed", range(24))
def test_added_tokens_with_flags_and_every_normalizer(seed: int, library: Path) -> None:
    rng = random.Random(seed)
    try:
        tok = loaded(with_tokens(rng))
    except InvalidTokenizerFile:
        return  # two literals that match the same text
    reference = reference_encoder(tok)
    texts = ["".join(rng.choices(CHARS, k=rng.randint(0, 12))) for _ in range(25)]
    encoder = OnEmulator(tok, library, block=rng.choice([1, 2, 5, 64]))
    ids, offsets = encoder.encode_batch(texts)
    expected = [reference.encode_placed(text) for text in texts]
    assert [ids[a:b].tolist() for a, b in pairwise(offsets)] == [placed.ids.tolist() for placed in expected]
    for text, placed in zip(texts[:10], expected, strict=False):
        own, spans = encoder.encode_placed(text)
        assert own.tolist() == placed.ids.tolist()
        assert spans.tolist() == placed.byte_spans.tolist()
    assert encoder.sums.parts_by_cpu == 0


@pytest.mark.parametrize("name", ["claude", "qwen3", "llama-2"])
def test_places_in_text_that_is_normalized(name: str, library: Path) -> None:
    encoder, reference = on_emulator(name, library, block=8), reference_encoder(tokenizer(name))
    for text in ["e\u0301", "a \u0344ﷺ  각 \u1112\u1161\u11ab ﬁ½", "q\u0307\u0323 ", "  x  ▁ <s> y\u0958"]:
        expected = reference.encode_placed(text)
        ids, spans = encoder.encode_placed(text)
        assert ids.tolist() == expected.ids.tolist()
        assert spans.tolist() == expected.byte_spans.tolist()
    assert encoder.sums.parts_by_cpu == 0


def test_a_literal_that_only_normalized_text_has_is_no_token(library: Path) -> None:
    """Raw added tokens are looked for before the text is normalized, and not again behind it."""
    file = byte_level(normalizer={"type": "NFKC"}, post_processor=None)
    tok = loaded(file)
    encoder = OnEmulator(tok, library)
    text = "＜|end|＞ <|end|> \ufb01<|end|>＜tool＞"
    ids = encoder.encode(text).tolist()
    assert ids == tok.encode(text).tolist()
    numbers = {token["content"]: token["id"] for token in file["added_tokens"]}
    assert ids.count(numbers["<|end|>"]) == 2
    assert ids.count(numbers["<tool>"]) == 1  # this one matches normalized text
    assert encoder.sums.parts_by_cpu == 0


@pytest.mark.parametrize(
    ("name", "part"), [("claude", "ﷺ a b "), ("qwen3", "\U0001d160\n"), ("llama-2", "<s>a ")]
)
def test_parts_for_which_the_room_is_too_small_go_to_the_cpu(name: str, part: str, library: Path) -> None:
    """The room is for text that grows as text does; this grows more."""
    text = part * (16_000 // len(part.encode()))
    encoder = on_emulator(name, library)
    assert encoder.encode(text).tolist() == tokenizer(name).encode(text).tolist()
    assert 0 < encoder.sums.parts_by_cpu < encoder.sums.parts


def test_too_many_marks_for_a_thread_go_to_the_cpu(library: Path) -> None:
    text = "a few. e" + "\u0301\u0323" * 20 + " more. e\u0301"
    encoder = on_emulator("qwen3", library, block=4)
    assert encoder.encode(text).tolist() == tokenizer("qwen3").encode(text).tolist()
    assert encoder.sums.parts_by_cpu == 1


@pytest.mark.parametrize(
    "stages",
    [
        (StripSpace(True, False),),
        (ReplaceAll(Regex(r"\s+"), " "),),
        (UnicodeForm("NFC"), ReplaceAll(Literal(" "), "▁")),
        (Prepend("a b"), ReplaceAll(Literal(" "), "▁")),  # the space in front would be replaced, too
        (Prepend("▁"), Prepend("▁")),
        (ReplaceAll(Literal("a"), "b"), ReplaceAll(Literal("b"), "c")),
    ],
)
def test_normalizers_without_kernels_are_refused(stages: Any) -> None:
    assert "normalizer" in (normalizer_refusal(stages) or "")


def test_a_refusal_says_why(library: Path) -> None:
    strip = {"type": "Strip", "strip_left": True, "strip_right": False}
    with pytest.raises(GpuUnavailable, match="StripSpace"):
        OnEmulator(loaded(byte_level(normalizer=strip)), library)
    for stages, why in (
        ([{**BYTE_LEVEL, "add_prefix_space": True}], "add_prefix_space"),
        ([BYTE_LEVEL, {"type": "Digits", "individual_digits": True}], "behind ByteLevel"),
    ):
        chain = {"type": "Sequence", "pretokenizers": stages}
        with pytest.raises(GpuUnavailable, match=why):
            OnEmulator(loaded(byte_level(normalizer=None, pre_tokenizer=chain)), library)
