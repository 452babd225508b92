"""Character classes of tiktoken's regular expressions, found by asking it about every scalar value."""

from __future__ import annotations

import string
from collections.abc import Iterable

import tiktoken

from verified_tok.reference.charset import ALL, CharSet

ENGINE = f"tiktoken {tiktoken.__version__}"

SCALARS = "".join(ALL)


def regex_class(regex: str, text: str = SCALARS) -> CharSet:
    """The characters of `text` that a regex for one character matches."""
    engine = tiktoken.Encoding(
        regex, pat_str=regex, mergeable_ranks={bytes([b]): b for b in range(256)}, special_tokens={}
    )
    # What the pattern does not match gives no tokens.
    return CharSet.of(engine.decode(engine.encode_ordinary(text)))


def caseless(candidates: CharSet) -> CharSet:
    """Those of some characters that match nothing but themselves when case is ignored."""
    text = "".join(candidates)
    regex = "(?i:" + "|".join(rf"\x{{{ord(c):x}}}" for c in text) + ")"
    if regex_class(regex) != candidates:
        raise AssertionError("some of the characters match others when case is ignored")
    return CharSet.of("".join(c for c in text if "".join(regex_class(rf"(?i:\x{{{ord(c):x}}})", text)) == c))


def classes(names: Iterable[str]) -> dict[str, CharSet]:
    """All sections of the table; `names` are those of general categories and scripts."""
    sections = {name: regex_class(rf"\p{{{name}}}") for name in names}
    sections |= {"space": regex_class(r"\s"), "digit": regex_class(r"\d"), "word": regex_class(r"\w")}
    sections["caseless"] = caseless(sections["P"] | sections["space"])
    sections |= {f"(?i:{letter})": regex_class(f"(?i:{letter})") for letter in string.ascii_lowercase}
    return sections
