"""Lean source text as words: comments, strings and character literals are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_IDENTIFIER = r"(?:«[^»\n]*»|[^\W\dλΠΣ][\w'!?]*)(?:\.(?:«[^»\n]*»|[^\W\dλΠΣ][\w'!?]*|\d+))*"
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
    |(?P<line_comment>--[^\n]*)
    |(?P<block_comment>/-)
    |(?P<raw_string>r(?P<hashes>\#*)")
    |(?P<string>"(?:\\.|[^"\\])*")
    |(?P<character>'(?:\\(?:x[0-9a-fA-F]+|u[0-9a-fA-F]+|.)|[^'\\\n])')
    |(?P<identifier>{_IDENTIFIER})
    |(?P<number>0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|\d[\d_]*)
    |(?P<symbol>@\[|\#[a-z_]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_BLOCK_MARK = re.compile(r"/-|-/")


@dataclass(frozen=True)
class Token:
    """A word of the source with its line (from 1) and column (from 0), as Lean counts them."""

    text: str
    line: int
    column: int


def tokens(source: str) -> Iterator[Token]:
    """The words of `source` in order. An unclosed comment runs to the end (Lean reports it)."""
    line, line_start, at = 1, 0, 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        assert match is not None, "the last alternative matches any character"
        kind, end = match.lastgroup, match.end()
        if kind == "block_comment":
            end = _end_of_block_comment(source, at)
        elif match["raw_string"]:
            close = source.find('"' + match["hashes"], end)
            end = len(source) if close < 0 else close + 1 + len(match["hashes"])
        elif kind in ("identifier", "number", "symbol"):
            yield Token(match.group(), line, at - line_start)
        newlines = source.count("\n", at, end)
        if newlines:
            line, line_start = line + newlines, source.rindex("\n", at, end) + 1
        at = end


def _end_of_block_comment(source: str, start: int) -> int:
    """The index after the `-/` that closes the comment opened at `start`; comments nest."""
    depth = 0
    for mark in _BLOCK_MARK.finditer(source, start):
        depth += 1 if mark.group() == "/-" else -1
        if depth == 0:
            return mark.end()
    return len(source)
