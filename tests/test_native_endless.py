"""Appends to text that no seam is near: exact, without going back to where the row began (`endless.h`)."""

from __future__ import annotations

import json
import random
from functools import cache
from itertools import product

import numpy as np
import pytest
from test_session import tokenizer
from tiny import added, byte_level

import verified_tok as vt
from verified_tok._core import native
from verified_tok.session import Session

pytestmark = pytest.mark.skipif(native is None, reason="the native core is not built")

FAMILIES = [
    "claude",
    "deepseek-v3",
    "gemma-3",
    "gpt-4o",
    "gpt-neox",
    "gpt-oss",
    "llama-2",
    "llama-3.1",
    "qwen3",
]
UNITS = ["a", "s", "Ab", "word", "é", "中", "한", "ᄀ", "🦙", *" \t\n1!'<", " \n", "\r\n", "12", "=-"]
UNITS += ["e\u0301", "\u0301\u0323", "\u1112\u1161\u11ab"]
ENDS = [*"aS!7é中/😀 \n", "'s", "\n\n", " \n x", "  b", "\u0301", "\u11a8", "<|", "\u2581"]
BEFORE = ["", "x", " ", "\n", "!", "'", "\n ", "9 "]


def check_append(tok: vt.Tokenizer, session: Session, text: str, new: str) -> str:
    """Append, and compare the ids and the patch with the whole text's."""
    before = session.ids.tolist()
    patch = session.append(new)
    expected = tok.encode(text + new).tolist()
    stop = len(before) - patch.keep_back
    assert [*before[: patch.keep_front], *patch.new.tolist(), *before[stop:]] == expected, (text[:9], new)
    assert session.ids.tolist() == expected
    return text + new


@pytest.mark.parametrize("name", FAMILIES)
def test_appends_to_endless_rows_are_exact(name: str) -> None:
    tok, rng = tokenizer(name), random.Random(name)
    others = [*(token.content for token in tok.spec.added_tokens[:40]), *ENDS]
    for unit in UNITS:
        row = rng.choice(BEFORE) + unit * (6000 // len(unit.encode()))
        for _ in range(3):
            session, text = tok.session(row), row
            for _ in range(4):
                new = "".join(
                    rng.choice([unit, unit, rng.choice(ENDS), rng.choice(others)]) for _ in range(3)
                )
                text = check_append(tok, session, text, new)
                if rng.random() < 0.3:
                    cut = rng.randrange(1, 4)
                    session.truncate(len(text) - cut)
                    text = text[:-cut]
        spans = tok.encode_with_spans(text)
        assert np.array_equal(session.spans, spans.char_spans)


@pytest.mark.parametrize("name", ["qwen3", "gpt-oss"])
def test_what_stands_before_a_row_may_decide_where_its_piece_ends(name: str) -> None:
    """Newlines belong to signs before them, spaces to newlines around them, capitals to small letters."""
    tok = tokenizer(name)
    for before, unit in product(["", "!", "\n", "a", "'"], ["\n", " ", "A", "中", "s"]):
        row = before + unit * 2700
        for new in [unit, f"{unit} \n x", f"{unit}\nx", " \n", "\n", "x", "Xx", " x", "1"]:
            check_append(tok, tok.session(row), row, new)


@pytest.mark.parametrize(
    ("name", "units"),
    {
        "qwen3": ["a", "word", "中", "🦙", " ", "\n", "!", "="],
        "gpt-oss": ["a", "A", "中", "🦙", " ", "\n", "!"],
        "gemma-3": ["a", "word", "中", "!"],
        "llama-2": ["a", "word", "中", "1", "\n"],
        "deepseek-v3": ["a", "中", " ", "\n", "!"],
        "claude": ["a", "1", "!", " "],
    }.items(),
)
def test_the_work_of_an_append_does_not_grow_with_the_row(name: str, units: list[str]) -> None:
    tok = tokenizer(name)
    for unit in units:
        session = tok.session("x" + unit * (60_000 // len(unit)))
        for _ in range(5):
            before = session.stats.characters_encoded
            session.append(unit * 3)
            assert session.stats.characters_encoded - before < 6_000, unit


# --- patterns by chance --------------------------------------------------------------------------------

MERGES = ["a a", "aa a", "aa aa", "aaaa aaaa", "a b", "ab ab", "b b", "bb b", "b a", "c a", "a c"]
MERGES += ["Ġ Ġ", "ĠĠ ĠĠ", "Ġ a", "Ċ Ċ"]
ATOMS = ["a", "b", "c", "[ab]", "[^a]", "[^ab]", r"\s", r"\S", "[a\\n]"]
QUANTIFIERS = ["", "", "+", "+", "*", "?", "{1,3}", "{2}", "++", "*+"]
PARTS = [*map("".join, product(ATOMS, QUANTIFIERS)), "(?:ab)?", "(?:a|bc)"]
AHEAD = ["", "", "", "", r"(?!\S)", "(?=b)", "(?!a)", "$"]


def small(regex: str, merges: list[str], behaviour: str = "Isolated", *literals: str) -> vt.Tokenizer:
    """A tokenizer of bytes with one pattern, these merges, and these added tokens."""
    document = byte_level()
    vocab = {token: id for id, token in enumerate(filter(lambda t: len(t) == 1, document["model"]["vocab"]))}
    for merge in sorted(merges, key=len):
        vocab.setdefault(merge.replace(" ", ""), len(vocab))
    split = {"type": "Split", "pattern": {"Regex": regex}, "behavior": behaviour, "invert": False}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    tokens = [added(len(vocab) + k, text, normalized=k == 1) for k, text in enumerate(literals)]
    changes = {
        "added_tokens": tokens,
        "normalizer": None,
        "post_processor": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]},
        "model": {**document["model"], "vocab": vocab, "merges": merges},
    }
    return vt.load(json.dumps({**document, **changes}).encode())


def test_pieces_that_begin_where_a_window_does() -> None:
    """Tokens there look like those of the row, and are of another piece."""
    tok = small(r"ba{3}|a+|[^a]", ["a a"])
    for size in range(2040, 2070):
        row = "b" + "a" * size
        check_append(tok, tok.session(row), row, "a")


def test_a_literal_that_goes_through_the_window() -> None:
    """It begins before the window and is complete only by what is appended."""
    tok = small("a+|[^a]", ["a a", "aa aa"], "Isolated", "a" * 5000 + "b")
    for size in (4999, 5000, 5001):
        check_append(tok, tok.session("a" * size), "a" * size, "b")


@cache
def by_chance(seed: int) -> vt.Tokenizer | None:
    """A small tokenizer by chance, if the native core takes it."""
    rng = random.Random(seed)
    parts = ["".join(rng.choices(PARTS, k=rng.randint(1, 3))) + rng.choice(AHEAD) for _ in range(4)]
    regex = "|".join(parts[: rng.randint(1, 4)])
    merges: list[str] = []
    for merge in MERGES:
        made = {one.replace(" ", "") for one in merges}
        if rng.random() < 0.8 and all(len(token) == 1 or token in made for token in merge.split(" ")):
            merges.append(merge)
    rng.shuffle(merges)
    literals = rng.sample(["aaab", "bab", "\n\n\n", "cc", "b b"], k=rng.choice([0, 0, 1, 2]))
    behaviour = rng.choice(["Isolated"] * 4 + ["MergedWithPrevious", "MergedWithNext", "Contiguous"])
    tok = small(regex, merges, behaviour, *literals)
    return tok if tok._encoder(frozenset()).path == "native" else None


def test_appends_with_patterns_by_chance() -> None:
    rng, windows = random.Random(0), 0
    for seed, unit in product(range(30), ["a", "b", "ab", " ", "\n", "ca", "c"]):
        tok = by_chance(seed)
        if tok is None:
            continue
        size = rng.choice([2600, rng.randrange(2040, 2100)])
        text = "".join(rng.choices("abc \n", k=rng.randrange(4))) + unit * (size // len(unit))
        session = tok.session(text)
        for _ in range(4):
            encoded = session.stats.characters_encoded
            new = "".join(rng.choices([unit, *"abc \n"], k=rng.randrange(1, 4)))
            text = check_append(tok, session, text, new)
            windows += 1000 < session.stats.characters_encoded - encoded < 2400
    assert windows > 30  # so many rows were not encoded anew
