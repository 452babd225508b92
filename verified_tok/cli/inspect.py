"""`verified-tok inspect`: what a tokenizer is, and what the kit does with it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from verified_tok.cli.console import output, waiting
from verified_tok.cli.inputs import JsonOption, TokenizerArgument, open_tokenizer
from verified_tok.spec import AddedToken
from verified_tok.visible import piece_text

_FLAGS = ("special", "normalized", "lstrip", "rstrip", "single_word")


def inspect(
    tokenizer: TokenizerArgument,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also check what takes up to a minute: see the model's stage.")
    ] = False,
    rows: Annotated[int, typer.Option("--rows", min=0, help="List at most so many added tokens.")] = 20,
    as_json: JsonOption = False,
) -> int:
    """Print what the kit does with a tokenizer, stage by stage, and why; then its added tokens."""
    tok = open_tokenizer(tokenizer).tokenizer
    with waiting("checking the tokenizer"):
        admission = tok.admission(deep=deep)
    added = sorted(tok.spec.added_tokens, key=lambda token: token.id)
    if as_json:
        record = {"vocab_size": tok.vocab_size, "added_tokens": [asdict(token) for token in added]}
        print(json.dumps(admission.to_json() | record))
        return 0
    print(admission)
    print()
    _print_added(added, rows)
    return 0


def _print_added(added: list[AddedToken], rows: int) -> None:
    table = Table("id", "added token", "flags", box=None, pad_edge=False)
    for token in added[:rows]:
        flags = ", ".join(flag for flag in _FLAGS if getattr(token, flag))
        table.add_row(*map(escape, (str(token.id), piece_text(token.content.encode()), flags)))
    output().print(table)
    if len(added) > rows:
        print(f"… and {len(added) - rows} more (--rows {len(added)} lists them)")
