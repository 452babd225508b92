"""Transcripts of agents at work, made up: turns of prose, programs, tool calls and logs."""

from __future__ import annotations

import argparse
import inspect
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from textwrap import dedent

from spec.campaign.texts import SENTENCES

CHAT = {
    "qwen3": ("<|im_start|>{role}\n", "<|im_end|>\n"),
    "gpt-oss": ("<|start|>{role}<|channel|>final<|message|>", "<|end|>"),
    "deepseek-v3": ("<｜{role}｜>", "<｜end▁of▁sentence｜>"),
    "gemma-3": ("<start_of_turn>{role}\n", "<end_of_turn>\n"),
}
"""How each family begins and ends a turn."""

SOURCE = inspect.getsource(argparse).splitlines(keepends=True)
NUMBERED = "".join(f"{number:6d}\t{line}" for number, line in enumerate(SOURCE, 1)).splitlines(keepends=True)


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
