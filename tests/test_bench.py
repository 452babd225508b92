"""The benchmark: its texts, its judge, every engine's few lines, and that wrong output never counts."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from bench import append, batch, cliffs, decode, encode, jobs, load, oracle, plot, result
from bench.__main__ import app
from bench.engines import ENGINES, OURS, Engine, Ids, NotServed, VerifiedTok, as_ids
from bench.process import ProcessEnded, in_a_fresh_process
from bench.race import Runner, difference, in_turn
from bench.result import Report, Result, fastest
from bench.texts import KINDS, text
from verified_tok.reference import pipeline
from verified_tok.reference.model import encode_piece, encoder
from verified_tok.spec import TokenizerSpec

FAMILY = "olmo"
SERVED = {"toktier": "qwen3", "quicktok-v1": "qwen3", "tiktoken": "gpt2"}
"""A family of the engines that do not have this one."""
PACKAGES = [OURS, "gigatoken"]


@pytest.fixture(scope="module")
def tok() -> VerifiedTok:
    return VerifiedTok(FAMILY)


# --- texts and judge ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_texts_are_long_and_of_their_kind(kind: str) -> None:
    whole = text(kind, 10_000_000)
    assert 9_999_996 < len(whole.encode()) <= 10_000_000
    ascii = sum(char < "\x80" for char in whole[:1_000_000]) / 1_000_000
    low, high = {"cjk": (0.01, 0.2), "mixed": (0.4, 0.9)}.get(kind, (0.98, 1.0))
    assert low < ascii <= high


def by_reference(spec: TokenizerSpec, given: str) -> list[int]:
    model = encoder(spec.model)
    added = {token.id for token in spec.added_tokens}
    return list(pipeline.encode(pipeline.pipeline(spec, added, lambda p: encode_piece(model, p)), given))


@pytest.mark.parametrize("kind", KINDS)
def test_the_judge_agrees_with_the_reference(tok: VerifiedTok, kind: str) -> None:
    given = text(kind, 3_000)
    assert oracle.reference_ids(FAMILY, given).tolist() == by_reference(tok.tok.spec, given)


def test_the_judge_of_steps_is_the_judge_of_each(tok: VerifiedTok) -> None:
    whole = text("agent", 8_000)
    texts = [whole[:size] for size in (5_000, 5_001, 6_500, 7_990)]
    steps = oracle.reference_ids_of_steps(FAMILY, texts)
    for each, ids in zip(texts, steps, strict=True):
        assert ids.tolist() == oracle.reference_ids(FAMILY, each).tolist()


# --- engines -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("package", ENGINES)
def test_each_engine_gives_the_reference_ids(package: str) -> None:
    """Whatever it does is called the right way: one text, many, back again, and growing."""
    family = SERVED.get(package, FAMILY)
    engine = ENGINES[package](family)
    texts = [text("agent", 3_000), "", text("cjk", 3_000)]
    answers = [oracle.reference_ids(family, each) for each in texts]
    assert difference(as_ids(engine.encode(texts[0])), answers[0]) == ""
    ids, lengths = engine.rows(engine.encode_batch(texts, 2))
    assert difference(ids, np.concatenate(answers)) == ""
    assert lengths.tolist() == [len(each) for each in answers]
    done = []
    for call, expected in ((engine.decode, texts[2]), (engine.decode_bytes, texts[2].encode())):
        try:
            assert call(answers[2]) == expected
            done.append(call)
        except NotServed:
            continue
    assert done or package == "splintr-rs"
    growing = engine.grow(texts[0])
    growing.append(texts[2], texts[0] + texts[2])
    assert difference(growing.ids(), oracle.reference_ids(family, texts[0] + texts[2])) == ""


# --- what counts -------------------------------------------------------------------------------------


class Wrong(VerifiedTok):
    """The kit with one id too few."""

    def encode(self, text: str) -> Ids:
        return super().encode(text)[:-1]


class Broken(VerifiedTok):
    """Raises, where others encode."""

    def encode_batch(self, texts: list[str], threads: int) -> object:
        raise RuntimeError("no\nmore")


class Missing(VerifiedTok):
    """Its package is not there."""

    def __init__(self, family: str) -> None:
        raise ModuleNotFoundError("No module named 'missing'")


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> None:
    more: dict[str, type[Engine]] = {"wrong": Wrong, "broken": Broken, "missing": Missing}
    monkeypatch.setattr("bench.race.ENGINES", {**ENGINES, **more})


@pytest.mark.usefixtures("others")
def test_wrong_output_never_counts() -> None:
    found = encode.cold(FAMILY, "agent", 3_000, 1, ["wrong", *PACKAGES], 1)
    assert [bool(each.samples) for each in found] == [False, True, True]
    expected = oracle.reference_ids(FAMILY, text("agent", 3_000))
    assert found[0].failed == f"other ids, from token {len(expected) - 1} on"
    best = fastest(found)
    assert best is not None
    assert best.engine in PACKAGES


@pytest.mark.usefixtures("others")
def test_what_an_engine_raises_is_its_result() -> None:
    found = batch.cold(FAMILY, "english", "short strings", 1, ["broken", "missing", "splintr-rs"], 0)
    assert [each.failed for each in found] == ["RuntimeError: no", "not installed", ""]


def test_an_engine_that_does_not_have_a_family_says_so() -> None:
    runner = Runner("quicktok-v1", "deepseek-v3")
    runner.open()
    assert runner.failed == "it has no such vocabulary"


def test_difference_names_the_first_other_token() -> None:
    ids = np.array([1, 2, 3], np.uint32)
    assert difference(ids, ids.copy()) == ""
    assert difference(ids, np.array([1, 5, 3], np.uint32)) == "other ids, from token 1 on"
    assert difference(ids[:2], ids) == "other ids, from token 2 on"


# --- measurements ------------------------------------------------------------------------------------


def test_encoding_cold_warm_and_unseen() -> None:
    found = encode.warm(FAMILY, "code", 10_000, 1, PACKAGES, 2)
    assert [(each.case, len(each.samples)) for each in found] == [
        *[("warm, 10 KB", 2)] * 2,
        *[("unseen, 10 KB", 3)] * 2,
    ]
    assert all(each.middle > 0.01 for each in found)


def test_decoding() -> None:
    found = decode.decode(FAMILY, "mixed", 10_000, [*PACKAGES, "fastokens"], 2)
    assert {each.case for each in found if each.engine in PACKAGES and each.samples} == {
        "to a string",
        "to bytes",
    }
    assert [each.failed for each in found if each.engine == "fastokens"] == ["", "it gives no bytes"]


def test_appending() -> None:
    found = append.append(FAMILY, 2_000, 500, PACKAGES, 2)
    assert [len(each.samples) for each in found] == [2 * append.APPENDS] * 2
    assert {each.unit for each in found} == {"ms"}


def test_opening() -> None:
    found = load.load(FAMILY, [OURS, "none"], 1)
    ours = {each.case: each.middle for each in found if each.engine == OURS}
    assert 0 < ours["opening the file"] < 60_000
    assert 5 < ours["memory when open"] < 2_000
    assert ours["opening the file, opened before"] < ours["opening the file"]
    assert all(each.failed for each in found if each.engine == "none")


@pytest.mark.parametrize("name", cliffs.CLIFFS)
def test_every_cliff_is_a_text_of_its_size(name: str) -> None:
    given = cliffs.CLIFFS[name](FAMILY, 6_000)
    assert 4_500 < len(given.encode()) < 7_000
    assert cliffs.CLIFFS[name](FAMILY, 6_000) == given


# --- processes, reports ------------------------------------------------------------------------------


def test_a_measurement_has_a_process_and_cores_of_its_own() -> None:
    cores = in_a_fresh_process(1, os.sched_getaffinity, 0)
    assert len(cores) == 1
    assert in_a_fresh_process(1, os.getenv, "RAYON_NUM_THREADS") == "1"
    assert os.getenv("RAYON_NUM_THREADS") is None
    with pytest.raises(ProcessEnded):
        in_a_fresh_process(1, os._exit, 3)


def row(engine: str, *samples: float, unit: str = "MB/s", failed: str = "") -> Result:
    return Result("encode", FAMILY, "cold, 1 MB", "cjk", engine, unit, samples, failed)


def test_medians_spreads_and_ratios() -> None:
    one, two = row("a", 10, 30, 20, 40, 1), row("b", 40)
    assert (one.middle, one.spread) == (20, 0.5)
    assert fastest([one, two, row("c", failed="other ids")]) == two
    assert one.ratio_to(two) == 2
    times = row("a", 10, unit="ms"), row("b", 40, unit="ms")
    assert fastest(times) == times[0]
    assert times[1].ratio_to(times[0]) == 4


def test_rounds_of_one_case_are_added_up_and_one_failure_is_enough() -> None:
    report = Report()
    report.add([row("a", 1), row("b", 1)])
    report.add([row("a", 3), row("b", failed="other ids")])
    assert [replace(each, samples=tuple(each.samples)) for each in report.results] == [
        row("a", 1, 3),
        row("b", failed="other ids"),
    ]


def test_the_slow_and_the_failed_are_not_measured_again() -> None:
    assert jobs.hopeless([row("a", 10), row("b", 1), row("c", 9), row("d", failed="no")]) == {"b", "d"}


def test_an_engine_is_slow_when_it_was_slow_twice() -> None:
    field = [Runner(name, FAMILY) for name in ("fast", "slow", "slow once")]
    seconds = {"fast": [1.0] * 4, "slow": [9.0] * 4, "slow once": [9.0, 1.0, 1.0, 1.0]}
    for number, each in in_turn(field, 4):
        each.samples.append(seconds[each.package][number])
    assert [len(each.samples) for each in field] == [4, 2, 4]


def test_the_command_writes_its_results_and_the_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result, "FOLDER", tmp_path)
    monkeypatch.setattr(plot, "FOLDER", tmp_path)
    options = ["--family", FAMILY, "--text", "cjk", "--size", "1000000", "--rounds", "1"]
    engines = [word for package in PACKAGES for word in ("--engine", package)]
    ended = CliRunner().invoke(app, ["encode", *options, *engines], env={"COLUMNS": "150"})
    assert ended.exit_code == 0, ended.output
    assert re.search(rf"cold, 1 MB.*│ {OURS} +│ [\d.]+", ended.output, re.DOTALL)
    written = json.loads((tmp_path / "encode.json").read_text())
    assert written["machine"]["cores"] == len(os.sched_getaffinity(0))
    assert {each["case"] for each in written["results"]} == {"cold, 1 MB", "warm, 1 MB", "unseen, 1 MB"}
    assert "gigatoken" in (tmp_path / f"encode-{FAMILY}.svg").read_text()
