"""`verified-tok decode`: ids to text."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from verified_tok.cli.inputs import JsonOption, TokenizerArgument, open_tokenizer, read_ids


def decode(
    tokenizer: TokenizerArgument,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Without them: stdin, or `encode --json`'s.")
    ] = None,
    skip_special_tokens: Annotated[
        bool, typer.Option("--skip-special-tokens", help="Leave special tokens out.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Write the bytes that ids stand for, as they are; on a terminal a line end follows."""
    tok = open_tokenizer(tokenizer).tokenizer
    read = read_ids(ids or [])
    if as_json:
        data = tok.decode_bytes(read, skip_special_tokens)
        text = tok.decode(read, skip_special_tokens=skip_special_tokens)
        print(json.dumps({"text": text, "bytes": data.hex(), "count": len(read)}, ensure_ascii=False))
        return 0
    sys.stdout.buffer.write(tok.decode_bytes(read, skip_special_tokens))
    if sys.stdout.isatty():
        sys.stdout.buffer.write(b"\n")
    return 0
