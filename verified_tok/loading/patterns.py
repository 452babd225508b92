"""Patterns of `Split` and `Replace`: a plain string or a regular expression."""

from __future__ import annotations

from verified_tok.errors import PatternError
from verified_tok.loading.node import Node
from verified_tok.reference.regex import pat_of
from verified_tok.spec import Dialect, Literal, Regex


def read_pattern(node: Node) -> Literal | Regex | None:
    """`{"String": text}` or `{"Regex": text}`; None if it has no `Pat`, which is noted."""
    fields = node.object()
    if len(fields) != 1 or not fields.keys() <= {"String", "Regex"}:
        raise node.invalid('{"String": ...} or {"Regex": ...} is expected')
    if "String" in fields:
        text = node.child("String")
        return Literal(text.string()) if has_meaning(text, Literal(text.string())) else None
    return read_regex(node.child("Regex"), Dialect.ONIGURUMA)


def read_regex(node: Node, dialect: Dialect) -> Regex | None:
    """A regular expression; None if it has no `Pat`, which is noted."""
    pattern = Regex(node.string())
    return pattern if has_meaning(node, pattern, dialect) else None


def has_meaning(node: Node, pattern: Literal | Regex, dialect: Dialect = Dialect.ONIGURUMA) -> bool:
    """Whether there is a `Pat` for a pattern. If not, the place where it stops being clear is noted."""
    try:
        pat_of(pattern, dialect)
    except PatternError as error:
        text, at = pattern.text, error.position
        around = f"{text[max(0, at - 20) : at]}⟦here⟧{text[at : at + 20]}"
        node.unsupported(f"{error.reason} at position {at}: {around}")
        return False
    return True
