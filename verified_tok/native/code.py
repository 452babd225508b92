"""Patterns as instructions, over classes of characters instead of sets.

The automaton is made of them, and the back-tracking matcher runs them. Here the two constructs that need
memory, atomic groups and looking ahead, become tests of a single character wherever that means the same:
`(?>s+)` is `s+(?!s)`, for example. What is left of them has instructions that the automaton cannot take.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from verified_tok.native import NotNative
from verified_tok.native.char_classes import Symbols
from verified_tok.reference.charset import CharSet
from verified_tok.reference.pattern import Alt, Atomic, Chr, Eps, NotAhead, Pat, Seq, Star

CODE_LIMIT = 20_000
"""How many instructions a pattern may have."""


class Op(IntEnum):
    """What an instruction does; `argument` is a set of symbols or the place of an instruction."""

    MATCH = 0
    ONE = 1  # take a character of the set
    RUN = 2  # take as many characters of the set as possible, fewer when what follows fails
    TEST = 3  # go on if the next symbol is in the set
    FORK = 4  # go on with the next instruction or, when that fails, at the argument
    JUMP = 5
    MARK = 6  # remember this place on the stack; when what follows fails, go on at the argument
    CUT = 7  # forget all choices since the mark whose argument is this one
    REFUSE = 8  # forget them likewise, and fail
    FAIL = 9


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction."""

    op: Op
    argument: int = 0


Code = list[Instruction]


@dataclass(frozen=True, slots=True)
class _Test:
    """Succeeds without consuming if the next symbol is in the set."""

    symbols: Symbols


_Node = Pat | _Test


class Compiler:
    """Compiles patterns; `symbols_of` translates their sets."""

    def __init__(self, symbols_of: Callable[[CharSet], Symbols], every: Symbols) -> None:
        self.symbols_of = symbols_of
        self.every = every

    def compile(self, pat: Pat) -> Code:
        """The instructions of a pattern; raises NotNative if there are too many."""
        code: Code = []
        self._emit(pat, code, last=True)
        code.append(Instruction(Op.MATCH))
        return code

    def _emit(self, pat: _Node, code: Code, last: bool) -> None:
        """Append the instructions of a part; `last`: only its best match counts, because nothing follows."""
        if len(code) > CODE_LIMIT:
            raise NotNative(f"a pattern of more than {CODE_LIMIT} instructions")
        match pat:
            case Eps():
                pass
            case Chr(chars):
                code.append(Instruction(Op.ONE, self.symbols_of(chars)))
            case Star(chars):
                code.append(Instruction(Op.RUN, self.symbols_of(chars)))
            case _Test(symbols):
                code.append(Instruction(Op.TEST, symbols))
            case Seq(first, second):
                self._emit(first, code, last=False)
                self._emit(second, code, last)
            case Alt(first, second):
                fork = len(code)
                code.append(Instruction(Op.FORK))
                self._emit(first, code, last)
                jump = len(code)
                code.append(Instruction(Op.JUMP))
                code[fork] = Instruction(Op.FORK, len(code))
                self._emit(second, code, last)
                code[jump] = Instruction(Op.JUMP, len(code))
            case NotAhead(body):
                deciding = self.decided(pat)
                if deciding is not None:
                    code.append(Instruction(Op.TEST, deciding))
                else:
                    self._fenced(body, code, Op.REFUSE)
            case Atomic(body):
                same = body if last else self.determined(body)
                if same is not None:
                    self._emit(same, code, last)
                else:
                    self._fenced(body, code, Op.CUT)

    def _fenced(self, body: Pat, code: Code, op: Op) -> None:
        """`MARK body op`; where the mark leads when the body fails tells the marks apart."""
        mark = len(code)
        code.append(Instruction(Op.MARK))
        self._emit(body, code, last=True)
        exit = len(code)
        code.append(Instruction(op))
        if op is Op.CUT:
            code += [Instruction(Op.JUMP, exit + 3), Instruction(Op.FAIL)]
            elsewhere = exit + 2
        else:
            elsewhere = exit + 1
        code[mark] = Instruction(Op.MARK, elsewhere)
        code[exit] = Instruction(op, elsewhere)

    def decided(self, pat: _Node) -> Symbols | None:
        """The next symbols with which a pattern has a match; None if more than the next symbol decides."""
        match pat:
            case Eps() | Star():
                return self.every
            case Chr(chars):
                return self.symbols_of(chars)
            case _Test(symbols):
                return symbols
            case NotAhead(body):
                symbols_of_body = self.decided(body)
                return None if symbols_of_body is None else self.every & ~symbols_of_body
            case Atomic(body):
                return self.decided(body)
            case Alt(first, second):
                a = self.decided(first)
                if a == self.every:
                    return a
                b = self.decided(second)
                return None if a is None or b is None else a | b
            case Seq(first, second):
                a, b = self.decided(first), self.decided(second)
                if b == self.every:
                    return a
                consumes_nothing = isinstance(first, Eps | NotAhead | _Test)
                return a & b if consumes_nothing and a is not None and b is not None else None

    def determined(self, pat: _Node) -> _Node | None:
        """A pattern without atomic groups whose only match is the best one of `pat`; None if not found."""
        match pat:
            case Eps() | Chr() | NotAhead() | _Test():
                return pat
            case Star(chars):
                return Seq(pat, NotAhead(Chr(chars)))
            case Atomic(body):
                return self.determined(body)
            case Seq(first, second):
                rest = self.determined(second)
                if not _single(first) and self.decided(second) != self.every:
                    return None
                start = self.determined(first)
                return None if start is None or rest is None else _seq(start, rest)
            case Alt(first, second):
                a = self.decided(first)
                if a is None:
                    return None
                preferred = self.determined(first)
                if a == self.every or preferred is None:
                    return preferred
                other = self.determined(second)
                return None if other is None else _alt(preferred, _seq(_Test(self.every & ~a), other))


def _seq(first: _Node, second: _Node) -> Pat:
    return Seq(first, second)  # type: ignore[arg-type]  # a test is no pattern of the reference


def _alt(first: _Node, second: _Node) -> Pat:
    return Alt(first, second)  # type: ignore[arg-type]


def _single(pat: _Node) -> bool:
    """Whether a pattern has at most one match."""
    match pat:
        case Seq(first, second):
            return _single(first) and _single(second)
        case Star() | Alt():
            return False
        case _:
            return True
