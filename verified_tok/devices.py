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


class Choice(NamedTuple):
    """The GPU, and for which texts it is chosen."""

    gpu: DeviceEncoder
    thresholds: Thresholds | None
    """None: for all."""

    def preferred(self, size: int, threads: int | None) -> bool:
        """Whether the GPU is to encode so many characters, rather than so many threads of the CPU."""
        return self.thresholds is None or self.thresholds.prefer_gpu(size, threads)


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

    def choice(self, device: DeviceName, enabled: frozenset[int]) -> Choice | None:
        """None if the CPU is to encode everything. Raises `GpuUnavailable` if the GPU is asked for by name
        and cannot be had."""
        if device == "cpu":
            return None
        return Choice(self._on_gpu(enabled), None) if device == "gpu" else self._choice(enabled)

    def gpu_for(
        self, device: DeviceName, enabled: frozenset[int], text: str, threads: int | None
    ) -> DeviceEncoder | None:
        """The encoder on the GPU if that is to encode a text; None if the CPU is, with so many threads.
        Raises what `choice` raises."""
        choice = self.choice(device, enabled)
        size = len(text) if isinstance(text, str) else 0
        return choice.gpu if choice and choice.preferred(size, threads) else None

    def _make(self, enabled: frozenset[int]) -> DeviceEncoder:
        from verified_tok.gpu.cuda import cuda_lanes
        from verified_tok.gpu.encoder import DeviceEncoder

        own = self._native(enabled)
        return DeviceEncoder(self._spec, own.engine, own.seams, cuda_lanes(), self.counting)

    def _choose(self, enabled: frozenset[int]) -> Choice | None:
        """None if there is no GPU, or it cannot encode with this tokenizer."""
        try:
            gpu, own = self._on_gpu(enabled), self._native(enabled)
        except GpuUnavailable:
            return None
        from verified_tok.gpu.router import measured, thresholds

        return Choice(gpu, thresholds(gpu.device, lambda: measured(own, gpu)))

    def _native(self, enabled: frozenset[int]) -> NativeEncoder:
        own = self._encoder(enabled)
        if not isinstance(own, NativeEncoder):
            raise GpuUnavailable(
                "the kernels need the native core, with code for every stage of this tokenizer"
            )
        return own
