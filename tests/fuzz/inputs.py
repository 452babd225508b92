"""Random tokenizers, texts and ids that the core could stumble over."""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Callable, Sequence

import tiny
from hostile import ATOMS

import verified_tok as vt
from spec.campaign import texts
from verified_tok.reference.byte_level import CHAR_OF_BYTE

FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
SPLITS = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    r"\s?\p{L}+|\p{N}",
    r"\p{Lu}?\p{Ll}+|\s+$|[^\s]",
    r"[^a-e](?=b)|a*+b|.",
)
MARKS = [char for char in texts.SCALARS if unicodedata.combining(char)]
"""Characters that normalization puts in order."""

BEHAVIOURS = ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")


def small_tokenizer(rng: random.Random) -> vt.Tokenizer:
    """A tokenizer file made at random: a vocabulary that merges in any order, flagged added tokens."""
    while True:
        try:
            return vt.load(json.dumps(_document(rng)).encode())
        except vt.errors.VerifiedTokError:  # what is refused is no subject
            continue


def _document(rng: random.Random) -> tiny.Document:
    byte_level = rng.random() < 0.6
    document = tiny.byte_level() if byte_level else tiny.sentencepiece()
    vocab, merges = dict(document["model"]["vocab"]), []
    tokens = list(rng.sample(sorted(CHAR_OF_BYTE), 12) if byte_level else "▁abcdeéhinorstxy")
    if byte_level:
        tokens = [CHAR_OF_BYTE[byte] for byte in rng.sample(range(256), 8)] + list("abĠÃ©the12")
    for _ in range(rng.randrange(60)):
        left, right = rng.choice(tokens), rng.choice(tokens)
        if len(left + right) < 12 and [left, right] not in merges:
            merges.append([left, right])
            tokens.append(left + right)
            vocab.setdefault(left + right, len(vocab))
    rng.shuffle(merges)
    first = max(vocab.values()) + 1
    contents = {
        "".join(rng.choices(["<", "|", ">", "a", "t", " ", "é", "e\u0301"], k=rng.randrange(1, 5)))
        for _ in range(rng.randrange(5))
    }
    added = [
        tiny.added(first + n, text, **{flag: rng.random() < 0.3 for flag in FLAGS})
        for n, text in enumerate(sorted(contents))
    ]
    fields: tiny.Document = {
        "added_tokens": [t for t in document["added_tokens"] if t["id"] < first] + added,
        "post_processor": None,
        "model": {"vocab": vocab, "merges": merges, "ignore_merges": rng.random() < 0.3},
    }
    if rng.random() < 0.7:
        pattern = {"Regex": rng.choice(SPLITS)}
        split = {
            "type": "Split",
            "pattern": pattern,
            "behavior": rng.choice(BEHAVIOURS),
            "invert": rng.random() < 0.3,
        }
        stages = [split, *([{**tiny.BYTE_LEVEL, "use_regex": False}] if byte_level else [])]
        fields["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": stages}
    if rng.random() < 0.5 and byte_level:
        fields["normalizer"] = rng.choice([None, {"type": "NFC"}, {"type": "NFKC"}])
    return tiny.byte_level(**fields) if byte_level else tiny.sentencepiece(**fields)


def text(rng: random.Random, tok: vt.Tokenizer, ids: Sequence[int]) -> str:
    """One text: short and hostile, torn from real text, or a long run."""
    kind: Callable[[random.Random, vt.Tokenizer, Sequence[int]], str] = rng.choices(
        [_few, _atoms, _mixture, _torn, _run, _any], weights=[9, 4, 4, 4, 2, 1]
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


def _any(rng: random.Random, tok: vt.Tokenizer, _: Sequence[int]) -> str:
    return "".join(rng.choices(texts.SCALARS, k=rng.randrange(30)))


def some_ids(rng: random.Random, ids: Sequence[int]) -> list[int]:
    """Ids of any tokens: single bytes and parts of characters are among them."""
    return rng.choices(ids, k=rng.choice([0, 1, 2, 5, 40]))
