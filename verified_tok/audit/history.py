"""What a Jinja chat template does to a conversation: history that it rewrites."""

from __future__ import annotations

from collections.abc import Iterator

from verified_tok.adapters.stability import Renders, Rewrite, rewrites
from verified_tok.audit.finding import Found, Kind, Row, row
from verified_tok.audit.trajectory import Trajectory
from verified_tok.audit.vocabulary import Vocabulary
from verified_tok.errors import ChatTemplateError

_SHOWN = 60
"""Characters around a place that are encoded to show their tokens."""


def rewritten(trajectory: Trajectory, template: Renders, vocabulary: Vocabulary) -> Iterator[Found]:
    """Where the template, given one message more, renders the messages before it in another way."""
    messages = trajectory.messages or ()
    try:
        for one in rewrites(template, messages, trajectory.tools):
            yield _found(one, vocabulary)
    except ChatTemplateError as error:
        yield Found(Kind.MALFORMED, "messages", 0, len(messages), str(error))


def _found(one: Rewrite, vocabulary: Vocabulary) -> Found:
    added = (
        f"`messages[{one.stop - 1}]`" if one.stop - one.kept == 1 else f"`messages[{one.kept}:{one.stop}]`"
    )
    if one.prompt:
        message = f"{added} is not rendered behind the generation prompt that it was sampled from"
    else:
        message = f"with {added}, the template renders the {one.kept} messages before it in another way"
    rows = (_row("before", one.before, one.at, vocabulary), _row("now", one.after, one.at, vocabulary))
    return Found(Kind.HISTORY, "messages", one.kept, one.stop, message, rows)


def _row(label: str, text: str, at: int, vocabulary: Vocabulary) -> Row:
    tok = vocabulary.tok
    front = tok.encode(text[max(0, at - _SHOWN) : at])
    back = tok.encode(text[at : at + _SHOWN])
    ids = [*front, *back]
    return row(vocabulary, label, ids, len(front), min(len(front) + 6, len(ids)))
