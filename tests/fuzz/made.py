"""Tokenizers made at random, with all that a vocabulary can have and real ones seldom do."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import NamedTuple

import tiny

import verified_tok as vt
from verified_tok.peer import HuggingFace, Peer, Tiktoken
from verified_tok.reference.byte_level import spell

FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
BEHAVIOURS = ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")
SPLITS = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    r"\s?\p{L}+|\p{N}",
    r"\p{Lu}?\p{Ll}+|\s+$|[^\s]",
    r"[^a-e](?=b)|a*+b|.",
)
ATOMS = (
    r"\p{L}",
    r"\p{N}",
    r"\s",
    r"\S",
    r"\w",
    r"[^\s\p{L}\p{N}]",
    r"[\r\n]",
    "a",
    "[ab]",
    "[^a]",
    "中",
    ".",
    " ",
)
REPEATS = ("", "", "?", "*", "+", "{1,3}", "{2,}", "++", "?+", "*+")
TEXT = "the 1 12 abba é 中国 한글 <|>\n"
"""What tokens are made of: characters of one to three bytes, some of which share bytes."""


class Made(NamedTuple):
    """A tokenizer, and another engine that reads the same file."""

    tok: vt.Tokenizer
    peer: Peer | None


def made_tokenizer(rng: random.Random) -> Made:
    """One that the kit accepts."""
    while True:
        try:
            return _of_ranks(rng) if rng.random() < 0.25 else _of_file(rng)
        except vt.errors.VerifiedTokError:  # what is refused is no subject
            continue


def _of_file(rng: random.Random) -> Made:
    file = json.dumps(_document(rng)).encode()
    tok = vt.load(file)
    try:
        return Made(tok, HuggingFace(file))
    except vt.errors.InvalidTokenizerFile:
        return Made(tok, None)


def _of_ranks(rng: random.Random) -> Made:
    tokens = [bytes([byte]) for byte in range(256)]
    used = [bytes([byte]) for byte in sorted(set(TEXT.encode()))]
    longest = rng.choice([6, 30, 600])
    for _ in range(rng.randrange(80)):
        token = rng.choice(used[-rng.choice([5, 1000]) :]) + rng.choice(used)
        if len(token) <= longest and token not in tokens:
            tokens.append(token)
            used.append(token)
    for _ in range(rng.choice([0, 0, 4])):  # merges make none of these
        token = b"".join(rng.choices(used, k=rng.randrange(2, 5)))
        if token not in tokens and len(token) < 1000:
            tokens.append(token)
    if rng.random() < 0.3:
        rng.shuffle(tokens)
    ranks = dict(zip(tokens, _ids(rng, len(tokens)), strict=True))
    free = max(ranks.values()) + 1
    specials = {"<|end|>": free, "<s>": free + 7} if free < 1 << 31 else {}
    pattern = rng.choice([SPLITS[1], SPLITS[2] + r"|[\s\S]", r"[\s\S]+", r"\p{L}+|[\s\S]"])
    return Made(vt.from_tiktoken(ranks, pattern, specials), Tiktoken(ranks, pattern, specials))


def _ids(rng: random.Random, count: int) -> list[int]:
    """Ids in order, in any order, or with gaps, some of them too large for the core."""
    room = rng.choices([count, count + 50, 1 << 14, 1 << 21, 1 << 22, 1 << 25], [8, 2, 2, 1, 1, 1])[0]
    ids = rng.sample(range(room), count)
    return ids if rng.random() < 0.3 else sorted(ids)


def _document(rng: random.Random) -> tiny.Document:
    byte_level = rng.random() < 0.6
    document = tiny.byte_level() if byte_level else tiny.sentencepiece()
    vocab, merges = _vocabulary(rng, document["model"]["vocab"], byte_level)
    first = max(vocab.values()) + 1
    fields: tiny.Document = {
        "added_tokens": [*_kept(document, vocab), *_added(rng, first)],
        "post_processor": None,
        "model": {
            "vocab": vocab,
            "merges": merges,
            "ignore_merges": rng.random() < 0.3,
            "unk_token": "<unk>" if "<unk>" in vocab and rng.random() < 0.7 else None,
            "fuse_unk": rng.random() < 0.5,
            "byte_fallback": not byte_level and rng.random() < 0.8,
        },
    }
    if rng.random() < 0.7:
        splits = [_split(rng) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
        stages = [*splits, *([{**tiny.BYTE_LEVEL, "use_regex": False}] if byte_level else [])]
        fields["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": stages}
    if rng.random() < 0.5 and byte_level:
        fields["normalizer"] = rng.choice([None, {"type": "NFC"}, {"type": "NFKC"}])
    return tiny.byte_level(**fields) if byte_level else tiny.sentencepiece(**fields)


def _vocabulary(
    rng: random.Random, given: Mapping[str, int], byte_level: bool
) -> tuple[dict[str, int], list[list[str]]]:
    """Some tokens, and merges that make them in some order, or never."""
    symbols = [*given][:256] if byte_level else [*given][:259]
    used = sorted(set(spell(TEXT.encode()) if byte_level else TEXT.replace(" ", "▁")))
    if byte_level and rng.random() < 0.3:  # bytes without a token
        gone = rng.sample(symbols, rng.choice([1, 5, 100]))
        symbols = [symbol for symbol in symbols if symbol not in gone]
        used = [symbol for symbol in used if symbol not in gone] or symbols[:3]
    if rng.random() < 0.4:
        used.append("<unk>")
    tokens = dict.fromkeys([*symbols, *used])
    longest, lately = rng.choice([6, 12, 40, 700]), rng.choice([4, 20, 1000])
    merges: list[list[str]] = []
    for _ in range(rng.randrange(90)):
        pair = [rng.choice(used[-lately:]), rng.choice(rng.choice([used, used[-lately:]]))]
        if len("".join(pair)) <= longest and pair not in merges:
            merges.append(pair)
            if "".join(pair) not in tokens:
                tokens["".join(pair)] = None
                used.append("".join(pair))
    for _ in range(rng.choice([0, 0, 6])):  # no merge makes these
        tokens["".join(rng.choices(used, k=rng.randrange(2, 5)))[:2000]] = None
    order = rng.choice([None, "shuffled", "a few moved"])
    if order == "shuffled":
        rng.shuffle(merges)
    elif order and merges:
        for _ in range(3):
            merges.insert(rng.randrange(len(merges)), merges.pop(rng.randrange(len(merges))))
    return dict(zip(tokens, _ids(rng, len(tokens)), strict=True)), merges


def _kept(document: tiny.Document, vocab: Mapping[str, int]) -> list[tiny.Document]:
    """The document's own added tokens that the vocabulary has."""
    tokens = document["added_tokens"]
    return [{**token, "id": vocab[token["content"]]} for token in tokens if token["content"] in vocab]


def _added(rng: random.Random, first: int) -> list[tiny.Document]:
    contents = {
        "".join(rng.choices(["<", "|", ">", "a", "t", " ", "é", "e\u0301"], k=rng.randrange(1, 5)))
        for _ in range(rng.randrange(5))
    }
    return [
        tiny.added(first + n, text, **{flag: rng.random() < 0.3 for flag in FLAGS})
        for n, text in enumerate(sorted(contents))
    ]


def _split(rng: random.Random) -> tiny.Document:
    return {
        "type": "Split",
        "pattern": {"Regex": rng.choice(SPLITS) if rng.random() < 0.5 else _regex(rng)},
        "behavior": rng.choice(BEHAVIOURS),
        "invert": rng.random() < 0.3,
    }


def _regex(rng: random.Random) -> str:
    """Alternatives of a few repeated characters, some of which look ahead."""

    def sequence() -> str:
        parts = [rng.choice(ATOMS) + rng.choice(REPEATS) for _ in range(rng.randrange(1, 4))]
        if rng.random() < 0.2:
            parts.append(rng.choice(["(?!", "(?="]) + rng.choice(ATOMS) + ")")
        return "".join(parts)

    return "|".join(sequence() for _ in range(rng.randrange(1, 5)))
