"""A value of a JSON document together with its place in it, read with typed accessors.

Two things can be wrong with a value. If it is not what the format says, reading stops with
`InvalidTokenizerFile`. If it is well-formed and the kit does not reproduce it, that is noted in
`problems`, and reading goes on, so that one error can name everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from verified_tok.errors import InvalidTokenizerFile, UnsupportedConstruct
from verified_tok.loading.document import kind_of

Stage = TypeVar("Stage")

U32 = 2**32 - 1
U64 = 2**64 - 1
MAX_NESTING = 32  # the reference engine gives up at 63


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value, its path such as `model.merges[3]`, and the list that collects what is not supported.

    Whatever reads the value raises `InvalidTokenizerFile` if it is not what the name says.
    """

    value: object
    path: str
    problems: list[UnsupportedConstruct]

    # --- what is wrong ---------------------------------------------------------------------------

    def invalid(self, what: str) -> InvalidTokenizerFile:
        """The error to raise for a value that the format does not allow."""
        return InvalidTokenizerFile(f"{self.path or 'the file'}: {what}")

    def expected(self, what: str) -> InvalidTokenizerFile:
        """The error to raise for a value of another type."""
        shown = f": {self.value!r}" if isinstance(self.value, str | int | float) else ""
        return self.invalid(f"{what} is expected, not {kind_of(self.value)}{shown}")

    def unsupported(self, remedy: str) -> None:
        """Note that the kit does not reproduce this value, and what would support it."""
        self.problems.append(UnsupportedConstruct(self.path, self.value, remedy))

    # --- scalars ---------------------------------------------------------------------------------

    def string(self) -> str:
        """Any string."""
        if not isinstance(self.value, str):
            raise self.expected("a string")
        return self.value

    def character(self) -> str:
        """A string of one character."""
        text = self.string()
        if len(text) != 1:
            raise self.invalid(f"one character is expected, not {text!r}")
        return text

    def boolean(self) -> bool:
        """`true` or `false`."""
        if not isinstance(self.value, bool):
            raise self.expected("true or false")
        return self.value

    def natural(self, limit: int = U32) -> int:
        """An integer from 0 to `limit`."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.expected("an integer")
        if not 0 <= self.value <= limit:
            raise self.invalid(f"an integer from 0 to {limit} is expected, not {self.value}")
        return self.value

    def one_of(self, *choices: str) -> str:
        """One of some strings."""
        text = self.string()
        if text not in choices:
            raise self.invalid(f"one of {', '.join(choices)} is expected, not {text!r}")
        return text

    # --- containers ------------------------------------------------------------------------------

    def object(self) -> dict[str, object]:
        """The values of an object by their keys."""
        if not isinstance(self.value, dict):
            raise self.expected("an object")
        return self.value

    def child(self, key: str) -> Node:
        """The value of a key that is there."""
        return Node(self.object()[key], f"{self.path}.{key}" if self.path else key, self.problems)

    def items(self) -> list[Node]:
        """The elements of an array."""
        if not isinstance(self.value, list):
            raise self.expected("an array")
        return [Node(item, f"{self.path}[{i}]", self.problems) for i, item in enumerate(self.value)]

    def record(self, *required: str, optional: tuple[str, ...] = ()) -> dict[str, Node]:
        """The fields of an object: every required one, and those optional ones that are there.

        A key that is neither is noted as not supported: it may mean something to another version of
        the reference engine.
        """
        present = self.object()
        for key in required:
            if key not in present:
                raise self.invalid(f"the field `{key}` is missing")
        for key in present:
            if key not in required and key not in optional:
                self.child(key).unsupported("an unknown field; remove it if it means nothing")
        return {key: self.child(key) for key in (*required, *optional) if key in present}

    def kind(self) -> str | None:
        """The `type` of an object; if it has none, that is noted as not supported."""
        if "type" in self.object():
            return self.child("type").string()
        self.unsupported("an object without `type`; write the type that is meant")
        return None


def stages(
    node: Node, members: str, read: Callable[[Node, str], Stage | None], nesting: int = 0
) -> Iterator[Stage]:
    """The stages of a pipeline in order: none for null, and those of a `Sequence` (whose field `members`
    lists them) one after the other. `read` gives a single stage, or notes that it is not supported."""
    if node.value is None and not nesting:
        return
    kind = node.kind()
    if kind == "Sequence" and nesting == MAX_NESTING:
        node.child("type").unsupported(f"more than {MAX_NESTING} sequences inside each other; flatten them")
    elif kind == "Sequence":
        for item in node.record("type", members)[members].items():
            yield from stages(item, members, read, nesting + 1)
    elif kind is not None:
        stage = read(node, kind)
        if stage is not None:
            yield stage
