"""Small tokenizer files, as documents to change: one byte-level, one in SentencePiece's style.

Each uses most of what its kind has, and the reference engine accepts both.
"""

from __future__ import annotations

from typing import Any

from tokenizers.pre_tokenizers import ByteLevel

Document = dict[str, Any]

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
TEXT = {"Sequence": {"id": "A", "type_id": 0}}
PAIR = {"Sequence": {"id": "B", "type_id": 1}}


def special(name: str) -> Document:
    """The piece of a template that stands for a special token."""
    return {"SpecialToken": {"id": name, "type_id": 0}}


def template(name: str, *ids: int) -> Document:
    """A post-processor that puts special tokens before the text."""
    return {
        "type": "TemplateProcessing",
        "single": [special(name), TEXT],
        "pair": [special(name), TEXT, special(name), PAIR],
        "special_tokens": {name: {"id": name, "ids": [*ids], "tokens": [name] * len(ids)}},
    }


def added(id: int, content: str, **flags: bool) -> Document:
    """An added token; flags that are not given are false."""
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": id, "content": content, **{name: flags.get(name, False) for name in names}}


def byte_level(**fields: Any) -> Document:
    """256 byte-level characters and eight merges; `fields` replace those of the document, and those of
    `model` replace the model's."""
    merges = ["t h", "Ġ t", "Ġt h", "th e", "Ġth e", "1 2", "12 3", "Ã ©"]
    vocab = {token: id for id, token in enumerate(sorted(ByteLevel.alphabet()))}
    for merge in merges:
        vocab.setdefault(merge.replace(" ", ""), len(vocab))
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": vocab,
        "merges": merges,
    }
    digits = {"type": "Split", "pattern": {"Regex": r"\p{N}{1,3}"}, "behavior": "Isolated", "invert": False}
    document: Document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            added(len(vocab), "<|end|>", special=True),
            added(len(vocab) + 1, "<tool>", normalized=True),
        ],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [digits, BYTE_LEVEL]},
        "post_processor": {
            "type": "Sequence",
            "processors": [BYTE_LEVEL, template("<|end|>", len(vocab))],
        },
        "decoder": BYTE_LEVEL,
        "model": model,
    }
    return _with(document, fields)


def sentencepiece(**fields: Any) -> Document:
    """Byte fallback, an unknown token and spaces as `▁`; `fields` as in `byte_level`."""
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁abcdeéhinorstxy"]
    merges = [["▁", "a"], ["t", "h"], ["th", "e"], ["▁", "the"], ["▁", "▁"], ["a", "b"], ["▁a", "b"]]
    vocab = {token: id for id, token in enumerate([*tokens, *("".join(pair) for pair in merges)])}
    space = {"String": " "}
    document: Document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added(id, tokens[id], special=True) for id in range(3)],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": space, "content": "▁"},
            ],
        },
        "pre_tokenizer": None,
        "post_processor": template("<s>", 1),
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": "<unk>",
            "fuse_unk": True,
            "byte_fallback": True,
            "vocab": vocab,
            "merges": merges,
        },
    }
    return _with(document, fields)


def _with(document: Document, fields: dict[str, Any]) -> Document:
    model = {**document["model"], **fields.pop("model", {})}
    return {**document, **fields, "model": model}
