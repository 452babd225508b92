"""Rounds against single merges: a property for each theorem of `lean/VerifiedTok/Thm/Rounds.lean`, small
tables on which weaker conditions would be wrong, and real vocabularies."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from small_vocabularies import LONGEST, Small, small, smalls
from tokenizers import Tokenizer as HuggingFace

from verified_tok.errors import UnsupportedTokenizer
from verified_tok.fetch import open_family
from verified_tok.reference.bpe import Rule, Table, best, encode_piece, merge_all, merge_at, textbook
from verified_tok.reference.byte_level import spell
from verified_tok.reference.model import encoder, initial_symbols
from verified_tok.reference.rounds import (
    agree,
    encode_piece_rounds,
    hits_before,
    round_,
    round_all,
    round_parallel,
    taken,
)
from verified_tok.reference.rounds_check import (
    LiveRule,
    check_live_monotone,
    find_disagreement,
    live_rules,
    monotone_violations,
    overtaken,
    rules_of,
    straddling_pairs,
    symbols_of,
)
from verified_tok.spec import MergeBpe, RankBpe


@st.composite
def with_input(draw: st.DrawFn, vocabularies: st.SearchStrategy[Small]) -> tuple[Small, list[int]]:
    vocabulary = draw(vocabularies)
    return vocabulary, draw(st.lists(st.integers(0, vocabulary.letters - 1), max_size=14))


A, B = b"ab"
OVERTAKING = textbook([(257, A), (A, B)])
NEWLINES = textbook([(257, 10), (10, 10)])
LOCAL = Table(tuple(range(256)), {(2, 3): Rule(0, 5), (1, 5): Rule(1, 6), (0, 1): Rule(2, 4)})


def ranked(*pairs: tuple[int, str]) -> Small:
    """The vocabulary of rules such as `ab+c` with their ranks. The letters are `a`, `b`, …"""
    ranks = {tuple(pair.split("+")): rank for rank, pair in pairs}
    letters = len({letter for parts in ranks for letter in "".join(parts)})
    token = {chr(A + i): i for i in range(letters)}
    for parts in ranks:
        token.setdefault("".join(parts), len(token))
    return Small(
        letters,
        {
            (token[left], token[right]): Rule(rank, token[left + right])
            for (left, right), rank in ranks.items()
        },
        {number: tuple(ord(letter) - A for letter in text) for text, number in token.items()},
    )


DEAD_RULE = ranked((0, "b+c"), (1, "ab+c"), (2, "a+b"), (3, "a+bc"))
EARLY_RULE = ranked((0, "ab+c"), (1, "a+b"))
# Rounds are wrong on these, and each needs another part of the exact check to find it.
INSIDE = ranked((0, "a+bb"), (0, "abb+b"), (1, "b+b"))
BORDER = ranked((0, "ba+b"), (1, "b+a"))
SAME_RANK = ranked((0, "b+b"), (0, "bb+b"), (1, "a+b"))
OTHER_RESULT = ranked((0, "a+c"), (0, "ab+ac"), (1, "a+b"), (1, "ac+c"))
BEHIND = ranked((1, "ab+ab"), (2, "c+ab"), (3, "a+b"))
LEFT_TOKEN = ranked((0, "ab+ab"), (1, "ab+a"), (2, "a+b"), (3, "b+c"), (4, "aba+b"))
RIGHT_TOKEN = ranked((0, "ba+ba"), (1, "ba+b"), (2, "b+bab"), (3, "bab+a"), (4, "b+a"))
UNSAFE = [INSIDE, BORDER, SAME_RANK, OTHER_RESULT, BEHIND, LEFT_TOKEN, RIGHT_TOKEN]


# Sufficient conditions.


@given(with_input(smalls))
def test_rounds_are_exact_if_the_live_rules_are_monotone(case: tuple[Small, list[int]]) -> None:
    vocabulary, tokens = case
    assume(not check_live_monotone(vocabulary.table, vocabulary.spelled))
    assert round_all(vocabulary.table, tokens) == merge_all(vocabulary.table, tokens)


@given(smalls)
def test_a_monotone_table_has_monotone_live_rules(vocabulary: Small) -> None:
    assume(not monotone_violations(vocabulary.rules))
    assert not check_live_monotone(vocabulary.table, vocabulary.spelled)


@given(smalls, st.data())
def test_rounds_of_a_monotone_table_are_exact_from_any_tokens(vocabulary: Small, data: st.DataObject) -> None:
    assume(not monotone_violations(vocabulary.rules))
    tokens = data.draw(st.lists(st.sampled_from([*vocabulary.spelled]), max_size=12))
    assert agree(vocabulary.table, tokens)


@given(st.lists(st.tuples(st.integers(0), st.integers(0)), max_size=8), st.text("ab", max_size=20))
def test_the_textbook_may_work_in_rounds(picks: list[tuple[int, int]], piece: str) -> None:
    rules: list[tuple[int, int]] = []
    for i, j in picks:
        known = [A, B, *range(256, 256 + len(rules))]
        rule = known[i % len(known)], known[j % len(known)]
        rules += [rule] if rule not in rules else []
    table = textbook(rules)
    assert not monotone_violations(table.rules)
    assert encode_piece_rounds(table, piece.encode()) == encode_piece(table, piece.encode())


# The exact condition.


@given(smalls)
@example(EARLY_RULE)
@example(DEAD_RULE)
def test_the_exact_check_finds_a_disagreement_if_and_only_if_there_is_one(vocabulary: Small) -> None:
    found = find_disagreement(vocabulary.table, vocabulary.spelled)
    if found is None:
        assert not vocabulary.disagrees()
    else:
        assert round_all(vocabulary.table, found) != merge_all(vocabulary.table, found)
        assert check_live_monotone(vocabulary.table, vocabulary.spelled)


@pytest.mark.parametrize("vocabulary", UNSAFE)
def test_every_part_of_the_exact_check_is_needed(vocabulary: Small) -> None:
    assert find_disagreement(vocabulary.table, vocabulary.spelled) is not None


@given(with_input(smalls | st.sampled_from(UNSAFE)))
@example((RIGHT_TOKEN, [1, 1, 0, 1, 0]))
def test_a_merge_is_overtaken_by_an_early_rule_where_rounds_are_wrong(case: tuple[Small, list[int]]) -> None:
    vocabulary, tokens = case
    if overtaken(vocabulary.table, tokens):
        early = check_live_monotone(vocabulary.table, vocabulary.spelled)
        assert any(bytes(vocabulary.spelled[rule.result]) in bytes(tokens) for rule, _ in early)
    else:
        assert agree(vocabulary.table, tokens)


@pytest.mark.parametrize("vocabulary", UNSAFE)
def test_every_wrong_outcome_comes_from_an_overtaken_merge(vocabulary: Small) -> None:
    inputs = [w for n in range(LONGEST + 1) for w in product(range(vocabulary.letters), repeat=n)]
    wrong = [w for w in inputs if not agree(vocabulary.table, w)]
    assert wrong
    assert all(overtaken(vocabulary.table, w) for w in wrong)


@given(smalls)
@example(INSIDE)
@example(BORDER)
@example(BEHIND)
@example(LEFT_TOKEN)
@example(RIGHT_TOKEN)
def test_rounds_that_leave_two_tokens_apart_are_wrong_only_where_a_merge_is_overtaken(
    vocabulary: Small,
) -> None:
    table, spelled = vocabulary.table, vocabulary.spelled
    straddling = {*straddling_pairs(live_rules(table, spelled), spelled)}
    for x, y in product(spelled, repeat=2):
        symbols = spelled[x] + spelled[y]
        if round_all(table, symbols) == [x, y] and not agree(table, symbols):
            inside = overtaken(table, spelled[x]) or overtaken(table, spelled[y])
            assert inside or (x, y) in straddling


@given(with_input(smalls))
def test_every_merge_of_a_run_is_by_a_live_rule(case: tuple[Small, list[int]]) -> None:
    vocabulary, tokens = case
    live = live_rules(vocabulary.table, vocabulary.spelled)
    while found := best(vocabulary.table, tokens):
        rank, i, result = found
        assert live[result] == LiveRule(tokens[i], tokens[i + 1], rank, result)
        tokens = merge_at(tokens, i, result)


@given(smalls, st.data())
def test_neighbours_decide_an_encoding(vocabulary: Small, data: st.DataObject) -> None:
    table, spelled = vocabulary.table, vocabulary.spelled
    tokens = data.draw(st.lists(st.sampled_from([*spelled]), max_size=5))

    def encodes(part: Sequence[int]) -> bool:
        return merge_all(table, [symbol for token in part for symbol in spelled[token]]) == [*part]

    neighbours = all(encodes([token]) for token in tokens) and all(encodes(two) for two in pairwise(tokens))
    assert encodes(tokens) == neighbours


# The round in parallel.


@given(smalls, st.data())
def test_a_round_is_one_step_of_all_positions(vocabulary: Small, data: st.DataObject) -> None:
    tokens = data.draw(st.lists(st.sampled_from([*vocabulary.spelled]), max_size=16))
    k = data.draw(st.sampled_from(sorted({rule.rank for rule in vocabulary.rules.values()})))
    assert round_parallel(vocabulary.table, k, tokens) == round_(vocabulary.table, k, tokens)


@given(st.lists(st.booleans(), max_size=20))
def test_a_hit_is_taken_if_the_one_before_is_not(hits: list[bool]) -> None:
    assert [hits_before(hits.__getitem__, i) for i in range(len(hits))] == [
        i - max((j + 1 for j in range(i) if not hits[j]), default=0) for i in range(len(hits))
    ]
    before = False
    for i, hit in enumerate(hits):
        before = hit and not before
        assert taken(hits.__getitem__, i) == before


# What may not be dropped.


def test_without_a_condition_rounds_are_wrong() -> None:
    assert encode_piece(OVERTAKING, b"abab") == [256, B]
    assert encode_piece_rounds(OVERTAKING, b"abab") == [257, 257]


def test_newlines_of_which_three_rank_below_two() -> None:
    assert encode_piece(NEWLINES, b"\n\n\n\n") == [256, 10]
    assert encode_piece_rounds(NEWLINES, b"\n\n\n\n") == [257, 257]


def test_merging_at_a_local_minimum_is_wrong_even_for_a_monotone_table() -> None:
    assert not monotone_violations(LOCAL.rules)
    assert merge_all(LOCAL, [0, 1, 2, 3]) == [0, 6]
    assert merge_all(LOCAL, merge_at([0, 1, 2, 3], 0, 4)) == [4, 5]


def test_a_rule_that_cannot_fire_does_no_harm() -> None:
    assert len(monotone_violations(DEAD_RULE.rules)) == 1
    assert not check_live_monotone(DEAD_RULE.table, DEAD_RULE.spelled)


def test_an_early_rule_may_do_no_harm() -> None:
    assert len(check_live_monotone(EARLY_RULE.table, EARLY_RULE.spelled)) == 1
    assert find_disagreement(EARLY_RULE.table, EARLY_RULE.spelled) is None
    assert not EARLY_RULE.disagrees()


def only_part(side: int) -> Callable[[Small], bool]:
    """`LiveMonotone` for the left parts of rules alone, or for the right parts."""

    def holds(vocabulary: Small) -> bool:
        early = check_live_monotone(vocabulary.table, vocabulary.spelled)
        return not any(rule[side] == part for rule, part in early)

    return holds


def only_lower_ranks(vocabulary: Small) -> bool:
    """`LiveMonotone` that lets a rule have the rank of the rule which makes its part."""
    live = live_rules(vocabulary.table, vocabulary.spelled)
    early = check_live_monotone(vocabulary.table, vocabulary.spelled)
    return not any(rule.rank < live[part].rank for rule, part in early)


def only_tokens(vocabulary: Small) -> bool:
    """Rounds and single merges agree on the symbols of each token."""
    return all(agree(vocabulary.table, symbols) for symbols in vocabulary.spelled.values())


def only_equal_tokens(vocabulary: Small) -> bool:
    """Rounds and single merges agree on the symbols of each token, and of each token twice."""
    table, spelled = vocabulary.table, vocabulary.spelled
    return all(agree(table, symbols * times) for symbols in spelled.values() for times in (1, 2))


@pytest.mark.parametrize(
    "condition", [only_part(0), only_part(1), only_lower_ranks, only_tokens, only_equal_tokens]
)
def test_the_small_tables_tell_a_weaker_condition_from_the_exact_one(
    condition: Callable[[Small], bool],
) -> None:
    tables = (small(random.Random(seed)) for seed in range(4000))
    assert any(condition(vocabulary) and vocabulary.disagrees() for vocabulary in tables)


def test_the_small_tables_are_of_every_kind() -> None:
    kinds = set()
    for seed in range(400):
        vocabulary = small(random.Random(seed))
        early = check_live_monotone(vocabulary.table, vocabulary.spelled)
        exact = find_disagreement(vocabulary.table, vocabulary.spelled) is None
        kinds.add((not monotone_violations(vocabulary.rules), not early, exact))
    assert kinds == {
        (True, True, True),
        (False, True, True),
        (False, False, True),
        (False, False, False),
    }


# Real vocabularies.


def test_a_list_with_one_merge_for_each_token_is_monotone() -> None:
    model = open_family("deepseek-coder").spec.model
    assert not monotone_violations(rules_of(model))
    assert not check_live_monotone(encoder(model).table, symbols_of(model))


def test_ranks_are_not_monotone_and_their_live_rules_are() -> None:
    """Ranks allow every pair that spells an entry: in GPT-2's, 22,180 of 108,299 pairs are not monotone."""
    model = open_family("gpt2").spec.model
    rules = rules_of(model)
    assert (len(monotone_violations(rules)), len(rules)) == (22180, 108299)
    assert not check_live_monotone(encoder(model).table, symbols_of(model))


def test_early_rules_of_a_real_vocabulary_do_no_harm() -> None:
    """Llama 3.1 lists 280,147 pairs. Of the rules that can fire, 81 are early; no input is told apart."""
    model = open_family("llama-3.1").spec.model
    assert isinstance(model, MergeBpe)
    table, symbols = encoder(model).table, symbols_of(model)
    part, result = model.vocab[".:."], model.vocab[".:.:"]
    [early] = check_live_monotone(table, {token: symbols[token] for token in (part, result)})
    assert (early.part, early.rule.result) == (part, result)
    assert find_disagreement(table, symbols) is None


@pytest.mark.parametrize(
    ("name", "piece"),
    [
        ("llama-2", "▁" * 18),  # three spaces have a lower rank than two
        ("qwen3.5", spell("いっぱいっぱ".encode())),  # いっぱ + い has a lower rank than い + っぱ
    ],
    ids=["llama-2", "qwen3.5"],
)
def test_a_real_vocabulary_on_which_rounds_are_wrong(
    name: str, piece: str, family_file: Callable[[str], Path]
) -> None:
    model = open_family(name).spec.model
    table, symbols = encoder(model).table, symbols_of(model)
    found = find_disagreement(table, symbols)
    assert found == [symbol.id for symbol in initial_symbols(encoder(model), piece)]
    engine = HuggingFace.from_file(str(family_file(name)))
    assert [token.id for token in engine.model.tokenize(piece)] == merge_all(table, found)
    assert round_all(table, found) != merge_all(table, found)


def test_symbols_of_ranks_are_the_tokens_of_their_bytes() -> None:
    ranks = {bytes([byte]): 255 - byte for byte in range(256)} | {b"ab": 300}
    assert symbols_of(RankBpe(ranks))[300] == [255 - A, 255 - B]
    assert rules_of(RankBpe(ranks)) == {(255 - A, 255 - B): Rule(300, 300)}


def test_symbols_of_merges_are_the_tokens_of_characters() -> None:
    vocab = {"a": 0, "b": 1, "ab": 2, "<0x0A>": 3, "<unk>": 4, "xy": 5}
    model = MergeBpe(vocab, ((0, 1, 2),), False, True, "<unk>", False)
    assert symbols_of(model) == {0: [0], 1: [1], 2: [0, 1], 3: [3], 4: [4]}


def test_a_merge_that_makes_a_byte_is_refused() -> None:
    vocab = {"<0x0": 0, "A>": 1, "<0x0A>": 2}
    with pytest.raises(UnsupportedTokenizer, match="<0x0A>"):
        symbols_of(MergeBpe(vocab, ((0, 1, 2),), False, True, None, False))
