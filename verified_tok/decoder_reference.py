"""Decoding by the reference, where the native core is not built or lacks a stage; and the decoders of
streams, which are the reference's by their interface."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from verified_tok._core import native
from verified_tok.decoders import NativeDecoder, bounds_of, saying
from verified_tok.ids import check_ids
from verified_tok.reference.decode import decode_bytes, decode_text, skipped, token_bytes, token_texts
from verified_tok.reference.stream import StreamDecoder
from verified_tok.spec import TokenizerSpec
from verified_tok.text import check_errors


class ReferenceDecoder:
    """Decodes as the reference does."""

    def __init__(self, spec: TokenizerSpec, why: str = "chosen") -> None:
        self.path = f"reference ({why})"
        self._stages = spec.decoders
        self._texts = token_texts(spec)
        self._skipped = skipped(spec)

    def token(self, id: int) -> bytes:
        """See `TextDecoder`."""
        [id] = check_ids([id], self._texts)
        return token_bytes(self._stages, self._texts[id])

    def bytes_of(self, ids: Iterable[int], skip: bool) -> bytes:
        """See `TextDecoder`."""
        return decode_bytes(self._stages, self._tokens(ids, skip))

    def text_of(self, ids: Iterable[int], errors: str, skip: bool) -> str:
        """See `TextDecoder`."""
        return decode_text(self._stages, self._tokens(ids, skip), errors)

    def texts_of(
        self, ids: Iterable[int], offsets: Iterable[int], errors: str, skip: bool, threads: int | None = None
    ) -> list[str]:
        """See `TextDecoder`."""
        checked = check_ids(ids, self._texts)
        bounds = bounds_of(offsets, len(checked)).tolist()
        check_errors(errors)
        texts = []
        for place, (start, stop) in enumerate(pairwise(bounds)):
            with saying(f"text {place}"):
                texts.append(self.text_of(checked[start:stop], errors, skip))
        return texts

    def texts_of_each(
        self, batch: Iterable[Iterable[int]], errors: str, skip: bool, threads: int | None = None
    ) -> list[str]:
        """See `TextDecoder`."""
        check_errors(errors)
        texts = []
        for place, ids in enumerate(batch):
            with saying(f"batch[{place}]"):
                texts.append(self.text_of(ids, errors, skip))
        return texts

    def stream(self, prompt: Iterable[int], skip: bool) -> StreamDecoder:
        """See `TextDecoder`."""
        ids = check_ids(prompt, self._texts)
        return StreamDecoder(self._stages, lambda ids: self._tokens(ids, skip), ids)

    def _tokens(self, ids: Iterable[int], skip: bool) -> list[bytes]:
        left_out = self._skipped if skip else frozenset()
        return [self._texts[id] for id in check_ids(ids, self._texts) if id not in left_out]


class NativeStreamDecoder(StreamDecoder):
    """A stream in the native core."""

    def __init__(self, core: native.DecodeStream, known: NativeDecoder, prompt: Iterable[int]) -> None:
        self._core = core
        self._known = known
        self._finished = False
        self.put(prompt if isinstance(prompt, Iterable) else check_ids(prompt, known))
        core.settle()

    def put(self, ids: int | Iterable[int]) -> str:
        """See `StreamDecoder`."""
        self._check_open()
        text = self._core.put(ids)
        if text is None:
            text = self._core.put(check_ids(ids if isinstance(ids, Iterable) else [ids], self._known))
            assert text is not None
        return text

    def finish(self, errors: str = "replace") -> str:
        """See `StreamDecoder`."""
        self._check_end(errors, self._core.incomplete())
        self._finished = True
        return self._core.finish()
