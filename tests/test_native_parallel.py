"""Encoding on several threads beside encoding on one."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
from functools import cache

import pytest
from seam_checks import atoms_of

import verified_tok as vt
from verified_tok._core import native
from verified_tok.encoders import NativeEncoder
from verified_tok.errors import InvalidOption, InvalidText
from verified_tok.fetch import open_family

FAMILIES = ["qwen3", "gpt-oss", "deepseek-v3", "llama-2", "gemma-3", "gpt-4o"]


@cache
def tokenizer(name: str) -> vt.Tokenizer:
    return open_family(name)


def hostile_text(tok: vt.Tokenizer, seed: int, size: int) -> str:
    """Hostile atoms and the tokenizer's literals, whole and broken, at random."""
    rng = random.Random(seed)
    atoms = atoms_of(tok, rng)
    return "".join(rng.choices(atoms, k=size // 4))


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("threads", [2, 5])
def test_the_ids_are_those_of_one_thread(name: str, threads: int) -> None:
    tok = tokenizer(name)
    text = hostile_text(tok, threads, 3_000_000)
    assert tok.encode(text, threads=threads).tobytes() == tok.encode(text).tobytes()


@pytest.mark.parametrize("largest", [0xFF, 0xFFFF], ids=["1 byte", "2 bytes"])
def test_strs_of_narrower_characters(largest: int) -> None:
    tok = tokenizer("qwen3")
    text = "".join(c for c in hostile_text(tok, largest, 3_000_000) if ord(c) <= largest)
    assert tok.encode(text, threads=2).tobytes() == tok.encode(text).tobytes()


@pytest.mark.parametrize("text", ["a" * 2_000_000, " " * 2_000_000, "é\n" * 400_000, "中" * 700_000])
def test_texts_with_few_seams(text: str) -> None:
    tok = tokenizer("qwen3")
    assert tok.encode(text, threads=4).tobytes() == tok.encode(text).tobytes()


def test_a_wrong_seam_is_noticed() -> None:
    """The comparison above sees parts that were cut where no seam is."""
    tok = tokenizer("gpt-oss")
    encoder = tok._encoder(tok._all_added)
    assert isinstance(encoder, NativeEncoder)
    from verified_tok.native.seams import seam_sections

    sections = seam_sections(tok.seams())
    everywhere = native.Image.of(
        {**sections, "seam_answers": sections["seam_answers"] * 0 + 2, "seam_held": sections["seam_held"][:0]}
    )
    text = hostile_text(tok, 1, 12_000_000)
    assert native.encode_parallel(encoder.engine, everywhere, text, 2).tobytes() != tok.encode(text).tobytes()


def test_errors_are_ours() -> None:
    tok = tokenizer("qwen3")
    for threads in (0, -1, True, "2", 2.0, 5000):
        with pytest.raises(InvalidOption):
            tok.encode("a", threads=threads)  # type: ignore[arg-type]
    with pytest.raises(InvalidText):
        tok.encode("a" * 600_000 + "\ud800", threads=2)
    assert tok.encode("a", threads=None).tolist() == tok.encode("a").tolist()


WITHOUT_THREADS = r"""
import resource, verified_tok as vt
resource.setrlimit(resource.RLIMIT_AS, (1 << 34, 1 << 34))
tok = vt.from_tiktoken({bytes([b]): b for b in range(256)}, r"\p{L}+|\P{L}", {})
text = "ab c " * 200_000
assert tok.encode(text, threads=8).tobytes() == text.encode("utf-32-le")
ids, _ = tok._encoder(frozenset()).engine.encode_list([text] * 4, [], [], 8)
assert ids.tobytes() == text.encode("utf-32-le") * 4
try:
    import threading
    threading.Thread(target=print).start()
except RuntimeError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of other systems do not stop threads")
def test_where_the_system_gives_no_threads() -> None:
    """Each would get a stack that is larger than what the process may have."""
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_THREADS],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 36, resource.RLIM_INFINITY)),
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "can't start new thread\n", "")
