"""Bytes as a person sees them: on one line, with nothing invisible."""

from __future__ import annotations

import unicodedata

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
