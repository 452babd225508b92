"""The campaign itself: it covers every family, and sees what is wrong."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from spec.campaign import schedule, texts
from spec.campaign.__main__ import app, report
from spec.campaign.contest import ROSTER, Contest
from spec.campaign.engines import HuggingFaceClaims, TiktokenClaims
from verified_tok.fetch import open_family


@pytest.fixture(scope="module")
def gpt2() -> Contest:
    return Contest("gpt2")


def test_every_family_is_in_one_module_of_differential_tests() -> None:
    names = [path.stem for path in Path(__file__).parent.glob("test_differential_*.py")]
    marks = [importlib.import_module(name).pytestmark for name in names]
    assert Counter(family for mark in marks for family in mark.args[1]) == Counter(ROSTER)


def test_both_engines_take_part() -> None:
    for family in ("gpt2", "dolma2"):
        assert {type(engine) for engine in Contest(family).engines} == {HuggingFaceClaims, TiktokenClaims}


@pytest.mark.parametrize("where", ["ids", "encoding", "cutting"])
def test_a_wrong_tokenizer_is_seen(where: str, gpt2: Contest) -> None:
    """Codex's tokenizer is GPT-2's but for runs of spaces; GPT-3.5's has another pattern."""
    wrong = Contest("gpt2")
    wrong.ours = open_family("cl100k" if where == "cutting" else "p50k")
    differences = list(getattr(wrong, where)("a    12345"))
    assert {difference.judge for difference in differences} >= {engine.peer.name for engine in wrong.engines}
    assert "gpt2: " in str(differences[0])
    assert not list(getattr(gpt2, where)("a    12345"))


def test_wrong_text_is_seen() -> None:
    wrong = Contest("gpt2")
    wrong.ours = open_family("cl100k")
    for engine in wrong.engines:
        engine._tok = wrong.ours  # type: ignore[attr-defined]
    assert len(list(wrong.decoding([262, 995]))) == 4  # bytes and text; text with and without special tokens


@given(st.text(" a1!é", max_size=8), st.data())
def test_the_pieces_of_tiktoken_are_told_from_all_others(
    gpt2: Contest, text: str, data: st.DataObject
) -> None:
    [tiktoken] = [engine for engine in gpt2.engines if isinstance(engine, TiktokenClaims)]
    right = [text[start:stop] for _, (start, stop) in gpt2.ours.pre_tokenize(text)]
    assert tiktoken.cut(text, right) == right
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(text) - 1)))))
    pieces = [text[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    other = [piece for piece in pieces if piece]
    assert (tiktoken.cut(text, other) == other) == (other == right)


def test_the_engine_misreads_some_literals() -> None:
    """Added tokens that are left out of the comparison of decoded text: there the engine loses the text."""
    contest = Contest("deepseek-llm")
    [engine] = contest.engines
    assert isinstance(engine, HuggingFaceClaims)
    literals = {token.id: token.content for token in contest.ours.spec.added_tokens}
    assert "ü" in [literals[id] for id in engine.misread]
    for id in engine.misread:
        assert engine._engine.encode(literals[id], add_special_tokens=False).ids == [id]
        assert engine._engine.decode([id]) != literals[id]
        assert contest.ours.decode([id]) == literals[id]


def test_the_schedule(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Every kind of text is compared; what differs is counted, shown and reported."""
    monkeypatch.setattr(texts, "SCALARS", texts.SCALARS[:1_000])
    monkeypatch.setattr(texts, "NAMED", {"a run": "x    x"})
    monkeypatch.setattr(texts, "translations", lambda: {"en": 'msgid "A  b"\n'})
    monkeypatch.setattr(texts, "programs", lambda: {"one.py": "import this\n"})
    monkeypatch.setattr(texts, "token_ids", lambda tok: [*range(300)])
    good = schedule.run("gpt2", share=1, mixtures=5)
    kinds = {"named", "code points", "vocabulary", "real text", "mixtures", "ids"}
    assert set(good.compared) == kinds
    assert good.compared["vocabulary"] == 300
    assert good.compared["mixtures"] == good.compared["ids"] == 5
    assert good.differing == Counter()
    assert report([good]) == 0
    assert "tokenizers" in capsys.readouterr().out

    monkeypatch.setattr("spec.campaign.contest.open_family", lambda name: open_family("p50k"))
    bad = schedule.run("gpt2", share=0.5, mixtures=0)
    assert bad.differing["named"] > 0
    assert bad.compared["vocabulary"] == 150
    assert bad.differing["vocabulary"] == 0  # the tables are the same up to there
    assert "x    x" in "".join(map(str, bad.shown))
    assert report([good, bad]) == 1


def test_the_command_knows_its_families() -> None:
    result = CliRunner().invoke(app, ["gpt-2"])
    assert result.exit_code == 2
    assert "gpt-2: not among gpt2" in " ".join(result.output.replace("│", "").split())
