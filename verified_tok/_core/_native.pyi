"""The native core (C++)."""

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

SECTIONS: dict[str, int]
"""The sections of an image, and the size of their elements in bytes."""

class Image:
    """All tables of a tokenizer in one block of memory."""

    @staticmethod
    def of(arrays: Mapping[str, npt.NDArray[np.generic]]) -> Image:
        """An image of one-dimensional arrays, by the names of their sections."""

    @staticmethod
    def over(memory: npt.NDArray[np.uint8]) -> Image:
        """The image that lies in `memory`, which must begin at a multiple of 64 bytes. Raises ValueError."""

    def section(self, name: str) -> npt.NDArray[Any]:
        """The elements of a section, none if the image lacks it: a read-only view."""

    @property
    def memory(self) -> npt.NDArray[np.uint8]: ...

def memory_for(size: int) -> npt.NDArray[np.uint8]:
    """Memory that is good for an image: on large pages if it is large. What is in it is not defined."""

def give_memory_back() -> None:
    """Give the memory that is free in this process back to the system, as far as that can be done."""

def checksum(bytes: npt.NDArray[np.uint8]) -> int:
    """64 bits that tell a block of memory from damaged ones."""

def build_model(
    of_chars: bool,
    fuses_unknown: bool,
    unknown: int,
    ids: npt.NDArray[np.uint32],
    offsets: npt.NDArray[np.uint64],
    bytes: npt.NDArray[np.uint8],
    whole: npt.NDArray[np.uint8],
    byte_symbols: npt.NDArray[np.uint32],
    fallback_symbols: npt.NDArray[np.uint32],
    char_codes: npt.NDArray[np.uint32],
    char_tokens: npt.NDArray[np.uint32],
    rules: npt.NDArray[np.uint32],
    ranks: bool,
    banned: npt.NDArray[np.uint32],
) -> dict[str, npt.NDArray[np.generic]]:
    """The sections of a model (see `ModelSource` in model_build.h). `ranks`: the rules are those of a
    vocabulary of ranks without the banned tokens. Raises ValueError for ids that are too large."""

class Engine:
    """Encodes texts: a tokenizer with a choice of added tokens. Threads may share it.

    Raises TypeError for what is no str, UnicodeEncodeError for lone surrogates, ValueError for 4 GiB of text.
    """

    def __init__(self, images: Sequence[Image]) -> None:
        """The tables of all images; those of later ones hide those of earlier ones."""

    @property
    def images(self) -> list[Image]: ...
    def encode(self, text: str) -> npt.NDArray[np.uint32]: ...
    def count(self, text: str) -> int: ...
    def normalize(self, text: str) -> str:
        """What the tokens of a text spell: its segments normalized, its added tokens as their literals."""

    def encode_placed(
        self, text: str, inside: bool = False
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64], npt.NDArray[np.int64], list[tuple[int, str]]]:
        """Ids, spans of bytes and of characters, shape (ids, 2), and for each added token its place among
        the ids and the text that it took."""

    def encode_list(
        self, texts: list[str], before: Sequence[int], after: Sequence[int], threads: int
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """The ids of several texts with `before` and `after` around each, and the bounds of each one's."""

    def encode_array(
        self, texts: TextArray, before: Sequence[int], after: Sequence[int], threads: int
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """The same for the texts of an array. Raises ValueError, naming the first that is not UTF-8."""

    def encode_piece(self, piece: bytes) -> list[tuple[int, int, int]]:
        """The tokens that the model makes of one piece, each with the bytes that it covers."""

    def stay_apart(self, left: int, right: int) -> bool | None:
        """Whether merging the bytes of two tokens gives the two again; None for tokens that merges do not
        make, or not by ever higher ranks."""

class TextArray:
    """Texts that lie in an array, whose memory it keeps or copies. Raises ValueError for an item that is null
    or holds what is no character, TypeError for an array of another type."""

    @staticmethod
    def of_arrow(schema: object, array: object) -> TextArray:
        """Of the two capsules of Arrow's `__arrow_c_array__`."""

    @staticmethod
    def of_arrow_stream(stream: object) -> TextArray:
        """Of the capsule of Arrow's `__arrow_c_stream__`."""

    @staticmethod
    def of_bytes(strings: npt.NDArray[np.uint8]) -> TextArray:
        """Of a row of bytes for each text, with zeros behind it."""

    @staticmethod
    def of_code_points(strings: npt.NDArray[np.uint32]) -> TextArray:
        """Of a row of code points for each text, with zeros behind it."""

    @staticmethod
    def of_numpy_strings(dtype: object, address: int, count: int, stride: int) -> TextArray:
        """Of an array of NumPy's StringDType that lies at this address, with its data type."""

    @staticmethod
    def of_texts(texts: tuple[str, ...]) -> TextArray:
        """Of Python's strings. Raises TypeError for what is none, UnicodeEncodeError for lone surrogates."""

    def __len__(self) -> int: ...
    @property
    def bytes(self) -> int:
        """How many there are in all texts."""

    def bounds(self, threads: int) -> npt.NDArray[np.int64]:
        """Where each text begins when they lie one behind the other, and where the last one ends: shape
        (texts + 1,). Raises ValueError, naming the first that is not UTF-8."""

    def part(self, first: int, stop: int) -> TextArray:
        """The texts from the first number up to the second. Raises IndexError."""

    def copy_to(self, memory: npt.NDArray[np.uint8]) -> None:
        """Put the texts into memory, one behind the other. Raises ValueError if they have no room there."""

def literal_parts(image: Image, text: bytes, normalized: bool) -> list[tuple[int, int, int]]:
    """A text cut at the added tokens that match raw (or `normalized`) text: (start, stop, id), in bytes; the
    id of the text between them is -1. `text` must be valid UTF-8."""

def split(image: Image, text: bytes) -> npt.NDArray[np.int64]:
    """The pieces of a text as rows (start, stop) of bytes, shape (pieces, 2). `text` must be valid UTF-8."""

def pre_tokenize(engine: Engine, text: str) -> list[tuple[str, tuple[int, int]]]:
    """The pieces of a text, as the model sees them, and their spans of characters."""

def normalize_segment(
    image: Image, segment: bytes, inside: bool, origins: bool
) -> tuple[bytes, list[tuple[int, int]] | None]:
    """A segment after the normalizer, and from where in the segment each of its bytes came. `segment` must be
    valid UTF-8; `inside` says that it goes on from other text."""

def decode_slots(
    ids: npt.NDArray[np.uint32],
    tokens: list[bytes],
    tags: npt.NDArray[np.uint8],
    alphabet: npt.NDArray[np.int16],
    place: int,
) -> tuple[npt.NDArray[np.uint8], bytes]:
    """A slot for every id (see `decode.h`), and the bytes of the tokens that are too long for theirs, which
    will begin at `place`. A token that is spelled in an alphabet, which has the byte of each character or -1,
    stands for what it spells."""

class Decoder:
    """Decodes with the sections of an image that `native.decode` makes. Ids are integers in a list, a tuple
    or an array; the answer is None if they are anything else, or if no token has one of them."""

    def __init__(self, image: Image) -> None: ...
    def token(self, id: int) -> builtins.bytes | None:
        """The bytes of a token inside a text."""

    def bytes(self, ids: object, skip: bool) -> builtins.bytes | None:
        """What ids stand for; `skip` leaves special tokens out."""

    def text(self, ids: object, skip: bool) -> str | None:
        """The same as text; bytes that are not UTF-8 are U+FFFD as in the reference engine."""

    def texts(
        self, ids: object, offsets: npt.NDArray[np.int64], skip: bool, strict: bool, threads: int
    ) -> list[str] | int | None:
        """The texts of sequences of ids between ascending offsets, or the number of the first that has an id
        of no token or, if `strict`, is not UTF-8. None for other ids than `Decoder` takes. Raises IndexError
        for other offsets."""

    def texts_of_each(
        self,
        batch: Iterable[object],
        check: Callable[[int, Any], list[int]],
        skip: bool,
        strict: bool,
        threads: int,
    ) -> list[str]:
        """The texts of a batch of sequences of ids. `check` gets the number of a sequence and the sequence:
        it makes a list of ids that have a text of it, or raises. It is called only for those of which the
        core cannot make a text by itself."""

class DecodeStream:
    """Decodes ids as they come. After the prompt comes `settle`, at the end `finish`."""

    def __init__(self, decoder: Decoder, skip: bool) -> None: ...
    def put(self, ids: object) -> str | None:
        """What is certain now; None, and nothing has happened, for ids that `Decoder` would not take. One
        integer is also taken."""

    def settle(self) -> None:
        """What came so far was seen, but for characters that are not complete."""

    def incomplete(self) -> bytes:
        """The bytes that wait for the rest of their character."""

    def finish(self) -> str: ...

Change = tuple[int, npt.NDArray[np.uint32], int]

class Session:
    """A text and its ids (`session.WorkingSession`). Operations on it and its forks wait for one another."""

    def __init__(self, engine: Engine, seams: Image, text: str) -> None: ...
    @staticmethod
    def restored(
        engine: Engine,
        seams: Image,
        text: str,
        ids: npt.NDArray[np.uint32],
        byte_spans: npt.NDArray[np.int64],
    ) -> Session:
        """A session of a text whose tokens are known; IndexError if one lies outside the text."""

    def __len__(self) -> int: ...
    @property
    def chars(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def ids(self) -> npt.NDArray[np.uint32]: ...
    @property
    def byte_spans(self) -> npt.NDArray[np.int64]: ...
    @property
    def char_spans(self) -> npt.NDArray[np.int64]: ...
    @property
    def stats(self) -> tuple[int, int, int, int, int]: ...
    def append(self, text: str) -> Change: ...
    def edit(self, start: int, stop: int, text: str) -> Change: ...
    def edit_bytes(self, start: int, stop: int, text: str) -> Change: ...
    def update(self, text: str) -> Change: ...
    def concat(self, other: Session) -> Change: ...
    def fork(self) -> Session: ...

def are_seams(seams: Image, left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32]) -> list[bool]:
    """Whether every text may be cut between characters on the left and those on the right, pair by pair."""

def encode_parallel(
    engine: Engine, seams: Image, text: str | TextArray, threads: int
) -> npt.NDArray[np.uint32]:
    """The ids of a text, or of the first one of an array, by several threads that take the parts between
    seams."""

def view_at(images: list[Image], addresses: list[int]) -> bytes:
    """What the kernels see of images that lie at these addresses; later images go before earlier ones."""

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint32]

def scan_model(file: bytes) -> tuple[tuple[Bytes, Words, Words], Words, tuple[int, int, int, int]] | None:
    """The vocabulary of a `tokenizer.json` (bytes, offsets, ids), its merges as triples of ids, and where
    these two values begin and end in the file; None if anything about them is unusual (see scan.h)."""

def scan_ranks(file: bytes) -> tuple[Bytes, Words, Words] | None:
    """The entries of a `.tiktoken` file; None if it is not just what tiktoken would write."""

def places_of(bytes: Bytes, offsets: Words, wanted: list[builtins.bytes]) -> list[int]:
    """The places of some tokens among entries; -1 for what is none."""

def spelled_in(bytes: Bytes, offsets: Words, alphabet: npt.NDArray[np.int16]) -> tuple[Words, Bytes, Words]:
    """The entries that are spelled in an alphabet, which has the byte of each character or -1: their places,
    and what they spell (bytes, offsets)."""
