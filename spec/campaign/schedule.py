"""What the whole campaign compares for a family, and what came of it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from spec.campaign import texts
from spec.campaign.contest import Contest, Difference

T = TypeVar("T")

SHOWN = 20
"""How many texts of each kind an outcome shows differences of."""

Step = tuple[str, int, Iterator[Difference]]
"""A kind of text, the size of the text, and the comparison, which runs when it is asked for."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one family: counts by kind of text, and differences in full."""

    family: str
    engines: tuple[str, ...]
    compared: Counter[str] = field(default_factory=Counter)
    size: Counter[str] = field(default_factory=Counter)
    differing: Counter[str] = field(default_factory=Counter)
    shown: list[Difference] = field(default_factory=list)


def run(family: str, share: float, mixtures: int) -> Outcome:
    """The campaign for one family: see `steps`."""
    contest = Contest(family)
    outcome = Outcome(family, tuple(engine.peer.name for engine in contest.engines))
    for kind, size, comparison in steps(contest, share, mixtures):
        differences = list(comparison)
        outcome.compared[kind] += 1
        outcome.size[kind] += size
        if differences:
            outcome.differing[kind] += 1
            if outcome.differing[kind] <= SHOWN:
                outcome.shown.extend(differences)
    return outcome


def steps(contest: Contest, share: float, mixtures: int) -> Iterator[Step]:
    """The comparisons for a family: named texts, a share (up to 1) of all code points, of the vocabulary and
    of the real texts, and so many random texts and lists of ids."""
    tok, rng = contest.ours, random.Random(contest.family)
    ids = texts.token_ids(tok)
    for text in [*texts.NAMED.values(), *texts.around_literals(tok)]:
        yield "named", len(text), _everything(contest, text)
    for text in texts.in_context("".join(_some(rng, share, texts.SCALARS))):
        yield "code points", len(text), contest.cutting(text)
        yield "code points", len(text), contest.ids(text)
    for id in _some(rng, share, ids):
        text = texts.token_text(tok, id)
        yield "vocabulary", len(text), contest.ids(text)
    for text in _some(rng, share, [*texts.translations().values(), *texts.programs().values()]):
        yield "real text", len(text), _everything(contest, text)
    for _ in range(mixtures):
        text = texts.mixture(rng, tok, ids)
        yield "mixtures", len(text), _everything(contest, text)
        some = rng.choices(ids, k=rng.randrange(12))
        yield "ids", len(some), contest.decoding(some)


def _some(rng: random.Random, share: float, items: Sequence[T]) -> list[T]:
    """A share of the items, in their order."""
    places = rng.sample(range(len(items)), round(share * len(items)))
    return [items[place] for place in sorted(places)]


def _everything(contest: Contest, text: str) -> Iterator[Difference]:
    yield from contest.encoding(text)
    yield from contest.cutting(text)
