"""Words that the sources may not hold, because they weaken a proof or hide what a statement says.

The compiled files are audited too (`audit`); this scan names the line, and it also sees `example`s, which
leave no constant behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from .lexer import Token, tokens
from .modules import Module
from .project import Problem, Project

_UNPROVED = "it leaves something unproved"
_COMPILED = "it trusts compiled code instead of the kernel"
_UNCHECKED = "its value is not what the kernel sees"
_META = "it runs code or adds syntax while a file is checked"
_NOTATION = "a reader must be able to read every statement in the core notation"

FORBIDDEN_NAMES = {
    **dict.fromkeys(("sorryAx", "lcProof", "lcUnreachable", "lcAny"), _UNPROVED),
    **dict.fromkeys(("ofReduceBool", "ofReduceNat", "reduceBool", "reduceNat", "trustCompiler"), _COMPILED),
    **dict.fromkeys(("unsafeCast", "unsafeIO", "unsafeBaseIO"), _UNCHECKED),
}
"""Constants that may not be named, alone or as the last part of a dotted name, and why."""

FORBIDDEN_WORDS = FORBIDDEN_NAMES | {
    **dict.fromkeys(("sorry", "admit", "axiom"), _UNPROVED),
    **dict.fromkeys(("native_decide", "native", "bv_decide", "bv_check"), _COMPILED),
    **dict.fromkeys(("unsafe", "partial", "opaque", "implemented_by", "extern", "csimp"), _UNCHECKED),
    **dict.fromkeys(("macro", "macro_rules", "syntax", "declare_syntax_cat", "elab", "elab_rules"), _META),
    **dict.fromkeys(("run_cmd", "run_elab", "run_meta", "run_tac", "by_elab", "meta", "prelude"), _META),
    **dict.fromkeys(("initialize", "builtin_initialize", "simproc", "dsimproc"), _META),
    **dict.fromkeys(("notation", "notation3", "infix", "infixl", "infixr", "prefix", "postfix"), _NOTATION),
    **dict.fromkeys(("binder_predicate", "unif_hint"), _NOTATION),
}
"""Words that may not stand alone, and why."""

ALLOWED_OPTIONS = frozenset({"maxRecDepth", "maxHeartbeats"})
"""`set_option` may set these: they bound the checker's effort and cannot make it accept more."""

_UNFOLDING = ("expose", "no_expose", "reducible", "implicit_reducible", "semireducible", "irreducible")
_TACTICS = ("simp", "grind", "ext", "instance", "elab_as_elim", "induction_eliminator", "cases_eliminator")
_COMPILATION = ("inline", "always_inline", "specialize", "match_pattern")
ALLOWED_ATTRIBUTES = frozenset((*_UNFOLDING, *_TACTICS, *_COMPILATION))
"""Attributes that steer tactics, unfolding or inlining; none of them touches what the kernel checks."""

_ATTRIBUTE_MODIFIERS = ("local", "scoped", "-")


def source_problems(project: Project, module: Module) -> list[Problem]:
    """Everything in one file that the rules refuse, with file, line and column."""
    words = list(tokens(module.source))
    where = project.relative(module.path)
    found = [*_forbidden_words(words), *_options(words), *_attributes(words)]
    found.sort(key=lambda item: (item[0].line, item[0].column))
    return [Problem(f"{where}:{word.line}:{word.column}", what) for word, what in found]


def _forbidden_words(words: list[Token]) -> Iterator[tuple[Token, str]]:
    for word in words:
        if word.text.startswith("#") and len(word.text) > 1:
            yield word, f"'{word.text}' is not allowed: {_META}"
        name = word.text if word.text in FORBIDDEN_WORDS else word.text.rpartition(".")[2]
        why = FORBIDDEN_WORDS.get(word.text) or FORBIDDEN_NAMES.get(name)
        if why:
            yield word, f"'{name}' is not allowed: {why}"


def _options(words: list[Token]) -> Iterator[tuple[Token, str]]:
    for word, option in pairwise(words):
        if word.text == "set_option" and option.text not in ALLOWED_OPTIONS:
            allowed = ", ".join(sorted(ALLOWED_OPTIONS))
            yield word, f"'set_option {option.text}' is not allowed: only {allowed}"


def _attributes(words: list[Token]) -> Iterator[tuple[Token, str]]:
    """Reads the names in `@[a, b x]` and `attribute [a, b x]`: the first word of each entry."""
    opened = False
    depth = 0
    at_entry = False
    for previous, word in zip([None, *words], words, strict=False):
        if not opened:
            if word.text == "@[" or (
                word.text == "[" and previous is not None and previous.text == "attribute"
            ):
                opened, depth, at_entry = True, 1, True
        elif word.text in ("[", "(", "{", "@["):
            depth += 1
        elif word.text in ("]", ")", "}"):
            depth -= 1
            opened = depth > 0
        elif depth == 1 and word.text == ",":
            at_entry = True
        elif at_entry and word.text not in _ATTRIBUTE_MODIFIERS:
            at_entry = False
            if word.text not in ALLOWED_ATTRIBUTES and word.text not in FORBIDDEN_WORDS:
                yield word, f"the attribute '{word.text}' is not in the allowed list of the source rules"
