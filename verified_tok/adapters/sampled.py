"""What engines return, and conversations that go on from it or begin with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verified_tok import chat
from verified_tok.chat.message import to_message
from verified_tok.conversation import Conversation
from verified_tok.errors import InvalidMessage, InvalidOperation, InvalidResponse
from verified_tok.ids import check_ids
from verified_tok.reference.chat import Close, Malformed, Span
from verified_tok.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Sampled:
    """One completion: the ids as they were sampled, with a log-probability for each if the engine gave
    them, and the ids of the prompt if it gave those back."""

    ids: tuple[int, ...]
    logprobs: tuple[float | None, ...] | None = None
    prompt_ids: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.logprobs is not None and len(self.logprobs) != len(self.ids):
            raise InvalidResponse(
                f"the response has {len(self.logprobs)} log-probabilities for {len(self.ids)} sampled ids"
            )


def extend(conversation: Conversation, sampled: Sampled) -> None:
    """Put a completion behind the prompt that it was sampled from, not one id changed.

    Raises `InvalidResponse` if the engine saw another prompt than the conversation, and what
    `Conversation.extend_sampled` raises.
    """
    if sampled.prompt_ids is not None:
        at = _difference(conversation.ids.tolist(), sampled.prompt_ids)
        if at is not None:
            raise InvalidResponse(
                f"the engine's prompt is not the conversation: they differ at place {at} "
                f"({len(conversation)} turns, {len(conversation.ids)} ids; the engine had "
                f"{len(sampled.prompt_ids)})"
            )
    conversation.extend_sampled(sampled.ids, sampled.logprobs)


def conversation_from_ids(
    tok: Tokenizer, template: str | chat.Template | chat.Format, ids: Iterable[int]
) -> Conversation:
    """The conversation that a prompt is. What its assistants say counts as sampled, and stays as it is.

    Raises `InvalidOperation` if it is no conversation of the template, or one whose messages are encoded in
    another way, naming the place; `InvalidTokenId`, `InvalidTemplate`.
    """
    conversation = Conversation(tok, template)
    form = conversation.format
    given = tuple(check_ids(ids, range(tok.vocab_size)))
    at, closed = 0, False
    for one in form.parse(given):
        if isinstance(one, Malformed):
            raise InvalidOperation(f"ids[{at}:{at + len(one.ids)}] are no event of {form.template.name}")
        at += len(one.ids)
        match one.event:
            case Span(span):
                if form.template.reply.parts and closed:  # one more part of the same reply
                    conversation.extend_sampled(one.ids)
                else:
                    conversation.generation_prompt()
                    conversation.extend_sampled(span)
            case Close(stop):
                conversation.extend_sampled([stop])
            case message:
                said = form.said(message)
                try:
                    conversation.add([to_message(m) for m in (said if isinstance(said, tuple) else [said])])
                except InvalidMessage as error:
                    raise InvalidOperation(f"ids[{at - len(one.ids)}:{at}]: {error}") from None
        closed = isinstance(one.event, Close)
    place = _difference(conversation.ids.tolist(), given)
    if place is not None:
        raise InvalidOperation(f"from ids[{place}] on, the messages of {form.template.name} have other ids")
    return conversation


def _difference(a: Sequence[int], b: Sequence[int]) -> int | None:
    """The first place at which two lists differ, or None."""
    shorter = min(len(a), len(b))
    at = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    return None if at == len(a) == len(b) else at
