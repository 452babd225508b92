"""`python -m bench NAME` makes one measurement; `python -m bench all` makes them all.

Each shows a table, and writes `bench/results/NAME.json`. An engine counts only where its output is the
reference's; one that is not installed, or does not have a family, is named and left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer
from rich.console import Console

from bench import append as appending
from bench import batch as batches
from bench import cliffs, seams
from bench import decode as decoding
from bench import encode as encoding
from bench import gpu as on_gpu
from bench import gpu_work as work_of_gpu
from bench import load as loading
from bench.engines import ENGINES
from bench.jobs import Job, run
from bench.plot import plot as draw
from bench.texts import KINDS
from verified_tok.errors import GpuUnavailable
from verified_tok.families import FAMILIES as KNOWN_FAMILIES

app = typer.Typer(help=__doc__, add_completion=False)
app.command()(seams.seams)

Families = Annotated[list[str], typer.Option("--family", help="Tokenizers: names of known families.")]
Texts = Annotated[list[str], typer.Option("--text", help=f"Kinds of text: {', '.join(KINDS)}.")]
Sizes = Annotated[list[int], typer.Option("--size", help="Bytes of text.")]
Engines = Annotated[list[str], typer.Option("--engine", help="Engines, by the names of their packages.")]
Cores = Annotated[list[int], typer.Option("--cores", help="How many.")]
Rounds = Annotated[int, typer.Option("--rounds", min=1, help="How often each is timed.")]

KNOWN = [*KNOWN_FAMILIES]
FAMILIES = ["gpt-oss", "qwen3", "llama-3.1", "deepseek-v3"]
TWO_FAMILIES = FAMILIES[:2]
TEXTS = list(KINDS)
SOME_TEXTS = ["english", "cjk", "agent"]
SIZES = [1_000_000]
BLOCKS = [64, 256]
CONTEXTS = [100_000, 500_000, 1_000_000, 4_000_000]
PARTS = [1_500]
ALL = list(ENGINES)
FAST = ["verified-tok", "fastokens", "gigatoken", "snaptokens"]
ONE_CORE = [1]
BOTH_CORES = [min(2, len(os.sched_getaffinity(0)))]


def _cold_and_warm(
    about: str, cores: int, of: ModuleType, arguments: tuple[object, ...], engines: list[str], rounds: int
) -> Iterator[Job]:
    """Fresh objects, so often, each in a process of its own; then one process with all the warm rounds."""
    for number in range(rounds):
        yield Job(f"cold, {about}", cores, of.cold, arguments, engines, number)
    yield Job(f"warm, {about}", cores, of.warm, arguments, engines, rounds)


@app.command()
def encode(
    family: Families = FAMILIES,
    text: Texts = TEXTS,
    size: Sizes = SIZES,
    cores: Cores = ONE_CORE,
    engine: Engines = ALL,
    rounds: Rounds = 5,
) -> None:
    """One text: cold, warm, and warm on text that is new."""
    run(
        job
        for f, s, t, n in product(family, size, text, cores)
        for job in _cold_and_warm(
            f"{f}, {encoding.size_name(s)} of {t}, {n} cores", n, encoding, (f, t, s, n), engine, rounds
        )
    )
    for each in family:
        draw(each)


@app.command()
def append(
    family: Families = FAMILIES,
    context: Annotated[list[int], typer.Option(help="Characters before.")] = CONTEXTS,
    part: Annotated[list[int], typer.Option(help="Characters appended.")] = PARTS,
    engine: Engines = ALL,
    sessions: Annotated[int, typer.Option(help="How many.")] = 4,
) -> None:
    """One more turn of a long conversation."""
    run(
        Job(f"append {p:,} to {c:,}, {f}", 1, appending.append, (f, c, p), engine, sessions)
        for f, c, p in product(family, context, part)
    )


@app.command()
def decode(
    family: Families = FAMILIES,
    text: Texts = TEXTS,
    size: Sizes = SIZES,
    engine: Engines = ALL,
    rounds: Rounds = 7,
) -> None:
    """The ids of a text, back to text."""
    run(
        Job(f"decode {f}, {t}", 1, decoding.decode, (f, t, s), engine, rounds)
        for f, s, t in product(family, size, text)
    )


@app.command()
def batch(
    family: Families = FAMILIES,
    text: Texts = SOME_TEXTS,
    cores: Cores = BOTH_CORES,
    engine: Engines = ALL,
    rounds: Rounds = 5,
) -> None:
    """A thousand documents of ten kilobytes, and a thousand short strings."""
    run(
        job
        for f, n, case, t in product(family, cores, batches.CASES, text)
        for job in _cold_and_warm(
            f"{f}, {case} of {t}, {n} cores", n, batches, (f, t, case, n), engine, rounds
        )
    )


@app.command()
def load(family: Families = FAMILIES, engine: Engines = ALL, rounds: Rounds = 5) -> None:
    """Opening a tokenizer: time and memory."""
    run(Job(f"load {f}", 1, loading.load, (f,), engine, rounds) for f in family)


@app.command(name="cliffs")
def cliff(
    family: Families = TWO_FAMILIES,
    size: Sizes = SIZES,
    engine: Engines = FAST,
    rounds: Rounds = 3,
) -> None:
    """Text that is hard: rare characters, long runs, nothing that repeats."""
    run(
        Job(f"cliffs {f}, {name}", 1, cliffs.cliff, (f, name, s), engine, n)
        for f, s, name, n in product(family, size, cliffs.CLIFFS, range(rounds))
    )


@app.command()
def gpu(
    gigabytes: Annotated[float, typer.Option(min=0, help="Text that is compared, for all families.")] = 0.3,
    seconds: Annotated[float, typer.Option(min=0, help="How long it is compared, at most.")] = 240,
    seed: Annotated[int, typer.Option(help="With another one other text is compared.")] = 0,
    repeats: Annotated[int, typer.Option(min=1, help="How often each is timed, at most.")] = 200,
    check: Annotated[list[str], typer.Option(help="Tokenizers that are compared.")] = KNOWN,
    family: Annotated[list[str], typer.Option(help="Tokenizers that are timed.")] = FAMILIES,
    timed: Annotated[bool, typer.Option(help="Time some, too, or only compare.")] = True,
    out: Annotated[Path, typer.Option(help="The file for what is found.")] = on_gpu.RESULT,
) -> None:
    """The GPU, where there is one: exactness on every family, then times."""
    times = family if timed else []
    try:
        on_gpu.run(Console(), gigabytes, repeats, seed, seconds, checked=check, timed=times, path=out)
    except GpuUnavailable as error:
        raise SystemExit(f"error: {error}") from None


@app.command()
def gpu_work(
    family: Families = FAMILIES,
    size: Annotated[int, typer.Option(help="Bytes of each text.")] = 300_000,
    block: Annotated[list[int], typer.Option(help="Bytes of text in which a part begins.")] = BLOCKS,
) -> None:
    """What a GPU's threads have to do, counted by the emulator; needs no GPU."""
    work_of_gpu.run(Console(), family, size, block)


@app.command()
def plot(family: Families = FAMILIES) -> None:
    """Draw what `encode` measured, once more."""
    for each in family:
        print(draw(each))


@app.command(name="all")
def everything() -> None:
    """Every measurement: hours on a busy machine."""
    encode()
    encode(family=["gpt-oss"], size=[1_000, 100_000, 10_000_000])
    encode(family=["gpt-oss"], size=[10_000_000], cores=BOTH_CORES, engine=FAST)
    for one in (append, decode, batch, load, cliff):
        one()


if __name__ == "__main__":
    app()
