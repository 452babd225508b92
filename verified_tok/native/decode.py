"""The tables of decoding: what each token stands for, and what is done to the ends of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from verified_tok._core import native
from verified_tok.native import NotNative, Sections
from verified_tok.native.alphabet import BYTES_SPELLED
from verified_tok.reference.decode import byte_value, decode_chain, skipped, token_texts
from verified_tok.spec import (
    ByteFallbackDecode,
    ByteLevelDecode,
    Decoder,
    FuseDecode,
    MetaspaceDecode,
    ReplaceDecode,
    StripDecode,
    TokenizerSpec,
)

_IDS = 1 << 24  # each id below the largest has a slot
_SLOT = 16  # bytes
_BYTE, _SKIPPABLE = 17, 128  # tags, as in `_core/decode.h`

_NOTHING_SPELLED = np.empty(0, np.int16)


@dataclass(frozen=True, slots=True)
class Plan:
    """A decoder as the native code runs it: stages that look at each token alone (some treat the first token
    otherwise), the spelling of bytes, byte fallback, and stages at the ends of the whole text."""

    each: tuple[Decoder, ...]
    byte_level: bool
    byte_fallback: bool
    strips: tuple[StripDecode, ...]

    @property
    def first_differs(self) -> bool:
        """Whether the first token may stand for other bytes than it does inside."""
        return any(isinstance(stage, MetaspaceDecode) for stage in self.each)


def plan(stages: Sequence[Decoder]) -> Plan:
    """The plan of a decoder. Raises `NotNative` if its stages come in another order."""
    each: list[Decoder] = []
    strips: list[StripDecode] = []
    spelled = fallback = joined = False
    for stage in stages:
        match stage:
            case FuseDecode():
                joined = True
            case StripDecode(content) if joined and "\ufffd" not in content:
                strips += [stage] if content else []
            case ReplaceDecode() | StripDecode() | MetaspaceDecode() if not (joined or fallback):
                each.append(stage)
            case ByteFallbackDecode() if not (joined or fallback):
                fallback = True
            case ByteLevelDecode() if not (joined or fallback):
                spelled = joined = True
            case _:
                raise NotNative(f"decoder: {stage}")
    return Plan(tuple(each), spelled, fallback, tuple(strips))


def decode_arrays(spec: TokenizerSpec) -> Sections:
    """The sections of a tokenizer's decoder. Raises `NotNative` for one that the native code cannot run."""
    todo = plan(spec.decoders)
    texts = token_texts(spec)
    if max(texts, default=0) >= _IDS:
        raise NotNative(f"decoder: ids of {_IDS} and above")
    ids = np.fromiter(texts, np.uint32, len(texts))
    tags = np.zeros(len(ids), np.uint8)
    tags[np.isin(ids, list(skipped(spec)))] = _SKIPPABLE
    tokens = list(texts.values())
    slots, longer = _slots(todo, ids, tags, _inside(todo.each, tokens), 0)
    sections: Sections = {"decode_slots": slots}
    if todo.first_differs:
        first = [decode_chain(todo.each, [token], lossy=False)[0] for token in tokens]
        sections["decode_first"], more = _slots(todo, ids, tags, first, len(longer))
        longer += more
    contents = [stage.content.encode() for stage in todo.strips]
    places = np.cumsum([0, *map(len, contents)])
    strips = [
        (place, len(content), stage.start, stage.stop)
        for place, content, stage in zip(places, contents, todo.strips, strict=False)
    ]
    return {
        **sections,
        "decode_long": np.frombuffer(longer, np.uint8),
        "decode_text": np.frombuffer(b"".join(contents), np.uint8),
        "decode_strips": np.array(strips, np.uint32).reshape(-1),
    }


def _inside(stages: Sequence[Decoder], tokens: list[bytes]) -> list[bytes]:
    """What stages that look at each token alone make of tokens that are not the first."""
    for stage in stages:
        if isinstance(stage, ReplaceDecode):  # the one that is common; `decode_chain` would encode each time
            old, new = stage.pattern.text.encode(), stage.content.encode()
            tokens = [token.replace(old, new) for token in tokens]
        else:
            tokens = decode_chain((stage,), [b"", *tokens], lossy=False)[1:]
    return tokens


def _slots(
    todo: Plan, ids: npt.NDArray[np.uint32], tags: npt.NDArray[np.uint8], tokens: list[bytes], place: int
) -> tuple[npt.NDArray[np.uint8], bytes]:
    """The slots of tokens, and the bytes of those that are too long for theirs, which begin at `place`."""
    alphabet = BYTES_SPELLED if todo.byte_level else _NOTHING_SPELLED
    slots, longer = native.decode_slots(ids, tokens, tags, alphabet, place)
    if todo.byte_fallback:
        rows = slots.reshape(-1, _SLOT)
        named = (rows[:, 0] == ord("<")) & (rows[:, 1] == ord("0")) & (rows[:, _SLOT - 1] % _SKIPPABLE == 6)
        for row in map(rows.__getitem__, np.flatnonzero(named)):
            byte = byte_value(row[:6].tobytes())
            if byte is not None:
                row[:] = [*byte, *[0] * (_SLOT - 2), _BYTE | row[-1] & _SKIPPABLE]
    return slots, longer
