"""Several texts: in anything that gives one after the other, or in an array of Arrow's or NumPy's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from verified_tok._core import native
from verified_tok.errors import InvalidText
from verified_tok.text import check_text


class ArrowArray(Protocol):
    """An array that other libraries can read: of pyarrow, nanoarrow, and others."""

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """The capsules of Arrow's C data interface."""
        ...


class ArrowStream(Protocol):
    """The same in several parts: a chunked array of pyarrow, a series of polars."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The capsule of Arrow's C stream interface."""
        ...


Texts = Iterable[str] | ArrowArray | ArrowStream
"""Several texts. Besides what can be iterated, all arrays of strings that speak Arrow's C interface, and
NumPy's: `StringDType`, `U`, and `S` (which must hold UTF-8)."""


def check_texts(texts: object) -> None:
    """Raises `InvalidText` for what cannot be several texts at all.

    >>> check_texts(["a", "b"])
    """
    if isinstance(texts, str):
        raise InvalidText("several texts are expected, not one str; give it in a list, or call encode")
    if isinstance(texts, np.ndarray) and texts.ndim != 1:
        raise InvalidText(
            f"several texts are expected: an array of one dimension, not of shape {texts.shape}"
        )
    try:
        if not _speaks_arrow(texts):
            iter(texts)  # type: ignore[call-overload]
    except TypeError:
        raise InvalidText(f"several texts are expected, not {texts!r}") from None


def text_array(texts: Any) -> native.TextArray | None:
    """The texts of an array for the native core, without a Python object for each; None for what is no array
    that the core reads. Raises `InvalidText`, naming the item if it is to blame."""
    if isinstance(texts, native.TextArray):
        return texts
    try:
        if hasattr(texts, "__arrow_c_array__"):
            return native.TextArray.of_arrow(*texts.__arrow_c_array__())
        if hasattr(texts, "__arrow_c_stream__"):
            return native.TextArray.of_arrow_stream(texts.__arrow_c_stream__())
        if type(texts) is not np.ndarray:  # a masked array is more than its memory says
            return None
        match texts.dtype.kind:
            case "T":
                place, stride = texts.__array_interface__["data"][0], texts.strides[0]
                return native.TextArray.of_numpy_strings(texts.dtype, place, len(texts), stride)
            case "U":
                native_order = np.ascontiguousarray(texts, texts.dtype.newbyteorder("="))
                points = native_order.view(np.uint32).reshape(len(texts), texts.itemsize // 4)
                return native.TextArray.of_code_points(points)
            case "S":
                in_order = np.ascontiguousarray(texts)
                data = in_order.view(np.uint8).reshape(len(texts), texts.itemsize)
                return native.TextArray.of_bytes(data)
    except (TypeError, ValueError) as error:
        raise InvalidText(str(error)) from None
    except ImportError:  # pandas asks pyarrow for help, which may not be there
        return None
    return None


def text_list(texts: Any) -> list[str]:
    """The texts as Python's. Raises `InvalidText`, naming the first item that is none.

    >>> text_list(np.array(["é".encode()]))
    ['é']
    """
    in_bytes = type(texts) is np.ndarray and texts.dtype.kind == "S"
    found = []
    for place, item in enumerate(texts):
        text = item.as_py() if hasattr(item, "as_py") else item
        try:
            found.append(item.decode() if in_bytes else check_text(text))
        except (InvalidText, UnicodeDecodeError) as error:
            raise InvalidText(f"texts[{place}]: {error}") from None
    return found


def at_hand(texts: Any) -> list[str] | native.TextArray:
    """The texts so that they can be read more than once; items of what is no array may still be no texts.
    Needs the native core. Raises `InvalidText`.

    >>> at_hand(iter(["a", "b"]))
    ['a', 'b']
    """
    array = text_array(texts)
    return list(texts) if array is None else array


def text_size(texts: list[str] | native.TextArray) -> int:
    """How many characters there are, of an array how many bytes; what is no text has none.

    >>> text_size(["ab", "é"])
    3
    """
    if isinstance(texts, list):
        return sum(len(text) for text in texts if isinstance(text, str))
    return texts.bytes


def _speaks_arrow(texts: object) -> bool:
    return hasattr(texts, "__arrow_c_array__") or hasattr(texts, "__arrow_c_stream__")
