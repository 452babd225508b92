"""Looking for places where a session's table calls something a seam that is none."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from hostile import ATOMS

import verified_tok as vt
from verified_tok.encoder_reference import ReferenceEncoder
from verified_tok.engine_reference import ReferenceEngine
from verified_tok.reference.seam_table import seam_table
from verified_tok.session import Identity


def reference_engine(tok: vt.Tokenizer) -> ReferenceEngine:
    """A tokenizer's reference pipeline as an engine of sessions, with a seam table of its own."""
    pipeline = tok._pipeline(tok._all_added)
    table = seam_table(tok.spec, pipeline, frozenset())
    return ReferenceEngine(Identity(tok.spec.sha256, tok._all_added), ReferenceEncoder(pipeline), table)


def atoms_of(tok: vt.Tokenizer, rng: random.Random, literals: int = 12) -> list[str]:
    """Hostile atoms, and some of the tokenizer's own literals, whole and broken."""
    contents = [token.content for token in tok.spec.added_tokens]
    chosen = rng.sample(contents, min(len(contents), literals))
    broken = [part for c in chosen for part in (c[: len(c) // 2 + 1], c[len(c) // 2 :], c[1:], c[:-1])]
    return [*ATOMS, *chosen, *broken]


def violations(
    engine: ReferenceEngine,
    pairs: Iterable[tuple[str, str]],
    atoms: Sequence[str],
    rng: random.Random,
    tries: int,
) -> list[tuple[str, str]]:
    """Texts cut between two characters of `pairs` that are not encoded as their two parts are."""
    found = []
    for x, y in pairs:
        for _ in range(tries):
            front = "".join(rng.choices(atoms, k=rng.randint(0, 4))) + x
            back = y + "".join(rng.choices(atoms, k=rng.randint(0, 4)))
            whole = engine.encode_part(front + back, inside=False).ids.tolist()
            left = engine.encode_part(front, inside=False).ids.tolist()
            right = engine.encode_part(back, inside=True).ids.tolist()
            if whole != left + right:
                found.append((front, back))
    return found


def seam_pairs(engine: ReferenceEngine, characters: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs of these characters that the engine calls seams."""
    chars = list(dict.fromkeys(characters))
    return [(x, y) for x in chars for y in chars if engine.is_seam(x, y)]
