"""The audit: what went wrong, or would, between messages, text and ids of recorded trajectories.

    report = vt.audit("rollouts.jsonl", tok)
    print(report); report.to_html()

See `trajectory` for what is read and `finding.Kind` for what is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from typing import TYPE_CHECKING

from verified_tok.errors import InvalidOption
from verified_tok.later import later

if TYPE_CHECKING:
    from verified_tok.audit.auditor import AnyTemplate, Auditor
    from verified_tok.audit.finding import Finding, Kind, Place, Row, ShownToken
    from verified_tok.audit.report import Report
    from verified_tok.tokenizer import Tokenizer

__all__ = ["AnyTemplate", "Auditor", "Finding", "Kind", "Place", "Report", "Row", "ShownToken", "audit"]

__getattr__ = later(
    "verified_tok.audit",
    {
        **dict.fromkeys(("AnyTemplate", "Auditor"), "verified_tok.audit.auditor"),
        **dict.fromkeys(("Finding", "Kind", "Place", "Row", "ShownToken"), "verified_tok.audit.finding"),
        "Report": "verified_tok.audit.report",
    },
)


def audit(
    trajectories: str | PathLike[str] | Iterable[object],
    tok: Tokenizer,
    template: AnyTemplate | None = None,
    *,
    keep: int = 100,
    each: Callable[[Finding], None] | None = None,
) -> Report:
    """Check trajectories: the path of a JSON Lines file, or mappings.

    Reads one trajectory at a time and holds no other. `each` gets every finding as it is found; the report
    counts them all and keeps the first `keep` of each kind. What cannot be read is a finding, not an error:
    raised are only OSError, for a file that cannot be opened, `InvalidOption` for what is no file and no
    trajectories, and what `Auditor` raises.

    >>> import verified_tok as vt
    >>> tok = vt.from_tiktoken({bytes([b]): b for b in range(256)} | {b"hi": 256}, r"\\p{L}+|\\P{L}", {})
    >>> print(audit([{"ids": [256, 104, 105]}], tok))
    1 finding (1 drift) in 1 of 1 trajectories, 0 turns, 3 ids
    trajectory 0 ids[1:3] drift: not the canonical encoding of its text: 2 ids become 1
    """
    from verified_tok.audit.auditor import Auditor, trajectories_of

    auditor = Auditor(tok, template, keep)
    if each is not None and not callable(each):
        raise InvalidOption(f"each is called with every finding; {each!r} cannot be")
    for trajectory in trajectories_of(trajectories):
        for finding in auditor.check(trajectory):
            if each is not None:
                each(finding)
    return auditor.report
