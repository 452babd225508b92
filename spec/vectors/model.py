"""Vectors for `Spec/Model.lean`: random vocabularies of characters that lack characters and bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator

from spec.vectors import lean_text as lean
from verified_tok.reference.model import Encoder, encode_piece, encoder, initial_symbols, symbols
from verified_tok.reference.tables import FALLBACK_NAMES
from verified_tok.spec import MergeBpe

ALPHABET = "abé中"
MODELS = 24
PIECES_PER_MODEL = 4


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/Model.lean`."""
    imports = ["VerifiedTok.Spec.Model"]
    return lean.module("Vocabularies of characters", imports, _body())


def fields(model: Encoder, alphabet: str) -> Iterator[str]:
    """The fields of the `CharModel` that a model is, for texts over the alphabet."""
    merges = ", ".join(f"⟨{a}, {b}, {rule.result}⟩" for (a, b), rule in model.table.rules.items())
    whole = ", ".join(
        f"({lean.nats(map(ord, text))}, {id})"
        for text, id in model.whole.items()
        if all(char in alphabet for char in text)
    )
    chars = ", ".join(f"({ord(c)}, {model.chars[c]})" for c in alphabet if c in model.chars)
    fallback = ((c, symbols(model, c)) for c in alphabet if c not in model.chars)
    spelled = ", ".join(f"({ord(c)}, {lean.nats(ids)})" for c, ids in fallback if ids)
    yield f"table := ofMerges (fun _ => 0) [{merges}]"
    yield f"whole w := List.lookup w [{whole}]"
    yield f"char c := List.lookup c [{chars}]"
    yield f"bytes c := (List.lookup c [{spelled}]).getD []"
    yield f"unk := {lean.option(None if model.unk is None else str(model.unk))}"
    yield f"fuseUnk := {str(model.fuse_unk).lower()}"


def _body() -> Iterator[str]:
    rng = random.Random("model")
    for number in range(MODELS):
        model = encoder(_random_model(rng))
        name = f"m{number}"
        yield f"def {name} : CharModel Nat where"
        yield from (f"  {field}" for field in fields(model, ALPHABET))
        for _ in range(PIECES_PER_MODEL):
            piece = "".join(rng.choices(ALPHABET, k=rng.randint(1, 8)))
            codes = lean.nats(map(ord, piece))
            first = (symbol.id for symbol in initial_symbols(model, piece))
            yield lean.example(f"{name}.initialSymbols {codes}", lean.nats(first))
            tokens = (token.id for token in encode_piece(model, piece))
            yield lean.example(f"{name}.encodePiece {codes}", lean.nats(tokens))
        each = ", ".join(lean.nats(symbols(model, char)) for char in ALPHABET)
        yield lean.example(f"{lean.nats(map(ord, ALPHABET))}.map {name}.symbols", f"[{each}]")
        yield ""


def _random_model(rng: random.Random) -> MergeBpe:
    chars = rng.sample(ALPHABET, rng.randint(1, len(ALPHABET)))
    used = sorted({byte for char in ALPHABET for byte in char.encode()})
    missing = rng.sample(used, rng.choice((0, 0, 1, 2)))
    names = [FALLBACK_NAMES[byte] for byte in used if byte not in missing]
    vocab = {token: id for id, token in enumerate(["<unk>", *chars, *names])}
    merges: dict[tuple[int, int], int] = {}
    for _ in range(rng.randint(2, 9)):
        left, right = rng.choices([*vocab], k=2)
        if left != "<unk>" != right and len(left + right) < 20:
            result = vocab.setdefault(left + right, len(vocab))
            merges.setdefault((vocab[left], vocab[right]), result)
    return MergeBpe(
        vocab=vocab,
        merges=tuple((left, right, result) for (left, right), result in merges.items()),
        ignore_merges=rng.random() < 0.2,
        byte_fallback=rng.random() < 0.7,
        unk_token=rng.choice([None, "<unk>"]),
        fuse_unk=rng.random() < 0.5,
    )
