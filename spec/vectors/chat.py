"""Vectors for `Spec/Chat.lean` and `Spec/Delta.lean`: conversations in five small formats."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from spec.vectors import lean_text as lean
from spec.vectors.chat_formats import CODER, CONTROL, FORMATS, RULES
from verified_tok.reference.chat import (
    Close,
    Edge,
    Event,
    FixedIds,
    Found,
    FoundEvent,
    Ids,
    Kind,
    Message,
    Part,
    Place,
    Slot,
    Span,
    Template,
    canonical,
    next_place,
    parse,
    render,
    render_bytes,
)
from verified_tok.reference.delta import Add, Delta, Extend, Op, Splice, step

TEXTS = (b"", b"\n", b"ab", b".\n", b"a<|e|>", b"<r>", b"u\n", b"f. t")
SPANS: tuple[Ids, ...] = ((), (97, 98), (258, 10), (304, 97), (331,), (300, 117, 10))
CONVERSATIONS = 2
NEAR = 2
RUNS = 1
OPERATIONS = 6


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/Chat.lean`."""
    imports = [f"VerifiedTok.Spec.{name}" for name in ("Bpe", "Delta")]
    return lean.module("Conversations, parsed ids and operations", imports, _body())


def _body() -> Iterator[str]:
    rng = random.Random("chat")
    yield "open Chat"
    yield ""
    yield from _definitions()
    for name, template in FORMATS.items():
        yield f"/-! {name} -/"
        for _ in range(CONVERSATIONS):
            yield from _conversation(name, template, _draw(rng, template))
        for _ in range(NEAR):
            yield from _parsed(name, template, _near(rng, template))
        for _ in range(RUNS):
            yield from _operations(rng, name, template)


def _draw(
    rng: random.Random, template: Template, place: Place = Edge.START, most: int = 4
) -> tuple[Event, ...]:
    events: list[Event] = []
    for _ in range(rng.randint(1, most)):
        events.append(_event(rng, template, place))
        place = next_place(events[-1])
    return tuple(events)


def _event(rng: random.Random, template: Template, place: Place) -> Event:
    if place is Edge.IN_SPAN:
        return Close(rng.choice(template.stops))
    kind = rng.choice([kind for kind in template.kinds if (place, kind) in template.lead])
    if kind is Kind.ASSISTANT:
        return Span(rng.choice(SPANS))
    slots = sum(isinstance(part, Slot) for part in template.item[kind])
    count = rng.randint(1, 2) if kind in template.many else 1
    return Message(kind, tuple(tuple(rng.choices(TEXTS, k=slots)) for _ in range(count)))


def _near(rng: random.Random, template: Template) -> Ids:
    """The ids of a conversation, with one of them lost or another put in."""
    ids = list(render(template, CODER, Edge.START, _draw(rng, template)))
    place = rng.randrange(len(ids))
    ids[place : place + rng.randint(0, 1)] = rng.choices(
        [10, 97, *template.stops, *CONTROL], k=rng.randint(0, 1)
    )
    return tuple(ids)


# --- statements --------------------------------------------------------------------------------------


def _conversation(name: str, template: Template, events: tuple[Event, ...]) -> Iterator[str]:
    listed, ids = _events(events), render(template, CODER, Edge.START, events)
    yield lean.example(f"render {name} coder .start {listed}", lean.nats(ids))
    spelled = render_bytes(template, CODER, Edge.START, events)
    yield lean.example(f"renderBytes {name} coder .start {listed}", lean.nats(spelled))
    answer = str(canonical(template, CODER, Edge.START, events)).lower()
    yield lean.example(f"decide (Canonical {name} coder .start {listed})", answer)
    yield from _parsed(name, template, ids)


def _parsed(name: str, template: Template, ids: Ids) -> Iterator[str]:
    listed = "[" + ", ".join(map(_found, parse(template, CODER, Edge.START, ids))) + "]"
    yield lean.example(
        f"(parse {name} coder .start {lean.nats(ids)}).map found", f"({listed} : List Found).map found"
    )
    yield ""


def _operations(rng: random.Random, name: str, template: Template) -> Iterator[str]:
    delta, ops = Delta[int](), list[Op[int]]()
    for _ in range(OPERATIONS):
        op = _operation(rng, template, delta)
        after = step(template, CODER, delta, op)
        if after is None:
            yield lean.example(f"(step {name} coder ({_delta(delta)}) {_op(op)}).isNone", "true")
        else:
            delta = after
            ops.append(op)
    listed = "[" + ", ".join(map(_op, ops)) + "]"
    yield lean.example(
        f"(steps {name} coder Delta.empty {listed}).map views", f"some (views ({_delta(delta)}))"
    )
    yield ""


def _operation(rng: random.Random, template: Template, delta: Delta[int]) -> Op[int]:
    if delta.place is Edge.IN_SPAN and rng.random() < 0.5:
        ids = rng.choice(SPANS)
        return Extend(ids, tuple(rng.choice([None, 1, 2]) for _ in ids))
    if rng.random() < 0.3:
        i, j = sorted(rng.choices(range(len(delta.events) + 1), k=2))
        return Splice(i, j, _draw(rng, template, most=2))
    return Add(_event(rng, template, delta.place), rng.choice([None, 0]))


# --- values in Lean ----------------------------------------------------------------------------------


def _definitions() -> Iterator[str]:
    spelled = ", ".join(f"({id}, {lean.nats(literal)})" for id, literal in CONTROL.items())
    yield f"def rules : List (Token × Token) := {lean.pairs(RULES)}"
    yield f"def literals : List (Token × Bytes) := [{spelled}]"
    yield "def bytesOf (t : Token) : Bytes :="
    yield "  match literals.lookup t, rules[t - 256]? with"
    yield "  | some bs, _ => bs"
    yield "  | none, some (a, b) => if t < 256 then [.ofNat t] else [.ofNat a, .ofNat b]"
    yield "  | none, none => [.ofNat t]"
    yield "def coder : Coder := ⟨encodePiece (textbook rules), bytesOf⟩"
    yield ""
    yield "def format (leads : List ((Place × Kind) × List Token)) (items : List (Kind × List Part))"
    yield "    (closings : List (Kind × List Token)) (many : List Kind) (stops : List Token)"
    yield "    (kinds : List Kind) : Template where"
    yield "  control t := 300 ≤ t"
    yield "  lead p k := leads.lookup (p, k)"
    yield "  item k := (items.lookup k).getD []"
    yield "  many k := many.contains k"
    yield "  closing k := (closings.lookup k).getD []"
    yield "  stops := stops"
    yield "  kinds := kinds"
    yield ""
    for name, template in FORMATS.items():
        yield from _format(name, template)
    yield "def event : Event → List (List Nat)"
    yield "  | .message k items => [k.number] :: items.flatMap fun cs => [999] :: cs.map (·.map (·.toNat))"
    yield "  | .span ts => [[888], ts]"
    yield "  | .close t => [[777, t]]"
    yield "def found : Found → List (List Nat)"
    yield "  | .event p e ids => [p.number] :: ids :: event e"
    yield "  | .malformed ids => [ids]"
    yield "def views (d : Delta Nat) : List (List (List Nat)) :="
    yield "  [d.bytes.map (·.toNat), d.ids, d.marks.map fun m => m.elim 0 (· + 1)] :: d.events.map event"
    yield ""


def _format(name: str, template: Template) -> Iterator[str]:
    leads = [
        f"(({_place(place)}, .{kind}), {lean.nats(ids)})" for (place, kind), ids in template.lead.items()
    ]
    items = [f"(.{kind}, [{', '.join(map(_part, parts))}])" for kind, parts in template.item.items()]
    closings = [f"(.{kind}, {lean.nats(ids)})" for kind, ids in template.closing.items()]
    yield f"def {name} : Template := format"
    for values in (leads, items, closings):
        yield f"  [{', '.join(values)}]"
    yield f"  {_kinds(sorted(template.many))} {lean.nats(template.stops)} {_kinds(template.kinds)}"
    yield ""


def _kinds(kinds: Iterable[Kind]) -> str:
    return "[" + ", ".join(f".{kind}" for kind in kinds) + "]"


def _place(place: Place) -> str:
    if isinstance(place, Kind):
        return f".after .{place}"
    return ".start" if place is Edge.START else ".inSpan"


def _part(part: Part) -> str:
    match part:
        case FixedIds(ids):
            return f".ids {lean.nats(ids)}"
        case Slot(before, after):
            return f".slot {lean.nats(before)} {lean.nats(after)}"


def _event_text(event: Event) -> str:
    match event:
        case Message(kind, items):
            texts = ", ".join("[" + ", ".join(map(lean.nats, item)) + "]" for item in items)
            return f".message .{kind} [{texts}]"
        case Span(ids):
            return f".span {lean.nats(ids)}"
        case Close(stop):
            return f".close {stop}"


def _events(events: Iterable[Event]) -> str:
    return "[" + ", ".join(map(_event_text, events)) + "]"


def _found(found: Found) -> str:
    if isinstance(found, FoundEvent):
        return f".event ({_place(found.place)}) ({_event_text(found.event)}) {lean.nats(found.ids)}"
    return f".malformed {lean.nats(found.ids)}"


def _marks(marks: Iterable[int | None]) -> str:
    return "[" + ", ".join("none" if mark is None else f"some {mark}" for mark in marks) + "]"


def _delta(delta: Delta[int]) -> str:
    parts = (_events(delta.events), lean.nats(delta.bytes), lean.nats(delta.ids), _marks(delta.marks))
    return f"⟨{', '.join(parts)}⟩ : Delta Nat"


def _op(op: Op[int]) -> str:
    match op:
        case Add(event, mark):
            return f"(.add ({_event_text(event)}) {lean.option(None if mark is None else str(mark))})"
        case Extend(ids, marks):
            return f"(.extend {lean.nats(ids)} {_marks(marks)})"
        case Splice(i, j, new):
            return f"(.splice {i} {j} {_events(new)})"
