"""`python -m spec.vectors write` writes the vectors; `check` says whether the files are up to date."""

from __future__ import annotations

from pathlib import Path

import typer

from spec.vectors import MODULES

FOLDER = Path(__file__).parents[2] / "lean" / "VerifiedTok" / "Vectors"

app = typer.Typer(help=__doc__, add_completion=False)


@app.command()
def write() -> None:
    """Write every vector module."""
    FOLDER.mkdir(exist_ok=True)
    for name, module in MODULES.items():
        (FOLDER / f"{name}.lean").write_text(module(), encoding="utf-8")
        typer.echo(f"wrote {name}.lean")


@app.command()
def check() -> None:
    """Exit with 1 if a file is missing, stale or not written by this program."""
    present = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.lean")}
    stale = [name for name, module in MODULES.items() if present.pop(name, None) != module()]
    for name in (*stale, *present):
        typer.echo(f"{name}.lean is stale; run `python -m spec.vectors write`", err=True)
    if stale or present:
        raise typer.Exit(1)
    typer.echo(f"{len(MODULES)} vector modules are up to date")


if __name__ == "__main__":
    app()
