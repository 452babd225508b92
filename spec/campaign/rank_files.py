"""Rank tables in the form that Hugging Face reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise

from verified_tok.reference.byte_level import spell


def gpt2_file(ranks: Mapping[bytes, int], special_tokens: Mapping[str, int]) -> bytes:
    """The `tokenizer.json` of a rank table whose pattern is GPT-2's, which Hugging Face has built in."""
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    learned = sorted((token for token in ranks if len(token) > 1), key=ranks.__getitem__)
    return json.dumps(
        {
            "added_tokens": [{"id": id, "content": text, **flags} for text, id in special_tokens.items()],
            "normalizer": None,
            "pre_tokenizer": byte_level,
            "post_processor": None,
            "decoder": byte_level,
            "model": {
                "type": "BPE",
                # A special token's id may lie among the ranks: then the engine wants it here as well.
                "vocab": {**{spell(token): rank for token, rank in ranks.items()}, **special_tokens},
                "merges": [[spell(part) for part in _last_merge(ranks, token)] for token in learned],
            },
        }
    ).encode()


def _last_merge(ranks: Mapping[bytes, int], token: bytes) -> list[bytes]:
    """The two tokens that a token is merged from."""
    parts = [bytes([byte]) for byte in token]
    while len(parts) > 2:
        joined = [left + right for left, right in pairwise(parts)]
        i = min(range(len(joined)), key=lambda i: ranks.get(joined[i], len(ranks) * 2))
        parts[i : i + 2] = [joined[i]]
    return parts
