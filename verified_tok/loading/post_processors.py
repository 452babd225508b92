"""The `post_processor` field of a tokenizer file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verified_tok.loading.node import Node, stages
from verified_tok.loading.pre_tokenizers import read_byte_level
from verified_tok.spec import PostProcessor, Template, TrimOffsets

_TEMPLATE = "can be written as TemplateProcessing"
_REMEDIES = {
    "BertProcessing": _TEMPLATE,
    "RobertaProcessing": f"{_TEMPLATE} and ByteLevel in a Sequence",
}
_UNKNOWN = "not a known post-processor (ByteLevel, TemplateProcessing, Sequence)"


UnknownIds = Callable[[Sequence[int]], Sequence[int]]
"""Those of some ids that no token has."""


def read_post_processors(node: Node, unknown_ids: UnknownIds | None) -> tuple[PostProcessor, ...]:
    """The post-processor's stages in order; one that does nothing is left out.

    `unknown_ids` is None if the model could not be read; then ids are not checked.
    """

    def read(node: Node, kind: str) -> PostProcessor | None:
        match kind:
            case "ByteLevel":
                add_prefix_space, trim_offsets, _ = read_byte_level(node)
                return TrimOffsets(add_prefix_space) if trim_offsets else None
            case "TemplateProcessing":
                return _template(node, unknown_ids)
            case _:
                node.child("type").unsupported(_REMEDIES.get(kind, _UNKNOWN))
                return None

    processors: tuple[PostProcessor, ...] = tuple(stages(node, "processors", read))
    if sum(isinstance(processor, Template) for processor in processors) > 1:
        node.unsupported("more than one TemplateProcessing; join them into one")
    return processors


def _template(node: Node, unknown_ids: UnknownIds | None) -> Template | None:
    fields = node.record("type", "single", "pair", "special_tokens")
    ids: dict[str, tuple[int, ...]] = {}
    for name in fields["special_tokens"].object():
        token = fields["special_tokens"].child(name).record("id", "ids", "tokens")
        token["id"].string()
        ids[name] = tuple(item.natural() for item in token["ids"].items())
        if len([item.string() for item in token["tokens"].items()]) != len(ids[name]):
            raise token["ids"].invalid("as many ids as tokens are expected")
        unknown = unknown_ids(ids[name]) if unknown_ids else []
        if unknown:
            raise token["ids"].invalid(f"no token has the id {unknown[0]}")

    for item in fields["pair"].items():
        _piece(item)  # the kit encodes single texts; the template of pairs need only be well-formed
    before: list[int] = []
    after: list[int] = []
    texts = 0
    for item in fields["single"].items():
        kind, name = _piece(item)
        if kind == "Sequence":
            texts += name == "A"
            if name == "B":
                raise item.invalid("a template for one text cannot use the second text, B")
        elif name not in ids:
            raise item.invalid(f"special_tokens does not hold {name!r}")
        else:
            (after if texts else before).extend(ids[name])
    if texts != 1:
        fields["single"].unsupported(
            f"the text stands in its template {texts} times; it must stand there once"
        )
    return Template(tuple(before), tuple(after))


def _piece(node: Node) -> tuple[str, str]:
    """The kind of a template's piece and its name; type ids are read and have no effect on ids."""
    pieces = node.object()
    if len(pieces) != 1 or not pieces.keys() <= {"Sequence", "SpecialToken"}:
        raise node.invalid('{"Sequence": ...} or {"SpecialToken": ...} is expected')
    kind = next(iter(pieces))
    fields = node.child(kind).record("id", "type_id")
    fields["type_id"].natural()
    return kind, fields["id"].one_of("A", "B") if kind == "Sequence" else fields["id"].string()
