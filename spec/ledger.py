"""`python -m spec.ledger write` puts the theorems into `proofs.md`; `check` says whether they are there.

`python -m spec.ledger seams` puts the table of real tokenizers' seams there, which takes a minute.

`spec/theorems.toml` is the manifest: one table per theorem, with its Lean name, what it says in plain words,
the Python that it speaks of, the test that mirrors it and its section of `proofs.md`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import typer

from spec import seams as real_seams

REPOSITORY = Path(__file__).parents[1]
MANIFEST = REPOSITORY / "spec" / "theorems.toml"
PROOFS = REPOSITORY / "proofs.md"

BLOCK = re.compile(r"(<!-- theorems: (?P<section>[^\n]+) -->\n).*?(<!-- end -->)", re.DOTALL)
SEAMS = re.compile(r"(<!-- seams of real tokenizers -->\n).*?(<!-- end -->)", re.DOTALL)

app = typer.Typer(help=__doc__, add_completion=False)


@dataclass(frozen=True, slots=True)
class Theorem:
    """An entry of the manifest."""

    lean: str
    """The full Lean name."""
    statement: str
    python: str
    """The function or class that it speaks of, below `verified_tok`."""
    test: str
    """The pytest node that mirrors it."""
    section: str
    """The section of `proofs.md`."""


def theorems() -> list[Theorem]:
    """The manifest's entries, in its order."""
    return [Theorem(**entry) for entry in tomllib.loads(MANIFEST.read_text("utf-8"))["theorem"]]


def rows(section: str) -> str:
    """A section's theorems as a table."""
    lines = ["| theorem | says | in Python | mirrored by |", "| --- | --- | --- | --- |"]
    for t in theorems():
        if t.section == section:
            name = t.lean.removeprefix("VerifiedTok.")
            file, _, function = t.test.rpartition("::")
            mirrored = f"`{function.partition('[')[0]}` in [{Path(file).name}]({file})"
            lines.append(f"| `{name}` | {t.statement} | `{t.python}` | {mirrored} |")
    return "\n".join(lines) + "\n"


def rewritten(text: str) -> str:
    """`proofs.md` with the table of every section as the manifest has it."""
    return BLOCK.sub(lambda block: block[1] + rows(block["section"]) + block[3], text)


def sections(text: str) -> list[str]:
    """The sections that `proofs.md` has a table for."""
    return [block["section"] for block in BLOCK.finditer(text)]


@app.command()
def write() -> None:
    """Write the tables."""
    PROOFS.write_text(rewritten(PROOFS.read_text("utf-8")), "utf-8")


@app.command()
def seams() -> None:
    """Write the table of seams."""
    text = PROOFS.read_text("utf-8")
    PROOFS.write_text(SEAMS.sub(lambda block: block[1] + real_seams.table() + block[2], text), "utf-8")


@app.command()
def check() -> None:
    """Exit with 1 if a table is stale."""
    text = PROOFS.read_text("utf-8")
    if rewritten(text) != text:
        typer.echo("proofs.md is stale; run `python -m spec.ledger write`", err=True)
        raise typer.Exit(1)


if __name__ == "__main__":
    app()
