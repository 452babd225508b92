"""The native engines of a tokenizer: one for each choice of added tokens, over common tables."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import partial
from typing import TYPE_CHECKING

from verified_tok._core import native
from verified_tok.native.image_file import image_for
from verified_tok.spec import TokenizerSpec

if TYPE_CHECKING:
    from verified_tok.reference.pipeline import Pipeline


class NativeEngines:
    """Makes native engines for a tokenizer, whose pipelines `pipeline` gives.

    Raises `NotNative` if the core has no code for one of its stages.
    """

    def __init__(self, spec: TokenizerSpec, pipeline: Callable[[Set[int]], Pipeline]) -> None:
        self._spec = spec
        self._pipeline = pipeline
        self._every = frozenset(token.id for token in spec.added_tokens)
        self._common = image_for("encode", spec, partial(_build, spec, partial(pipeline, self._every)))

    def engine(self, enabled: Set[int]) -> native.Engine:
        """The engine that recognizes these added tokens, and never answers with the others."""
        if enabled == self._every:
            return native.Engine([self._common])
        from verified_tok.native import tables

        return native.Engine(
            [self._common, native.Image.of(tables.own(self._spec, self._pipeline(enabled), enabled))]
        )


def _build(spec: TokenizerSpec, pipeline: Callable[[], Pipeline]) -> native.Image:
    from verified_tok.native import tables

    return native.Image.of(tables.common(spec, pipeline()))
