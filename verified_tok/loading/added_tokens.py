"""The `added_tokens` field of a tokenizer file."""

from __future__ import annotations

from verified_tok.loading.node import U32, Node
from verified_tok.spec import AddedToken
from verified_tok.vocabulary import Vocabulary

_FLAGS = ("lstrip", "rstrip", "single_word", "normalized", "special")
_FIELDS = {"id", "content", *_FLAGS}


def read_added_tokens(node: Node, vocab: Vocabulary | None) -> tuple[AddedToken, ...]:
    """The added tokens in the file's order.

    The reference engine does not take their ids from the file: it computes them again from the
    vocabulary and the order, and where the two differ it warns and goes on with its own. Here such a
    file is an error, because no id that it could give is the one that everybody means. `vocab` is None
    if the model could not be read; then ids are not checked.
    """
    tokens: list[AddedToken] = []
    places: dict[str, int] = {}
    for place, item in enumerate(node.items()):
        token = AddedToken(**item.value) if _is_usual(item.value) else _read(item)  # type: ignore[arg-type]
        if places.setdefault(token.content, place) != place:
            again = f"{token.content!r} is {node.path}[{places[token.content]}] already"
            raise item.child("content").invalid(again)
        tokens.append(token)
    if vocab is not None:
        _check_ids(node, tokens, vocab)
    return tuple(tokens)


def _is_usual(value: object) -> bool:
    """Whether `_read` has nothing to say: there may be thousands."""
    return (
        isinstance(value, dict)
        and value.keys() == _FIELDS
        and type(value["id"]) is int
        and 0 <= value["id"] <= U32
        and type(value["content"]) is str
        and value["content"] != ""
        and all(type(value[flag]) is bool for flag in _FLAGS)
    )


def _read(item: Node) -> AddedToken:
    fields = item.record("id", "content", *_FLAGS)
    id, content = fields["id"].natural(), fields["content"].string()
    if not content:
        raise fields["content"].invalid("an added token without content")
    return AddedToken(id, content, **{flag: fields[flag].boolean() for flag in _FLAGS})


def _check_ids(node: Node, tokens: list[AddedToken], vocab: Vocabulary) -> None:
    entries = vocab.find(token.content for token in tokens)
    owner = vocab.with_ids([token.id for token in tokens])
    free = len(vocab)  # what the engine gives to the next token that is not in the vocabulary
    for item, token in zip(node.items(), tokens, strict=True):
        expected = entries.get(token.content, free)
        if token.id != expected:
            raise item.child("id").invalid(
                f"{token.content!r} has the id {token.id} here, but the engine gives it {expected}"
            )
        if owner.setdefault(token.id, token.content) != token.content:
            raise item.child("id").invalid(f"the id {token.id} belongs to {owner[token.id]!r} already")
        free = max(free, token.id + 1)
