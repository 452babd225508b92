"""`verified-tok fetch`: get a known family's real file, or list the families."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.filesize import decimal
from rich.table import Table

from verified_tok.cli.console import output
from verified_tok.cli.inputs import JsonOption
from verified_tok.families import FAMILIES, Family
from verified_tok.fetch import family_path
from verified_tok.fetch import fetch as fetch_file


def fetch(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="The family.")] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the families instead.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Get a known tokenizer's file from its package registry and print its path."""
    if list_all:
        if name is not None:
            raise typer.BadParameter("give a name or --list, not both")
        _list(as_json)
        return 0
    if name is None:
        raise typer.BadParameter("give the name of a family, or --list")
    path = fetch_file(name)
    if as_json:
        print(json.dumps({"name": name, "path": str(path), "sha256": FAMILIES[name].sha256}))
    else:
        print(path)
    return 0


def _list(as_json: bool) -> None:
    if as_json:
        print(json.dumps([_record(known) for known in FAMILIES.values()]))
        return
    table = Table("family", "what it is", "package", "download", "licence", "here", box=None, pad_edge=False)
    for known in FAMILIES.values():
        here = "✓" if family_path(known).exists() else ""
        package = f"{known.package.registry.value} {known.package}"
        table.add_row(known.name, known.about, package, decimal(known.package.size), known.licence, here)
    output().print(table)


def _record(known: Family) -> dict[str, object]:
    return {
        "name": known.name,
        "about": known.about,
        "client": known.package.registry.value,
        "package": known.package.name,
        "version": known.package.version,
        "download_bytes": known.package.size,
        "member": known.member,
        "sha256": known.sha256,
        "licence": known.licence,
        "path": str(family_path(known)) if family_path(known).exists() else None,
    }
