"""Just enough of the WebAssembly binary format: sections, LEB128 integers, names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, CODE, DATA = range(1, 12)
"""Section numbers."""

KIND_FUNCTION, KIND_TABLE, KIND_MEMORY, KIND_GLOBAL = range(4)
"""What an import or export is."""

I32_CONST, I64_CONST, END = 0x41, 0x42, 0x0B
I32 = 0x7F
HEADER = b"\0asm\x01\0\0\0"


def unsigned(number: int) -> bytes:
    """LEB128 of a number that is not negative."""
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def name(text: str) -> bytes:
    """A length-prefixed UTF-8 name."""
    encoded = text.encode()
    return unsigned(len(encoded)) + encoded


def vector(items: Iterable[bytes]) -> bytes:
    """A count followed by the items."""
    encoded = list(items)
    return unsigned(len(encoded)) + b"".join(encoded)


@dataclass
class Reader:
    """A position in the bytes of a module or section."""

    data: bytes
    at: int = 0

    def byte(self) -> int:
        """The next byte."""
        self.at += 1
        return self.data[self.at - 1]

    def take(self, count: int) -> bytes:
        """The next `count` bytes."""
        self.at += count
        return self.data[self.at - count : self.at]

    def unsigned(self) -> int:
        """The next LEB128 integer."""
        return self._leb128()[0]

    def signed(self) -> int:
        """The next signed LEB128 integer."""
        number, bits, last = self._leb128()
        return number - (1 << bits) if last & 0x40 else number

    def name(self) -> str:
        """The next name."""
        return self.take(self.unsigned()).decode()

    def _leb128(self) -> tuple[int, int, int]:
        number, shift = 0, 0
        while True:
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number, shift, byte


def sections(binary: bytes) -> list[tuple[int, bytes]]:
    """The sections of a module in order, as (number, content)."""
    reader = Reader(binary, len(HEADER))
    found = []
    while reader.at < len(binary):
        number = reader.byte()
        found.append((number, reader.take(reader.unsigned())))
    return found


def assemble(parts: Iterable[tuple[int, bytes]]) -> bytes:
    """The module with these sections."""
    return HEADER + b"".join(bytes([number]) + unsigned(len(content)) + content for number, content in parts)
