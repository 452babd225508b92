"""The GPU kernels, run by the emulator, beside the reference pipeline and the CPU engine."""

from __future__ import annotations

import json
import random
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from seam_checks import atoms_of
from tiny import byte_level

import verified_tok as vt
from verified_tok.encoder_reference import ReferenceEncoder
from verified_tok.encoders import NativeEncoder
from verified_tok.errors import InvalidText
from verified_tok.fetch import open_family
from verified_tok.gpu.counters import Counting, GpuCounters
from verified_tok.gpu.device import Device
from verified_tok.gpu.emulator import Emulator
from verified_tok.gpu.encoder import DeviceEncoder
from verified_tok.gpu.lanes import Lanes
from verified_tok.native.seams import seam_sections

FAMILIES = [
    "claude",  # NFKC
    "deepseek-coder",  # several stages
    "deepseek-llm",  # more of them
    "deepseek-v3",
    "deepseek-v4",  # added tokens that match normalized text
    "gemma-3",  # replaces spaces
    "glm-4",
    "gpt-4o",  # removes what does not match, inverted
    "gpt-oss",
    "gpt2",
    "llama-2",  # puts something before, and replaces spaces; not by bytes
    "llama-3.1",
    "minimax",
    "olmo",  # NFC, added tokens that match normalized text
    "qwen3",  # NFC
    "qwen3.5",
    "qwen3.6",  # ranks
]


@cache
def tokenizer(name: str) -> vt.Tokenizer:
    return open_family(name)


def native_encoder(tok: vt.Tokenizer) -> NativeEncoder:
    encoder = tok._encoder(tok._all_added)
    assert isinstance(encoder, NativeEncoder)
    return encoder


def device_on(library: Path | Device, seed: int = 0, memory: int = 1 << 30) -> Any:
    """An emulator of this library; a device itself (test_gpu_device.py has a GPU in the library's place)."""
    return Emulator(library, seed, memory) if isinstance(library, Path) else library


class OnEmulator(DeviceEncoder):
    """A tokenizer's encoder on an emulator of its own, with small requests."""

    def __init__(
        self,
        tok: vt.Tokenizer,
        library: Path,
        seed: int = 0,
        block: int = 256,
        memory: int = 1 << 30,
        most: int = 4,
        many_left: int = 1,
        smallest: int = 1 << 12,
    ) -> None:
        own = native_encoder(tok)
        self.counting = Counting()
        self.emulator = device_on(library, seed, memory)
        self.lanes = Lanes(self.emulator, most, smallest, block)
        super().__init__(tok.spec, own.engine, own.seams, self.lanes, self.counting, many_left)

    @property
    def sums(self) -> GpuCounters:
        return self.counting.sums


def reference_encoder(tok: vt.Tokenizer) -> ReferenceEncoder:
    return ReferenceEncoder(tok._pipeline(tok._all_added))


def on_emulator(name: str, library: Path, **options: int) -> OnEmulator:
    return OnEmulator(tokenizer(name), library, **options)


def hostile(name: str, rng: random.Random, size: int) -> str:
    return "".join(rng.choices(atoms_of(tokenizer(name), rng), k=size))


@pytest.mark.parametrize("name", FAMILIES)
def test_ids_are_those_of_the_reference(name: str, library: Path) -> None:
    """Many texts in one launch, with parts that end everywhere."""
    rng = random.Random(name)
    texts = [hostile(name, rng, rng.choice([0, 1, 3, 10, 40])) for _ in range(60)]
    reference = reference_encoder(tokenizer(name))
    expected = [reference.encode(text).tolist() for text in texts]
    for block in (1, 7, 64):
        encoder = on_emulator(name, library, seed=block, block=block)
        ids, offsets = encoder.encode_batch(texts)
        assert [ids[a:b].tolist() for a, b in pairwise(offsets)] == expected
        assert encoder.sums.parts >= sum(map(bool, texts))


@pytest.mark.parametrize("name", ["qwen3", "gpt-oss", "deepseek-v3", "llama-3.1"])
def test_a_long_text_is_encoded_in_many_parts(name: str, library: Path) -> None:
    rng = random.Random(name)
    text = hostile(name, rng, 40_000)
    encoder = on_emulator(name, library)
    assert encoder.encode(text).tobytes() == tokenizer(name).encode(text).tobytes()
    assert encoder.sums.parts > len(text.encode()) // 1000
    assert encoder.sums.failures == 0


def test_ordinary_text_is_left_to_no_cpu(library: Path) -> None:
    text = Path(__file__).read_text("utf-8") * 20 + "Grüße aus Köln, 你好世界。\n" * 500
    for name in ("gpt-oss", "qwen3"):
        encoder = on_emulator(name, library)
        assert encoder.encode(text).tolist() == tokenizer(name).encode(text).tolist()
        assert encoder.sums.parts_by_cpu == 0


@pytest.mark.parametrize(
    "text", ["a" * 30_000, "中" * 9_000, " " * 50_000, "e\u0301" * 3_000, "x" * 300 + " ok"]
)
def test_what_a_thread_has_no_room_for_goes_to_the_cpu(text: str, library: Path) -> None:
    text = f"before {text} after. " * 2
    encoder = on_emulator("qwen3", library)
    assert encoder.encode(text).tolist() == tokenizer("qwen3").encode(text).tolist()
    assert 0 < encoder.sums.parts_by_cpu < encoder.sums.parts


@pytest.mark.parametrize("name", ["qwen3", "llama-2"])
@pytest.mark.parametrize("kind", ["letters", "spaces", "digits", "Chinese"])
def test_a_million_bytes_without_a_seam_are_one_part_that_no_thread_begins(
    name: str, kind: str, library: Path
) -> None:
    """A thread has at most `longest` bytes to do; the text around goes on as ever."""
    rng = random.Random(0)
    chinese = "".join(chr(rng.randrange(0x4E00, 0x9F00)) for _ in range(333_333))
    stretch = {"letters": "a" * 1_000_000, "spaces": " " * 1_000_000, "digits": "7" * 1_000_000}.get(
        kind, chinese
    )
    text = f"What came before. {stretch}\nWhat comes after, and more."
    encoder = on_emulator(name, library, block=512, memory=1 << 33)
    assert encoder.encode(text).tobytes() == tokenizer(name).encode(text).tobytes()
    seams = kind == "digits" or (name, kind) == ("llama-2", "Chinese")
    assert encoder.sums.parts_by_cpu == (0 if seams else 1) < encoder.sums.parts


def test_a_part_is_left_to_the_cpu_for_its_length_alone(library: Path) -> None:
    for size, left in ((600, 0), (1024, 0), (1030, 1)):  # digits, three by three: a thread could do them all
        encoder = on_emulator("gpt-oss", library)
        text = "7" * size
        assert encoder.encode(text).tolist() == tokenizer("gpt-oss").encode(text).tolist()
        assert encoder.sums.parts_by_cpu == left


@pytest.mark.parametrize("name", ["qwen3", "gpt-oss", "llama-2"])
def test_drawn_lines_are_left_to_no_cpu(name: str, library: Path) -> None:
    """Lines of one character have pieces of many symbols that all join."""
    text = "".join(f"// {line * 79}\n{line * 120}\n" for line in "*-=#_~.") + "─" * 40 + "\n"
    encoder = on_emulator(name, library)
    assert encoder.encode(text).tolist() == tokenizer(name).encode(text).tolist()
    assert encoder.sums.parts_by_cpu == 0


def test_entries_are_found_at_every_address(library: Path) -> None:
    """A device reads aligned words only. An entry that it misses is found by merges, if there are any."""
    file = byte_level(normalizer=None, post_processor=None, added_tokens=[])
    letters = "bcdfghjklmnpqrsuvwxyzbcdfghjkl"
    words = {f"Ġ{letters[:size]}": 1000 + size for size in range(1, len(letters))}
    file["model"] |= {"ignore_merges": True, "merges": [], "vocab": file["model"]["vocab"] | words}
    tok = vt.load(json.dumps(file).encode())
    text = "".join(f"{'.' * before} {word[1:]}" for before in range(1, 9) for word in words)
    encoder = OnEmulator(tok, library, block=4096)
    ids = encoder.encode(text).tolist()
    assert ids == tok.encode(text).tolist()
    assert [ids.count(id) for id in words.values()] == [8] * len(words)


@pytest.mark.parametrize("name", ["qwen3", "gpt-oss", "gpt-4o", "deepseek-v4"])
def test_places_are_those_of_the_reference(name: str, library: Path) -> None:
    rng = random.Random(name)
    encoder, reference = on_emulator(name, library, block=16), reference_encoder(tokenizer(name))
    for text in ["", "ab " + "x" * 100 + " e\u0301", *(hostile(name, rng, 60) for _ in range(8))]:
        expected = reference.encode_placed(text)
        ids, spans = encoder.encode_placed(text)
        assert ids.tolist() == expected.ids.tolist()
        assert spans.tolist() == expected.byte_spans.tolist()


def test_patterns_that_only_back_tracking_matches_are_left_to_the_cpu(library: Path) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)}
    tok = vt.from_tiktoken(ranks, r"(?>a|ab)c|[^x](?=yz)|\s|.", {})
    encoder = OnEmulator(tok, library, block=4)
    text = "abc ac ayz ab\n" * 9
    assert encoder.encode(text).tolist() == tok.encode(text).tolist()
    assert encoder.sums.parts_by_cpu == encoder.sums.parts > 0


def test_texts_without_characters(library: Path) -> None:
    encoder = on_emulator("gpt-oss", library)
    assert encoder.encode("").tolist() == []
    ids, offsets = encoder.encode_batch(["", "", "a", "", "b", ""])
    expected = tokenizer("gpt-oss").encode_batch(["", "", "a", "", "b", ""])
    assert ids.tolist() == expected[0].tolist()
    assert offsets.tolist() == expected[1].tolist()
    assert encoder.encode_batch([])[1].tolist() == [0]


def test_what_is_no_text_is_refused(library: Path) -> None:
    with pytest.raises(InvalidText):
        on_emulator("gpt-oss", library).encode("\ud800")


def test_a_seam_too_many_is_noticed(library: Path) -> None:
    """The comparisons above see parts that begin where no seam is."""
    from verified_tok._core import native

    tok = tokenizer("gpt-oss")
    own = native_encoder(tok)
    sections = seam_sections(tok.seams())
    everywhere = native.Image.of({**sections, "seam_answers": np.full_like(sections["seam_answers"], 2)})
    lanes = Lanes(device_on(library), block=7)
    encoder = DeviceEncoder(tok.spec, own.engine, everywhere, lanes, Counting())
    text = hostile("gpt-oss", random.Random(0), 300)
    assert encoder.encode(text).tolist() != tok.encode(text).tolist()
