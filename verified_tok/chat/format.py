"""A template for one tokenizer: messages to events, events to ids, ids back to events and messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import final

from verified_tok.chat.compiled import Coding, compile_template, message_layouts
from verified_tok.chat.definitions import Descriptions
from verified_tok.chat.layout import Alphabet, Text, cut
from verified_tok.chat.message import Assistant, System, ToolResult, User
from verified_tok.chat.parser import Parser
from verified_tok.chat.reply import Replies
from verified_tok.chat.template import Template
from verified_tok.errors import InvalidMessage, InvalidTemplate
from verified_tok.ids import check_ids
from verified_tok.reference import chat
from verified_tok.reference.chat import Edge, Found, Ids, Kind, Place
from verified_tok.tokenizer import Tokenizer

Said = System | User | tuple[ToolResult, ...]
"""What others than the assistant say: one event each."""


@final
class Format:
    """A template for one tokenizer. Immutable, and safe to share.

    Raises `InvalidTemplate` if the tokenizer lacks a control token, or has an added token where the template
    has text.
    """

    def __init__(self, template: Template, tokenizer: Tokenizer) -> None:
        self.template = template
        self.tokenizer = tokenizer
        self._control = dict(self._control_ids())
        self._structure = frozenset(self._control.values())
        self.stops: Ids = tuple(
            self._control[literal] for literal in template.closes if literal in self._control
        )
        self._coding = Coding(self._control_id, self._text_ids)
        self.added = _markup(tokenizer)
        self.table = compile_template(template, self._coding, self.added, self.stops)
        self.coder = chat.Coder(self._encode, tokenizer.id_to_bytes)
        self._layouts = message_layouts(template)
        defined = template.definitions
        self._descriptions = None if defined is None else Descriptions(template, defined)
        self._replies = Replies(template)
        self._alphabet = Alphabet(template.controls)
        self._signs = {id: self._alphabet.sign(literal) for literal, id in self._control.items()}
        self._check_texts()

    def __repr__(self) -> str:
        return f"<Format {self.template.name} for {self.tokenizer!r}>"

    def __copy__(self) -> Format:
        """The format itself: nothing changes it."""
        return self

    def __deepcopy__(self, memo: object) -> Format:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return Format, (self.template, self.tokenizer)

    def role(self, kind: Kind) -> str:
        """The role of the messages of events of a kind."""
        if kind is Kind.DEVELOPER:
            definitions = self.template.definitions
            return "user" if definitions is not None and definitions.in_user_message else "system"
        return "tool" if kind is Kind.TOOLS else kind.value

    # --- messages to events ---

    def event(self, said: Said) -> chat.Message:
        """The event of messages that are not the assistant's. Raises `InvalidMessage`."""
        name = self.template.name
        match said:
            case System(content, tools) | User(content, tools) if tools:
                text = self._described(isinstance(said, User), content, tools)
                return self._message(Kind.DEVELOPER, [{"content": text}])
            case System(content):
                if self.template.system is None:
                    raise InvalidMessage(f"{name} has no system messages")
                if self.template.system_first and not content:
                    raise InvalidMessage(f"an empty system message leaves no trace in {name}: leave it out")
                return self._message(Kind.SYSTEM, [{"content": content or ""}])
            case User(content):
                return self._message(Kind.USER, [{"content": content}])
        if self.template.tools is None:
            raise InvalidMessage(f"{name} has no tool messages")
        if not said:
            raise InvalidMessage("a group of tool messages has at least one")
        return self._message(Kind.TOOLS, [self._result(result) for result in said])

    def _described(self, by_user: bool, content: str | None, tools: Sequence[str]) -> str:
        """Content and descriptions of tools, as they stand in one slot."""
        definitions, name = self.template.definitions, self.template.name
        if definitions is None or self._descriptions is None:
            raise InvalidMessage(
                f"{name} has no form for tools: write them into a content, or give a template that has one "
                "(chat.harmony and chat.llama3_1 make such)"
            )
        if by_user is not definitions.in_user_message:
            right = "a user's message" if definitions.in_user_message else "a system message"
            raise InvalidMessage(f"{name} describes tools in {right}: give it the key 'tools'")
        return self._descriptions.text(content, tools)

    def _result(self, result: ToolResult) -> dict[str, str]:
        slots = {slot.name for slot in self._layouts[Kind.TOOLS].slots}
        if "name" in slots and not result.name:
            raise InvalidMessage(
                f"{self.template.name} writes the tool's name: give 'name', or the 'tool_call_id' of a call "
                "that the message before has"
            )
        return {"content": result.content, "name": result.name or ""}

    def _message(self, kind: Kind, values: Sequence[dict[str, str]]) -> chat.Message:
        layout = self._layouts[kind]
        items = [[slot.write(value[slot.name]) for slot in layout.slots] for value in values]
        if not layout.many:
            items = [[layout.joint.join(texts) for texts in zip(*items, strict=True)]]
        return chat.Message(kind, tuple(tuple(text.encode() for text in texts) for texts in items))

    def normalized(self, event: chat.Message) -> chat.Message:
        """The event that the ids of an event spell: its texts, normalized."""
        items = (tuple(self._normalize(text.decode()).encode() for text in item) for item in event.items)
        return chat.Message(event.kind, tuple(items))

    def _normalize(self, text: str) -> str:
        return self.tokenizer.normalize(text, added_tokens="none")

    def said(self, event: chat.Message) -> Said:
        """The messages of an event; `event` gives the event back if it can be written so."""
        layout = self._layouts[event.kind]
        texts = [[text.decode(errors="replace") for text in item] for item in event.items]
        if event.kind is Kind.TOOLS and not layout.many:
            texts = [[text] for text in texts[0][0].split(layout.joint)]
        values = [
            {slot.name: _first(slot.read(text), text) for slot, text in zip(layout.slots, item, strict=True)}
            for item in texts
        ]
        if event.kind is Kind.TOOLS:
            return tuple(ToolResult(value["content"], value.get("name")) for value in values)
        content = values[0]["content"]
        if event.kind is Kind.USER:
            return User(content)
        if event.kind is Kind.SYSTEM or self._descriptions is None:
            return System(content)
        before, tools = self._descriptions.read(content)
        return User(before or "", tools) if self.role(Kind.DEVELOPER) == "user" else System(before, tools)

    def reply(self, message: Assistant, place: Place) -> list[tuple[Ids, int]]:
        """The spans of an assistant's message that begins at a place, and what closes each.

        Raises `InvalidMessage`.
        """
        written = self._replies.write(message, prefilled=self._prefilled(place))
        return [(self._coding.ids(part.span), self._closing(part.close)) for part in written]

    def read_reply(self, spans: Iterable[Sequence[int]], place: Place) -> Assistant:
        """The assistant's message of spans that begin at a place; every sequence of ids is some message."""
        return self._replies.read([self._spell(span) for span in spans], prefilled=self._prefilled(place))

    def _prefilled(self, place: Place) -> bool:
        return bool(self.table.lead.get((place, Kind.ASSISTANT)))

    # --- events to ids ---

    def lead(self, place: Place, kind: Kind) -> Ids:
        """What begins an event of a kind at a place. Raises `InvalidMessage` if the format has none there."""
        lead = self.table.lead.get((place, kind))
        if lead is None:
            where = "at the beginning" if place is Edge.START else f"behind a {place} event"
            hint = ""
            if place is kind:
                hint = (
                    "; results of one group are given together, as a list: replace the group by all of them"
                )
            raise InvalidMessage(f"{self.template.name} has no {kind} event {where}{hint}")
        return lead

    def body(self, event: chat.Message) -> Ids:
        """The ids of a message behind its lead."""
        return tuple(
            id for segment in chat.body(self.table, event) for id in chat.segment_ids(self.coder, segment)
        )

    def stop(self, literal: str | None) -> int:
        """The id of a closing token, of the first one if there is no literal. Raises `InvalidTemplate`."""
        return self.stops[0] if literal is None else self._closing(literal)

    def literal(self, stop: int) -> str:
        """The literal of a closing token."""
        return next(literal for literal in self.template.closes if self._control.get(literal) == stop)

    def _closing(self, literal: str) -> int:
        if (
            not isinstance(literal, str)
            or literal not in self.template.closes
            or literal not in self._control
        ):
            known = ", ".join(map(repr, self.template.closes))
            raise InvalidTemplate(f"{literal!r} does not close a turn; {known} do")
        return self._control[literal]

    # --- ids to events ---

    def parse(self, ids: Iterable[int], place: Place = Edge.START) -> list[Found]:
        """Every id in an event or in a malformed span, in order: `reference.chat.parse`, in linear time.

        Raises `InvalidTokenId`.
        """
        return self._parser.parse(check_ids(ids, self._known), place)

    @cached_property
    def _parser(self) -> Parser:
        return Parser(self.table, self.tokenizer.decode_bytes)

    # --- how ---

    def _control_ids(self) -> Iterator[tuple[str, int]]:
        added = {token.content: token.id for token in self.tokenizer.spec.added_tokens}
        for literal in self.template.controls:
            if literal in added:
                yield literal, added[literal]
            elif literal not in self.template.closes[1:]:
                raise InvalidTemplate(
                    f"the tokenizer {self.tokenizer.spec.sha256[:12]} has no added token {literal!r}, "
                    f"which the template {self.template.name} writes"
                )

    def _control_id(self, literal: str) -> int:
        return self._control[literal]

    def _text_ids(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode_ordinary(text).tolist()
        if not self._structure.isdisjoint(ids):  # a character that has no other token
            raise InvalidMessage(f"the tokenizer writes {text!r} with a control token")
        return ids

    def _encode(self, data: bytes) -> list[int]:
        return self._text_ids(data.decode())

    def _spell(self, ids: Iterable[int]) -> str:
        """Ids in the template's alphabet; bytes that are no text become U+FFFD."""
        parts: list[str] = []
        run: list[int] = []
        for id in check_ids(ids, self._known):
            if id in self._signs:
                parts += [self.tokenizer.decode(run), self._signs[id]]
                run = []
            else:
                run.append(id)
        return "".join([*parts, self.tokenizer.decode(run)])

    @cached_property
    def _known(self) -> range:
        return range(self.tokenizer.vocab_size)

    def _check_texts(self) -> None:
        """Text of the template must not spell an added token, which the published template would write."""
        template, reply = self.template, self.template.reply
        layouts = [template.begin, template.separator, template.system, template.user, template.prompt]
        layouts += [template.prefill, reply.reasoning, reply.content, reply.before_calls, reply.between_calls]
        for group in (template.tools, reply.calls):
            layouts += [group.open, group.item, group.close] if group else []
        if template.definitions:
            layouts += [template.definitions.layout, template.definitions.alone]
        texts = [
            piece.text
            for layout in filter(None, layouts)
            for piece in cut(layout, template.controls)
            if isinstance(piece, Text)
        ]
        for token in self.tokenizer.spec.added_tokens:
            if token.id in self.added and any(token.content in text for text in texts):
                raise InvalidTemplate(
                    f"the template {template.name} writes {token.content!r} as text, but it is an added "
                    f"token of the tokenizer {self.tokenizer.spec.sha256[:12]}: name it among the controls"
                )


def _first(value: str | None, otherwise: str) -> str:
    return otherwise if value is None else value


def _markup(tokenizer: Tokenizer) -> frozenset[int]:
    """The ids that no text is encoded to when added tokens are switched off."""
    return frozenset(token.id for token in tokenizer.spec.added_tokens if token.content.strip().strip("▁"))
