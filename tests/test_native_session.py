"""Seams of the native core beside the reference's table, and what native sessions add to sessions.

What sessions do is tested in `test_session.py`, which runs on the native ones where they are built.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seam_checks import reference_engine
from test_session import FAMILIES, FLAGGED, explore, flagged, tiny, tokenizer
from tiny import added, byte_level

import verified_tok as vt
from verified_tok._core import native
from verified_tok.engine_reference import ReferenceEngine
from verified_tok.errors import InvalidText
from verified_tok.native.seams import seam_sections
from verified_tok.reference.seam_table import seam_table
from verified_tok.reference.unicode_form import combining_classes, compositions, decompositions

CHARACTERS = "\0 \n\r\tazAZ09.,'\"<|>_▁/-é\u0301\u00a0中文あアー한ᄀ각ᅡᆨ\u0345\u0f71\u1ef9ﬁ²٣🦙\U0010ffff"


@cache
def engine(tok: vt.Tokenizer) -> ReferenceEngine:
    return reference_engine(tok)


def pairs(tok: vt.Tokenizer, rng: random.Random) -> list[tuple[str, str]]:
    """Pairs of characters: every class, what normal forms touch, what literals hold, others by chance."""
    touched = [*compositions().values(), *decompositions(True), *combining_classes()]
    literals = [token.content for token in tok.spec.added_tokens]
    chars = [*dict.fromkeys(CHARACTERS + engine(tok).table.representatives)]
    found = [*product(chars, chars)]
    found += [(x, y) for text in rng.sample(literals, min(len(literals), 50)) for x, y in pairwise(text)]
    anything = [chr(c) for c in rng.choices(range(0x110000), k=300) if not 0xD800 <= c < 0xE000]
    some = [*rng.choices(touched, k=200), *anything]
    found += [(x, rng.choice(chars)) for x in some] + [(rng.choice(chars), y) for y in some]
    return found + [(rng.choice(some), rng.choice(some)) for _ in range(500)]


def answers(sections: dict[str, np.ndarray], found: list[tuple[str, str]]) -> list[bool]:
    left, right = (np.array([ord(pair[side]) for pair in found], np.uint32) for side in (0, 1))
    return native.are_seams(native.Image.of(sections), left, right)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_seams_of_real_tokenizers_are_those_of_the_reference(name: str) -> None:
    tok = tokenizer(name)
    found = pairs(tok, random.Random(name))
    assert answers(seam_sections(tok.seams()), found) == [engine(tok).is_seam(x, y) for x, y in found]


@pytest.mark.parametrize("spaces_marked", [False, True])
@pytest.mark.parametrize("index", range(len(FLAGGED)))
def test_the_seams_beside_flagged_literals_are_those_of_the_reference(
    index: int, spaces_marked: bool
) -> None:
    tok = flagged(index, spaces_marked)
    found = pairs(tok, random.Random(index))
    assert answers(seam_sections(tok.seams()), found) == [engine(tok).is_seam(x, y) for x, y in found]


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
def test_literals_hold_whatever_may_become_their_characters(form: str) -> None:
    """Many characters may become one: all of a Hangul block the syllable that they begin with."""
    replaced = {"type": "Replace", "pattern": {"String": "z"}, "content": "é"}
    document = byte_level(normalizer={"type": "Sequence", "normalizers": [{"type": form}, replaced]})
    second = "é각ﬁA깎가"
    document["added_tokens"] += [added(266 + k, f"!{char}", normalized=True) for k, char in enumerate(second)]
    tok = tiny({**document, "post_processor": None})
    hangul = [*map(chr, range(0x1100, 0x1113)), *map(chr, range(0xAC00, 0xAC00 + 1300))]
    found = [("!", y) for y in [*hangul, *compositions().values(), *decompositions(True), *"eEéÉaAﬁfz"]]
    expected = [engine(tok).is_seam(x, y) for x, y in found]
    assert answers(seam_sections(tok.seams()), found) == expected
    held = [y for (_, y), seam in zip(found, expected, strict=True) if not seam]
    assert {"ᄀ", "가", "각", "e", "A", "z"} <= {*held}
    assert "나" not in held


@pytest.mark.parametrize("section", ["seam_answers", "seam_held", "seam_left"])
def test_a_wrong_table_is_noticed(section: str) -> None:
    """The checks above see a fault in any of the tables."""
    tok = tokenizer("qwen3")
    sections, found = seam_sections(tok.seams()), pairs(tok, random.Random("qwen3"))
    faulty = sections | {section: sections[section] ^ sections[section].dtype.type(1)}
    if section == "seam_left":
        faulty["seam_left"] %= len(sections["seam_left_kind"])
    assert answers(faulty, found) != [engine(tok).is_seam(x, y) for x, y in found]


@pytest.mark.parametrize("name", ["gemma-3", "claude", "qwen3"])
def test_a_first_session_does_not_wait_for_its_seams(name: str) -> None:
    tok, start = tokenizer(name), time.process_time()
    seam_sections(seam_table(tok.spec, tok._pipeline(tok._all_added), frozenset()))
    assert time.process_time() - start < 1.5  # measured: 0.2 to 0.4


REPLACED = [
    [{"type": "Replace", "pattern": {"Regex": "[0-9]+|é(?!e)"}, "content": "#"}],
    [{"type": "Replace", "pattern": {"Regex": "[^ae ]"}, "content": "."}],
    [{"type": "NFC"}, {"type": "Replace", "pattern": {"Regex": "e|\\u0301| +"}, "content": "th"}],
    [{"type": "Replace", "pattern": {"Regex": "[\\s\\S]"}, "content": "a"}],  # nothing is left to cut beside
]


@pytest.mark.parametrize("stages", REPLACED, ids=repr)
def test_sessions_whose_normalizer_replaces_matches_of_a_pattern(
    stages: list[dict[str, Any]], tmp_path: Path
) -> None:
    tok = tiny(byte_level(normalizer={"type": "Sequence", "normalizers": stages}))
    found = pairs(tok, random.Random(0))
    seams = [engine(tok).is_seam(x, y) for x, y in found]
    native_seams = answers(seam_sections(tok.seams()), found)
    assert not any(ours and not theirs for ours, theirs in zip(native_seams, seams, strict=True))
    if stages is not REPLACED[-1]:
        assert native_seams == seams
    explore(
        tok, ["the", "a", "1", "23", " ", "é", "e", "\u0301", "\n", "<|end|>", "x"], tmp_path, examples=15
    )


WORDS = st.sampled_from(["a", "é", "中", "🦙", " ", "\n", "ab " * 100, "é" * 300, "中文" * 400])


@given(st.lists(WORDS, max_size=8), st.data())
def test_offsets_of_characters_are_found_from_everywhere(words: list[str], data: st.DataObject) -> None:
    text = "".join(words)
    session = tokenizer("gpt-oss").session(text)
    for _ in range(4):
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(start, min(start + 700, len(text))))
        new = data.draw(WORDS)
        session.edit(start, stop, new)
        text = text[:start] + new + text[stop:]
        assert session.text == text
        assert len(text) == session._working.chars
    assert session.ids.tolist() == tokenizer("gpt-oss").encode(text).tolist()


def test_a_view_of_ids_outlives_its_session() -> None:
    tok = tokenizer("qwen3")
    session = tok.session("Hello world. " * 10)
    ids = session.ids
    expected = ids.tolist()
    session.fork().append("x" * 10_000)
    session.append("y" * 10_000)  # moves to other memory
    del session
    assert ids.tolist() == expected


def test_threads_share_sessions() -> None:
    """Forks and appends from many threads leave every session whole."""
    tok = tokenizer("qwen3")
    base = tok.session("system: be brief\n" * 500)
    forks: list[vt.Session] = []

    def work(number: int) -> None:
        fork = base.fork()
        for turn in range(20):
            fork.append(f"user {number}: {turn} " + "text — " * 400)
            fork.edit(number, number + 3, "né")
            base.fork().truncate(turn)
        forks.append(fork)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(forks) == 6
    for fork in forks:
        assert fork.ids.tolist() == tok.encode(fork.text).tolist()
    assert base.ids.tolist() == tok.encode("system: be brief\n" * 500).tolist()


BLOCK = 1 << 16  # characters that are compared at once


@pytest.mark.parametrize("letter", ["é", "中", "🦙"])
@pytest.mark.parametrize("other", ["x", "🦊", ""])
def test_an_update_finds_what_changed_in_the_str_that_it_was_given_before(letter: str, other: str) -> None:
    """As in the text of a session that was given another str, and without UTF-8 that stays with the str."""
    tok, rng = tokenizer("qwen3"), random.Random(letter + other)
    old = "".join(rng.choices(["ab ", letter, "\n", "c"], k=BLOCK))
    places = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, len(old) - BLOCK, len(old) - 1, len(old)]
    news = [old[:at] + other + old[at + drop :] for at in places for drop in (0, 1, 5)]
    news += [old + other * 9, old[:-3], old[3:], old[5:-7] + other, old + old, letter, other]
    known = tok.session(old)
    for new in news:
        size, ids = sys.getsizeof(new), known.ids.copy()
        unknown = tok.session()
        unknown.append(old[:9])
        unknown.append(old[9:])
        expected, patch = unknown.update(new), known.update(new)
        assert (patch.keep_front, patch.keep_back) == (expected.keep_front, expected.keep_back)
        assert patch.apply(ids).tolist() == known.ids.tolist() == unknown.ids.tolist()
        assert known.text == new
        assert sys.getsizeof(new) == size
        known.update(old)
    assert known.ids.tolist() == tok.encode(old).tolist()


def test_what_an_update_knows_is_forgotten_when_something_else_happens() -> None:
    tok = tokenizer("qwen3")
    session = tok.session("é one")
    fork = session.fork()
    session.append(" two")
    fork.edit(0, 1, "ß")
    session.update("é one three")
    fork.update("é one four")
    fork.truncate(3)
    fork.update("é one four")
    with pytest.raises(InvalidText):
        fork.update("é one \ud800")
    assert (session.text, fork.text) == ("é one three", "é one four")
    for one in (session, fork):
        assert one.ids.tolist() == tok.encode(one.text).tolist()


def test_a_session_is_joined_to_itself() -> None:
    session = tokenizer("qwen3").session("ab e")
    session.concat(session)
    session.concat(session.fork())
    assert session.text == "ab eab eab eab e"
    assert session.ids.tolist() == tokenizer("qwen3").encode(session.text).tolist()
