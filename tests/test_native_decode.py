"""Native decoding against the reference's, whole and as the ids come in."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from judge import load
from test_decode import BYTE_TOKENS, LLAMA, TEXTS
from test_decode import chains as any_chains
from tiny import byte_level, sentencepiece
from tokenizers import Tokenizer as Engine

import verified_tok as vt
from verified_tok.decoder_reference import ReferenceDecoder
from verified_tok.decoders import NativeDecoder, TextDecoder
from verified_tok.errors import (
    InvalidOption,
    InvalidRange,
    InvalidTokenId,
    InvalidUtf8,
    StreamFinished,
    VerifiedTokError,
)
from verified_tok.families import FAMILIES, RankFile
from verified_tok.fetch import fetch, open_family
from verified_tok.native import NotNative
from verified_tok.native.decode import decode_arrays
from verified_tok.reference.byte_level import spell
from verified_tok.spec import (
    ByteFallbackDecode,
    ByteLevelDecode,
    Decoder,
    FuseDecode,
    Literal,
    MetaspaceDecode,
    ReplaceDecode,
    StripDecode,
    TokenizerSpec,
)

VOCABULARY = [*BYTE_TOKENS, *TEXTS, "a" * 15, "b" * 16, "▁" * 20, spell("é ".encode()), "Ġ" * 14, "Ġ" * 40]


def spec_of(chain: Sequence[Decoder]) -> TokenizerSpec:
    """A tokenizer whose tokens are hostile to decoders; between their ids are some without a token."""
    tiny = load(byte_level())
    model = replace(tiny.model, vocab={text: 3 * place for place, text in enumerate(VOCABULARY)}, merges=())
    literals = (vt.spec.AddedToken(1, "<s>", special=True), vt.spec.AddedToken(4, "▁Ġ ", special=False))
    return replace(tiny, model=model, added_tokens=literals, decoders=tuple(chain))


def both(chain: Sequence[Decoder]) -> tuple[NativeDecoder, ReferenceDecoder]:
    spec = spec_of(chain)
    try:
        return NativeDecoder(spec), ReferenceDecoder(spec)
    except NotNative:
        assume(False)
        raise


KNOWN_IDS = [1, 4, *range(0, 3 * len(VOCABULARY), 3)]
some_ids = st.lists(st.sampled_from(KNOWN_IDS), max_size=10)
each_stage = st.sampled_from(
    [
        ReplaceDecode(Literal("▁"), " "),
        ReplaceDecode(Literal("a"), "aa"),
        StripDecode("▁", 1, 1),
        MetaspaceDecode("▁", "always"),
        MetaspaceDecode("▁", "never"),
    ]
)
strips = st.builds(StripDecode, st.sampled_from(" a▁é"), st.integers(0, 3), st.integers(0, 2))
chains = st.one_of(
    any_chains,
    st.builds(
        lambda each, joined, strips: [*each, *joined, *strips],
        st.lists(each_stage, max_size=2),
        st.sampled_from([[FuseDecode()], [ByteFallbackDecode(), FuseDecode()], [ByteLevelDecode()]]),
        st.lists(strips, max_size=2),
    ),
)


@example(list(LLAMA), [75, 0, 3, 6, 9, 1, 12], True)
@example([MetaspaceDecode("▁", "always")], [1, 30, 30], True)
@given(chains, some_ids, st.booleans())
def test_chains(chain: list[Decoder], ids: list[int], skip: bool) -> None:
    ours, reference = both(chain)
    assert ours.bytes_of(ids, skip) == reference.bytes_of(ids, skip)
    assert ours.text_of(ids, "replace", skip) == reference.text_of(ids, "replace", skip)
    offsets = [0, len(ids) // 2, len(ids) // 2, len(ids)]
    assert ours.texts_of(ids, offsets, "replace", skip) == reference.texts_of(ids, offsets, "replace", skip)
    assert [ours.token(id) for id in KNOWN_IDS] == [reference.token(id) for id in KNOWN_IDS]


@example(list(LLAMA), [75, 0, 3, 6, 9, 1, 12], [3, 1], True)
@example([FuseDecode(), StripDecode(" ", 2, 2)], [36, 39, 36, 48, 39, 36], [1, 1, 1], False)
@given(chains, some_ids, st.lists(st.integers(0, 4)), st.booleans())
def test_streams(chain: list[Decoder], ids: list[int], cuts: list[int], skip: bool) -> None:
    """The same comes out at each step, whatever the prompt was."""
    ours, reference = both(chain)
    start = cuts[0] if cuts else 0
    mine, theirs = (decoder.stream(ids[:start], skip) for decoder in (ours, reference))
    for size in [*cuts[1:], len(ids)]:
        part = ids[start : start + size]
        start += size
        assert mine.put(part[0] if len(part) == 1 else part) == theirs.put(part)
    failures = [failure(stream.finish, "strict") for stream in (mine, theirs)]
    assert failures[0] == failures[1]
    if failures[0] is not None:
        assert mine.finish() == theirs.finish()
    with pytest.raises(StreamFinished):
        mine.put([])
    with pytest.raises(StreamFinished):
        mine.finish()


def test_every_beginning_of_a_character() -> None:
    """Bytes at the edges of what UTF-8 allows, after every first byte, one token each."""
    names = {f"<0x{byte:02X}>": byte for byte in range(256)}
    spec = spec_of(LLAMA)
    spec = replace(spec, model=replace(spec.model, vocab=names), added_tokens=())
    ours, reference = NativeDecoder(spec), ReferenceDecoder(spec)
    edges = [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2]
    for ids in product(range(0x7F, 256), edges, [0x7F, 0x80, 0xBF, 0xC0], [0x80, 0xC0]):
        assert ours.text_of(ids, "replace", False) == reference.text_of(ids, "replace", False)
        mine, theirs = ours.stream([], False), reference.stream([], False)
        assert [mine.put(id) for id in ids] == [theirs.put(id) for id in ids]
        assert mine.finish() == theirs.finish()


def failure(call: Any, *arguments: Any) -> tuple[type, str] | None:
    """The error of a call, and what it says."""
    try:
        call(*arguments)
    except VerifiedTokError as error:
        return type(error), str(error)
    return None


# --- real tokenizers ---------------------------------------------------------------------------------

CHOSEN = ["llama-2", "qwen3", "claude", "cl100k"]


@pytest.fixture(scope="module", params=CHOSEN)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def tok(family: str) -> vt.Tokenizer:
    return open_family(family)


def test_every_token(tok: vt.Tokenizer) -> None:
    """Alone, as the first and inside; every id that has no token is refused."""
    ours, reference = NativeDecoder(tok.spec), ReferenceDecoder(tok.spec)
    ids = [id for id in range(tok.vocab_size) if id in ours]
    assert set(ids) == set(reference._texts)
    assert [ours.token(id) for id in ids] == [reference.token(id) for id in ids]
    inside = [id for pair in zip(ids, reversed(ids), strict=True) for id in pair]
    for skip in (False, True):
        assert ours.bytes_of(inside, skip) == reference.bytes_of(inside, skip)
        assert ours.text_of(inside, "replace", skip) == reference.text_of(inside, "replace", skip)


def test_any_ids_as_the_engine_decodes_them(tok: vt.Tokenizer, family: str) -> None:
    """Random ids, most of them not UTF-8, in many cuts; tokens of bytes are among them."""
    rng = random.Random(family)
    ours, reference = NativeDecoder(tok.spec), ReferenceDecoder(tok.spec)
    known = FAMILIES[family].file
    engine = None if isinstance(known, RankFile) else Engine.from_str(fetch(family).read_text("utf-8"))
    ids = [id for id in range(tok.vocab_size) if id in ours]
    single = [id for id in ids if len(ours.token(id)) == 1]
    special = [token.id for token in tok.spec.added_tokens]
    for _ in range(300):
        chosen = rng.choices(ids, k=4) + rng.choices(single, k=6) + rng.choices(special, k=1)
        rng.shuffle(chosen)
        skip = rng.random() < 0.5
        text = ours.text_of(chosen, "replace", skip)
        assert text == reference.text_of(chosen, "replace", skip)
        assert ours.bytes_of(chosen, skip) == reference.bytes_of(chosen, skip)
        if engine is not None:
            assert text == engine.decode(chosen, skip_special_tokens=skip)
        cut = rng.randrange(len(chosen))
        mine, theirs = (decoder.stream(chosen[:cut], skip) for decoder in (ours, reference))
        for id in chosen[cut:]:
            assert mine.put(id) == theirs.put(id)
        assert mine.finish() == theirs.finish()


# --- ids ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small() -> tuple[NativeDecoder, ReferenceDecoder]:
    spec = load(sentencepiece())
    return NativeDecoder(spec), ReferenceDecoder(spec)


INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


class SaysMore(list[int]):
    """A list that is shorter than it says."""

    def __len__(self) -> int:
        return 1_000_000


class TupleSaysMore(tuple[int, ...]):
    """The same as a tuple."""

    __slots__ = ()

    def __len__(self) -> int:
        return 1_000_000


class GivesOthers(list[int]):
    """A list that is not what lies in it."""

    def __iter__(self) -> Iterator[int]:
        return iter([5, 6, 7])


GOOD: list[Any] = [
    [],
    (),
    [3, 4, 5],
    (3, 4, 5),
    range(5),
    [np.int64(3), np.uint8(4)],
    bytes([3, 4]),
    np.array([]),
    *[np.array([3, 4, 5, 6], dtype) for dtype in INTEGERS],
    np.arange(3, 9, dtype=np.uint32)[::-2],
    np.arange(3, 9, dtype=np.int64)[::2],
    np.array([3, 4], ">i4"),
    np.array([3, 4], object),
    SaysMore([3, 4]),
    TupleSaysMore([3, 4]),
    GivesOthers([3, 4]),
]
BAD: list[Any] = [
    None,
    3,
    "ab",
    [3, -1],
    [3, 10**6],
    [3, 2**32 + 3],
    [3, 2**64 + 3],
    [3, True],
    [3, 4.0],
    [3, None],
    [[3]],
    np.array([3, -1]),
    np.array([3, -1], np.int8),
    np.array([3, 2**32 + 3]),
    np.array([3, 2**64 - 1], np.uint64),
    np.array([3, 2**32 - 1], np.uint32),
    np.array([1.0]),
    np.array([True]),
    np.array([[3, 4]]),
    np.array(3),
    np.datetime64(3, "s"),  # a buffer that does not tell its strides
    np.timedelta64(3, "s"),
    np.array([3, 4], "m8[ns]"),
    np.array([3, 4], "M8[ns]"),
    np.array(3, "m8[ns]"),
    np.ma.array([3, 4], mask=[False, True]),
    {3: 4, -1: 5},
]


@pytest.mark.parametrize("ids", GOOD, ids=repr)
def test_ids_of_many_kinds(small: tuple[TextDecoder, TextDecoder], ids: Any) -> None:
    ours, reference = small
    assert ours.bytes_of(ids, False) == reference.bytes_of(ids, False)
    assert ours.text_of(iter(ids), "strict", False) == reference.text_of(iter(ids), "strict", False)
    assert ours.stream([], False).put(ids) == reference.stream([], False).put(ids)


@pytest.mark.parametrize("ids", BAD, ids=repr)
def test_what_is_wrong_with_ids(small: tuple[TextDecoder, TextDecoder], ids: Any) -> None:
    ours, reference = small
    expected = failure(reference.bytes_of, ids, False)
    assert expected is not None
    assert expected[0] is InvalidTokenId
    assert failure(ours.bytes_of, ids, False) == expected
    assert failure(ours.text_of, ids, "replace", False) == expected
    offsets = [0, np.size(ids)]
    assert failure(ours.texts_of, ids, offsets, "replace", False) == expected
    assert failure(ours.stream, ids, False) == failure(reference.stream, ids, False)
    mine, theirs = ours.stream([3], False), reference.stream([3], False)
    assert failure(mine.put, ids) == failure(theirs.put, ids)
    assert mine.put([4, 5]) == theirs.put([4, 5])  # as if nothing had happened


@pytest.mark.parametrize(
    "offsets", [[], [0, 3], [0, 2, 1, 2], [1, 2], [0, 1], [0.0, 2.0], 2, [[0, 2]], [[0], [1, 2]]]
)
def test_offsets_that_do_not_fit(small: tuple[TextDecoder, TextDecoder], offsets: Any) -> None:
    for decoder in small:
        with pytest.raises(InvalidRange, match="offsets"):
            decoder.texts_of([3, 4], offsets, "replace", False)


def test_batches_of_the_tokenizer() -> None:
    tok = vt.Tokenizer(load(byte_level()))
    ids, offsets = tok.encode_batch(["hé", "", "llo"])
    assert tok.decode_batch(ids, offsets=offsets) == ["hé", "", "llo"]
    assert tok.decode_batch([ids.tolist(), ids], errors="strict") == ["héllo", "héllo"]
    with pytest.raises(InvalidUtf8, match="text 1: not UTF-8 at byte 0"):
        tok.decode_batch([tok.token_to_id("a"), tok.token_to_id("Ã")], [0, 1, 2], errors="strict")
    with pytest.raises(InvalidOption, match="'ignore'"):
        tok.decode_batch(ids, offsets, errors="ignore")  # type: ignore[arg-type]


def test_a_batch_comes_back_as_it_went() -> None:
    tok = vt.Tokenizer(load(byte_level()))
    texts = ["hé", "", "llo"]
    batch = tok.encode_batch(texts)
    assert tok.decode_batch(*batch) == tok.decode_batch(batch) == tok.decode_batch(batch, threads=2) == texts
    with pytest.raises(InvalidTokenId, match="give offsets, too, or call decode"):
        tok.decode_batch(batch.ids)
    with pytest.raises(InvalidOption, match="write errors='strict'"):
        tok.decode_batch([[3]], "strict")  # type: ignore[arg-type]


def rows_of_every_kind(ids: list[int]) -> list[Any]:
    kinds = [
        list,
        tuple,
        iter,
        np.array,
        lambda ids: np.array(ids, np.uint8),
        lambda ids: np.array(ids, object),
    ]
    return [kind(ids) for kind in kinds]


def test_batches_of_sequences_of_every_kind(small: tuple[NativeDecoder, ReferenceDecoder]) -> None:
    for decoder in small:
        rows = (row for ids in ([3, 4, 5], [], [6]) for row in rows_of_every_kind(ids))
        expected = [decoder.text_of(ids, "replace", False) for ids in ([3, 4, 5], [], [6]) for _ in range(6)]
        assert decoder.texts_of_each(rows, "replace", False) == expected
        assert decoder.texts_of_each(np.array([[3, 4], [5, 6]]), "strict", False) == [
            decoder.text_of(ids, "replace", False) for ids in ([3, 4], [5, 6])
        ]
        assert decoder.texts_of_each([], "replace", False) == []


def test_a_sequence_is_read_when_the_batch_gives_it(small: tuple[NativeDecoder, ReferenceDecoder]) -> None:
    """Whoever makes a batch may use one list for all its sequences."""

    def rows() -> Iterator[list[int]]:
        one: list[int] = []
        for id in (3, 4, 5):
            one[:] = [id]
            yield one

    ours, reference = small
    expected = [reference.text_of([id], "replace", False) for id in (3, 4, 5)]
    assert ours.texts_of_each(rows(), "replace", False) == expected

    def broken() -> Iterator[list[int]]:
        yield [3]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ours.texts_of_each(broken(), "replace", False)


HOLE, NO_UTF8 = 2, 3  # ids of `spec_of`
any_rows = st.sampled_from([[30, 33], [], [36], [NO_UTF8], [HOLE], [0, 10**6], [-1], [3.0], "ab", None, 3])


@given(st.lists(any_rows, max_size=5))
@example([[NO_UTF8], [3.0]])
@example([[HOLE], None])
@example([[30], [HOLE], [NO_UTF8]])
@example([[30], [NO_UTF8], [HOLE]])
def test_the_first_sequence_that_is_wrong_is_named(batch: list[Any]) -> None:
    """Whatever is wrong with those behind it; by both decoders in the same words."""
    ours, reference = both(LLAMA)
    for errors in ("replace", "strict"):
        expected = failure(reference.texts_of_each, batch, errors, False)
        assert failure(ours.texts_of_each, batch, errors, False) == expected
        if expected is None:
            found = ours.texts_of_each(batch, errors, False, 2)
            assert found == reference.texts_of_each(batch, errors, False)
        else:
            assert expected[1].startswith("batch[")


def test_very_many_ids_in_two_threads(small: tuple[NativeDecoder, ReferenceDecoder]) -> None:
    ours, reference = small
    rng = np.random.default_rng(0)
    known = np.array([id for id in range(300) if id in ours], np.uint32)
    ids = rng.choice(known, 1 << 18)
    expected, found = reference.bytes_of(ids, False), []
    threads = [threading.Thread(target=lambda: found.append(ours.bytes_of(ids, False))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected, expected]
    wrong = ids.copy()
    wrong[-1] = 10**9
    with pytest.raises(InvalidTokenId, match=rf"ids\[{len(ids) - 1}\] is 1000000000"):
        ours.bytes_of(wrong, False)


@pytest.mark.parametrize("threads", [1, 2, 5, None])
def test_batches_of_many_shares(threads: int | None) -> None:
    """More ids than the threads take at once, empty texts at the ends and between."""
    ours, reference = both(LLAMA)
    rng = np.random.default_rng(0)
    ids = rng.choice(np.array(KNOWN_IDS, np.uint32), 300_000)
    inside = rng.integers(0, len(ids), 3_000)
    offsets = np.sort(np.concatenate([[0, 0, len(ids), len(ids)], inside, inside[:50], [90_000, 220_000]]))
    expected = reference.texts_of(ids, offsets, "replace", True)
    assert ours.texts_of(ids, offsets, "replace", True, threads) == expected
    rows = [ids[start:stop] for start, stop in pairwise(offsets)]
    assert ours.texts_of_each(rows, "replace", True, threads) == expected
    assert ours.texts_of_each([row.tolist() for row in rows], "replace", True, threads) == expected
    for place, id in ((len(ids) - 1, 10**9), (1, 10**9), (len(ids) // 2, HOLE)):
        wrong = ids.copy()
        wrong[place] = id
        with pytest.raises(InvalidTokenId, match=rf"^ids\[{place}\] is {id}, and no token"):
            ours.texts_of(wrong, offsets, "replace", True, threads)
        row = int(np.searchsorted(offsets, place, "right")) - 1
        rows = [wrong[start:stop] for start, stop in pairwise(offsets)]
        expected_error = rf"^batch\[{row}\]: ids\[{place - offsets[row]}\] is {id}, and no token"
        with pytest.raises(InvalidTokenId, match=expected_error):
            ours.texts_of_each(rows, "replace", True, threads)


def test_threads_are_a_number() -> None:
    tok = vt.Tokenizer(load(byte_level()))
    for threads in (0, True, "2", 5000):
        with pytest.raises(InvalidOption, match="threads"):
            tok.decode_batch([3], offsets=[0, 1], threads=threads)  # type: ignore[arg-type]
        with pytest.raises(InvalidOption, match="threads"):
            tok.encode_batch(["a"], threads=threads)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "chain",
    [
        [FuseDecode(), ReplaceDecode(Literal("a"), "b")],
        [ByteFallbackDecode(), ReplaceDecode(Literal("a"), "b")],
        [ByteFallbackDecode(), ByteLevelDecode()],
        [FuseDecode(), StripDecode("\ufffd", 1, 0)],
    ],
)
def test_chains_that_the_reference_runs(chain: list[Decoder]) -> None:
    with pytest.raises(NotNative, match="decoder: "):
        decode_arrays(spec_of(chain))
