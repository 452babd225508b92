"""Test vectors: the Python reference's answers as Lean examples that the Lean kernel decides.

When Lean's definition and Python's disagree on a vector, `python -m spec.lean check` fails.
"""

from __future__ import annotations

from collections.abc import Callable

from spec.vectors import (
    added_tokens,
    bpe,
    byte_template,
    chat,
    model,
    pattern,
    rounds,
    seam,
    search,
    session,
    splice,
    starts,
    stream,
    tables,
)

# The modules of lean/VerifiedTok/Vectors and what writes each.
MODULES: dict[str, Callable[[], str]] = {
    "AddedTokens": added_tokens.module,
    "Bpe": bpe.module,
    "ByteTemplate": byte_template.module,
    "Chat": chat.module,
    "Model": model.module,
    "Pattern": pattern.module,
    "Rounds": rounds.module,
    "Seam": seam.module,
    "Search": search.module,
    "Session": session.module,
    "Splice": splice.module,
    "Starts": starts.module,
    "Stream": stream.module,
    "Tables": tables.module,
}
