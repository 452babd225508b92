"""The admission report: what it claims is looked up in the Lean sources and tried on the reference engine."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge import load
from tiny import BYTE_LEVEL, Document, added, byte_level, sentencepiece
from tokenizers import Tokenizer

import verified_tok
from verified_tok import tables
from verified_tok.admission import Admission, StageReport
from verified_tok.loading import from_ranks, load_json
from verified_tok.reference.pattern import split
from verified_tok.reference.regex import parse
from verified_tok.spec import TokenizerSpec

ROOT = Path(__file__).parents[1]
STAGES = ["added tokens", "normalizer", "pre-tokenizer", "model", "post-processor", "decoder"]
RANKS = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"the": 257}


def admit(spec: TokenizerSpec, deep: bool = False) -> Admission:
    return verified_tok.Tokenizer(spec).admission(deep=deep)


def stage(document: Document, name: str, deep: bool = False) -> StageReport:
    return admit(load(document), deep=deep).stages[STAGES.index(name)]


def notes(document: Document, name: str, deep: bool = False) -> str:
    return "\n".join(stage(document, name, deep).facts)


def engine(document: Document) -> Tokenizer:
    return Tokenizer.from_str(json.dumps(document))


def back_and_forth(document: Document, text: str) -> str:
    tokenizer = engine(document)
    decoded: str = tokenizer.decode(
        tokenizer.encode(text, add_special_tokens=False).ids, skip_special_tokens=False
    )
    return decoded


def split_stage(pattern: Document, behavior: str, invert: bool) -> Document:
    cut = {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}
    rest = {**BYTE_LEVEL, "use_regex": False}
    return byte_level(pre_tokenizer={"type": "Sequence", "pretokenizers": [cut, rest]})


# --- the report as a whole ---------------------------------------------------------------------------

VARIETY: list[Any] = [
    load(byte_level()),
    load(byte_level(model={"ignore_merges": True})),
    load(sentencepiece()),
    load(sentencepiece(added_tokens=[added(0, "<unk>", lstrip=True)])),
    load(split_stage({"Regex": r"\s|\S"}, "Removed", True)),
    load(split_stage({"Regex": "a+"}, "Removed", False)),
    from_ranks(RANKS, r"\p{L}+|\P{L}", {"<|end|>": 300}),
]


@pytest.mark.parametrize("loaded", VARIETY)
def test_every_stage_is_reported_in_order_and_printed(loaded: Any):
    report = admit(loaded)
    assert [one.stage for one in report.stages] == STAGES
    assert (report.sha256, report.source) == (loaded.sha256, loaded.source)
    flat = " ".join(str(report).split())
    for one in report.stages:
        assert one.does
        for text in (
            *one.does,
            one.why,
            *one.facts,
            *map(str, one.checks),
            *map(str, one.tables),
            *one.theorems,
        ):
            assert " ".join(text.split()) in flat


@pytest.mark.parametrize("loaded", VARIETY)
def test_the_report_is_json(loaded: Any):
    report = admit(loaded)
    written = json.loads(json.dumps(report.to_json()))
    assert [one["stage"] for one in written["stages"]] == STAGES
    assert written["sha256"] == loaded.sha256
    checks = [check for one in written["stages"] for check in one["checks"]]
    assert [check["failure"] for check in checks] == [None] * len(checks)
    assert len(checks) >= 3


@pytest.mark.parametrize("loaded", VARIETY)
def test_tables_are_named_with_their_hashes(loaded: Any):
    folder = Path(tables.__file__).parent
    used = {table for one in admit(loaded).stages for table in one.tables}
    for table in used:
        assert hashlib.sha256((folder / table.name).read_bytes()).hexdigest() == table.sha256
        assert re.fullmatch(r"(tokenizers|tiktoken) [\d.]+", table.engine)
    assert {table.engine.split()[0] for table in used} <= (
        {"tiktoken"} if loaded.source == "tiktoken" else {"tokenizers"}
    )


def test_theorems_and_assumptions_are_in_the_lean_sources():
    sources = "\n".join(path.read_text() for path in (ROOT / "lean" / "VerifiedTok").rglob("*.lean"))
    rounds = [merging("t h", "th e"), merging("ab c", "a b")]
    reports = [admit(loaded, deep=True) for loaded in [*VARIETY, *map(load, rounds)]]
    stages = [one for report in reports for one in report.stages]
    theorems = {theorem for one in [*stages, *(r.seams for r in reports)] for theorem in one.theorems}
    theorems |= {name for one in stages for fact in one.facts for name in re.findall(r"\((\S+_\S+)\)$", fact)}
    assert len(theorems) >= 13
    for theorem in theorems:
        assert re.search(rf"^theorem {re.escape(theorem)}\b", sources, re.M), theorem
    for assumption in {check.assumption for one in stages for check in one.checks}:
        assert re.search(rf"^  {assumption} : ", sources, re.M), assumption


# --- facts, each tried on the engine -----------------------------------------------------------------


def test_literals_that_are_entries():
    document = byte_level(added_tokens=[added(259, "the"), added(264, "<|end|>")])
    assert "entries of the vocabulary among them: 1 ('the'); their ids" in notes(document, "added tokens")
    assert "entries" not in notes(byte_level(), "added tokens")


def test_flags_are_counted():
    tokens = [added(264, "<a>", lstrip=True, special=True), added(265, "<b>", lstrip=True, normalized=True)]
    report = stage(byte_level(added_tokens=tokens, post_processor=None), "added tokens")
    assert report.does[0].startswith("cuts out 2 literals")
    assert "2 lstrip: the white space before goes with the literal" in report.does
    assert "1 normalized: looked for in normalized text, in a second pass" in report.does
    assert report.tables
    assert "the theorems speak of literals alone" in report.facts[0]


@pytest.mark.parametrize(
    ("normalizer", "text", "said"),
    [
        ({"type": "NFC"}, "e\u0301", "text that is not in NFC comes back in NFC"),
        ({"type": "NFKC"}, "\ufb01", "text that is not in NFKC comes back in NFKC"),
        ({"type": "Strip", "strip_left": True, "strip_right": True}, " a ", "white space that is taken off"),
        ({"type": "Replace", "pattern": {"String": " "}, "content": "_"}, "a_b c", "'_' in a text itself"),
    ],
)
def test_what_a_normalizer_loses(normalizer: Document, text: str, said: str):
    document = byte_level(normalizer=normalizer, post_processor=None)
    assert said in notes(document, "normalizer")
    assert back_and_forth(document, text) != text


def test_a_prefixed_space_comes_back():
    document = byte_level(pre_tokenizer={**BYTE_LEVEL, "add_prefix_space": True}, post_processor=None)
    assert "comes back with one in front" in notes(document, "pre-tokenizer")
    assert back_and_forth(document, "the") == " the"
    assert "in front" not in notes(byte_level(), "pre-tokenizer")


def test_a_pattern_whose_text_is_dropped():
    document = split_stage({"Regex": r"\d"}, "Removed", False)
    assert r"the text of /\d/ is dropped" in notes(document, "pre-tokenizer")
    assert back_and_forth(document, "a1b") == "ab"
    punctuation = byte_level(
        pre_tokenizer={
            "type": "Sequence",
            "pretokenizers": [{"type": "Punctuation", "behavior": "Removed"}, BYTE_LEVEL],
        }
    )
    assert "punctuation is dropped" in notes(punctuation, "pre-tokenizer")
    assert back_and_forth(punctuation, "a!b") == "ab"
    for dropping in (document, punctuation):
        assert "splitAll_flatten" not in stage(dropping, "pre-tokenizer").theorems
    assert "splitAll_flatten" in stage(byte_level(), "pre-tokenizer").theorems


def test_gaps_that_are_dropped():
    document = split_stage({"Regex": r"[a-z]+|[0-9]"}, "Removed", True)
    (said,) = re.findall(r"is dropped, as (.+) may be", notes(document, "pre-tokenizer"))
    lost = ast.literal_eval(said)
    assert back_and_forth(document, f"a{lost}1") == "a1"
    assert "firstMatch_of_covers" not in stage(document, "pre-tokenizer").theorems


EVERYWHERE = [
    r"\p{L}+|\P{L}",
    r"\s+|\S",
    r"[a-f]+|[^b]|b",
    r"\s+(?!\S)|\s+|\S+",
    r"a?b|[^b]",
    r"(?i:'s)|[\s\S]",
]
WITH_GAPS = [r"[^b]", r"\P{L}+", r"[^\s]|\n", "a*"]


@given(
    st.sampled_from(EVERYWHERE + WITH_GAPS), st.text(st.sampled_from("ab ef's\n\t1é世\u2028"), max_size=12)
)
def test_a_pattern_said_to_match_everywhere_leaves_no_gap(pattern: str, text: str):
    said = notes(split_stage({"Regex": pattern}, "Removed", True), "pre-tokenizer")
    assert ("matches at every character, so nothing is dropped" in said) == (pattern in EVERYWHERE)
    if pattern in EVERYWHERE:
        assert all(piece.matched for piece in split(parse(pattern), text))


def test_a_stage_that_never_cuts():
    spaces = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
    document = sentencepiece(pre_tokenizer=spaces)
    assert "' ' does not occur in normalized text" in notes(document, "pre-tokenizer")
    without = sentencepiece()
    for text in ("a b", "  the  ab"):
        assert engine(document).encode(text).ids == engine(without).encode(text).ids
    commas = {**spaces, "pattern": {"String": ","}}
    assert "never cuts" not in notes(sentencepiece(pre_tokenizer=commas), "pre-tokenizer")


def test_entries_that_no_merge_makes():
    document = byte_level()
    document["model"]["vocab"]["Ġx"] = 264
    document["added_tokens"] = []
    document["post_processor"] = None
    assert "tokens that no merge makes: 1 (' x'); no text gives them" in notes(document, "model")
    assert 264 not in engine(document).encode("a x").ids
    document["model"]["ignore_merges"] = True
    assert "1 (' x'); only a piece that is one of them gives it" in notes(document, "model")
    assert 264 in engine(document).encode("a x").ids
    assert "no merge makes" not in notes(byte_level(), "model")
    assert "no merge makes" not in notes(sentencepiece(), "model")

    odd = from_ranks({**RANKS, b"xyz": 258}, r"\p{L}+|\P{L}", {})
    assert "tokens that no merge makes: 1 (b'xyz'); only a piece" in "\n".join(admit(odd).stages[3].facts)
    assert not admit(VARIETY[-1]).stages[3].facts


def test_merges_that_give_one_token():
    document = sentencepiece()
    document["model"]["vocab"]["the"] = document["model"]["vocab"]["the"]
    document["model"]["vocab"]["he"] = len(document["model"]["vocab"])
    document["model"]["merges"] += [["h", "e"], ["t", "he"]]
    assert "merges whose token another merge makes, too: 1" in notes(document, "model")


def without_token(document: Document, *tokens: str) -> Document:
    """The document without some entries of its vocabulary; ids close up."""
    rest = [token for token in document["model"]["vocab"] if token not in tokens]
    document["model"]["vocab"] = {token: id for id, token in enumerate(rest)}
    document["added_tokens"] = []
    document["post_processor"] = None
    return document


def test_bytes_without_a_token():
    document = without_token(byte_level(), "q", "z")
    said = notes(document, "model")
    assert (
        "bytes without a token, of those that texts hold: 2 (first 0x71); what needs one is dropped" in said
    )
    assert back_and_forth(document, "aqb") == "ab"
    report = stage(document, "model")
    assert [check.assumption for check in report.checks if check.failure] == ["byte_spells"]
    assert "byte 0x71 has no token" in str(report)
    assert report.theorems == ("mergeAll_eq_iff", "decode_mergeAll")
    whole = stage(byte_level(), "model")
    assert whole.theorems == ("encodePiece_iff_bpeSpec", "bpeSpec_unique", "decode_encodePiece")
    assert not any(check.failure for check in whole.checks)


def test_bytes_that_no_text_holds_need_no_token():
    document = without_token(byte_level(), "À", "Á", "õ", "ÿ")
    assert "without a token" not in notes(document, "model")
    assert not admit(load(document)).failures


def test_characters_without_a_token():
    document = without_token(sentencepiece(model={"byte_fallback": False}), "<0x00>")
    said = notes(document, "model")
    assert "a character that is no entry becomes '<unk>', a run of them a single one" in said
    assert "<unk>" in engine(document).encode("a世界b").tokens
    document["model"]["unk_token"] = None
    assert "a character that is no entry is dropped" in notes(document, "model")
    assert back_and_forth(document, "a世b") == "ab"
    assert "a character that is no entry" not in notes(sentencepiece(), "model")

    document = without_token(sentencepiece(), "<0xE4>")
    assert (
        "bytes without a token, of those that texts hold: 1 (first 0xe4); what needs one becomes '<unk>'"
        in notes(document, "model")
    )
    assert "<unk>" in engine(document).encode("a世b").tokens


def test_results_that_do_not_spell_their_parts():
    document = byte_level(added_tokens=[], post_processor=None)
    document["model"]["vocab"] |= {"▁": 264, "é▁": 265}
    document["model"]["merges"] = ["é ▁"]
    report = admit(load(document))
    (failure,) = report.failures
    assert failure.assumption == "result_spells"
    assert "token 265" in str(failure)
    assert "FAILS" in str(report)
    assert report.stages[3].theorems == ("encodePiece_iff_bpeSpec", "bpeSpec_unique")


def test_batch_padding_is_told():
    padding = {
        "strategy": "BatchLongest",
        "direction": "Left",
        "pad_id": 5,
        "pad_type_id": 0,
        "pad_token": "!",
    }
    assert "the kit never pads" in notes(byte_level(padding=padding), "post-processor")


def test_added_tokens_that_decode_otherwise():
    document = sentencepiece(added_tokens=[added(0, "<unk>"), added(282, "<▁>"), added(283, "<0x0A>x")])
    document["post_processor"] = None
    assert "added tokens that decode to something else than their literal: 1 ('<▁>')" in notes(
        document, "decoder"
    )
    assert engine(document).decode([259 + 1, 282, 283], skip_special_tokens=False).endswith("< ><0x0A>x")


def test_literals_that_the_engine_misreads():
    document = byte_level(
        added_tokens=[added(264, "øÙ"), added(265, "<x>"), added(266, "世")], post_processor=None
    )
    said = notes(document, "decoder")
    assert "literals of nothing but byte-level characters: 1 ('øÙ')" in said
    assert engine(document).decode([264]) == "\ufffd\ufffd"
    assert engine(document).decode([266]) == "世"
    assert "something else" not in said


def test_literals_that_the_engine_misreads_once_they_are_normalized():
    document = byte_level(added_tokens=[added(264, "<e\u0301>", normalized=True)], post_processor=None)
    assert "literals of nothing but byte-level characters: 1 ('<é>')" in notes(document, "decoder")
    assert engine(document).decode([264]) == "<\ufffd>"


# --- seams -------------------------------------------------------------------------------------------

CONTEXTS = ["", "a", "the ", " \n", "12", "!?", "\n\n"]


def ids_of(tokenizer: Tokenizer, text: str) -> list[int]:
    return list(tokenizer.encode(text, add_special_tokens=False).ids)


def test_marked_seams_cut_the_engines_ids():
    """Each seam that the report marks cuts the engine's ids, in a vocabulary that joins much."""
    document = byte_level(added_tokens=[], post_processor=None)
    document["model"]["merges"] += [f"{a} {b}" for a in "Ġa'!" for b in "Ġa'!"]
    for a in "Ġa'!":
        for b in "Ġa'!":
            document["model"]["vocab"].setdefault(a + b, len(document["model"]["vocab"]))
    report, tokenizer = admit(load(document)).seams, engine(document)
    chars = [one.example for one in report.classes]
    for x, marks in zip(chars, report.pairs, strict=True):
        for y, mark in zip(chars, marks, strict=True):
            cut = all(
                ids_of(tokenizer, front + x + y + back)
                == ids_of(tokenizer, front + x) + ids_of(tokenizer, y + back)
                for front in CONTEXTS
                for back in CONTEXTS
            )
            assert cut or mark == "·", (x, y)
    assert 0 < report.share < 1


def test_pairs_that_no_merge_joins_are_seams_of_the_engine():
    document = sentencepiece(normalizer=None, added_tokens=[added(0, "<unk>")], post_processor=None)
    report, tokenizer = admit(load(document)).seams, engine(document)
    assert set("".join(report.pairs)) == {"v"}
    assert "pairSeam_of_chars" in report.theorems
    (said,) = re.findall(r"unless noted below, as (.+)", "\n".join(report.facts))
    pairs = [ast.literal_eval(f"[{pair}]") for pair in said.split(", ")]
    assert pairs
    for [joined] in pairs:  # two literals beside each other are read as one
        x, y = joined
        assert ids_of(tokenizer, f"the{x}{y}the") == ids_of(tokenizer, f"the{x}") + ids_of(
            tokenizer, f"{y}the"
        )


@pytest.mark.parametrize("loaded", VARIETY)
def test_every_class_of_characters_is_named_once(loaded: Any):
    report = admit(loaded).seams
    assert sum(one.size for one in report.classes) == 0x110000 - 0x800
    assert len({one.example for one in report.classes}) == len(report.classes) == len(report.pairs)
    assert {len(marks) for marks in report.pairs} == {len(report.classes)}
    assert "seams" in str(admit(loaded))


# --- rounds ------------------------------------------------------------------------------------------


def merging(*merges: str) -> Document:
    """A byte-level tokenizer with these merges."""
    vocab = dict(byte_level()["model"]["vocab"])
    for merge in merges:
        vocab.setdefault(merge.replace(" ", ""), len(vocab))
    model = {"vocab": vocab, "merges": [*merges]}
    return byte_level(model=model, added_tokens=[], post_processor=None)


def test_whether_rounds_are_exact_is_found_out_on_demand():
    assert "merging in rounds is exact, early rules: 0 (" in notes(merging("t h", "th e"), "model", deep=True)
    assert "merging in rounds is not exact: it differs on the tokens [" in notes(
        merging("aa a", "a a"), "model", deep=True
    )
    assert "merging in rounds is exact, early rules: 1 (" in notes(merging("ab c", "a b"), "model", deep=True)
    assert "rounds" not in notes(merging("aa a", "a a"), "model")


def test_tokens_that_merging_does_not_reach():
    assert "tokens that merging does not make from their own text: 1" in notes(
        merging("a b", "b c", "a bc"), "model", deep=True
    )
    assert "their own text" not in notes(merging("t h", "th e"), "model", deep=True)


def test_a_merge_that_makes_a_byte_leaves_rounds_undecided():
    document = sentencepiece()
    document["model"]["vocab"]["<0x"] = 0
    document["model"]["merges"] = []
    tokens = [*document["model"]["vocab"]]
    document["model"]["vocab"] = {token: id for id, token in enumerate([*tokens, "<0x0", "A>"])}
    document["model"]["merges"] = [["<0x0", "A>"]]
    assert "not decided whether merging in rounds is exact: no merge may make" in notes(
        document, "model", deep=True
    )


# --- real files --------------------------------------------------------------------------------------

REAL = {
    "qwen3": ("normalizer", "text that is not in NFC comes back in NFC"),
    "qwen3.5": ("model", "tokens that no merge makes: 201 ('俱乐部', "),
    "gpt-4o": ("pre-tokenizer", "the pattern matches at every character, so nothing is dropped"),
    "gemma-3": ("pre-tokenizer", "' ' does not occur in normalized text, so the first stage never cuts"),
    "llama-3.1": ("model", "merges whose token another merge makes, too: 152403"),
    "deepseek-v4": ("added tokens", "entries of the vocabulary among them: 3 ("),
    "llama-2": ("normalizer", "'▁' in a text itself is not told from a replaced ' '"),
}


@pytest.mark.parametrize("name", REAL)
def test_real_tokenizers_meet_every_assumption(name: str, family_file: Callable[[str], Path]):
    report: Admission = admit(load_json(family_file(name).read_bytes()))
    assert not report.failures
    where, said = REAL[name]
    assert said in "\n".join(report.stages[STAGES.index(where)].facts)
