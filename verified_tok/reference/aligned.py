"""Text that remembers where its characters came from."""

from __future__ import annotations

from dataclasses import dataclass

Span = tuple[int, int]
"""From the first index to the second, which is not included."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """A text, and for each of its characters the span of the original text that it came from.

    The span is the smallest that holds all its sources; a character that came from nothing has an empty
    one, at the place where it was put. Spans count characters or bytes of the original, as whoever makes the
    first `Aligned` chooses; everything later only copies and joins them.
    """

    text: str
    origins: tuple[Span, ...]

    @classmethod
    def of(cls, text: str) -> Aligned:
        """A text that is its own original, with spans of characters."""
        return cls(text, tuple((i, i + 1) for i in range(len(text))))

    def __len__(self) -> int:
        return len(self.text)

    def slice(self, start: int, stop: int) -> Aligned:
        """The characters from `start` up to `stop`."""
        return Aligned(self.text[start:stop], self.origins[start:stop])


def hull(spans: tuple[Span, ...]) -> Span:
    """The smallest span that holds some spans, at least one."""
    return min(first for first, _ in spans), max(last for _, last in spans)
