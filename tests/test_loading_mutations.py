"""Damaged tokenizer files: the loader refuses them by its own errors, or agrees with the reference engine."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st
from judge import assert_encodes_and_decodes_alike, assert_means_what_the_engine_understood, engine
from tiny import BYTE_LEVEL, Document, added, byte_level, sentencepiece

from verified_tok.errors import InvalidTokenizerFile, UnsupportedTokenizer
from verified_tok.loading import load_json

EVERYTHING = byte_level(
    normalizer={
        "type": "Sequence",
        "normalizers": [
            {"type": "NFKC"},
            {"type": "Strip", "strip_left": True, "strip_right": False},
            {"type": "Replace", "pattern": {"Regex": r"[ _]"}, "content": " "},
        ],
    },
    pre_tokenizer={
        "type": "Sequence",
        "pretokenizers": [
            {
                "type": "Split",
                "pattern": {"Regex": r"\s+(?!\S)|\s+|\S+"},
                "behavior": "Removed",
                "invert": True,
            },
            {"type": "Digits", "individual_digits": True},
            {"type": "Punctuation", "behavior": "Contiguous"},
            {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": True},
            BYTE_LEVEL,
        ],
    },
    decoder={
        "type": "Sequence",
        "decoders": [
            {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": True},
            BYTE_LEVEL,
        ],
    },
    added_tokens=[
        added(264, "<|end|>", special=True),
        added(265, "<tool>", normalized=True, lstrip=True),
        added(266, "word", single_word=True, rstrip=True),
    ],
    padding={
        "strategy": "BatchLongest",
        "direction": "Left",
        "pad_to_multiple_of": None,
        "pad_id": 5,
        "pad_type_id": 0,
        "pad_token": "!",
    },
)
DOCUMENTS = [byte_level(), sentencepiece(), EVERYTHING]
VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        264,
        265,
        266,
        2**32,
        0.0,
        0.5,
        1e9,
        [],
        {},
        "",
        "a",
        " ",
        "▁",
        "the",
        "(",
        "A",
        "B",
    ),
    *(
        "Regex",
        "String",
        "Isolated",
        "always",
        "never",
        "first",
        "Sequence",
        "ByteLevel",
        "NFC",
        "Left",
        "1.0",
        "<s>",
    ),
    {"type": "NFC"},
    BYTE_LEVEL,
    {"type": "Fuse"},
    {"type": "Sequence"},
    {"String": "a"},
    {"Regex": "[a"},
    ["t", "h"],
    "t h",
    added(265, "<tool>"),
    added(267, "new"),
]


@st.composite
def damaged(draw: st.DrawFn) -> Document:
    """One of the documents with one to three changes."""
    document = copy.deepcopy(draw(st.sampled_from(DOCUMENTS)))
    for _ in range(draw(st.integers(1, 3))):
        damage(draw, document)
    return document


def places(inside: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a document with each key of its own, but few of the vocabulary and the merges."""
    keys = list(inside) if isinstance(inside, dict) else range(len(inside))
    for key in keys[:12]:
        yield inside, key
        if isinstance(inside[key], dict | list):
            yield from places(inside[key])


def damage(draw: st.DrawFn, document: Document) -> None:
    """Delete, replace, add or repeat something at a random place."""
    inside, key = draw(st.sampled_from(list(places(document))))
    new = copy.deepcopy(draw(st.sampled_from(VALUES)))
    match draw(st.sampled_from(["delete", "replace", "add", "repeat", "exchange"])):
        case "delete":
            del inside[key]
        case "replace":
            inside[key] = new
        case "add" if isinstance(inside, dict):
            inside[draw(st.sampled_from(["type", "new", "split", "content", "String", "h"]))] = new
        case "add":
            inside.insert(key, new)
        case "repeat" if isinstance(inside, list):
            inside.insert(key, copy.deepcopy(inside[key]))
        case _:
            other = draw(st.sampled_from(list(inside) if isinstance(inside, dict) else range(len(inside))))
            inside[key], inside[other] = inside[other], inside[key]


def check(text: str) -> None:
    try:
        loaded = load_json(text.encode())
    except (InvalidTokenizerFile, UnsupportedTokenizer) as error:
        note(str(error))
        return
    reference = engine(text)
    assert reference is not None, "the engine refuses what the loader accepts"
    assert_means_what_the_engine_understood(loaded, reference)
    assert_encodes_and_decodes_alike(loaded, reference)


@settings(max_examples=1500, deadline=None)
@given(damaged())
def test_a_changed_document_is_refused_or_means_what_the_engine_says(document: Document):
    check(json.dumps(document))


TEXTS = [json.dumps(document, ensure_ascii=ascii) for document in DOCUMENTS for ascii in (True, False)]
SCRAPS = st.sampled_from(
    [
        "",
        '"',
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\\",
        "\\ud800",
        "\\u0041",
        "\x00",
        "\x1f",
        "0",
        "-",
        "e1",
        ".5",
        "null",
        " ",
        "é",
    ]
)


@st.composite
def torn(draw: st.DrawFn) -> str:
    """The text of a document, cut off, or with a short stretch of it replaced."""
    text = draw(st.sampled_from(TEXTS))
    start = draw(st.integers(0, len(text)))
    if draw(st.booleans()):
        return text[:start]
    return text[:start] + draw(SCRAPS) + text[start + draw(st.integers(0, 4)) :]


@settings(max_examples=500, deadline=None)
@given(torn())
def test_a_torn_text_is_refused_or_means_what_the_engine_says(text: str):
    check(text)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["the", "t", "x", "yy", "<a>", "<b>", "qqq"]), st.integers(255, 275)),
        max_size=6,
    )
)
def test_ids_of_added_tokens_are_the_engines(tokens: list[tuple[str, int]]):
    check(
        json.dumps(
            byte_level(post_processor=None, added_tokens=[added(id, content) for content, id in tokens])
        )
    )


@settings(max_examples=200, deadline=None)
@given(st.permutations(["the", "t", "x", "yy", "<a>", "<b>"]), st.integers(264, 270), st.integers(1, 6))
def test_files_with_the_engines_ids_load(contents: list[str], hole: int, count: int):
    document = byte_level(post_processor=None)
    document["model"]["vocab"]["far"] = hole  # leaves a gap in the ids, which added tokens may run into
    reference = engine(
        json.dumps({**document, "added_tokens": [added(0, text) for text in contents[:count]]})
    )
    assert reference is not None
    ids = {content: reference.token_to_id(content) for content in contents[:count]}
    document["added_tokens"] = [added(id, content) for content, id in ids.items()]
    text = json.dumps(document)
    if hole in ids.values():
        check(text)
    else:
        loaded = load_json(text.encode())
        assert {token.content: token.id for token in loaded.added_tokens} == ids
