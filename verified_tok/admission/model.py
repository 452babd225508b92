"""What the model does with a piece, and which theorems hold for its rank table."""

from __future__ import annotations

from collections.abc import Iterator, Set

from verified_tok.admission.layout import shown
from verified_tok.admission.report import Check, StageReport
from verified_tok.errors import UnsupportedTokenizer
from verified_tok.reference.bpe import Table, merge_all
from verified_tok.reference.byte_level import CHAR_OF_BYTE, unspell
from verified_tok.reference.rounds_check import check_live_monotone, find_disagreement, rules_of, symbols_of
from verified_tok.reference.tables import FALLBACK_NAMES, NOT_IN_UTF8, model_violations
from verified_tok.spec import ByteLevel, MergeBpe, Model, RankBpe, TokenizerSpec

_MERGE_ASSUMPTIONS = {
    "distinct": "no pair is listed twice",
    "byte_spells": "the token of each byte is that byte",
    "result_spells": "each merge's result spells its two parts",
}
_RANK_ASSUMPTIONS = {
    "bytes_distinct": "no byte string is listed twice",
    "tokens_distinct": "no id is listed twice",
    "nonempty": "no token is empty",
    "has_byte": "each byte is a token",
}


def report(spec: TokenizerSpec, deep: bool) -> StageReport:
    """The report on the model; `deep` adds what takes up to a minute to find out."""
    model = spec.model
    byte_level = any(isinstance(stage, ByteLevel) for stage in spec.pre_tokenizers)
    broken = dict(model_violations(model, byte_level=byte_level))
    assumptions = _RANK_ASSUMPTIONS if isinstance(model, RankBpe) else _MERGE_ASSUMPTIONS
    facts = _rank_facts(model) if isinstance(model, RankBpe) else _merge_facts(model, spec, byte_level)
    return StageReport(
        stage="model",
        does=tuple(_encoding(model, byte_level)),
        why="merging lowest rank first, leftmost first, is the specification, and it has exactly one answer",
        theorems=_theorems(model, byte_level, broken.keys()),
        checks=tuple(Check(name, meaning, broken.get(name)) for name, meaning in assumptions.items()),
        facts=(*facts, *(_deep_facts(model) if deep else ())),
    )


def _encoding(model: Model, byte_level: bool) -> Iterator[str]:
    if isinstance(model, RankBpe):
        yield f"byte-pair encoding of each piece by {len(model.ranks)} ranks of byte strings"
        yield "merging begins with one token for each byte"
        yield "a piece that has a rank is that one token, whatever merging would give"
        return
    yield f"byte-pair encoding of each piece by {len(model.merges)} merges over {len(model.vocab)} entries"
    yield f"merging begins with one token for each {'byte' if byte_level else 'character'}"
    if model.byte_fallback:
        yield "a character without a token begins as its bytes, <0x00> to <0xFF>"
    if model.ignore_merges:
        yield "a piece that is an entry is that one token, whatever merging would give (ignore_merges)"


def _theorems(model: Model, byte_level: bool, broken: Set[str]) -> tuple[str, ...]:
    """The theorems that hold for this model.

    They speak of bytes if it begins with a token for each byte, and of lists of tokens if not. That decoding
    inverts needs the assumptions.
    """
    if isinstance(model, MergeBpe) and (not byte_level or "byte_spells" in broken):
        return ("mergeAll_eq_iff", *(() if "result_spells" in broken else ("decode_mergeAll",)))
    if isinstance(model, RankBpe) or model.ignore_merges:
        return ("encodePieceIgnoreMerges_iff", *(() if broken else ("decode_encodePieceIgnoreMerges",)))
    return ("encodePiece_iff_bpeSpec", "bpeSpec_unique", *(() if broken else ("decode_encodePiece",)))


# --- facts -------------------------------------------------------------------------------------------


def _rank_facts(model: RankBpe) -> Iterator[str]:
    ranks = model.ranks
    unmade = [
        data
        for data in ranks
        if len(data) > 1
        and not any(data[:cut] in ranks and data[cut:] in ranks for cut in range(1, len(data)))
    ]
    if unmade:
        yield f"tokens that no merge makes: {shown(unmade)}; only a piece that is one of them gives it"


def _merge_facts(model: MergeBpe, spec: TokenizerSpec, byte_level: bool) -> Iterator[str]:
    results = {result for _, _, result in model.merges}
    if len(results) < len(model.merges):
        yield f"merges whose token another merge makes, too: {len(model.merges) - len(results)}"
    others = {model.unk_token, *(token.content for token in spec.added_tokens)}
    others |= set(FALLBACK_NAMES) if model.byte_fallback else set()
    unmade = [
        text for text, id in model.vocab.items() if id not in results and len(text) > 1 and text not in others
    ]
    if unmade:
        reached = "only a piece that is one of them gives it" if model.ignore_merges else "no text gives them"
        legible = [_legible(text, byte_level) for text in unmade]
        yield f"tokens that no merge makes: {shown(legible)}; {reached}"
    yield from _missing(model, byte_level)


def _legible(text: str, byte_level: bool) -> str | bytes:
    data = unspell(text) if byte_level else None
    if data is None:
        return text
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _missing(model: MergeBpe, byte_level: bool) -> Iterator[str]:
    """What happens to characters that have no token."""
    outcome = "is dropped, as in the reference engine"
    if model.unk_token is not None:
        outcome = f"becomes {model.unk_token!r}" + (", a run of them a single one" if model.fuse_unk else "")
    names = CHAR_OF_BYTE if byte_level else FALLBACK_NAMES if model.byte_fallback else ()
    lacking = [byte for byte, name in enumerate(names) if name not in model.vocab and byte not in NOT_IN_UTF8]
    if not names:
        yield f"a character that is no entry {outcome}: it does not come back"
    elif lacking:
        yield (
            f"bytes without a token, of those that texts hold: {len(lacking)} (first {lacking[0]:#04x}); "
            f"what needs one {outcome}: it does not come back"
        )


def _deep_facts(model: Model) -> Iterator[str]:
    """Whether a parallel encoder may merge in rounds, and which tokens merging does not reach."""
    try:
        symbols = symbols_of(model)
    except UnsupportedTokenizer as error:
        yield f"not decided whether merging in rounds is exact: {error.problems[0].remedy}"
        return
    table = Table((), rules_of(model))
    early = check_live_monotone(table, symbols)
    if not early:
        yield "merging in rounds is exact, early rules: 0 (roundAll_eq_mergeAll)"
    elif (found := find_disagreement(table, symbols)) is None:
        yield f"merging in rounds is exact, early rules: {len(early)} (Vocabulary.checkPairsAgree_iff)"
    else:
        yield f"merging in rounds is not exact: it differs on the tokens {found}"
    unreached = sum(merge_all(table, spelled) != [token] for token, spelled in symbols.items())
    if unreached:
        yield f"tokens that merging does not make from their own text: {unreached}"
