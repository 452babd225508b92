"""The loader of tokenizer files: real ones, each construct, each error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judge import assert_loads, content, engine, load
from tiny import BYTE_LEVEL, PAIR, TEXT, Document, added, byte_level, sentencepiece, special, template
from tokenizers import Tokenizer

from verified_tok import spec
from verified_tok.errors import InvalidTokenizerFile, UnsupportedTokenizer
from verified_tok.families import FAMILIES, TokenizerJson
from verified_tok.loading import load_json
from verified_tok.spec import Literal, MergeBpe, Regex, SplitBehavior


def stage(**field: Document) -> Any:
    """The only stage of a tokenizer whose one field is changed."""
    (name,) = field
    loaded = assert_loads(byte_level(**field))
    (only,) = getattr(loaded, f"{name}s")
    return only


# --- real files --------------------------------------------------------------------------------------

REFUSED = {
    "bert": {
        "model.type",
        "normalizer.type",
        "pre_tokenizer.type",
        "decoder.type",
        "truncation",
        "padding.strategy",
    }
}


@pytest.mark.parametrize("name", [f.name for f in FAMILIES.values() if isinstance(f.file, TokenizerJson)])
def test_real_files_load_as_the_engine_understands_them(name: str, family_file: Callable[[str], Path]):
    data = family_file(name).read_bytes()
    if name in REFUSED:
        with pytest.raises(UnsupportedTokenizer) as refused:
            load_json(data)
        assert {problem.field for problem in refused.value.problems} == REFUSED[name]
        return
    loaded = load_json(data)
    assert loaded.sha256 == FAMILIES[name].sha256
    reference = Tokenizer.from_str(data.decode())
    vocab = {**loaded.model.vocab, **{token.content: token.id for token in loaded.added_tokens}}
    assert vocab == reference.get_vocab(with_added_tokens=True)
    added_tokens = {
        t.id: (t.content, t.lstrip, t.rstrip, t.single_word, t.normalized, t.special)
        for t in loaded.added_tokens
    }
    assert added_tokens == {
        id: (t.content, t.lstrip, t.rstrip, t.single_word, t.normalized, t.special)
        for id, t in reference.get_added_tokens_decoder().items()
    }


# --- what loads --------------------------------------------------------------------------------------


def test_the_small_files_load():
    loaded = assert_loads(byte_level())
    assert loaded.normalizers == (spec.UnicodeForm("NFC"),)
    assert loaded.pre_tokenizers == (
        spec.Split(Regex(r"\p{N}{1,3}"), SplitBehavior.ISOLATED, False),
        spec.ByteLevel(add_prefix_space=False, use_regex=True),
    )
    assert loaded.post_processors == (spec.TrimOffsets(False), spec.Template((264,), ()))
    assert loaded.decoders == (spec.ByteLevelDecode(),)
    assert loaded.added_tokens[0] == spec.AddedToken(264, "<|end|>", special=True)
    assert loaded.source == "tokenizer.json"

    loaded = assert_loads(sentencepiece())
    assert loaded.normalizers == (spec.Prepend("▁"), spec.ReplaceAll(Literal(" "), "▁"))
    assert loaded.decoders == (
        spec.ReplaceDecode(Literal("▁"), " "),
        spec.ByteFallbackDecode(),
        spec.FuseDecode(),
        spec.StripDecode(" ", 1, 0),
    )
    model = loaded.model
    assert isinstance(model, MergeBpe)
    assert (model.byte_fallback, model.fuse_unk, model.unk_token, model.ignore_merges) == (
        True,
        True,
        "<unk>",
        False,
    )
    assert model.merges[1] == (model.vocab["t"], model.vocab["h"], model.vocab["th"])


def test_a_spec_is_named_by_the_bytes_of_its_file():
    data = json.dumps(byte_level()).encode()
    assert load_json(data) == load_json(data)
    assert load_json(data) != load_json(data + b"\n")


def test_a_spec_cannot_be_changed():
    loaded = load(byte_level())
    with pytest.raises(AttributeError):
        loaded.normalizers = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        loaded.model.vocab["new"] = 1  # type: ignore[index, union-attr]


def test_fields_that_old_files_leave_out():
    document = byte_level()
    for name in ("version", "truncation", "padding", "normalizer", "pre_tokenizer", "post_processor"):
        del document[name]
    for name in ("type", "dropout", "unk_token", "fuse_unk", "byte_fallback", "ignore_merges"):
        del document["model"][name]
    loaded = assert_loads(document)
    assert (loaded.normalizers, loaded.pre_tokenizers, loaded.post_processors) == ((), (), ())
    del document["added_tokens"]
    assert assert_loads(document).added_tokens == ()
    nulls = dict.fromkeys(("fuse_unk", "byte_fallback", "ignore_merges", "dropout"))
    assert_loads(byte_level(model=nulls))
    assert_loads(
        byte_level(model={"dropout": 0.0, "continuing_subword_prefix": "", "end_of_word_suffix": ""})
    )


def test_merges_as_text_and_as_pairs_are_the_same():
    document = byte_level()
    merges = document["model"]["merges"]
    as_pairs = byte_level(model={"merges": [merge.split(" ") for merge in merges]})
    with_version = byte_level(model={"merges": ["#version: 0.2", *merges]})
    assert content(assert_loads(document)) == content(assert_loads(as_pairs))
    assert content(assert_loads(document)) == content(assert_loads(with_version))
    assert assert_loads(byte_level(model={"merges": []})).model.merges == ()


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"type": "NFC"}, spec.UnicodeForm("NFC")),
        ({"type": "NFKC"}, spec.UnicodeForm("NFKC")),
        ({"type": "Prepend", "prepend": "▁"}, spec.Prepend("▁")),
        ({"type": "Strip", "strip_left": True, "strip_right": False}, spec.StripSpace(True, False)),
        ({"type": "Replace", "pattern": {"String": "a"}, "content": ""}, spec.ReplaceAll(Literal("a"), "")),
        (
            {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
            spec.ReplaceAll(Regex(r"\s+"), " "),
        ),
    ],
)
def test_normalizers(document: Document, expected: spec.Normalizer):
    assert stage(normalizer=document) == expected


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        *(
            (
                {"type": "Split", "pattern": {"String": "a"}, "behavior": behavior.value, "invert": invert},
                spec.Split(Literal("a"), behavior, invert),
            )
            for behavior in SplitBehavior
            for invert in (True, False)
        ),
        ({"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}, spec.ByteLevel(True, True)),
        ({**BYTE_LEVEL, "use_regex": False}, spec.ByteLevel(False, False)),
        ({"type": "Digits", "individual_digits": True}, spec.Digits(True)),
        ({"type": "Punctuation"}, spec.Punctuation(SplitBehavior.ISOLATED)),
        ({"type": "Punctuation", "behavior": "Contiguous"}, spec.Punctuation(SplitBehavior.CONTIGUOUS)),
        ({"type": "Metaspace", "replacement": "▁"}, spec.Metaspace("▁", "always", True)),
        (
            {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": False},
            spec.Metaspace("_", "first", False),
        ),
        (
            {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "str_rep": "▁"},
            spec.Metaspace("▁", "always", True),
        ),
        (
            {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False, "prepend_scheme": "never"},
            spec.Metaspace("▁", "never", True),
        ),
        (
            {"type": "Metaspace", "replacement": "▁", "add_prefix_space": None, "split": None},
            spec.Metaspace("▁", "always", True),
        ),
    ],
)
def test_pre_tokenizers(document: Document, expected: spec.PreTokenizer):
    assert stage(pre_tokenizer=document) == expected


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"type": "Fuse"}, spec.FuseDecode()),
        ({"type": "ByteFallback"}, spec.ByteFallbackDecode()),
        ({"type": "Strip", "content": "_", "start": 0, "stop": 2}, spec.StripDecode("_", 0, 2)),
        (
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            spec.ReplaceDecode(Literal("▁"), " "),
        ),
        (
            {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True},
            spec.MetaspaceDecode("▁", "always"),
        ),
    ],
)
def test_decoders(document: Document, expected: spec.Decoder):
    assert stage(decoder=document) == expected


def test_sequences_inside_sequences_are_one_pipeline():
    digits = {"type": "Digits", "individual_digits": False}
    inner = {"type": "Sequence", "pretokenizers": [digits, {"type": "Sequence", "pretokenizers": []}]}
    outer = {"type": "Sequence", "pretokenizers": [inner, BYTE_LEVEL]}
    loaded = assert_loads(byte_level(pre_tokenizer=outer))
    assert loaded.pre_tokenizers == (spec.Digits(False), spec.ByteLevel(False, True))
    assert assert_loads(byte_level(normalizer={"type": "Sequence", "normalizers": []})).normalizers == ()
    assert assert_loads(byte_level(decoder={"type": "Sequence", "decoders": []})).decoders == ()


def test_templates():
    around = {**template("<s>", 1, 2), "single": [special("<s>"), TEXT, special("<s>")]}
    loaded = assert_loads(sentencepiece(post_processor=around))
    assert loaded.post_processors == (spec.Template((1, 2), (1, 2)),)
    assert not assert_loads(byte_level(post_processor={**BYTE_LEVEL, "trim_offsets": False})).post_processors


def test_batch_padding_is_remembered_and_changes_no_text():
    padding = {
        "strategy": "BatchLongest",
        "direction": "Left",
        "pad_to_multiple_of": None,
        "pad_id": 5,
        "pad_type_id": 0,
        "pad_token": "!",
    }
    document = byte_level(padding=padding)
    assert assert_loads(document).pads_batches
    assert not load(byte_level()).pads_batches
    reference, plain = engine(json.dumps(document)), engine(json.dumps(byte_level()))
    assert reference is not None
    assert plain is not None
    assert reference.encode("the 123").ids == plain.encode("the 123").ids


# --- what is malformed -------------------------------------------------------------------------------


def without(document: Document, *path: str) -> Document:
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return document


def with_vocab(**tokens: Any) -> Document:
    document = byte_level()
    return byte_level(model={"vocab": {**document["model"]["vocab"], **tokens}})


def with_added(*tokens: Document) -> Document:
    return byte_level(added_tokens=[*tokens])


END = added(264, "<|end|>")
MALFORMED = {
    "no model": ({"version": "1.0"}, r"not a tokenizer file: it has no `model` \(its keys: version\)"),
    "a tokenizer_config": ({"tokenizer_class": "X"}, "load the tokenizer.json beside it"),
    "model is null": (byte_level() | {"model": None}, "model: an object is expected, not null"),
    "another version": (byte_level(version="2.0"), "version: one of 1.0 is expected, not '2.0'"),
    "version is a number": (byte_level(version=1.0), "version: a string is expected, not a number: 1.0"),
    "no vocab": (without(byte_level(), "model", "vocab"), "model: the field `vocab` is missing"),
    "no merges": (without(byte_level(), "model", "merges"), "model: the field `merges` is missing"),
    "merges is text": (byte_level(model={"merges": "t h"}), "model.merges: an array is expected"),
    "merge of one": (
        byte_level(model={"merges": ["t h", "t"]}),
        r"model.merges\[1\]: two tokens are expected, in 't'",
    ),
    "merge of three": (byte_level(model={"merges": [["t", "h", "e"]]}), r"model.merges\[0\]: two tokens"),
    "merges of two kinds": (
        byte_level(model={"merges": ["t h", ["Ġ", "t"]]}),
        r"model.merges\[0\]: two tokens",
    ),
    "merge of numbers": (byte_level(model={"merges": [[1, 2]]}), r"model.merges\[0\]: two tokens"),
    "left is no token": (
        byte_level(model={"merges": ["qq h"]}),
        r"model.merges\[0\]: the vocabulary has no entry 'qq'",
    ),
    "right is no token": (
        byte_level(model={"merges": ["h qq"]}),
        r"model.merges\[0\]: the vocabulary has no entry 'qq'",
    ),
    "product is no token": (
        byte_level(model={"merges": ["t h", "h h"]}),
        r"model.merges\[1\]: the vocabulary has no entry 'hh'",
    ),
    "the same pair twice": (
        byte_level(model={"merges": ["t h", "1 2", "t h"]}),
        r"model.merges\[2\]: the same pair as merges\[0\]",
    ),
    "unknown unk": (
        byte_level(model={"unk_token": "<unk>"}),
        "model.unk_token: the vocabulary has no entry '<unk>'",
    ),
    "dropout too high": (byte_level(model={"dropout": 1.5}), "model.dropout: a number from 0 to 1"),
    "dropout is false": (byte_level(model={"dropout": False}), "model.dropout: a number is expected"),
    "flag is a number": (byte_level(model={"fuse_unk": 1}), "model.fuse_unk: true or false is expected"),
    "negative id": (
        with_vocab(new=-1),
        "model.vocab.new: an integer from 0 to 4294967295 is expected, not -1",
    ),
    "id too large": (with_vocab(new=2**32), "model.vocab.new: an integer from 0"),
    "fractional id": (with_vocab(new=300.0), "model.vocab.new: an integer is expected, not a number: 300.0"),
    "boolean id": (with_vocab(new=True), "model.vocab.new: an integer is expected, not a boolean"),
    "one id for two tokens": (with_vocab(new=7), "model.vocab.new: '.' has the id 7 already"),
    "vocab is an array": (byte_level(model={"vocab": []}), "model.vocab: an object is expected"),
    "added twice": (
        with_added(END, added(265, "<|end|>")),
        r"added_tokens\[1\].content: '<|end|>' is added_tokens\[0\] already",
    ),
    "one id for two added": (
        with_added(END, added(264, "<tool>")),
        r"added_tokens\[1\].id: '<tool>' has the id 264 here, .* gives it 265",
    ),
    "added id with a gap": (
        with_added(END, added(270, "<tool>")),
        r"added_tokens\[1\].id: .* 270 here, .* gives it 265",
    ),
    "added id below": (with_added(added(3, "<tool>")), r"added_tokens\[0\].id: .* 3 here, .* gives it 264"),
    "added id of a vocabulary entry": (
        with_added(added(264, "the")),
        "'the' has the id 264 here, but the engine gives it 259",
    ),
    "added is empty": (with_added(added(264, "")), "an added token without content"),
    "added without a flag": (
        with_added(without(added(264, "x"), "special")),
        "the field `special` is missing",
    ),
    "added id takes that of a vocabulary entry": (
        {**with_vocab(far=265), "added_tokens": [added(265, "<tool>")]},
        r"added_tokens\[0\].id: the id 265 belongs to 'far' already",
    ),
    "added token that its normalizer empties": (
        byte_level(
            normalizer={"type": "Strip", "strip_left": True, "strip_right": True},
            added_tokens=[added(264, " ", normalized=True)],
        ),
        "added token ' ': normalizing leaves nothing of it",
    ),
    "added tokens that their normalizer makes equal": (
        byte_level(
            added_tokens=[added(264, "\u1ead", normalized=True), added(265, "a\u0302\u0323", normalized=True)]
        ),
        "match the same text",
    ),
    "added_tokens is null": (byte_level(added_tokens=None), "added_tokens: an array is expected, not null"),
    "normalizer is text": (byte_level(normalizer="NFC"), "normalizer: an object is expected"),
    "null in a sequence": (
        byte_level(normalizer={"type": "Sequence", "normalizers": [None]}),
        r"normalizer.normalizers\[0\]: an object",
    ),
    "sequence of nothing": (
        byte_level(normalizer={"type": "Sequence"}),
        "normalizer: the field `normalizers` is missing",
    ),
    "pattern of two": (
        byte_level(normalizer={"type": "Replace", "pattern": {"String": " ", "Regex": " "}, "content": ""}),
        "normalizer.pattern: ",
    ),
    "pattern is text": (
        byte_level(normalizer={"type": "Replace", "pattern": " ", "content": ""}),
        "normalizer.pattern: an object",
    ),
    "unknown behavior": (
        byte_level(
            pre_tokenizer={
                "type": "Split",
                "pattern": {"String": " "},
                "behavior": "removed",
                "invert": False,
            }
        ),
        "pre_tokenizer.behavior: one of Removed, Isolated, .* is expected, not 'removed'",
    ),
    "no invert": (
        byte_level(pre_tokenizer={"type": "Split", "pattern": {"String": " "}, "behavior": "Removed"}),
        "pre_tokenizer: the field `invert` is missing",
    ),
    "metaspace of two characters": (
        byte_level(pre_tokenizer={"type": "Metaspace", "replacement": "__"}),
        "one character is expected",
    ),
    "metaspace that contradicts itself": (
        byte_level(pre_tokenizer={"type": "Metaspace", "replacement": "▁", "add_prefix_space": False}),
        'contradicts the prepend_scheme .* write "prepend_scheme": "never"',
    ),
    "strip less than nothing": (
        byte_level(decoder={"type": "Strip", "content": " ", "start": -1, "stop": 0}),
        "decoder.start: an integer",
    ),
    "template of an unknown token": (
        sentencepiece(post_processor={**template("<s>", 1), "special_tokens": {}}),
        "special_tokens does not hold '<s>'",
    ),
    "template of an unknown id": (
        sentencepiece(post_processor=template("<s>", 9999)),
        r"special_tokens.<s>.ids: no token has the id 9999",
    ),
    "template of a second text": (
        sentencepiece(post_processor={**template("<s>", 1), "single": [TEXT, PAIR]}),
        "cannot use the second text",
    ),
    "template without a pair": (
        sentencepiece(post_processor=without(template("<s>", 1), "pair")),
        "the field `pair` is missing",
    ),
    "padding without strategy": (byte_level(padding={}), "padding: the field `strategy` is missing"),
}
ONLY_OURS = {  # the engine accepts these, with a meaning that nobody can have meant
    "the same pair twice",
    "unknown unk",
    "one id for two tokens",
    "added twice",
    "one id for two added",
    "added id with a gap",
    "added id below",
    "added id of a vocabulary entry",
    "added is empty",
    "added id takes that of a vocabulary entry",
    "added token that its normalizer empties",
    "added tokens that their normalizer makes equal",
    "template of an unknown token",
    "template of an unknown id",
    "template of a second text",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files_are_refused_with_the_place(name: str):
    document, message = MALFORMED[name]
    with pytest.raises(InvalidTokenizerFile, match=message):
        load(document)
    assert (engine(json.dumps(document)) is None) == (name not in ONLY_OURS)


TEXT_OF_FILE = json.dumps(byte_level(), indent=1)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (b"[]", "not a tokenizer file: an object is expected, not an array"),
        (b"null", "an object is expected, not null"),
        (b'"text"', "an object is expected, not a string"),
        (
            TEXT_OF_FILE[:-1].encode(),
            r"truncated JSON: the file ends inside a value begun at or before line \d+, column \d+",
        ),
        (TEXT_OF_FILE[:700].encode(), "truncated JSON"),
        (
            TEXT_OF_FILE.replace("null,", "nul,", 1).encode(),
            r"malformed JSON: expecting value at line 3, column 16 \(character 36\)",
        ),
        (TEXT_OF_FILE.encode() + b"x", "malformed JSON: extra data"),
        (TEXT_OF_FILE.replace("null", "NaN", 1).encode(), "NaN is not a JSON value"),
        (TEXT_OF_FILE.replace("null", "-Infinity", 1).encode(), "-Infinity is not a JSON value"),
        (TEXT_OF_FILE.replace('"t h"', r'"t \ud83d"').encode(), r"a lone surrogate \\ud83d at line \d+"),
        (TEXT_OF_FILE.replace('"t h"', r'"t \ude00"').encode(), r"a lone surrogate \\ude00"),
        (
            TEXT_OF_FILE.replace('"version"', '"padding": null, "version"').encode(),
            "the key 'padding' stands twice",
        ),
        (TEXT_OF_FILE.replace('"!": 0', '"!": -0').encode(), "model.vocab.!: an integer is expected"),
        (
            TEXT_OF_FILE.replace('"!": 0', '"!": 1' + "0" * 5000).encode(),
            "model.vocab.!: an integer is expected",
        ),
        (b"\xef\xbb\xbf" + TEXT_OF_FILE.encode(), "malformed JSON"),
        (TEXT_OF_FILE.encode("utf-16"), "byte 0 is not UTF-8"),
        (b"\x80abc", "byte 0 is not UTF-8"),
        (b"GGUF\x03\x00", "malformed JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "a Git LFS pointer"),
    ],
)
def test_bytes_that_are_no_document(data: bytes, message: str):
    with pytest.raises(InvalidTokenizerFile, match=message):
        load_json(data)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if "stands twice" not in message:  # there the engine takes the last one
        assert engine(text) is None


def test_surrogate_pairs_and_escaped_backslashes_are_no_lone_surrogates():
    text = json.dumps(byte_level(added_tokens=[added(264, "😀"), added(265, r"\ud83d")]))
    assert r"\ud83d\ude00" in text
    assert [token.content for token in load_json(text.encode()).added_tokens] == ["😀", r"\ud83d"]


# --- what is not supported ---------------------------------------------------------------------------


def sequence(field: str, members: str, item: Document) -> Document:
    return byte_level(**{field: {"type": "Sequence", members: [item]}})


def replaced(pattern: Document) -> Document:
    return {"type": "Replace", "pattern": pattern, "content": "c"}


FIRST = {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": True}
PADDING = {"strategy": "BatchLongest", "direction": "Left", "pad_id": 5, "pad_type_id": 0, "pad_token": "!"}
UNSUPPORTED = {
    "WordPiece": (
        {
            **byte_level(),
            "model": {
                "type": "WordPiece",
                "unk_token": "a",
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 9,
                "vocab": {"a": 264},
            },
        },
        "model.type",
        "merges only",
    ),
    "Unigram": (
        {
            **byte_level(),
            "model": {"type": "Unigram", "unk_id": 0, "vocab": [["a", 0.0]], "byte_fallback": False},
        },
        "model.type",
        "best-path encoder",
    ),
    "WordLevel": (
        {**byte_level(), "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}},
        "model.type",
        "whole words",
    ),
    "dropout": (byte_level(model={"dropout": 0.1}), "model.dropout", "random"),
    "prefix": (
        sentencepiece(model={"continuing_subword_prefix": "▁", "merges": []}),
        "model.continuing_subword_prefix",
        "byte-level",
    ),
    "suffix": (byte_level(model={"end_of_word_suffix": "</w>"}), "model.end_of_word_suffix", "byte-level"),
    "truncation": (
        byte_level(truncation={"max_length": 2, "strategy": "LongestFirst", "stride": 0}),
        "truncation",
        "write null",
    ),
    "fixed padding": (
        byte_level(padding={**PADDING, "strategy": {"Fixed": 7}}),
        "padding.strategy",
        "BatchLongest",
    ),
    "padding to a multiple": (
        byte_level(padding={**PADDING, "pad_to_multiple_of": 8}),
        "padding.pad_to_multiple_of",
        "write null",
    ),
    "no decoder": (byte_level(decoder=None), "decoder", "space between all tokens"),
    "Lowercase": (byte_level(normalizer={"type": "Lowercase"}), "normalizer.type", "table"),
    "NFD": (
        sequence("normalizer", "normalizers", {"type": "NFD"}),
        "normalizer.normalizers[0].type",
        "table",
    ),
    "BertNormalizer": (
        byte_level(
            normalizer={
                "type": "BertNormalizer",
                "clean_text": True,
                "handle_chinese_chars": True,
                "strip_accents": None,
                "lowercase": True,
            }
        ),
        "normalizer.type",
        "WordPiece",
    ),
    "empty Replace": (
        byte_level(normalizer={"type": "Replace", "pattern": {"String": ""}, "content": "x"}),
        "normalizer.pattern",
        "match nothing",
    ),
    "Replace of nothing": (
        byte_level(normalizer={"type": "Replace", "pattern": {"Regex": "a*"}, "content": "x"}),
        "normalizer.pattern",
        "match nothing",
    ),
    "empty Prepend": (
        byte_level(normalizer={"type": "Prepend", "prepend": ""}),
        "normalizer.prepend",
        "empty string",
    ),
    "look-behind": (
        sequence(
            "pre_tokenizer",
            "pretokenizers",
            {"type": "Split", "pattern": {"Regex": r"ab(?<=b)c"}, "behavior": "Isolated", "invert": False},
        ),
        "pre_tokenizer.pretokenizers[0].pattern.Regex",
        r"at position \d+: .*⟦here⟧",
    ),
    "Whitespace": (
        byte_level(pre_tokenizer={"type": "Whitespace"}),
        "pre_tokenizer.type",
        "written as a Split",
    ),
    "BertPreTokenizer": (
        byte_level(pre_tokenizer={"type": "BertPreTokenizer"}),
        "pre_tokenizer.type",
        "WordPiece",
    ),
    "regex in a decoder": (
        byte_level(decoder={"type": "Replace", "pattern": {"Regex": "a"}, "content": ""}),
        "decoder.pattern",
        "strings only",
    ),
    "WordPiece decoder": (
        sequence("decoder", "decoders", {"type": "WordPiece", "prefix": "##", "cleanup": True}),
        "decoder.decoders[0].type",
        "WordPiece",
    ),
    "BertProcessing": (
        byte_level(post_processor={"type": "BertProcessing", "sep": ["a", 1], "cls": ["b", 2]}),
        "post_processor.type",
        "TemplateProcessing",
    ),
    "two templates": (
        sentencepiece(
            post_processor={"type": "Sequence", "processors": [template("<s>", 1), template("<s>", 1)]}
        ),
        "post_processor",
        "join",
    ),
    "template without text": (
        sentencepiece(post_processor={**template("<s>", 1), "single": [special("<s>")]}),
        "post_processor.single",
        "0 times",
    ),
    "template with the text twice": (
        sentencepiece(post_processor={**template("<s>", 1), "single": [TEXT, TEXT]}),
        "post_processor.single",
        "2 times",
    ),
    "unknown flag": (byte_level(model={"merge_twice": True}), "model.merge_twice", "unknown field"),
    "unknown flag of an added token": (
        with_added({**END, "greedy": True}),
        "added_tokens[0].greedy",
        "unknown field",
    ),
    "a first piece behind ByteLevel": (
        byte_level(pre_tokenizer={"type": "Sequence", "pretokenizers": [BYTE_LEVEL, FIRST]}),
        "pre_tokenizer",
        "put it in front",
    ),
    "a first piece behind a Replace": (
        byte_level(pre_tokenizer=FIRST, normalizer=replaced({"String": "ab"})),
        "pre_tokenizer",
        "several characters",
    ),
    "a first piece behind a Replace by a regex": (
        byte_level(pre_tokenizer=FIRST, normalizer=replaced({"Regex": "a+"})),
        "pre_tokenizer",
        "several characters",
    ),
    "a normalizer without type": (byte_level(normalizer={"prepend": "x"}), "normalizer", "write the type"),
}


@pytest.mark.parametrize("pattern", [{"String": "b"}, {"Regex": "[ab]"}])
def test_a_first_piece_behind_a_replace_of_single_characters_loads(pattern: Document):
    assert_loads(byte_level(pre_tokenizer=FIRST, normalizer=replaced(pattern)))


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_is_not_supported_is_named(name: str):
    document, field, remedy = UNSUPPORTED[name]
    assert engine(json.dumps(document)) is not None, "the engine should know this"
    with pytest.raises(UnsupportedTokenizer) as refused:
        load(document)
    (problem,) = refused.value.problems
    assert problem.field == field
    assert re.search(remedy, problem.remedy)
    assert str(problem) in str(refused.value)


def test_all_problems_are_in_one_error():
    document = byte_level(
        normalizer={
            "type": "Sequence",
            "normalizers": [{"type": "NFD"}, {"type": "NFC"}, {"type": "Lowercase"}],
        },
        pre_tokenizer={"type": "Whitespace"},
        model={"dropout": 0.5},
    )
    with pytest.raises(UnsupportedTokenizer) as refused:
        load(document)
    fields = [problem.field for problem in refused.value.problems]
    assert fields == [
        "model.dropout",
        "normalizer.normalizers[0].type",
        "normalizer.normalizers[2].type",
        "pre_tokenizer.type",
    ]


@pytest.mark.parametrize(("depth", "fits"), [(31, True), (32, False), (60, False)])
def test_sequences_nest_only_so_deep(depth: int, fits: bool):
    inner: Document = BYTE_LEVEL
    for _ in range(depth + 1):
        inner = {"type": "Sequence", "pretokenizers": [inner]}
    document = byte_level(pre_tokenizer=inner)
    assert engine(json.dumps(document)) is not None
    if fits:
        assert_loads(document)
    else:
        with pytest.raises(UnsupportedTokenizer, match="flatten them"):
            load(document)
