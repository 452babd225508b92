"""Random texts and ids that the core could stumble over."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Sequence

from hostile import ATOMS

import verified_tok as vt
from spec.campaign import texts

MARKS = [char for char in texts.SCALARS if unicodedata.combining(char)]
"""Characters that normalization puts in order."""


def text(rng: random.Random, tok: vt.Tokenizer, ids: Sequence[int]) -> str:
    """One text: short and hostile, torn from real text, or a long run."""
    kind: Callable[[random.Random, vt.Tokenizer, Sequence[int]], str] = rng.choices(
        [_few, _atoms, _mixture, _torn, _run, _sized, _any], weights=[9, 4, 4, 4, 2, 3, 1]
    )[0]
    return kind(rng, tok, ids)


def _few(rng: random.Random, tok: vt.Tokenizer, _: Sequence[int]) -> str:
    """Few different ones, so that they meet in every way: hostile ones, or some that this tokenizer's own
    patterns tell apart."""
    own = tok.seams().representatives
    pool = rng.choice([ATOMS, own])
    chosen = rng.sample(pool, min(len(pool), rng.randrange(2, 7))) + rng.sample(MARKS, rng.choice([0, 0, 3]))
    return "".join(rng.choices(chosen, k=rng.randrange(2, 30)))


def _atoms(rng: random.Random, tok: vt.Tokenizer, _: Sequence[int]) -> str:
    literals = [token.content for token in tok.spec.added_tokens][:50]
    return "".join(rng.choices([*ATOMS, *literals], k=rng.randrange(40)))


def _mixture(rng: random.Random, tok: vt.Tokenizer, ids: Sequence[int]) -> str:
    return texts.mixture(rng, tok, list(ids))


def _torn(rng: random.Random, tok: vt.Tokenizer, _: Sequence[int]) -> str:
    source = rng.choice([*texts.NAMED.values(), *texts.programs().values(), *texts.translations().values()])
    if not source:
        return ""
    start = rng.randrange(len(source))
    taken = list(source[start : start + rng.choice([10, 100, 1000, 3000])])
    for _ in range(rng.randrange(4)):
        taken.insert(rng.randrange(len(taken) + 1), rng.choice(ATOMS))
    return "".join(taken)


def _run(rng: random.Random, tok: vt.Tokenizer, _: Sequence[int]) -> str:
    sizes = [15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 4097]
    return "".join(
        rng.choice(ATOMS) * rng.choice([1, 1, 2, rng.choice(sizes)]) for _ in range(rng.randrange(1, 5))
    )


def _sized(rng: random.Random, _tok: vt.Tokenizer, _: Sequence[int]) -> str:
    """Words of sizes that the core treats apart: they fill a word, a key, a block, or what is remembered."""
    letters = rng.choice(["ab", "the", "éab", "中国", "a中", "0123456789", "=-", "abcdefghijklmnop"])
    sizes = rng.sample([1, 3, 7, 8, 9, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 254, 255, 256, 257, 511], 4)
    between = rng.choice(["", " ", "\n", "  ", "<", "é", "1"])
    words = (rng.choices(letters, k=rng.choice(sizes)) for _ in range(rng.randrange(1, 9)))
    return between.join("".join(word).encode()[: rng.choice(sizes)].decode(errors="ignore") for word in words)


def _any(rng: random.Random, tok: vt.Tokenizer, _: Sequence[int]) -> str:
    return "".join(rng.choices(texts.SCALARS, k=rng.randrange(30)))


def some_ids(rng: random.Random, ids: Sequence[int]) -> list[int]:
    """Ids of any tokens: single bytes and parts of characters are among them."""
    return rng.choices(ids, k=rng.choice([0, 1, 2, 5, 40]))
