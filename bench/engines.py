"""The engines that are measured, each behind a few lines that call it the fastest way its interface offers.

Every engine gets the same file of a family and recognizes its added tokens. Ids come as an array where the
engine has a way to give one: a Python list costs about 20 ns an id, more than some engines take to find it.
"""

from __future__ import annotations

import base64
import hashlib
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from verified_tok.families import FAMILIES, RankFile
from verified_tok.fetch import fetch, open_family
from verified_tok.tokenizer import Tokenizer

Ids = npt.NDArray[np.uint32]


class NotServed(Exception):
    """The engine does not have this family, or cannot do what is measured."""


class Engine(ABC):
    """One engine with one tokenizer open. `family` is a name of `verified_tok.families`."""

    package: str
    """What `pip` calls it."""

    gives = "array"
    """In what form ids come."""

    @abstractmethod
    def __init__(self, family: str) -> None: ...

    @abstractmethod
    def encode(self, text: str) -> Any:
        """The ids of a text, in the engine's own form."""

    def encode_batch(self, texts: list[str], threads: int) -> Any:
        """The ids of many texts in the engine's own form, on so many threads. How many is for most engines
        settled when their process starts (`process.py`)."""
        raise NotServed("it has no batches")

    def rows(self, batch: Any) -> tuple[Ids, npt.NDArray[np.int64]]:
        """All ids of what `encode_batch` gave, in one array, and how many each text has. Not timed."""
        ids, offsets = batch
        if isinstance(offsets, bytes):
            offsets = np.frombuffer(offsets, dtype=np.int64)
        return as_ids(ids), np.diff(offsets)

    def decode(self, ids: Ids) -> str:
        """The text of ids."""
        raise NotServed("it gives no text")

    def decode_bytes(self, ids: Ids) -> bytes:
        """The bytes of ids, not checked to be text."""
        raise NotServed("it gives no bytes")

    def grow(self, text: str) -> Growing:
        """A text that will grow at its end. Who keeps no sessions encodes all of it again; having seen most
        of it, the engine finds what it remembers."""
        return _EncodedAgain(self, text)


class Growing(ABC):
    """A text that grows at its end, and its ids."""

    @abstractmethod
    def append(self, part: str, whole: str) -> Any:
        """Append `part`, which gives the text `whole`: an engine uses what it needs."""

    @abstractmethod
    def ids(self) -> Ids:
        """All ids. Not timed."""


class _EncodedAgain(Growing):
    def __init__(self, engine: Engine, text: str) -> None:
        self._engine = engine
        self._ids = engine.encode(text)

    def append(self, part: str, whole: str) -> Any:
        self._ids = self._engine.encode(whole)
        return self._ids

    def ids(self) -> Ids:
        return as_ids(self._ids)


def as_ids(found: Any) -> Ids:
    """Ids in whatever form as an array."""
    if isinstance(found, bytes):
        return np.frombuffer(found, dtype=np.uint32)
    return np.asarray(found, dtype=np.uint32)


# --- the kit -----------------------------------------------------------------------------------------


class VerifiedTok(Engine):
    package = "verified-tok"

    def __init__(self, family: str) -> None:
        self.tok: Tokenizer = open_family(family)

    def encode(self, text: str) -> Ids:
        return self.tok.encode(text, threads=None)

    def encode_batch(self, texts: list[str], threads: int) -> Any:
        return self.tok.encode_batch(texts)

    def decode(self, ids: Ids) -> str:
        return self.tok.decode(ids)

    def decode_bytes(self, ids: Ids) -> bytes:
        return self.tok.decode_bytes(ids)

    def grow(self, text: str) -> Growing:
        return _Session(self.tok, text)


class _Session(Growing):
    def __init__(self, tok: Tokenizer, text: str) -> None:
        self._session = tok.session(text)

    def append(self, part: str, whole: str) -> Any:
        return self._session.append(part), self._session.ids

    def ids(self) -> Ids:
        return self._session.ids


# --- engines that read tokenizer.json ----------------------------------------------------------------


def _json_of(family: str) -> str:
    if isinstance(FAMILIES[family].file, RankFile):
        raise NotServed("it reads tokenizer.json only")
    return str(fetch(family))


class HuggingFace(Engine):
    package = "tokenizers"
    gives = "list"

    def __init__(self, family: str) -> None:
        from tokenizers import Tokenizer

        self._tok = Tokenizer.from_file(_json_of(family))

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self._tok.encode(text, add_special_tokens=False).ids
        return ids

    def encode_batch(self, texts: list[str], threads: int) -> Any:
        return [one.ids for one in self._tok.encode_batch_fast(texts, add_special_tokens=False)]

    def rows(self, batch: Any) -> tuple[Ids, npt.NDArray[np.int64]]:
        return _joined(batch)

    def decode(self, ids: Ids) -> str:
        text: str = self._tok.decode(ids.tolist(), skip_special_tokens=False)
        return text


class Gigatoken(Engine):
    package = "gigatoken"

    def __init__(self, family: str) -> None:
        import gigatoken

        self._tok = gigatoken.Tokenizer(_json_of(family))

    def encode(self, text: str) -> Any:
        return self._tok.encode(text)

    def encode_batch(self, texts: list[str], threads: int) -> Any:
        return self._tok.encode_batch(texts, parallel=threads > 1)

    def rows(self, batch: Any) -> tuple[Ids, npt.NDArray[np.int64]]:
        import awkward

        return as_ids(awkward.to_numpy(awkward.flatten(batch))), awkward.to_numpy(awkward.num(batch))

    def decode(self, ids: Ids) -> str:
        return self.decode_bytes(ids).decode()

    def decode_bytes(self, ids: Ids) -> bytes:
        data: bytes = self._tok.decode(ids)
        return data


class Fastokens(Engine):
    package = "fastokens"

    def __init__(self, family: str) -> None:
        import fastokens

        self._tok = fastokens.Tokenizer.from_file(_json_of(family))

    def encode(self, text: str) -> Any:
        return np.frombuffer(self._tok.encode_batch_flat([text])[0], dtype=np.uint32)

    def encode_batch(self, texts: list[str], threads: int) -> Any:
        return self._tok.encode_batch_flat(texts)

    def decode(self, ids: Ids) -> str:
        text: str = self._tok.decode(ids)
        return text


class Snaptokens(Fastokens):
    package = "snaptokens"

    def __init__(self, family: str) -> None:
        import snaptokens

        self._tok = snaptokens.Tokenizer.from_file(_json_of(family))


class Splintr(Engine):
    package = "splintr-rs"

    def __init__(self, family: str) -> None:
        import splintr

        self._tok = splintr.from_json(_json_of(family))
        self._begins = self._tok.encode_flat("")
        """What it puts before every text."""

    def encode(self, text: str) -> Any:
        return np.frombuffer(self._tok.encode_flat(text), dtype=np.uint32)[len(self._begins) // 4 :]

    def encode_batch(self, texts: list[str], threads: int) -> Any:
        if self._begins:
            raise NotServed("it puts tokens before every text")
        return self._tok.encode_batch_flat(texts)


class Toktier(Engine):
    """It serves files that it knows by their SHA-256; those that it does not, it hands to `tokenizers`."""

    package = "toktier"
    gives = "tuple"
    known: Mapping[str, str] = {"qwen3": "qwen3_8b", "gpt-oss": "gpt_oss_120b", "deepseek-v3": "deepseek_v3"}

    def __init__(self, family: str) -> None:
        if family not in self.known:
            raise NotServed("this file is not among those it accelerates")
        import toktier
        from toktier.artifacts.manifest import ArtifactManifest
        from toktier.artifacts.sources import LocalDirectorySource
        from toktier.artifacts.store import ArtifactStore
        from toktier.config import Config

        self._folder = tempfile.TemporaryDirectory()  # it wants a copy under its own name
        data = Path(_json_of(family)).read_bytes()
        Path(self._folder.name, "tokenizer.json").write_bytes(data)
        sha256 = hashlib.sha256(data).hexdigest()
        name = self.known[family]
        entry = {
            "repo_id": "local/local",
            "revision": sha256[:40],
            "local_dir": self._folder.name,
            "files": {"tokenizer.json": {"sha256": sha256, "size": len(data)}},
        }
        manifest = ArtifactManifest.from_mapping({name: entry}, source="bench")
        config = Config.resolve().replace(offline=False, cache_dir=Path(self._folder.name, "cache"))
        ArtifactStore(manifest, config=config, source=LocalDirectorySource()).ensure(name)
        self._tok = toktier.load(name, manifest=manifest, config=config, device="cpu")

    def encode(self, text: str) -> Any:
        return self._tok.encode(text, lookup="off").ids

    def encode_batch(self, texts: list[str], threads: int) -> Any:
        return [one.ids for one in self._tok.encode_batch(texts)]

    def rows(self, batch: Any) -> tuple[Ids, npt.NDArray[np.int64]]:
        return _joined(batch)

    def decode(self, ids: Ids) -> str:
        text: str = self._tok.decode(ids.tolist(), skip_special_tokens=False)
        return text

    def grow(self, text: str) -> Growing:
        return _ToktierSession(self._tok, text)


class _ToktierSession(Growing):
    def __init__(self, tok: Any, text: str) -> None:
        self._opened = tok.session()
        self._session = self._opened.__enter__()
        self._session.append(text)

    def append(self, part: str, whole: str) -> Any:
        return self._session.append_patch(part)

    def ids(self) -> Ids:
        return as_ids(self._session.ids)


# --- engines that bring their own vocabularies -------------------------------------------------------


class Quicktok(Engine):
    """Without added tokens: with them its time is quadratic in how many a tokenizer has."""

    package = "quicktok-v1"
    known: Mapping[str, str] = {"qwen3": "qwen3", "gpt-oss": "o200k_harmony", "llama-3.1": "llama3"}

    def __init__(self, family: str) -> None:
        if family not in self.known:
            raise NotServed("it has no such vocabulary")
        import quicktok

        self._tok = quicktok.get_encoding(self.known[family])

    def encode(self, text: str) -> Any:
        return self._tok.encode_batch([text], threads=1)[0]

    def encode_batch(self, texts: list[str], threads: int) -> Any:
        return self._tok.encode_batch(texts, threads=threads)

    def decode(self, ids: Ids) -> str:
        text: str = self._tok.decode(ids)
        return text

    def decode_bytes(self, ids: Ids) -> bytes:
        data: bytes = self._tok.decode_bytes(ids)
        return data


class Tiktoken(Engine):
    package = "tiktoken"
    gives = "list"
    known: Mapping[str, str] = {"gpt-oss": "o200k", "llama-3.1": "llama-3"}

    def __init__(self, family: str) -> None:
        ranks = FAMILIES[self.known.get(family, family)]
        if not isinstance(ranks.file, RankFile) or ranks.file.normalizers:
            raise NotServed("it has no such vocabulary")
        import tiktoken

        lines = (line.split() for line in fetch(ranks.name).read_bytes().splitlines())
        added = {token.content: token.id for token in _added_tokens(family)}
        self._tok = tiktoken.Encoding(
            family,
            pat_str=ranks.file.pattern,
            mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in lines},
            special_tokens=added,
        )

    def encode(self, text: str) -> Any:
        return self._tok.encode(text, allowed_special="all")

    def encode_batch(self, texts: list[str], threads: int) -> Any:
        return self._tok.encode_batch(texts, num_threads=threads, allowed_special="all")

    def rows(self, batch: Any) -> tuple[Ids, npt.NDArray[np.int64]]:
        return _joined(batch)

    def decode(self, ids: Ids) -> str:
        return self._tok.decode(ids.tolist())

    def decode_bytes(self, ids: Ids) -> bytes:
        return self._tok.decode_bytes(ids.tolist())


@cache
def _added_tokens(family: str) -> Sequence[Any]:
    return open_family(family).spec.added_tokens


def _joined(lists: Sequence[Sequence[int]]) -> tuple[Ids, npt.NDArray[np.int64]]:
    ids = np.concatenate([np.empty(0, np.uint32), *map(as_ids, lists)])
    return ids, np.array([len(each) for each in lists], dtype=np.int64)


ENGINES: Mapping[str, type[Engine]] = {
    engine.package: engine
    for engine in (
        VerifiedTok,
        Fastokens,
        Gigatoken,
        Snaptokens,
        Toktier,
        Splintr,
        Quicktok,
        Tiktoken,
        HuggingFace,
    )
}
"""Every engine, by its package. The kit is first."""

OURS = VerifiedTok.package


def versions() -> dict[str, str | None]:
    """The installed version of each engine; None if it is not installed."""
    return {package: _version(package) for package in ENGINES}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
