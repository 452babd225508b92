"""Character classes of Hugging Face tokenizers, found by asking it about every scalar value."""

from __future__ import annotations

import string
from collections.abc import Iterable

import numpy as np
import tokenizers
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers
from tokenizers import Regex as EngineRegex

from spec.tables.regex_classes import SCALARS, named_classes
from verified_tok.reference.charset import CharSet

ENGINE = f"tokenizers {tokenizers.__version__}"


def regex_class(regex: str, text: str = SCALARS) -> CharSet:
    """The characters of `text`, which holds each but once, that a regex for one character matches.

    The decoder `Replace` runs the same engine as the pre-tokenizer `Split`, without the cost of its spans.
    """
    return _missing(decoders.Replace(EngineRegex(regex), "").decode([text]), text)


def numeric() -> CharSet:
    """What `Digits` cuts out."""
    # A delimiter is kept whole or in runs, never removed: the pieces alternate, so look at one of each.
    pieces = [piece for piece, _ in pre_tokenizers.Digits(individual_digits=False).pre_tokenize_str(SCALARS)]
    return CharSet.of("".join(pieces["0" in pieces[1] :: 2]))


def punctuation() -> CharSet:
    """What `Punctuation` cuts out."""
    rest = "".join(piece for piece, _ in pre_tokenizers.Punctuation("removed").pre_tokenize_str(SCALARS))
    return _missing(rest, SCALARS)


def strip() -> CharSet:
    """What the `Strip` normalizer removes from an end."""
    engine = normalizers.Strip()
    return CharSet.of("".join(c for c in SCALARS if not engine.normalize_str(c)))


def literal_space() -> CharSet:
    """What an added token with `lstrip` takes in front of it."""
    spans = _added_token_spans(AddedToken("<a>", lstrip=True, normalized=False))
    return CharSet.of("".join(c for c, start in zip(SCALARS, spans, strict=True) if start == -1))


def literal_word() -> CharSet:
    """What may not stand beside an added token with `single_word`."""
    spans = _added_token_spans(AddedToken("<a>", single_word=True, normalized=False))
    return CharSet.of("".join(c for c, start in zip(SCALARS, spans, strict=True) if start is None))


def letters_ignoring_case() -> dict[str, CharSet]:
    """For each lower-case ASCII letter, the characters that it matches when case is ignored."""
    candidates = "".join(regex_class("(?i:[a-z])"))
    return {letter: regex_class(f"(?i:{letter})", candidates) for letter in string.ascii_lowercase}


def pairs_folding_to_one() -> dict[str, CharSet]:
    """For pairs of ASCII letters, the single characters that they match together when case is ignored."""
    beyond_ascii = SCALARS[128:]  # no two neighbours in it match two ASCII letters
    pairs = [a + b for a in string.ascii_lowercase for b in string.ascii_lowercase]
    candidates = "\0".join(regex_class(f"(?i:{'|'.join(pairs)})", beyond_ascii))
    found = {pair: regex_class(f"(?i:{pair})", candidates) for pair in pairs}
    return {pair: chars for pair, chars in found.items() if chars}


def classes(names: Iterable[str]) -> dict[str, CharSet]:
    """All sections of the table; `names` are those of general categories and scripts."""
    sections = named_classes(regex_class, names)
    sections |= {"numeric": numeric(), "punctuation": punctuation(), "strip": strip()}
    sections |= {"literal space": literal_space(), "literal word": literal_word()}
    sections |= {f"(?i:{letter})": chars for letter, chars in letters_ignoring_case().items()}
    sections |= {f"(?i:{pair})": chars for pair, chars in pairs_folding_to_one().items()}
    return sections


def _missing(rest: str, text: str) -> CharSet:
    """The characters of `text`, which holds each but once, that are not in `rest`."""
    codes, left = (np.frombuffer(t.encode("utf-32-le"), dtype="<u4") for t in (text, rest))
    return CharSet((code, code) for code in np.setdiff1d(codes, left, assume_unique=True).tolist())


def _added_token_spans(token: AddedToken) -> list[int | None]:
    """For each scalar value c, where the token begins in c + "<a>", counted from its own first character;
    None where it is not found."""
    engine = Tokenizer(models.BPE({}, []))
    engine.add_tokens([token])
    starts: list[int | None] = []
    for block in (SCALARS[i : i + 4096] for i in range(0, len(SCALARS), 4096)):  # faster than all at once
        found: list[int | None] = [None] * len(block)
        # A full stop is neither white space nor a word character.
        for start, stop in engine.encode("".join("." + c + "<a>" for c in block)).offsets:
            found[stop // 5 - 1] = start - (stop - 3)
        starts += found
    return starts
