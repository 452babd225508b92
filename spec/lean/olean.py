"""Reads the constants of a compiled module: Lean's object graph as it lies in the file, 32-bit or 64-bit.

A module is compiled into up to three parts, `.olean` (what importers see), `.olean.server` and
`.olean.private` (the proofs); later parts point into earlier ones, and the last one's root is the whole
module. A part begins with 80 bytes of header, the address that it wants to be loaded at, and its root; all
pointers are absolute for that address.

The numbers below are those of Lean 4.28: the order of constructors and fields in `Lean.Expr`,
`Lean.ConstantInfo` and `Lean.ModuleData`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeVar

from .errors import LeanToolError

T = TypeVar("T")

PARTS = (".olean", ".olean.server", ".olean.private")

_MAGIC = b"olean"
_BASE_ADDRESS_AT = 80
_OBJECT_HEADER = 8
_ARRAY_TAG, _STRING_TAG = 246, 249
_NAME_STRING = 1
_MODULE_CONSTANTS, _MODULE_ENTRIES = 2, 4  # fields of ModuleData
_ORIGINAL_KINDS = "_private.Lean.AddDecl.0.Lean.privateConstKindsExt"
"""The entries that tell what a constant was before its proof or value was left out for importers."""

_EXPR_CONST = 4
_EXPR_PROJECTION = 11
_EXPR_VARIABLES = (1, 2)  # free variables and metavariables: never in a finished declaration
_EXPR_LEAVES = (0, 3, 9)  # bound variable, sort, literal
_EXPR_CHILDREN = {5: (0, 1), 6: (1, 2), 7: (1, 2), 8: (1, 2, 3), 10: (1,), _EXPR_PROJECTION: (2,)}


class Kind(Enum):
    """What a constant is, in the order of `Lean.ConstantInfo`."""

    AXIOM = 0
    DEFINITION = 1
    THEOREM = 2
    OPAQUE = 3
    QUOTIENT = 4
    INDUCTIVE = 5
    CONSTRUCTOR = 6
    RECURSOR = 7


_WITH_VALUE = (Kind.DEFINITION, Kind.THEOREM, Kind.OPAQUE)
_SAFE = 1  # of unsafe, safe, partial


@dataclass(frozen=True)
class Constant:
    """A declaration that the kernel accepted, and the constants that its type and value name."""

    name: str
    kind: Kind
    mentions: frozenset[str]
    is_safe: bool
    is_closed: bool


def constants(module: Path) -> list[Constant]:
    """The constants of the module whose parts are `module` + PARTS. Raises LeanToolError if malformed."""
    return _read(module, lambda objects: objects.constants())


def axioms(module: Path) -> list[str]:
    """The axioms that a module declares, though only its `.olean` part is there. Raises LeanToolError.

    In that part theorems are axioms too, and the module's entries tell which of them were something else.
    """
    return _read(module, lambda objects: objects.axioms())


def _read(module: Path, read: Callable[[_Objects], list[T]]) -> list[T]:
    parts = [Path(f"{module}{suffix}") for suffix in PARTS]
    present = [part for part in parts if part.is_file()]
    if not present:
        raise LeanToolError(f"{parts[0]}: no such compiled file")
    try:
        return read(_Objects(present))
    except (IndexError, ValueError, KeyError, RecursionError) as error:
        raise LeanToolError(f"{parts[0]}: not a compiled Lean 4.28 module ({error!r})") from None


class _Objects:
    """The object graph of one module. A value is a pointer, or a small number: twice it, plus one."""

    def __init__(self, parts: list[Path]) -> None:
        contents = [path.read_bytes() for path in parts]
        if not all(data.startswith(_MAGIC) for data in contents):
            raise ValueError(f"a part does not begin with {_MAGIC!r}")
        self.word = _word_size(contents[0])
        self.parts = [(self.header_word(data, 0), data) for data in contents]
        self.names: dict[int, str] = {}

    def header_word(self, data: bytes, index: int) -> int:
        """After the header: the base address (0) and the root (1)."""
        at = _BASE_ADDRESS_AT + index * self.word
        return int.from_bytes(data[at : at + self.word], "little")

    def root(self) -> int:
        return self.header_word(self.parts[-1][1], 1)

    def constants(self) -> list[Constant]:
        return [self.constant(info) for info in self.array(self.field(self.root(), _MODULE_CONSTANTS))]

    def axioms(self) -> list[str]:
        infos = self.array(self.field(self.root(), _MODULE_CONSTANTS))
        axioms = [info for info in infos if Kind(self.tag(info)) is Kind.AXIOM]
        names = [self.name(self.field(self.field(self.field(info, 0), 0), 0)) for info in axioms]
        changed = self.changed_for_importers()
        return [name for name in names if name not in changed]

    def changed_for_importers(self) -> set[str]:
        entries = self.array(self.field(self.root(), _MODULE_ENTRIES))
        kinds = [
            self.array(self.field(e, 1)) for e in entries if self.name(self.field(e, 0)) == _ORIGINAL_KINDS
        ]
        return {self.name(self.field(pair, 0)) for pairs in kinds for pair in pairs}

    def constant(self, info: int) -> Constant:
        """A `ConstantInfo`: its one field is a value that begins with name, universe parameters and type."""
        kind = Kind(self.tag(info))
        value = self.field(info, 0)
        signature = self.field(value, 0)
        expressions = [self.field(signature, 2)]
        if kind in _WITH_VALUE:
            expressions.append(self.field(value, 1))
        mentions, is_closed = self.mentioned(expressions)
        # A definition's safety is the first byte after its object fields.
        is_safe = kind is not Kind.DEFINITION or self.scalar(value, 0) == _SAFE
        return Constant(self.name(self.field(signature, 0)), kind, frozenset(mentions), is_safe, is_closed)

    def mentioned(self, expressions: list[int]) -> tuple[set[str], bool]:
        """The constants that the expressions name, and whether they are free of variables from outside."""
        found: set[str] = set()
        is_closed = True
        seen: set[int] = set()
        pending = list(expressions)
        while pending:
            expression = pending.pop()
            if expression & 1 or expression in seen:
                continue
            seen.add(expression)
            tag = self.tag(expression)
            if tag in (_EXPR_CONST, _EXPR_PROJECTION):
                found.add(self.name(self.field(expression, 0)))
            if tag in _EXPR_CHILDREN:
                pending += [self.field(expression, child) for child in _EXPR_CHILDREN[tag]]
            elif tag in _EXPR_VARIABLES:
                is_closed = False
            elif tag != _EXPR_CONST and tag not in _EXPR_LEAVES:
                raise ValueError(f"expression with constructor {tag}")
        return found, is_closed

    def name(self, pointer: int) -> str:
        """A `Name` as it is written, with dots."""
        if pointer & 1:
            return ""
        known = self.names.get(pointer)
        if known is None:
            prefix, last = self.name(self.field(pointer, 0)), self.field(pointer, 1)
            part = self.string(last) if self.tag(pointer) == _NAME_STRING else str(last >> 1)
            known = self.names[pointer] = f"{prefix}.{part}" if prefix else part
        return known

    def place(self, pointer: int) -> tuple[bytes, int]:
        """The part that holds the object, and where in it."""
        for base, data in self.parts:
            if base <= pointer < base + len(data):
                return data, pointer - base
        raise ValueError(f"a pointer leads outside the module: {pointer:#x}")

    def tag(self, pointer: int) -> int:
        data, at = self.place(pointer)
        return data[at + 7]

    def field(self, pointer: int, index: int) -> int:
        data, at = self.place(pointer)
        at += _OBJECT_HEADER + index * self.word
        return int.from_bytes(data[at : at + self.word], "little")

    def scalar(self, pointer: int, index: int) -> int:
        data, at = self.place(pointer)
        object_fields = data[at + 6]
        return data[at + _OBJECT_HEADER + object_fields * self.word + index]

    def array(self, pointer: int) -> list[int]:
        """An array object: length, capacity, items."""
        self.expect(pointer, _ARRAY_TAG)
        return [self.field(pointer, 2 + index) for index in range(self.field(pointer, 0))]

    def string(self, pointer: int) -> str:
        """A string object: bytes with the final zero, capacity, length in characters, then the bytes."""
        self.expect(pointer, _STRING_TAG)
        data, at = self.place(pointer)
        start = at + _OBJECT_HEADER + 3 * self.word
        return data[start : start + self.field(pointer, 0) - 1].decode()

    def expect(self, pointer: int, tag: int) -> None:
        if self.tag(pointer) != tag:
            raise ValueError(f"an object has tag {self.tag(pointer)}, wanted {tag}")


def _word_size(data: bytes) -> int:
    """4 or 8: the size for which the root of the first part lies within it."""
    for word in (4, 8):
        base, root = (
            int.from_bytes(data[at : at + word], "little")
            for at in (_BASE_ADDRESS_AT, _BASE_ADDRESS_AT + word)
        )
        if base < root < base + len(data):
            return word
    raise ValueError("no word size fits the header")
