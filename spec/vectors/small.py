"""Two small tokenizers, in Python and in Lean.

One has literals, a pattern of the usual shape and a rank table. The other, `marked`, is of SentencePiece's
kind: it puts a mark in front of a text and in the place of spaces, its symbols are characters and bytes, and
its literals have flags.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import verified_tok
from spec.vectors import lean_text as lean
from spec.vectors.model import fields
from spec.vectors.pattern import pat
from verified_tok.reference.model import encoder
from verified_tok.reference.regex import parse
from verified_tok.reference.tables import FALLBACK_NAMES
from verified_tok.spec import Dialect
from verified_tok.tokenizer import Tokenizer

ALPHABET = "ab<> \n"
LITERALS = {"<a>": 300, "\n<": 301}
PATTERN = r" ?[ab]+| ?[<>]+|[ \n]*\n|[ \n]+(?![ab<>])|[ \n]+"
PARTS = (b"ab", b" a", b"ba", b"aba", b" ab", b"\n\n", b"abab", b"  ", b"<a")
"""The tokens of more than one byte, from 256 on. The letters of the literal `<a>` have one in common."""


def tokenizer() -> Tokenizer:
    """The tokenizer. Its pattern matches every character of the alphabet, so nothing is dropped."""
    ranks = {bytes([b]): b for b in range(256)} | {part: 256 + i for i, part in enumerate(PARTS)}
    return verified_tok.from_tiktoken(ranks, PATTERN, LITERALS)


def definitions() -> Iterator[str]:
    """The same tokenizer as the Lean definition `small`, for texts over the alphabet."""
    entries = [(part, 256 + i) for i, part in enumerate(PARTS)]
    entries += [(char.encode(), ord(char)) for char in ALPHABET]
    ranks = ", ".join(f"({lean.nats(spelling)}, {token})" for spelling, token in entries)
    literals = ", ".join(f"{{ content := {text(content)}, id := {id} }}" for content, id in LITERALS.items())
    yield "def among (cs : List Nat) (c : Nat) : Bool := cs.contains c"
    yield f"def alphabet : List Nat := {text(ALPHABET)}"
    yield f"def ranks : Ranks := [{ranks}]"
    yield f"def pattern : Pat Nat := {pat(parse(PATTERN, Dialect.RUST_REGEX))}"
    yield "def small : Tokenizer Nat where"
    yield f"  literals := [{literals}]"
    yield "  normalize := id"
    yield "  normalizedLiterals := []"
    yield "  stages := [⟨pattern, .removed, true⟩]"
    yield "  encodePiece w :="
    yield "    encodePieceIgnoreMerges (ofRanks ranks) ranks.token? (w.map UInt8.ofNat)"
    yield ""


MARKED_ALPHABET = "ab é<>"
_MARK = "▁"
_CHARS = (_MARK, "a", "b")
_MERGES = (
    (_MARK, "a"),
    ("a", "b"),
    (_MARK, "ab"),
    (_MARK, _MARK),
    ("b", "<0xC3>"),
    ("<0xC3>", "<0xA9>"),
)
_FLAGGED = {"<a": {"rstrip": True}, ">b": {"single_word": True}, "><": {"lstrip": True}}


def marked_tokenizer() -> Tokenizer:
    """The other tokenizer. No character is unknown to it."""
    tokens = ["<unk>", *_CHARS, *FALLBACK_NAMES, *("".join(pair) for pair in _MERGES)]
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    added = [
        {"id": len(tokens) + i, "content": content, **{name: flags.get(name, False) for name in names}}
        for i, (content, flags) in enumerate(_FLAGGED.items())
    ]
    stages = [
        {"type": "Prepend", "prepend": _MARK},
        {"type": "Replace", "pattern": {"String": " "}, "content": _MARK},
    ]
    model = {
        "type": "BPE",
        "vocab": {token: id for id, token in enumerate(tokens)},
        "merges": [list(pair) for pair in _MERGES],
        "unk_token": "<unk>",
        "byte_fallback": True,
    }
    document = {
        "added_tokens": added,
        "normalizer": {"type": "Sequence", "normalizers": stages},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
        "model": model,
    }
    return verified_tok.load(json.dumps(document).encode())


def marked_definitions() -> Iterator[str]:
    """The same tokenizer as the Lean definition `marked`, for texts over its alphabet."""
    tok = marked_tokenizer()
    literals = ", ".join(
        f"{{ content := {text(token.content)}, id := {token.id}, singleWord := {_lean(token.single_word)},"
        f" lstrip := {_lean(token.lstrip)}, rstrip := {_lean(token.rstrip)} }}"
        for token in tok.spec.added_tokens
    )
    yield "def markedModel : CharModel Nat where"
    yield from (f"  {field}" for field in fields(encoder(tok.spec.model), MARKED_ALPHABET + _MARK))
    yield f"def mark (c : Nat) : List Nat := if c = {ord(' ')} then [{ord(_MARK)}] else [c]"
    yield "def marked : Tokenizer Nat where"
    yield f"  literals := [{literals}]"
    yield f"  normalize s := normalizeEach mark (prepend [{ord(_MARK)}] s)"
    yield "  normalizedLiterals := []"
    yield "  stages := []"
    yield "  encodePiece := markedModel.encodePiece"
    yield f"  isWord := among {text('abé')}"
    yield f"  isSpace := among {text(' ')}"
    yield ""


def _lean(value: bool) -> str:
    return str(value).lower()


def text(s: str) -> str:
    """A text in Lean."""
    return lean.nats(map(ord, s))
