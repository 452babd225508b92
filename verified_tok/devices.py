"""Which device serves a call: the CPU, or a GPU."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from verified_tok.encoders import NativeEncoder, TextEncoder
from verified_tok.errors import GpuUnavailable
from verified_tok.spec import TokenizerSpec

if TYPE_CHECKING:  # the package of the GPU is imported when a call asks for one
    from verified_tok.gpu.counters import Counting
    from verified_tok.gpu.encoder import DeviceEncoder
    from verified_tok.gpu.router import Thresholds

DeviceName = Literal["cpu", "gpu", "auto"]


class _Choice(NamedTuple):
    gpu: DeviceEncoder
    thresholds: Thresholds


class Devices:
    """The encoders of a tokenizer on a GPU, one for each choice of added tokens."""

    def __init__(self, spec: TokenizerSpec, encoder: Callable[[Set[int]], TextEncoder]) -> None:
        self._spec = spec
        self._encoder = encoder
        choices = lru_cache(maxsize=8)
        self._on_gpu = choices(self._make)
        self._choice = choices(self._choose)

    @cached_property
    def counting(self) -> Counting:
        """Counts the requests to the GPU."""
        from verified_tok.gpu.counters import Counting

        return Counting()

    def gpu_for(
        self, device: DeviceName, enabled: frozenset[int], size: int, threads: int | None
    ) -> DeviceEncoder | None:
        """The encoder on the GPU if that is to encode so many characters; None if the CPU is, with so many
        threads. Raises `GpuUnavailable` if the GPU is asked for by name and cannot do it."""
        if device == "cpu":
            return None
        if device == "gpu":
            return self._on_gpu(enabled)
        choice = self._choice(enabled)
        return choice.gpu if choice and choice.thresholds.prefer_gpu(size, threads) else None

    def _make(self, enabled: frozenset[int]) -> DeviceEncoder:
        from verified_tok.gpu.cuda import cuda_lanes
        from verified_tok.gpu.encoder import DeviceEncoder

        own = self._native(enabled)
        return DeviceEncoder(self._spec, own.engine, own.seams, cuda_lanes(), self.counting)

    def _choose(self, enabled: frozenset[int]) -> _Choice | None:
        """None if there is no GPU, or it cannot encode with this tokenizer."""
        try:
            gpu, own = self._on_gpu(enabled), self._native(enabled)
        except GpuUnavailable:
            return None
        from verified_tok.gpu.router import measured, thresholds

        return _Choice(gpu, thresholds(gpu.device, lambda: measured(own, gpu)))

    def _native(self, enabled: frozenset[int]) -> NativeEncoder:
        own = self._encoder(enabled)
        if not isinstance(own, NativeEncoder):
            raise GpuUnavailable(
                "the kernels need the native core, with code for every stage of this tokenizer"
            )
        return own
