"""Two lists of ids side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.table import Table


def first_difference(ours: Sequence[int], theirs: Sequence[int]) -> int | None:
    """The first index at which the lists differ, or None if they are equal."""
    for i, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if a != b:
            return i
    return None if len(ours) == len(theirs) else min(len(ours), len(theirs))


def side_by_side(
    ours: Sequence[int], theirs: Sequence[int], shown: Callable[[int], str], engine: str, rows: int
) -> Table:
    """A table of at most `rows` rows around the first difference, or from the start without one.

    `shown` gives the text of an id.
    """
    at = first_difference(ours, theirs)
    longest = max(len(ours), len(theirs))
    start = max(0, min((at or 0) - rows // 2, longest - rows))
    table = Table("", "", "verified_tok", "", engine, box=None, pad_edge=False, header_style="bold")
    for i in range(start, min(start + rows, longest)):
        differs = i >= len(ours) or i >= len(theirs) or ours[i] != theirs[i]
        table.add_row(
            str(i), *_cells(ours, i, shown), *_cells(theirs, i, shown), style="bold red" if differs else None
        )
    return table


def _cells(ids: Sequence[int], i: int, shown: Callable[[int], str]) -> tuple[str, str]:
    return (str(ids[i]), shown(ids[i])) if i < len(ids) else ("", "")
