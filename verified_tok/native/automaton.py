"""Patterns as automata that find the best match in one pass over the text.

A state is a list of instructions at which a back-tracking matcher could stand, best first. What a step does
depends on the next symbol, which is known before it is taken: so looking one character ahead costs nothing,
and a match is noticed when the symbol behind it is read. Choices worse than one that has matched are dropped,
so the match noticed last is the best one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from verified_tok.native.char_classes import Symbols
from verified_tok.native.code import Code, Op
from verified_tok.reference.numbering import numbered

STATE_LIMIT = 2_000
"""How many states an automaton may have; patterns that need more are matched by their instructions."""

DEAD = 0


@dataclass(frozen=True, slots=True)
class Automaton:
    """`target[s, c]` is the state behind state `s` and symbol `c`; `matched[s, c]`: the text before that
    symbol is a match, better than those before it. State 0 is dead."""

    target: npt.NDArray[np.int32]
    matched: npt.NDArray[np.bool_]
    start: int

    @property
    def symbols(self) -> int:
        """How many symbols there are; the end of the text is the last one."""
        return int(self.target.shape[1])

    @property
    def nullable(self) -> bool:
        """Whether the empty text can be a match."""
        return bool(self.matched[self.start].any())

    def never_matches(self) -> bool:
        """Whether there is no match in any text."""
        return not any(self.matched[state].any() for state in self._reached(self.start))

    def always_matches(self) -> bool:
        """Whether a match of at least one character begins everywhere."""
        unmatched = np.where(self.matched, -1, self.target)
        fresh = [int(state) for state in self.target[self.start, :-1]]
        seen = set(fresh)
        while fresh:
            behind = set(unmatched[fresh.pop()].tolist()) - {-1}
            fresh += behind - seen
            seen |= behind
        return DEAD not in seen

    def _reached(self, state: int) -> set[int]:
        fresh, seen = [state], {state}
        while fresh:
            behind = set(self.target[fresh.pop()].tolist())
            fresh += behind - seen
            seen |= behind
        return seen


def automaton(code: Code, symbols: int) -> Automaton | None:
    """The automaton of some instructions over so many symbols, the end of the text being the last one.

    None if they cannot become an automaton, or one with too many states.
    """
    if any(item.op in (Op.MARK, Op.CUT, Op.REFUSE, Op.FAIL) for item in code):
        return None
    numbers: dict[tuple[int, ...], int] = {(): DEAD, (0,): 1}
    states = list(numbers)
    target: list[list[int]] = []
    matched: list[list[bool]] = []
    for state in states:  # grows while it is read
        steps = [_step(code, state, symbol) for symbol in range(symbols)]
        for behind, _ in steps:
            if behind not in numbers:
                numbers[behind] = len(states)
                states.append(behind)
        if len(states) > STATE_LIMIT:
            return None
        target.append([numbers[behind] for behind, _ in steps])
        matched.append([match for _, match in steps])
    return _smallest(Automaton(np.array(target, dtype=np.int32), np.array(matched), start=1))


def _step(code: Code, state: tuple[int, ...], symbol: int) -> tuple[tuple[int, ...], bool]:
    """The state behind a symbol, and whether there is a match before it."""
    behind: dict[int, None] = {}
    seen: set[int] = set()
    for place in state:
        stack = [place]
        while stack:
            place = stack.pop()
            if place in seen:
                continue  # a better choice has come here
            seen.add(place)
            item = code[place]
            match item.op:
                case Op.MATCH:
                    return tuple(behind), True
                case Op.ONE:
                    if item.argument >> symbol & 1:
                        behind[place + 1] = None
                case Op.RUN:
                    if item.argument >> symbol & 1:
                        behind[place] = None
                    stack.append(place + 1)
                case Op.TEST:
                    if item.argument >> symbol & 1:
                        stack.append(place + 1)
                case Op.FORK:
                    stack += [item.argument, place + 1]
                case Op.JUMP:
                    stack.append(item.argument)
    return tuple(behind), False


def _smallest(made: Automaton) -> Automaton:
    """The same automaton with states that behave alike made one (Moore's refinement). The dead state, which
    is the first, stays the first."""
    kind = np.zeros(len(made.target), dtype=np.int32)
    kinds = 0
    while True:
        behaviour = np.hstack([kind[:, None], kind[made.target], made.matched])
        numbers, first = numbered(row.tobytes() for row in behaviour)
        kind = np.array(numbers, dtype=np.int32)
        if len(first) == kinds:
            return Automaton(kind[made.target[first]], made.matched[first], int(kind[made.start]))
        kinds = len(first)


def within(made: Automaton, chars: Symbols) -> Automaton:
    """The automaton for texts that end in front of each character that is not in `chars`."""
    outside = _columns(~chars, made.symbols)
    target, matched = made.target.copy(), made.matched.copy()
    target[:, outside] = target[:, -1:]
    matched[:, outside] = matched[:, -1:]
    return Automaton(target, matched, made.start)


def chosen(chars: Symbols, inside: Automaton, outside: Automaton) -> Automaton:
    """An automaton that is `inside` on texts that begin with a character in `chars`, else `outside`.

    Neither matches the empty text.
    """
    shift = len(outside.target)
    target = np.where(inside.target == DEAD, DEAD, inside.target + shift)
    first = _columns(chars, outside.symbols)
    start = np.where(first, target[inside.start], outside.target[outside.start])
    return _smallest(
        Automaton(
            np.vstack([outside.target, target, start]).astype(np.int32),
            np.vstack([outside.matched, inside.matched, np.zeros_like(first)]),
            start=shift + len(target),
        )
    )


def _columns(chars: Symbols, symbols: int) -> npt.NDArray[np.bool_]:
    return np.array([chars >> symbol & 1 for symbol in range(symbols)], dtype=np.bool_)
