"""An exact tokenizer whose key properties are proved in Lean 4.

>>> import verified_tok as vt
>>> tok = vt.from_tiktoken({bytes([b]): b for b in range(256)}, r"\\p{L}+|\\P{L}", {"<|end|>": 256})
>>> tok.decode(tok.encode("Hi!<|end|>"))
'Hi!<|end|>'
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING

from verified_tok import errors, loading, spec
from verified_tok.audit import audit
from verified_tok.encoding import Encoding
from verified_tok.later import later
from verified_tok.loading import Ranks
from verified_tok.options import check_path
from verified_tok.session import Patch, Session
from verified_tok.spec import TokenizerSpec
from verified_tok.tokenizer import Tokenizer

if TYPE_CHECKING:
    from verified_tok import chat
    from verified_tok.conversation import Conversation
    from verified_tok.reference.stream import StreamDecoder

__all__ = [
    "Conversation",
    "Encoding",
    "Patch",
    "Session",
    "StreamDecoder",
    "Tokenizer",
    "TokenizerSpec",
    "audit",
    "chat",
    "errors",
    "from_pretrained",
    "from_tiktoken",
    "load",
    "spec",
]


def load(source: str | PathLike[str] | bytes | bytearray | memoryview) -> Tokenizer:
    """The tokenizer of a Hugging Face `tokenizer.json`: its path, or its bytes.

    Raises `InvalidTokenizerFile` if it is none, `UnsupportedTokenizer` if it uses what the kit does not
    reproduce exactly (both in `verified_tok.errors`), OSError if the file cannot be read, and `InvalidOption`
    for what is no path.
    """
    data = (
        bytes(source)
        if isinstance(source, bytes | bytearray | memoryview)
        else check_path(source).read_bytes()
    )
    return Tokenizer(loading.load_json(data))


def from_tiktoken(
    ranks: Ranks,
    pattern: str,
    special_tokens: Mapping[str, int],
    normalizer: spec.Normalizer | None = None,
) -> Tokenizer:
    """The tokenizer that tiktoken makes of ranks (or a `.tiktoken` file: its path or bytes), a pattern and
    special tokens. tiktoken has no normalizer, but the code around some models has one (Qwen's: NFC).

    Raises what `load` raises.
    """
    if normalizer is not None and not isinstance(normalizer, spec.Normalizer):
        raise errors.UnsupportedTokenizer(
            (
                errors.UnsupportedConstruct(
                    "normalizer", normalizer, "give a stage such as spec.UnicodeForm('NFC')"
                ),
            )
        )
    normalizers = () if normalizer is None else (normalizer,)
    return Tokenizer(loading.from_ranks(ranks, pattern, special_tokens, normalizers))


def from_pretrained(repo_id: str, revision: str | None = None) -> Tokenizer:
    """The tokenizer of a model repository on the Hugging Face hub; needs `pip install 'verified-tok[hf]'`.

    Raises `MissingDependency`, `FetchError`, `InvalidOption` for names that are no str, and what `load`
    raises.
    """
    return Tokenizer(loading.from_pretrained(repo_id, revision))


# What takes as long to import as all the rest, and what few programs need, waits until it is asked for.
__getattr__ = later(
    "verified_tok",
    {
        "Conversation": "verified_tok.conversation",
        "StreamDecoder": "verified_tok.reference.stream",
        "chat": "verified_tok.chat",
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
