"""What the host does around the kernels, on the emulator: how often it waits, what it records, what happens
when the device fails or is full, and that threads do not meet."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from sys import getswitchinterval, setswitchinterval
from threading import Thread
from types import SimpleNamespace

import numpy as np
import pytest
from test_gpu_emulator import OnEmulator, device_on, hostile, native_encoder, on_emulator, tokenizer

import verified_tok as vt
from verified_tok.errors import GpuUnavailable, InvalidOption, InvalidText
from verified_tok.gpu import cuda
from verified_tok.gpu.counters import Counting, GpuCounters
from verified_tok.gpu.emulator import EmulatedFailure, Emulator, OutOfBounds
from verified_tok.gpu.encoder import DeviceEncoder
from verified_tok.gpu.lanes import Lanes
from verified_tok.session_state import Ids

NAME = "gpt-oss"
PLAIN = "def function(argument): return argument + 1  # 你好, Grüße\n"
LONG = "x" * 300 + " is left to the CPU. "


@pytest.fixture
def encoder(library: Path) -> OnEmulator:
    return on_emulator(NAME, library)


def waits_for(encoder: OnEmulator, run: Callable[[], object]) -> int:
    before = encoder.emulator.operations["wait"]
    run()
    return encoder.emulator.operations["wait"] - before


# --- how often the CPU waits --------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "a", PLAIN * 50, (PLAIN + LONG) * 30], ids=len)
@pytest.mark.parametrize("repeat", [1, 5])
def test_the_cpu_waits_at_most_twice(text: str, repeat: int, encoder: OnEmulator) -> None:
    for _ in range(4):  # the first time, while it is recorded, and when it is replayed
        assert waits_for(encoder, lambda: encoder.encode_batch([text] * repeat)) <= 2
        assert waits_for(encoder, lambda: encoder.encode_placed(text)) <= 2
        assert waits_for(encoder, lambda: encoder.encode(text, resident=True)) <= 2
    assert encoder.sums.waits == encoder.emulator.operations["wait"]
    assert encoder.sums.failures == encoder.sums.left == 0
    assert (encoder.sums.parts_by_cpu > 0) == (LONG in text)


def test_output_on_the_device_costs_one_wait(encoder: OnEmulator) -> None:
    ids = []
    assert waits_for(encoder, lambda: ids.append(encoder.encode(PLAIN * 9, resident=True))) == 1
    assert ids[0].tolist() == tokenizer(NAME).encode(PLAIN * 9).tolist()


# --- recorded launches --------------------------------------------------------------------------------


def test_launches_are_recorded_once_for_a_size(encoder: OnEmulator) -> None:
    operations = encoder.emulator.operations
    for number, text in enumerate(["a", PLAIN, PLAIN * 20, "", PLAIN * 3, LONG]):
        assert encoder.encode(text).tolist() == tokenizer(NAME).encode(text).tolist()
        assert operations["encode_parts"] == min(number + 1, 2)
    assert (operations["recorded"], operations["replay"], operations["allocate"]) == (1, 5, 1)
    assert operations["upload"] == 6
    for _ in range(3):
        encoder.encode(PLAIN * 200)  # has no room there
    assert (operations["recorded"], operations["replay"], operations["allocate"]) == (2, 7, 2)


def test_what_is_recorded_serves_other_numbers_of_texts(library: Path) -> None:
    """More of everything than when it was recorded, and less."""
    encoder = on_emulator(NAME, library, smallest=1 << 15)
    cpu = native_encoder(tokenizer(NAME))
    for texts in (["a"], ["a"], [PLAIN] * 120, [PLAIN * 400], ["b"], [LONG, PLAIN] * 40, []):
        found, expected = encoder.encode_batch(texts, (1,), (2,)), cpu.encode_batch(texts, (1,), (2,))
        assert [array.tolist() for array in found] == [array.tolist() for array in expected]
    assert encoder.emulator.operations["recorded"] == 1


def test_all_ids_have_room(encoder: OnEmulator) -> None:
    """As many texts as there may be, a token for every byte, and as many around them as there may be."""
    texts, around = ["\x01\x02\x03\x04" * 60] * 17, [*range(64)]
    found = encoder.encode_batch(texts, around, ())
    expected = native_encoder(tokenizer(NAME)).encode_batch(texts, around, ())
    assert len(expected[0]) == 17 * (240 + 64)
    assert [array.tolist() for array in found] == [array.tolist() for array in expected]
    assert encoder.sums.requests == 1


def test_tokenizers_share_lanes(library: Path) -> None:
    lanes = Lanes(Emulator(library, 0), smallest=1 << 12)
    for name in ["gpt-oss", "llama-3.1", "gpt2"] * 2:
        own = native_encoder(tokenizer(name))
        encoder = DeviceEncoder(tokenizer(name).spec, own.engine, own.seams, lanes, Counting())
        assert encoder.encode(PLAIN * 20).tolist() == tokenizer(name).encode(PLAIN * 20).tolist()
    assert (lanes.device.operations["allocate"], lanes.device.operations["replay"]) == (1, 5)


# --- many texts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gpt-oss", "llama-3.1", "qwen3"])
@pytest.mark.parametrize("resident", [False, True])
def test_batches_are_those_of_the_cpu(name: str, resident: bool, library: Path) -> None:
    rng = random.Random(name)
    encoder, tok = on_emulator(name, library, block=32), tokenizer(name)
    texts = ["", "", *(hostile(name, rng, rng.choice([0, 0, 1, 9])) for _ in range(150)), LONG, ""]
    for before, after in [((), ()), ((7,), ()), ((), (1, 2, 3)), ((5, 6), (9,))]:
        ids, offsets = encoder.encode_batch(texts, before, after, resident)
        expected = native_encoder(tok).encode_batch(texts, before, after)
        assert (ids.dtype, offsets.dtype) == (np.uint32, np.int64)
        assert ids.tobytes() == expected[0].tobytes()
        assert offsets.tobytes() == expected[1].tobytes()
    assert encoder.sums.requests == 4  # one for each batch


def test_more_than_there_is_room_for_are_several_requests(library: Path) -> None:
    tok = tokenizer(NAME)
    encoder = on_emulator(NAME, library, memory=1 << 20)
    assert encoder.lanes.largest(growth=0) == 1 << 12
    texts = ["", *[PLAIN * 7] * 20, PLAIN * 200, "", *["a"] * 60, PLAIN * 300]
    for resident in (False, True):
        ids, offsets = encoder.encode_batch(texts, (3,), (4, 5), resident)
        expected = native_encoder(tok).encode_batch(texts, (3,), (4, 5))
        assert ids.tolist() == expected[0].tolist()
        assert offsets.tolist() == expected[1].tolist()
    assert encoder.sums.too_large == 2 * 2
    assert encoder.sums.requests >= 2 * 6
    ids, spans = encoder.encode_placed(PLAIN * 200)
    assert ids.tolist() == tok.encode(PLAIN * 200).tolist()
    assert spans.tolist() == tok.encode_with_spans(PLAIN * 200).byte_spans.tolist()


def test_more_ids_around_a_text_than_there_is_room_for(encoder: OnEmulator) -> None:
    around = [*range(100)]
    for texts in (["a", PLAIN], [PLAIN], [""]):
        found = encoder.encode_batch(texts, around, around)
        expected = native_encoder(tokenizer(NAME)).encode_batch(texts, around, around)
        assert [(array.dtype, array.tolist()) for array in found] == [
            (array.dtype, array.tolist()) for array in expected
        ]
    assert encoder.sums == GpuCounters(too_large=3)


def test_the_place_of_what_is_no_text_is_named(encoder: OnEmulator) -> None:
    with pytest.raises(InvalidText, match=r"texts\[1\].*position 2"):
        encoder.encode_batch(["a", "bc\udc80"])
    with pytest.raises(InvalidText, match="int"):
        encoder.encode_batch(["a", 1])  # type: ignore[list-item]
    for encode in (encoder.encode, encoder.encode_placed):
        with pytest.raises(InvalidText, match=r"^the text .*position 2"):
            encode("bc\udc80")
        with pytest.raises(InvalidText, match=r"^the text .*int"):
            encode(1)  # type: ignore[arg-type]
    assert encoder.sums == GpuCounters()


# --- what fails ---------------------------------------------------------------------------------------


WAYS: dict[str, Callable[[DeviceEncoder, str], Ids]] = {
    "batch": lambda encoder, text: encoder.encode_batch([text])[0],
    "placed": lambda encoder, text: encoder.encode_placed(text)[0],
    "resident": lambda encoder, text: encoder.encode(text, resident=True),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_cpu_takes_over_whatever_fails(way: str, library: Path) -> None:
    """Every single operation fails once: the first time, while it is recorded, and when it is replayed."""
    text = PLAIN * 2 + LONG
    expected = tokenizer(NAME).encode(text).tolist()
    for at in count():
        encoder = on_emulator(NAME, library)
        encoder.emulator.fails_at = at
        for _ in range(5):  # one that fails makes a new lane, and begins anew
            assert WAYS[way](encoder, text).tolist() == expected
        failed = encoder.emulator.fails_at < 0
        assert encoder.sums.failures == failed
        assert encoder.sums.requests == 5 - failed
        assert encoder.sums.parts_by_cpu > 0
        if not failed:
            break
    assert at > 30


def test_a_device_that_is_full_is_an_error_where_the_output_is_to_stay(library: Path) -> None:
    class Full(Emulator):
        def array(self, values: object) -> object:
            raise EmulatedFailure

    own = native_encoder(tokenizer(NAME))
    encoder = DeviceEncoder(tokenizer(NAME).spec, own.engine, own.seams, Lanes(Full(library, 0)), Counting())
    with pytest.raises(GpuUnavailable, match="cannot be put"):
        encoder.encode(LONG, resident=True)
    assert encoder.encode(LONG).tolist() == tokenizer(NAME).encode(LONG).tolist()


def test_what_failed_is_logged(encoder: OnEmulator, caplog: pytest.LogCaptureFixture) -> None:
    encoder.emulator.fails_at = 3
    with caplog.at_level("INFO", "verified_tok.gpu"):
        encoder.encode(PLAIN)
    [record] = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[0] is EmulatedFailure


def test_a_device_that_is_full_when_requests_are_put_together(library: Path) -> None:
    class Full(SimpleNamespace):
        def concatenate(self, arrays: object) -> object:
            raise EmulatedFailure

    encoder = on_emulator(NAME, library, memory=1 << 20)
    texts = [PLAIN * 20] * 5
    encoder.emulator.xp = Full(empty=np.empty, full=np.full)
    with pytest.raises(GpuUnavailable, match="put together"):
        encoder.encode_batch(texts, resident=True)
    expected = tokenizer(NAME).encode_batch(texts)
    assert encoder.encode_batch(texts)[0].tolist() == expected[0].tolist()


def test_tables_without_room_are_an_error(library: Path) -> None:
    class Full(Emulator):
        def put(self, array: object) -> object:  # type: ignore[override]
            raise EmulatedFailure

    own = native_encoder(tokenizer(NAME))
    with pytest.raises(GpuUnavailable, match="tables"):
        DeviceEncoder(tokenizer(NAME).spec, own.engine, own.seams, Lanes(Full(library, 0)), Counting())


def test_a_request_of_which_much_is_left_is_the_cpus(library: Path) -> None:
    tok = tokenizer(NAME)
    encoder = on_emulator(NAME, library, block=16, many_left=8)
    text = (LONG + PLAIN) * 80
    assert encoder.encode(text).tolist() == tok.encode(text).tolist()
    assert (encoder.sums.left, encoder.sums.requests, encoder.sums.failures) == (1, 0, 0)
    assert encoder.encode(PLAIN).tolist() == tok.encode(PLAIN).tolist()
    assert (encoder.sums.left, encoder.sums.requests) == (1, 1)


def test_a_kernel_that_writes_beside_its_memory_is_noticed(library: Path) -> None:
    queue = Emulator(library, 0).queue()
    memory, zeros = queue.allocate(1000), queue.staging(1001)
    queue.upload(zeros[:1000], memory.address)
    queue.wait()
    queue.upload(zeros, memory.address)
    with pytest.raises(OutOfBounds):
        queue.wait()


# --- threads ------------------------------------------------------------------------------------------


def test_no_lane_is_lost_when_others_fail(library: Path) -> None:
    lanes = Lanes(Emulator(library, 0), most=2)
    for _ in range(5):
        with lanes.lane(), lanes.lane():
            pass  # two are idle
        with pytest.raises(EmulatedFailure), lanes.lane():
            raise EmulatedFailure

    def both() -> None:
        with lanes.lane(), lanes.lane():
            pass

    waiting = Thread(target=both, daemon=True)  # if they are lost, it waits forever
    waiting.start()
    waiting.join(10)
    assert not waiting.is_alive()
    assert lanes.device.operations["queue"] == 2 * 6
    assert lanes.device.operations["wait"] == 2 * 5  # nothing is thrown away that is still in use


@pytest.fixture
def eager_threads() -> Iterator[None]:
    before = getswitchinterval()
    setswitchinterval(1e-6)
    yield
    setswitchinterval(before)


@pytest.mark.usefixtures("eager_threads")
def test_threads_have_lanes_of_their_own(library: Path) -> None:
    tok = tokenizer(NAME)
    texts = [PLAIN[:n] * (1 + n % 5) + LONG * (n % 3 == 0) for n in range(1, 60)]
    expected = {text: tok.encode(text).tolist() for text in texts}
    encoder = on_emulator(NAME, library, most=3)

    def work(seed: int) -> None:
        for text in random.Random(seed).sample(texts, 12):
            assert encoder.encode(text).tolist() == expected[text]
            assert encoder.encode_placed(text)[0].tolist() == expected[text]

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert encoder.emulator.operations["queue"] == 3
    assert encoder.sums.requests == 8 * 12 * 2


@pytest.mark.usefixtures("eager_threads")
def test_threads_survive_failures(library: Path) -> None:
    """Lanes that are gone are made anew; nobody waits for them forever."""
    encoder, expected = on_emulator(NAME, library, most=2), tokenizer(NAME).encode(PLAIN).tolist()
    rng = random.Random(0)

    def work(seed: int) -> None:
        for _ in range(15):
            encoder.emulator.fails_at = rng.randrange(40)
            assert encoder.encode(PLAIN).tolist() == expected

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(work, range(6)))
    sums = encoder.sums
    assert sums.failures > 5
    assert sums.requests + sums.failures == 6 * 15


# --- the tokenizer's methods --------------------------------------------------------------------------


@pytest.fixture
def tok(library: Path, monkeypatch: pytest.MonkeyPatch) -> vt.Tokenizer:
    """A tokenizer on a machine whose GPU is an emulator."""
    lanes = Lanes(device_on(library), smallest=1 << 12)
    monkeypatch.setattr(cuda, "cuda_lanes", lambda: lanes)
    return vt.Tokenizer(tokenizer("llama-3.1").spec)


def test_a_tokenizer_encodes_on_the_gpu(tok: vt.Tokenizer) -> None:
    texts = ["", PLAIN * 3, "<|begin_of_text|>x", LONG]
    for text in texts:
        for options in ({}, {"add_special_tokens": True}, {"added_tokens": "none"}):
            expected = tok.encode(text, **options).tolist()
            assert tok.encode(text, device="gpu", **options).tolist() == expected
            assert tok.encode(text, device="gpu", device_output=True, **options).tolist() == expected
    for options in ({}, {"add_special_tokens": True}):
        expected_ids, expected_offsets = tok.encode_batch(texts, **options)
        for output in (False, True):
            ids, offsets = tok.encode_batch(iter(texts), device="gpu", device_output=output, **options)
            assert ids.tolist() == expected_ids.tolist()
            assert offsets.tolist() == expected_offsets.tolist()
    assert tok.gpu_counters.requests == 4 * 3 * 2 + 2 * 2
    assert tok.gpu_counters.failures == 0


def test_a_session_begins_with_what_the_gpu_found(tok: vt.Tokenizer) -> None:
    text = PLAIN * 20 + LONG + "<|eot_id|>e\u0301 ok"
    session, expected = tok.session(text, device="gpu"), tok.session(text)
    for change in (
        lambda s: s.append(" more"),
        lambda s: s.edit(100, 130, "new <|eot_id|> text"),
        lambda s: s.insert(0, "first "),
        lambda s: s.truncate(500),
    ):
        assert session.ids.tolist() == expected.ids.tolist()
        assert session.byte_spans.tolist() == expected.byte_spans.tolist()
        assert session.spans.tolist() == expected.spans.tolist()
        patches = change(session), change(expected)
        assert patches[0].new.tolist() == patches[1].new.tolist()
    assert session.ids.tolist() == tok.encode(session.text).tolist()
    assert tok.gpu_counters.requests == 1


@pytest.mark.skipif(find_spec("cupy") is not None, reason="CuPy is installed")
def test_without_cupy_there_is_a_clear_error() -> None:
    with pytest.raises(GpuUnavailable, match=r"verified-tok\[gpu\]"):
        tokenizer("gpt2").encode("a", device="gpu")


def test_arrays_go_to_the_gpu_as_they_lie(tok: vt.Tokenizer) -> None:
    texts = ["", PLAIN * 3, "e\u0301", LONG, *["ab"] * 300]
    expected = [array.tolist() for array in tok.encode_batch(texts)]
    for array in (
        np.array(texts, np.dtypes.StringDType()),
        np.array(texts),
        np.array([text.encode() for text in texts]),
    ):
        for _ in range(2):
            assert [found.tolist() for found in tok.encode_batch(array, device="gpu")] == expected
    assert tok.gpu_counters.requests > 0
    with pytest.raises(InvalidText, match=r"texts\[1\] is not UTF-8"):
        tok.encode_batch(np.array([b"a", b"\xc3", b"\xff"]), device="gpu")


def test_output_can_stay_only_on_a_gpu(tok: vt.Tokenizer) -> None:
    for device in ("cpu", "auto"):
        with pytest.raises(InvalidOption, match="device_output"):
            tok.encode("a", device=device, device_output=True)  # type: ignore[arg-type]
        with pytest.raises(InvalidOption, match="device_output"):
            tok.encode_batch(["a"], device=device, device_output=True)  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="device_output"):
        tok.encode("a", device="gpu", device_output="yes")  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="'tpu'"):
        tok.session("a", device="tpu")  # type: ignore[arg-type]
