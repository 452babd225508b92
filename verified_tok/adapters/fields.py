"""Fields of JSON responses, with an exact error for what is not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from verified_tok.errors import InvalidResponse


def mapping(value: object, name: str) -> Mapping[str, object]:
    """An object. Raises `InvalidResponse`."""
    if not isinstance(value, Mapping):
        raise InvalidResponse(f"`{name}` of the response is no object but {type(value).__name__}")
    return value


def items(value: object, name: str) -> Sequence[object]:
    """A list. Raises `InvalidResponse`."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise InvalidResponse(f"`{name}` of the response is no list but {type(value).__name__}")
    return value


def ids(value: object, name: str) -> tuple[int, ...]:
    """A list of ids. Raises `InvalidResponse`."""
    found: list[int] = []
    for place, id in enumerate(items(value, name)):
        if not isinstance(id, int) or isinstance(id, bool) or id < 0:
            raise InvalidResponse(f"`{name}[{place}]` of the response is no id but {id!r}")
        found.append(id)
    return tuple(found)


def logprob(value: object, name: str) -> float | None:
    """A log-probability, or None. Raises `InvalidResponse`."""
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise InvalidResponse(f"`{name}` of the response is no number but {value!r}")
    return float(value)
