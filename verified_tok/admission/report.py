"""The admission report as data, and as text to read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from verified_tok import tables
from verified_tok.admission.layout import wrapped
from verified_tok.admission.seams import SeamReport


@dataclass(frozen=True, slots=True)
class TableUse:
    """A table of what an engine does, probed out of it: its file, the engine and the file's SHA-256."""

    name: str
    engine: str
    sha256: str

    @classmethod
    def of(cls, name: str) -> TableUse:
        """The table with this file name."""
        table = tables.read(name)
        return cls(name, table.engine, table.sha256)

    def __str__(self) -> str:
        return f"{self.name}, probed from {self.engine}, SHA-256 {self.sha256[:12]}…"


@dataclass(frozen=True, slots=True)
class Check:
    """An assumption of the theorems about rank tables, checked on this one.

    `assumption` is its Lean name, `failure` says where it fails first (None: it holds).
    """

    assumption: str
    meaning: str
    failure: str | None

    def __str__(self) -> str:
        if self.failure is None:
            return f"{self.assumption}: {self.meaning}"
        return f"{self.assumption} FAILS ({self.meaning}): {self.failure}"


@dataclass(frozen=True, slots=True)
class StageReport:
    """One stage of a tokenizer.

    `does` lists what the kit does; `why` why that is what the tokenizer means; `tables` and `theorems`
    (Lean names) are what this rests on; `checks` are the theorems' assumptions; `facts` are what was found
    about this tokenizer in particular.
    """

    stage: str
    does: tuple[str, ...]
    why: str
    tables: tuple[TableUse, ...] = ()
    theorems: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    facts: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """The report as text."""
        yield self.stage
        entries = [("does", line) for line in self.does] + [("why", self.why)]
        entries += [("table", str(table)) for table in self.tables]
        entries += [("proved", ", ".join(self.theorems))] if self.theorems else []
        entries += [("checked", str(check)) for check in self.checks]
        entries += [("note", fact) for fact in self.facts]
        for label, group in groupby(entries, key=lambda entry: entry[0]):
            margin = f"  {label:<8}"
            for _, text in group:
                # What a stage does may hold a regular expression, whose spaces count.
                yield from [margin + text] if label == "does" else wrapped(text, margin)
                margin = " " * len(margin)


@dataclass(frozen=True, slots=True)
class Admission:
    """What the kit does with a tokenizer, stage by stage, and why, and where its texts may be cut.

    `print` it, or take `to_json`.
    """

    sha256: str
    source: str
    stages: tuple[StageReport, ...]
    seams: SeamReport

    @property
    def failures(self) -> tuple[Check, ...]:
        """The assumptions of theorems that this tokenizer breaks; encoding is exact all the same."""
        return tuple(check for stage in self.stages for check in stage.checks if check.failure is not None)

    def to_json(self) -> dict[str, Any]:
        """The report as values that `json.dumps` takes."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [f"{self.source}, SHA-256 {self.sha256}"]
        for stage in self.stages:
            lines += ["", *stage.lines()]
        lines += ["", *self.seams.lines()]
        return "\n".join(lines)
