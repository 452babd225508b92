"""Conversations as JSON text: what was given and what was sampled, from which the ids are made again.

Reading does what was done, and compares the ids with the digest that was written: a text that was changed, or
that another tokenizer wrote, is refused.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np

from verified_tok.chat.format import Format
from verified_tok.chat.template import Template
from verified_tok.errors import InvalidConversationFile, InvalidTemplate, VerifiedTokError
from verified_tok.session_state import Ids
from verified_tok.tokenizer import Tokenizer, check_tokenizer

_FORMAT = "verified-tok conversation"


@dataclass(frozen=True, slots=True)
class Given:
    """A turn that was given as messages."""

    messages: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Sampled:
    """A turn that was sampled, and its number; `close` is the literal that closed it, unless it was sampled
    or is missing."""

    number: int
    ids: list[int]
    logprobs: list[float | None]
    close: str | None


Step = Given | Sampled


def write(format: Format, steps: Sequence[Step], ids: Ids) -> str:
    """The JSON text of a conversation. The template is written out, so that it need not be known."""
    document = {
        "format": _FORMAT,
        "tokenizer": format.tokenizer.spec.sha256,
        "template": format.template.to_data(),
        "turns": [_turn(step) for step in steps],
        "ids_sha256": _digest(ids),
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def _turn(step: Step) -> dict[str, Any]:
    if isinstance(step, Given):
        return {"messages": step.messages}
    known = [_number(value) for value in step.logprobs]
    logprobs = known if any(value is not None for value in known) else None
    return {"number": step.number, "sampled": step.ids, "logprobs": logprobs, "close": step.close}


def _number(value: float | None) -> float | str | None:
    """A number as JSON has it; infinities are strings."""
    if value is None or math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def read(tokenizer: Tokenizer, text: str) -> tuple[Template, list[Step], str]:
    """The template, what was done, and the digest of the ids. Raises `InvalidConversationFile`, and
    `InvalidOperation` for what is no tokenizer."""
    check_tokenizer(tokenizer)
    try:
        document = json.loads(text)
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise InvalidConversationFile(f"the text is no {_FORMAT}")
        if document["tokenizer"] != tokenizer.spec.sha256:
            raise InvalidConversationFile(
                f"the conversation was made with tokenizer {document['tokenizer']}, "
                f"this is {tokenizer.spec.sha256}"
            )
        steps = [_step(turn) for turn in document["turns"]]
        return Template.from_data(document["template"]), steps, str(document["ids_sha256"])
    except InvalidTemplate as error:
        raise InvalidConversationFile(f"the conversation's template is damaged: {error}") from None
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        if isinstance(error, InvalidConversationFile):
            raise
        raise InvalidConversationFile(f"the text is no {_FORMAT}, or is damaged: {error!r}") from None


def _step(turn: dict[str, Any]) -> Step:
    if "messages" in turn:
        return Given(list(turn["messages"]))
    ids, logprobs = list(turn["sampled"]), turn["logprobs"]
    values = [None if v is None else float(v) for v in logprobs or [None] * len(ids)]
    return Sampled(index(turn["number"]), ids, values, turn["close"])


@contextmanager
def refused() -> Iterator[None]:
    """Turn what operations raise into `InvalidConversationFile`."""
    try:
        yield
    except InvalidConversationFile:
        raise
    except VerifiedTokError as error:
        raise InvalidConversationFile(f"the conversation is damaged: {error}") from None


def check_ids_are(ids: Ids, digest: str) -> None:
    """Raise `InvalidConversationFile` unless the ids have this digest."""
    if _digest(ids) != digest:
        raise InvalidConversationFile("the conversation is damaged: what it says gives other ids than it had")


def _digest(ids: Ids) -> str:
    return hashlib.sha256(np.ascontiguousarray(ids, dtype="<u4").tobytes()).hexdigest()
