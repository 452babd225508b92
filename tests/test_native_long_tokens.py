"""Very long tokens in the vocabularies of real tokenizers: the ids are the reference engine's, and tables are
built in time that does not grow as the square of the length (`_core/model_build.cpp`)."""

from __future__ import annotations

import base64
import json
import random
from collections import Counter
from collections.abc import Iterable

import pytest
import tiktoken
from tokenizers import Tokenizer

import verified_tok as vt
from verified_tok._core import native
from verified_tok.families import FAMILIES, RankFile
from verified_tok.fetch import fetch

pytestmark = pytest.mark.skipif(native is None, reason="the native core is not built")

LONG = 40_000
LETTER = "q"
DOUBLED = [2**power for power in range(1, 16)]
"""How many letters the tokens have that merges make of two halves."""


def with_tokens(file: str, whole: Iterable[str], rows: Iterable[str]) -> bytes:
    """A `tokenizer.json` that has more tokens, in the place of some that its last merges make: `whole` ones
    that no merge makes, and `rows` that are made of two halves."""
    document = json.loads(file)
    model = document["model"]
    vocab, merges = model["vocab"], model["merges"]
    pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in merges]
    parts, made = {part for pair in pairs for part in pair}, Counter(map("".join, pairs))
    spare = [k for k, pair in enumerate(pairs) if "".join(pair) not in parts and made["".join(pair)] == 1]
    for token in [*whole, *rows]:
        if token not in vocab:
            k = spare.pop()
            del merges[k]
            vocab[token] = vocab.pop("".join(pairs[k]))
    for row in rows:
        half = row[: len(row) // 2]
        if row not in made:
            merges.append(f"{half} {half}" if isinstance(merges[0], str) else [half, half])
    return json.dumps(document).encode()


@pytest.mark.parametrize("family", ["qwen3", "llama-3.1", "llama-2"])
def test_tokens_of_tens_of_thousands_of_letters(family: str) -> None:
    """Those that are whole pieces, such as merges make by steps, and such as nothing makes."""
    word = "".join(random.Random(family).choices("etaoinshrdlu", k=LONG))
    file = with_tokens(fetch(family).read_text("utf-8"), [word], [LETTER * size for size in DOUBLED])
    ours, theirs = vt.load(file), Tokenizer.from_str(file.decode())
    texts = [word, f" {word} ", word[1:], word + word]
    texts += [LETTER * size for size in (DOUBLED[-1], DOUBLED[-1] - 1, LONG, 2 * LONG + 1)]
    for text in texts:
        assert ours.encode(text).tolist() == theirs.encode(text, add_special_tokens=False).ids


def test_ranks_of_tens_of_thousands_of_letters() -> None:
    lines, known = fetch("cl100k").read_bytes().splitlines(), FAMILIES["cl100k"].file
    assert isinstance(known, RankFile)
    ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in lines}
    word = "".join(random.Random(0).choices("etaoinshrdlu", k=LONG))
    for token in (word, *(LETTER * size for size in DOUBLED)):
        ranks.setdefault(token.encode(), len(ranks) + 1000)
    ours = vt.from_tiktoken(ranks, known.pattern, {})
    theirs = tiktoken.Encoding("long", pat_str=known.pattern, mergeable_ranks=ranks, special_tokens={})
    for text in (word, word + "s", *(LETTER * size for size in (DOUBLED[-1], DOUBLED[-1] - 1, LONG))):
        assert ours.encode(text).tolist() == theirs.encode(text)
