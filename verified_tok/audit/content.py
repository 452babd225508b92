"""The texts of messages beside the ids that should spell them: control tokens that come from content, masks
on the wrong side, and texts that are not there.

Needs no template. The bytes of a message's text are looked for in the bytes of the ids, in the order of the
messages, once from the front and once from the back; where both searches agree, the place is certain.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from verified_tok.audit.checks import runs
from verified_tok.audit.finding import Found, Kind, row
from verified_tok.audit.sequence import Stretch
from verified_tok.audit.trajectory import Message, Turn, texts
from verified_tok.audit.vocabulary import Literal, Vocabulary
from verified_tok.drift import ends_in

Messages = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Content:
    """One text of a message, and the bytes of the ids that spell it: from `start` to `stop` if the place is
    certain. `found` says that it is there at all."""

    field: str
    role: str
    text: str
    found: bool = False
    start: int | None = None
    stop: int | None = None

    def tokens(self, ends: npt.NDArray[np.int64]) -> tuple[int, int] | None:
        """The ids that have a byte of it, given where each id's bytes end."""
        if self.start is None or self.stop is None or self.start == self.stop:
            return None
        first = int(np.searchsorted(ends, self.start, side="right"))
        return first, int(np.searchsorted(ends, self.stop, side="left")) + 1


def contents(messages: Messages) -> list[Content]:
    """The texts of messages that a template writes out as they are."""
    return [
        Content(f"messages[{i}].{name}", str(message["role"]), text)
        for i, message in enumerate(messages)
        for name, text in texts(message)
        if text and (name == "content" or (name.startswith("content[") and name.endswith("].text")))
    ]


def located(messages: Messages, data: bytes, vocabulary: Vocabulary) -> list[Content]:
    """The texts of messages, each with its place in the bytes of the ids."""
    given = contents(messages)
    forms = [_forms(content.text, vocabulary) for content in given]
    front = _greedy(data, forms)
    # The same from behind: a text's place is certain if it cannot be further right either.
    mirrored = _greedy(data[::-1], [[form[::-1] for form in some] for some in reversed(forms)])
    back = [place and (len(data) - place[1], len(data) - place[0]) for place in reversed(mirrored)]
    return [
        Content(c.field, c.role, c.text, True, *(first if first == last else ())) if first is not None else c
        for c, first, last in zip(given, front, back, strict=True)
    ]


def check_content(
    messages: Messages,
    stretch: Stretch,
    mask: tuple[str, npt.NDArray[np.bool_]] | None,
    vocabulary: Vocabulary,
    spelled: bool = False,
) -> Iterator[Found]:
    """What is wrong between messages and the ids of the whole conversation.

    `spelled` says that a template reads the messages' texts in the ids, where no text holds a control token.
    """
    data = vocabulary.tok.decode_bytes(stretch.ids)
    ends = ends_in(data, vocabulary.lengths(stretch.ids))
    for content in located(messages, data, vocabulary):
        if not content.found:
            message = f"the ids do not spell the text of `{content.field}` here or after the texts before it"
            yield Found(Kind.MISMATCH, content.field, 0, len(content.text), message)
        elif content.role != "assistant" and not spelled:
            yield from _controls(content, stretch, ends, vocabulary)
        if mask is not None and len(mask[1]) == len(stretch.ids):
            yield from _marks(content, stretch, ends, mask, vocabulary)


def literals_in(messages: Messages, vocabulary: Vocabulary) -> Iterator[Found]:
    """Literals of control tokens in the texts of messages whose ids are not known.

    What an assistant said may hold the tokens that it sampled; only special ones are told there.
    """
    for i, message in enumerate(messages):
        for name, text in texts(message):
            for literal in vocabulary.literals(text):
                if literal.token.special or message["role"] != "assistant":
                    yield _would_become(f"messages[{i}].{name}", text, literal, vocabulary)


def misspelled(messages: Messages, spans: Mapping[int, Turn], vocabulary: Vocabulary) -> Iterator[Found]:
    """Sampled ids of a message that do not spell its content."""
    for i, span in spans.items():
        if span.completion is None:
            continue
        data = vocabulary.tok.decode_bytes(span.completion.ids)
        for content in contents((messages[i],)):
            if not any(form in data for form in _forms(content.text, vocabulary)):
                field = f"messages[{i}].content"
                message = f"the ids in `{span.completion.field}` do not spell the text of `{field}`"
                yield Found(Kind.MISMATCH, field, 0, len(content.text), message)


def _forms(text: str, vocabulary: Vocabulary) -> list[bytes]:
    """How templates write a text: as it is, without white space around it, or inside a JSON string."""
    shown = vocabulary.tok.normalize(text, added_tokens="none")
    escaped = json.dumps(shown, ensure_ascii=False)[1:-1]
    return list(dict.fromkeys(form.encode() for form in (shown, shown.strip(), escaped)))


def _greedy(data: bytes, texts: list[list[bytes]]) -> list[tuple[int, int] | None]:
    """For each text, the first place behind that of the text before it."""
    places: list[tuple[int, int] | None] = []
    at = 0
    for forms in texts:
        found = next(((start, form) for form in forms if (start := data.find(form, at)) >= 0), None)
        places.append(None if found is None else (found[0], found[0] + len(found[1])))
        if found is not None:
            at = found[0] + len(found[1])
    return places


def _controls(
    content: Content, stretch: Stretch, ends: npt.NDArray[np.int64], vocabulary: Vocabulary
) -> Iterator[Found]:
    if not any(True for _ in vocabulary.literals(content.text)):
        return
    place = content.tokens(ends)
    if place is None:
        for literal in vocabulary.literals(content.text):
            yield _would_become(content.field, content.text, literal, vocabulary)
        return
    for at in range(*place):
        if int(stretch.ids[at]) in vocabulary.control:
            field, start, stop = stretch.locate(at, at + 1)
            name = vocabulary.names(stretch.ids[at : at + 1])
            message = f"the text {name} in `{content.field}` became a control token"
            rows = (row(vocabulary, "ids", stretch.ids, at, at + 1),)
            yield Found(Kind.CONTROL, field, start, stop, message, rows)


def _marks(
    content: Content,
    stretch: Stretch,
    ends: npt.NDArray[np.int64],
    mask: tuple[str, npt.NDArray[np.bool_]],
    vocabulary: Vocabulary,
) -> Iterator[Found]:
    place = content.tokens(ends)
    if place is None:
        return
    name, marks = mask
    inside = marks[slice(*place)]
    if content.role == "assistant":
        wrong = ~inside if inside.any() else np.zeros_like(inside)
        what = f"`{name}` leaves out a part of `{content.field}`, which an assistant said"
    else:
        wrong, what = inside, f"`{name}` marks ids of `{content.field}`, which no assistant said"
    for start, stop in runs(wrong):
        first, last = place[0] + start, place[0] + stop
        yield Found(Kind.MASK, name, first, last, what, (row(vocabulary, "ids", stretch.ids, first, last),))


def _would_become(field: str, text: str, literal: Literal, vocabulary: Vocabulary) -> Found:
    tok, start, stop = vocabulary.tok, literal.start, literal.stop
    front = tok.encode(text[max(0, start - 40) : start], added_tokens="none")
    back = tok.encode(text[stop : stop + 40], added_tokens="none")
    inside = tok.encode(text[start:stop], added_tokens="none")
    ids, last = np.concatenate([front, inside, back]), len(front) + len(inside)
    rows = (
        row(vocabulary, "as text", ids, len(front), last),
        row(vocabulary, "as a control token", ids, len(front), last, [literal.token.id]),
    )
    message = (
        f"the content spells {literal.token.content}: encoded in a rendered string, it is a control token"
    )
    return Found(Kind.CONTROL, field, start, stop, message, rows)
