"""The GPU, through CuPy, which is imported when the first encoder for it is made."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from verified_tok.errors import GpuUnavailable
from verified_tok.gpu.device import Array
from verified_tok.gpu.source import KERNELS, NVRTC_OPTIONS

_BLOCK = 128  # threads


class CudaDevice:
    """The current GPU of CuPy. Raises `GpuUnavailable` if there is none."""

    def __init__(self) -> None:
        try:
            import cupy
        except ImportError as error:
            raise GpuUnavailable(
                f"CuPy cannot be imported ({error}); install verified-tok[gpu], for CUDA 12, or cupy-cuda13x"
            ) from None
        try:
            cupy.cuda.runtime.getDeviceCount()
            self._module = cupy.RawModule(code=KERNELS.read_text("utf-8"), options=NVRTC_OPTIONS)
            self._module.compile()
        except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.compiler.CompileException) as error:
            raise GpuUnavailable(f"the GPU cannot be used: {error}") from None
        self.xp: Any = cupy
        self.failures: tuple[type[Exception], ...] = (
            cupy.cuda.memory.OutOfMemoryError,
            cupy.cuda.runtime.CUDARuntimeError,
            cupy.cuda.driver.CUDADriverError,
        )

    def put(self, array: npt.NDArray[Any]) -> Array:
        """See `Device`."""
        return self.xp.asarray(array)

    def take(self, array: Array) -> npt.NDArray[Any]:
        """See `Device`."""
        taken: npt.NDArray[Any] = self.xp.asnumpy(array)
        return taken

    def address(self, array: Array) -> int:
        """See `Device`."""
        return int(array.data.ptr)

    def launch(self, kernel: str, threads: int, *arguments: Array | int) -> None:
        """See `Device`."""
        if threads:
            given = tuple(np.uint64(a) if isinstance(a, int) else a for a in arguments)
            self._module.get_function(kernel)((-(-threads // _BLOCK),), (_BLOCK,), given)


@cache
def cuda_device() -> CudaDevice:
    """The GPU. Raises `GpuUnavailable`."""
    return CudaDevice()
