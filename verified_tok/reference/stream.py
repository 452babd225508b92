"""Decoding as the ids come in: complete characters out, nothing twice, nothing of the prompt.

`StreamDecoder` runs the stages of `decode` one token at a time. Whatever order the ids arrive in,

    the texts that `put` returned, joined, + `finish()`  ==  `decode_text` of all ids, less the prompt's text.

The prompt's text is what a reader of the prompt has seen of it: its complete characters.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Protocol

from verified_tok.errors import InvalidUtf8, StreamFinished, UnsupportedConstruct, UnsupportedTokenizer
from verified_tok.reference.decode import (
    REPLACEMENT,
    byte_level,
    byte_value,
    decode_chain,
    metaspace,
    strip,
)
from verified_tok.spec import (
    ByteFallbackDecode,
    ByteLevelDecode,
    Decoder,
    FuseDecode,
    MetaspaceDecode,
    ReplaceDecode,
    StripDecode,
)
from verified_tok.text import check_errors


class StreamDecoder:
    """Decodes one stream of ids; not to be shared between threads.

    `texts` gives the texts of ids (see `decode.token_texts`); `prompt` holds the ids before the stream.

    Raises `UnsupportedTokenizer` if a stage of the decoder needs the whole text at once.
    """

    def __init__(
        self,
        stages: Sequence[Decoder],
        texts: Callable[[Iterable[int]], Iterable[bytes]],
        prompt: Iterable[int] = (),
    ) -> None:
        self._steps = _steps(stages)
        self._texts = texts
        self._finished = False
        self.put(prompt)
        for place, step in enumerate(self._steps):
            _run(self._steps[place + 1 :], step.settle())

    def put(self, ids: int | Iterable[int]) -> str:
        """The text that is certain now and has not been returned before; `ids` is one id or several.

        Raises `StreamFinished` after `finish`, and `InvalidTokenId` for ids that no token has; the stream is
        then as it was before the call.
        """
        self._check_open()
        several = ids if isinstance(ids, Iterable) else [ids]
        return _text(_run(self._steps, self._texts(several)))

    def finish(self, errors: str = "replace") -> str:
        """The rest of the text: characters that wait for a byte that never came are U+FFFD, or, with
        `errors="strict"`, raise `InvalidUtf8`. The stream is then at its end.

        Raises `StreamFinished` if it was so before, and `InvalidOption` for another value of `errors`.
        """
        self._check_end(errors, b"".join(step.incomplete() for step in self._steps))
        rest: list[bytes] = []
        for place, step in enumerate(self._steps):
            rest += _run(self._steps[place + 1 :], step.finish())
        self._finished = True
        return _text(rest)

    def _check_open(self) -> None:
        if self._finished:
            raise StreamFinished("this stream was finished; begin a new one with decode_stream")

    def _check_end(self, errors: str, tail: bytes) -> None:
        """Whether the stream may end with `tail`, bytes that wait for the rest of their character."""
        if self._finished:
            raise StreamFinished("this stream was finished before")
        check_errors(errors)
        if tail and errors == "strict":
            raise InvalidUtf8(f"the ids end inside a character ({tail.hex(' ')}); more ids may complete it")


def _run(steps: Sequence[_Step], tokens: Iterable[bytes]) -> list[bytes]:
    for step in steps:
        tokens = chain.from_iterable(map(step.push, tokens))
    return list(tokens)


def _text(tokens: list[bytes]) -> str:
    return b"".join(tokens).decode()


# --- the stages, one token at a time -----------------------------------------------------------------


class _Step(Protocol):
    """A stage of the decoder that remembers what it needs of the tokens before."""

    def push(self, token: bytes) -> Iterable[bytes]:
        """What is certain now."""

    def settle(self) -> list[bytes]:
        """The prompt ends here: what is kept back of it, although a reader has seen it."""

    def finish(self) -> list[bytes]:
        """What remains at the end."""

    def incomplete(self) -> bytes:
        """The bytes that still wait for the rest of their character."""


def _steps(stages: Sequence[Decoder]) -> list[_Step]:
    """The stages as steps. After a stage that joins all tokens, the next ones see one token, of which the
    stream only has parts."""
    steps: list[_Step] = []
    joined = False
    for stage in stages:
        match stage:
            case ByteLevelDecode() if not joined:
                steps += [_Each(byte_level), _Characters()]
                joined = True
            case FuseDecode():
                joined = True
            case ByteFallbackDecode() if not joined:
                steps.append(_ByteFallback())
            case MetaspaceDecode():
                steps.append(_Metaspace(stage, joined))
            case StripDecode() if joined:
                steps.append(_StripAll(stage))
            case ReplaceDecode() if joined and len(stage.pattern.text) > 1:
                raise _looks_at_the_whole(stage)
            case ReplaceDecode() | StripDecode():
                steps.append(_Each(partial(_alone, stage)))
            case _:
                raise _looks_at_the_whole(stage)
    return [*steps, _Characters()]


def _looks_at_the_whole(stage: Decoder) -> UnsupportedTokenizer:
    remedy = "after the tokens are joined, it needs all of the text: call decode when all ids are there"
    return UnsupportedTokenizer((UnsupportedConstruct("decoder", stage, remedy),))


def _alone(stage: Decoder, token: bytes) -> bytes:
    [decoded] = decode_chain((stage,), [token], lossy=True)
    return decoded


class _Stateless:
    """Keeps nothing back."""

    def settle(self) -> list[bytes]:
        return []

    def finish(self) -> list[bytes]:
        return []

    def incomplete(self) -> bytes:
        return b""


class _Each(_Stateless):
    """A stage that looks at each token alone."""

    def __init__(self, decode: Callable[[bytes], bytes]) -> None:
        self._decode = decode

    def push(self, token: bytes) -> Iterable[bytes]:
        return [self._decode(token)]


class _Metaspace(_Stateless):
    def __init__(self, stage: MetaspaceDecode, joined: bool) -> None:
        self._stage = stage
        self._joined = joined  # then there is one token only, the first
        self._first = True

    def push(self, token: bytes) -> Iterable[bytes]:
        first, self._first = self._first, self._joined
        return [metaspace(self._stage, token, first)]


class _Characters(_Stateless):
    """Bytes become whole characters; U+FFFD stands for those that cannot."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def push(self, token: bytes) -> Iterable[bytes]:
        return [self._decoder.decode(token).encode()]

    def finish(self) -> list[bytes]:
        return [self._decoder.decode(b"", final=True).encode()]

    def incomplete(self) -> bytes:
        return self._decoder.getstate()[0]


class _ByteFallback:
    """Byte tokens wait until their run ends: one wrong byte makes U+FFFD of every byte of the run."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._kept = b""  # what of the run is not out yet
        self._wrong = False

    def push(self, token: bytes) -> Iterable[bytes]:
        byte = byte_value(token)
        if byte is None:
            return [*self.finish(), token]
        self._kept += byte
        try:
            self._decoder.decode(byte)
        except UnicodeDecodeError:
            self._wrong = True
        return self._take() if self._wrong else []

    def settle(self) -> list[bytes]:
        whole = self._kept.removesuffix(self.incomplete())
        self._kept = self.incomplete()
        return [whole] if whole else []

    def finish(self) -> list[bytes]:
        self._wrong = self._wrong or self.incomplete() != b""
        rest = self._take()
        self._begin()
        return rest

    def incomplete(self) -> bytes:
        return b"" if self._wrong else self._decoder.getstate()[0]

    def _take(self) -> list[bytes]:
        kept, self._kept = self._kept, b""
        return [REPLACEMENT] * len(kept) if self._wrong else [kept] if kept else []


class _StripAll:
    """`Strip` over the whole text."""

    def __init__(self, stage: StripDecode) -> None:
        self._content = stage.content.encode()
        self._start, self._stop = stage.start, stage.stop
        self._kept = b""  # what may turn out to be the end

    def push(self, token: bytes) -> Iterable[bytes]:
        text = self._kept + token
        while text and self._start:
            if not text.startswith(self._content):
                self._start = 0
            else:
                text, self._start = text.removeprefix(self._content), self._start - 1
        shown = strip(text, self._content, 0, self._stop)
        self._kept = text[len(shown) :]
        return [shown]

    def settle(self) -> list[bytes]:
        kept, self._kept = self._kept, b""
        return [kept] if kept else []

    def finish(self) -> list[bytes]:
        return []

    def incomplete(self) -> bytes:
        return b""
