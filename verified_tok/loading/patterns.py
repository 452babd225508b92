"""Patterns of `Split` and `Replace`: a plain string or a regular expression."""

from __future__ import annotations

from verified_tok.errors import PatternError
from verified_tok.loading.node import Node
from verified_tok.reference import regex
from verified_tok.spec import Dialect, Literal, Regex


def read_pattern(node: Node) -> Literal | Regex | None:
    """`{"String": text}` or `{"Regex": text}`; None if the regular expression is not supported."""
    fields = node.object()
    if len(fields) != 1 or not fields.keys() <= {"String", "Regex"}:
        raise node.invalid('{"String": ...} or {"Regex": ...} is expected')
    if "String" in fields:
        return Literal(node.child("String").string())
    return read_regex(node.child("Regex"), Dialect.ONIGURUMA)


def read_regex(node: Node, dialect: Dialect) -> Regex | None:
    """A regular expression, parsed once to see that the kit knows its syntax."""
    text = node.string()
    try:
        regex.parse(text, dialect)
    except PatternError as error:
        around = f"{text[max(0, error.position - 20) : error.position]}⟦here⟧{text[error.position :][:20]}"
        node.unsupported(f"{error.reason} at position {error.position}: {around}")
        return None
    return Regex(text)
