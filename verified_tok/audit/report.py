"""The result of an audit: counts of everything, and some findings of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from verified_tok.audit.finding import Finding, Kind


@dataclass(slots=True)
class Report:
    """What an audit found.

    `counts` has every finding; `kept` holds the first `keep` findings of each kind, so that a report of a
    large file stays small. `affected` counts the trajectories that have a finding.
    """

    tokenizer: str
    template: str
    keep: int
    trajectories: int = 0
    turns: int = 0
    tokens: int = 0
    affected: int = 0
    counts: Counter[Kind] = field(default_factory=Counter)
    kept: dict[Kind, list[Finding]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether nothing was found."""
        return not self.counts

    def add(self, finding: Finding) -> None:
        """Count a finding, and keep it if there is room."""
        self.counts[finding.kind] += 1
        kept = self.kept.setdefault(finding.kind, [])
        if len(kept) < self.keep:
            kept.append(finding)

    def findings(self) -> Iterator[Finding]:
        """The findings that were kept, kind by kind."""
        for kind in Kind:
            yield from self.kept.get(kind, ())

    @property
    def total(self) -> int:
        """How many findings there were."""
        return sum(self.counts.values())

    def summary(self) -> dict[str, object]:
        """The counts as JSON values."""
        return {
            "tokenizer": self.tokenizer,
            "template": self.template,
            "trajectories": self.trajectories,
            "turns": self.turns,
            "tokens": self.tokens,
            "affected": self.affected,
            "counts": {kind.value: self.counts[kind] for kind in Kind},
        }

    def to_json(self) -> dict[str, object]:
        """The counts and the kept findings as JSON values."""
        return self.summary() | {"findings": [finding.to_json() for finding in self.findings()]}

    def to_html(self) -> str:
        """One page that needs no other file."""
        from verified_tok.audit.page import page

        return page(self)

    def __str__(self) -> str:
        looked = f"{self.trajectories:,} trajectories, {self.turns:,} turns, {self.tokens:,} ids"
        if not self.counts:
            return f"nothing found in {looked}"
        counts = ", ".join(f"{self.counts[kind]:,} {kind.value}" for kind in Kind if self.counts[kind])
        findings = "1 finding" if self.total == 1 else f"{self.total:,} findings"
        lines = [f"{findings} ({counts}) in {self.affected:,} of {looked}"]
        for finding in self.findings():
            lines.append(f"{finding.where()} {finding.kind.value}: {finding.message}")
        return "\n".join(lines)
