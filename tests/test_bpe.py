"""The theorems about byte-pair encoding, each as a property of the Python reference.

The tables are random and not kind: ranks in any order, several pairs with one result, results that are made
before their parts, bytes side by side that no rule joins.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest
import tiktoken
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from symbolic import copy_with_fault, counterexamples

from verified_tok.fetch import open_family
from verified_tok.reference import bpe
from verified_tok.reference.boundary import (
    apart,
    canonical,
    no_join,
    no_meet,
    no_rule_across,
    no_straddle,
    pairwise_canonical,
)
from verified_tok.reference.bpe import (
    Rule,
    Table,
    decode,
    encode_piece,
    encode_piece_ignore_merges,
    initial_tokens,
    merge_all,
    merge_at,
    optimal,
    selected,
    stuck,
    textbook,
)
from verified_tok.reference.byte_level import CHAR_OF_BYTE, spell, unspell
from verified_tok.reference.search import live_table
from verified_tok.reference.tables import (
    Merge,
    Violation,
    bytes_of_ranks,
    bytes_of_rules,
    merge_violations,
    model_violations,
    of_merges,
    of_ranks,
    rank_violations,
    rule_violations,
    violations,
)
from verified_tok.spec import ByteLevel, MergeBpe, RankBpe
from verified_tok.tokenizer import Tokenizer

REPOSITORY = Path(__file__).parents[1]
LETTERS = b"abc"

pieces = st.lists(st.sampled_from(LETTERS), max_size=14).map(bytes)
characters = st.lists(st.sampled_from(LETTERS), min_size=1, max_size=3).map(bytes)
BYTES = tuple(range(256))


@dataclass(frozen=True)
class Vocabulary:
    """A valid list of merges over byte tokens: `spellings[c]` are the bytes of token `c`."""

    merges: tuple[Merge, ...]
    spellings: tuple[bytes, ...]

    @property
    def table(self) -> Table:
        return of_merges(BYTES, self.merges)

    def bytes_of(self, token: int) -> bytes:
        return self.spellings[token]


@st.composite
def vocabularies(draw: st.DrawFn) -> Vocabulary:
    """Valid lists of merges in any order; a byte string may be made by several merges, or by none."""
    token_of = {bytes([b]): b for b in BYTES}
    merges: dict[tuple[int, int], int] = {}
    for _ in range(draw(st.integers(0, 12))):
        known = [bytes([b]) for b in LETTERS] + [s for s in token_of if len(s) > 1]
        left, right = draw(st.sampled_from(known)), draw(st.sampled_from(known))
        if len(left + right) <= 8:
            result = token_of.setdefault(left + right, len(token_of))
            merges[token_of[left], token_of[right]] = result
    for spelling in draw(st.lists(st.sampled_from([b"ab", b"bc", b"abc", b"cab"]), max_size=2)):
        token_of.setdefault(spelling, len(token_of))  # no merge of its own
    ordered = draw(st.permutations([Merge(*pair, result) for pair, result in merges.items()]))
    return Vocabulary(tuple(ordered), tuple(token_of))


@st.composite
def rank_files(draw: st.DrawFn) -> dict[bytes, int]:
    """Valid vocabularies of ranks; the tokens are numbered in any order."""
    longer = draw(st.sets(st.lists(st.sampled_from(LETTERS), min_size=2, max_size=5).map(bytes), max_size=12))
    spellings = [*sorted(longer), *(bytes([b]) for b in LETTERS)]
    numbers = draw(st.permutations(range(len(spellings))))
    ranks = dict(zip(spellings, numbers, strict=True))
    for b in BYTES:
        ranks.setdefault(bytes([b]), len(ranks))
    return ranks


rule_tokens = st.sampled_from([*LETTERS, *range(256, 259)])
rule_lists = st.lists(st.tuples(rule_tokens, rule_tokens), max_size=12)
"""Lists of textbook rules, most of them with faults."""

dense_tables = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(0, 3)), st.builds(Rule, st.integers(0, 6), st.integers(0, 3))
).map(lambda rules: Table((), rules))
"""Tables that are not valid: results spell nothing, ranks are shared by rules with different results."""


# The encoder and its specification.


@given(vocabularies(), pieces)
def test_initial_tokens_eq(v: Vocabulary, piece: bytes) -> None:
    tokens = initial_tokens(v.table, piece)
    assert len(tokens) == len(piece)
    assert all(tokens[i] == v.table.byte_token[piece[i]] for i in range(len(piece)))


def ranked_outcomes(table: Table, tokens: list[int]) -> list[list[int]]:
    """All that the relation `RankedBpe` allows, found by trying every position at every step."""
    if stuck(table, tokens):
        return [tokens]
    outcomes = []
    for i in range(len(tokens)):
        if optimal(table, tokens, i):
            rule = selected(table, tokens, i)
            assert rule is not None
            outcomes += ranked_outcomes(table, merge_at(tokens, i, rule.result))
    return outcomes


@given(st.one_of(vocabularies().map(lambda v: v.table), rule_lists.map(textbook)), pieces)
def test_encode_piece_iff_bpe_spec(table: Table, piece: bytes) -> None:
    assert ranked_outcomes(table, initial_tokens(table, piece)) == [encode_piece(table, piece)]


@settings(max_examples=300)
@given(dense_tables, st.lists(st.integers(0, 3), max_size=16))
def test_merge_all_eq_iff(table: Table, tokens: list[int]) -> None:
    assert ranked_outcomes(table, tokens) == [merge_all(table, tokens)]
    assert bpe.merge_steps(table, len(tokens), tokens) == merge_all(table, tokens)


@given(vocabularies(), pieces)
def test_decode_encode_piece(v: Vocabulary, piece: bytes) -> None:
    assert decode(v.bytes_of, encode_piece(v.table, piece)) == piece


@given(vocabularies(), st.data())
def test_decode_append(v: Vocabulary, data: st.DataObject) -> None:
    tokens = st.lists(st.integers(0, len(v.spellings) - 1), max_size=6)
    x, y = data.draw(tokens), data.draw(tokens)
    assert decode(v.bytes_of, x + y) == decode(v.bytes_of, x) + decode(v.bytes_of, y)


@given(vocabularies(), st.data())
def test_decode_merge_all(v: Vocabulary, data: st.DataObject) -> None:
    tokens = data.draw(st.lists(st.sampled_from([*LETTERS, *range(256, len(v.spellings))]), max_size=10))
    assert decode(v.bytes_of, merge_all(v.table, tokens)) == decode(v.bytes_of, tokens)


# Places that merges do not cross.


@given(vocabularies(), pieces, pieces)
def test_encode_piece_append_of_no_straddle(v: Vocabulary, a: bytes, b: bytes) -> None:
    assume(a and b)
    x, y = a[-1:], b[:1]
    if no_straddle(v.table, v.bytes_of, x, y):
        assert no_join(v.table, v.bytes_of, x, y)
    assume(no_join(v.table, v.bytes_of, x, y))
    assert encode_piece(v.table, a + b) == encode_piece(v.table, a) + encode_piece(v.table, b)


@given(vocabularies(), st.data())
def test_merge_all_append_of_no_straddle(v: Vocabulary, data: st.DataObject) -> None:
    """Any tokens may be merged, not only bytes, and what ends and begins may be longer than a byte."""
    tokens = st.lists(st.sampled_from([*LETTERS, *range(256, len(v.spellings))]), min_size=1, max_size=6)
    a, b = data.draw(tokens), data.draw(tokens)
    last, first = v.bytes_of(a[-1]), v.bytes_of(b[0])
    x = last[data.draw(st.integers(0, len(last) - 1)) :]
    y = first[: data.draw(st.integers(1, len(first)))]
    if no_straddle(v.table, v.bytes_of, x, y):
        assert no_join(v.table, v.bytes_of, x, y)
    assume(no_join(v.table, v.bytes_of, x, y))
    assert merge_all(v.table, a + b) == merge_all(v.table, a) + merge_all(v.table, b)


@given(vocabularies(), pieces, pieces, st.data())
def test_encode_piece_append_of_no_meet(v: Vocabulary, a: bytes, b: bytes, data: st.DataObject) -> None:
    """What ends and begins are several bytes, as characters are; a token may be a part of them."""
    assume(a and b)
    x, y = a[-data.draw(st.integers(1, 3)) :], b[: data.draw(st.integers(1, 3))]
    assume(no_meet(v.table, v.bytes_of, x, y))
    assert encode_piece(v.table, a + b) == encode_piece(v.table, a) + encode_piece(v.table, b)


@given(rank_files(), st.sampled_from(LETTERS), st.sampled_from(LETTERS))
def test_no_straddle_of_ranks(ranks: dict[bytes, int], first: int, second: int) -> None:
    """Whoever reads the entries of a vocabulary finds what the rules straddle, and perhaps more."""
    x, y = bytes([first]), bytes([second])
    if not any(x + y in spelling for spelling in ranks):
        assert no_straddle(of_ranks(ranks), bytes_of_ranks(ranks).__getitem__, x, y)


@given(vocabularies(), pieces, pieces)
def test_encode_piece_append_iff_apart(v: Vocabulary, a: bytes, b: bytes) -> None:
    table = v.table
    alone = encode_piece(table, a) + encode_piece(table, b)
    assert (encode_piece(table, a + b) == alone) == apart(
        table, initial_tokens(table, a), initial_tokens(table, b)
    )


@given(vocabularies(), pieces)
def test_encode_piece_split(v: Vocabulary, piece: bytes) -> None:
    tokens = encode_piece(v.table, piece)
    for i in range(len(tokens) + 1):
        for part in (tokens[:i], tokens[i:]):
            assert encode_piece(v.table, decode(v.bytes_of, part)) == part


@given(vocabularies(), pieces, pieces, pieces)
def test_encode_piece_glue(v: Vocabulary, x: bytes, m: bytes, y: bytes) -> None:
    table = v.table
    of_x, of_m, of_y = (encode_piece(table, part) for part in (x, m, y))
    assume(m and encode_piece(table, x + m) == of_x + of_m and encode_piece(table, m + y) == of_m + of_y)
    assert encode_piece(table, x + m + y) == of_x + of_m + of_y


def test_glue_needs_something_between() -> None:
    """Nothing between two pieces keeps nothing apart: the condition `m != b""` may not be dropped."""
    table = textbook([(97, 98)])
    assert encode_piece(table, b"a") + encode_piece(table, b"b") != encode_piece(table, b"ab")


def live(v: Vocabulary) -> Table:
    return live_table(v.table, dict(enumerate(v.spellings)))


@given(vocabularies(), pieces, pieces)
def test_encode_piece_append_of_no_rule_across(v: Vocabulary, a: bytes, b: bytes) -> None:
    if a and b and no_join(v.table, v.bytes_of, a[-1:], b[:1]):
        assert no_rule_across(v.table, v.bytes_of, a, b)
    if no_rule_across(v.table, v.bytes_of, a, b):
        assert no_rule_across(live(v), v.bytes_of, a, b)
    assume(no_rule_across(live(v), v.bytes_of, a, b))
    assert encode_piece(v.table, a + b) == encode_piece(v.table, a) + encode_piece(v.table, b)


@given(vocabularies(), characters, characters)
def test_no_meet_iff(v: Vocabulary, x: bytes, y: bytes) -> None:
    """Nothing but tokens need be tried beside `x` and `y` to find a rule that meets between them."""
    lefts = [x, *(spelling for spelling in v.spellings if spelling.endswith(x))]
    rights = [y, *(spelling for spelling in v.spellings if spelling.startswith(y))]
    assert no_meet(v.table, v.bytes_of, x, y) == all(
        no_rule_across(v.table, v.bytes_of, left, right) for left in lefts for right in rights
    )


@given(vocabularies(), pieces, st.integers(1, 3), st.data())
def test_encode_piece_flatten(v: Vocabulary, piece: bytes, width: int, data: st.DataObject) -> None:
    """Characters of one width; the piece is cut between any of them that the live rules keep apart."""
    rules = live(v)
    cuts = [
        at
        for at in range(width, len(piece), width)
        if no_meet(rules, v.bytes_of, piece[at - width : at], piece[at : at + width])
    ]
    cuts = [at for at in cuts if data.draw(st.booleans())]
    parts = [piece[start:stop] for start, stop in pairwise([0, *cuts, len(piece)])]
    assert encode_piece(v.table, piece) == [c for part in parts for c in encode_piece(v.table, part)]

    entry = {s: c for c, s in enumerate(v.spellings) if data.draw(st.booleans())}
    for part in [piece, *parts]:
        if part in entry and encode_piece(v.table, part) != [entry[part]]:
            del entry[part]
    assert encode_piece_ignore_merges(v.table, entry, piece) == [
        c for part in parts for c in encode_piece_ignore_merges(v.table, entry, part)
    ]


def test_characters_tell_more_than_their_last_and_first_bytes() -> None:
    left, right = "\u5e25".encode(), "\u4e25".encode()
    assert left[-1:] == right[-1:]
    bytes_of = {**{b: bytes([b]) for b in BYTES}, 256: right[:2], 257: right, 258: right + right[:1]}
    table = of_merges(
        BYTES, [Merge(right[0], right[1], 256), Merge(256, right[2], 257), Merge(257, right[0], 258)]
    )
    assert not no_join(table, bytes_of.__getitem__, left[-1:], right[:1])
    assert no_meet(table, bytes_of.__getitem__, left, right)
    assert not no_meet(table, bytes_of.__getitem__, right, right)


# Which tokens, and which lists of tokens, the encoder returns.


@given(vocabularies(), st.data())
def test_encode_piece_of_canonical(v: Vocabulary, data: st.DataObject) -> None:
    token = data.draw(st.sampled_from([*LETTERS, *range(256, len(v.spellings))]))
    assert pairwise_canonical(v.table, v.bytes_of, [token]) == canonical(v.table, v.bytes_of, token)
    for piece in (v.bytes_of(token), data.draw(pieces)):
        assert (encode_piece(v.table, piece) == [token]) == (
            v.bytes_of(token) == piece and canonical(v.table, v.bytes_of, token)
        )


@given(vocabularies(), pieces)
def test_canonical_of_mem(v: Vocabulary, piece: bytes) -> None:
    assert all(canonical(v.table, v.bytes_of, token) for token in encode_piece(v.table, piece))


@given(vocabularies(), st.data())
def test_encode_piece_decode_iff(v: Vocabulary, data: st.DataObject) -> None:
    """Few tokens at random, and lists that are nearly encodings: an encoding with one token replaced by the
    encoding of two parts of it, or two neighbours swapped."""
    few = st.lists(st.sampled_from([*LETTERS, *range(256, len(v.spellings))]), max_size=2)
    tokens = data.draw(few | pieces.map(lambda piece: encode_piece(v.table, piece)))
    if tokens and data.draw(st.booleans()):
        i = data.draw(st.integers(0, len(tokens) - 1))
        spelling = v.bytes_of(tokens[i])
        cut = data.draw(st.integers(0, len(spelling)))
        tokens[i : i + 1] = encode_piece(v.table, spelling[:cut]) + encode_piece(v.table, spelling[cut:])
    if tokens and data.draw(st.booleans()):
        i = data.draw(st.integers(0, len(tokens) - 1))
        tokens[i : i + 2] = tokens[i : i + 2][::-1]
    is_encoding = encode_piece(v.table, decode(v.bytes_of, tokens)) == tokens
    assert is_encoding == pairwise_canonical(v.table, v.bytes_of, tokens)


@given(vocabularies(), st.data())
def test_encode_piece_ignore_merges(v: Vocabulary, data: st.DataObject) -> None:
    entry = {s: c for c, s in enumerate(v.spellings)}
    piece = data.draw(st.one_of(pieces, st.sampled_from([s for s in v.spellings if len(s) > 1] or [b"a"])))
    tokens = encode_piece_ignore_merges(v.table, entry, piece)
    assert tokens == ([entry[piece]] if piece in entry else encode_piece(v.table, piece))
    assert decode(v.bytes_of, tokens) == piece


@given(vocabularies())
def test_ignore_merges_changes_nothing_iff_entries_are_canonical(v: Vocabulary) -> None:
    entry = {s: c for c, s in enumerate(v.spellings) if c >= 256}
    changed = [s for s in entry if encode_piece_ignore_merges(v.table, entry, s) != encode_piece(v.table, s)]
    assert changed == [s for s, c in entry.items() if not canonical(v.table, v.bytes_of, c)]


# Valid tables.


@given(vocabularies())
def test_valid_merges(v: Vocabulary) -> None:
    assert merge_violations(BYTES, v.bytes_of, v.merges) == []
    assert violations(v.table, v.bytes_of) == []
    for rank, (left, right, result) in enumerate(v.merges):
        assert v.table.look(left, right) == (rank, result)
    assert len(v.table.rules) == len(v.merges)


@given(vocabularies(), st.data())
def test_every_broken_assumption_of_merges_is_named(v: Vocabulary, data: st.DataObject) -> None:
    assume(v.merges)
    i = data.draw(st.integers(0, len(v.merges) - 1))
    left, right, _ = v.merges[i]

    twice = (*v.merges, v.merges[i])
    assert names(merge_violations(BYTES, v.bytes_of, twice)) == ["distinct"]
    assert violations(of_merges(BYTES, twice), v.bytes_of) == []  # a table holds no pair twice

    wrong = (*v.merges[:i], Merge(left, right, left), *v.merges[i + 1 :])
    assert names(merge_violations(BYTES, v.bytes_of, wrong)) == ["result_spells"]
    assert names(violations(of_merges(BYTES, wrong), v.bytes_of)) == ["result_spells"]

    swapped = (*BYTES[:98], 99, 98, *BYTES[100:])
    assert names(merge_violations(swapped, v.bytes_of, v.merges)) == ["byte_spells"]
    assert names(violations(of_merges(swapped, v.merges), v.bytes_of)) == ["byte_spells"]
    assert merge_violations((*BYTES[:200], None, *BYTES[201:]), v.bytes_of, v.merges) == [
        Violation("byte_spells", "byte 0xc8 has no token")
    ]

    everything = merge_violations(swapped, v.bytes_of, (*wrong, wrong[i]))
    assert names(everything) == ["distinct", "byte_spells", "result_spells"]


@given(rank_files())
def test_valid_ranks(ranks: dict[bytes, int]) -> None:
    table, bytes_of = of_ranks(ranks), bytes_of_ranks(ranks)
    assert rank_violations(ranks.items()) == []
    assert violations(table, bytes_of.__getitem__) == []


@given(rank_files(), st.data())
def test_look_of_ranks_iff(ranks: dict[bytes, int], data: st.DataObject) -> None:
    table, bytes_of = of_ranks(ranks), bytes_of_ranks(ranks)
    tokens = st.integers(-1, 20)  # also some that are not in the vocabulary
    a, b = data.draw(tokens), data.draw(tokens)
    together = ranks.get(bytes_of[a] + bytes_of[b]) if a in bytes_of and b in bytes_of else None
    assert table.look(a, b) == (None if together is None else (together, together))
    listed = dict(table.rules)
    assert ((a, b) in listed) == (together is not None)
    assert len(table.rules) == len(listed)
    assert all(table.rules[pair] == rule for pair, rule in listed.items())


@given(rank_files(), st.data())
def test_every_broken_assumption_of_ranks_is_named(ranks: dict[bytes, int], data: st.DataObject) -> None:
    entries = list(ranks.items())
    (x, c), (y, _) = data.draw(st.lists(st.sampled_from(entries), min_size=2, max_size=2, unique=True))
    assert names(rank_violations([*entries, (x, len(entries))])) == ["bytes_distinct"]
    assert names(rank_violations([*entries, (x + b"\0" + y, c)])) == ["tokens_distinct"]
    assert names(rank_violations([*entries, (b"", len(entries))])) == ["nonempty"]
    assert names(rank_violations([e for e in entries if e[0] != b"b"])) == ["has_byte"]


@given(rule_lists)
def test_valid_rules(rules: list[tuple[int, int]]) -> None:
    broken = rule_violations(rules)
    assert ("distinct" in names(broken)) == (len(set(rules)) < len(rules))
    assert ("earlier" in names(broken)) == any(max(r) >= 256 + k for k, r in enumerate(rules))
    if not broken:
        assert violations(textbook(rules), bytes_of_rules(rules).__getitem__) == []


@given(rule_lists, st.lists(rule_tokens, max_size=8))
def test_optimal_textbook(rules: list[tuple[int, int]], tokens: list[int]) -> None:
    matches = [
        (k, i) for k, rule in enumerate(rules) for i, pair in enumerate(pairwise(tokens)) if pair == rule
    ]
    for i in range(len(tokens)):
        assert optimal(textbook(rules), tokens, i) == (min(matches, default=(-1, -1))[1] == i)
    if matches:
        k, i = min(matches)
        assert selected(textbook(rules), tokens, i) == (k, 256 + k)
    assert stuck(textbook(rules), tokens) == (not matches)


def names(broken: list[Violation]) -> list[str]:
    return [violation.assumption for violation in broken]


# Real vocabularies.


@pytest.fixture(scope="module")
def family() -> Callable[[str], Tokenizer]:
    """A known family's tokenizer by name, opened once."""
    return lru_cache(open_family)


@pytest.mark.parametrize("name", ["gpt2", "qwen3", "gpt-neox", "llama-2"])
def test_real_tables_are_valid(name: str, family: Callable[[str], Tokenizer]) -> None:
    """Ranks, merges of byte-level characters, the same without the bytes that UTF-8 lacks, plain text."""
    spec = family(name).spec
    byte_level = any(isinstance(stage, ByteLevel) for stage in spec.pre_tokenizers)
    assert model_violations(spec.model, byte_level=byte_level) == []


def test_a_fault_in_a_real_table_is_named(family: Callable[[str], Tokenizer]) -> None:
    model = family("qwen3").spec.model
    assert isinstance(model, MergeBpe)
    left, right, _ = model.merges[1000]
    wrong = (*model.merges[:1000], (left, right, left), *model.merges[1001:])
    found = model_violations(replace(model, merges=wrong), byte_level=True)
    assert names(found) == ["result_spells"]
    no_a = {("(a)" if text == "a" else text): token for text, token in model.vocab.items()}
    found = model_violations(replace(model, vocab=no_a, merges=()), byte_level=True)
    assert found == [Violation("byte_spells", "byte 0x61 has no token")]
    found = model_violations(model, byte_level=False)
    assert found == [Violation("byte_spells", "byte 0x00 has no token")]


@pytest.mark.parametrize("name", ["gpt2", "llama-3"])
def test_real_ranks_beside_tiktoken(name: str, family: Callable[[str], Tokenizer]) -> None:
    """tiktoken looks a whole piece up before it merges: `ignore_merges`."""
    model = family(name).spec.model
    assert isinstance(model, RankBpe)
    table, bytes_of = of_ranks(model.ranks), bytes_of_ranks(model.ranks)
    theirs = tiktoken.Encoding(
        "whole", pat_str=r"[\s\S]+", mergeable_ranks=dict(model.ranks), special_tokens={}
    )
    for text in REAL_PIECES:
        piece = text.encode()
        tokens = encode_piece_ignore_merges(table, model.ranks, piece)
        assert tokens == theirs.encode_ordinary(text)
        assert decode(bytes_of.__getitem__, tokens) == piece


REAL_PIECES = (
    "",
    "a",
    " international",
    " 俱乐部",
    "Donaudampfschifffahrtsgesellschaftskapitän",
    "     \n\n\t\t    ",
    "🏳️‍🌈🤦🏽‍♂️",
    "The quick brown fox jumps over the lazy dog. " * 20,
    "0123456789" * 30,
    "ааааааaaaaaaаааааа",
    "नमस्ते दुनिया, สวัสดีชาวโลก, こんにちは世界",
)


def test_a_real_entry_that_merges_do_not_reach(family: Callable[[str], Tokenizer]) -> None:
    """Qwen3.5 lists words that no merge makes: a look-up of the whole piece would be wrong there."""
    vocab = family("qwen3.5").spec.model
    assert isinstance(vocab, MergeBpe)
    table = of_merges([vocab.vocab[char] for char in CHAR_OF_BYTE], vocab.merges)
    spelling = {token: unspell(text) or b"" for text, token in vocab.vocab.items()}
    word = vocab.vocab[spell("俱乐部".encode())]
    assert not canonical(table, spelling.__getitem__, word)
    assert encode_piece(table, "俱乐部".encode()) == [98112, 96404, 95938]
    assert canonical(table, spelling.__getitem__, 98112)


def test_words_of_a_real_vocabulary_are_merged_alone(family: Callable[[str], Tokenizer]) -> None:
    """In Llama 2's vocabulary no merge joins a letter to the space mark of the next word, so that a text is
    the tokens of its words; it does join the space mark to itself."""
    model = family("llama-2").spec.model
    assert isinstance(model, MergeBpe)
    table = of_merges((), model.merges)
    text_of = {token: text.encode() for text, token in model.vocab.items()}
    mark = "▁".encode()
    assert not no_join(table, text_of.__getitem__, mark, mark)
    words = ["▁The", "▁quick", "▁brown", "▁fox", "▁überprüft", "▁слово"]
    symbols = [[model.vocab[char] for char in word] for word in words]
    for word in words:
        assert no_join(table, text_of.__getitem__, word[-1].encode(), mark)
    assert merge_all(table, [s for word in symbols for s in word]) == [
        token for word in symbols for token in merge_all(table, word)
    ]


# Speed.


@pytest.mark.parametrize("letters", [b"a", b"ab", b"abcdefghijklmnopqrstuvwxyz"])
def test_a_long_piece_is_quick(letters: bytes) -> None:
    rules = [(x, y) for x in letters for y in letters]
    rules += [(256 + i, 256 + j) for i in range(len(rules)) for j in range(len(rules))][:5000]
    piece = (letters * 50_000)[:50_000]
    start = time.process_time()
    tokens = encode_piece(textbook(rules), piece)
    assert time.process_time() - start < 20
    assert decode(bytes_of_rules(rules).__getitem__, tokens) == piece


# The contracts in the reference's docstrings, searched by CrossHair for a counterexample.

FAULTS = {
    "contracts_bpe.the_fast_loop_is_the_slow_one": ("((before[i], i), (i, after[i]))", "((i, after[i]),)"),
    "verified_tok.reference.bpe.best": ("return min(merges, default=None)", "return next(merges, None)"),
    "verified_tok.reference.bpe.merge_at": ("*tokens[i + 2 :]]", "*tokens[i + 1 :]]"),
}
"""For a contract, code of the reference and what to put there: a merge forgets its left neighbour; the
leftmost rule wins, not the lowest; a merge drops only one of its tokens."""


def test_crosshair_finds_no_counterexample() -> None:
    assert counterexamples(5, "verified_tok.reference.bpe", "contracts_bpe") == ""


@pytest.mark.parametrize("contract", FAULTS)
def test_crosshair_finds_a_planted_fault(contract: str, tmp_path: Path) -> None:
    copy_with_fault(tmp_path, "bpe", *FAULTS[contract], "contracts_bpe")
    assert re.search(r"bpe\.py:\d+: error: ", counterexamples(60, contract, at=tmp_path))
