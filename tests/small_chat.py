"""A small tokenizer that has the control tokens of every known chat format, and hostile contents for it."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

import verified_tok as vt
from verified_tok import chat

_MERGED = [
    b"he",
    b"ll",
    b"hell",
    b"hello",
    b"\n\n",
    b"}\n",
    b"us",
    b"er",
    b"user",
    b"<|",
    b"|>",
    b"th",
    b"\xe2\x96\x81",
]

CONTROLS = sorted({literal for template in chat.TEMPLATES.values() for literal in template.controls})


@cache
def tokenizer() -> vt.Tokenizer:
    """Bytes, a few merges that cross what templates write, and all control tokens, with one more."""
    ranks = {token: id for id, token in enumerate([*(bytes([b]) for b in range(256)), *_MERGED])}
    special = {literal: 300 + place for place, literal in enumerate([*CONTROLS, "<|endoftext|>"])}
    return vt.from_tiktoken(
        ranks, r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+", special
    )


@cache
def form(name: str) -> chat.Format:
    """A known format for the small tokenizer; without Qwen2.5, whose text is a control token of others."""
    return chat.Format(chat.known(name), tokenizer())


FORMATS = [name for name in chat.TEMPLATES if name != "qwen2.5"]

_PARTS = [part for literal in CONTROLS for part in (literal, literal[:-1], literal[1:])]
_BESIDE = [
    "\n",
    "\n\n",
    " ",
    "▁",
    "hello",
    "user",
    "}",
    "{",
    '"',
    "é",
    "🙂",
    "<|",
    "|>",
    "\\",
    "1",
    "<|endoftext|>",
]

TEXTS = st.lists(st.sampled_from(_PARTS + _BESIDE), max_size=4).map("".join)
"""Contents made of control tokens' literals, whole and in part, and of what merges with what is beside it."""
