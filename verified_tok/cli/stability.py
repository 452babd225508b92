"""`verified-tok stability`: on which conversations a chat template only appends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from verified_tok.adapters.stability import ShapeRewrite, Stability
from verified_tok.adapters.stability import stability as look_at
from verified_tok.cli.console import output, waiting
from verified_tok.cli.inputs import JsonOption


def stability(
    template: Annotated[
        Path, typer.Argument(metavar="TEMPLATE", help="A .jinja file or a tokenizer_config.json.")
    ],
    name: Annotated[
        str, typer.Option("--name", help="Which template of a configuration that has several.")
    ] = "default",
    turns: Annotated[int, typer.Option("--turns", min=0, max=3, help="Up to so many answered turns.")] = 2,
    as_json: JsonOption = False,
) -> int:
    """Find the kinds of conversations whose past a chat template rewrites when they go on.

    Where it does, recorded ids and log-probabilities stop being those of the next prompt. Exit code 0 if it
    only appends, 1 if it rewrites something, or renders nothing.
    """
    from verified_tok.adapters.chat_template import ChatTemplate  # needs an optional package

    given = ChatTemplate.from_file(template, name)
    with waiting("rendering conversations"):
        found = look_at(given, turns)
    if as_json:
        print(json.dumps(found.to_json(), ensure_ascii=False))
    else:
        _print(found)
    return 0 if found else 1


def _print(found: Stability) -> None:
    console = output()
    if found.rewrites:
        table = Table(
            "conversation | what comes", "changes", "it was", "it becomes", box=None, pad_edge=False
        )
        for one in found.rewrites:
            table.add_row(*map(escape, _row(one)))
        console.print(table)
        console.print()
    if found.refused:
        shape, reason = found.refused[0]
        console.print(escape(f"refused: {len(found.refused)} kinds, the first {', '.join(shape)}: {reason}"))
    if found.joins_results:
        console.print("tool results can only be appended together: the next one changes the one before it")
    looked = len(found.stable) + len(found.unstable)
    console.print(f"append-stable on {len(found.stable)} of {looked} kinds of conversations")


def _row(one: ShapeRewrite) -> tuple[str, str, str, str]:
    kept = one.rewrite.kept
    before, after = one.rewrite.excerpts()
    shape = f"{', '.join(one.shape[:kept])} | {', '.join(one.shape[kept:])}"
    changed = "the generation prompt" if one.rewrite.prompt else "the past"
    return shape, changed, repr(before), repr(after)
