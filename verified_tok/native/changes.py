"""What a pre-tokenizer does besides cutting: the stages that change the text of pieces (`_core/changes.h`).

Byte-level characters are hardly ever written: what comes behind a `ByteLevel` looks at bytes in their place,
and so does a model of bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verified_tok._core import native
from verified_tok.native import Sections
from verified_tok.native.patterns import split_sections
from verified_tok.reference.byte_level import CHAR_OF_BYTE
from verified_tok.reference.pre_tokenizer import Stage, cutting
from verified_tok.spec import ByteLevel, MergeBpe, Metaspace, PreTokenizer, TokenizerSpec
from verified_tok.vocabulary import Vocabulary

_SPACE = " "


@dataclass(frozen=True, slots=True)
class Cuts:
    """Stages that cut, and those `behind` them that look at bytes spelled as characters."""

    stages: tuple[Stage, ...] = ()
    behind: tuple[Stage, ...] = ()

    def sections(self) -> Sections:
        """See `split_sections`."""
        return split_sections(self.stages, self.behind)


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to each piece that `cuts` makes of a text."""

    cuts: Cuts
    replacement: str = _SPACE
    """What a space becomes."""
    prefix: str = ""
    """What is put in front of a piece that does not begin with it."""
    first_only: bool = False
    """It is put only before what begins where the whole text begins."""
    spells: bool = False
    """Its bytes become byte-level characters."""
    starts: bool = False
    """No stage stands before it: it puts nothing before text that goes on from other text."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A pre-tokenizer as the native code runs it: changes one after the other, and cuts of what comes of
    them.

    `spelled`: the pieces would come to the model in byte-level characters; its symbols are bytes instead.
    """

    changes: tuple[Change, ...]
    cuts: Cuts
    spelled: bool


def plan(spec: TokenizerSpec) -> Plan:
    """The plan of a tokenizer's pre-tokenizer."""
    made = plan_of(spec.pre_tokenizers)
    if made.spelled and _lacks_bytes(spec):
        return Plan((*made.changes, Change(made.cuts, spells=True)), Cuts(), spelled=False)
    return made


def plan_of(pre_tokenizers: Sequence[PreTokenizer]) -> Plan:
    """The plan of some stages, before a model of bytes."""
    changes: list[Change] = []
    cuts, spelled = Cuts(), False
    for place, stage in enumerate(pre_tokenizers):
        by = cutting(stage)
        own = () if by is None else (by,)
        if isinstance(stage, ByteLevel | Metaspace):
            fresh = [Change(cuts, spells=True)] if spelled else []
            fresh += _changing(Cuts() if fresh else cuts, stage, starts=place == 0)
            cuts, spelled = Cuts() if fresh else cuts, isinstance(stage, ByteLevel)
            cuts = Cuts((*cuts.stages, *own))
            changes += fresh
        elif spelled:
            cuts = Cuts(cuts.stages, (*cuts.behind, *own))
        else:
            cuts = Cuts((*cuts.stages, *own))
    return Plan(tuple(changes), cuts, spelled)


def _changing(cuts: Cuts, stage: ByteLevel | Metaspace, starts: bool) -> list[Change]:
    """What a stage does to pieces before it cuts them, if anything."""
    match stage:
        case ByteLevel(add_prefix_space, _):
            return [Change(cuts, prefix=_SPACE, starts=starts)] if add_prefix_space else []
        case Metaspace(mark, scheme, _) if (mark, scheme) != (_SPACE, "never"):
            prefix = "" if scheme == "never" else mark
            return [Change(cuts, mark, prefix, first_only=scheme == "first", starts=starts)]
        case _:
            return []


def _lacks_bytes(spec: TokenizerSpec) -> bool:
    """Whether bytes of a byte-level model may have to fall back to other tokens."""
    if not (isinstance(spec.model, MergeBpe) and spec.model.byte_fallback):
        return False
    symbols = Vocabulary.of(spec.model.vocab).find(CHAR_OF_BYTE)
    added = {token.id for token in spec.added_tokens}  # one that is switched off is no symbol any more
    return len(symbols) < len(CHAR_OF_BYTE) or not added.isdisjoint(symbols.values())


def pre_tokenizer_sections(made: Plan) -> Sections:
    """The sections of a pre-tokenizer. Raises `NotNative`."""
    rows: list[int] = []
    text = images = b""
    for change in made.changes:
        rows += [len(images), len(text), len(change.replacement.encode())]
        text += change.replacement.encode()
        rows += [len(text), len(change.prefix.encode()), change.first_only, change.spells, change.starts]
        text += change.prefix.encode()
        # A multiple of 64 bytes, as the place of an image must be.
        images += native.Image.of(change.cuts.sections()).memory.tobytes()
    spells = made.spelled or any(change.spells for change in made.changes)
    return made.cuts.sections() | {
        "change_steps": np.array(rows, np.uint32),
        "change_text": np.frombuffer(text, np.uint8),
        "change_images": np.frombuffer(images, np.uint8),
        "letters": np.array([_letter(char) for char in CHAR_OF_BYTE if spells], np.uint16),
        "pieces_spelled": np.array([made.spelled], np.uint8),
    }


def _letter(char: str) -> int:
    """The UTF-8 of a byte-level character, its first byte the lowest."""
    return int.from_bytes(char.encode(), "little")
