"""How reports are written as text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

_WIDTH = 100


def wrapped(text: str, margin: str) -> list[str]:
    """Lines of text behind a margin, which the first line shows."""
    return textwrap.wrap(
        text, _WIDTH, initial_indent=margin, subsequent_indent=" " * len(margin), break_long_words=False
    )


def shown(items: Sequence[object], count: int = 5) -> str:
    """How many items there are, and the first few of them.

    >>> shown(["a", "b", "c"], 2)
    "3 ('a', 'b', …)"
    """
    first = [*map(repr, items[:count]), *(["…"] if len(items) > count else [])]
    return f"{len(items)} ({', '.join(first)})"
