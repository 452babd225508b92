"""The native engine against the reference pipeline: texts, batches, choices of added tokens, kept tables."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import pairwise, product

import hostile
import less_simd
import numpy as np
import numpy.typing as npt
import pytest
from tiny import BYTE_LEVEL, byte_level

import verified_tok as vt
from verified_tok._core import native
from verified_tok.encoder_reference import ReferenceEncoder
from verified_tok.encoders import NativeEncoder
from verified_tok.errors import InvalidText
from verified_tok.fetch import open_family
from verified_tok.reference.byte_level import CHAR_OF_BYTE
from verified_tok.tokenizer import Tokenizer

FAMILIES = ("qwen3", "llama-2", "deepseek-v3", "gpt-neox", "claude", "gpt2")


def choices(tok: Tokenizer) -> list[frozenset[int]]:
    """All added tokens, none, and every other one."""
    every = sorted(token.id for token in tok.spec.added_tokens)
    return [frozenset(every), frozenset(), frozenset(every[::2])]


def both(tok: Tokenizer, enabled: frozenset[int]) -> tuple[NativeEncoder, ReferenceEncoder]:
    found = tok._encoder(enabled)
    assert isinstance(found, NativeEncoder)
    return found, ReferenceEncoder(tok._pipeline(enabled))


def some_text(tok: Tokenizer, rng: random.Random, atoms: int) -> str:
    literals = [token.content for token in tok.spec.added_tokens]
    drawn = (
        rng.choice(literals)[: rng.choice([99, 99, 3, 8])]
        if rng.random() < 0.1
        else rng.choice(hostile.ATOMS)
        for _ in range(rng.randrange(atoms))
    )
    return "".join(drawn).encode(errors="ignore").decode()


@pytest.mark.parametrize("family", FAMILIES)
def test_texts(family: str) -> None:
    tok, rng = open_family(family), random.Random(family)
    for enabled in choices(tok):
        ours, theirs = both(tok, enabled)
        for inside in (False, True):
            for _ in range(60):
                text = some_text(tok, rng, 40)
                got, expected = ours.encode_placed(text, inside), theirs.encode_placed(text, inside)
                assert got.ids.tolist() == expected.ids.tolist(), text
                assert got.byte_spans.tolist() == expected.byte_spans.tolist(), text
                assert got.char_spans.tolist() == expected.char_spans.tolist(), text
                assert list(got.taken) == list(expected.taken), text
                assert ours.pre_tokenize(text) == theirs.pre_tokenize(text), text
                if not inside:
                    assert ours.encode(text).tolist() == expected.ids.tolist()
                    assert ours.count(text) == len(expected.ids)


def test_batches_of_many_shares() -> None:
    """More text than one thread takes at once, empty texts at the ends and between."""
    tok, rng = open_family("qwen3"), random.Random(0)
    page = "".join(some_text(tok, rng, 60) for _ in range(400))
    texts = [
        "",
        *(page[rng.randrange(5000) :][: rng.choice([0, 1, 20, 5000])] for _ in range(600)),
        page * 9,
        "",
    ]
    ours = both(tok, choices(tok)[0])[0]
    for before, after in (([], []), ([5, 6], [7])):
        ids, offsets = ours.encode_batch(texts, before, after)
        assert (ids.dtype, offsets.dtype, offsets[0], offsets[-1]) == (np.uint32, np.int64, 0, len(ids))
        for text, (start, stop) in zip(texts, pairwise(offsets.tolist()), strict=True):
            assert ids[start:stop].tolist() == [*before, *ours.encode(text).tolist(), *after]


def test_what_a_batch_raises() -> None:
    ours = both(open_family("gpt2"), frozenset())[0]
    for texts in (["a", "\ud800"], ["a", b"b"]):
        with pytest.raises(InvalidText):
            ours.encode_batch(texts, (), ())  # type: ignore[arg-type]


@pytest.mark.parametrize("unit", ["a", " ", "\n", "1", "中", "e\u0301", "é ", "<|im_end|>", "a\n"])
@pytest.mark.parametrize("size", [0, 1, 1 << 16, 500_000])
def test_sizes(unit: str, size: int) -> None:
    """Long texts of one thing; what `count` and `encode` and the places say is the same."""
    tok = open_family("qwen3")
    text = (unit * size)[:size]
    ids = tok.encode(text)
    assert tok.count(text) == len(ids)
    assert tok.decode(ids) == tok.normalize(text)
    placed = tok._encoder(tok._all_added).encode_placed(text)
    assert placed.ids.tolist() == ids.tolist()


@pytest.mark.parametrize("family", ["qwen3", "llama-2"])
def test_more_pieces_than_are_remembered(family: str) -> None:
    """Of all the sizes that are treated apart, new ones and old ones, until their places have been taken
    several times: an engine that remembers says what one says that has seen nothing yet."""
    tok, rng, old = open_family(family), random.Random(family), [""]
    sizes = [1, 7, 8, 9, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 253, 254, 255, 256, 257]
    scripts = ["abcdefghijklmnopqrstuvwxyz", "éèabвгд", "中国人民", "=-*#"]

    def word() -> str:
        letters = rng.choices(rng.choice(scripts), k=rng.choice(sizes))
        return "".join(letters).encode()[: rng.choice(sizes)].decode(errors="ignore")

    for _ in range(12):
        words = [word() for _ in range(3_000)]
        text = rng.choice([" ", "\n", "1"]).join([*words, *rng.choices(old, k=1_000)])
        old += words
        assert tok.encode(text).tobytes() == Tokenizer(tok.spec).encode(text).tobytes()


def test_so_many_pieces_that_tables_grow() -> None:
    """The engine that it is compared with sees each word for the first time."""
    tok, rng = open_family("qwen3"), random.Random("growing tables")
    texts = [
        " ".join("".join(rng.choices("etaoinshrdlu", k=rng.randrange(3, 9))) for _ in range(10_000))
        for _ in range(16)
    ]
    for text in texts:
        tok.encode(text)
    for text in texts:
        assert tok.encode(text).tobytes() == Tokenizer(tok.spec).encode(text).tobytes()


def test_more_long_pieces_than_are_remembered() -> None:
    """So many that all places are taken twice, and pieces lie where others lay."""
    tok, rng = open_family("qwen3"), random.Random("long pieces")
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=3)) * 1_000 for _ in range(6_000)]
    for start in range(0, len(words), 500):
        text = " ".join([*words[start : start + 500], *rng.choices(words[: start + 1], k=100)])
        assert tok.encode(text).tobytes() == Tokenizer(tok.spec).encode(text).tobytes()


@pytest.mark.parametrize("family", ["qwen3", "llama-2"])
def test_long_pieces_that_come_again(family: str) -> None:
    tok, rng = open_family(family), random.Random(family)
    words = [
        "".join(rng.choices(letters, k=size - 1))
        for size in [256, 257, 900, 4095, 4096, 4097]
        for letters in ("abcdefgh", "a")
    ]
    text = " ".join(words)
    expected = ReferenceEncoder(tok._pipeline(tok._all_added)).encode(text).tolist()
    assert [tok.encode(text).tolist() for _ in range(2)] == [expected] * 2
    assert tok.encode(f"{text}\n{text}").tolist() == Tokenizer(tok.spec).encode(f"{text}\n{text}").tolist()


@pytest.mark.parametrize("family", ["gpt-oss", "qwen3", "deepseek-v3"])
def test_short_pieces_that_are_merged(family: str) -> None:
    """Words of every size that is merged by turns, few and many at a time; ids that nothing has seen."""
    tok, rng = open_family(family), random.Random(family)
    letters = ["etaoin", "abcdefghijklmnopqrstuvwxyz", "aéß", "=-*/", "XQZ", "中文人"]

    def word(size: int) -> str:
        return "".join(rng.choices(rng.choice(letters), k=size)).encode()[:size].decode(errors="ignore")

    enabled = choices(tok)[0]
    for count in [1, 2, 8, 9, 150]:
        text = rng.choice([" ", "\n"]).join(word(rng.randrange(1, 17)) for _ in range(count))
        ours, theirs = both(Tokenizer(tok.spec), enabled)
        assert ours.encode(text).tolist() == theirs.encode(text).tolist()


def test_short_pieces_before_rules_of_the_zero_byte() -> None:
    """Rules with a byte of zero, which is also what stands behind a piece in the words it is read by."""
    zero = CHAR_OF_BYTE[0]
    merges = ["a b", f"ab {zero}", f"{zero} a", f"{zero}a b", f"b {zero}", f"{zero} {zero}", "ab a", "aba b"]
    vocab = {token: id for id, token in enumerate(sorted(CHAR_OF_BYTE))}
    for merge in merges:
        vocab[merge.replace(" ", "")] = len(vocab)
    spaces = {"type": "Split", "pattern": {"String": " "}, "behavior": "Removed", "invert": False}
    file = byte_level(
        pre_tokenizer={"type": "Sequence", "pretokenizers": [spaces, BYTE_LEVEL | {"use_regex": False}]},
        model={"vocab": vocab, "merges": merges},
        added_tokens=[],
        post_processor=None,
    )
    tok = vt.load(json.dumps(file).encode())
    ours, theirs = both(tok, choices(tok)[0])
    words = ["".join(letters) for size in range(1, 7) for letters in product("ab\0", repeat=size)]
    for size in (1, 2, 99):
        for start in range(0, len(words), size):
            text = " ".join(words[start : start + size])
            assert ours.encode(text).tolist() == theirs.encode(text).tolist(), text


def test_less_simd_merges_alike() -> None:
    less_simd.assert_passing("none", "short_pieces", __file__)


def test_bytes_that_are_spelled_twice() -> None:
    stage = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    tok = vt.load(
        json.dumps(byte_level(pre_tokenizer={"type": "Sequence", "pretokenizers": [stage, stage]})).encode()
    )
    text = "the é"
    ours, theirs = tok._encoder(tok._all_added), ReferenceEncoder(tok._pipeline(tok._all_added))
    assert ours.encode(text).tolist() == theirs.encode(text).tolist()
    assert ours.pre_tokenize(text) == theirs.pre_tokenize(text)


def test_what_the_core_does_not_know_is_left_to_the_reference() -> None:
    stages = [
        {"type": "Split", "pattern": {"Regex": letter}, "behavior": "Removed", "invert": False}
        for letter in "abcdefghi"
    ]
    file = byte_level(pre_tokenizer={"type": "Sequence", "pretokenizers": stages})
    tok = vt.load(json.dumps(file).encode())
    assert isinstance(tok._encoder(tok._all_added), ReferenceEncoder)
    assert repr(tok).endswith(" encodes: reference (9 stages that cut the text), decodes: native>")
    assert isinstance(vt.load(json.dumps(byte_level()).encode())._encoder(frozenset()), NativeEncoder)


# --- images --------------------------------------------------------------------------------------


def test_images_that_are_none() -> None:
    good = native.Image.of({"token_lengths": np.arange(9, dtype=np.uint32)}).memory

    def image_in(data: npt.NDArray[np.uint8]) -> native.Image:
        memory = native.memory_for(len(data))
        memory[:] = data
        return native.Image.over(memory)

    assert image_in(good).memory.tobytes() == good.tobytes()
    bad: list[Callable[[], object]] = [
        lambda: image_in(good[:0]),
        lambda: image_in(good[:10]),
        lambda: image_in(good[:-1]),
        lambda: image_in(np.zeros_like(good)),
        lambda: native.Image.of({"nothing": np.arange(3, dtype=np.uint32)}),
        lambda: native.Image.of({"token_lengths": np.arange(3, dtype=np.uint64)}),
    ]
    for make in bad:
        with pytest.raises(ValueError, match=r"image|section"):
            make()
