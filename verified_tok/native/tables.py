"""The tables of encoding, all together: what a tokenizer's image holds, and what a choice of added tokens
lays over it. Whoever finds the image in the cache never comes here."""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import numpy.typing as npt

from verified_tok.native import model
from verified_tok.native.literals import kind_arrays, literal_arrays
from verified_tok.native.normalizer import normalizer_arrays
from verified_tok.native.patterns import cutting_stages, split_sections
from verified_tok.reference.pipeline import Pipeline, markup
from verified_tok.spec import ByteLevel, TokenizerSpec

Sections = dict[str, npt.NDArray[np.generic]]


def common(spec: TokenizerSpec, pipeline: Pipeline) -> Sections:
    """The tables of a tokenizer, with all of its added tokens, which `pipeline` has. Raises `NotNative`."""
    return {
        **split_sections(cutting_stages(spec.pre_tokenizers)),
        **normalizer_arrays(spec.normalizers),
        **kind_arrays(),
        **model.sections(spec.model, _byte_level(spec), frozenset()),
        **literal_arrays(pipeline),
    }


def own(spec: TokenizerSpec, pipeline: Pipeline, enabled: Set[int]) -> Sections:
    """The tables for those added tokens that are switched on, which `pipeline` has, and a model that never
    answers with the others, as far as they differ from the common ones. Raises `NotNative`."""
    sections, banned = literal_arrays(pipeline), markup(spec, enabled)
    if model.changes(spec.model, _byte_level(spec), banned):
        sections |= model.sections(spec.model, _byte_level(spec), banned)
    return sections


def _byte_level(spec: TokenizerSpec) -> bool:
    return any(isinstance(stage, ByteLevel) for stage in spec.pre_tokenizers)
