"""What the GPU's threads do, counted: by hand, and on text whose work is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.gpu_work import CYCLES, FAR, NEAR, Counted, Work, texts


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Counted:
    return Counted(tmp_path_factory.mktemp("counted"))


def column(work: Work, name: str) -> list[int]:
    calls: list[int] = work.calls[:, [*CYCLES].index(name)].tolist()
    return calls


def test_words_that_are_entries_cost_a_move_a_character_and_a_look_up_each(counted: Counted) -> None:
    text = " the" * 32
    work = counted.work("gpt2", text, block=len(text))
    assert column(work, "short_entry") == [32]
    assert column(work, "rank_of") == column(work, "birth_of") == [0]
    moves = column(work, "class_at")[0]
    assert len(text) <= moves <= len(text) + 2 * 32
    assert work.cycles.tolist() == [moves * NEAR + 32 * FAR]


def test_every_part_is_a_thread(counted: Counted) -> None:
    work = counted.work("gpt2", " the" * 64, block=4)
    assert column(work, "short_entry") == [1] * 64
    assert work.warp_cycles == sum(work.cycles.reshape(-1, 32).max(axis=1))
    assert work.left == 0


def test_a_warp_waits_for_its_slowest_thread() -> None:
    calls = np.zeros((33, len(CYCLES)), np.uint32)
    calls[5, [*CYCLES].index("rank_of")] = 7
    calls[32, [*CYCLES].index("rank_of")] = 1
    assert Work(100, calls, 0).warp_cycles == 8 * CYCLES["rank_of"]


def test_a_line_of_asterisks_is_not_searched_for_long(counted: Counted) -> None:
    """Trying tokens in every order, it took hundreds of look-ups for each character."""
    for family in ("qwen3", "gpt-oss"):
        work = counted.work(family, "//" + "*" * 79 + "\n")
        assert work.left == 0
        assert work.cycles.max() < 200_000


def test_there_are_seven_kinds_of_text() -> None:
    sizes = {name: len(text.encode()) for name, text in texts(50_000)}
    assert len(sizes) == 7
    assert all(40_000 < size < 60_000 for size in sizes.values())


def test_ordinary_text_is_left_to_no_cpu(counted: Counted) -> None:
    text = Path(__file__).read_text("utf-8")
    assert counted.work("qwen3", text).left == 0
