"""Very long tokens in the vocabularies of real tokenizers: the ids are the reference engine's, and tables are
built in time that does not grow as the square of the length (`_core/model_build.cpp`)."""

from __future__ import annotations

import base64
import json
import random
from collections import Counter

import pytest
import tiktoken
from tokenizers import Tokenizer

import verified_tok as vt
from verified_tok._core import native
from verified_tok.families import FAMILIES, RankFile
from verified_tok.fetch import fetch

pytestmark = pytest.mark.skipif(native is None, reason="the native core is not built")

LONG = 40_000
SHORT, NEXT = "z", "q"


def steps() -> list[tuple[str, str]]:
    """Merges that make ever longer words, up to one that is long. In a word they apply one after the other,
    each at all places where its two tokens are left."""
    pairs, before, last = [], SHORT, NEXT
    while len(last) < LONG:
        pairs.append((last, before))
        before, last = last, last + before
    return pairs


def with_tokens(file: str, whole: str, merged: list[tuple[str, str]]) -> bytes:
    """A `tokenizer.json` with other tokens in the place of some that its last merges make: one that no merge
    makes, and those that are made first of all by these merges."""
    document = json.loads(file)
    model = document["model"]
    vocab, merges = model["vocab"], model["merges"]
    pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in merges]
    parts, made = {part for pair in pairs for part in pair}, Counter(map("".join, pairs))
    spare = [k for k, pair in enumerate(pairs) if "".join(pair) not in parts and made["".join(pair)] == 1]
    for token in [whole, *map("".join, merged)]:
        if token not in vocab:
            k = spare.pop()
            del merges[k]
            vocab[token] = vocab.pop("".join(pairs[k]))
    as_text = isinstance(merges[0], str)
    first = [" ".join(pair) if as_text else list(pair) for pair in merged]
    model["merges"] = [*first, *(merge for merge in merges if merge not in first)]
    return json.dumps(document).encode()


def texts(made: str, whole: str) -> list[str]:
    """What is one token, and what is nearly one."""
    nearly = [
        text for token in (made, whole) for text in (token[1:], token[:-1], f" {token} ", token + token)
    ]
    return [made, whole, *nearly, NEXT * LONG]


@pytest.mark.parametrize("family", ["qwen3", "llama-3.1", "llama-2"])
def test_tokens_of_tens_of_thousands_of_letters(family: str) -> None:
    """One that merges make; one that nothing makes, but for Llama 3.1, where it is a whole piece."""
    whole = "".join(random.Random(family).choices("etaoinshrdlu", k=LONG))
    file = with_tokens(fetch(family).read_text("utf-8"), whole, steps())
    ours, theirs = vt.load(file), Tokenizer.from_str(file.decode())
    made = "".join(steps()[-1])
    if family != "llama-2":  # which puts a space before it
        assert len(ours.encode(made)) == 1
    for text in texts(made, whole):
        assert ours.encode(text).tolist() == theirs.encode(text, add_special_tokens=False).ids


def test_ranks_of_tens_of_thousands_of_letters() -> None:
    lines, known = fetch("cl100k").read_bytes().splitlines(), FAMILIES["cl100k"].file
    assert isinstance(known, RankFile)
    made = list(map("".join, steps()))
    whole = "".join(random.Random(0).choices("etaoinshrdlu", k=LONG))
    ranks = {token.encode(): rank for rank, token in enumerate([*made, whole])}
    for token, rank in map(bytes.split, lines):
        ranks.setdefault(base64.b64decode(token), int(rank) + len(made) + 1)
    ours = vt.from_tiktoken(ranks, known.pattern, {})
    theirs = tiktoken.Encoding("long", pat_str=known.pattern, mergeable_ranks=ranks, special_tokens={})
    for text in texts(made[-1], whole):
        assert ours.encode(text).tolist() == theirs.encode(text)
