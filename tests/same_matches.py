"""Whether patterns match alike on every text, decided by their automata."""

from __future__ import annotations

from collections.abc import Sequence

from verified_tok.native import automaton
from verified_tok.native.automaton import DEAD, Automaton
from verified_tok.native.char_classes import CharClasses
from verified_tok.native.code import Compiler
from verified_tok.reference.pattern import Pat


def match_alike(pats: Sequence[Pat]) -> bool:
    """The first matches of all patterns have the same lengths, at every place of every text."""
    classes = CharClasses.of(pats)
    compiler = Compiler(classes.symbols, classes.every)
    first, *others = (automaton.automaton(compiler.compile(pat), classes.end + 1) for pat in pats)
    return all(_alike(first, other) for other in others)


def _alike(one: Automaton, other: Automaton) -> bool:
    """In no text, the matches that the two notice last lie at different places."""
    fresh = [(one.start, other.start, True)]  # and whether the matches noticed so far are the same
    seen = set(fresh)
    while fresh:
        a, b, alike = fresh.pop()
        rows = (one.matched[a], other.matched[b], one.target[a], other.target[b])
        for noticed, too, behind, behind_other in zip(*map(list, rows), strict=True):
            same = bool(noticed and too) if noticed or too else alike
            if behind == behind_other == DEAD:
                if not same:
                    return False
            elif (state := (int(behind), int(behind_other), same)) not in seen:
                seen.add(state)
                fresh.append(state)
    return True
