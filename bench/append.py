"""Appending to a long session on one core: what one more turn of a conversation costs.

The protocol is that of Tables 2 and 5 of the TokTier paper (arXiv:2607.29678): sessions of a real
transcript, several appends to each in order, one timed call each; before them every session has had one
append that is not timed. Engines without sessions encode the whole text again, and have seen all of it but
what is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bench.engines import Growing, Ids
from bench.oracle import reference_ids_of_steps
from bench.race import Runner, Timed, difference, in_turn, runners
from bench.result import Result
from bench.texts import text

MEASUREMENT = "append"
APPENDS = 6
_APART = 1_250_000


def append(family: str, context: int, part: int, packages: Sequence[str], sessions: int) -> list[Result]:
    """Each engine, appending `part` characters to `sessions` sessions of about `context` characters."""
    log = text("agent", 10_000_000)
    field = runners(family, packages)
    for each in field:
        each.open()
    for session in range(sessions):
        begins = session * _APART
        longest = (log[begins:] + log[:begins])[: context + (APPENDS + 1) * part]
        texts = [longest[: context + step * part] for step in range(APPENDS + 2)]
        answers = reference_ids_of_steps(family, texts[2:])
        for _, each in in_turn([each for each in field if _is_quick(each)], 1):
            _grow(each, texts, answers)
    case = f"{context:,} characters, {part:,} more"
    return [each.result(MEASUREMENT, case, "agent", "ms", 1e3) for each in field]


def _is_quick(runner: Runner) -> bool:
    """Not one that takes a second for an append, of which one session is enough."""
    return max(runner.samples, default=0.0) < 1.0


def _grow(runner: Runner, texts: Sequence[str], answers: Sequence[Ids]) -> None:
    """One session: the first text, an append, and the appends that are timed."""
    assert runner.engine is not None
    growing = runner.engine.grow(texts[0])
    for (before, after), answer in zip(pairwise(texts), [None, *answers], strict=True):
        if answer is None:
            growing.append(after[len(before) :], after)
        elif _is_quick(runner):
            runner.run(1, *_appending(growing, after[len(before) :], after, answer))


def _appending(growing: Growing, part: str, whole: str, answer: Ids) -> Timed:
    return lambda _: growing.append(part, whole), lambda _, __: difference(growing.ids(), answer)
