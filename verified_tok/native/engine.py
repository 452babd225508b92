"""The native engines of a tokenizer: one for each choice of added tokens, over common tables."""

from __future__ import annotations

from collections.abc import Set
from functools import partial

from verified_tok._core import native
from verified_tok.native import model
from verified_tok.native.image_file import image_for
from verified_tok.native.literals import kind_arrays, literal_arrays
from verified_tok.native.normalizer import normalizer_arrays
from verified_tok.native.patterns import cutting_stages, split_sections
from verified_tok.reference.pipeline import Pipeline
from verified_tok.spec import ByteLevel, TokenizerSpec


class NativeEngines:
    """Makes native engines for a tokenizer.

    Raises `NotNative` if the core has no code for one of its stages.
    """

    def __init__(self, spec: TokenizerSpec) -> None:
        self._model = spec.model
        self._byte_level = any(isinstance(stage, ByteLevel) for stage in spec.pre_tokenizers)
        self._common = image_for("encode", spec, partial(self._build, spec))

    def _build(self, spec: TokenizerSpec) -> native.Image:
        return native.Image.of(
            {
                **split_sections(cutting_stages(spec.pre_tokenizers)),
                **normalizer_arrays(spec.normalizers),
                **kind_arrays(),
                **model.sections(spec.model, self._byte_level, frozenset()),
            }
        )

    def engine(self, pipeline: Pipeline, banned: Set[int]) -> native.Engine:
        """The engine that recognizes the added tokens of a pipeline, and whose model never answers with a
        banned token."""
        own = literal_arrays(pipeline)
        if model.changes(self._model, self._byte_level, banned):
            own |= model.sections(self._model, self._byte_level, banned)
        return native.Engine([self._common, native.Image.of(own)])
