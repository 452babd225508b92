"""The tables of the normalizer: its stages, and the normal form that they ask for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from verified_tok._core import native
from verified_tok.native import NotNative, Sections
from verified_tok.native.patterns import split_sections
from verified_tok.native.two_stage import two_stage
from verified_tok.reference import unicode_form
from verified_tok.reference.aligned import Aligned
from verified_tok.reference.pattern import Pat
from verified_tok.reference.pre_tokenizer import Stage
from verified_tok.reference.regex import pat_of
from verified_tok.reference.seam import nullable
from verified_tok.spec import (
    Literal,
    Normalizer,
    Prepend,
    Regex,
    ReplaceAll,
    SplitBehavior,
    StripSpace,
    UnicodeForm,
)

_FORM, _REPLACE, _PREPEND, _STRIP, _MATCHES = 1, 2, 3, 4, 5  # as in `_core/normalizer.h`
_LOOK_CLOSER = 255
_CODE_POINTS = 0x110000


def normalizer_arrays(stages: Sequence[Normalizer]) -> Sections:
    """The sections of a normalizer. `Strip` also needs those of `literals.kind_arrays`.

    Raises `NotNative` for a stage that the native code does not know.
    """
    program: list[int] = []
    text = images = b""
    form: str | None = None
    for stage in stages:
        match stage:
            case UnicodeForm(name) if form in (None, name):
                form = name
                program += [_FORM, 0, 0, 0, 0]
            case ReplaceAll(Literal(pattern), content) if pattern:
                program += [_REPLACE, len(text), len(pattern.encode())]
                text += pattern.encode()
                program += [len(text), len(content.encode())]
                text += content.encode()
            case ReplaceAll(Regex(_) as pattern, content) if not nullable(pat_of(pattern)):
                program += [_MATCHES, len(images), 0, len(text), len(content.encode())]
                text += content.encode()
                images += _image_of(pat_of(pattern))
            case Prepend(prefix):
                program += [_PREPEND, len(text), len(prefix.encode()), 0, 0]
                text += prefix.encode()
            case StripSpace(left, right):
                program += [_STRIP, left, right, 0, 0]
            case _:
                raise NotNative(f"normalizer: {stage}")
    sections: Sections = {
        "normalizer_stages": np.array(program, np.uint32),
        "normalizer_text": np.frombuffer(text, np.uint8),
        "normalizer_images": np.frombuffer(images, np.uint8),
    }
    return sections if form is None else {**sections, **form_arrays(form == "NFKC")}


def _image_of(pat: Pat) -> bytes:
    """The image that finds the matches of a pattern."""
    image = native.Image.of(split_sections([Stage(pat, SplitBehavior.ISOLATED, invert=False)]))
    return image.memory.tobytes()  # a multiple of 64 bytes, as the place of an image must be


@cache
def form_arrays(compatible: bool) -> Sections:
    """The sections of a normal form: `_core/forms.h` says what they mean."""
    ranks = np.zeros(_CODE_POINTS, np.uint8)
    for char, rank in unicode_form.combining_classes().items():
        ranks[ord(char)] = rank
    places = np.zeros(_CODE_POINTS, np.uint16)
    pool = [0]
    for char, parts in unicode_form.decompositions(compatible).items():
        places[ord(char)] = len(pool)
        pool += [len(parts), *map(ord, parts)]
    quick = ranks.copy()
    quick[[*map(ord, unstable(compatible))]] = _LOOK_CLOSER
    block, [stored_quick, stored_ranks, stored_places] = two_stage(quick, ranks, places)
    pairs = sorted(
        (ord(pair[0]) << 32 | ord(pair[1]), ord(composite))
        for pair, composite in unicode_form.compositions().items()
    )
    return {
        "form_block": block,
        "form_quick": stored_quick,
        "form_rank": stored_ranks,
        "form_decomposition": stored_places,
        "form_pool": np.array(pool, np.uint32),
        "form_pair": np.array([pair for pair, _ in pairs], np.uint64),
        "form_composite": np.array([composite for _, composite in pairs], np.uint32),
        "form_inert": _inert_bytes(quick),
    }


def unstable(compatible: bool) -> set[str]:
    """The characters that a form may change, or join to one before them.

    All others stay where no mark has a lower rank than a mark right before it: no two compose, since none is
    a second, and what each decomposes to composes again.
    """
    classes, seconds = unicode_form.combining_classes(), unicode_form.seconds()
    changing = {
        char
        for char, parts in unicode_form.decompositions(compatible).items()
        if char in classes
        or parts[0] in classes
        or parts[0] in seconds
        or unicode_form.unicode_form("NFKC" if compatible else "NFC", Aligned.of(char)).text != char
    }
    return changing | seconds


def _inert_bytes(quick: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The bytes that belong to inert characters only, and the same for half bytes."""
    table = np.zeros(256 + 2 * 16, np.uint8)
    table[:0xC0] = 1
    leads = [(0xC0 | c >> 6, c, c + 0x40) for c in range(0x80, 0x800, 0x40)]
    leads += [(0xE0 | c >> 12, max(c, 0x800), c + 0x1000) for c in range(0, 0x10000, 0x1000)]
    leads += [(0xF0 | c >> 18, max(c, 0x10000), c + 0x40000) for c in range(0, _CODE_POINTS, 0x40000)]
    for lead, first, behind in leads:
        table[lead] = not quick[first:behind].any()
    low, high = table[256:272], table[272:]
    low[:] = high[:0xC] = 1 << 4  # ASCII and continuing bytes, whatever their lower half
    for row in range(4):
        high[0xC + row] = 1 << row
        low[:] |= table[0xC0 + 16 * row : 0xD0 + 16 * row] << row
    return table
