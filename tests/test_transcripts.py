"""Transcripts of agents at work, appended turn by turn: ids stay exact, and a turn costs what it is long."""

from __future__ import annotations

import random
import re
from functools import cache

import pytest
from typer.testing import CliRunner

from spec.transcripts import CHAT, turns
from spec.transcripts import __main__ as long
from spec.transcripts.__main__ import app
from verified_tok.families import FAMILIES
from verified_tok.fetch import open_family
from verified_tok.peer import open_peer
from verified_tok.session import Session
from verified_tok.tokenizer import Tokenizer

LENGTH = 100_000


@cache
def tokenizer(name: str) -> Tokenizer:
    return open_family(name)


def replay(name: str, length: int) -> tuple[Session, list[str]]:
    """A session to which turns have been appended until it is so long."""
    session, given = tokenizer(name).session(), []
    source = turns(name, seed=length)
    while session.stats.characters_given < length:
        given.append(next(source))
        patch = session.append(given[-1])
        assert patch.keep_back == 0
        assert patch.keep_front + len(patch.new) == len(session)
    return session, given


@pytest.mark.parametrize("name", CHAT)
def test_a_turn_costs_what_it_is_long(name: str) -> None:
    session, given = replay(name, LENGTH)
    stats = session.stats
    assert session.text == "".join(given)
    assert session.ids.tolist() == tokenizer(name).encode(session.text).tolist()
    assert stats.operations == len(given) > 30
    assert stats.characters_given == len(session.text)
    assert stats.without_seam == 0
    # A turn ends with a literal, which is a few characters long.
    assert stats.characters_encoded - stats.characters_given <= 24 * stats.operations
    assert stats.longest_reach <= 24


@pytest.mark.parametrize("name", CHAT)
def test_a_turn_that_comes_in_small_parts(name: str) -> None:
    """A model's answer as it is streamed, behind a long transcript."""
    session, given = replay(name, LENGTH // 20)
    rng, before = random.Random(name), session.stats
    answer = next(turns(name, seed=0))[:4000]
    at = 0
    while at < len(answer):
        size = rng.randint(1, 12)
        session.append(answer[at : at + size])
        at += size
    assert session.ids.tolist() == tokenizer(name).encode("".join(given) + answer).tolist()
    operations = session.stats.operations - before.operations
    encoded = session.stats.characters_encoded - before.characters_encoded
    assert encoded <= 60 * operations
    assert session.stats.without_seam == 0


@pytest.mark.parametrize("name", CHAT)
def test_old_turns_that_are_cut_short(name: str) -> None:
    """Compaction: what tools said long ago is replaced by a line, in the middle of the transcript."""
    session, given = replay(name, LENGTH // 4)
    before, length = session.stats, len(session.text)
    short = CHAT[name][0].format(role="tool") + "[output removed]" + CHAT[name][1]
    for index in range(1, len(given) - 1, 2):
        given[index] = short
        patch = session.update("".join(given))
        assert patch.keep_front > 0
        assert patch.keep_back > 0
        assert len(patch.new) < 40
    assert session.ids.tolist() == tokenizer(name).encode(session.text).tolist()
    operations = session.stats.operations - before.operations
    assert operations > 2
    assert session.stats.characters_encoded - before.characters_encoded < 120 * operations < length


def test_the_long_replay_compares_with_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command, on a short transcript; and with another family's engine it sees that ids differ."""
    command = ["qwen3", "--length", "20000"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert re.search(r"qwen3 +│ 2\d,\d{3}", result.output)
    monkeypatch.setattr(long, "open_peer", lambda family: open_peer(FAMILIES["gpt-oss"]))
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 1
    assert "DIFFERENT" in result.output
