"""The reference engine as the judge of what a tokenizer file means.

What it refuses must be refused; what both accept must mean the same. It can write out what it understood,
with every default spelled out, and that must load as the same tokenizer.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from tiny import Document
from tokenizers import Tokenizer

from verified_tok.loading import load_json
from verified_tok.spec import MergeBpe, TokenizerSpec


def load(document: Document) -> TokenizerSpec:
    return load_json(json.dumps(document).encode())


def engine(text: str) -> Tokenizer | None:
    """The reference engine's tokenizer, or None if it refuses the file (it may even panic)."""
    try:
        return Tokenizer.from_str(text)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a panic is not an Exception
        return None


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
