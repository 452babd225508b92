"""What the kit does with a tokenizer, stage by stage, and why that is exact."""

from __future__ import annotations

from verified_tok.admission import back, front, model, seams
from verified_tok.admission.report import Admission, Check, StageReport, TableUse
from verified_tok.admission.seams import CharacterClass, SeamReport
from verified_tok.reference.seam_table import SeamTable
from verified_tok.spec import TokenizerSpec

__all__ = ["Admission", "CharacterClass", "Check", "SeamReport", "StageReport", "TableUse", "admit"]


def admit(spec: TokenizerSpec, table: SeamTable, *, deep: bool = False) -> Admission:
    """The admission report of a loaded tokenizer and its seams, about a second's work.

    `deep` also decides whether merging in rounds, as parallel encoders do, is exact for its rank table, and
    counts the entries that merging does not reach: up to a minute for the largest vocabularies.
    """
    return Admission(
        sha256=spec.sha256,
        source=spec.source,
        stages=(
            front.added_tokens(spec),
            front.normalizer(spec),
            front.pre_tokenizer(spec),
            model.report(spec, deep),
            back.post_processor(spec),
            back.decoder(spec),
        ),
        seams=seams.report(table),
    )
