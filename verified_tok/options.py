"""What counts as the value of an option."""

from __future__ import annotations

import numpy as np

from verified_tok.errors import InvalidOption


def check_switch(name: str, value: object) -> bool:
    """The value of a switch. Raises `InvalidOption` for anything but True or False: a text such as `"no"`
    would count as true.

    >>> check_switch("add_special_tokens", False)
    False
    """
    if not isinstance(value, bool | np.bool_):
        raise InvalidOption(f"{name} is True or False, not {value!r}")
    return bool(value)


def check_threads(value: object) -> int | None:
    """A number of threads, or None. Raises `InvalidOption` for anything else.

    >>> check_threads(2)
    2
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= 1024:
        raise InvalidOption(f"threads is a number from 1 to 1024, or None, not {value!r}")
    return int(value)


def check_device(value: object) -> None:
    """Raises `InvalidOption` for anything but "cpu" and "gpu"."""
    if value not in ("cpu", "gpu"):
        raise InvalidOption(f"device is 'cpu' or 'gpu', not {value!r}")
