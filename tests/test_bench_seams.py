"""The measurement of seams: its distances by brute force, and the plain analysis inside the sharper one."""

from __future__ import annotations

import re

from typer.testing import CliRunner

from bench.__main__ import app
from bench.seams import distances, languages, plain_table, sources
from verified_tok.fetch import open_family
from verified_tok.reference.seam_table import YES

TEXT = "The cat's 12,345\n\n  whiskers don't\n move. 世界 é!"


def test_distances_to_the_next_seam() -> None:
    table = open_family("qwen3").seams()
    cut = [table.is_seam(*TEXT[at : at + 2]) for at in range(len(TEXT) - 1)] + [True]
    assert any(cut[:-1])
    assert distances(table, TEXT).tolist() == [cut[at:].index(True) for at in range(len(TEXT))]


def test_the_plain_analysis_finds_fewer_seams() -> None:
    tok = open_family("qwen3")
    plain, sharp = plain_table(tok), tok.seams()
    assert ((plain.stages == YES) <= (sharp.stages == YES)).all()
    assert sharp.is_seam("\n", "a")
    assert not plain.is_seam("\n", "a")
    assert plain.is_seam("a", " ")


def test_there_is_text_of_many_languages_and_programs() -> None:
    assert len(languages()) > 90
    assert all(len(text) > 300 for text in languages().values())
    assert len(sources()) > 100


def test_the_command_prints_a_row_for_each_kind_of_text() -> None:
    result = CliRunner().invoke(app, ["seams", "llama-2", "--worst", "1"], env={"COLUMNS": "150"})
    assert result.exit_code == 0, result.output
    rows = re.findall(r"│ llama-2 +│ (prose|code) +│ ([\d.]+)", result.output)
    assert [kind for kind, _ in rows] == ["prose", "code"]
    assert all(0 < float(mean) < 1000 for _, mean in rows)
