"""The `normalizer` field of a tokenizer file."""

from __future__ import annotations

from verified_tok.loading.node import Node, stages
from verified_tok.loading.patterns import read_pattern
from verified_tok.reference.regex import pat_of
from verified_tok.reference.seam import nullable
from verified_tok.spec import Normalizer, Prepend, ReplaceAll, StripSpace, UnicodeForm

_TABLE = "needs a table of what the reference engine does to every character"
_REMEDIES = {
    "NFD": _TABLE,
    "NFKD": _TABLE,
    "Lowercase": _TABLE,
    "StripAccents": _TABLE,
    "Nmt": _TABLE,
    "BertNormalizer": f"comes with WordPiece models; {_TABLE}",
    "Precompiled": "comes with Unigram models; needs a reader for SentencePiece's character map",
    "ByteLevel": "byte-level characters come from the pre-tokenizer of that name; use that one",
}
_UNKNOWN = "not a known normalizer (NFC, NFKC, Replace, Prepend, Strip, Sequence)"


def read_normalizers(node: Node) -> tuple[Normalizer, ...]:
    """The normalizer's stages in order."""
    return tuple(stages(node, "normalizers", _read))


def _read(node: Node, kind: str) -> Normalizer | None:
    match kind:
        case "NFC" | "NFKC":
            node.record("type")
            return UnicodeForm(kind)
        case "Replace":
            fields = node.record("type", "pattern", "content")
            content = fields["content"].string()
            pattern = read_pattern(fields["pattern"])
            if pattern and nullable(pat_of(pattern)):
                # Measured: the reference engine then loses count of its text, and a later stage panics.
                fields["pattern"].unsupported("it can match nothing; say what it should replace")
            return ReplaceAll(pattern, content) if pattern else None
        case "Prepend":
            text = node.record("type", "prepend")["prepend"]
            if not text.string():  # measured: the reference engine panics in a later stage
                text.unsupported("an empty string; leave the stage out")
            return Prepend(text.string())
        case "Strip":
            fields = node.record("type", "strip_left", "strip_right")
            return StripSpace(fields["strip_left"].boolean(), fields["strip_right"].boolean())
        case _:
            node.child("type").unsupported(_REMEDIES.get(kind, _UNKNOWN))
            return None
