"""Pre-tokenizers that do more than cutting (marks and spaces put in front, cuts of spelled bytes), natively:
beside the reference pipeline and the reference engine, on small files and on real ones that were edited."""

from __future__ import annotations

import json
import random
from functools import cache
from itertools import product
from pathlib import Path

import hostile
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from seam_checks import reference_engine, seam_pairs, violations
from test_native_session import answers
from test_pre_tokenizer import FALCON, Stage, first_behind_bytes, split, stages
from test_session import explore
from tiny import Document, added, byte_level, sentencepiece
from twins import Twins

import verified_tok as vt
from verified_tok.encoder_reference import ReferenceEncoder
from verified_tok.encoders import NativeEncoder
from verified_tok.fetch import fetch
from verified_tok.native.seams import seam_sections
from verified_tok.tokenizer import Tokenizer

DIGITS = {"type": "Digits", "individual_digits": True}


def metaspace(scheme: str = "always", cut: bool = True) -> Stage:
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": cut}


def spelled(prefix: bool = False, regex: bool = True) -> Stage:
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": regex}


def chain(*parts: Stage) -> Stage:
    return {"type": "Sequence", "pretokenizers": list(parts)}


def assert_same(tok: Tokenizer, text: str) -> None:
    """The native encoder does what the reference does, with all added tokens and with none."""
    for enabled in (tok._all_added, frozenset[int]()):
        ours, theirs = tok._encoder(enabled), ReferenceEncoder(tok._pipeline(enabled))
        assert isinstance(ours, NativeEncoder)
        for inside in (False, True):
            got, expected = ours.encode_placed(text, inside), theirs.encode_placed(text, inside)
            assert got.ids.tolist() == expected.ids.tolist()
            assert got.byte_spans.tolist() == expected.byte_spans.tolist()
            assert got.char_spans.tolist() == expected.char_spans.tolist()
            assert list(got.taken) == list(expected.taken)
        ids = theirs.encode(text).tolist()
        assert ours.encode(text).tolist() == ids
        assert ours.count(text) == len(ids)
        assert ours.encode_batch([text, "", text], [], [])[0].tolist() == ids * 2
        assert ours.pre_tokenize(text) == theirs.pre_tokenize(text)
        assert ours.normalize(text) == theirs.normalize(text)


# --- small files -------------------------------------------------------------------------------------

NORMALIZERS: list[Document | None] = [
    None,
    {"type": "NFC"},
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Strip", "strip_left": True, "strip_right": False},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "th"},
]
texts = st.one_of(
    hostile.text(12), st.text(" ab.1\n▁_²éòthe", max_size=12), st.just("<tool>"), st.just(" <s>the ")
)
chains = st.lists(stages, min_size=1, max_size=4).filter(lambda parts: not first_behind_bytes(parts))


@example([metaspace("first")], {"type": "Strip", "strip_left": True, "strip_right": False}, ["", " the the"])
@example([metaspace("first"), split({"Regex": "h"}, "Isolated", False), metaspace("first")], None, ["the ht"])
@example([split({"Regex": "t"}, "Isolated", False), metaspace("first", False)], None, ["<tool>", "at the"])
@example([spelled(True)], None, ["the", "<tool>", " the"])
@example(FALCON, None, ["x² 12345,…!!  ò中é1234"])
@given(chains, st.sampled_from(NORMALIZERS), st.lists(texts, max_size=4))
@settings(max_examples=120, deadline=None)
@pytest.mark.parametrize("kind", ["bytes", "bytes that fall back", "characters"])
def test_small_files(kind: str, parts: list[Stage], normalizer: Document | None, texts: list[str]) -> None:
    fields: Document = {"normalizer": normalizer, "pre_tokenizer": chain(*parts), "post_processor": None}
    match kind:
        case "bytes":
            document = byte_level(**fields)
        case "bytes that fall back":  # ò becomes bytes without a token of their own
            document = byte_level(**fields, model={"byte_fallback": True})
            document["model"]["vocab"] |= {"<0xC3>": 400, "<0x82>": 401, "<0xC2>": 402, "<0xB2>": 403}
            del document["model"]["vocab"]["²"]
            document["added_tokens"] = []
        case _:
            document = sentencepiece(**fields)
            document["added_tokens"].append(added(len(document["model"]["vocab"]), "<tool>", normalized=True))
    assert_same(vt.load(json.dumps(document).encode()), "".join(texts))


# --- seams -------------------------------------------------------------------------------------------

CHARACTERS = "tha b1.▁_é²\n<>中"
SEAMED: dict[str, tuple[list[Stage], Document | None, int]] = {
    "prefix": ([spelled(True)], None, 60),
    "prefix, NFC": ([spelled(True)], {"type": "NFC"}, 60),
    "prefix behind digits": ([DIGITS, spelled(True)], None, 25),
    "Falcon": (FALCON, None, 60),
    "prefix, more cuts": ([spelled(True), DIGITS], None, 60),
    "Metaspace": ([metaspace()], None, 25),
    "Metaspace first": ([metaspace("first")], None, 25),
    "Metaspace never": ([metaspace("never")], None, 25),
    "Metaspace whole": ([metaspace(cut=False)], None, 60),
    "Metaspace first whole, NFC": ([metaspace("first", False)], {"type": "NFC"}, 60),
    "Metaspace, prepended text": ([metaspace()], {"type": "Prepend", "prepend": "a"}, 25),
    "Metaspace, digits": ([metaspace(cut=False), DIGITS], None, 60),
    "digits, Metaspace": ([DIGITS, metaspace()], None, 25),
    "Metaspace, bytes": ([metaspace(), spelled()], None, 25),
    "Metaspace, bytes with prefix": ([metaspace(), spelled(True)], None, 20),
}
"""The pre-tokenizer, the normalizer, and how many of the pairs of `CHARACTERS` are seams at least."""


@pytest.mark.parametrize("name", SEAMED)
def test_seams(name: str, tmp_path: Path) -> None:
    """Cut at its seams, a text has the ids of its parts; sessions use that; the native seams are the same."""
    parts, normalizer, least = SEAMED[name]
    fields: Document = {"normalizer": normalizer, "pre_tokenizer": chain(*parts), "post_processor": None}
    make = byte_level if any(part["type"] == "ByteLevel" for part in parts) else sentencepiece
    document = make(**fields)
    size, tokens = len(document["model"]["vocab"]), document["added_tokens"]
    tokens[:] = [t for t in tokens if t["id"] < size]
    tokens += [added(size, "<b>")]
    tokens += [added(size + 1 + n, text, normalized=True) for n, text in enumerate(["a.", "t b"])]
    tok, rng = vt.load(json.dumps(document).encode()), random.Random(name)
    engine, atoms = reference_engine(tok), [*CHARACTERS, "<b>", "a.", "t b", "the", " ", "  "]
    found = seam_pairs(engine, CHARACTERS)
    assert len(found) >= least
    assert violations(engine, found, atoms, rng, tries=12) == []
    every = [(x, y) for x in CHARACTERS for y in CHARACTERS]
    assert set(answers_of(tok, every)) <= set(found)
    explore(tok, atoms, tmp_path, examples=4)


def answers_of(tok: Tokenizer, found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those of some pairs that are seams natively."""
    return [pair for pair, yes in zip(found, answers(seam_sections(tok.seams()), found), strict=True) if yes]


# --- real files that were edited ---------------------------------------------------------------------

EDITED: dict[str, tuple[str, Document]] = {
    "RoBERTa's way": ("gpt-neox", {"normalizer": None, "pre_tokenizer": spelled(True)}),
    "prefix and NFC": ("gpt-neox", {"pre_tokenizer": spelled(True)}),
    "Falcon's way": ("gpt-neox", {"pre_tokenizer": chain(*FALCON)}),
    "prefix behind digits": ("gpt-neox", {"pre_tokenizer": chain(DIGITS, spelled(True))}),
    **{
        f"Metaspace {scheme}{'' if cut else ', whole'}": (
            "mistral-7b-v0.1",
            {"normalizer": None, "pre_tokenizer": metaspace(scheme, cut)},
        )
        for scheme, cut in product(("always", "first", "never"), (True, False))
    },
    "old Metaspace and NFKC": (
        "mistral-7b-v0.1",
        {
            "normalizer": {"type": "NFKC"},
            "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True},
        },
    ),
    "Metaspace first and NFC, digits apart": (
        "mistral-7b-v0.1",
        {"normalizer": {"type": "NFC"}, "pre_tokenizer": chain(DIGITS, metaspace("first"))},
    ),
}
"""By what was edited: the family, and the fields that are other ones."""


@cache
def edited(name: str) -> Twins:
    family, fields = EDITED[name]
    document: Document = json.loads(fetch(family).read_bytes())
    return Twins(document | fields)


@pytest.mark.parametrize("name", EDITED)
@given(text=hostile.text(30), data=st.data())
@settings(max_examples=40, deadline=None)
def test_edited_files(name: str, text: str, data: st.DataObject) -> None:
    twins = edited(name)
    literals = [token.content for token in twins.ours.spec.added_tokens]
    text += data.draw(st.sampled_from(["", *literals])) + data.draw(hostile.text(8))
    assert_same(twins.ours, text)
    twins.assert_same_ids(text)


@pytest.mark.parametrize("name", EDITED)
def test_long_texts(name: str) -> None:
    """Longer than any batch of pieces; in two threads; and a session that goes on from a text."""
    tok, rng = edited(name).ours, random.Random(name)
    words = ["the", " a", "Digits 1234", "\n\n", "  ", "中文字", "ò²é", "don't", "e\u0301", " <s>", "▁", "，"]
    text = "".join(rng.choices(words, k=6000))
    ids = ReferenceEncoder(tok._pipeline(tok._all_added)).encode(text).tolist()
    assert tok.encode(text).tolist() == ids
    assert tok.count(text) == len(ids)
    assert tok.encode(text * 30, threads=2).tolist() == tok.encode(text * 30).tolist()
    half = len(text) // 2
    session = tok.session(text[:half])
    for start in range(half, len(text), 701):
        session.append(text[start : start + 701])
    assert session.ids.tolist() == ids
