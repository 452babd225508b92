"""Sessions, after every operation beside a fresh encoding of the whole text, on every kind of tokenizer."""

from __future__ import annotations

import json
import pickle
import random
from copy import copy, deepcopy
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from seam_checks import atoms_of, reference_engine, seam_pairs, violations
from tiny import BYTE_LEVEL, Document, added, byte_level, sentencepiece

import verified_tok as vt
from verified_tok.engine import Sessions, restored
from verified_tok.engine_reference import ReferenceEngine
from verified_tok.errors import (
    CannotPickle,
    InvalidRange,
    InvalidSessionFile,
    InvalidText,
    InvalidTokenId,
    SessionMismatch,
    VerifiedTokError,
)
from verified_tok.fetch import open_family
from verified_tok.reference.seam_table import YES
from verified_tok.session_file import _digest, read_session

FAMILIES = [
    "claude",  # NFKC, GPT-2's pattern
    "deepseek-coder",  # several stages, single digits
    "deepseek-v3",
    "gemma-3",  # no pre-tokenizer that fires: seams of the vocabulary
    "glm-4",
    "gpt-4o",  # removes what does not match, inverted
    "gpt-oss",
    "llama-2",  # a normalizer that prepends
    "llama-3.1",
    "minimax",
    "qwen3",  # NFC
    "qwen3.5",
    "qwen3.6",  # ranks
]

FLAGGED = [
    {"lstrip": True},
    {"rstrip": True},
    {"lstrip": True, "rstrip": True, "normalized": True},
    {"single_word": True},
    {"single_word": True, "rstrip": True, "normalized": True},
]


@cache
def tokenizer(name: str) -> vt.Tokenizer:
    return open_family(name)


def tiny(document: Document) -> vt.Tokenizer:
    return vt.load(json.dumps(document).encode())


@cache
def flagged(index: int, spaces_marked: bool) -> vt.Tokenizer:
    """A small tokenizer whose added tokens have flags, and share characters with ordinary text."""
    document = sentencepiece() if spaces_marked else byte_level()
    first = len(document["model"]["vocab"])
    tokens = [t for t in document["added_tokens"] if t["id"] < first]
    flags = FLAGGED[index]
    tokens += [
        added(first, "tha", **flags),
        added(first + 1, "a b", **flags),
        added(first + 2, " é", **flags),
    ]
    return tiny({**document, "added_tokens": tokens, "post_processor": None})


@cache
def engine(tok: vt.Tokenizer) -> ReferenceEngine:
    """The reference pipeline of a tokenizer."""
    return reference_engine(tok)


class SessionMachine(RuleBasedStateMachine):
    """One session, and the text that it must have."""

    tok: vt.Tokenizer
    sessions: Sessions
    atoms: list[str]
    folder: Path

    @initialize(data=st.data())
    def start(self, data: st.DataObject) -> None:
        self.text = self.fragment(data, 12)
        self.session = self.sessions.open(self.text)

    def fragment(self, data: st.DataObject, size: int = 5) -> str:
        return "".join(data.draw(st.lists(st.sampled_from(self.atoms), max_size=size)))

    def place(self, data: st.DataObject, least: int = 0) -> int:
        return data.draw(st.integers(least, len(self.text)))

    def apply(self, text: str, patch: vt.Patch, ids: np.ndarray[Any, Any]) -> None:
        self.text = text
        assert patch.apply(ids).tolist() == self.session.ids.tolist()

    @rule(data=st.data())
    def append(self, data: st.DataObject) -> None:
        ids, new = self.session.ids.copy(), self.fragment(data)
        self.apply(self.text + new, self.session.append(new), ids)

    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        ids, new, start = self.session.ids.copy(), self.fragment(data), self.place(data)
        stop = min(start + data.draw(st.integers(0, 6)), len(self.text))
        self.apply(self.text[:start] + new + self.text[stop:], self.session.edit(start, stop, new), ids)

    @rule(data=st.data())
    def edit_bytes(self, data: st.DataObject) -> None:
        ids, new, start = self.session.ids.copy(), self.fragment(data, 2), self.place(data)
        stop = self.place(data, start)
        patch = self.session.edit_bytes(len(self.text[:start].encode()), len(self.text[:stop].encode()), new)
        self.apply(self.text[:start] + new + self.text[stop:], patch, ids)

    @rule(data=st.data())
    def insert(self, data: st.DataObject) -> None:
        ids, new, at = self.session.ids.copy(), self.fragment(data), self.place(data)
        self.apply(self.text[:at] + new + self.text[at:], self.session.insert(at, new), ids)

    @rule(data=st.data())
    def truncate(self, data: st.DataObject) -> None:
        ids, length = self.session.ids.copy(), self.place(data, len(self.text) // 2)
        self.apply(self.text[:length], self.session.truncate(length), ids)

    @rule(data=st.data())
    def update(self, data: st.DataObject) -> None:
        ids, at = self.session.ids.copy(), self.place(data)
        text = self.text[:at] + self.fragment(data, 2) + self.text[at + data.draw(st.integers(0, 3)) :]
        self.apply(text, self.session.update(text), ids)

    @rule(data=st.data())
    def concat(self, data: st.DataObject) -> None:
        ids, new = self.session.ids.copy(), self.fragment(data, 8)
        other = self.sessions.open(new)
        self.apply(self.text + new, self.session.concat(other), ids)
        assert other.ids.tolist() == self.tok.encode(new).tolist()

    @rule(data=st.data(), keep_fork=st.booleans())
    def fork(self, data: st.DataObject, keep_fork: bool) -> None:
        fork, new = self.session.fork(), self.fragment(data)
        other = self.session if keep_fork else fork
        if keep_fork:
            self.session = fork
        other.insert(self.place(data), new)

    @rule()
    def save_and_load(self) -> None:
        path = self.folder / "session"
        self.session.save(path)
        self.session = restored(self.sessions, read_session(path))

    @rule(data=st.data())
    def refuse(self, data: st.DataObject) -> None:
        start = self.place(data)
        bad = [(start, start - 1, ""), (0, len(self.text) + 1, ""), (-1, start, ""), (start, start, "\ud800")]
        for arguments in bad:
            with pytest.raises((InvalidRange, InvalidText)):
                self.session.edit(*arguments)

    @invariant()
    def is_the_encoding_of_the_text(self) -> None:
        expected = engine(self.tok).encode_part(self.text, inside=False)
        assert self.session.text == self.text
        assert self.session.ids.tolist() == expected.ids.tolist()
        assert self.session.spans.tolist() == expected.char_spans.tolist()
        assert self.session.byte_spans.tolist() == expected.byte_spans.tolist()
        assert len(self.session) == len(expected.ids)


def explore(
    tok: vt.Tokenizer, atoms: list[str], folder: Path, examples: int, sessions: Sessions | None = None
) -> None:
    """Random operations on the sessions that the tokenizer makes, or on others of it."""
    own = {"tok": tok, "sessions": sessions or tok._sessions(tok._all_added), "atoms": atoms}
    machine = type("TheseSessions", (SessionMachine,), {**own, "folder": folder})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_every_operation_on_real_tokenizers(name: str, tmp_path: Path) -> None:
    tok = tokenizer(name)
    explore(tok, atoms_of(tok, random.Random(name)), tmp_path, examples=20)


@pytest.mark.parametrize("name", ["qwen3", "llama-2", "gpt-4o"])
def test_every_operation_of_the_reference(name: str, tmp_path: Path) -> None:
    """The sessions of machines on which the native core is not built."""
    tok = tokenizer(name)
    explore(tok, atoms_of(tok, random.Random(name)), tmp_path, examples=10, sessions=engine(tok))


@pytest.mark.parametrize("spaces_marked", [False, True])
@pytest.mark.parametrize("index", range(len(FLAGGED)))
def test_every_operation_with_flagged_literals(index: int, spaces_marked: bool, tmp_path: Path) -> None:
    atoms = [
        "tha",
        "the",
        "a b",
        " é",
        "a",
        "b",
        "é",
        "e",
        "\u0301",
        " ",
        "  ",
        "\n",
        "t",
        "he",
        "1",
        "xtha",
        ".",
    ]
    explore(flagged(index, spaces_marked), atoms, tmp_path, examples=40)


@pytest.mark.parametrize("flags", FLAGGED)
@pytest.mark.parametrize(
    "normalizer", [{"type": "NFKC"}, {"type": "Replace", "pattern": {"String": "_"}, "content": " "}]
)
def test_flags_ask_what_characters_become(flags: dict[str, bool], normalizer: Document) -> None:
    """A literal that matches normalized text may take what becomes white space, or mind what becomes a word
    (`PairSeam` asks for the flags of normalized text): `¨` begins with a space in NFKC, `①` is a digit."""
    document = byte_level(normalizer=normalizer, post_processor=None)
    first = len(document["model"]["vocab"])
    document["added_tokens"] = [
        added(first + i, content, **{**flags, "normalized": True})
        for i, content in enumerate(["tha", "- b", "éa"])
    ]
    session_engine, chars = reference_engine(tiny(document)), "atb_ \u00a8①é.-1가ᄀ"
    pairs = seam_pairs(session_engine, chars)
    assert len(pairs) > 10
    atoms = ["tha", "- b", "éa", *chars]
    assert violations(session_engine, pairs, atoms, random.Random(0), tries=30) == []


def test_text_behind_a_seam_is_not_the_first_piece(tmp_path: Path) -> None:
    """What Metaspace puts before the first piece of a text is put there once."""
    first = {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": True}
    digits = {"type": "Digits", "individual_digits": True}
    stages = {"type": "Sequence", "pretokenizers": [digits, first, {**BYTE_LEVEL, "use_regex": False}]}
    tok = tiny(byte_level(pre_tokenizer=stages, normalizer=None))
    session = tok.session("a1b")
    session.append("2c")
    assert session.stats.characters_encoded < 5
    assert session.ids.tolist() == tok.encode("a1b2c").tolist()
    explore(tok, ["the", "a", "1", "2", " ", "_", "é", "\n", "<|end|>"], tmp_path, examples=20)


# --- seams -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAMILIES)
def test_seams_of_real_tokenizers_cut_every_text(name: str) -> None:
    tok, rng = tokenizer(name), random.Random(name)
    atoms = atoms_of(tok, rng)
    session_engine = engine(tok)
    characters = [*session_engine.table.representatives, *"azAZ09 \n\r\t.,'\"é中あ한𐍈ఆ🙂<|>_▁/"]
    assert violations(session_engine, seam_pairs(session_engine, characters), atoms, rng, tries=3) == []


@pytest.mark.parametrize("name", ["qwen3", "gpt-oss", "deepseek-v3"])
@pytest.mark.parametrize("pair", ["ab", " a", ".a", " \n", "'s"])
def test_one_seam_too_many_is_found(name: str, pair: str) -> None:
    """The check above sees a single wrong entry of the table."""
    tok, rng = tokenizer(name), random.Random(name)
    faulty = reference_engine(tok)
    x, y = pair
    assert not faulty.is_seam(x, y)
    faulty.table.stages[faulty.table.class_of[ord(x)], faulty.table.class_of[ord(y)]] = YES
    faulty.is_seam.cache_clear()
    assert violations(faulty, [(x, y)], atoms_of(tok, rng), rng, tries=300)


@pytest.mark.parametrize(
    ("name", "pair"), [("llama-2", "th"), ("llama-2", "an"), ("gemma-3", "th"), ("gemma-3", "\n\n")]
)
def test_one_join_too_few_is_found(name: str, pair: str) -> None:
    """The same of a vocabulary's seams: a pair that merges join, taken for one that none joins."""
    tok, rng = tokenizer(name), random.Random(name)
    faulty = reference_engine(tok)
    joins = faulty.table.joins
    assert joins is not None
    assert not joins.apart(*pair)
    fewer = replace(joins, pairs=joins.pairs - {(pair[0], pair[1])})
    faulty.is_seam = replace(faulty.table, joins=fewer).is_seam  # type: ignore[assignment]
    assert violations(faulty, [(pair[0], pair[1])], atoms_of(tok, rng), rng, tries=50)


# --- cost --------------------------------------------------------------------------------------------

TURN = (
    "<|im_start|>user\nPlease run the tests in `tests/test_app.py` — Grüße, 你好！\n<|im_end|>\n"
    '<|im_start|>assistant\nOK: {"name": "run", "arguments": {"cmd": "pytest -q"}}\n3 passed in 0.12s\n'
)


@pytest.mark.parametrize("name", ["qwen3", "gpt-oss", "llama-3.1", "deepseek-v3", "gemma-3", "llama-2"])
def test_the_work_of_an_append_does_not_grow_with_the_text(name: str) -> None:
    """An agent's transcript: every turn costs itself and a few characters before it."""
    tok = tokenizer(name)
    session, text = tok.session(), ""
    for _ in range(60):
        session.append(TURN)
        text += TURN
    stats = session.stats
    assert session.ids.tolist() == tok.encode(text).tolist()
    assert stats.characters_given == len(text)
    assert stats.characters_encoded - stats.characters_given < 20 * stats.operations
    assert stats.longest_reach < 20
    assert stats.without_seam == 0


def test_an_edit_in_the_middle_keeps_both_sides() -> None:
    session = tokenizer("qwen3").session(TURN * 50)
    before = len(session)
    at = len(TURN) * 25 + TURN.index("tests in")
    patch = session.edit(at, at + 5, "checks")
    assert session.stats.characters_encoded < 40
    assert patch.keep_front > before // 3
    assert patch.keep_back > before // 3
    assert len(patch.new) < 10


def test_a_text_without_seams_is_encoded_again_and_counted() -> None:
    session = tokenizer("qwen3").session("a" * 300)
    session.append("a")
    assert session.stats.without_seam == 1
    assert session.stats.characters_encoded == 301
    assert session.ids.tolist() == tokenizer("qwen3").encode("a" * 301).tolist()


# --- patches -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [-1, 2**32, 2**40, np.uint64(2**63)])
def test_a_patch_takes_no_number_for_another_id(wrong: int) -> None:
    session = tokenizer("qwen3").session("Hello world")
    ids = session.ids.astype(np.asarray(wrong).dtype)
    patch = session.append("!")
    assert patch.apply(ids).tolist() == session.ids.tolist()
    ids[0] = wrong
    for given in (ids, ids.tolist()):
        with pytest.raises(InvalidTokenId, match=str(wrong)):
            patch.apply(given)


def test_a_patch_takes_no_fewer_ids_than_it_keeps() -> None:
    session = tokenizer("qwen3").session("one two three four")
    patch = session.edit(4, 7, "2")
    kept = patch.keep_front + patch.keep_back
    assert patch.keep_front > 0 < patch.keep_back
    for count in range(kept):
        with pytest.raises(InvalidTokenId, match=f"{count} ids were given"):
            patch.apply([7] * count)
    assert len(patch.apply([7] * kept)) == kept + len(patch.new)


# --- forks and views ---------------------------------------------------------------------------------


def test_a_fork_leaves_the_other_and_its_views_alone() -> None:
    tok = tokenizer("qwen3")
    session = tok.session("Hello world")
    ids = session.ids
    fork = session.fork()
    fork.edit(0, 5, "Goodbye")
    assert ids.tolist() == session.ids.tolist() == tok.encode("Hello world").tolist()
    assert fork.ids.tolist() == tok.encode("Goodbye world").tolist()


def test_a_copy_is_a_fork() -> None:
    session = tokenizer("qwen3").session("Hello world")
    copy(session).append("!")
    assert session.text == "Hello world"


def test_a_deep_copy_is_a_fork() -> None:
    session = tokenizer("qwen3").session("Hello world")
    for other in (deepcopy(session), deepcopy({"in": [session]})["in"][0]):
        other.append("!")
    assert session.text == "Hello world"
    assert other.ids.tolist() == tokenizer("qwen3").encode("Hello world!").tolist()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_sessions_are_not_pickled(protocol: int) -> None:
    with pytest.raises(CannotPickle, match="save it to a file"):
        pickle.dumps([tokenizer("qwen3").session("Hello world")], protocol)


def test_ids_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        tokenizer("qwen3").session("abc").ids[0] = 1


def test_switched_off_literals_stay_off() -> None:
    tok = tokenizer("qwen3")
    session = tok.session("<|im_st", added_tokens="none")
    session.append("art|>")
    assert session.ids.tolist() == tok.encode_ordinary("<|im_start|>").tolist()


# --- files -------------------------------------------------------------------------------------------


def test_another_tokenizer_is_refused(tmp_path: Path) -> None:
    tokenizer("qwen3").session("abc").save(tmp_path / "s")
    with pytest.raises(SessionMismatch):
        tokenizer("gpt-oss").load_session(tmp_path / "s")
    with pytest.raises(SessionMismatch):
        tokenizer("qwen3").session("a").concat(tokenizer("gpt-oss").session("b"))
    with pytest.raises(SessionMismatch):
        tokenizer("qwen3").session("a").concat(tokenizer("qwen3").session("b", added_tokens="none"))
    with pytest.raises(SessionMismatch):
        tokenizer("qwen3").session("a").concat("b")  # type: ignore[arg-type]


def test_a_choice_of_added_tokens_is_saved_with_the_session(tmp_path: Path) -> None:
    tok = tokenizer("qwen3")
    tok.session("<|im_st", added_tokens="none").save(tmp_path / "s")
    loaded = tok.load_session(tmp_path / "s")
    loaded.append("art|>")
    assert loaded.ids.tolist() == tok.encode_ordinary("<|im_start|>").tolist()


def test_every_damaged_file_is_refused(tmp_path: Path) -> None:
    path, tok = tmp_path / "s", tokenizer("qwen3")
    tok.session("abc <|im_end|> é").save(path)
    data = path.read_bytes()
    rng = random.Random(0)
    damaged = [data[:cut] for cut in (0, 1, len(data) // 2, len(data) - 1)]
    for place in rng.sample(range(len(data)), 200):
        damaged.append(data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :])
    refused = 0
    for content in damaged:
        path.write_bytes(content)
        try:
            loaded = tok.load_session(path)
        except (InvalidSessionFile, SessionMismatch):
            refused += 1
        else:  # the change was in a field that says nothing, such as a date of the archive
            assert loaded.ids.tolist() == tok.encode("abc <|im_end|> é").tolist()
    assert refused > 90


def array_file() -> bytes:
    """A file of NumPy's that holds one array."""
    file = BytesIO()
    np.save(file, np.arange(3))
    return file.getvalue()


@pytest.mark.parametrize("other", [b"", b"{}", b"PK\x05\x06" + bytes(18), array_file()])
def test_other_files_are_refused(other: bytes, tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(other)
    with pytest.raises(InvalidSessionFile):
        tokenizer("qwen3").load_session(tmp_path / "s")


@pytest.mark.parametrize(
    "change",
    [
        {"ids": None},
        {"text": np.array([0xFF], dtype=np.uint8)},
        {"ids": np.zeros((1, 1), dtype=np.uint32)},
        {"ids": np.zeros(1, dtype=np.float64)},
        {"ids": np.array([65], dtype=np.uint32)},
        {"ids": np.array([], dtype=np.uint32)},
        {"ids": np.array([2**32 - 1], dtype=np.uint32)},
        {"text": np.array([], dtype=np.uint8)},
        {"added_tokens": np.array([[0.5, np.nan]])},
        {"added_tokens": np.array([64], dtype=np.uint32)},
    ],
    ids=repr,
)
def test_what_is_no_session_is_refused_though_its_hash_is_right(
    change: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "s"
    tokenizer("qwen3").session("a").save(path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name != "digest"}
    arrays = {name: array for name, array in {**arrays, **change}.items() if array is not None}
    with path.open("wb") as file:
        np.savez(file, digest=np.frombuffer(_digest(arrays), dtype=np.uint8), **arrays)
    with pytest.raises(InvalidSessionFile):
        tokenizer("qwen3").load_session(path)


def test_a_crash_while_saving_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tok, path = tokenizer("qwen3"), tmp_path / "s"
    tok.session("before").save(path)

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", crash)
    with pytest.raises(KeyboardInterrupt):
        tok.session("after").save(path)
    assert tok.load_session(path).text == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["s"]


def test_no_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="missing"):
        tokenizer("qwen3").load_session(tmp_path / "missing")


def test_errors_are_ours() -> None:
    session = tokenizer("qwen3").session("aé")
    for start, stop in [(2, 2), (1.0, 1), (True, 1), (0, 9)]:
        with pytest.raises(VerifiedTokError):
            session.edit_bytes(start, stop, "x")  # type: ignore[arg-type]
    assert session.text == "aé"
