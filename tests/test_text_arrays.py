"""Batches from arrays of Arrow's and NumPy's beside the same texts in a list."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import hostile
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verified_tok as vt
from verified_tok.encoder_reference import ReferenceEncoder
from verified_tok.encoders import NativeEncoder
from verified_tok.errors import InvalidText
from verified_tok.fetch import open_family

VARIABLE = np.dtypes.StringDType()


@cache
def tokenizer(name: str) -> vt.Tokenizer:
    return open_family(name)


@cache
def both() -> tuple[NativeEncoder, ReferenceEncoder]:
    tok = tokenizer("qwen3")
    native = tok._encoder(tok._all_added)
    assert isinstance(native, NativeEncoder)
    return native, ReferenceEncoder(tok._pipeline(tok._all_added))


def padded(texts: list[str]) -> list[str]:
    """What NumPy's arrays of fixed width keep of texts."""
    return [text.rstrip("\0") for text in texts]


def in_parts(texts: list[str], kind: pa.DataType) -> pa.ChunkedArray:
    third = len(texts) // 3
    return pa.chunked_array([texts[:third], [], texts[third:]], kind)


def between_others(texts: list[str], kind: pa.DataType) -> pa.Array:
    """A slice of a longer array that has nulls outside it."""
    return pa.array([None, "x", *texts, "é", None], kind)[2 : 2 + len(texts)]


def every_other(texts: list[str], dtype: Any) -> np.ndarray[Any, Any]:
    """An array whose items do not lie one behind the other."""
    return np.array([item for text in texts for item in (text, "other")], dtype)[::2]


ARROW = [pa.string(), pa.large_string(), pa.string_view()]
MAKERS: list[Callable[[list[str]], Any]] = [
    *(lambda texts, kind=kind: pa.array(texts, kind) for kind in ARROW),
    *(lambda texts, kind=kind: between_others(texts, kind) for kind in ARROW),
    *(lambda texts, kind=kind: in_parts(texts, kind) for kind in ARROW),
    lambda texts: np.array(texts, VARIABLE),
    lambda texts: every_other(texts, VARIABLE),
    lambda texts: every_other(texts[::-1], VARIABLE)[::-1],
    lambda texts: np.array(texts, np.dtypes.StringDType(na_object=None)),
    lambda texts: np.array(texts, object),
]
PADDED: list[Callable[[list[str]], Any]] = [
    lambda texts: np.array(texts, np.str_),
    lambda texts: np.array(texts, np.str_).astype(">U50"),
    lambda texts: every_other(texts, "U50"),
    lambda texts: np.array([text.encode() for text in texts], np.bytes_),
    lambda texts: np.array([text.encode() for text in texts], "S300")[::-1][::-1],
]

texts = st.lists(
    st.one_of(hostile.text(4), st.sampled_from(["", "<|im_end|>", "a" * 12, "b" * 13, "\0"])), max_size=9
)
texts = texts.map(lambda texts: [text[:50] for text in texts])


@settings(max_examples=60)
@given(texts)
def test_the_ids_are_those_of_the_list(texts: list[str]) -> None:
    native, reference = both()
    for makers, expected in ((MAKERS, texts), (PADDED, padded(texts))):
        ids, offsets = native.encode_batch(expected, [7], [8, 9], 1)
        for make in makers:
            for encoder in (native, reference):
                got = encoder.encode_batch(make(texts), [7], [8, 9], 1)
                assert got[0].tolist() == ids.tolist(), (make(texts), encoder)
                assert got[1].tolist() == offsets.tolist()
                assert (got[0].dtype, got[1].dtype) == (np.uint32, np.int64)


@pytest.mark.parametrize("threads", [1, 2, 5, None])
def test_arrays_of_many_shares(threads: int | None) -> None:
    """More than one thread takes at once, checks included."""
    tok = tokenizer("gpt-oss")
    page = Path(vt.__file__).with_name("tokenizer.py").read_text() + "é中🙂" * 500
    texts = [page[start : start + start % 700] for start in range(0, len(page), 7)]
    array = pa.array(texts)
    ids, offsets = tok.encode_batch(array, threads=threads)
    assert offsets[-1] == len(ids)
    for text, (start, stop) in zip(texts[::50], list(pairwise(offsets.tolist()))[::50], strict=True):
        assert ids[start:stop].tolist() == tok.encode(text).tolist()
    sizes, *_, data = array.buffers()[1:]
    damaged = np.frombuffer(data, np.uint8).copy()
    for place in (len(texts) - 1, len(texts) // 2):  # the first of them is named
        start, _ = np.frombuffer(sizes, np.int32)[place : place + 2]
        damaged[start] = 0xFF
        bad = pa.StringArray.from_buffers(len(texts), sizes, pa.py_buffer(damaged))
        with pytest.raises(InvalidText, match=rf"texts\[{place}\] is not UTF-8 from its byte 0 on"):
            tok.encode_batch(bad, threads=threads)


def from_bytes(*items: bytes) -> pa.StringArray:
    """An Arrow array that nobody has checked."""
    sizes = np.cumsum([0, *map(len, items)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(items), pa.py_buffer(sizes), pa.py_buffer(b"".join(items)))


WRONG: list[tuple[Any, str]] = [
    (pa.array(["a", None, None]), "texts[1] is null"),
    (pa.array([None, "a", "b", None])[1:], "texts[2] is null"),
    (pa.chunked_array([["a", "b"], ["c", None]]), "texts[3] is null"),
    (pa.array(["a", None], pa.string_view()), "texts[1] is null"),
    (np.array(["a", None], np.dtypes.StringDType(na_object=None)), "texts[1] is null"),
    (from_bytes(b"ok", b"", b"\xc3"), "texts[2] is not UTF-8 from its byte 0 on"),
    (from_bytes("é".encode(), b"ab\xed\xa0\x80"), "texts[1] is not UTF-8 from its byte 2 on"),
    (from_bytes(b"a" * 64 + b"\xf4\x90\x80\x80"), "texts[0] is not UTF-8 from its byte 64 on"),
    (np.array([b"a", b"b\xff"]), "texts[1] is not UTF-8 from its byte 1 on"),
    (np.array(["a", "b\ud800"]), "texts[1] holds U+D800 at position 1"),
    (np.array([97, 0x110000], np.uint32).view("U1"), "texts[1] holds U+110000 at position 0"),
    (pa.array([1, 2]), "strings is expected, not of the format 'l'"),
    (pa.array([b"a"]), "strings is expected, not of the format 'z'"),
    (pa.array(["a"]).dictionary_encode(), "strings is expected, not of the format 'dictionary'"),
    (pa.array([], pa.list_(pa.string())), "strings is expected, not of the format '+l'"),
    (pa.table({"column": ["a"]}), "strings is expected, not of the format '+s'"),
    (np.array([["a", "b"]]), "one dimension, not of shape (1, 2)"),
    (np.array("a"), "one dimension, not of shape ()"),
    (np.array([1, 2]), "texts[0]: the text must be a str, not int64"),
    (np.array(["a", b"b"], object), "texts[1]: the text must be a str, not bytes"),
    (np.ma.array(["a", "b"], mask=[False, True]), "texts[1]: the text must be a str, not MaskedConstant"),
    (["a", "b\ud800"], "texts[1]: the text holds the lone surrogate U+D800 at position 1"),
    (["a", None], "texts[1]: the text must be a str, not NoneType"),
    ("ab", "not one str"),
    (5, "several texts are expected, not 5"),
]


@pytest.mark.parametrize(("wrong", "why"), WRONG, ids=[why for _, why in WRONG])
def test_what_is_wrong_is_named(wrong: Any, why: str) -> None:
    with pytest.raises(InvalidText, match=re.escape(why)):
        tokenizer("qwen3").encode_batch(wrong)


@pytest.mark.parametrize(
    "wrong",
    [pa.array(["a", None]), np.array([b"a", b"b\xff"]), np.array(["a", "b\ud800"]), ["a", "b\ud800"]],
    ids=["arrow", "bytes", "str", "list"],
)
def test_the_reference_names_the_item_too(wrong: Any) -> None:
    with pytest.raises(InvalidText, match=r"^texts\[1\]: "):
        both()[1].encode_batch(wrong, (), ())


@pytest.mark.parametrize(
    "empty", [pa.array([], pa.string()), pa.chunked_array([], pa.string()), np.array([], "U")]
)
def test_no_texts(empty: Any) -> None:
    ids, offsets = tokenizer("qwen3").encode_batch(empty, add_special_tokens=True)
    assert (ids.tolist(), offsets.tolist()) == ([], [0])


class FailingStream(ctypes.Structure):
    """A stream of Arrow's C interface: of strings, but for its items, which it cannot give."""

    _fields_ = (
        ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
        ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
        ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)),
        ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("private_data", ctypes.c_void_p),
    )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        def schema(_: int, out: int) -> int:
            pa.string()._export_to_c(out)
            return 0

        why = ctypes.create_string_buffer(b"the disk is gone")
        types = dict(self._fields_)
        self.get_schema = types["get_schema"](schema)
        self.get_next = types["get_next"](lambda *_: 5)
        self.get_last_error = types["get_last_error"](lambda _: ctypes.addressof(why))
        self.release = types["release"](lambda _: None)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype = ctypes.py_object
        return make(ctypes.c_void_p(ctypes.addressof(self)), ctypes.c_char_p(b"arrow_array_stream"), None)


def test_a_stream_that_fails() -> None:
    with pytest.raises(InvalidText, match="the Arrow stream failed: the disk is gone"):
        tokenizer("qwen3").encode_batch(FailingStream())


def test_arrays_are_released_and_not_changed() -> None:
    """The memory of an array that nobody else holds goes when the call is over, also where it raises."""
    tok = tokenizer("qwen3")
    before = pa.total_allocated_bytes()
    for _ in range(5):
        tok.encode_batch(pa.array(["some text"] * 10_000))
        with pytest.raises(InvalidText):
            tok.encode_batch(pa.array([*["some text"] * 10_000, None]))
        with pytest.raises(InvalidText):
            tok.encode_batch(pa.chunked_array([pa.array([1] * 10_000)]))
    assert pa.total_allocated_bytes() == before
    array = pa.array(["some text"])
    assert [tok.encode_batch(array)[0].tolist() for _ in range(2)] == [tok.encode("some text").tolist()] * 2


def test_threads_share_an_array() -> None:
    tok = tokenizer("qwen3")
    arrays: list[Any] = [pa.array(["é some text"] * 3000), np.array(["é some text"] * 3000, VARIABLE)]
    expected = tok.encode_batch(["é some text"] * 3000)[0].tobytes()
    found: list[bytes] = []

    def work() -> None:
        for array in arrays * 5:
            found.append(tok.encode_batch(array)[0].tobytes())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 40
    assert set(found) == {expected}


def test_the_places_in_numpys_table_are_those_of_its_header() -> None:
    """The core calls NumPy's functions by their places, which NumPy's header tells."""
    header = (Path(np.get_include()) / "numpy" / "__multiarray_api.h").read_text()
    source = (Path(vt.__file__).parent / "_core" / "module_text_array.cpp").read_text()
    for name in ("NpyString_load", "NpyString_acquire_allocator", "NpyString_release_allocator"):
        found = re.search(rf"#define {name} .*?PyArray_API\[(\d+)\]", header, re.DOTALL)
        assert found is not None
        assert re.search(rf"{name} *= *{found[1]}\b", source), name
