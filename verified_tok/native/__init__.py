"""From tokenizers as data to the tables of the native core."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

Sections = dict[str, npt.NDArray[Any]]
"""Sections of an image by name."""


class NotNative(Exception):
    """The native core has no code for a stage; the reference takes its place. The message names the stage."""


NOT_BUILT = "the native core is not built"
"""Why the reference takes its place everywhere."""
