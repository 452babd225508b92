"""`verified-tok compare`: ids of the kit and of an independent engine, side by side."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from verified_tok.cli.console import counting, output
from verified_tok.cli.difference import first_difference, side_by_side
from verified_tok.cli.inputs import (
    FileOption,
    JsonOption,
    TextArgument,
    TokenizerArgument,
    open_tokenizer,
    read_text,
)
from verified_tok.errors import InvalidTokenId
from verified_tok.peer import open_peer
from verified_tok.visible import piece_text


def compare(
    tokenizer: TokenizerArgument,
    text: TextArgument = None,
    file: FileOption = None,
    lines: Annotated[bool, typer.Option("--lines", help="Every line is a text of its own.")] = False,
    rows: Annotated[int, typer.Option("--rows", min=1, help="Show at most so many tokens.")] = 20,
    as_json: JsonOption = False,
) -> int:
    """Encode with the kit and with the reference engine, up to the first text whose ids differ.

    Exit code 0 if all ids are the same, 1 if not.
    """
    opened = open_tokenizer(tokenizer)
    tok, peer = opened.tokenizer, open_peer(opened.source)
    content = read_text(text, file)
    texts = (lines and content.splitlines(keepends=True)) or [content]
    tokens, compared = 0, 0
    with counting(f"verified_tok and {peer.name}") as progress:
        for one in progress.track(texts):
            ours, theirs = tok.encode(one).tolist(), peer.encode(one)
            tokens, compared = tokens + len(ours), compared + 1
            if ours != theirs:
                break
    at = first_difference(ours, theirs)

    if as_json:
        record: dict[str, object] = {
            "equal": at is None,
            "engine": peer.name,
            "texts": compared,
            "tokens": tokens,
        }
        if at is not None:
            record["difference"] = {
                "text": compared - 1,
                "index": at,
                "ours": ours[at : at + rows],
                "theirs": theirs[at : at + rows],
            }
        print(json.dumps(record))
        return 0 if at is None else 1

    def shown(id: int) -> str:
        try:
            return piece_text(tok.id_to_bytes(id))
        except InvalidTokenId:
            return "(no such token)"

    if at is not None or len(texts) == 1:
        output().print(side_by_side(ours, theirs, shown, peer.name, rows))
    if at is None:
        where = "" if len(texts) == 1 else f" in {len(texts)} texts"
        print(f"{tokens} ids{where}, all the same as {peer.name}'s")
        return 0
    where = "" if len(texts) == 1 else f" of line {compared}"
    print(f"the ids differ from {peer.name}'s at token {at}{where}")
    return 1
