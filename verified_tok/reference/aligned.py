"""Text that remembers where its characters came from."""

from __future__ import annotations

from dataclasses import dataclass

Span = tuple[int, int]
"""From the first character index to the second, which is not included."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """A text, and for each of its characters the span of the original text that it came from.

    The span is the smallest that holds all its sources; a character that came from nothing has an empty
    one, at the place where it was put.
    """

    text: str
    origins: tuple[Span, ...]

    @classmethod
    def of(cls, text: str, start: int = 0) -> Aligned:
        """A text as it is, which begins at index `start` of the original."""
        return cls(text, tuple((i, i + 1) for i in range(start, start + len(text))))

    def __len__(self) -> int:
        return len(self.text)

    def slice(self, start: int, stop: int) -> Aligned:
        """The characters from `start` up to `stop`."""
        return Aligned(self.text[start:stop], self.origins[start:stop])

    def span(self, start: int, stop: int) -> Span:
        """The smallest span of the original that holds the sources of the characters from `start` up to
        `stop`, of which there must be at least one."""
        return hull(self.origins[start:stop])


def hull(spans: tuple[Span, ...]) -> Span:
    """The smallest span that holds some spans, at least one."""
    return min(first for first, _ in spans), max(last for _, last in spans)
