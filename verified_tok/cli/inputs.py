"""What the commands read: tokenizers, texts and ids."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from verified_tok import load
from verified_tok.errors import FetchError, InvalidText, InvalidTokenId
from verified_tok.families import FAMILIES, Family
from verified_tok.fetch import family, open_family
from verified_tok.tokenizer import AddedTokens, Tokenizer

TokenizerArgument = Annotated[
    str, typer.Argument(metavar="TOKENIZER", help="A tokenizer.json, or the name of a family (fetch --list).")
]
TextArgument = Annotated[str | None, typer.Argument(metavar="[TEXT]", help="Without it: --file or stdin.")]
FileOption = Annotated[Path | None, typer.Option("--file", "-f", help="Read the text from this UTF-8 file.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]

AddedTokensOption = Annotated[
    list[str] | None,
    typer.Option(
        "--added-tokens", help="Recognise all of them (the default), none, or this literal; repeatable."
    ),
]


@dataclass(frozen=True, slots=True)
class Opened:
    """A tokenizer, and what it was opened from."""

    tokenizer: Tokenizer
    source: Path | Family

    @property
    def name(self) -> str:
        """The name of the file or of the family."""
        return self.source.name


def open_tokenizer(argument: str) -> Opened:
    """The tokenizer of a path or of a family name; a path that exists comes first.

    Raises FetchError if it is neither, and whatever loading raises.
    """
    path = Path(argument)
    if path.is_file():
        return Opened(load(path), path)
    if argument not in FAMILIES and ("/" in argument or path.suffix):
        raise FetchError(f"there is no file {argument!r}, and no family of that name")
    known = family(argument)
    return Opened(open_family(argument), known)


def read_text(argument: str | None, file: Path | None) -> str:
    """The text given as an argument, in a file, or on standard input, with not one character changed.

    Raises InvalidText if the bytes are not UTF-8, typer.BadParameter if there are two texts.
    """
    if argument is not None:
        if file is not None:
            raise typer.BadParameter("give the text or --file, not both")
        return argument
    if file is not None:
        return _utf8(file.read_bytes(), str(file))
    return _utf8(_standard_input("the text"), "standard input")


def read_ids(arguments: list[str]) -> list[int]:
    """Ids given as arguments or on standard input: numbers apart by spaces or commas, or JSON.

    JSON is a list of ids, or an object with a list under "ids" as `encode --json` prints it.
    Raises InvalidTokenId if something is no number.
    """
    written = " ".join(arguments) if arguments else _utf8(_standard_input("ids"), "standard input")
    if written.lstrip().startswith(("[", "{")):
        try:
            value = json.loads(written)
        except json.JSONDecodeError as error:
            raise InvalidTokenId(f"the ids are malformed JSON: {error}") from None
        ids = value.get("ids") if isinstance(value, dict) else value
        if not isinstance(ids, list) or not all(type(i) is int for i in ids):
            raise InvalidTokenId(
                "the JSON value is no list of ids, and no object with such a list under 'ids'"
            )
        return ids
    words = written.replace(",", " ").split()
    for word in words:
        if not re.fullmatch(r"-?[0-9]{1,20}", word):
            raise InvalidTokenId(f"{word[:40]!r} is no id")
    return [int(word) for word in words]


def added_tokens_choice(given: list[str] | None) -> AddedTokens:
    """What the values of `--added-tokens` mean to `Tokenizer.encode`."""
    if given is None or given == ["all"]:
        return "all"
    return "none" if given == ["none"] else given


def _standard_input(what: str) -> bytes:
    if sys.stdin.isatty():
        print(f"reading {what} from the terminal; Ctrl-D ends it", file=sys.stderr)
    return sys.stdin.buffer.read()


def _utf8(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidText(
            f"{name} is not UTF-8: {error.reason} at byte {error.start} (0x{content[error.start]:02x})"
        ) from None
