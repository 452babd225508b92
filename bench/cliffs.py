"""Text that slows tokenizers down: a little of something rare, long runs of anything, nothing twice."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Mapping, Sequence

from bench.encode import on_ids, size_name
from bench.oracle import reference_ids
from bench.race import once, runners
from bench.result import Result
from bench.texts import in_a_new_str, text
from verified_tok.fetch import open_family

MEASUREMENT = "cliffs"
SEED = 5


def cliff(family: str, name: str, size: int, packages: Sequence[str], number: int) -> list[Result]:
    """Each engine once on `size` bytes of one such text, by a fresh object."""
    given = CLIFFS[name](family, size)
    expected = reference_ids(family, given)
    field = runners(family, packages)
    once(field, number, 1, lambda: on_ids(in_a_new_str(given), expected))
    megabytes = len(given.encode()) / 1e6
    return [each.result(MEASUREMENT, f"cold, {size_name(size)}", name, "MB/s", megabytes) for each in field]


def _with(part: str) -> Callable[[str, int], str]:
    def english(_: str, size: int) -> str:
        whole = text("english", size)
        return whole[: size // 2] + part + whole[size // 2 :]

    return english


def _with_added_tokens(family: str, size: int) -> str:
    """A chat: an added token every thousand characters or so."""
    literals = [token.content for token in open_family(family).spec.added_tokens][:3]
    whole = text("agent", size)
    turns = [whole[start : start + 1_000] for start in range(0, len(whole), 1_000)]
    return "".join(literals[i % len(literals)] + turn for i, turn in enumerate(turns))


def _run(part: str) -> Callable[[str, int], str]:
    return lambda _, size: (part * (size // len(part.encode()) + 1)).encode()[:size].decode(errors="ignore")


def _drawn(draw: Callable[[random.Random, int], str]) -> Callable[[str, int], str]:
    return lambda _, size: draw(random.Random(SEED), size).encode()[:size].decode(errors="ignore")


def _words(rng: random.Random, size: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join("".join(rng.choices(letters, k=rng.randrange(2, 14))) for _ in range(size // 8))


CLIFFS: Mapping[str, Callable[[str, int], str]] = {
    "english": _with(""),
    "one CJK letter": _with("世"),
    "one letter not NFC": _with("e\u0301"),
    "added tokens": _with_added_tokens,
    "base64": _drawn(lambda rng, size: base64.b64encode(rng.randbytes(size)).decode()),
    "hex": _drawn(lambda rng, size: rng.randbytes(size).hex()),
    "random words": _drawn(_words),
    "random Han": _drawn(
        lambda rng, size: "".join(chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(size // 3))
    ),
    "digits": _drawn(lambda rng, size: "".join(rng.choices("0123456789", k=size))),
    "one letter": _run("a"),
    "spaces": _run(" "),
    "newlines": _run("\n"),
    "punctuation": _run("="),
    "one word": _drawn(lambda rng, size: _words(rng, size).replace(" ", "")),
}
"""What each text is made of: functions of a family and a size in bytes."""
