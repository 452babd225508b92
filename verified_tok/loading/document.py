"""From the bytes of a file to a JSON document, as strictly as the reference engine reads it.

Python's own reader accepts more than the JSON standard and more than the reference engine: `NaN`, lone
surrogates, a byte-order mark. It also lets the last of two equal keys win in silence. A tokenizer file
with any of these is damaged, so each is an error here.
"""

from __future__ import annotations

import json
import re
from collections import Counter

from verified_tok.errors import InvalidTokenizerFile

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a surrogate pair
    r"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})"
    r"|.)"
)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_DIGITS_OF_U64 = 20


def parse(data: bytes) -> dict[str, object]:
    """The top-level object of a JSON file.

    Raises `InvalidTokenizerFile` if the bytes are no UTF-8, no JSON, or no object, saying where.
    """
    if data.startswith(b"version https://git-lfs"):
        raise InvalidTokenizerFile(
            "a Git LFS pointer, not the file it points to: fetch it with `git lfs pull`"
        )
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidTokenizerFile(f"not a JSON file: byte {error.start} is not UTF-8") from None
    try:
        document = json.loads(text, object_pairs_hook=_object, parse_int=_integer, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise _malformed(text, error) from None
    except RecursionError:
        raise InvalidTokenizerFile("not a tokenizer file: its JSON is nested too deeply") from None
    if not isinstance(document, dict):
        raise InvalidTokenizerFile(f"not a tokenizer file: an object is expected, not {kind_of(document)}")
    if _SURROGATE.search(text):
        for escape in _ESCAPE.finditer(text):
            if escape["lone"]:
                where = _place(text, escape.start())
                raise InvalidTokenizerFile(f"malformed JSON: a lone surrogate {escape[0]} at {where}")
    return document


def kind_of(value: object) -> str:
    """What a JSON value is, in JSON's words."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case list():
            return "an array"
        case _:
            return "an object"


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise InvalidTokenizerFile(f"malformed JSON: the key {twice!r} stands twice in one object")
    return result


def _integer(digits: str) -> int | float:
    # The reference engine, too, reads "-0" and what exceeds 64 bits as floating point, so never as an id.
    return float(digits) if digits == "-0" or len(digits) > _DIGITS_OF_U64 else int(digits)


def _constant(name: str) -> object:
    raise InvalidTokenizerFile(f"malformed JSON: {name} is not a JSON value")


def _malformed(text: str, error: json.JSONDecodeError) -> InvalidTokenizerFile:
    if not text.strip():
        return InvalidTokenizerFile("the file is empty")
    where = _place(text, error.pos)
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
        return InvalidTokenizerFile(
            f"truncated JSON: the file ends inside a value begun at or before {where}"
        )
    return InvalidTokenizerFile(f"malformed JSON: {error.msg.lower()} at {where}")


def _place(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f"line {line}, column {column} (character {position})"
