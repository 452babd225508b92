"""Templates as tables of ids: from layouts to the `Template` of `reference.chat`, for one tokenizer.

Text of a layout that stands in one run with a slot is encoded together with it; everything before the first
such run is the *lead* of the event and never changes. Where layouts meet inside a run (the opening of a group
and its first item), encoding must not merge across the place; if it would, the template is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING

from verified_tok.chat.definitions import Descriptions
from verified_tok.chat.layout import Control, Layout, Segments, Slot, Text, fill, join, joined, read_layout
from verified_tok.errors import InvalidTemplate
from verified_tok.reference import chat
from verified_tok.reference.chat import ALL_PLACES, Edge, FixedIds, Ids, Kind, Part

if TYPE_CHECKING:
    from verified_tok.chat.template import Group, Template

_NONE: frozenset[str] = frozenset()
_CONTENT = frozenset({"content"})
_RESULT = frozenset({"content", "name"})


@dataclass(frozen=True, slots=True)
class Coding:
    """How a tokenizer writes segments: the ids of control tokens by their literals, and of text in which
    nothing is an added token."""

    control: Callable[[str], int]
    text: Callable[[str], Sequence[int]]

    def ids(self, segments: Segments) -> Ids:
        """The ids of segments."""
        return tuple(
            id
            for s in segments
            for id in ((self.control(s.literal),) if isinstance(s, Control) else self.text(s.text))
        )


@dataclass(frozen=True, slots=True)
class MessageLayout:
    """How one kind of message is written: `lead`, an `item` for each of its items, `closing`.

    In a group whose items are not set apart by control tokens, all results are one text: they stand in one
    slot, with `joint` between them.
    """

    lead: Segments
    item: Layout
    closing: Segments
    many: bool = False
    joint: str = ""

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots of an item, in order."""
        return tuple(piece for piece in self.item if isinstance(piece, Slot))


def message_layouts(template: Template) -> dict[Kind, MessageLayout]:
    """The layouts of a template's messages, by kind. Raises `InvalidTemplate`."""
    layouts = {}
    if template.system is not None:
        layouts[Kind.SYSTEM] = _single(_read(template, template.system, _CONTENT))
    if template.definitions is not None:
        layouts[Kind.DEVELOPER] = _single(Descriptions(template, template.definitions).layout)
    layouts[Kind.USER] = _single(_read(template, template.user, _CONTENT))
    if template.tools is not None:
        layouts[Kind.TOOLS] = _group(template, template.tools)
    for kind, layout in layouts.items():
        if not any(slot.name == "content" for slot in layout.slots):
            raise InvalidTemplate(f"the layout of {kind} has no slot {{content}}")
    return layouts


def generation_prompt(template: Template) -> Segments:
    """The segments of the generation prompt."""
    return fill(_read(template, template.prompt + template.prefill, _NONE), {})


def compile_template(
    template: Template, coding: Coding, control: frozenset[int], stops: Ids
) -> chat.Template:
    """A template's table for a tokenizer. `control` holds the ids that no text is encoded to, `stops` those
    of its `closes`. Raises `InvalidTemplate`."""
    layouts = message_layouts(template)
    begin = fill(_read(template, template.begin, _NONE), {})
    separator = fill(_read(template, template.separator, _NONE), {})
    prompt = generation_prompt(template)
    in_system = template.definitions is not None and not template.definitions.in_user_message
    systems = {Kind.SYSTEM, *((Kind.DEVELOPER,) if in_system else ())}
    lead = {}
    for place in ALL_PLACES:
        front = begin if place is Edge.START else separator
        for kind, layout in layouts.items():
            late = template.system_first and place is not Edge.START
            if place is kind is Kind.TOOLS or (late and kind in systems):
                continue
            lead[place, kind] = coding.ids(join(*front, *layout.lead))
        if not template.tools_open_turn or place is Kind.USER:
            lead[place, Kind.ASSISTANT] = coding.ids(join(*front, *prompt))
        elif place is Kind.TOOLS:
            lead[place, Kind.ASSISTANT] = ()
    for layout in layouts.values():
        _check_borders(layout, coding)
    order = [Kind.TOOLS, Kind.DEVELOPER, Kind.USER, Kind.SYSTEM, Kind.ASSISTANT]
    return chat.Template(
        control=control,
        lead=lead,
        item={kind: tuple(_parts(layout.item, coding)) for kind, layout in layouts.items()},
        closing={kind: coding.ids(layout.closing) for kind, layout in layouts.items()},
        many=frozenset(kind for kind, layout in layouts.items() if layout.many),
        stops=stops,
        kinds=tuple(kind for kind in order if kind in layouts or kind is Kind.ASSISTANT),
    )


def _read(template: Template, notation: str, slots: frozenset[str]) -> Layout:
    return read_layout(notation, template.controls, slots)


def _single(layout: Layout) -> MessageLayout:
    """A message with one item: the lead reaches up to the run of the first slot."""
    first = next((place for place, piece in enumerate(layout) if isinstance(piece, Slot)), len(layout))
    run = next((place + 1 for place in range(first - 1, -1, -1) if isinstance(layout[place], Control)), 0)
    return MessageLayout(fill(layout[:run], {}), layout[run:], ())


def _group(template: Template, group: Group) -> MessageLayout:
    opening, closing = (fill(_read(template, part, _NONE), {}) for part in (group.open, group.close))
    item = _read(template, group.item, _RESULT)
    if any(isinstance(piece, Control) for piece in item):
        return MessageLayout(opening, item, closing, many=True)
    if [piece.name for piece in item if isinstance(piece, Slot)] != ["content"]:
        raise InvalidTemplate(
            f"the item {group.item!r} of a group has no control token, so it is {{content}} alone"
        )
    place = next(place for place, piece in enumerate(item) if isinstance(piece, Slot))
    texts = [
        "".join(p.text for p in part if isinstance(p, Text)) for part in (item[place + 1 :], item[:place])
    ]
    whole = _single(joined((*opening, *item, *closing)))
    return MessageLayout(whole.lead, whole.item, (), joint="".join(texts))


def _runs(layout: Layout) -> Iterator[Control | list[Text | Slot]]:
    """The control tokens of a layout and what stands between them."""
    run: list[Text | Slot] = []
    for piece in layout:
        if isinstance(piece, Control):
            if run:
                yield run
            yield piece
            run = []
        else:
            run.append(piece)
    if run:
        yield run


def _parts(layout: Layout, coding: Coding) -> Iterator[Part]:
    for run in _runs(layout):
        if isinstance(run, Control):
            yield FixedIds((coding.control(run.literal),))
            continue
        places = [place for place, piece in enumerate(run) if isinstance(piece, Slot)]
        if len(places) > 1:
            raise InvalidTemplate("there is no control token between two slots of a message")
        texts = [piece.text if isinstance(piece, Text) else "" for piece in run]
        if places:
            yield chat.Slot("".join(texts[: places[0]]).encode(), "".join(texts[places[0] :]).encode())
        else:
            yield FixedIds(tuple(coding.text("".join(texts))))


def _check_borders(layout: MessageLayout, coding: Coding) -> None:
    """Encoding the parts of a message apart must give what encoding them as one gives."""
    pieces: list[Layout] = [layout.lead, layout.item, layout.closing]
    if layout.many:
        pieces.insert(1, layout.item)
    for left, right in pairwise(pieces):
        if not left or not right or isinstance(left[-1], Control) or isinstance(right[0], Control):
            continue
        if isinstance(left[-1], Slot) or isinstance(right[0], Slot):
            raise InvalidTemplate("a slot at the border of a message's item has no control token beside it")
        texts = left[-1].text, right[0].text
        inside = (len(right) > 1 and isinstance(right[1], Slot)) or (
            len(left) > 1 and isinstance(left[-2], Slot)
        )
        apart = [*coding.text(texts[0]), *coding.text(texts[1])]
        if inside or list(coding.text("".join(texts))) != apart:
            raise InvalidTemplate(
                f"the texts {texts[0]!r} and {texts[1]!r} meet in a group and would be encoded as one: "
                "put a control token between them"
            )


# --- checked on small conversations -------------------------------------------------------------------

_FIRST_BYTE = 1024
"""In the check, a control token's id is its place, and every byte is a token from here on."""


def check_template(template: Template) -> None:
    """Raise `InvalidTemplate` unless small conversations of every shape are read back by `reference.chat`."""
    if len(template.controls) > _FIRST_BYTE:
        raise InvalidTemplate(f"a template has at most {_FIRST_BYTE} control tokens")
    coding = Coding(template.controls.index, lambda text: [_FIRST_BYTE + byte for byte in text.encode()])
    stops = tuple(map(coding.control, template.closes))
    compiled = compile_template(template, coding, frozenset(range(len(template.controls))), stops)
    if any(isinstance(s, Control) and s.literal in template.closes for s in generation_prompt(template)):
        raise InvalidTemplate("the generation prompt holds a control token that closes the turn")
    coder = chat.Coder(
        lambda data: [_FIRST_BYTE + byte for byte in data],
        lambda id: template.controls[id].encode() if id < _FIRST_BYTE else bytes([id - _FIRST_BYTE]),
    )
    for events in _small_conversations(compiled):
        found = chat.parse(compiled, coder, Edge.START, chat.render(compiled, coder, Edge.START, events))
        if found != chat.founds(compiled, coder, Edge.START, events):
            written = chat.render_bytes(compiled, coder, Edge.START, events).decode(errors="replace")
            raise InvalidTemplate(f"what the template writes cannot be read back: {written!r}")


def _small_conversations(compiled: chat.Template) -> Iterator[list[chat.Event]]:
    """Every kind of event behind every other that it may follow, with another before them if the first of
    them cannot begin a conversation."""
    paths = [(), *((kind,) for kind in compiled.kinds)]
    for first, second in product(compiled.kinds, repeat=2):
        before = next((path for path in paths if _goes(compiled, (*path, first, second))), None)
        if before is not None:
            turns = enumerate((*before, first, second))
            yield [event for place, kind in turns for event in _small_turn(compiled, kind, place)]


def _goes(compiled: chat.Template, kinds: Sequence[Kind]) -> bool:
    return all(step in compiled.lead for step in pairwise((Edge.START, *kinds)))


def _small_turn(compiled: chat.Template, kind: Kind, place: int) -> Iterator[chat.Event]:
    text = ("x", "a\nb", "1")[place].encode()
    if kind is Kind.ASSISTANT:
        yield chat.Span(tuple(_FIRST_BYTE + byte for byte in text))
        yield chat.Close(compiled.stops[place % len(compiled.stops)])
        return
    slots = sum(isinstance(part, chat.Slot) for part in compiled.item[kind])
    items = 1 + place if kind in compiled.many else 1
    yield chat.Message(kind, ((text,) * slots,) * items)
