"""Layouts: how an event is written, as data.

A layout is a string in the notation of `str.format`: control tokens stand in it by their literals, `{name}`
is a slot for text from outside, `{name:json}` a slot that is written as a JSON string, and `{{`, `}}` are
braces. Filled and cut at its control tokens, it is a list of *segments*:

    control tokens   one id each, from the template only
    runs of text     encoded with every added token switched off, so that no text becomes a control token

A run reaches from one control token to the next and is encoded as one text, because tokens merge there in the
rendering that models were trained on (`}` and the newline behind it are one token of Qwen).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import Formatter
from typing import Literal, cast

from verified_tok.errors import InvalidTemplate


@dataclass(frozen=True, slots=True)
class Control:
    """A control token, by the literal of an added token."""

    literal: str


@dataclass(frozen=True, slots=True)
class Text:
    """Text that is encoded with every added token switched off."""

    text: str


Form = Literal["text", "json", "indented", "typescript"]

_FORMS: Mapping[str, frozenset[str]] = {"tools": frozenset({"indented", "typescript"})}
"""The forms of a slot; of those that are not named, `json` alone."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for text from outside, written as it is or as a JSON string. (Descriptions of tools have other
    forms: see `chat.definitions`.)"""

    name: str
    form: Form = "text"

    def write(self, value: str) -> str:
        """What stands in the slot for a value."""
        return json.dumps(value, ensure_ascii=False) if self.form == "json" else value

    def read(self, written: str) -> str | None:
        """The value of what stands in the slot; None if it has none."""
        if self.form == "text":
            return written
        try:
            value = json.loads(written)
        except ValueError:
            return None
        return value if isinstance(value, str) and self.write(value) == written else None


Segment = Control | Text
Segments = tuple[Segment, ...]
Layout = tuple[Control | Text | Slot, ...]

IN_SLOT = "[^\ud800-\udfff]"
"""Characters of a slot, as a regular expression: neither a sign for a control token nor a broken byte."""


def read_layout(notation: str, controls: Sequence[str], slots: frozenset[str]) -> Layout:
    """A layout from its notation. Raises `InvalidTemplate` for braces that do not match, a slot that is not
    among `slots`, and one that occurs twice."""
    pieces: list[Control | Text | Slot] = []
    seen: set[str] = set()
    try:
        fields = list(Formatter().parse(notation))
    except ValueError as error:
        raise InvalidTemplate(f"the layout {notation!r} is malformed: {error}") from None
    for text, name, form, conversion in fields:
        pieces += cut(text, controls)
        if name is None:
            continue
        if name not in slots or form not in {"", *_FORMS.get(name, {"json"})} or conversion:
            known = ", ".join(f"{{{slot}}}" for slot in sorted(slots)) or "none"
            raise InvalidTemplate(f"the layout {notation!r} has a field {name!r}; its slots are {known}")
        if name in seen:
            raise InvalidTemplate(f"the layout {notation!r} has the slot {name!r} twice")
        seen.add(name)
        pieces.append(Slot(name, cast(Form, form or "text")))
    for left, right in pairwise(pieces):
        if isinstance(left, Slot) and isinstance(right, Slot):
            raise InvalidTemplate(
                f"the layout {notation!r} has nothing between {left.name!r} and {right.name!r}"
            )
    return joined(pieces)


def joined(layout: Iterable[Control | Text | Slot]) -> Layout:
    """A layout with neighbouring texts made one."""
    found: list[Control | Text | Slot] = []
    for piece in layout:
        last = found[-1] if found else None
        if isinstance(piece, Text) and isinstance(last, Text):
            found[-1] = Text(last.text + piece.text)
        else:
            found.append(piece)
    return tuple(found)


def cut(text: str, controls: Sequence[str]) -> Iterator[Segment]:
    """Cut text at the literals of control tokens, the longest first."""
    literals = sorted(controls, key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, literals))})", text) if literals else [text]
    for place, part in enumerate(parts):
        if part:
            yield Control(part) if place % 2 else Text(part)


def fill(layout: Layout, values: Mapping[str, str]) -> Segments:
    """A layout with values in its slots."""
    return join(*(Text(p.write(values[p.name])) if isinstance(p, Slot) else p for p in layout))


def join(*segments: Segment) -> Segments:
    """Segments with neighbouring texts made one run, and empty ones left out."""
    joined: list[Segment] = []
    for segment in segments:
        if isinstance(segment, Control):
            joined.append(segment)
        elif segment.text:
            last = joined[-1] if joined else None
            if isinstance(last, Text):
                joined[-1] = Text(last.text + segment.text)
            else:
                joined.append(segment)
    return tuple(joined)


def without_front(segments: Segments, front: Segments) -> Segments | None:
    """What is left of segments behind `front`; None if they do not begin so."""
    rest = list(segments)
    for place, segment in enumerate(front):
        first = rest.pop(0) if rest else None
        if first == segment:
            continue
        if not (
            isinstance(first, Text) and isinstance(segment, Text) and first.text.startswith(segment.text)
        ):
            return None
        if place != len(front) - 1:
            return None
        rest.insert(0, Text(first.text[len(segment.text) :]))
    return tuple(rest)


class Alphabet:
    """Writes segments as one string, in which a lone surrogate stands for each control token: no text holds
    one, so the string says exactly what the segments are."""

    def __init__(self, controls: Sequence[str]) -> None:
        self._signs = {literal: chr(0xD800 + place) for place, literal in enumerate(controls)}
        self._literals = {sign: literal for literal, sign in self._signs.items()}

    def sign(self, literal: str) -> str:
        """The sign that stands for a control token."""
        return self._signs[literal]

    def spell(self, segments: Sequence[Segment]) -> str:
        """Segments as a string."""
        return "".join(self._signs[s.literal] if isinstance(s, Control) else s.text for s in segments)

    def literal(self, spelled: str) -> str:
        """A spelled string with the literals of control tokens in the place of their signs."""
        return "".join(self._literals.get(char, char) for char in spelled)

    def regex(self, layout: Layout) -> str:
        """A regular expression, without anchors, for what a layout spells; its groups are the slots."""
        parts = []
        for place, piece in enumerate(layout):
            match piece:
                case Control(literal):
                    parts.append(self._signs[literal])
                case Text(text):
                    parts.append(re.escape(text))
                case Slot(name):
                    following = layout[place + 1] if place + 1 < len(layout) else None
                    repeat = "*?" if isinstance(following, Text) else "*+"
                    parts.append(f"(?P<{name}>{IN_SLOT}{repeat})")
        return "".join(parts)
