"""The tables of encoding, all together: what a tokenizer's image holds, and what a choice of added tokens
lays over it. Whoever finds the image in the cache never comes here."""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from verified_tok.native import Sections, model
from verified_tok.native.changes import Plan, plan, pre_tokenizer_sections
from verified_tok.native.literals import kind_arrays, literal_arrays
from verified_tok.native.normalizer import normalizer_arrays
from verified_tok.reference.pipeline import Pipeline, markup
from verified_tok.spec import TokenizerSpec


def common(spec: TokenizerSpec, pipeline: Pipeline) -> Sections:
    """The tables of a tokenizer, with all of its added tokens, which `pipeline` has. Raises `NotNative`."""
    planned = plan(spec)
    return {
        **pre_tokenizer_sections(planned),
        **normalizer_arrays(spec.normalizers),
        **kind_arrays(),
        **_model(spec, planned, frozenset()),
        **literal_arrays(pipeline),
    }


def own(spec: TokenizerSpec, pipeline: Pipeline, enabled: Set[int]) -> Sections:
    """The tables for those added tokens that are switched on, which `pipeline` has, and a model that never
    answers with the others, as far as they differ from the common ones. Raises `NotNative`."""
    sections, banned, planned = literal_arrays(pipeline), markup(spec, enabled), plan(spec)
    if model.changes(spec.model, planned.spelled, banned):
        sections |= _model(spec, planned, banned)
    return sections


def _model(spec: TokenizerSpec, planned: Plan, banned: Set[int]) -> Sections:
    sections = model.sections(spec.model, planned.spelled, banned)
    if planned.cuts.behind:  # pieces may begin and end inside characters, which cuts of pieces do not expect
        sections |= dict.fromkeys(("cut_pairs", "cut_bound"), np.empty(0, np.uint64))
    return sections
