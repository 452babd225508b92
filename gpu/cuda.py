"""The GPU, through CuPy, which is imported when the first encoder for it is made."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from verified_tok.errors import GpuUnavailable
from verified_tok.gpu.device import Array, HostBytes, Memory
from verified_tok.gpu.lanes import Lanes
from verified_tok.gpu.source import NVRTC_OPTIONS, kernel_source

_BLOCK = 64  # threads: few, so that a request of a megabyte is spread over all multiprocessors


class CudaDevice:
    """The current GPU of CuPy. Raises `GpuUnavailable` if there is none."""

    def __init__(self) -> None:
        try:
            import cupy
        except (ImportError, OSError, RuntimeError) as error:  # it looks for a folder and for libraries
            raise GpuUnavailable(
                f"CuPy cannot be imported ({error}); install verified-tok[gpu], for CUDA 12; "
                "for CUDA 13 cupy-cuda13x, nvidia-cuda-nvrtc and nvidia-cuda-runtime"
            ) from None
        try:
            self.number = int(cupy.cuda.runtime.getDevice())
            module = cupy.RawModule(code=kernel_source(), options=NVRTC_OPTIONS)
            module.compile()
        except (RuntimeError, ImportError, OSError, cupy.cuda.compiler.CompileException) as error:
            raise GpuUnavailable(f"the GPU cannot be used: {error}") from None
        self.kernel: Callable[[str], Any] = cache(module.get_function)
        self.xp: Any = cupy
        self.failures: tuple[type[Exception], ...] = (
            cupy.cuda.memory.OutOfMemoryError,
            cupy.cuda.runtime.CUDARuntimeError,
            cupy.cuda.driver.CUDADriverError,
        )

    @property
    def identity(self) -> str:
        """See `Device`."""
        runtime = self.xp.cuda.runtime
        name = runtime.getDeviceProperties(self.number)["name"].decode()
        return f"{name}, driver {runtime.driverGetVersion()}, runtime {runtime.runtimeGetVersion()}"

    @property
    def free_memory(self) -> int:
        """See `Device`."""
        with self.current():
            return int(self.xp.cuda.runtime.memGetInfo()[0])

    def put(self, array: npt.NDArray[Any]) -> Memory:
        """See `Device`. Any queue may use it at once."""
        with self.current():
            there = self.xp.asarray(array)
            self.xp.cuda.get_current_stream().synchronize()
        return Memory(int(there.data.ptr), there)

    def array(self, values: npt.NDArray[Any]) -> Array:
        """See `Device`."""
        with self.current():
            return self.xp.asarray(values)

    def queue(self) -> CudaQueue:
        """See `Device`."""
        with self.current():
            return CudaQueue(self, self.xp.cuda.Stream(non_blocking=True))

    def current(self) -> Any:
        """A context in which this GPU is the calling thread's."""
        return self.xp.cuda.Device(self.number)


class CudaQueue:
    """A stream."""

    def __init__(self, device: CudaDevice, stream: Any) -> None:
        self._device = device
        self._stream = stream
        self._cuda = device.xp.cuda

    def allocate(self, size: int) -> Memory:
        """See `Queue`. CuPy keeps the memory of streams apart."""
        with self._device.current(), self._stream:
            memory = self._cuda.alloc(size)
        return Memory(int(memory.ptr), memory)

    def staging(self, size: int) -> HostBytes:
        """See `Queue`."""
        with self._device.current():
            memory = self._cuda.alloc_pinned_memory(size)
        return np.frombuffer(memory, np.uint8, size)

    def upload(self, source: HostBytes, address: int) -> None:
        """See `Queue`."""
        self._copy(address, source.ctypes.data, source.nbytes, self._cuda.runtime.memcpyHostToDevice)

    def download(self, address: int, target: HostBytes) -> None:
        """See `Queue`."""
        self._copy(target.ctypes.data, address, target.nbytes, self._cuda.runtime.memcpyDeviceToHost)

    def launch(self, kernel: str, threads: int, *arguments: int) -> None:
        """See `Queue`."""
        given = tuple(map(np.uint64, arguments))
        with self._device.current(), self._stream:
            self._device.kernel(kernel)((-(-threads // _BLOCK),), (_BLOCK,), given)

    def recorded(self, work: Callable[[], None]) -> Callable[[], None]:
        """See `Queue`. A CUDA graph. The kernels must have run once: they cannot be loaded meanwhile."""
        with self._device.current():
            self._stream.begin_capture()
            try:
                work()
            finally:
                graph = self._stream.end_capture()
            graph.upload(self._stream)

        def replay() -> None:
            with self._device.current():
                graph.launch(self._stream)

        return replay

    def wait(self) -> None:
        """See `Queue`."""
        with self._device.current():
            self._stream.synchronize()

    def handed_over(self, address: int, count: int, dtype: type[np.generic]) -> Array:
        """See `Queue`. The memory is the calling thread's stream's: this queue waits until it is free, and
        that stream until it is written."""
        with self._device.current():
            caller = self._cuda.get_current_stream()
            array = self._device.xp.empty(count, dtype)
            self._stream.wait_event(caller.record(self._cuda.Event(disable_timing=True)))
            self._copy(int(array.data.ptr), address, array.nbytes, self._cuda.runtime.memcpyDeviceToDevice)
            caller.wait_event(self._stream.record(self._cuda.Event(disable_timing=True)))
        return array

    def _copy(self, target: int, source: int, size: int, kind: int) -> None:
        if size:
            with self._device.current():
                self._cuda.runtime.memcpyAsync(target, source, size, kind, self._stream.ptr)


@cache
def cuda_lanes() -> Lanes:
    """The lanes of the GPU, for all tokenizers. Raises `GpuUnavailable`."""
    device = CudaDevice()
    try:
        return Lanes(device)
    except device.failures as error:
        raise GpuUnavailable(f"the GPU cannot be used: {error}") from None
