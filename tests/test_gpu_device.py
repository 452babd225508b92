"""The same on a real GPU, where there is one, with larger texts than the emulator can take."""

from __future__ import annotations

import random
from importlib.util import find_spec

import pytest
from test_gpu_emulator import FAMILIES, hostile, native_encoder, tokenizer

from verified_tok.errors import GpuUnavailable, InvalidOption
from verified_tok.gpu.counters import Counting
from verified_tok.gpu.cuda import cuda_lanes
from verified_tok.gpu.encoder import DeviceEncoder


def has_gpu() -> bool:
    try:
        cuda_lanes()
    except GpuUnavailable:
        return False
    return True


on_gpu = pytest.mark.skipif(not has_gpu(), reason="no GPU that CuPy can use")


@on_gpu
@pytest.mark.parametrize("name", FAMILIES)
def test_ids_are_those_of_the_cpu(name: str) -> None:
    rng = random.Random(name)
    texts = [hostile(name, rng, rng.choice([0, 1, 10, 1000, 100_000])) for _ in range(200)]
    own = native_encoder(tokenizer(name))
    counting = Counting()
    encoder = DeviceEncoder(tokenizer(name).spec, own.engine, own.seams, cuda_lanes(), counting)
    ids, offsets = encoder.encode_batch(texts)
    expected = tokenizer(name).encode_batch(texts)
    assert ids.tobytes() == expected[0].tobytes()
    assert offsets.tobytes() == expected[1].tobytes()
    assert counting.sums.failures == 0


@pytest.mark.skipif(find_spec("cupy") is not None, reason="CuPy is installed")
def test_without_cupy_there_is_a_clear_error() -> None:
    with pytest.raises(GpuUnavailable, match=r"verified-tok\[gpu\]"):
        tokenizer("gpt2").encode("a", device="gpu")


def test_another_device_is_refused() -> None:
    with pytest.raises(InvalidOption):
        tokenizer("gpt2").encode("a", device="tpu")  # type: ignore[arg-type]
