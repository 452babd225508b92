"""`python -m spec.transcripts [FAMILY…]`: sessions of long transcripts, beside the reference engine.

Turns are appended to a session until it is as long as asked for. At every tenth of the length some turns are
replaced by a line, as agents do with what tools said long ago, and the session's ids are compared with those
that the engine gives for the whole text.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from spec.transcripts import CHAT, turns
from verified_tok.families import FAMILIES
from verified_tok.fetch import open_family
from verified_tok.peer import open_peer
from verified_tok.session import SessionStats

CHECKS = 10
REPLACED = 2
"""Turns replaced before each comparison."""

app = typer.Typer(help=__doc__, add_completion=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a replay, so far."""

    characters: int
    tokens: int
    stats: SessionStats
    seconds: float
    """Spent in the session's operations."""
    equal: bool
    """Whether the ids are the engine's."""


@app.command()
def replay(
    families: Annotated[
        list[str] | None, typer.Argument(help="All with a chat format if none is named.")
    ] = None,
    length: Annotated[int, typer.Option(min=1000, help="Characters of a transcript.")] = 1_000_000,
) -> None:
    """Replay transcripts; exit with 1 if an id differs from the engine's.

    The table says how many characters a session was given, how many were encoded besides those, and how far
    an operation reached beyond its change.
    """
    names = families or list(CHAT)
    unknown = ", ".join(name for name in names if name not in CHAT)
    if unknown:
        raise typer.BadParameter(f"{unknown}: not among {', '.join(CHAT)}")
    columns = ("family", "given", "text", "tokens", "operations", "besides", "reach", "seconds", "ids")
    table = Table(*columns)
    differs = False
    for name in names:
        for outcome in track(checks(name, length), name, total=CHECKS, console=Console(stderr=True)):
            if not outcome.equal:
                break
        stats = outcome.stats
        besides = stats.characters_encoded - stats.characters_given
        counts = (
            stats.characters_given,
            outcome.characters,
            outcome.tokens,
            stats.operations,
            besides,
            stats.longest_reach,
        )
        verdict = "the engine's" if outcome.equal else "DIFFERENT"
        table.add_row(name, *(f"{count:,}" for count in counts), f"{outcome.seconds:.1f}", verdict)
        differs = differs or not outcome.equal
    Console(width=120).print(table)
    raise typer.Exit(int(differs))


def checks(name: str, length: int) -> Iterator[Outcome]:
    """Replay a family's transcript; an outcome at every tenth of its length."""
    session, peer = open_family(name).session(), open_peer(FAMILIES[name])
    rng, source, given = random.Random(name), turns(name, seed=length), list[str]()
    short = CHAT[name][0].format(role="tool") + "[output removed]" + CHAT[name][1]
    seconds, written = 0.0, 0
    for check in range(1, CHECKS + 1):
        while written < length * check // CHECKS:
            given.append(next(source))
            written += len(given[-1])
            begin = time.perf_counter()
            session.append(given[-1])
            seconds += time.perf_counter() - begin
        for index in rng.sample(range(len(given)), min(REPLACED, len(given))):
            start = sum(map(len, given[:index]))
            begin = time.perf_counter()
            session.edit(start, start + len(given[index]), short)
            seconds += time.perf_counter() - begin
            given[index] = short
        text = "".join(given)
        equal = session.text == text and session.ids.tolist() == peer.encode(text)
        yield Outcome(len(text), len(session), session.stats, seconds, equal)


if __name__ == "__main__":
    app()
