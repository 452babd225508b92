"""Encoding with one choice of added tokens: natively here, in `encoder_reference` by the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from verified_tok._core import native
from verified_tok.errors import InvalidText
from verified_tok.options import processors
from verified_tok.session_state import Ids, Spans
from verified_tok.text import explained
from verified_tok.text_arrays import Texts, text_array, text_list

if TYPE_CHECKING:
    from verified_tok.reference.aligned import Span

Offsets = npt.NDArray[np.int64]

_WORTH_THREADS = 1 << 19
"""Characters from which on a second thread saves more than it costs."""


class Placed(NamedTuple):
    """The tokens of a text and where they came from."""

    ids: Ids
    byte_spans: Spans
    char_spans: Spans
    taken: Sequence[tuple[int, str]]
    """The added tokens: which of the ids, and the text that each took, with the white space beside it."""


class TextEncoder(Protocol):
    """Encodes texts with one tokenizer and one choice of its added tokens.

    All methods raise `InvalidText` for what is no string of Unicode scalar values.
    """

    @property
    def path(self) -> str:
        """Who does it, and why, if that is not the native core."""
        ...

    def encode(self, text: str, threads: int | None = 1) -> Ids:
        """The ids of a text, by at most so many threads; None: as many as there are processors."""
        ...

    def count(self, text: str) -> int:
        """How many ids a text has."""
        ...

    def normalize(self, text: str) -> str:
        """What the tokens of a text spell; see `Tokenizer.normalize`."""
        ...

    def encode_batch(
        self,
        texts: Texts | native.TextArray,
        before: Sequence[int],
        after: Sequence[int],
        threads: int | None = None,
    ) -> tuple[Ids, Offsets]:
        """The ids of several texts in one array, each with `before` and `after` around it, and the bounds
        of each text's ids. By at most so many threads; None: as many as there are processors."""
        ...

    def encode_placed(self, text: str, inside: bool = False) -> Placed:
        """The ids of a text and their places; `inside`: the text goes on from other text, at a seam."""
        ...

    def pre_tokenize(self, text: str) -> list[tuple[str, Span]]:
        """The pieces of a text; see `Tokenizer.pre_tokenize`."""
        ...


class NativeEncoder:
    """Encodes with the native core."""

    def __init__(self, engine: native.Engine, seams: Callable[[], native.Image]) -> None:
        self.path = "native"
        self.engine = engine
        self._seams = seams

    @cached_property
    def seams(self) -> native.Image:
        """Between which characters texts are cut. Looked for when it is asked for."""
        return self._seams()

    def encode(self, text: str, threads: int | None = 1) -> Ids:
        """See `TextEncoder`."""
        if threads == 1 or not isinstance(text, str) or len(text) < _WORTH_THREADS:
            return explained(text, self.engine.encode, text)
        if (many := threads or processors()) == 1:
            return self.encode(text)
        return explained(text, native.encode_parallel, self.engine, self.seams, text, many)

    def count(self, text: str) -> int:
        """See `TextEncoder`."""
        return explained(text, self.engine.count, text)

    def normalize(self, text: str) -> str:
        """See `TextEncoder`."""
        return explained(text, self.engine.normalize, text)

    def encode_batch(
        self,
        texts: Texts | native.TextArray,
        before: Sequence[int],
        after: Sequence[int],
        threads: int | None = None,
    ) -> tuple[Ids, Offsets]:
        """See `TextEncoder`."""
        many = threads or processors()
        array = text_array(texts)
        if array is not None:
            try:
                return self.engine.encode_array(array, before, after, many)
            except ValueError as error:  # it is not UTF-8, or one has 4 GiB
                raise InvalidText(str(error)) from None
        given = list(texts)  # type: ignore[arg-type]  # even of a list: another thread may change that one
        try:
            return self.engine.encode_list(given, before, after, many)
        except (TypeError, UnicodeEncodeError):
            text_list(given)  # says which it is
            raise
        except ValueError as error:  # one has 4 GiB
            raise InvalidText(str(error)) from None

    def encode_placed(self, text: str, inside: bool = False) -> Placed:
        """See `TextEncoder`."""
        return Placed(*explained(text, self.engine.encode_placed, text, inside))

    def pre_tokenize(self, text: str) -> list[tuple[str, Span]]:
        """See `TextEncoder`."""
        return explained(text, native.pre_tokenize, self.engine, text)
