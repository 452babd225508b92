"""The native core, where it is built: `native` is the extension module, or None.

Without it everything works in pure Python, slowly.
"""

from __future__ import annotations

import warnings

try:
    from verified_tok._core import _native as native
except ImportError:
    native = None  # type: ignore[assignment]
    warnings.warn(
        "verified_tok runs without its native core and is slow; "
        "install it with a C++17 compiler, or run `make native` in a checkout",
        RuntimeWarning,
        stacklevel=2,
    )

__all__ = ["native"]
