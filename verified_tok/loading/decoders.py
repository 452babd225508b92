"""The `decoder` field of a tokenizer file."""

from __future__ import annotations

from verified_tok.loading.node import U64, Node, stages
from verified_tok.loading.patterns import read_pattern
from verified_tok.loading.pre_tokenizers import read_byte_level, read_metaspace
from verified_tok.spec import (
    ByteFallbackDecode,
    ByteLevelDecode,
    Decoder,
    FuseDecode,
    Literal,
    MetaspaceDecode,
    ReplaceDecode,
    StripDecode,
)

_NONE = (
    "without a decoder the reference engine puts a space between all tokens, so the text never comes back; "
    "name the decoder that undoes the pre-tokenizer"
)
_REMEDIES = {
    "WordPiece": "comes with WordPiece models, which are not supported",
    "BPEDecoder": "undoes an end-of-word suffix, which is not supported",
    "CTC": "is for speech models",
}
_UNKNOWN = "not a known decoder (ByteLevel, Replace, ByteFallback, Fuse, Strip, Metaspace, Sequence)"


def read_decoders(node: Node) -> tuple[Decoder, ...]:
    """The decoder's stages in order."""
    if node.value is None:
        node.unsupported(_NONE)
    return tuple(stages(node, "decoders", _read))


def _read(node: Node, kind: str) -> Decoder | None:
    match kind:
        case "ByteLevel":
            read_byte_level(node)  # well-formed; none of its flags acts on decoding
            return ByteLevelDecode()
        case "Replace":
            fields = node.record("type", "pattern", "content")
            content = fields["content"].string()
            pattern = read_pattern(fields["pattern"])
            if isinstance(pattern, Literal) and pattern.text:
                return ReplaceDecode(pattern, content)
            fields["pattern"].unsupported("decoders replace non-empty strings only")
            return None
        case "ByteFallback":
            node.record("type")
            return ByteFallbackDecode()
        case "Fuse":
            node.record("type")
            return FuseDecode()
        case "Strip":
            fields = node.record("type", "content", "start", "stop")
            start, stop = fields["start"].natural(U64), fields["stop"].natural(U64)
            return StripDecode(fields["content"].character(), start, stop)
        case "Metaspace":
            metaspace = read_metaspace(node)
            return MetaspaceDecode(metaspace.replacement, metaspace.prepend_scheme)
        case _:
            node.child("type").unsupported(_REMEDIES.get(kind, _UNKNOWN))
            return None
