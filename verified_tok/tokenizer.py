"""The tokenizer: all that the kit does with one, behind one immutable object."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from functools import cache, lru_cache, partial
from os import PathLike
from typing import TYPE_CHECKING, Final, Literal, final

import numpy as np

from verified_tok._core import native
from verified_tok.decoders import TextDecoder, text_decoder
from verified_tok.devices import DeviceName, Devices
from verified_tok.encoders import NativeEncoder, TextEncoder
from verified_tok.encoding import Batch, Encoding, TokenSpaces, post_processed
from verified_tok.engine import NativeSessions, Sessions, restored
from verified_tok.errors import (
    InvalidOperation,
    InvalidOption,
    InvalidTokenId,
    SessionMismatch,
    UnknownAddedToken,
)
from verified_tok.native import NOT_BUILT, NotNative
from verified_tok.native.engine import NativeEngines
from verified_tok.native.image_file import image_for
from verified_tok.options import can_be_iterated, check_device, check_path, check_switch, check_threads
from verified_tok.session import Identity, Session
from verified_tok.session_file import read_session
from verified_tok.session_state import Ids
from verified_tok.spec import TokenizerSpec, around
from verified_tok.text import check_text
from verified_tok.text_arrays import Texts, at_hand, check_texts, text_size
from verified_tok.vocabulary import Vocabulary, entries_of

# What a tokenizer that was loaded before needs neither to load nor to encode is imported where it is used.
if TYPE_CHECKING:
    from verified_tok.admission import Admission
    from verified_tok.gpu.counters import GpuCounters
    from verified_tok.reference.aligned import Span
    from verified_tok.reference.model import Encoder, Token
    from verified_tok.reference.pipeline import Pipeline
    from verified_tok.reference.seam_table import SeamTable
    from verified_tok.reference.stream import StreamDecoder

AddedTokens = Literal["all", "none"] | Collection[str | int]
"""Which added tokens are recognized in a text: all, none, or those with these literals or ids."""

Errors = Literal["replace", "strict"]

_ALL: Final = "all"
_ONE: Final = 1
_CPU: Final = "cpu"

_PIECES_KEPT = 1 << 16
_LONGEST_PIECE_KEPT = 64


@final
class Tokenizer:
    """A tokenizer: encodes text to ids exactly as the reference engine does, and decodes ids.

    Immutable, and safe to use from several threads at once. Made by `load`, `from_tiktoken` or
    `from_pretrained`. The examples below use this one:

    >>> import verified_tok
    >>> ranks = {bytes([b]): b for b in range(256)} | {b"he": 256, b"ll": 257, b"hell": 258, b"hello": 259}
    >>> tok = verified_tok.from_tiktoken(ranks, r" ?\\p{L}+|[^\\p{L}]", {"<|end|>": 300})

    and one that normalizes:

    >>> form = verified_tok.spec.UnicodeForm("NFC")
    >>> nfc = verified_tok.from_tiktoken(ranks, r"\\p{L}+|[^\\p{L}]", {}, normalizer=form)
    """

    __slots__ = (
        "__weakref__",
        "_added",
        "_all_added",
        "_decoder",
        "_devices",
        "_encoder",
        "_pipeline",
        "_seams",
        "_sessions",
        "_spaces",
        "_spec",
        "_texts",
        "_vocab_size",
        "_with_all",
    )

    def __init__(self, spec: TokenizerSpec) -> None:
        self._spec = spec
        self._texts: Callable[[], dict[int, bytes]] = cache(partial(_texts, spec))
        self._spaces: Callable[[], TokenSpaces] = cache(lambda: TokenSpaces.of(self._texts()))
        self._decoder: Callable[[], TextDecoder] = cache(partial(text_decoder, spec))
        self._added: dict[str | int, int] = {
            name: token.id for token in spec.added_tokens for name in (token.id, token.content)
        }
        self._all_added = frozenset(self._added.values())
        ids = entries_of(spec.model).ids
        self._vocab_size = max(int(ids.max()) if len(ids) else -1, max(self._all_added, default=-1)) + 1
        choices = lru_cache(maxsize=8)
        self._pipeline = choices(partial(_pipeline, spec, cache(partial(_model, spec))))
        self._seams = choices(partial(_seams, spec, self._pipeline))
        engines = _native_engines(spec, self._pipeline)
        self._encoder = choices(partial(_encoder, engines, spec, self._pipeline, self._seams))
        self._sessions = choices(partial(_sessions, spec, self._pipeline, self._seams, self._encoder))
        self._devices = Devices(spec, self._encoder)
        self._with_all = self._encoder(self._all_added)  # what is wrong with the added tokens shows now

    def __repr__(self) -> str:
        encoding, decoding = self._with_all.path, self._decoder().path
        paths = encoding if encoding == decoding else f"encodes: {encoding}, decodes: {decoding}"
        count = len(self._all_added.union(entries_of(self._spec.model).ids.tolist()))
        return f"<Tokenizer {self._spec.sha256[:12]}, {count} tokens, {paths}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self._spec == other._spec

    def __hash__(self) -> int:
        return hash(self._spec)

    def __copy__(self) -> Tokenizer:
        """The tokenizer itself: nothing changes it."""
        return self

    def __deepcopy__(self, memo: object) -> Tokenizer:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """A pickle holds the tokenizer as data; its tables are found or built where it is read."""
        return Tokenizer, (self._spec,)

    @property
    def spec(self) -> TokenizerSpec:
        """The tokenizer as data."""
        return self._spec

    def admission(self, *, deep: bool = False) -> Admission:
        """What the kit does with this tokenizer, stage by stage, and why.

        `deep` also finds out what takes up to a minute for the largest vocabularies (see `admit`).
        Raises `InvalidOption`.
        """
        from verified_tok.admission import admit

        return admit(self._spec, self.seams(), deep=check_switch("deep", deep))

    @property
    def gpu_counters(self) -> GpuCounters:
        """What requests to a GPU came to so far, and how often the CPU took over."""
        return self._devices.counting.sums

    # --- vocabulary ---

    @property
    def vocab_size(self) -> int:
        """One more than the largest id: every id is below it. (Some below it may have no token.)

        >>> tok.vocab_size
        301
        """
        return self._vocab_size

    def id_to_bytes(self, id: int) -> bytes:
        """The bytes that a token stands for inside a text. At the ends of a text a decoder may take a space
        off. Raises `InvalidTokenId`.

        >>> tok.id_to_bytes(259)
        b'hello'
        """
        return self._decoder().token(id)

    def token_to_id(self, token: str) -> int | None:
        """The id of an added token's literal, or of a token as the vocabulary writes it (in byte-level
        characters, with `▁` for a space, and so on); None if there is none. Raises `InvalidText`.

        >>> tok.token_to_id("<|end|>"), tok.token_to_id("hello"), tok.token_to_id("bye")
        (300, 259, None)
        """
        if check_text(token) in self._added:
            return self._added[token]
        entries = entries_of(self._spec.model)
        id: int | None
        id = entries.get(token) if isinstance(entries, Vocabulary) else entries.get(token.encode())
        return id

    # --- encoding ---

    def encode(
        self,
        text: str,
        added_tokens: AddedTokens = _ALL,
        add_special_tokens: bool = False,
        threads: int | None = _ONE,
        device: DeviceName = _CPU,
        device_output: bool = False,
    ) -> Ids:
        """The ids of a text: uint32 of shape (n,).

        `added_tokens` says which literals of added tokens are recognized. The text of the others is
        ordinary text, and none of their ids comes out, not even where the model has the same token. (But
        white space, unknown characters, and characters that have no other token, keep theirs.)
        `add_special_tokens` puts the ids around it that the tokenizer's template asks for. `threads` lets the
        native core cut a long text at its seams and encode the parts on so many threads (None: one for each
        processor that the process may use); `device="gpu"` lets a GPU do so, through CuPy, and
        `device="auto"` where it is faster: from a number of characters on that is measured when a machine
        first needs it. The ids are the same (`encode_chunks`, Thm/Session.lean). With `device_output` they
        stay on the GPU: an array of CuPy, which knows DLPack.

        Raises `InvalidText` if `text` is no string or holds a lone surrogate, `UnknownAddedToken` if
        `added_tokens` names what is none, `InvalidOption` for another value of the others, and
        `GpuUnavailable` if `device="gpu"` cannot be had.

        >>> tok.encode("hello<|end|>").tolist()
        [259, 300]
        >>> tok.encode("<|end|>", added_tokens="none").tolist()
        [60, 124, 101, 110, 100, 124, 62]
        """
        plain = added_tokens is _ALL and add_special_tokens is False
        if plain and device is _CPU and device_output is False and (threads is _ONE or threads is None):
            return self._with_all.encode(text, threads)  # most calls: checks take longer than a short text
        template = check_switch("add_special_tokens", add_special_tokens)
        many = check_threads(threads)
        resident = check_device(device, device_output)
        enabled = self._switched_on(added_tokens)
        before, after = around(self._spec.post_processors) if template else ((), ())
        if gpu := self._devices.gpu_for(device, enabled, text, many):
            return gpu.encode(text, before, after, resident)
        ids = self._encoder(enabled).encode(text, many)
        return _around(before, after, ids) if template else ids

    def encode_ordinary(self, text: str) -> Ids:
        """The ids of a text in which nothing is an added token, whether special or not: for text from
        outside. Raises `InvalidText`.

        >>> tok.encode_ordinary("hello<|end|>").tolist()
        [259, 60, 124, 101, 110, 100, 124, 62]
        """
        return self.encode(text, added_tokens="none")

    def encode_batch(
        self,
        texts: Texts,
        added_tokens: AddedTokens = "all",
        add_special_tokens: bool = False,
        threads: int | None = None,
        device: DeviceName = "cpu",
        device_output: bool = False,
    ) -> Batch:
        """The ids of several texts in one array, and where each text's ids begin and end: text i has
        `ids[offsets[i]:offsets[i + 1]]`. `offsets` is int64 of shape (number of texts + 1,).

        The texts may also be an array of strings of NumPy's, or of any library that speaks Arrow's C
        interface (pyarrow, polars, …): the native core reads them where they lie. `threads`: see `encode`;
        here all processors are the default. `device`, `device_output`: see `encode`; all texts go to a GPU in
        one launch, and both arrays may stay there.

        Raises what `encode` raises, naming the text. Nulls are no texts.

        >>> ids, offsets = tok.encode_batch(["hello", "", "he"])
        >>> ids.tolist(), offsets.tolist()
        ([259, 256], [0, 1, 1, 2])
        >>> import numpy
        >>> tok.encode_batch(numpy.array(["hello", "he"]))[0].tolist()
        [259, 256]
        """
        check_texts(texts)
        template, many = check_switch("add_special_tokens", add_special_tokens), check_threads(threads)
        resident = check_device(device, device_output)
        enabled = self._switched_on(added_tokens)
        before, after = around(self._spec.post_processors) if template else ((), ())
        if choice := self._devices.choice(device, enabled):
            given = at_hand(texts)
            if choice.preferred(text_size(given), many):
                return Batch(*choice.gpu.encode_batch(given, before, after, resident))
            return Batch(*self._encoder(enabled).encode_batch(given, before, after, many))
        return Batch(*self._encoder(enabled).encode_batch(texts, before, after, many))

    def encode_with_spans(
        self, text: str, added_tokens: AddedTokens = "all", add_special_tokens: bool = False
    ) -> Encoding:
        """The ids of `encode`, and where in the text each token came from.

        Ids that `add_special_tokens` puts around the text have the span (0, 0), as in the engine. Raises
        what `encode` raises.

        >>> encoding = tok.encode_with_spans("é hello")
        >>> encoding.ids.tolist(), encoding.char_spans.tolist()
        ([195, 169, 32, 259], [[0, 1], [0, 1], [1, 2], [2, 7]])
        >>> encoding.byte_spans.tolist()
        [[0, 1], [1, 2], [2, 3], [3, 8]]
        """
        template = check_switch("add_special_tokens", add_special_tokens)
        placed = self._encoder(self._switched_on(added_tokens)).encode_placed(text)
        return post_processed(self._spec.post_processors, placed, len(text), self._spaces, template)

    def count(self, text: str, added_tokens: AddedTokens = _ALL, add_special_tokens: bool = False) -> int:
        """How many ids `encode` gives. Raises what it raises.

        >>> tok.count("hello<|end|>")
        2
        """
        if added_tokens is _ALL and add_special_tokens is False:
            return self._with_all.count(text)
        template = check_switch("add_special_tokens", add_special_tokens)
        count = self._encoder(self._switched_on(added_tokens)).count(text)
        return count + sum(map(len, around(self._spec.post_processors))) if template else count

    def normalize(self, text: str, added_tokens: AddedTokens = "all") -> str:
        """The text that `encode` encodes: its segments normalized, its added tokens as they are. What
        decoding gives back, but for spaces that the tokenizer marks. Raises what `encode` raises.

        >>> nfc.normalize("e\\u0301") == "\\u00e9"
        True
        """
        return self._encoder(self._switched_on(added_tokens)).normalize(text)

    def is_normalized(self, text: str, added_tokens: AddedTokens = "all") -> bool:
        """Whether `encode` encodes the text as it is. Raises what `encode` raises.

        >>> nfc.is_normalized("e\\u0301"), nfc.is_normalized("\\u00e9")
        (False, True)
        """
        return self.normalize(text, added_tokens) == text

    def pre_tokenize(self, text: str) -> list[tuple[str, Span]]:
        """The pieces that the pre-tokenizer alone cuts a text into, and their spans of characters. Added
        tokens and the normalizer play no part. Raises `InvalidText`.

        >>> tok.pre_tokenize("hello you")
        [('hello', (0, 5)), (' you', (5, 9))]
        """
        return self._with_all.pre_tokenize(text)

    # --- sessions ---

    def session(
        self, text: str = "", added_tokens: AddedTokens = "all", device: DeviceName = "cpu"
    ) -> Session:
        """A text and its ids, kept in step under edits at the cost of what changes.

        `device` says what encodes the text that it begins with, as in `encode`.

        Raises `InvalidText`, `UnknownAddedToken`, `InvalidOption`, `GpuUnavailable`.

        >>> session = tok.session("hello he")
        >>> patch = session.append("llo<|end|>")
        >>> patch.keep_front, patch.new.tolist(), session.ids.tolist()
        (1, [32, 259, 300], [259, 32, 259, 300])
        """
        check_device(device)
        enabled = self._switched_on(added_tokens)
        gpu = self._devices.gpu_for(device, enabled, text, 1)
        return self._sessions(enabled).open(text, gpu.encode_placed(text) if gpu else None)

    def seams(self, added_tokens: AddedTokens = "all") -> SeamTable:
        """Between which characters a text may be cut, so that encoding the parts gives the ids of the whole.

        Computed from the tokenizer once. Raises `UnknownAddedToken`.

        >>> tok.seams().is_seam("o", " "), tok.seams().is_seam("l", "o")
        (True, False)
        """
        return self._seams(self._switched_on(added_tokens))

    def load_session(self, path: str | PathLike[str]) -> Session:
        """A session that `Session.save` wrote. Raises `SessionMismatch` if another tokenizer made it,
        `InvalidSessionFile` if the file is none, damaged or forged, OSError if it cannot be read,
        `InvalidOption` for what is no path. Costs an encoding of the text: its ids must be those that are
        saved."""
        saved = read_session(check_path(path))
        if saved.sha256 != self._spec.sha256:
            raise SessionMismatch(f"{path}: made by tokenizer {saved.sha256}, this is {self._spec.sha256}")
        return restored(self._sessions(saved.added_tokens), saved)

    # --- decoding ---

    def decode_bytes(self, ids: Iterable[int], skip_special_tokens: bool = False) -> bytes:
        """The bytes that ids stand for. Raises `InvalidTokenId`, naming the place and the value, and
        `InvalidOption`.

        >>> tok.decode_bytes([195])
        b'\\xc3'
        """
        return self._decoder().bytes_of(ids, check_switch("skip_special_tokens", skip_special_tokens))

    def decode(
        self, ids: Iterable[int], errors: Errors = "replace", skip_special_tokens: bool = False
    ) -> str:
        """The text that ids stand for.

        Bytes that are not UTF-8 become U+FFFD as in the reference engine; with `errors="strict"` they raise
        `InvalidUtf8`. `skip_special_tokens` leaves special added tokens out. Raises `InvalidTokenId`,
        `InvalidOption`.

        >>> tok.decode([259, 195, 300]), tok.decode([259, 300], skip_special_tokens=True)
        ('hello\\ufffd<|end|>', 'hello')
        """
        return self._decoder().text_of(ids, errors, check_switch("skip_special_tokens", skip_special_tokens))

    def decode_batch(
        self,
        batch: Batch | Iterable[Iterable[int]] | Iterable[int],
        offsets: Iterable[int] | None = None,
        *,
        errors: Errors = "replace",
        skip_special_tokens: bool = False,
        threads: int | None = None,
    ) -> list[str]:
        """The texts of several sequences of ids. With `offsets` they stand behind each other in `batch`: text
        i has `batch[offsets[i]:offsets[i + 1]]`. What `encode_batch` gives can be given as it is. `threads`
        is as for `encode_batch`.

        Raises what `decode` raises, naming the sequence, and `InvalidRange` for offsets that do not fit.

        >>> tok.decode_batch([[256], [258, 300]])
        ['he', 'hell<|end|>']
        >>> tok.decode_batch([256, 258, 300], [0, 1, 3])
        ['he', 'hell<|end|>']
        >>> tok.decode_batch(tok.encode_batch(["he", "hell"]))
        ['he', 'hell']
        """
        if isinstance(batch, Batch) and offsets is None:
            batch, offsets = batch
        if not can_be_iterated(batch):
            raise InvalidTokenId(f"several sequences of ids are expected, not {batch!r}")
        if offsets is None and isinstance(batch, np.ndarray) and batch.ndim == 1 and batch.dtype.kind in "iu":
            raise InvalidTokenId(
                "several sequences of ids are expected, not one array; give offsets, too, or call decode"
            )
        if isinstance(offsets, str):
            raise InvalidOption(f"the second argument is the offsets; write errors={offsets!r}")
        skip, many = check_switch("skip_special_tokens", skip_special_tokens), check_threads(threads)
        decoder = self._decoder()
        if offsets is not None:
            return decoder.texts_of(batch, offsets, errors, skip, many)  # type: ignore[arg-type]
        return decoder.texts_of_each(batch, errors, skip, many)  # type: ignore[arg-type]

    def decode_stream(self, prompt: Iterable[int] = (), skip_special_tokens: bool = False) -> StreamDecoder:
        """A decoder for ids that come one after the other; `prompt` holds those before them.

        Raises `InvalidTokenId`, `InvalidOption`.

        >>> stream = tok.decode_stream(prompt=[259, 195])
        >>> stream.put(169), stream.put([32, 226, 130]), stream.finish()
        ('é', ' ', '\\ufffd')
        """
        return self._decoder().stream(prompt, check_switch("skip_special_tokens", skip_special_tokens))

    def _switched_on(self, added_tokens: AddedTokens) -> frozenset[int]:
        if isinstance(added_tokens, str) and added_tokens in ("all", "none"):
            return self._all_added if added_tokens == "all" else frozenset()
        if isinstance(added_tokens, str) or not can_be_iterated(added_tokens):
            raise UnknownAddedToken(f"added_tokens is 'all', 'none' or a collection, not {added_tokens!r}")
        names = list(added_tokens)  # what can be read but once is read once
        for name in names:
            is_name = isinstance(name, str | int | np.integer) and not isinstance(name, bool)
            if not is_name or name not in self._added:
                raise UnknownAddedToken(f"{name!r} is no added token of this tokenizer")
        return frozenset(self._added[name] for name in names)


def check_tokenizer(value: object) -> Tokenizer:
    """The tokenizer itself. Raises `InvalidOperation` for anything else."""
    if not isinstance(value, Tokenizer):
        raise InvalidOperation(f"this needs a tokenizer that was loaded, not {value!r}")
    return value


def _texts(spec: TokenizerSpec) -> dict[int, bytes]:
    from verified_tok.reference.decode import token_texts

    return token_texts(spec)


def _model(spec: TokenizerSpec) -> Encoder:
    from verified_tok.reference.model import encoder

    return encoder(spec.model)


def _pipeline(spec: TokenizerSpec, model: Callable[[], Encoder], enabled: Set[int]) -> Pipeline:
    """The reference pipeline for a choice of added tokens, with a cache of pieces around the model."""
    from verified_tok.reference import pipeline as reference
    from verified_tok.reference.model import encode_piece, without

    @cache
    def encode() -> Callable[[str], tuple[Token, ...]]:
        return partial(encode_piece, without(model(), reference.markup(spec, enabled)))

    @lru_cache(maxsize=_PIECES_KEPT)
    def cached(piece: str) -> tuple[Token, ...]:
        return encode()(piece)

    def encode_cached(piece: str) -> tuple[Token, ...]:
        return cached(piece) if len(piece) <= _LONGEST_PIECE_KEPT else encode()(piece)

    return reference.pipeline(spec, enabled, encode_cached)


def _native_engines(spec: TokenizerSpec, pipeline: Callable[[Set[int]], Pipeline]) -> NativeEngines | str:
    """Or why there are none: there is no native core, or it lacks a stage of this tokenizer."""
    if native is None:
        return NOT_BUILT
    try:
        return NativeEngines(spec, pipeline)
    except NotNative as lacking:
        return str(lacking)


def _seams(spec: TokenizerSpec, pipeline: Callable[[Set[int]], Pipeline], enabled: Set[int]) -> SeamTable:
    """Between which characters texts are cut, for a choice of added tokens."""
    from verified_tok.reference.pipeline import markup
    from verified_tok.reference.seam_table import seam_table

    return seam_table(spec, pipeline(enabled), markup(spec, enabled))


def _encoder(
    engines: NativeEngines | str,
    spec: TokenizerSpec,
    pipeline: Callable[[Set[int]], Pipeline],
    seams: Callable[[Set[int]], SeamTable],
    enabled: Set[int],
) -> TextEncoder:
    """The encoder for a choice of added tokens."""
    why = engines
    if not isinstance(engines, str):
        try:
            return NativeEncoder(engines.engine(enabled), partial(_seam_image, spec, seams, enabled))
        except NotNative as lacking:  # a model without the switched-off tokens may be one that the core lacks
            why = str(lacking)
    from verified_tok.encoder_reference import ReferenceEncoder

    return ReferenceEncoder(pipeline(enabled), str(why))


def _seam_image(
    spec: TokenizerSpec, seams: Callable[[Set[int]], SeamTable], enabled: Set[int]
) -> native.Image:
    """The seams for a choice of added tokens, as tables of the native core."""

    def build() -> native.Image:
        from verified_tok.native.seams import seam_sections

        return native.Image.of(seam_sections(seams(enabled)))

    chosen = hashlib.sha256(repr(sorted(enabled)).encode()).hexdigest()[:16]
    return image_for(f"seams-{chosen}", spec, build)


def _sessions(
    spec: TokenizerSpec,
    pipeline: Callable[[Set[int]], Pipeline],
    seams: Callable[[Set[int]], SeamTable],
    encoder: Callable[[Set[int]], TextEncoder],
    enabled: Set[int],
) -> Sessions:
    """What makes sessions, for a choice of added tokens."""
    text_encoder = encoder(enabled)
    identity = Identity(spec.sha256, frozenset(token.id for token in spec.added_tokens) & enabled)
    if isinstance(text_encoder, NativeEncoder):
        return NativeSessions(identity, text_encoder)
    from verified_tok.encoder_reference import ReferenceEncoder
    from verified_tok.engine_reference import ReferenceEngine

    return ReferenceEngine(identity, ReferenceEncoder(pipeline(enabled)), seams(enabled))


def _around(before: Sequence[int], after: Sequence[int], ids: Ids) -> Ids:
    return np.concatenate([np.array(before, np.uint32), ids, np.array(after, np.uint32)])
