"""`verified-tok inspect`: what a tokenizer is, and what the kit does with it."""

from __future__ import annotations

from verified_tok.cli.inputs import JsonOption, TokenizerArgument, open_tokenizer


def inspect(tokenizer: TokenizerArgument, as_json: JsonOption = False) -> int:
    """Print the admission report of a tokenizer: its stages, its tables, its added tokens."""
    print(open_tokenizer(tokenizer).tokenizer.admission())
    return 0
