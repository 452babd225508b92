"""The independent engines that the kit is compared with, opened on the same tokenizer file.

A `tokenizer.json` is opened by Hugging Face `tokenizers`, a rank file by `tiktoken`. Neither is needed
to use the kit: they come with the extra `compare`. Every comparison of the project goes through these two.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from verified_tok.errors import InvalidTokenizerFile, MissingDependency
from verified_tok.families import Family, RankFile
from verified_tok.fetch import fetch
from verified_tok.spec import Normalizer, UnicodeForm

if TYPE_CHECKING:
    import tiktoken
    import tokenizers


class Peer(Protocol):
    """Another engine with one tokenizer."""

    @property
    def name(self) -> str:
        """The engine and its version."""
        ...

    def encode(self, text: str) -> list[int]:
        """The ids of `text`, added tokens recognised, no special tokens put around it."""
        ...


def open_peer(source: Path | Family) -> Peer:
    """The engine that fits a `tokenizer.json` or a known family's file.

    Raises MissingDependency if the engine is not installed, InvalidTokenizerFile if it refuses the file.
    """
    if isinstance(source, Path):
        return HuggingFace(source.read_bytes())
    data, file = fetch(source.name).read_bytes(), source.file
    if isinstance(file, RankFile):
        return Tiktoken(read_ranks(data), file.pattern, file.special_tokens, file.normalizers)
    return HuggingFace(data)


def read_ranks(file: bytes) -> dict[bytes, int]:
    """The table of a `.tiktoken` file."""
    lines = (line.split() for line in file.splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in lines}


class HuggingFace:
    """Hugging Face `tokenizers`, on the bytes of a `tokenizer.json`.

    Raises MissingDependency if it is not installed, InvalidTokenizerFile if it refuses the file.
    """

    engine: tokenizers.Tokenizer
    """The engine's own object, which neither pads nor truncates."""

    def __init__(self, file: bytes) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise _missing("tokenizers") from error
        try:
            self.engine = Tokenizer.from_buffer(file)
        except Exception as error:  # the engine raises nothing more precise
            raise InvalidTokenizerFile(f"tokenizers cannot read this file: {error}") from error
        self.engine.no_padding()  # a file can ask for both; they are no part of the encoding
        self.engine.no_truncation()
        self.name = f"tokenizers {version('tokenizers')}"

    def encode(self, text: str) -> list[int]:
        """See `Peer`."""
        ids: list[int] = self.engine.encode(text, add_special_tokens=False).ids
        return ids


class Tiktoken:
    """tiktoken, with a rank table, a pattern and special tokens.

    It does not normalize; a model's own code does that before, and here the other engine does. Raises
    MissingDependency if one of the two is not installed.
    """

    engine: tiktoken.Encoding
    """The engine's own object."""

    def __init__(
        self,
        ranks: Mapping[bytes, int],
        pattern: str,
        special_tokens: Mapping[str, int],
        stages: Iterable[Normalizer] = (),
    ) -> None:
        try:
            import tiktoken
            from tokenizers import normalizers
        except ImportError as error:
            raise _missing("tiktoken") from error
        self.engine = tiktoken.Encoding(
            "peer", pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens=dict(special_tokens)
        )
        self._normalizers = []
        for stage in stages:
            assert isinstance(stage, UnicodeForm), stage  # no family with ranks has another
            self._normalizers.append(getattr(normalizers, stage.form)())
        self.name = f"tiktoken {version('tiktoken')}"

    def normalize(self, text: str) -> str:
        """The text that the engine is given."""
        for normalizer in self._normalizers:
            text = normalizer.normalize_str(text)
        return text

    def encode(self, text: str) -> list[int]:
        """See `Peer`."""
        return self.engine.encode(self.normalize(text), allowed_special="all")


def _missing(package: str) -> MissingDependency:
    return MissingDependency(
        f"the reference engine {package} is not installed; pip install 'verified-tok[compare]'"
    )
