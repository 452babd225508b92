"""What happens after the model: the post-processor, and decoding."""

from __future__ import annotations

from collections.abc import Iterator

from verified_tok.admission.layout import shown
from verified_tok.admission.report import StageReport, TableUse
from verified_tok.reference.added_tokens import literal_of
from verified_tok.reference.byte_level import unspell
from verified_tok.reference.classes import file_name
from verified_tok.reference.decode import token_bytes, token_texts
from verified_tok.spec import (
    ByteFallbackDecode,
    ByteLevelDecode,
    Decoder,
    Dialect,
    FuseDecode,
    MergeBpe,
    MetaspaceDecode,
    PostProcessor,
    ReplaceDecode,
    StripDecode,
    Template,
    TokenizerSpec,
    TrimOffsets,
)


def post_processor(spec: TokenizerSpec) -> StageReport:
    """The report on the post-processor."""
    does = list(map(_after, spec.post_processors)) or ["nothing: there is none that does anything"]
    facts = []
    if spec.pads_batches:
        facts.append("the file asks for batches padded to their longest text; the kit never pads")
    trims = any(isinstance(stage, TrimOffsets) for stage in spec.post_processors)
    return StageReport(
        stage="post-processor",
        does=tuple(does),
        why="no id of the text itself depends on it",
        tables=(TableUse.of(file_name(Dialect.ONIGURUMA)),) if trims else (),
        facts=tuple(facts),
    )


def _after(stage: PostProcessor) -> str:
    match stage:
        case TrimOffsets():
            return "takes white space off the offsets that tokens report"
        case Template(before, after):
            return f"with add_special_tokens puts the ids {[*before]} before a text and {[*after]} after it"


def decoder(spec: TokenizerSpec) -> StageReport:
    """The report on the decoder."""
    stages = spec.decoders
    does = tuple(map(_decoding, stages)) or ("joins the tokens' texts",)
    if not isinstance(spec.model, MergeBpe):
        does = ("joins the tokens' bytes",)
    inside = all(isinstance(stage, ByteLevelDecode) for stage in stages)
    return StageReport(
        stage="decoder",
        does=does,
        why="bytes first: only the bytes of all tokens together are read as UTF-8",
        theorems=("decode_append",) if inside else (),
        facts=tuple(_facts(spec)),
    )


def _decoding(stage: Decoder) -> str:
    match stage:
        case ByteLevelDecode():
            return "reads byte-level characters as their bytes"
        case ReplaceDecode(pattern, content):
            return f"replaces {pattern.text!r} by {content!r} in each token"
        case ByteFallbackDecode():
            return "reads tokens such as <0x0A> as the byte they name"
        case FuseDecode():
            return "joins the tokens"
        case StripDecode(content, start, stop):
            return f"takes up to {start} times {content!r} off the front and {stop} times off the end"
        case MetaspaceDecode(replacement, scheme):
            first = "" if scheme == "never" else ", in the first token as nothing"
            return f"reads {replacement!r} as a space{first}"


def _facts(spec: TokenizerSpec) -> Iterator[str]:
    texts = token_texts(spec)
    changed = [
        token.content
        for token in spec.added_tokens
        if token_bytes(spec.decoders, texts[token.id]) != token.content.encode()
    ]
    if changed:
        yield f"added tokens that decode to something else than their literal: {shown(changed)}"
    if misread := _misread(spec):
        yield (
            f"literals of nothing but byte-level characters: {shown(misread)}; the kit decodes them "
            "as they are, the reference engine as the bytes that these characters stand for"
        )


def _misread(spec: TokenizerSpec) -> list[str]:
    """The literals that the reference engine does not give back as they are."""
    if not isinstance(spec.model, MergeBpe) or ByteLevelDecode() not in spec.decoders:
        return []
    vocab = spec.model.vocab
    outside = [token for token in spec.added_tokens if token.content not in vocab]
    literals = [literal_of(spec.normalizers, token) for token in outside]
    return [literal for literal in literals if unspell(literal) not in (None, literal.encode())]
