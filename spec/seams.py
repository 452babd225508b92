"""Which seams the patterns of real tokenizers have, and what each rests on, as a table for `proofs.md`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from verified_tok.fetch import open_family
from verified_tok.reference.seam_table import VOCABULARY, YES, SeamTable
from verified_tok.spec import Prepend, UnicodeForm

FAMILIES = (
    *("gpt2", "cl100k", "o200k", "gpt-oss", "claude", "gpt-neox", "olmo", "llama-3.1", "qwen2.5", "qwen3"),
    *("qwen3.5", "deepseek-coder", "deepseek-v3", "glm-4", "minimax", "gemma-3", "llama-2"),
    "mistral-7b-v0.1",
)
KINDS = {
    "letter": "aZж",
    "中": "中文",
    "digit": "17",
    "space": " ",
    "newline": "\n",
    "sign": ".(",
}
PAIRS = (
    ("letter", "space"),
    ("letter", "digit"),
    ("letter", "sign"),
    ("letter", "newline"),
    ("letter", "中"),
    ("中", "中"),
    ("digit", "letter"),
    ("digit", "digit"),
    ("digit", "space"),
    ("space", "letter"),
    ("sign", "space"),
    ("sign", "letter"),
    ("newline", "letter"),
    ("newline", "newline"),
)


class Facts(NamedTuple):
    """What a family's table says of the pairs, and what that rests on."""

    marks: tuple[str, ...]
    """`✓` if every pair of such characters is a seam, `some`, or nothing."""
    rests_on: str


def facts(family: str) -> Facts:
    """A family's facts."""
    table = open_family(family).seams()
    return Facts(tuple(_mark(table, *pair) for pair in PAIRS), ", ".join(_rests_on(table)))


def row(names: Iterable[str], known: Facts) -> str:
    """The row of families that have the same facts."""
    return f"| {', '.join(names)} | {' | '.join(known.marks)} | {known.rests_on} |"


def table() -> str:
    """The whole table; families of which everything is the same share a row."""
    alike: dict[Facts, list[str]] = {}
    for family in FAMILIES:
        alike.setdefault(facts(family), []).append(family)
    names = (" ".join(pair) for pair in PAIRS)
    head = [f"| tokenizers | {' | '.join(names)} | rests on |", "| --- " * (len(PAIRS) + 2) + "|"]
    return "\n".join([*head, *(row(families, known) for known, families in alike.items())]) + "\n"


def _mark(table: SeamTable, left: str, right: str) -> str:
    seams = {table.is_seam(x, y) for x, y in product(KINDS[left], KINDS[right])}
    if len(seams) == 2:
        return "some"
    return "✓" if True in seams else ""


def _rests_on(table: SeamTable) -> Iterable[str]:
    """What the seams of a tokenizer rest on beside the theorems."""
    if (table.stages == VOCABULARY).any():
        yield "merges"
    if (table.stages == YES).any():
        yield "patterns"
    for stage in table.normalizers:
        if isinstance(stage, UnicodeForm):
            yield stage.form
        if isinstance(stage, Prepend):
            yield "prepended text"
