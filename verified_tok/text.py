"""What counts as text: a `str` of Unicode scalar values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

from verified_tok.errors import InvalidOption, InvalidText, InvalidUtf8, VerifiedTokError

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


def check_text(text: object) -> str:
    """`text` itself, if it can be encoded.

    Raises `InvalidText` if it is no `str`, naming its type, or holds a lone surrogate, naming the place.

    >>> check_text("naïve 🙂")
    'naïve 🙂'
    """
    if not isinstance(text, str):
        raise InvalidText(f"the text must be a str, not {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidText(
            f"the text holds the lone surrogate U+{ord(text[error.start]):04X} at position {error.start}; "
            "such a code point has no UTF-8 form: replace it first"
        ) from None
    return text


def explained(text: object, operation: Callable[[*Ts], T], *arguments: *Ts) -> T:
    """The result of an operation that looks itself whether it is given text; where Python's own errors say
    that it is not, or that there is too much, `InvalidText` says why.

    >>> explained("a", str.encode, "a")
    b'a'
    """
    try:
        return operation(*arguments)
    except VerifiedTokError:
        raise
    except (TypeError, UnicodeEncodeError):
        check_text(text)
        raise
    except ValueError as error:  # of the core, for what has 4 GiB
        raise InvalidText(str(error)) from None


def check_errors(errors: object) -> None:
    """Raises `InvalidOption` for what decoding does not know."""
    if not isinstance(errors, str) or errors not in ("replace", "strict"):
        raise InvalidOption(f"errors must be 'replace' or 'strict', not {errors!r}")


def strict_text(data: bytes) -> str:
    """UTF-8 bytes as text; raises `InvalidUtf8`, naming the place."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        wrong = data[error.start : error.end].hex(" ")
        raise InvalidUtf8(
            f"not UTF-8 at byte {error.start} ({wrong}: {error.reason}); decode_bytes gives the bytes"
        ) from None
