"""`python -m spec.campaign [FAMILY…]`: every comparison on every text, a quarter of an hour for a family."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from spec.campaign import texts
from spec.campaign.contest import ROSTER
from spec.campaign.schedule import Outcome, run

app = typer.Typer(help=__doc__, add_completion=False)


@app.command()
def campaign(
    families: Annotated[list[str] | None, typer.Argument(help="All of them if none is named.")] = None,
    share: Annotated[
        float, typer.Option(min=0, max=1, help="How much of the code points, vocabularies and real texts.")
    ] = 1,
    mixtures: Annotated[int, typer.Option(min=0, help="How many random texts and lists of ids.")] = 20_000,
    jobs: Annotated[int, typer.Option(min=1, help="How many processes.")] = os.cpu_count() or 1,
) -> None:
    """Compare families with their engines; exit with 1 if anything differs."""
    names = families or list(ROSTER)
    unknown = ", ".join(name for name in names if name not in ROSTER)
    if unknown:
        raise typer.BadParameter(f"{unknown}: not among {', '.join(ROSTER)}")
    texts.translations()  # fetched once, before there are several processes
    outcomes: dict[str, Outcome] = {}
    with ProcessPoolExecutor(jobs) as pool:
        futures = [pool.submit(run, name, share, mixtures) for name in names]
        for done in track(as_completed(futures), total=len(futures), console=Console(stderr=True)):
            outcome = done.result()
            outcomes[outcome.family] = outcome
            for difference in outcome.shown:
                typer.echo(difference)
    raise typer.Exit(report([outcomes[name] for name in names]))


def report(outcomes: Sequence[Outcome]) -> int:
    """Print how many texts were compared, by family and kind; 1 if anything differs, else 0."""
    kinds = list(dict.fromkeys(kind for outcome in outcomes for kind in outcome.compared))
    table = Table("family", "engines", *kinds, "characters", "differing")
    for outcome in outcomes:
        counts = [outcome.compared[kind] for kind in kinds]
        counts += [outcome.size.total(), outcome.differing.total()]
        table.add_row(outcome.family, ", ".join(outcome.engines), *(f"{count:,}" for count in counts))
    Console(width=160).print(table)
    return int(any(outcome.differing.total() for outcome in outcomes))


if __name__ == "__main__":
    app()
