"""The exceptions that the package raises; every one derives from `VerifiedTokError`."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 120


class VerifiedTokError(Exception):
    """Base class of all errors of this package."""


class InvalidTokenizerFile(VerifiedTokError, ValueError):
    """The bytes given are not a well-formed tokenizer file: malformed JSON, a missing or mistyped field,
    a merge that names no vocabulary entry, duplicate added tokens."""


class UnsupportedTokenizer(VerifiedTokError, ValueError):
    """A well-formed tokenizer uses constructs that the kit does not reproduce exactly.

    `problems` names all of them at once.
    """

    def __init__(self, problems: tuple[UnsupportedConstruct, ...]) -> None:
        self.problems = problems
        lines = "\n".join(f"  - {p}" for p in problems)
        super().__init__(f"this tokenizer is not supported:\n{lines}")


@dataclass(frozen=True, slots=True)
class UnsupportedConstruct:
    """One construct that is not supported: where it stands, what it is, and what would support it."""

    field: str
    value: object
    remedy: str

    def __str__(self) -> str:
        return f"{self.field} = {_SHORT.repr(self.value)}: {self.remedy}"


class PatternError(VerifiedTokError, ValueError):
    """A regular expression uses syntax that has no `Pat`; `position` is a character index into `pattern`."""

    def __init__(self, pattern: str, position: int, reason: str) -> None:
        self.pattern = pattern
        self.position = position
        self.reason = reason
        super().__init__(f"{reason} at position {position}\n  {pattern}\n  {' ' * position}^")


class InvalidText(VerifiedTokError, ValueError):
    """The text is not a string of Unicode scalar values (it holds a lone surrogate), is no string, or has
    4 GiB and more of UTF-8."""


class InvalidRange(VerifiedTokError, ValueError):
    """Offsets that are no range of a session's text or fall inside a character, or that do not divide the
    ids that they come with."""


class SessionMismatch(VerifiedTokError, ValueError):
    """A session belongs to another tokenizer, or to another choice of added tokens."""


class InvalidSessionFile(VerifiedTokError, ValueError):
    """A file is no saved session, or is damaged."""


class CannotPickle(VerifiedTokError, TypeError):
    """A session was to be pickled."""


class InvalidTokenId(VerifiedTokError, ValueError):
    """An id that is negative, not an integer, or that no token of the tokenizer has."""


class UnknownAddedToken(VerifiedTokError, ValueError):
    """A literal or an id was given as an added token, and the tokenizer has no such added token."""


class InvalidOption(VerifiedTokError, ValueError):
    """An option of a call was given a value that it cannot have: a switch that is not True or False, say."""


class InvalidUtf8(VerifiedTokError, ValueError):
    """The bytes that ids stand for are not UTF-8, and the caller wanted no replacement characters."""


class StreamFinished(VerifiedTokError, ValueError):
    """A stream decoder was used after its `finish`."""


class DamagedTable(VerifiedTokError, RuntimeError):
    """A table of the installed package is not the one that was probed; the installation is damaged."""


class MissingDependency(VerifiedTokError, ImportError):
    """An optional package is needed for this call; the message names the extra to install."""


class FetchError(VerifiedTokError, OSError):
    """A tokenizer file could not be fetched from its package registry, or has another hash than expected."""


class InvalidTemplate(VerifiedTokError, ValueError):
    """A chat template is not well formed, lacks a property that append-only rendering needs, or asks for
    control tokens that the tokenizer does not have."""


class InvalidMessage(VerifiedTokError, ValueError):
    """A value is no chat message, or the chat format cannot express it."""


class InvalidOperation(VerifiedTokError, ValueError):
    """An operation that the present state of a conversation does not allow."""


class InvalidConversationFile(VerifiedTokError, ValueError):
    """A text is no saved conversation, is damaged, or belongs to another tokenizer."""


class ChatTemplateError(VerifiedTokError, ValueError):
    """A Jinja chat template that is malformed, or that refuses a conversation."""


class InvalidResponse(VerifiedTokError, ValueError):
    """A response of an inference engine lacks the ids, or its fields contradict each other."""


class GpuUnavailable(VerifiedTokError, RuntimeError):
    """There is no GPU that CuPy can use, no kernel for a stage of this tokenizer, or no room on the GPU for
    what is to be there."""
