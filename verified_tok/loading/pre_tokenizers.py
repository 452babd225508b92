"""The `pre_tokenizer` field of a tokenizer file."""

from __future__ import annotations

from verified_tok.loading.node import Node, stages
from verified_tok.loading.patterns import read_pattern
from verified_tok.spec import (
    ByteLevel,
    Digits,
    Metaspace,
    PreTokenizer,
    Punctuation,
    Split,
    SplitBehavior,
)

_SPLIT = "can be written as a Split with a regular expression"
_REMEDIES = {
    "Whitespace": rf"{_SPLIT}: \w+|[^\w\s]+, Removed, inverted",
    "WhitespaceSplit": rf"{_SPLIT}: \s+, Removed",
    "CharDelimiterSplit": f"{_SPLIT}: the character, Removed",
    "BertPreTokenizer": "comes with WordPiece models, which are not supported",
    "UnicodeScripts": "needs the reference engine's table of scripts",
    "FixedLength": r"can be written as a Split with the pattern [\s\S]{1,n}, Isolated",
}
_UNKNOWN = "not a known pre-tokenizer (Split, ByteLevel, Digits, Punctuation, Metaspace, Sequence)"


def read_pre_tokenizers(node: Node) -> tuple[PreTokenizer, ...]:
    """The pre-tokenizer's stages in order."""
    return tuple(stages(node, "pretokenizers", _read))


def read_byte_level(node: Node) -> tuple[bool, bool, bool]:
    """`add_prefix_space`, `trim_offsets` and `use_regex` of a `ByteLevel`; old files leave out the last,
    which is then true."""
    fields = node.record("type", "add_prefix_space", "trim_offsets", optional=("use_regex",))
    use_regex = fields["use_regex"].boolean() if "use_regex" in fields else True
    return fields["add_prefix_space"].boolean(), fields["trim_offsets"].boolean(), use_regex


def read_metaspace(node: Node) -> Metaspace:
    """A `Metaspace`. Old files say `add_prefix_space` instead of `prepend_scheme`, and repeat the
    replacement as `str_rep`, which nothing reads."""
    fields = node.record(
        "type", "replacement", optional=("prepend_scheme", "split", "add_prefix_space", "str_rep")
    )
    scheme = "always"
    if "prepend_scheme" in fields:
        scheme = fields["prepend_scheme"].one_of("always", "first", "never")
    if _given(fields, "add_prefix_space") and not fields["add_prefix_space"].boolean() and scheme != "never":
        raise fields["add_prefix_space"].invalid(
            f"false contradicts the prepend_scheme {scheme!r}; the reference engine refuses this, too: "
            'write "prepend_scheme": "never"'
        )
    if "str_rep" in fields:
        fields["str_rep"].string()
    split = fields["split"].boolean() if _given(fields, "split") else True
    return Metaspace(fields["replacement"].character(), scheme, split)


def read_behavior(node: Node) -> SplitBehavior:
    """What happens to the matches of a pattern."""
    return SplitBehavior(node.one_of(*(behavior.value for behavior in SplitBehavior)))


def _given(fields: dict[str, Node], name: str) -> bool:
    return name in fields and fields[name].value is not None


def _read(node: Node, kind: str) -> PreTokenizer | None:
    match kind:
        case "Split":
            fields = node.record("type", "pattern", "behavior", "invert")
            behavior, invert = read_behavior(fields["behavior"]), fields["invert"].boolean()
            pattern = read_pattern(fields["pattern"])
            return Split(pattern, behavior, invert) if pattern else None
        case "ByteLevel":
            add_prefix_space, _, use_regex = read_byte_level(node)
            return ByteLevel(add_prefix_space, use_regex)
        case "Digits":
            return Digits(node.record("type", "individual_digits")["individual_digits"].boolean())
        case "Punctuation":
            fields = node.record("type", optional=("behavior",))
            return Punctuation(
                read_behavior(fields["behavior"]) if "behavior" in fields else SplitBehavior.ISOLATED
            )
        case "Metaspace":
            return read_metaspace(node)
        case _:
            node.child("type").unsupported(_REMEDIES.get(kind, _UNKNOWN))
            return None
