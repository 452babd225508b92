"""Five small chat formats, each of the shape of a real one, over a small vocabulary."""

from __future__ import annotations

from collections.abc import Mapping

from verified_tok.reference import bpe
from verified_tok.reference.chat import (
    ALL_PLACES,
    Coder,
    Edge,
    FixedIds,
    Ids,
    Kind,
    Part,
    Place,
    Slot,
    Template,
)

RULES = [(10, 10), (46, 10), (97, 98), (117, 10), (60, 124)]
"""Merges, as a textbook's: two newlines, a full stop and a newline, `ab`, the end of a header, `<|`."""
TABLE = bpe.textbook(RULES)

# Literals of the formats' control tokens, by id.
START, END, RESULT, RESULT_END, THINK = 300, 301, 302, 303, 304
BOS, HEADER, HEADER_END, TURN_END, CALL_END = 310, 311, 312, 313, 314
OPEN, SHUT, MESSAGE, CHANNEL, RETURN, CALL = 320, 321, 322, 323, 324, 325
BEGIN, USER, ASSISTANT, SENTENCE_END, OUTPUT, OUTPUT_END = 330, 331, 332, 333, 334, 335
CONTROL: Mapping[int, bytes] = {
    START: b"<|s|>", END: b"<|e|>", RESULT: b"<r>", RESULT_END: b"</r>", THINK: b"<t>",
    BOS: b"<|b|>", HEADER: b"<|h|>", HEADER_END: b"<|/h|>", TURN_END: b"<|et|>", CALL_END: b"<|em|>",
    OPEN: b"<|o|>", SHUT: b"<|x|>", MESSAGE: b"<|m|>", CHANNEL: b"<|c|>", RETURN: b"<|r|>", CALL: b"<|f|>",
    BEGIN: b"<B>", USER: b"<U>", ASSISTANT: b"<A>", SENTENCE_END: b"<S>", OUTPUT: b"<O>", OUTPUT_END: b"</O>",
}  # fmt: skip


def enc(text: bytes) -> Ids:
    """The ids of a text; it has no control token, whatever the text is."""
    return tuple(bpe.encode_piece(TABLE, text))


def bytes_of(id: int) -> bytes:
    """The bytes of a token."""
    if id in CONTROL:
        return CONTROL[id]
    return bytes([id]) if id < 256 else bytes(RULES[id - 256])


CODER = Coder(enc, bytes_of)
LATER: tuple[Place, ...] = tuple(place for place in ALL_PLACES if place is not Edge.START)


def _everywhere(kind: Kind, header: Ids, start: Ids = (), later: Ids = ()) -> dict[tuple[Place, Kind], Ids]:
    """The header at every place, behind what begins a conversation or what separates events."""
    return {(place, kind): (start if place is Edge.START else later) + header for place in ALL_PLACES}


def _format(
    leads: Mapping[tuple[Place, Kind], Ids],
    item: Mapping[Kind, tuple[Part, ...]],
    closing: Mapping[Kind, Ids],
    stops: Ids,
    kinds: str,
) -> Template:
    return Template(
        control=frozenset(CONTROL),
        lead=leads,
        item={kind: item.get(kind, (Slot(),)) for kind in Kind},
        closing={kind: closing.get(kind, ()) for kind in Kind},
        many=frozenset({Kind.TOOLS}),
        stops=stops,
        kinds=tuple(map(Kind, kinds.split())),
    )


def chatml() -> Template:
    """As Qwen3: events are separated, and a group of results is a turn of the user."""
    newline = enc(b"\n")
    headers = {
        Kind.SYSTEM: enc(b"s\n"),
        Kind.USER: enc(b"u\n"),
        Kind.TOOLS: enc(b"u"),
        Kind.ASSISTANT: enc(b"a\n"),
    }
    return _format(
        leads={
            key: lead
            for kind, header in headers.items()
            for key, lead in _everywhere(kind, (START, *header), later=newline).items()
        },
        item={Kind.TOOLS: (FixedIds((*newline, RESULT)), Slot(b"\n", b"\n"), FixedIds((RESULT_END,)))},
        closing=dict.fromkeys(Kind, (END,)),
        stops=(END,),
        kinds="tools system user assistant",
    )


def header_pairs() -> Template:
    """As Llama 3.1: a first token, headers between two tokens, each result with a header of its own."""
    blank = enc(b"\n\n")
    headers = {Kind.SYSTEM: b"s", Kind.USER: b"u", Kind.ASSISTANT: b"a"}
    leads = {
        key: lead
        for kind, name in headers.items()
        for key, lead in _everywhere(kind, (HEADER, *enc(name), HEADER_END, *blank), start=(BOS,)).items()
    }
    leads |= {(place, Kind.TOOLS): () for place in LATER if place is not Kind.TOOLS}
    result = (FixedIds((HEADER, *enc(b"t"), HEADER_END, *blank)), Slot(), FixedIds((TURN_END,)))
    return _format(
        leads=leads,
        item={Kind.TOOLS: result},
        closing=dict.fromkeys((Kind.SYSTEM, Kind.USER), (TURN_END,)),
        stops=(TURN_END, CALL_END),
        kinds="system user tools assistant",
    )


def channels() -> Template:
    """As harmony: spans hold control tokens, and a result has its function's name in its header."""
    headers = {
        Kind.SYSTEM: (OPEN, *enc(b"s"), MESSAGE),
        Kind.DEVELOPER: (OPEN, *enc(b"d"), MESSAGE),
        Kind.USER: (OPEN, *enc(b"u"), MESSAGE),
        Kind.ASSISTANT: (OPEN, *enc(b"a")),
    }
    leads = {key: lead for kind, header in headers.items() for key, lead in _everywhere(kind, header).items()}
    leads |= {(place, Kind.TOOLS): () for place in LATER if place is not Kind.TOOLS}
    result = (
        FixedIds((OPEN,)),
        Slot(b"f.", b" t"),
        FixedIds((CHANNEL, *enc(b"c"), MESSAGE)),
        Slot(),
        FixedIds((SHUT,)),
    )
    return _format(
        leads=leads,
        item={Kind.TOOLS: result},
        closing=dict.fromkeys((Kind.SYSTEM, Kind.DEVELOPER, Kind.USER), (SHUT,)),
        stops=(SHUT, RETURN, CALL),
        kinds="system developer user assistant tools",
    )


def bare() -> Template:
    """As DeepSeek V3.1: messages end where the next begins, and after results the assistant has no header."""
    leads: dict[tuple[Place, Kind], Ids] = {(Edge.START, Kind.SYSTEM): (BEGIN,)}
    leads |= _everywhere(Kind.USER, (USER,), start=(BEGIN,))
    leads |= _everywhere(Kind.ASSISTANT, (ASSISTANT,), start=(BEGIN,))
    leads[Kind.TOOLS, Kind.ASSISTANT] = ()
    leads[Kind.ASSISTANT, Kind.TOOLS] = ()
    return _format(
        leads=leads,
        item={Kind.TOOLS: (FixedIds((OUTPUT,)), Slot(), FixedIds((OUTPUT_END,)))},
        closing={},
        stops=(SENTENCE_END,),
        kinds="user tools assistant system",
    )


def plain() -> Template:
    """As Qwen2.5: results are ordinary turns of the user, so the format has no groups."""
    template = chatml()
    return Template(
        control=template.control,
        lead={key: lead for key, lead in template.lead.items() if key[1] is not Kind.TOOLS},
        item=template.item,
        closing=template.closing,
        many=frozenset(),
        stops=template.stops,
        kinds=tuple(kind for kind in template.kinds if kind is not Kind.TOOLS),
    )


FORMATS: Mapping[str, Template] = {
    "chatml": chatml(),
    "headerPairs": header_pairs(),
    "channels": channels(),
    "bare": bare(),
    "plain": plain(),
}
