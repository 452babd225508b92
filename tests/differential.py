"""The differential tests, for the modules that say which families they run on.

A module takes them all and names its share:

    from differential import *
    pytestmark = families("qwen2.5", "qwen3")

The tests of one family run together and share its tokenizers. `python -m spec.campaign` makes the same
comparisons on all code points, whole vocabularies and whole texts.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterable
from pathlib import Path

import hostile
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec.campaign import texts
from spec.campaign.contest import Contest, Difference
from verified_tok.reference.byte_level import CHAR_OF_BYTE

CODE_POINTS = 1_500
SAMPLED_TOKENS = 2_000
FROM_EACH_TRANSLATION = 200
PROGRAMS = 20
FROM_EACH_PROGRAM = 500
KNOWN = tomllib.loads(Path(__file__).with_name("known_ids.toml").read_text("utf-8"))
HOSTILE = settings(max_examples=150)


def families(*names: str) -> pytest.MarkDecorator:
    """Run the tests of a module on these families, one after the other."""
    return pytest.mark.parametrize("contest", names, indirect=True, scope="module")


@pytest.fixture(scope="module")
def contest(request: pytest.FixtureRequest) -> Contest:
    return Contest(request.param)


@pytest.fixture(scope="module")
def ids(contest: Contest) -> list[int]:
    return texts.token_ids(contest.ours)


@pytest.fixture
def rng(contest: Contest) -> random.Random:
    """Different for each family, the same at each run."""
    return random.Random(contest.family)


def no(differences: Iterable[Difference]) -> None:
    """Nothing differs."""
    shown = list(map(str, differences))
    assert not shown, "\n".join([f"{len(shown)} differences", *shown[:5]])


# --- named texts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", texts.NAMED)
def test_named_texts(contest: Contest, name: str) -> None:
    no(contest.encoding(texts.NAMED[name]))
    no(contest.cutting(texts.NAMED[name]))


def test_known_ids(contest: Contest) -> None:
    """Not only the same as the installed engines', but the ids that they have always given."""
    for text, known in KNOWN[contest.family].items():
        ids = contest.ours.encode(text).tolist()
        assert ids == known, f"{text!r}: {ids}"


def test_around_the_literals_of_added_tokens(contest: Contest) -> None:
    for text in texts.around_literals(contest.ours):
        no(contest.encoding(text))
        no(contest.cutting(text))


# --- hostile texts -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile_texts(contest: Contest, ids: list[int]) -> st.SearchStrategy[str]:
    """Hostile atoms, tokens of the vocabulary, and literals: whole, cut short, one in the other."""
    literals = [token.content for token in contest.ours.spec.added_tokens]
    literal = st.sampled_from(literals)
    part = st.builds(lambda whole, i, j: whole[i:j], literal, st.integers(0, 8), st.integers(-8, -1))
    inside = st.builds(
        lambda outer, inner, i: outer[:i] + inner + outer[i:], literal, literal, st.integers(1, 9)
    )
    token = st.sampled_from(ids).map(lambda id: texts.token_text(contest.ours, id))
    parts = st.lists(st.one_of(hostile.text(5), literal, part, inside, token), max_size=6)
    return st.deferred(lambda: parts.map("".join))  # what it is made of need not be in a failure's report


@HOSTILE
@given(data=st.data())
def test_hostile_texts(contest: Contest, hostile_texts: st.SearchStrategy[str], data: st.DataObject) -> None:
    text = data.draw(hostile_texts)
    no(contest.encoding(text))
    no(contest.cutting(text))


@pytest.fixture(scope="module")
def any_ids(contest: Contest, ids: list[int]) -> st.SearchStrategy[list[int]]:
    """Tokens of single bytes are among them: most sequences of those are not UTF-8."""
    tok = contest.ours
    spelled = [CHAR_OF_BYTE[byte] for byte in range(256)] + [f"<0x{byte:02X}>" for byte in range(256)]
    single = sorted({id for id in map(tok.token_to_id, spelled) if id is not None})
    literals = [token.id for token in tok.spec.added_tokens]
    some = st.lists(st.one_of(*map(st.sampled_from, (ids, single, literals))), max_size=10)
    return st.deferred(lambda: some)


@HOSTILE
@given(data=st.data())
def test_any_ids_decode_to_the_same(
    contest: Contest, any_ids: st.SearchStrategy[list[int]], data: st.DataObject
) -> None:
    no(contest.decoding(data.draw(any_ids)))


# --- code points, vocabularies, real text ------------------------------------------------------------


def test_code_points_in_context(contest: Contest, rng: random.Random) -> None:
    """Both sides of each edge of a class, and others, which each family draws for itself."""
    others = rng.sample(texts.COMMON, CODE_POINTS) + rng.sample(texts.SCALARS, CODE_POINTS)
    for text in texts.in_context(texts.edges() + "".join(others)):
        no(contest.cutting(text))


def test_tokens_of_the_vocabulary(contest: Contest, ids: list[int], rng: random.Random) -> None:
    """As texts of their own; all of those that no merge makes."""
    for id in texts.ids_that_no_merge_makes(contest.ours) + rng.sample(ids, SAMPLED_TOKENS):
        no(contest.ids(texts.token_text(contest.ours, id)))


def test_real_text_in_many_languages(contest: Contest, rng: random.Random) -> None:
    for text in texts.translations().values():
        no(contest.encoding(_part(text, FROM_EACH_TRANSLATION, rng)))


def test_programs(contest: Contest, rng: random.Random) -> None:
    for text in rng.sample(sorted(texts.programs().values()), PROGRAMS):
        no(contest.encoding(_part(text, FROM_EACH_PROGRAM, rng)))


def _part(text: str, size: int, rng: random.Random) -> str:
    start = rng.randrange(max(1, len(text) - size))
    return text[start : start + size]
