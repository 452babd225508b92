"""The GPU beside the CPU: the same ids of real and generated text, with every known family."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from verified_tok._core import native
from verified_tok.encoders import NativeEncoder
from verified_tok.errors import GpuUnavailable, UnsupportedTokenizer
from verified_tok.fetch import open_family
from verified_tok.gpu.counters import Counting, GpuCounters
from verified_tok.gpu.encoder import DeviceEncoder
from verified_tok.gpu.lanes import Lanes
from verified_tok.tokenizer import Tokenizer
from verified_tok.vocabulary import entries_of

_STRANGE = [
    "\u0301",
    "\ufdfa",
    "\u1100\u1161\u11a8",
    "\U0001f469\u200d\U0001f467",
    "\U0001f1e9",
    "\ufb01",
    "\x00",
    "\r\n\r\n",
    "x" * 400,
    " " * 300,
]
"""What is put into real text: marks, characters that normalizers change, long runs."""

_GENERATED = 0.25
"""The share of documents that are random tokens or random characters."""


class Pair(NamedTuple):
    """A tokenizer's two encoders."""

    cpu: NativeEncoder
    gpu: DeviceEncoder
    counting: Counting


class Divergence(Exception):
    """The GPU gives other ids than the CPU."""


class NotByTheGpu(Exception):
    """The GPU failed, and the CPU encoded what was to be compared."""


def pair(tok: Tokenizer, lanes: Lanes, many_left: int = 8) -> Pair:
    """The encoders of a tokenizer; `many_left` as in `DeviceEncoder`. Raises `GpuUnavailable`."""
    own = tok._encoder(tok._all_added)
    if not isinstance(own, NativeEncoder):
        raise GpuUnavailable("the native core is not built, or has no code for this tokenizer")
    counting = Counting()
    return Pair(own, DeviceEncoder(tok.spec, own.engine, own.seams, lanes, counting, many_left), counting)


def compare(encoders: Pair, texts: Sequence[str]) -> int:
    """How many bytes texts have whose ids are the same on both sides; of the first texts, where the ids come
    from is compared too. Raises `Divergence`."""
    array = native.TextArray.of_texts(tuple(texts))
    ids, offsets = encoders.gpu.encode_batch(array)
    expected_ids, expected_offsets = encoders.cpu.encode_batch(array, (), ())
    if not (np.array_equal(ids, expected_ids) and np.array_equal(offsets, expected_offsets)):
        for number, each in enumerate(texts):
            if encoders.gpu.encode(each).tobytes() != encoders.cpu.encode(each).tobytes():
                raise Divergence(f"text {number}: {each[:2000]!r}")
        raise Divergence("in a batch, and in none of its texts")
    for each in texts[:3]:
        placed_ids, spans = encoders.gpu.encode_placed(each)
        placed = encoders.cpu.encode_placed(each)
        if placed_ids.tobytes() != placed.ids.tobytes() or spans.tobytes() != placed.byte_spans.tobytes():
            raise Divergence(f"the places of {each[:2000]!r}")
    return array.bytes


def documents(tok: Tokenizer, sources: Sequence[str], rng: random.Random, size: int) -> list[str]:
    """About so many characters of documents of all lengths: real text, with added tokens and strange
    characters in some of it; and generated text."""
    added = [token.content for token in tok.spec.added_tokens] or [""]
    found = []
    while size > 0:
        length = min(size, int(2 ** rng.uniform(0, 20)))
        if rng.random() < _GENERATED:
            found.append(_generated(tok, rng, min(length, 1 << 12)))
        else:
            found.append(_real(sources, added, rng, length))
        size -= max(1, len(found[-1]))
    return found


def _real(sources: Sequence[str], added: Sequence[str], rng: random.Random, length: int) -> str:
    source = rng.choice(sources)
    start = rng.randrange(max(1, len(source) - length))
    parts = [source[start : start + length]]
    if rng.random() < 0.5:
        for _ in range(rng.randrange(1, 20)):
            cut = rng.randrange(len(parts[-1]) + 1)
            parts[-1:] = [parts[-1][:cut], rng.choice([*added, *_STRANGE]), parts[-1][cut:]]
    return "".join(parts)


def _generated(tok: Tokenizer, rng: random.Random, length: int) -> str:
    """Tokens, or characters of one of Unicode's regions, in any order."""
    if rng.random() < 0.5:
        tokens = entries_of(tok.spec.model).ids
        ids = (int(tokens[rng.randrange(len(tokens))]) for _ in range(-(-length // 4)))
        return b"".join(map(tok.id_to_bytes, ids)).decode(errors="replace")
    first = rng.choice([0, 0x80, 0x300, 0x1100, 0x2000, 0x4E00, 0xAC00, 0x1F300, 0x1D400])
    return "".join(chr(first + rng.randrange(1 << rng.choice([3, 7, 9]))) for _ in range(length))


class Compared(NamedTuple):
    """What was compared of a family."""

    family: str
    bytes: int
    counters: GpuCounters


class Comparison:
    """Compares families in rounds, so that each had its share whenever it ends."""

    def __init__(self, families: Sequence[str], lanes: Lanes, sources: Sequence[str], seed: int) -> None:
        """With another `seed`, other documents are compared."""
        self._sources = sources
        self._seed = seed
        self.refused: dict[str, str] = {}
        """Families that the GPU does not encode, and why not."""
        self._pairs: dict[str, tuple[Tokenizer, Pair]] = {}
        for name in families:
            try:
                tok = open_family(name)
                self._pairs[name] = tok, pair(tok, lanes, many_left=1)  # so that all ids are the GPU's
            except (UnsupportedTokenizer, GpuUnavailable) as error:
                self.refused[name] = str(error).partition("\n")[0]
        self._bytes = dict.fromkeys(self._pairs, 0)

    @property
    def found(self) -> list[Compared]:
        """What was compared so far."""
        return [
            Compared(name, self._bytes[name], each.counting.sums) for name, (_, each) in self._pairs.items()
        ]

    @property
    def bytes(self) -> int:
        """How much was compared so far."""
        return sum(self._bytes.values())

    def run(self, size: int, batch: int, seconds: float) -> Iterator[str]:
        """Compare so many bytes of each family, in batches, and name the family after each; none begins when
        so many seconds are over. Raises `Divergence`, naming a family and a text, and `NotByTheGpu`."""
        end = time.monotonic() + seconds
        number = 0
        while any(done < size for done in self._bytes.values()):
            for name, (tok, encoders) in self._pairs.items():
                if time.monotonic() >= end:
                    return
                if self._bytes[name] < size:
                    rng = random.Random(f"{name}, {self._seed}, {number}")
                    self._compare(name, encoders, documents(tok, self._sources, rng, min(batch, size)))
                    yield name
            number += 1

    def _compare(self, name: str, encoders: Pair, texts: Sequence[str]) -> None:
        try:
            self._bytes[name] += compare(encoders, texts)
        except Divergence as error:
            raise Divergence(f"{name}: {error}") from None
        sums = encoders.counting.sums
        if sums.failures or sums.too_large or not sums.requests:
            raise NotByTheGpu(f"{name}: {asdict(sums)}")
