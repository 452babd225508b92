"""Tokens that are found without merging: a property for each theorem of
`lean/VerifiedTok/Thm/Search.lean`, and the walk of the native core beside the one that is proved."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_vocabularies import Small, small, smalls

from verified_tok._core import native
from verified_tok.fetch import open_family
from verified_tok.native.model import sections
from verified_tok.reference.bpe import Rule, Table, best, merge_all, merge_at
from verified_tok.reference.model import encoder
from verified_tok.reference.rounds_check import symbols_of
from verified_tok.reference.search import birth, live_table, made, search, stay_apart, stay_apart_all
from verified_tok.spec import ByteLevel


def made_in(v: Small) -> list[int]:
    return [token for token in v.spelled if made(v.table, v.spelled, token)]


@given(smalls)
def test_stay_apart_iff(v: Small) -> None:
    for a, b in product(made_in(v), repeat=2):
        merged = merge_all(v.table, [*v.spelled[a], *v.spelled[b]])
        assert stay_apart(v.table, v.spelled, a, b) == (merged == [a, b])


@given(smalls, st.data())
def test_tokens_that_stay_apart_are_the_encoding(v: Small, data: st.DataObject) -> None:
    tokens = data.draw(st.lists(st.sampled_from(made_in(v)), max_size=5))
    spelled = [symbol for token in tokens for symbol in v.spelled[token]]
    assert stay_apart_all(v.table, v.spelled, tokens) == (merge_all(v.table, spelled) == tokens)


@given(smalls, st.data())
def test_an_encoding_of_made_tokens_stays_apart(v: Small, data: st.DataObject) -> None:
    tokens = merge_all(v.table, data.draw(st.lists(st.integers(0, v.letters - 1), max_size=14)))
    assert stay_apart_all(v.table, v.spelled, tokens) == all(made(v.table, v.spelled, t) for t in tokens)


@given(smalls, st.data())
def test_where_two_encodings_have_the_same_token_one_may_go_on_as_the_other(
    v: Small, data: st.DataObject
) -> None:
    texts = st.lists(st.integers(0, v.letters - 1), max_size=14)
    one, other = (merge_all(v.table, data.draw(texts)) for _ in range(2))
    for a, b in product(range(len(one)), range(len(other))):
        if one[a] == other[b]:
            spliced = [*one[:a], *other[b:]]
            assert merge_all(v.table, [symbol for token in spliced for symbol in v.spelled[token]]) == spliced


@given(smalls, st.data(), st.integers(0, 4))
def test_what_lies_between_two_places_of_a_token_can_come_again(
    v: Small, data: st.DataObject, n: int
) -> None:
    tokens = merge_all(v.table, data.draw(st.lists(st.integers(0, v.letters - 1), max_size=14)))
    for a, b in combinations(range(len(tokens)), 2):
        if tokens[a] == tokens[b]:
            again = [*tokens[: b + 1], *tokens[a + 1 : b + 1] * n, *tokens[b + 1 :]]
            assert merge_all(v.table, [symbol for token in again for symbol in v.spelled[token]]) == again


def test_the_search_finds_the_encoding_if_it_knows_its_tokens() -> None:
    """Whatever the order in which it tries tokens; it knows all that are made, or only some of them."""
    failures = 0
    for seed in range(600):
        rng = random.Random(seed)
        v = small(rng)
        known = made_in(v)
        rng.shuffle(known)
        if rng.random() < 0.3:
            del known[rng.randrange(len(known)) :]
        tokens = rng.choices(range(v.letters), k=rng.randint(0, 14))

        def fits(rest: Sequence[int], v: Small = v, known: Sequence[int] = known) -> list[int]:
            return [t for t in known if tuple(rest[: len(v.spelled[t])]) == tuple(v.spelled[t])]

        merged = merge_all(v.table, tokens)
        expected = merged if {*merged} <= {*known} else None
        assert search(v.table, v.spelled, fits, tokens) == expected
        failures += expected is None
    assert failures > 50


@given(smalls, st.data())
def test_rules_that_no_run_comes_to_may_be_dropped(v: Small, data: st.DataObject) -> None:
    tokens = data.draw(st.lists(st.integers(0, v.letters - 1), max_size=14))
    assert merge_all(live_table(v.table, v.spelled), tokens) == merge_all(v.table, tokens)


@given(smalls)
def test_a_rule_is_kept_if_the_run_on_its_result_comes_to_its_parts(v: Small) -> None:
    kept = live_table(v.table, v.spelled).rules
    for (a, b), rule in v.table.rules.items():
        met = [tokens := [*v.spelled[rule.result]]]
        while found := best(v.table, tokens):
            met.append(tokens := merge_at(tokens, *found[1:]))
        assert ((a, b) in kept) == ([a, b] in met)


def test_some_rules_are_dropped() -> None:
    """Three ways to `abc`, of which its own symbols take one."""
    table = Table((), {(0, 1): Rule(0, 3), (1, 2): Rule(1, 4), (0, 4): Rule(2, 5), (3, 2): Rule(3, 5)})
    symbols = {0: [0], 1: [1], 2: [2], 3: [0, 1], 4: [1, 2], 5: [0, 1, 2]}
    assert live_table(table, symbols).rules.keys() == {(0, 1), (1, 2), (3, 2)}


def test_ranks_that_fall_mislead_the_walk() -> None:
    table = Table((), {(1, 2): Rule(0, 3), (0, 1): Rule(1, 2)})
    symbols = {0: [0], 1: [1], 2: [0, 1], 3: [1, 0, 1]}
    assert merge_all(table, symbols[3]) == [3]
    assert not made(table, symbols, 3)
    assert stay_apart(table, symbols, 0, 3)
    assert merge_all(table, [*symbols[0], *symbols[3]]) == [2, 2]


# Real vocabularies. Llama 3.1's and Gemma's have rules that rank below those that make their parts.

FAMILIES = ("llama-3.1", "gemma-3")
TEXT = (
    "The quick brown fox isn't lazy; 12345 résumés.\n\n    return [x for x in xs if x != '']  # naïve\n"
    "Привет, мир! 中文分词测试，日本語のテキスト。 한국어도 있어요. いっぱいっぱい\t\t\t////----=====\n"
    + " " * 40
    + "a" * 30
    + " " * 40
    + "a" * 30
)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_native_walk_is_the_proved_one(name: str) -> None:
    tok = open_family(name)
    byte_level = any(isinstance(stage, ByteLevel) for stage in tok.spec.pre_tokenizers)
    engine = native.Engine([native.Image.of(sections(tok.spec.model, byte_level, frozenset()))])
    table, symbols = encoder(tok.spec.model).table, symbols_of(tok.spec.model)
    rng = random.Random(name)
    found = [token for token in tok.encode(TEXT).tolist() if token in symbols]
    chosen = rng.sample([*symbols], 600)
    # Neighbours in encodings stay apart, the parts of a token do not, and of any two tokens most do.
    parts = [(rule.left, rule.right) for token in chosen if (rule := birth(table, symbols, token))]
    answers = []
    for a, b in [*pairwise(found), *pairwise(chosen), *parts]:
        usable = made(table, symbols, a) and made(table, symbols, b)
        apart = engine.stay_apart(a, b)
        assert (apart is not None) == usable, (a, b)
        if usable:
            assert apart == stay_apart(table, symbols, a, b), (a, b)
            assert apart == (merge_all(table, [*symbols[a], *symbols[b]]) == [a, b])
            answers.append(apart)
    assert 200 < sum(answers) < len(answers) - 200
