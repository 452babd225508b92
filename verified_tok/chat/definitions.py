"""Messages that describe tools: their text, written and read.

Content and descriptions stand in one run of text, so they are one slot of the event; what the two layouts of
`Definitions` (with a content and without) have in common around it is the event's own form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from verified_tok.chat.layout import Control, Layout, Segments, Slot, Text, fill, read_layout
from verified_tok.chat.typescript import function_type
from verified_tok.errors import InvalidMessage, InvalidTemplate

if TYPE_CHECKING:
    from verified_tok.chat.template import Definitions, Template

_FORMS: dict[str, Callable[[object], str]] = {
    "text": lambda tool: json.dumps(tool, ensure_ascii=False),
    "indented": lambda tool: json.dumps(tool, ensure_ascii=False, indent=4),
    "typescript": function_type,
}


class _Around(NamedTuple):
    """A layout with all of its run as texts around the slots."""

    before: Segments
    front: str
    slots: tuple[Slot, ...]
    middle: str
    back: str
    after: Segments


class Descriptions:
    """What a template's `definitions` write. Raises `InvalidTemplate`."""

    def __init__(self, template: Template, definitions: Definitions) -> None:
        self._name = template.name
        self._between = definitions.between
        self._whole = _around(definitions.layout, template.controls, frozenset({"content", "tools"}))
        self._alone = (
            None
            if definitions.alone is None
            else _around(definitions.alone, template.controls, frozenset({"tools"}))
        )
        other = self._alone or self._whole
        if (other.before, other.after) != (self._whole.before, self._whole.after):
            raise InvalidTemplate(
                "definitions with a content and without stand between the same control tokens"
            )
        forms = {slot.form for one in (self._whole, other) for slot in one.slots if slot.name == "tools"}
        if len(forms) > 1:
            raise InvalidTemplate(f"tools are described in one form, not in {' and '.join(sorted(forms))}")
        self._front = _common_front(self._whole.front, other.front)
        self._back = _common_front(self._whole.back[::-1], other.back[::-1])[::-1]
        self._write = _FORMS[forms.pop()]

    @property
    def layout(self) -> Layout:
        """The layout of the event; its slot `content` has what `text` gives."""
        front, back = (tuple(Text(text) for text in (part,) if text) for part in (self._front, self._back))
        return (*self._whole.before, *front, Slot("content"), *back, *self._whole.after)

    def text(self, content: str | None, tools: Sequence[str]) -> str:
        """A content and descriptions, each as JSON text, as they stand in the event's slot.

        Raises `InvalidMessage` if the format cannot write a tool, or has no form without a content.
        """
        described = self._between.join(self._described(place, tool) for place, tool in enumerate(tools))
        if content is None:
            if self._alone is None:
                raise InvalidMessage(
                    f"{self._name} describes tools beside a content: give one, empty if need be"
                )
            whole = self._alone.front + described + self._alone.back
        else:
            values = {"content": content, "tools": described}
            first, second = (values[slot.name] for slot in self._whole.slots)
            whole = self._whole.front + first + self._whole.middle + second + self._whole.back
        return whole[len(self._front) : len(whole) - len(self._back)]

    def read(self, text: str) -> tuple[str | None, tuple[str, ...]]:
        """The content and the descriptions of what stands in the slot; `text` gives it back, if it has one of
        the two forms. Otherwise all of it is content."""
        whole = self._front + text + self._back
        inside = _inside(whole, self._whole)
        if inside is not None and self._whole.middle in inside:
            if self._whole.slots[0].name == "content":
                content, _, described = inside.rpartition(self._whole.middle)
                return content, self._read(described)
            stop = self._stop(inside)
            return inside[stop + len(self._whole.middle) :], self._read(inside[:stop])
        alone = None if self._alone is None else _inside(whole, self._alone)
        return (whole, ()) if alone is None else (None, self._read(alone))

    def _described(self, place: int, tool: str) -> str:
        """One description; one that is a string is written as it is."""
        value = json.loads(tool)
        if isinstance(value, str):
            return value
        try:
            return self._write(value)
        except InvalidMessage as error:
            raise InvalidMessage(f"tools[{place}]: {error}") from None
        except RecursionError:
            raise InvalidMessage(f"tools[{place}] is nested too deeply") from None

    def _stop(self, inside: str) -> int:
        """Where the descriptions before a content end: they go on as long as there are some."""
        stop = end = inside.index(self._whole.middle)
        while end >= 0 and all(map(self._is_described, self._parts(inside[:end]))):
            stop, end = end, inside.find(self._whole.middle, end + 1)
        return stop

    def _read(self, described: str) -> tuple[str, ...]:
        """Descriptions as JSON text; a string, if they are not as they would be written."""
        parts = self._parts(described)
        if all(map(self._is_described, parts)):
            return tuple(json.dumps(json.loads(part), ensure_ascii=False) for part in parts)
        return (json.dumps(described, ensure_ascii=False),)

    def _parts(self, described: str) -> list[str]:
        return described.split(self._between) if self._between else [described]

    def _is_described(self, text: str) -> bool:
        """Whether a text is JSON as this format writes it."""
        try:
            value = json.loads(text)
            return not isinstance(value, str) and self._write(value) == text
        except (ValueError, RecursionError):  # (what cannot be described raises a ValueError, too)
            return False


def _around(notation: str, controls: Sequence[str], slots: frozenset[str]) -> _Around:
    layout = read_layout(notation, controls, slots)
    places = [place for place, piece in enumerate(layout) if isinstance(piece, Slot)]
    found = tuple(piece for piece in layout if isinstance(piece, Slot))
    inside = layout[places[0] + 1 : places[-1]] if places else ()
    if {slot.name for slot in found} != slots or any(isinstance(piece, Control) for piece in inside):
        names = " and ".join(f"{{{slot}}}" for slot in sorted(slots))
        raise InvalidTemplate(f"the layout {notation!r} must have {names}, with no control token between")
    start, stop = places[0], places[-1] + 1
    has_front = start > 0 and isinstance(layout[start - 1], Text)
    has_back = stop < len(layout) and isinstance(layout[stop], Text)
    front, middle, back = (
        "".join(piece.text for piece in part if isinstance(piece, Text))
        for part in (layout[start - has_front : start], inside, layout[stop : stop + has_back])
    )
    before, after = fill(layout[: start - has_front], {}), fill(layout[stop + has_back :], {})
    return _Around(before, front, found, middle, back, after)


def _common_front(left: str, right: str) -> str:
    """What both texts begin with."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))
    return "".join(char for char, _ in same)


def _inside(text: str, around: _Around) -> str | None:
    """What stands between front and back of a layout."""
    length = len(around.front) + len(around.back)
    if len(text) < length or not (text.startswith(around.front) and text.endswith(around.back)):
        return None
    return text[len(around.front) : len(text) - len(around.back)]
