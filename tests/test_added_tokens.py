"""Added tokens beside the reference engine: every flag, both passes, literals that overlap."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from tiny import Document, added
from twins import Twins, answer

import verified_tok as vt
from verified_tok.errors import InvalidTokenizerFile
from verified_tok.reference.added_tokens import Literals, extract
from verified_tok.spec import AddedToken

CHARS = "ab<> \n\u3000é_.\u0301▁"
NORMALIZERS = [
    None,
    {"type": "NFC"},
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "<b"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
]


def document(tokens: list[tuple[str, dict[str, bool]]], normalizer: Any = None) -> Document:
    """A model with a token for each character and nothing else, and some added tokens."""
    vocab = {char: id for id, char in enumerate(CHARS)}
    listed, free = [], len(vocab)
    for content, flags in tokens:
        listed.append(added(vocab.get(content, free), content, **flags))
        free += content not in vocab
    return {
        "added_tokens": listed,
        "normalizer": normalizer,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {"type": "Fuse"},
        "model": {"type": "BPE", "vocab": vocab, "merges": []},
    }


texts = st.text(CHARS, max_size=12)
flags = st.fixed_dictionaries(
    {flag: st.booleans() for flag in ("lstrip", "rstrip", "single_word", "normalized", "special")}
)
tokens = st.lists(
    st.tuples(st.text(CHARS, min_size=1, max_size=3), flags), max_size=5, unique_by=lambda t: t[0]
)


@example([("a", {"rstrip": True}), (" b", {})], None, "a  b<")  # the first takes the second's space
@example([("a", {"rstrip": True}), (" ", {"lstrip": True})], None, "a b")  # … and all of it
@example([("ab", {"single_word": True}), ("b", {})], None, "aab b")  # a refused match hides what is inside
@example([("<a>", {"normalized": True})], NORMALIZERS[2], "<a>b<a>")  # the literal is normalized, too
@example([("e\u0301", {"normalized": True})], NORMALIZERS[1], "e\u0301é")
@example(
    [("a", {"single_word": True}), ("ab", {})], None, "a"
)  # the longer literal would end behind the text
@given(tokens, st.sampled_from(NORMALIZERS), texts)
def test_the_engine_finds_the_same_tokens(
    tokens: list[tuple[str, dict[str, bool]]], normalizer: Any, text: str
) -> None:
    try:
        both = Twins(document(tokens, normalizer))
    except InvalidTokenizerFile:
        assume(False)  # two literals match the same text: see below
    ours = both.ours.encode(text).tolist()
    # The engine panics where white space that one token took is also wanted by the next one's `lstrip`.
    theirs = answer(lambda: both.theirs.encode(text, add_special_tokens=False).ids)
    assert theirs is None or ours == theirs


@given(
    st.lists(st.text("ab<>", min_size=1, max_size=4), max_size=8, unique=True), st.text("ab<>", max_size=20)
)
def test_leftmost_longest(contents: list[str], text: str) -> None:
    """The search does what the definition says: at every place, in order, the longest literal there."""
    found, place = [], 0
    while place < len(text):
        longest = max((c for c in contents if text.startswith(c, place)), key=len, default="")
        if longest:
            found.append((place, longest))
        place += len(longest) or 1
    literals = Literals.of((c, AddedToken(id, c)) for id, c in enumerate(contents))
    parts = extract(literals, text)
    assert [(part.start, part.token.content) for part in parts if part.token] == found
    assert "".join(text[part.start : part.stop] for part in parts) == text


def test_characters_that_mean_something_in_a_regular_expression() -> None:
    contents = [*"[]^-\\.*$|(){}?+&~#", "[^a]", "\\d"]
    literals = Literals.of((c, AddedToken(id, c)) for id, c in enumerate(contents))
    text = "".join(contents) + "a1"
    parts = extract(literals, text)
    assert [text[part.start : part.stop] for part in parts] == [*contents, "a1"]
    assert [part.token is None for part in parts] == [*([False] * len(contents)), True]


@pytest.mark.parametrize("space", ["\u3000", "\x85", "\u1680", "\u2028", "\x1c", "\u200b", "\ufeff"])
@pytest.mark.parametrize("flag", ["lstrip", "rstrip"])
def test_what_counts_as_white_space(space: str, flag: str) -> None:
    file = document([("<a>", {flag: True})])
    file["model"]["vocab"] = {char: id for id, char in enumerate(dict.fromkeys(CHARS + space))}
    file["added_tokens"][0]["id"] = len(file["model"]["vocab"])
    Twins(file).assert_same_offsets(f"b{space}<a>{space} b")


@pytest.mark.parametrize(
    "word", ["_", "é", "\u0301", "²", "٣", "\u203f", "ᵃ", "中", ".", "\u200d", "\u200c", "🙂"]
)
def test_what_counts_as_a_word_character(word: str) -> None:
    file = document([("<a>", {"single_word": True})])
    file["model"]["vocab"] = {char: id for id, char in enumerate(dict.fromkeys(CHARS + word))}
    file["added_tokens"][0]["id"] = len(file["model"]["vocab"])
    for text in (f"{word}<a>", f"<a>{word}", f" <a> {word}"):
        Twins(file).assert_same_ids(text)


def test_two_tokens_that_match_the_same_text_are_refused() -> None:
    file = document([("e\u0301", {"normalized": True}), ("é", {"normalized": True})], {"type": "NFC"})
    with pytest.raises(InvalidTokenizerFile, match="match the same text"):
        Twins(file)
    spaces = document([(" ", {"normalized": True})], NORMALIZERS[5])
    with pytest.raises(InvalidTokenizerFile, match="leaves nothing"):
        Twins(spaces)


def test_many_literals_are_found_quickly() -> None:
    """Thousands of literals that begin alike, and a text full of their beginnings."""
    names = ("".join(letters) for letters in itertools.product("abcdefgh", repeat=4))
    literals = Literals.of((f"<{name}>", AddedToken(id, f"<{name}>")) for id, name in enumerate(names))
    assert len(literals.tokens) == 4096
    text = "<abcd <<<" * 20_000 + "<abcd>"
    assert [part.token for part in extract(literals, text) if part.token] == [literals.tokens["<abcd>"]]


def test_switching_tokens_off_is_as_if_they_were_not_in_the_file() -> None:
    tokens = [("<a>", {"special": True}), ("<a", {}), ("a>", {})]
    both = Twins(document(tokens))
    for off in range(8):
        chosen = [token for place, token in enumerate(tokens) if not off >> place & 1]
        alone = vt.load(json.dumps(document(chosen)).encode())
        names = {both.ours.token_to_id(content) for content, _ in chosen}
        text = "<a>b<a a>"
        left = [alone.id_to_bytes(id) for id in alone.encode(text)]
        assert [both.ours.id_to_bytes(id) for id in both.ours.encode(text, added_tokens=names)] == left
