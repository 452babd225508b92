"""The folder that keeps what is downloaded or built once."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where all of it is: `VERIFIED_TOK_CACHE` if it is set, else the user's cache folder."""
    chosen = os.environ.get("VERIFIED_TOK_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("verified_tok")
