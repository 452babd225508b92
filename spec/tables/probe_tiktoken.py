"""Character classes of tiktoken's regular expressions, found by asking it about every scalar value."""

from __future__ import annotations

import string
from collections.abc import Iterable

import tiktoken

from spec.tables.regex_classes import SCALARS, named_classes
from verified_tok.reference.charset import CharSet

ENGINE = f"tiktoken {tiktoken.__version__}"


def regex_class(regex: str, text: str = SCALARS) -> CharSet:
    """The characters of `text` that a regex for one character matches."""
    engine = tiktoken.Encoding(
        regex, pat_str=regex, mergeable_ranks={bytes([b]): b for b in range(256)}, special_tokens={}
    )
    # What the pattern does not match gives no tokens.
    return CharSet.of(engine.decode(engine.encode_ordinary(text)))


def classes(names: Iterable[str]) -> dict[str, CharSet]:
    """All sections of the table; `names` are those of general categories and scripts."""
    sections = named_classes(regex_class, names)
    sections |= {f"(?i:{letter})": regex_class(f"(?i:{letter})") for letter in string.ascii_lowercase}
    return sections
