"""What counts as the value of an option."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

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


def check_path(path: object) -> Path:
    """A path. Raises `InvalidOption` for what can be none: no file has such a name.

    >>> check_path("tokenizer.json").name
    'tokenizer.json'
    """
    try:
        found = Path(path)  # type: ignore[arg-type]
        if b"\0" in os.fsencode(found):
            raise ValueError
    except (TypeError, ValueError):
        raise InvalidOption(
            f"a path is a str or an os.PathLike that the system can write, not {path!r}"
        ) from None
    return found


def can_be_iterated(value: object) -> bool:
    """Unlike `Iterable`, this knows that arrays without dimensions cannot."""
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


@cache
def processors() -> int:
    """How many processors this process may use, and so how many threads it is given if none are asked for."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_device(device: object, output: object = False) -> bool:
    """Whether what is found stays on the device. Raises `InvalidOption` for another device than "cpu", "gpu"
    and "auto", another `output` than True or False, and True where the device may be the CPU.

    >>> check_device("gpu", True)
    True
    """
    if not isinstance(device, str) or device not in ("cpu", "gpu", "auto"):
        raise InvalidOption(f"device is 'cpu', 'gpu' or 'auto', not {device!r}")
    resident = check_switch("device_output", output)
    if resident and device != "gpu":
        raise InvalidOption(f"device_output needs device='gpu', not {device!r}")
    return resident
