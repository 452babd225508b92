"""On a real GPU, where there is one: the cases of the emulator with the GPU in its place, and larger ones."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import test_gpu_emulator
import test_gpu_normalizer
import test_gpu_requests
from test_gpu_emulator import FAMILIES, hostile, native_encoder, tokenizer

import verified_tok as vt
from verified_tok.errors import GpuUnavailable
from verified_tok.gpu.counters import Counting
from verified_tok.gpu.cuda import CudaDevice, cuda_lanes
from verified_tok.gpu.encoder import DeviceEncoder
from verified_tok.gpu.lanes import Lanes


def has_gpu() -> bool:
    try:
        cuda_lanes()
    except GpuUnavailable:
        return False
    return True


pytestmark = pytest.mark.skipif(not has_gpu(), reason="no GPU that CuPy can use")


@pytest.fixture
def library() -> CudaDevice:
    """The GPU, in the place of the emulator's library."""
    return CudaDevice()


@pytest.fixture(autouse=True)
def failures(caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    """What failed: nothing may, or the CPU would be compared with itself. A test may expect something."""
    expected: list[str] = []
    with caplog.at_level("INFO", "verified_tok.gpu"):
        yield expected
    found = [str(record.exc_info[1]) for record in caplog.get_records("call") if record.exc_info]
    assert len(found) == len(expected), found


for module in (test_gpu_emulator, test_gpu_normalizer):
    globals().update({name: case for name, case in vars(module).items() if name.startswith("test_")})

test_batches_are_those_of_the_cpu = test_gpu_requests.test_batches_are_those_of_the_cpu
test_sessions_begin_with_what_it_found = test_gpu_requests.test_a_session_begins_with_what_the_gpu_found
tok = test_gpu_requests.tok


def encoder_on(name: str, lanes: Lanes, counting: Counting) -> DeviceEncoder:
    own = native_encoder(tokenizer(name))
    return DeviceEncoder(tokenizer(name).spec, own.engine, own.seams, lanes, counting)


@pytest.fixture
def text() -> str:
    rng = random.Random(0)
    return "".join(hostile("llama-3.1", rng, 1000) + test_gpu_requests.PLAIN * 50 for _ in range(2000))


@pytest.mark.parametrize("name", FAMILIES)
def test_large_texts_and_all_lengths(name: str) -> None:
    rng = random.Random(name)
    texts = [hostile(name, rng, rng.choice([0, 1, 10, 1000, 100_000])) for _ in range(200)]
    counting = Counting()
    encoder = encoder_on(name, cuda_lanes(), counting)
    expected = tokenizer(name).encode_batch(texts)
    for _ in range(3):  # at once, recorded, replayed
        ids, offsets = encoder.encode_batch(texts)
        assert ids.tobytes() == expected[0].tobytes()
        assert offsets.tobytes() == expected[1].tobytes()
    for text in texts[:20]:
        ids, spans = encoder.encode_placed(text)
        placed = native_encoder(tokenizer(name)).encode_placed(text)
        assert ids.tobytes() == placed.ids.tobytes()
        assert spans.tobytes() == placed.byte_spans.tobytes()
    assert counting.sums.failures == 0


def test_output_stays_on_the_device(text: str) -> None:
    import cupy

    tok = tokenizer("llama-3.1")
    expected = tok.encode_batch([text, "", text[:1000]], add_special_tokens=True)
    ids, offsets = tok.encode_batch(
        [text, "", text[:1000]], add_special_tokens=True, device="gpu", device_output=True
    )
    assert isinstance(ids, cupy.ndarray)
    assert isinstance(offsets, cupy.ndarray)
    assert cupy.from_dlpack(ids).get().tobytes() == expected[0].tobytes()
    assert offsets.get().tobytes() == expected[1].tobytes()


def test_streams_of_the_caller_wait_for_the_ids(text: str) -> None:
    """What another stream computes of the ids is computed of the ids, and memory that is free again is not
    written by two."""
    import cupy

    tok = tokenizer("gpt-oss")
    parts = [text[at : at + 100_000] for at in range(0, 3_000_000, 100_000)]
    expected = [int(tok.encode(part).sum(dtype="uint64")) for part in parts]
    with cupy.cuda.Stream(non_blocking=True):
        for _ in range(20):
            sums = [tok.encode(each, device="gpu", device_output=True).sum(dtype="uint64") for each in parts]
            assert [int(each) for each in sums] == expected


def test_threads_encode_at_once(text: str) -> None:
    counting = Counting()
    encoder = encoder_on("qwen3", cuda_lanes(), counting)
    parts = [text[at : at + 300_000] for at in range(0, 6_000_000, 300_000)]
    expected = [tokenizer("qwen3").encode(part).tobytes() for part in parts]
    with ThreadPoolExecutor(8) as threads:
        for found in (threads.map(encoder.encode, parts) for _ in range(10)):
            assert [ids.tobytes() for ids in found] == expected
    assert counting.sums.failures == 0


@pytest.fixture
def little_memory() -> Iterator[None]:
    """CuPy gives no more memory than is in use already."""
    import cupy

    pool = cupy.get_default_memory_pool()
    before = pool.get_limit()
    gc.collect()
    pool.free_all_blocks()
    pool.set_limit(size=max(1, pool.total_bytes()))
    yield
    pool.set_limit(size=before)


def test_the_cpu_takes_over_when_memory_is_short(
    text: str, library: CudaDevice, request: pytest.FixtureRequest, failures: list[str]
) -> None:
    counting = Counting()
    encoder = encoder_on("gpt-oss", Lanes(library), counting)
    request.getfixturevalue("little_memory")
    assert encoder.encode(text).tobytes() == tokenizer("gpt-oss").encode(text).tobytes()
    assert counting.sums.failures == 1
    failures.append("out of memory")


def test_a_chosen_device_gives_the_same(text: str) -> None:
    tok: vt.Tokenizer = tokenizer("deepseek-v3")
    assert tok.encode(text, device="auto").tobytes() == tok.encode(text).tobytes()
    session = tok.session(text, device="gpu")
    assert session.append(" more").new.tolist() == tok.session(text).append(" more").new.tolist()
