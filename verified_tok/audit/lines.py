"""JSON Lines, one at a time. A line that cannot be read is a value too, and reading goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is not blank: its number from 1, and its value, or why it has none."""

    number: int
    value: object = None
    problem: str | None = None


def read_lines(lines: Iterable[bytes]) -> Iterator[Line]:
    """The JSON values of lines, which are never held together."""
    for number, line in enumerate(lines, 1):
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line.strip():
            continue
        try:
            yield Line(number, json.loads(line.decode()))
        except UnicodeDecodeError as error:
            yield Line(number, None, f"the line is not UTF-8: {error.reason} at byte {error.start}")
        except json.JSONDecodeError as error:
            yield Line(number, None, f"the line is not JSON: {error.msg} at character {error.pos}")
        except (RecursionError, ValueError) as error:  # nested too deep; a number of thousands of digits
            yield Line(number, None, f"the line cannot be read: {error}")
