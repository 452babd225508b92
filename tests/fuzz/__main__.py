"""See the package. A case is named by a seed and a number; the same name is the same case again."""

from __future__ import annotations

import argparse
import mmap
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from fuzz.claims import CLAIMS, Check, Disagreement, Subject
from fuzz.made import made_tokenizer
from verified_tok.families import FAMILIES
from verified_tok.fetch import open_family
from verified_tok.peer import open_peer

ROSTER = tuple(name for name in FAMILIES if name != "bert")
IN_A_ROW = 50
"""Cases with one tokenizer: opening one takes longer than many cases."""


def run(seed: str, number: int) -> None:
    """One case. Raises Disagreement, which names the tokenizer and the smallest input found."""
    rng = random.Random(f"{seed}/{number}")
    subject = _subject(seed, number // IN_A_ROW)
    name = rng.choices(list(CLAIMS), weights=[claim.weight for claim in CLAIMS.values()])[0]
    given = CLAIMS[name].draw(rng, subject)
    try:
        CLAIMS[name].holds(subject, given)
    except Exception as error:
        given, error = smallest(subject, CLAIMS[name].holds, given, error)
        said = str(error) if isinstance(error, Disagreement) else repr(error)
        raise Disagreement(f"{subject.name}, {name} of {given!r}: {said}") from error


@lru_cache(maxsize=3)
def _family(name: str) -> Subject:
    return Subject.of(name, open_family(name), open_peer(FAMILIES[name]))


@lru_cache(maxsize=1)
def _subject(seed: str, row: int) -> Subject:
    if row % 2:
        return Subject.of(f"random tokenizer {row}", *made_tokenizer(random.Random(f"{seed}: {row}")))
    order = random.Random(seed).sample(ROSTER, len(ROSTER))
    return _family(order[row // 2 % len(order)])


def smallest(subject: Subject, holds: Check, given: Any, error: Exception) -> tuple[Any, Exception]:
    """A part of a text or of a list about which the claim still fails, by leaving out what can be left."""
    step, limit = max(1, len(given) // 2), time.monotonic() + 10
    while time.monotonic() < limit:
        for start in range(0, len(given), step):
            less = given[:start] + given[start + step :]
            try:
                holds(subject, less)
            except Exception as other:
                given, error = less, other
                break
        else:
            if step == 1:
                break
            step //= 2
    return given, error


def cases(seed: str, seconds: float) -> Iterator[int]:
    """Numbers of cases, for so long."""
    stop, number = time.monotonic() + seconds, 0
    while time.monotonic() < stop:
        yield number
        number += 1


def main(arguments: Sequence[str]) -> int:
    """1 if there is a disagreement, or the core ends the process."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default=str(int(time.time())))
    parser.add_argument("--case", help="SEED/NUMBER: this case only")
    parser.add_argument("--place", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.case:
        seed, number = chosen.case.rsplit("/", 1)
        return _checked(seed, int(number))
    if chosen.place is None:
        return _watched(chosen.seed, chosen.seconds)
    with open(chosen.place, "r+b") as file, mmap.mmap(file.fileno(), 8) as place:
        number = -1
        for number in cases(chosen.seed, chosen.seconds):
            place[:] = number.to_bytes(8, "little")  # outlives the process
            if failed := _checked(chosen.seed, number):
                return failed
        print(f"{number + 1:,} cases of seed {chosen.seed}: no difference")
    return 0


def _checked(seed: str, number: int) -> int:
    try:
        run(seed, number)
    except Disagreement as error:
        print(f"case {seed}/{number}: {error}")
        return 1
    return 0


def _watched(seed: str, seconds: float) -> int:
    """Run in a process of its own: should it end, the case is known."""
    print(f"seed {seed}, {seconds:g} seconds", flush=True)
    with tempfile.NamedTemporaryFile() as place:
        place.write(bytes(8))
        place.flush()
        command = [sys.executable, "-m", "fuzz", "--seed", seed, "--seconds", str(seconds)]
        ended = subprocess.run([*command, "--place", place.name])
        if ended.returncode not in (0, 1):
            place.seek(0)
            number = int.from_bytes(place.read(8), "little")
            print(f"case {seed}/{number} ended the process: {ended.returncode}")
        return int(ended.returncode != 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
