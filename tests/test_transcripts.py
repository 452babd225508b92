"""Transcripts of agents at work, appended turn by turn: ids stay exact, and a turn costs what it is long."""

from __future__ import annotations

import argparse
import inspect
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from textwrap import dedent

import pytest

from spec.campaign.texts import SENTENCES
from verified_tok.fetch import open_family
from verified_tok.session import Session
from verified_tok.tokenizer import Tokenizer

LENGTH = 100_000

CHAT = {
    "qwen3": ("<|im_start|>{role}\n", "<|im_end|>\n"),
    "gpt-oss": ("<|start|>{role}<|channel|>final<|message|>", "<|end|>"),
    "deepseek-v3": ("<｜{role}｜>", "<｜end▁of▁sentence｜>"),
    "gemma-3": ("<start_of_turn>{role}\n", "<end_of_turn>\n"),
}
"""How each family begins and ends a turn."""

SOURCE = inspect.getsource(argparse).splitlines(keepends=True)
NUMBERED = "".join(f"{number:6d}\t{line}" for number, line in enumerate(SOURCE, 1)).splitlines(keepends=True)


@cache
def tokenizer(name: str) -> Tokenizer:
    return open_family(name)


def prose(rng: random.Random) -> str:
    return " ".join(rng.choices(SENTENCES, k=rng.randint(1, 5)))


def code(rng: random.Random) -> str:
    """A part of a program, as a model writes it or as a tool shows it."""
    lines = rng.choice([SOURCE, NUMBERED])
    start = rng.randrange(len(lines) - 60)
    return f"```python\n{dedent(''.join(lines[start : start + rng.randint(5, 60)]))}```\n"


def record(rng: random.Random) -> str:
    """A tool's call or answer, in one line or indented."""
    value = {
        "name": rng.choice(["run", "read_file", "search"]),
        "arguments": {"cmd": f"pytest -q tests/test_{rng.randrange(99)}.py", "timeout": rng.randrange(10**6)},
        "output": [{"text": sentence, "score": rng.random()} for sentence in rng.sample(SENTENCES, 3)],
        "done": None,
    }
    return json.dumps(value, ensure_ascii=rng.random() < 0.3, indent=rng.choice([None, 2, 4]))


def log(rng: random.Random) -> str:
    now = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(seconds=rng.randrange(10**7))
    lines = [f"{'=' * 40} test session starts {'=' * 40}"]
    for _ in range(rng.randint(3, 30)):
        now += timedelta(milliseconds=rng.randrange(5000))
        level = rng.choice(["INFO ", "DEBUG", "ERROR"])
        lines.append(
            f"{now.isoformat()} [{level}] worker-{rng.randrange(16)}: "
            f"/srv/app/{rng.randbytes(8).hex()}.log 0x{rng.randrange(2**64):016x} "
            f"took {rng.random() * 1e3:.3f} ms"
        )
    return "\r\n".join(lines) + "\r\n" + "." * rng.randrange(120) + "F\n\n"


def turns(name: str, seed: int) -> Iterator[str]:
    """The turns of a transcript without an end."""
    begin, end = CHAT[name]
    rng = random.Random(seed)
    while True:
        role = rng.choice(["user", "assistant", "tool", "User", "Assistant"])
        parts = (rng.choice([prose, code, record, log])(rng) for _ in range(rng.randint(1, 4)))
        yield begin.format(role=role) + "\n".join(parts) + end


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
