"""Tokens side by side on a terminal, with every boundary visible."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from verified_tok.visible import piece_text

_STYLES = (
    "black on bright_cyan",
    "black on bright_yellow",
    "black on bright_green",
    "black on bright_magenta",
)


def tokens_text(pieces: Sequence[bytes], console: Console) -> Text:
    """The tokens one after the other, in turning colours, or apart by bars where there is no colour."""
    if console.color_system is None or console.no_color:
        return Text("│".join(piece_text(piece) for piece in pieces))
    text = Text()
    for i, piece in enumerate(pieces):
        text.append(piece_text(piece), style=_STYLES[i % len(_STYLES)])
    return text
