"""Tokens as a person sees them: the text itself, with every boundary visible."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

_STYLES = (
    "black on bright_cyan",
    "black on bright_yellow",
    "black on bright_green",
    "black on bright_magenta",
)
_SHOWN = {"\n": "⏎", "\r": "␍", "\t": "⇥", "\0": "␀"}


def piece_text(piece: bytes) -> str:
    """A token's bytes on one line: what has no picture of its own is shown by a name or a number.

    >>> piece_text("a é\\n".encode()), piece_text(b"\\xe4\\xb8"), piece_text("\\u200d".encode())
    ('a é⏎', '\\\\xe4\\\\xb8', '\\\\u200d')
    """
    shown = []
    for char in piece.decode("utf-8", errors="backslashreplace"):
        if char in _SHOWN:
            shown.append(_SHOWN[char])
        elif char != " " and unicodedata.category(char)[0] in "CZ":
            shown.append(char.encode("ascii", errors="backslashreplace").decode())
        else:
            shown.append(char)
    return "".join(shown)


def tokens_text(pieces: Sequence[bytes], console: Console) -> Text:
    """The tokens one after the other, in turning colours, or apart by bars where there is no colour."""
    if console.color_system is None or console.no_color:
        return Text("│".join(piece_text(piece) for piece in pieces))
    text = Text()
    for i, piece in enumerate(pieces):
        text.append(piece_text(piece), style=_STYLES[i % len(_STYLES)])
    return text
