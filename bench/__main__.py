"""`python -m bench NAME` makes one measurement and prints it."""

from __future__ import annotations

import typer

from bench import seams

app = typer.Typer(help=__doc__, add_completion=False)
app.command()(seams.seams)


@app.callback()
def _named() -> None:
    """Keeps the names of the measurements even where there is only one."""


if __name__ == "__main__":
    app()
