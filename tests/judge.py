"""The reference engine as the judge of what a tokenizer file means.

What it refuses must be refused; what both accept must mean the same. It can write out what it understood,
with every default spelled out, and that must load as the same tokenizer.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

from tiny import Document
from tokenizers import Tokenizer

import verified_tok
from verified_tok.loading import load_json
from verified_tok.spec import MergeBpe, TokenizerSpec

T = TypeVar("T")


def load(document: Document) -> TokenizerSpec:
    return load_json(json.dumps(document).encode())


def survivor(call: Callable[..., T], *args: object, **options: object) -> T | None:
    """What a call into the engine gives, or None if it refuses or panics."""
    try:
        return call(*args, **options)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a panic is not an Exception
        return None


def engine(text: str) -> Tokenizer | None:
    """The reference engine's tokenizer with all that the file says (padding too), or None if it refuses the
    file (it may even panic)."""
    tokenizer: Tokenizer | None = survivor(Tokenizer.from_str, text)
    return tokenizer


def content(loaded: TokenizerSpec) -> dict[str, Any]:
    """Everything in a spec but its name."""
    values = {f.name: getattr(loaded, f.name) for f in fields(loaded) if f.name not in ("sha256", "model")}
    assert isinstance(loaded.model, MergeBpe)
    model = {f.name: getattr(loaded.model, f.name) for f in fields(MergeBpe)}
    return {**values, **model, "vocab": dict(loaded.model.vocab)}


def assert_means_what_the_engine_understood(loaded: TokenizerSpec, reference: Tokenizer) -> None:
    written = json.loads(reference.to_str())
    ours = content(loaded)
    # The engine writes its added tokens by id, whatever their order was.
    ours["added_tokens"] = tuple(sorted(ours["added_tokens"], key=lambda token: token.id))
    assert ours == content(load(written))
    vocab = {**ours["vocab"], **{token.content: token.id for token in loaded.added_tokens}}
    assert vocab == reference.get_vocab(with_added_tokens=True)


def assert_loads(document: Document) -> TokenizerSpec:
    loaded = load(document)
    reference = engine(json.dumps(document))
    assert reference is not None, "the engine refuses what the loader accepts"
    assert_means_what_the_engine_understood(loaded, reference)
    return loaded


TEXTS = [
    "",
    " ",
    "the 123 cafe\u0301\n\n<tool> word  t_h<|end|>▁a!?",
    "<s>ab thyé世<unk> <0x41>",
    "  <|end|>  ",
]


def assert_encodes_and_decodes_alike(loaded: TokenizerSpec, reference: Tokenizer) -> None:
    """A few texts there and back in both. Where the engine panics, there is nothing to compare with."""
    ours = verified_tok.Tokenizer(loaded)
    for text in TEXTS:
        theirs = survivor(reference.encode, text, add_special_tokens=True)
        if theirs is not None:
            assert ours.encode(text, add_special_tokens=True).tolist() == theirs.ids
            decoded = survivor(reference.decode, theirs.ids, skip_special_tokens=False)
            assert decoded in (None, ours.decode(theirs.ids))
