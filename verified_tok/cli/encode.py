"""`verified-tok encode`: text to ids."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from verified_tok.cli.console import output, waiting
from verified_tok.cli.inputs import (
    AddedTokensOption,
    FileOption,
    JsonOption,
    TextArgument,
    TokenizerArgument,
    added_tokens_choice,
    open_tokenizer,
    read_text,
)
from verified_tok.cli.tokens_view import tokens_text
from verified_tok.visible import piece_text


def encode(
    tokenizer: TokenizerArgument,
    text: TextArgument = None,
    file: FileOption = None,
    spans: Annotated[bool, typer.Option("--spans", help="One token a line, with its place.")] = False,
    count: Annotated[bool, typer.Option("--count", help="Say only how many tokens there are.")] = False,
    added_tokens: AddedTokensOption = None,
    special_tokens: Annotated[
        bool, typer.Option("--special-tokens", help="Put the tokenizer's own template around the text.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Print the ids of a text, in one line."""
    tok = open_tokenizer(tokenizer).tokenizer
    content = read_text(text, file)
    with waiting(f"encoding {len(content):,} characters"):
        encoding = tok.encode_with_spans(content, added_tokens_choice(added_tokens), special_tokens)
    ids = encoding.ids.tolist()
    if as_json:
        record = {"tokenizer": tok.spec.sha256, "count": len(ids), "ids": ids}
        if spans:
            record["byte_spans"] = encoding.byte_spans.tolist()
            record["char_spans"] = encoding.char_spans.tolist()
        print(json.dumps(record))
    elif count:
        print(len(ids))
    elif spans:
        table = Table("id", "bytes", "characters", "token", box=None, pad_edge=False)
        places = zip(ids, encoding.byte_spans.tolist(), encoding.char_spans.tolist(), strict=True)
        for id, (byte, byte_stop), (char, char_stop) in places:
            row = (str(id), f"{byte}:{byte_stop}", f"{char}:{char_stop}", piece_text(tok.id_to_bytes(id)))
            table.add_row(*map(escape, row))
        output().print(table)
    else:
        if sys.stdout.isatty():
            console = output()
            console.print(tokens_text([tok.id_to_bytes(id) for id in ids], console))
        print(*ids)
    return 0
