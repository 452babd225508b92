"""The byte-level alphabet: a printable character for each byte, GPT-2's invention.

Bytes that are printable Latin-1 characters stand for themselves; the other 68, in order, are the characters
from U+0100 on. So a space is `Ġ` (U+0120) and a line feed `Ċ` (U+010A).
"""

from __future__ import annotations

from itertools import count

_PRINTABLE = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_others = count(0x100)

CHAR_OF_BYTE = tuple(chr(byte if byte in _PRINTABLE else next(_others)) for byte in range(256))
BYTE_OF_CHAR = {char: byte for byte, char in enumerate(CHAR_OF_BYTE)}


def spell(data: bytes) -> str:
    """The byte-level characters of some bytes.

    >>> spell(" é".encode())
    'ĠÃ©'
    """
    return "".join([CHAR_OF_BYTE[byte] for byte in data])


def unspell(text: str) -> bytes | None:
    """The bytes that byte-level characters stand for; None if `text` holds any other character.

    >>> unspell("ĠÃ©")
    b' \\xc3\\xa9'
    """
    data = [BYTE_OF_CHAR.get(char) for char in text]
    return None if None in data else bytes(data)  # type: ignore[arg-type]
