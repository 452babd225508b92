"""What the compiled theorems rest on, read from the compiled files without asking Lean.

Every constant that a theorem's statement or proof names is followed through the project's own modules. The
core library is trusted: its compiled files hold statements and no proofs, so the axioms listed are those
that the project's own modules name. (`lake` lists all.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .olean import Constant, Kind
from .project import Problem

STANDARD_AXIOMS = frozenset({"propext", "Classical.choice", "Quot.sound"})

OTHER_CORE_AXIOMS = frozenset(
    {"sorryAx", "lcProof", "lcAny", "lcCast", "lcErased", "lcUnreachable", "lcVoid", "Quot.lcInv"}
    | {"Lean.ofReduceBool", "Lean.ofReduceNat", "Lean.trustCompiler"}
)
"""All other axioms of the core library: a missing proof, the compiler's own, trust in compiled code."""

UNSOUND_CONSTANTS = OTHER_CORE_AXIOMS | {"Lean.reduceBool", "Lean.reduceNat"}
"""What no declaration may mention; the last two are evaluated by compiled code."""

_COMPILER_COPY = "._unsafe_rec"
"""The compiler's own version of a recursive definition; no proof may name it."""


@dataclass(frozen=True)
class Verdict:
    """One theorem of the manifest and the axioms that it rests on."""

    name: str
    axioms: tuple[str, ...]


def theorem_verdicts(
    theorems: Iterable[str], own: Mapping[str, Constant]
) -> tuple[list[Verdict], list[Problem]]:
    """The verdict on each named theorem, and what is wrong: missing, or resting on another axiom."""
    verdicts, problems = [], []
    for name in theorems:
        constant = own.get(name)
        if constant is None:
            problems.append(Problem(name, "in the manifest, but no module declares it (or it is private)"))
        elif constant.kind is not Kind.THEOREM:
            problems.append(
                Problem(name, f"in the manifest, but it is no theorem: {constant.kind.name.lower()}")
            )
        else:
            used = reached(name, own)
            axioms = sorted(
                used & (STANDARD_AXIOMS | UNSOUND_CONSTANTS) | {x for x in used if _is_axiom(own.get(x))}
            )
            verdicts.append(Verdict(name, tuple(axioms)))
            problems += [
                Problem(name, f"rests on {axiom}") for axiom in axioms if axiom not in STANDARD_AXIOMS
            ]
    return verdicts, problems


def constant_problems(constant: Constant) -> list[Problem]:
    """What is wrong with one declaration, whether or not a theorem of the manifest uses it."""
    found = []
    if constant.kind is Kind.AXIOM:
        found.append("is an axiom")
    if constant.kind is Kind.OPAQUE:
        found.append("is opaque: its value is hidden from the kernel")
    if not constant.is_safe and not constant.name.endswith(_COMPILER_COPY):
        found.append("is unsafe or partial")
    if not constant.is_closed:
        found.append("holds a free variable or a metavariable")
    found += [f"uses {name}" for name in sorted(constant.mentions & UNSOUND_CONSTANTS)]
    if constant.kind is Kind.THEOREM:
        found += [
            f"names the compiler's copy {name}"
            for name in sorted(constant.mentions)
            if name.endswith(_COMPILER_COPY)
        ]
    return [Problem(constant.name, what) for what in found]


def reached(name: str, own: Mapping[str, Constant]) -> set[str]:
    """`name` and every constant that it mentions, directly or through the project's own constants."""
    seen: set[str] = set()
    pending = [name]
    while pending:
        current = pending.pop()
        if current not in seen:
            seen.add(current)
            constant = own.get(current)
            if constant is not None:
                pending += constant.mentions
    return seen


def _is_axiom(constant: Constant | None) -> bool:
    return constant is not None and constant.kind is Kind.AXIOM
