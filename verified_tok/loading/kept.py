"""What a loaded file means, kept in the cache folder: a second load reads no JSON, and makes no dicts.

The vocabulary and the merges are kept as arrays, the rest is a short text. Only what was read without fault
is kept, so a file that is refused is refused each time.
"""

from __future__ import annotations

import json
from dataclasses import fields
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from verified_tok import spec
from verified_tok._core import native
from verified_tok.native.image_file import keep, kept, worth_keeping
from verified_tok.spec import AddedToken, MergeBpe, Model, RankBpe, TokenizerSpec
from verified_tok.vocabulary import Flat, Merges, RankTable, Vocabulary, entries_of

_FLAGS = ("ignore_merges", "byte_fallback", "unk_token", "fuse_unk")
_STAGES = ("normalizers", "pre_tokenizers", "decoders", "post_processors")


def kept_spec(sha256: str) -> TokenizerSpec | None:
    """The tokenizer with this hash, if it was kept."""
    image = kept("spec", sha256) if native is not None else None
    if image is None:
        return None
    head = json.loads(image.section("spec_head").tobytes())
    arrays = (image.section(f"spec_{name}") for name in ("tokens", "offsets", "ids"))
    return named(
        TokenizerSpec(
            sha256=sha256,
            source=head["source"],
            added_tokens=tuple(map(AddedToken, *head["added_tokens"])),
            model=_model(head["model"], Flat(*arrays), image),
            pads_batches=head["pads_batches"],
            **{name: _read(head[name]) for name in _STAGES},
        )
    )


def keep_spec(loaded: TokenizerSpec) -> None:
    """Keep a tokenizer that was loaded, if that is worth it."""
    if native is None or not worth_keeping(loaded):
        return
    model, entries = loaded.model, entries_of(loaded.model).flat
    columns = [[getattr(token, field.name) for token in loaded.added_tokens] for field in fields(AddedToken)]
    head = {
        "source": loaded.source,
        "added_tokens": columns,
        "model": [getattr(model, flag) for flag in _FLAGS] if isinstance(model, MergeBpe) else None,
        "pads_batches": loaded.pads_batches,
        **{name: _written(getattr(loaded, name)) for name in _STAGES},
    }
    sections: dict[str, npt.NDArray[np.generic]] = {
        "spec_head": np.frombuffer(json.dumps(head).encode(), np.uint8),
        "spec_tokens": entries.data,
        "spec_offsets": entries.offsets,
        "spec_ids": entries.ids,
    }
    if isinstance(model, MergeBpe):
        sections["spec_merges"] = Merges.of(model.merges).ids.reshape(-1)
    keep("spec", loaded.sha256, native.Image.of(sections))


def named(loaded: TokenizerSpec) -> TokenizerSpec:
    """The same tokenizer, now known by its hash: what is kept under it may be used."""
    object.__setattr__(loaded, "named", True)
    return loaded


def _model(flags: list[Any] | None, entries: Flat, image: native.Image) -> Model:
    if flags is None:
        return RankBpe(RankTable(entries))
    return MergeBpe(Vocabulary(entries), Merges(image.section("spec_merges")), *flags)


def _written(value: Any) -> Any:
    """A stage as JSON: the name of its class, and its fields in order."""
    if isinstance(value, tuple):
        return [_written(item) for item in value]
    if isinstance(value, Enum):
        return {type(value).__name__: [value.value]}
    if value is None or isinstance(value, str | int | bool):
        return value
    return {type(value).__name__: [_written(getattr(value, field.name)) for field in fields(value)]}


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_read, value))
    if isinstance(value, dict):
        [(name, parts)] = value.items()
        return getattr(spec, name)(*map(_read, parts))
    return value
