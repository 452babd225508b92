"""The pipeline beside the reference engine: whole encodings, their places, and what is switched off."""

from __future__ import annotations

import json
from typing import Any

import hostile
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tiny import BYTE_LEVEL, Document, added, byte_level, sentencepiece, template
from twins import Twins

import verified_tok as vt
from verified_tok.reference.pipeline import char_spans

METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}
GPT2_LIKE = {"normalizer": None, "pre_tokenizer": BYTE_LEVEL, "post_processor": None}


def trim(add_prefix_space: bool, trim_offsets: bool) -> dict[str, Any]:
    return {**BYTE_LEVEL, "add_prefix_space": add_prefix_space, "trim_offsets": trim_offsets}


FLAGGED = [
    added(264, "<mask>", lstrip=True, rstrip=True, special=True),
    added(265, "<word>", single_word=True),
    added(266, "  ", normalized=True),
    added(267, "<|é", normalized=True),
]
VOCAB = byte_level()["model"]["vocab"]
DOCUMENTS = {
    "byte-level": byte_level(),
    "flags": byte_level(added_tokens=FLAGGED, post_processor=template("<mask>", 264)),
    "prefix": byte_level(
        added_tokens=FLAGGED, pre_tokenizer=trim(True, True), post_processor=trim(True, True), normalizer=None
    ),
    "trim": byte_level(pre_tokenizer=trim(True, True), post_processor=trim(False, True)),
    "strip, then trim": byte_level(
        normalizer={"type": "Strip", "strip_left": True, "strip_right": False},
        pre_tokenizer=trim(True, True),
        post_processor=trim(True, True),
    ),
    "template, then trim": byte_level(
        post_processor={"type": "Sequence", "processors": [template("<|end|>", 264, 264), trim(True, True)]}
    ),
    "whole pieces": byte_level(model={"ignore_merges": True}),
    "more spaces": byte_level(
        normalizer={"type": "Replace", "pattern": {"String": "1"}, "content": "   "},
        pre_tokenizer={**BYTE_LEVEL, "use_regex": False},
        model={
            "vocab": VOCAB | {"ĠĠ": 264, "ĠĠĠ": 265, "aĠĠĠ": 266},
            "merges": ["Ġ Ġ", "ĠĠ Ġ", "a ĠĠĠ"],
        },
        added_tokens=[],
        post_processor=trim(True, True),
    ),
    "shared": byte_level(added_tokens=[added(VOCAB["the"], "the", single_word=True)], post_processor=None),
    "sentencepiece": sentencepiece(),
    "metaspace": sentencepiece(normalizer=None, pre_tokenizer=METASPACE),
    "unknown": sentencepiece(model={"byte_fallback": False}),
    "unknown, one by one": sentencepiece(model={"byte_fallback": False, "fuse_unk": False}),
}
BOTH = {name: Twins(document) for name, document in DOCUMENTS.items()}

texts = st.lists(
    st.one_of(
        hostile.text(4),
        st.sampled_from(
            [token["content"] for document in DOCUMENTS.values() for token in document["added_tokens"]]
        ),
        st.sampled_from(["the", " the", "123", "<|en", "ab", " ", "  \n"]),
    ),
    max_size=6,
).map("".join)


@pytest.mark.parametrize("name", DOCUMENTS)
@given(text=texts, add_special_tokens=st.booleans())
def test_the_engine_encodes_to_the_same_ids(name: str, text: str, add_special_tokens: bool) -> None:
    ids = BOTH[name].assert_same_ids(text, add_special_tokens)
    encoding = BOTH[name].ours.encode_with_spans(text, add_special_tokens=add_special_tokens)
    assert encoding.ids.tolist() == ids
    assert encoding.byte_spans.shape == encoding.char_spans.shape == encoding.offsets.shape == (len(ids), 2)


@pytest.mark.parametrize("name", list(DOCUMENTS))
@example(text="a1", add_special_tokens=False)
@example(text="the  <mask> <word>\u3000the\xa0", add_special_tokens=True)
@given(text=texts, add_special_tokens=st.booleans())
def test_the_engine_reports_the_same_offsets(name: str, text: str, add_special_tokens: bool) -> None:
    # Not where NFC joins letters and marks: the engine gives the result the place of the letter alone.
    if BOTH["byte-level"].ours.is_normalized(text, added_tokens="none"):
        BOTH[name].assert_same_offsets(text, add_special_tokens)


@given(texts)
def test_bytes_of_unchanged_text_lie_side_by_side(text: str) -> None:
    """Where nothing is normalized or added, the spans of the tokens cut the text, and each is its token."""
    tok = BOTH["whole pieces"].ours
    if tok.is_normalized(text):
        encoding = tok.encode_with_spans(text)
        data = text.encode()
        ends = [0, *encoding.byte_spans[:, 1].tolist()]
        assert ends[:-1] == encoding.byte_spans[:, 0].tolist()
        assert ends[-1] == len(data)
        for id, (start, stop) in zip(encoding.ids, encoding.byte_spans, strict=True):
            assert data[start:stop] == tok.id_to_bytes(id)


@given(texts)
def test_round_trip(text: str) -> None:
    for name in ("byte-level", "whole pieces"):
        tok = BOTH[name].ours
        assert tok.decode_bytes(tok.encode(text)) == tok.normalize(text).encode()
        ordinary = tok.encode_ordinary(text)
        assert tok.decode_bytes(ordinary) == tok.normalize(text, added_tokens="none").encode()


def test_normalizing_stops_at_added_tokens() -> None:
    """A mark after a literal is not joined with the literal's last character."""
    tok = BOTH["byte-level"].ours
    assert tok.normalize("<|end|>\u0338") == "<|end|>\u0338"
    assert tok.normalize("<|end|>\u0338", added_tokens="none") == "<|end|\u226f"
    assert tok.normalize("e\u0301<tool>") == "é<tool>"
    assert BOTH["flags"].ours.normalize("a <mask> b") == "a<mask>b"  # it takes the spaces


@given(st.text("aé中🙂", max_size=8), st.data())
def test_char_spans(text: str, data: st.DataObject) -> None:
    """The smallest spans of characters around spans of bytes."""
    size = len(text.encode())
    start = data.draw(st.integers(0, size))
    stop = data.draw(st.integers(start, size))
    ends = [len(text[:n].encode()) for n in range(len(text) + 1)]
    [(first, last)] = char_spans(text, [(start, stop)])
    assert first == max(n for n, end in enumerate(ends) if end <= start)
    if start < stop:
        assert last == min(n for n, end in enumerate(ends) if end >= stop)
    else:
        assert last == first


# --- what is switched off ----------------------------------------------------------------------------


def shared(ignore_merges: bool = False) -> Document:
    """Added tokens that are also entries of the vocabulary: merges reach `the` and `123`, `<s>` and `q` are
    whole pieces or characters."""
    document = byte_level(**GPT2_LIKE, model={"ignore_merges": ignore_merges})
    vocab = document["model"]["vocab"]
    vocab["<s>"] = len(vocab)
    names = ["the", "123", "<s>", "q"]
    document["added_tokens"] = [added(vocab[name], name, special=name == "<s>") for name in names]
    document["added_tokens"].append(added(len(vocab), "<tool>"))
    return document


@pytest.mark.parametrize("ignore_merges", [False, True])
@given(
    text=st.lists(st.sampled_from(["the", " the", "123", "12", "<s>", "q", "<tool>", "a", " "])).map("".join)
)
def test_ordinary_text_gives_no_added_token(ignore_merges: bool, text: str) -> None:
    """Not by the literal, not by a merge, not as a whole piece; only a lone character keeps its token, for it
    has no other."""
    tok = TOKENIZERS[ignore_merges]
    ids = tok.encode_ordinary(text).tolist()
    assert {token.id for token in tok.spec.added_tokens if len(token.content) > 1}.isdisjoint(ids)
    assert tok.decode(ids) == text
    some = tok.encode(text, added_tokens=["the", "<tool>"]).tolist()
    assert {tok.token_to_id("123"), tok.token_to_id("<s>")}.isdisjoint(some)
    assert some.count(tok.token_to_id("<tool>")) == text.count("<tool>")


TOKENIZERS = {flag: vt.load(json.dumps(shared(flag)).encode()) for flag in (False, True)}


def test_white_space_is_left_to_the_model() -> None:
    """A vocabulary may list runs of spaces and line feeds as added tokens. They are no markup."""
    document = sentencepiece()
    vocab = document["model"]["vocab"]
    document["added_tokens"] += [added(vocab["▁▁"], "▁▁"), added(vocab["the"], "the"), added(vocab["a"], "a")]
    tok = vt.load(json.dumps(document).encode())
    plain = vt.load(json.dumps(sentencepiece(added_tokens=[], post_processor=None)).encode())
    assert vocab["▁▁"] in tok.encode_ordinary("b  b")
    assert tok.encode_ordinary("b  b").tolist() == plain.encode("b  b").tolist()
    assert vocab["the"] not in tok.encode_ordinary("bthe")
    assert tok.encode_ordinary("ba").tolist()[-1] == vocab["<0x61>"]  # `a` falls back to its byte


@given(texts)
def test_what_is_switched_off_might_not_be_there(text: str) -> None:
    """Where the vocabulary does not share ids, ordinary text is what a file without added tokens gives."""
    document = DOCUMENTS["byte-level"]
    plain = Twins({**document, "added_tokens": [], "post_processor": None})
    assert BOTH["byte-level"].ours.encode_ordinary(text).tolist() == plain.assert_same_ids(text)
