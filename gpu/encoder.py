"""Encoding on a device: which kernels run, and what the CPU does of it.

Texts are cut at seams (`encode_chunks` in `lean/VerifiedTok/Thm/Session.lean`): every block of bytes looks
for the first seam in it, and a thread encodes from one seam to the next with the functions of the
CPU's engine.
Ids lie at first where their part of the text lies, so that nothing has to be counted before; then they move
together. The CPU waits for the device twice: for the number of ids, and for the ids.

Parts that a thread has no room for (a long run without seams, a long merge), and parts that are not in their
normal form, are encoded by the CPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verified_tok._core import native
from verified_tok.errors import GpuUnavailable
from verified_tok.gpu.device import Array, Device, bytes_array
from verified_tok.session_state import Ids, Spans
from verified_tok.spec import TokenizerSpec, UnicodeForm
from verified_tok.text import explained

Offsets = npt.NDArray[np.int64]

_UNDONE = 0xFFFFFFFF  # as in kernels.cu
_LANES = 32  # threads that move one part's ids


@dataclass(slots=True)
class DeviceStats:
    """What was encoded so far."""

    bytes: int = 0
    parts: int = 0
    parts_by_cpu: int = 0
    """Parts that the device left to the CPU."""
    failures: int = 0
    """Requests that the CPU encoded because the device failed or was out of memory."""


class _Parts(NamedTuple):
    """The parts of texts, on the device."""

    starts: Array
    texts: Array
    count: Array
    """One number."""
    most: int
    """There are no more parts."""


class DeviceEncoder:
    """Encodes with one tokenizer and one choice of its added tokens on a device.

    Raises `GpuUnavailable` if the tokenizer's normalizer is another than a Unicode normal form.
    """

    def __init__(
        self,
        spec: TokenizerSpec,
        engine: native.Engine,
        seams: native.Image,
        device: Device,
        block: int = 256,
        longest: int = 1 << 14,
    ) -> None:
        """`block`: every so many bytes a part begins, at the next seam; `longest`: how many bytes a part may
        have, or the CPU encodes it."""
        for stage in spec.normalizers:
            if not isinstance(stage, UnicodeForm):
                raise GpuUnavailable(f"there is no kernel for this tokenizer's normalizer: {stage}")
        self.stats = DeviceStats()
        self._engine = engine
        self._device = device
        self._block, self._longest = block, longest
        images = [*engine.images, seams]
        self._tables = [device.put(image.memory) for image in images]  # kept as long as the view
        view = native.view_at(images, [device.address(table) for table in self._tables])
        self._view = device.put(bytes_array(view))

    def encode(self, text: str) -> Ids:
        """The ids of a text. Raises `InvalidText`."""
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str]) -> tuple[Ids, Offsets]:
        """The ids of several texts in one array, and the bounds of each text's ids. Raises `InvalidText`."""
        data = [_utf8(text) for text in texts]
        bounds = np.array([*accumulate(map(len, data), initial=0)], np.uint64)
        try:
            [ids], offsets = self._encode(b"".join(data), bounds, placed=False)
        except self._device.failures:
            self.stats.failures += 1
            return self._engine.encode_list(list(texts), [], [], 1)
        return ids, offsets

    def encode_placed(self, text: str) -> tuple[Ids, Spans]:
        """The ids of a text, and the span of bytes that each came from: int64 of shape (n, 2). Raises
        `InvalidText`."""
        data = _utf8(text)
        try:
            [ids, starts, stops], _ = self._encode(data, np.array([0, len(data)], np.uint64), placed=True)
        except self._device.failures:
            self.stats.failures += 1
            return self._engine.encode_placed(text)[:2]
        return ids, np.stack([starts, stops], axis=1).astype(np.int64)

    def _encode(self, data: bytes, bounds: npt.NDArray[np.uint64], placed: bool) -> tuple[list[Ids], Offsets]:
        """The ids, if `placed` also the first byte of each and the one behind its last; and the bounds."""
        if not data:
            return [np.empty(0, np.uint32)] * (3 if placed else 1), np.zeros(len(bounds), np.int64)
        xp, launch = self._device.xp, self._device.launch
        on_device = self._device.put(bytes_array(data)), self._device.put(bounds), len(bounds) - 1
        parts = self._cut(len(data), *on_device)
        columns = [xp.empty(len(data), xp.uint32) for _ in range(3 if placed else 1)]
        counts = xp.zeros(parts.most, xp.uint32)
        launch(
            "encode_parts_placed" if placed else "encode_parts",
            parts.most,
            self._view,
            *on_device,
            parts.starts,
            parts.texts,
            parts.count,
            self._longest,
            *columns,
            counts,
        )
        left = counts == _UNDONE
        own = xp.where(left, 0, counts)
        sums = [parts.count[0], own.sum(dtype=xp.uint64), left.sum(dtype=xp.uint64)]
        count, total, undone = map(int, self._device.take(xp.stack(sums)))
        self.stats.bytes += len(data)
        self.stats.parts += count
        self.stats.parts_by_cpu += undone
        by_cpu = self._by_cpu(data, bounds, parts, count, left) if undone else {}
        if by_cpu:
            sizes = [len(ids) for ids, _ in by_cpu.values()]
            own[xp.asarray([*by_cpu])] = xp.asarray(sizes, xp.uint32)
            total += sum(sizes)
        ends = xp.cumsum(own, dtype=xp.uint64)
        gathered = [xp.empty(total, xp.uint32) for _ in columns]
        for column, out in zip(columns, gathered, strict=True):
            launch("gather_parts", count * _LANES, column, parts.starts, counts, ends, count, out)
        for part, (ids, spans) in by_cpu.items():
            stop = int(ends[part])
            values = np.column_stack([ids, spans]).astype(np.uint32)
            for number, out in enumerate(gathered):
                out[stop - len(ids) : stop] = self._device.put(values[:, number])
        first = xp.searchsorted(parts.starts[:count], on_device[1])
        offsets = xp.concatenate([xp.zeros(1, xp.uint64), ends[:count]])[first]
        return [*map(self._device.take, gathered)], self._device.take(offsets).astype(np.int64)

    def _cut(self, size: int, data: Array, bounds: Array, texts: int) -> _Parts:
        """The parts of the texts."""
        xp, launch = self._device.xp, self._device.launch
        blocks = -(-size // self._block)
        where = self._view, data, bounds, texts, self._block, blocks
        counts = xp.empty(blocks, xp.uint64)
        launch("count_parts", blocks, *where, counts)
        ends = xp.cumsum(counts, dtype=xp.uint64)
        most = blocks + texts
        starts, texts_of = xp.empty(most, xp.uint64), xp.empty(most, xp.uint64)
        launch("place_parts", blocks, *where, ends, starts, texts_of)
        return _Parts(starts, texts_of, ends[-1:], most)

    def _by_cpu(
        self, data: bytes, bounds: npt.NDArray[np.uint64], parts: _Parts, count: int, left: Array
    ) -> dict[int, tuple[Ids, Spans]]:
        """The ids of the parts that are left, and their spans in their texts, by the numbers of the parts."""
        starts = self._device.take(parts.starts[:count])
        texts = self._device.take(parts.texts[:count])
        found = {}
        for part in np.flatnonzero(self._device.take(left)[:count]).tolist():
            begin, text = int(starts[part]), int(texts[part])
            first, stop = int(bounds[text]), int(bounds[text + 1])
            if part + 1 < count:
                stop = min(stop, int(starts[part + 1]))
            ids, spans, *_ = self._engine.encode_placed(data[begin:stop].decode(), begin > first)
            found[part] = ids, spans + (begin - first)
        return found


def _utf8(text: str) -> bytes:
    return explained(text, lambda: str.encode(text))
