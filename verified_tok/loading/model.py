"""The `model` field of a tokenizer file."""

from __future__ import annotations

from verified_tok.errors import InvalidTokenizerFile
from verified_tok.loading.node import U32, Node
from verified_tok.loading.scan import ScannedModel
from verified_tok.spec import MergeBpe
from verified_tok.vocabulary import Merges, Vocabulary

_REMEDIES = {
    "WordPiece": "BERT's model; the kit encodes by byte-pair merges only, so it needs an encoder of its own",
    "Unigram": "the kit encodes by byte-pair merges only; needs a best-path encoder over token scores",
    "WordLevel": "the kit encodes by byte-pair merges only; needs a look-up of whole words",
}
_FLAGS = ("ignore_merges", "byte_fallback", "fuse_unk")
_TEXTS = ("unk_token", "continuing_subword_prefix", "end_of_word_suffix")


def read_model(node: Node, scanned: ScannedModel | None) -> MergeBpe | None:
    """The model; None if it is not byte-pair encoding, which is then noted. What was `scanned` already is not
    read again."""
    kind = node.child("type").string() if "type" in node.object() else None
    if kind is None and "merges" not in node.object():
        raise node.invalid("neither a `type` nor `merges`: not a model")
    if kind is not None and kind != "BPE":  # old files leave the type out
        node.child("type").unsupported(_REMEDIES.get(kind, "not a known model (BPE)"))
        return None

    fields = node.record("vocab", "merges", optional=("type", *_FLAGS, *_TEXTS, "dropout"))
    given = {name: field for name, field in fields.items() if field.value is not None}
    flags = {name: name in given and given[name].boolean() for name in _FLAGS}
    texts = {name: given[name].string() for name in _TEXTS if name in given}
    for name in _TEXTS[1:]:
        if texts.get(name):
            given[name].unsupported("marks the place of a token in its word; use a byte-level model instead")
    if "dropout" in given:
        _check_dropout(given["dropout"])

    vocab = scanned.vocab if scanned else Vocabulary.of(_vocab(fields["vocab"]))
    unk_token = texts.get("unk_token")
    if unk_token is not None and not vocab.find([unk_token]):
        raise given["unk_token"].invalid(f"the vocabulary has no entry {unk_token!r}")
    return MergeBpe(
        vocab=vocab,
        merges=scanned.merges if scanned else _merges(fields["merges"], vocab),
        ignore_merges=flags["ignore_merges"],
        byte_fallback=flags["byte_fallback"],
        unk_token=unk_token,
        fuse_unk=flags["fuse_unk"],
    )


def _check_dropout(node: Node) -> None:
    rate = node.value
    if isinstance(rate, bool) or not isinstance(rate, int | float):
        raise node.expected("a number")
    if not 0 <= rate <= 1:
        raise node.invalid(f"a number from 0 to 1 is expected, not {rate}")
    if rate != 0:
        node.unsupported("encoding at random; write null to encode the same way each time")


def _vocab(node: Node) -> dict[str, int]:
    entries = node.object()
    vocab = {token: id for token, id in entries.items() if type(id) is int and 0 <= id <= U32}
    for token in entries.keys() - vocab.keys():
        node.child(token).natural()
    if len(set(vocab.values())) < len(vocab):
        owner: dict[int, str] = {}
        token = next(token for token, id in vocab.items() if owner.setdefault(id, token) != token)
        raise node.child(token).invalid(f"{owner[vocab[token]]!r} has the id {vocab[token]} already")
    return vocab


def _merges(node: Node, vocab: Vocabulary) -> Merges:
    if not isinstance(node.value, list):
        raise node.expected("an array")
    as_text = all(isinstance(merge, str) for merge in node.value)
    merges: list[tuple[int, int, int]] = []
    places: dict[tuple[int, int], int] = {}
    for place, merge in enumerate(node.value):
        pair = merge
        if as_text:
            if merge.startswith("#version"):  # the first line of a merges.txt
                continue
            pair = merge.split(" ")
        if type(pair) is not list or len(pair) != 2 or not type(pair[0]) is type(pair[1]) is str:
            raise _at(node, place, "two tokens are expected")
        left, right = pair
        a, b, result = vocab.get(left), vocab.get(right), vocab.get(left + right)
        if a is None or b is None or result is None:
            missing = left if a is None else right if b is None else left + right
            raise _at(node, place, f"the vocabulary has no entry {missing!r}")
        if places.setdefault((a, b), place) != place:
            raise _at(node, place, f"the same pair as merges[{places[a, b]}]")
        merges.append((a, b, result))
    return Merges.of(merges)


def _at(node: Node, place: int, what: str) -> InvalidTokenizerFile:
    item = node.items()[place]
    return item.invalid(f"{what}, in {item.value!r}")
