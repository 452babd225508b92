"""The independent engines that the kit is compared with, opened on the same tokenizer file.

A `tokenizer.json` is opened by Hugging Face `tokenizers`, a rank file by `tiktoken`. Neither is needed
to use the kit: they come with the extra `bench`.
"""

from __future__ import annotations

import base64
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from verified_tok.errors import InvalidTokenizerFile, MissingDependency
from verified_tok.families import Family, RankFile
from verified_tok.fetch import fetch
from verified_tok.spec import UnicodeForm


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
        return _HuggingFace(source)
    if isinstance(source.file, RankFile):
        return _Tiktoken(source.name, fetch(source.name), source.file)
    return _HuggingFace(fetch(source.name))


class _HuggingFace:
    def __init__(self, path: Path) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise _missing("tokenizers") from error
        try:
            self._tokenizer = Tokenizer.from_buffer(path.read_bytes())
        except Exception as error:  # the engine raises nothing more precise
            raise InvalidTokenizerFile(f"tokenizers cannot read {path}: {error}") from error
        self._tokenizer.no_padding()  # a file can ask for both; they are no part of the encoding
        self._tokenizer.no_truncation()
        self.name = f"tokenizers {version('tokenizers')}"

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids


class _Tiktoken:
    def __init__(self, name: str, path: Path, file: RankFile) -> None:
        try:
            import tiktoken
            from tokenizers import normalizers
        except ImportError as error:
            raise _missing("tiktoken") from error
        lines = (line.split() for line in path.read_bytes().splitlines())
        self._encoding = tiktoken.Encoding(
            name,
            pat_str=file.pattern,
            mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in lines},
            special_tokens=dict(file.special_tokens),
        )
        # tiktoken does not normalize; a model's own code does it before, and here the other engine does
        self._normalizers = [
            getattr(normalizers, stage.form)() for stage in file.normalizers if isinstance(stage, UnicodeForm)
        ]
        assert len(self._normalizers) == len(file.normalizers), file.normalizers
        self.name = f"tiktoken {version('tiktoken')}"

    def encode(self, text: str) -> list[int]:
        for normalizer in self._normalizers:
            text = normalizer.normalize_str(text)
        return self._encoding.encode(text, allowed_special="all")


def _missing(package: str) -> MissingDependency:
    return MissingDependency(
        f"the reference engine {package} is not installed; pip install 'verified-tok[bench]'"
    )
