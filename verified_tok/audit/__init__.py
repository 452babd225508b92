"""The audit: what went wrong, or would, between messages, text and ids of recorded trajectories.

    report = vt.audit("rollouts.jsonl", tok)
    print(report); report.to_html()

See `trajectory` for what is read and `finding.Kind` for what is found.
"""

from verified_tok.audit.auditor import AnyTemplate, Auditor, audit
from verified_tok.audit.finding import Finding, Kind, Place, Row, ShownToken
from verified_tok.audit.report import Report

__all__ = ["AnyTemplate", "Auditor", "Finding", "Kind", "Place", "Report", "Row", "ShownToken", "audit"]
