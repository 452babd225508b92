"""The ids and texts that every engine has to give: those of the reference engine.

It is Hugging Face `tokenizers` for a `tokenizer.json`; the kit's own reference, which gives the same and is
slower still, for a rank file. Ids are kept in the cache folder: they take seconds a megabyte.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer as Engine

from verified_tok.cache import cache_folder
from verified_tok.families import FAMILIES, RankFile
from verified_tok.fetch import fetch, open_family
from verified_tok.reference import pipeline
from verified_tok.reference.decode import decode_bytes, token_texts
from verified_tok.reference.model import encode_piece, encoder

Ids = npt.NDArray[np.uint32]


def reference_ids(family: str, text: str) -> Ids:
    """The ids of a text, all added tokens recognized."""
    name = f"{FAMILIES[family].sha256} {version('tokenizers')} {hashlib.sha256(text.encode()).hexdigest()}"
    path = cache_folder() / "bench" / "ids" / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.npy"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        arriving = Path(f"{path}.arriving.npy")
        np.save(arriving, _ids(family, text))
        arriving.replace(path)
    ids: Ids = np.load(path)
    return ids


def reference_ids_of_steps(family: str, texts: Sequence[str]) -> list[Ids]:
    """The ids of texts each of which begins with the one before it.

    The last one is encoded, and of the others what comes after a seam near their ends; ahead of a seam the
    ids are the same (`encode_append_of_seam`).
    """
    if isinstance(FAMILIES[family].file, RankFile):
        return [_ids(family, text) for text in texts]
    whole = _engine(family).encode(texts[-1], add_special_tokens=False)
    ids = np.array(whole.ids, dtype=np.uint32)
    starts = np.array([start for start, _ in whole.offsets])
    return [
        np.concatenate([ids[: starts.searchsorted(at)], _ids(family, text[at:])])
        for text, at in ((text, _seam(family, text)) for text in texts)
    ]


def reference_bytes(family: str, ids: Ids) -> bytes:
    """What ids stand for."""
    spec = open_family(family).spec
    texts = token_texts(spec)
    return decode_bytes(spec.decoders, [texts[id] for id in ids.tolist()])


def _seam(family: str, text: str) -> int:
    """The last seam that is a hundred characters from the end, after a letter: there no offset is trimmed."""
    table = open_family(family).seams()
    at = len(text) - 100
    while at > 0 and not (text[at - 1].isalpha() and table.is_seam(text[at - 1], text[at])):
        at -= 1
    return max(at, 0)


def _ids(family: str, text: str) -> Ids:
    if isinstance(FAMILIES[family].file, RankFile):
        spec = open_family(family).spec
        model = encoder(spec.model)
        added = {token.id for token in spec.added_tokens}
        stages = pipeline.pipeline(spec, added, cache(lambda piece: encode_piece(model, piece)))
        return np.array(pipeline.encode(stages, text), dtype=np.uint32)
    return np.array(_engine(family).encode(text, add_special_tokens=False).ids, dtype=np.uint32)


@cache
def _engine(family: str) -> Engine:
    return Engine.from_file(str(fetch(family)))
