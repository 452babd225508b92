"""Encoding on a device: what goes there, what comes back, and what the CPU does of it.

Texts are cut at seams (`encode_chunks` in `lean/VerifiedTok/Thm/Session.lean`): every block of bytes looks
for the first seam in it, and a thread encodes from one seam to the next with the functions of the
CPU's engine.
Ids lie at first where their part of the text lies, so that nothing has to be counted before; then they move
together. The CPU waits for the device twice: for the number of ids, and for the ids.

Parts that the normalizer changes are written, normalized, into a room behind the texts, and encoded there.

Parts that a thread has no room for (a long run without seams, a long merge) are encoded by the CPU. If they
are many, or the device fails, it encodes everything.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

import numpy as np

from verified_tok._core import native
from verified_tok.errors import GpuUnavailable, InvalidText
from verified_tok.gpu.counters import Counting
from verified_tok.gpu.device import Array
from verified_tok.gpu.lanes import Lanes
from verified_tok.gpu.layout import AROUND, BYTES_A_TEXT
from verified_tok.gpu.workspace import Found, Numbers, Totals, Workspace
from verified_tok.options import processors
from verified_tok.session_state import Ids, Spans
from verified_tok.spec import Literal, Normalizer, Prepend, ReplaceAll, TokenizerSpec, UnicodeForm
from verified_tok.text import explained
from verified_tok.text_arrays import text_list

R = TypeVar("R")

_log = logging.getLogger(__name__)

_FEW_LEFT = 64
"""So many parts the CPU encodes one by one, whatever else there is."""


class _Ids(NamedTuple):
    """The ids of texts, and the bounds of each text's; both on the device or both not."""

    ids: Array
    offsets: Array


def _joined(xp: Any, parts: Sequence[_Ids]) -> _Ids:
    """The ids of several requests, one behind the other. `xp`: NumPy, or what has the same functions for the
    device's arrays."""
    ends = [*accumulate((len(part.ids) for part in parts), initial=0)]
    offsets = [part.offsets[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return _Ids(
        xp.concatenate([xp.empty(0, np.uint32), *(part.ids for part in parts)]),
        xp.concatenate([*offsets, xp.full(1, ends[-1], np.int64)]),
    )


def normalizer_refusal(normalizers: Sequence[Normalizer]) -> str | None:
    """Why there is no kernel for a normalizer; None if there is one: for nothing, for a Unicode normal form,
    and for a literal that is replaced and a text put before, if that has no character of the literal."""
    match [stage for stage in normalizers if not isinstance(stage, Prepend)], len(normalizers):
        case [[], 0 | 1] | [[UnicodeForm()], 1]:
            return None
        case [[ReplaceAll(Literal(pattern), _)], 1 | 2] if pattern:
            prefix = "".join(stage.text for stage in normalizers if isinstance(stage, Prepend))
            if not set(pattern).intersection(prefix):
                return None
    return f"there is no kernel for this tokenizer's normalizer: {', '.join(map(str, normalizers))}"


def cutting_refusal(tables: native.Image) -> str | None:
    """Why there is no kernel for a pre-tokenizer; None if there is one: for one that only cuts characters."""
    if len(tables.section("change_steps")):
        return "there is no kernel for a pre-tokenizer that changes text (Metaspace, add_prefix_space)"
    if len(tables.section("split_spelled")):
        return "there is no kernel for a pre-tokenizer that goes on cutting behind ByteLevel"
    return None


def _growth(normalizers: Sequence[Normalizer]) -> int:
    """What `Shape.growth` is for a normalizer that has a kernel."""
    sizes = [
        -(-len(stage.content.encode()) // len(stage.pattern.text.encode()))
        for stage in normalizers
        if isinstance(stage, ReplaceAll) and isinstance(stage.pattern, Literal)
    ]
    return max([1, *sizes]) if normalizers else 0


class DeviceEncoder:
    """Encodes with one tokenizer and one choice of its added tokens on a device. Threads may share it.

    Raises `GpuUnavailable` if there is no kernel for the tokenizer's normalizer or its pre-tokenizer, or no
    room for its tables on the device.
    """

    def __init__(
        self,
        spec: TokenizerSpec,
        engine: native.Engine,
        seams: native.Image,
        lanes: Lanes,
        counting: Counting,
        many_left: int = 8,
    ) -> None:
        """`many_left`: if more than one part in so many is left to the CPU, it encodes everything."""
        if refusal := normalizer_refusal(spec.normalizers) or cutting_refusal(engine.images[0]):
            raise GpuUnavailable(refusal)
        self._growth = _growth(spec.normalizers)
        self._engine = engine
        self._seams = seams
        self._lanes = lanes
        self._counting = counting
        self._many_left = many_left
        images = [*engine.images, seams]
        try:
            self._tables = [lanes.device.put(image.memory) for image in images]  # kept as long as the view
        except lanes.device.failures as error:
            raise GpuUnavailable(f"the tokenizer's tables cannot be put on the GPU: {error}") from None
        self._view = native.view_at(images, [table.address for table in self._tables])

    @property
    def device(self) -> str:
        """What the device is."""
        return self._lanes.device.identity

    def encode(
        self, text: str, before: Sequence[int] = (), after: Sequence[int] = (), resident: bool = False
    ) -> Ids:
        """The ids of a text; the rest is as in `encode_batch`."""
        texts = explained(text, lambda: native.TextArray.of_texts((text,)))
        ids: Ids = self._encoded(texts, before, after, resident).ids
        return ids

    def encode_batch(
        self,
        texts: Sequence[str] | native.TextArray,
        before: Sequence[int] = (),
        after: Sequence[int] = (),
        resident: bool = False,
    ) -> tuple[Array, Array]:
        """The ids of several texts in one array, each with `before` and `after` around it, and the bounds of
        each text's ids. Arrays of NumPy, or of the device if they are to be `resident` there.

        Raises `InvalidText`; `GpuUnavailable` if the device has no room for what is to be resident.
        """
        if isinstance(texts, native.TextArray):
            return self._encoded(texts, before, after, resident)
        given = tuple(texts)  # nobody can change it meanwhile
        try:
            return self._encoded(native.TextArray.of_texts(given), before, after, resident)
        except (TypeError, UnicodeEncodeError):
            text_list(given)  # says which it is
            raise

    def encode_placed(self, text: str) -> tuple[Ids, Spans]:
        """The ids of a text, and the span of bytes that each came from: int64 of shape (n, 2). Raises
        `InvalidText`."""
        texts = explained(text, lambda: native.TextArray.of_texts((text,)))
        found = self._on_device(texts, texts.bounds(1), (), (), True, self._fetched)
        if found is None:
            return self._engine.encode_placed(text)[:2]
        ids, starts, stops = found.columns
        return ids, np.stack([starts, stops], axis=1).astype(np.int64)

    def _encoded(
        self, texts: native.TextArray, before: Sequence[int], after: Sequence[int], resident: bool
    ) -> _Ids:
        """See `encode_batch`."""
        try:
            bounds = texts.bounds(processors())
        except ValueError as error:  # it is not UTF-8
            raise InvalidText(str(error)) from None
        parts = [
            self._some(
                texts if stop - first == len(texts) else texts.part(first, stop),
                bounds[first : stop + 1] - bounds[first],
                before,
                after,
                resident,
            )
            for first, stop in self._requests(bounds)
        ]
        if len(parts) == 1:
            return parts[0]
        if not resident:
            return _joined(np, parts)
        try:
            return _joined(self._lanes.device.xp, parts)
        except self._lanes.device.failures as error:
            raise GpuUnavailable(f"the ids cannot be put together on the GPU: {error}") from None

    def _requests(self, bounds: Numbers) -> Iterator[tuple[int, int]]:
        """Which texts are one request: from the first number up to the second."""
        most = self._lanes.largest(self._growth)
        first, count = 0, len(bounds) - 1
        while first < count:
            behind = int(np.searchsorted(bounds, bounds[first] + most, "right")) - 1
            stop = max(first + 1, min(behind, first + most // BYTES_A_TEXT))
            yield first, stop
            first = stop

    def _some(
        self,
        texts: native.TextArray,
        bounds: Numbers,
        before: Sequence[int],
        after: Sequence[int],
        resident: bool,
    ) -> _Ids:
        """The ids of one request."""
        if resident:
            kept = self._on_device(texts, bounds, before, after, False, self._kept)
            return kept or self._resident(*self._by_cpu(texts, before, after))
        found = self._on_device(texts, bounds, before, after, False, self._fetched)
        return _Ids(found.columns[0], found.offsets) if found else self._by_cpu(texts, before, after)

    def _by_cpu(self, texts: native.TextArray, before: Sequence[int], after: Sequence[int]) -> _Ids:
        """The same by the CPU, with all its processors."""
        if len(texts) > 1:
            return _Ids(*self._engine.encode_array(texts, before, after, processors()))
        own = native.encode_parallel(self._engine, self._seams, texts, processors())
        ids = np.concatenate([np.array(before, np.uint32), own, np.array(after, np.uint32)])
        return _Ids(ids, np.array([0, len(ids)]))

    def _on_device(
        self,
        texts: native.TextArray,
        bounds: Numbers,
        before: Sequence[int],
        after: Sequence[int],
        placed: bool,
        use: Callable[[Workspace, Totals, Numbers], R],
    ) -> R | None:
        """Encode on the device, and use what it found; None if everything is for the CPU."""
        shape = self._lanes.shape(int(bounds[-1]), len(texts), placed, self._growth)
        if shape is None or len(before) + len(after) > AROUND:
            self._counting.add(too_large=1)
            return None
        try:
            with self._lanes.lane() as lane:
                workspace = lane.workspace(shape)
                texts.copy_to(workspace.texts)
                totals = workspace.run(self._view, bounds, before, after)
                self._counting.add(waits=1, parts=totals.parts, parts_by_cpu=totals.left)
                if totals.left > max(_FEW_LEFT, totals.parts // self._many_left):
                    self._counting.add(left=1)
                    return None
                used = use(workspace, totals, bounds)
        except self._lanes.device.failures:
            _log.info("the GPU failed, and the CPU encodes the request", exc_info=True)
            self._counting.add(failures=1)
            return None
        self._counting.add(requests=1, bytes=int(bounds[-1]))
        return used

    def _kept(self, workspace: Workspace, totals: Totals, bounds: Numbers) -> _Ids:
        """What was found, on the device."""
        if not totals.left:
            return _Ids(*workspace.handed_over(totals, len(bounds) - 1))
        found = self._fetched(workspace, totals, bounds)
        return self._resident(found.columns[0], found.offsets)

    def _fetched(self, workspace: Workspace, totals: Totals, bounds: Numbers) -> Found:
        """What was found, on the CPU, which encodes the parts that were left to it."""
        found = workspace.fetched(totals, len(bounds) - 1)
        self._counting.add(waits=1)
        if not totals.left:
            return found
        stretches = zip(found.left.begin.tolist(), found.left.end.tolist(), strict=True)
        parts = [workspace.texts[begin:end].tobytes().decode() for begin, end in stretches]
        return self._with_left(found, parts, bounds)

    def _resident(self, ids: Ids, offsets: Numbers) -> _Ids:
        """What was found on the CPU, on the device."""
        device = self._lanes.device
        try:
            return _Ids(device.array(ids), device.array(offsets))
        except device.failures as error:
            raise GpuUnavailable(f"the ids cannot be put on the GPU: {error}") from None

    def _with_left(self, found: Found, texts: list[str], bounds: Numbers) -> Found:
        """What the device found, with the ids of the parts that it left to the CPU in their places."""
        begin, _, text, place = found.left
        columns: list[list[Ids]] = []
        for part, inside in zip(texts, (begin - bounds[text]).tolist(), strict=True):
            ids, spans, *_ = self._engine.encode_placed(part, inside > 0)
            columns.append([ids, *(spans + inside).T.astype(np.uint32)])
        sizes = [len(ids) for ids, *_ in columns]
        places = np.repeat(place, sizes)
        merged = [
            np.insert(column, places, np.concatenate(values))
            for column, values in zip(found.columns, zip(*columns, strict=True), strict=False)
        ]
        before = np.cumsum([0, *sizes], dtype=np.int64)[np.searchsorted(begin, bounds)]
        return Found(merged, found.offsets + before, found.left)
