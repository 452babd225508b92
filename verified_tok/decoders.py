"""Decoding with one tokenizer: natively here, in `decoder_reference` by the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from verified_tok._core import native
from verified_tok.errors import InvalidRange, InvalidTokenId, InvalidUtf8
from verified_tok.ids import check_ids
from verified_tok.native import NOT_BUILT, NotNative
from verified_tok.native.image_file import image_for
from verified_tok.options import processors
from verified_tok.spec import TokenizerSpec
from verified_tok.text import check_errors, strict_text

if TYPE_CHECKING:
    from verified_tok.reference.stream import StreamDecoder

T = TypeVar("T")
Offsets = npt.NDArray[np.int64]


class TextDecoder(Protocol):
    """Decodes with one tokenizer. `skip` leaves special tokens out.

    All methods raise `InvalidTokenId` for what is no id of a token.
    """

    @property
    def path(self) -> str:
        """Who does it, and why, if that is not the native core."""
        ...

    def token(self, id: int) -> bytes:
        """The bytes of a token inside a text."""
        ...

    def bytes_of(self, ids: Iterable[int], skip: bool) -> bytes:
        """The bytes that ids stand for."""
        ...

    def text_of(self, ids: Iterable[int], errors: str, skip: bool) -> str:
        """The text that ids stand for; see `Tokenizer.decode`."""
        ...

    def texts_of(
        self, ids: Iterable[int], offsets: Iterable[int], errors: str, skip: bool, threads: int | None = None
    ) -> list[str]:
        """The texts of several sequences of ids that stand behind each other. By at most so many threads;
        None: as many as there are processors."""
        ...

    def texts_of_each(
        self, batch: Iterable[Iterable[int]], errors: str, skip: bool, threads: int | None = None
    ) -> list[str]:
        """The texts of several sequences of ids. What is wrong with one is said with its number."""
        ...

    def stream(self, prompt: Iterable[int], skip: bool) -> StreamDecoder:
        """A decoder for ids that come behind a prompt."""
        ...


def text_decoder(spec: TokenizerSpec) -> TextDecoder:
    """The native decoder of a tokenizer where there is one."""
    why = NOT_BUILT
    if native is not None:
        try:
            return NativeDecoder(spec)
        except NotNative as lacking:
            why = str(lacking)
    from verified_tok.decoder_reference import ReferenceDecoder

    return ReferenceDecoder(spec, why)


class NativeDecoder:
    """Decodes with the native core, which gives None for ids that it does not take; `check_ids` says why, or
    makes integers of them. Raises `NotNative` for stages that the core does not know."""

    def __init__(self, spec: TokenizerSpec) -> None:
        self.path = "native"
        self._spec = spec
        self._core = native.Decoder(image_for("decode", spec, self._build))

    def _build(self) -> native.Image:
        from verified_tok.native.decode import decode_arrays

        return native.Image.of(decode_arrays(self._spec))

    def __contains__(self, id: object) -> bool:
        """Whether a token has this id."""
        return isinstance(id, int) and 0 <= id < 1 << 32 and self._core.token(id) is not None

    def token(self, id: int) -> bytes:
        """See `TextDecoder`."""
        [id] = check_ids([id], self)
        data = self._core.token(id)
        assert data is not None
        return data

    def bytes_of(self, ids: Iterable[int], skip: bool) -> bytes:
        """See `TextDecoder`."""
        return self._with(lambda ids: self._core.bytes(ids, skip), ids)

    def text_of(self, ids: Iterable[int], errors: str, skip: bool) -> str:
        """See `TextDecoder`."""
        check_errors(errors)
        if errors == "strict":
            return strict_text(self.bytes_of(ids, skip))
        text = self._core.text(ids, skip)
        if text is None:
            text = self._with(lambda ids: self._core.text(ids, skip), ids)
        return text

    def texts_of(
        self, ids: Iterable[int], offsets: Iterable[int], errors: str, skip: bool, threads: int | None = None
    ) -> list[str]:
        """See `TextDecoder`."""
        is_array = isinstance(ids, np.ndarray) and ids.ndim == 1 and ids.dtype.kind in "iu"
        array: Any = ids if is_array else check_ids(ids, self)
        bounds = bounds_of(offsets, len(array))
        check_errors(errors)
        strict, many = errors == "strict", threads or processors()
        texts = self._core.texts(array, bounds, skip, strict, many)
        if not isinstance(texts, list):
            array = check_ids(array, self)
            texts = self._core.texts(array, bounds, skip, strict, many)
        if isinstance(texts, int):
            start, stop = bounds[texts : texts + 2]
            with saying(f"text {texts}"):
                strict_text(self.bytes_of(array[start:stop], skip))
        assert isinstance(texts, list)
        return texts

    def texts_of_each(
        self, batch: Iterable[Iterable[int]], errors: str, skip: bool, threads: int | None = None
    ) -> list[str]:
        """See `TextDecoder`."""
        check_errors(errors)

        def check(place: int, ids: Iterable[int]) -> list[int]:
            with saying(f"batch[{place}]"):
                checked = check_ids(ids, self)
                self.text_of(checked, errors, skip)
                return checked

        return self._core.texts_of_each(batch, check, skip, errors == "strict", threads or processors())

    def stream(self, prompt: Iterable[int], skip: bool) -> StreamDecoder:
        """See `TextDecoder`."""
        from verified_tok.decoder_reference import NativeStreamDecoder, ReferenceDecoder
        from verified_tok.native.decode import plan

        todo = plan(self._spec.decoders)
        if todo.byte_level and todo.strips:  # `Strip` gets whole characters, for which the core does not wait
            return ReferenceDecoder(self._spec).stream(prompt, skip)
        return NativeStreamDecoder(native.DecodeStream(self._core, skip), self, prompt)

    def _with(self, decode: Callable[[Iterable[int]], T | None], ids: Iterable[int]) -> T:
        decoded = decode(ids)
        if decoded is None:
            decoded = decode(check_ids(ids, self))
            assert decoded is not None
        return decoded


@contextmanager
def saying(name: str) -> Iterator[None]:
    """What is wrong with some ids, or the bytes that they stand for, is said with their name."""
    try:
        yield
    except (InvalidTokenId, InvalidUtf8) as error:
        raise type(error)(f"{name}: {error}") from None


def bounds_of(offsets: Iterable[int], count: int) -> Offsets:
    """Where each text's ids begin and end. Raises `InvalidRange`."""
    given = offsets if isinstance(offsets, np.ndarray) or not isinstance(offsets, Iterable) else list(offsets)
    try:
        bounds = np.asarray(given)
    except ValueError:  # lists of several lengths
        bounds = np.array(None)
    if bounds.ndim != 1 or not len(bounds) or bounds.dtype.kind not in "iu":
        raise InvalidRange(f"offsets are integers, one more than texts, not {offsets!r}")
    bounds = np.ascontiguousarray(bounds, np.int64)
    if bounds[0] != 0 or bounds[-1] != count or (bounds[1:] < bounds[:-1]).any():
        raise InvalidRange(f"offsets must begin with 0, ascend, and end with the number of ids, {count}")
    return bounds
