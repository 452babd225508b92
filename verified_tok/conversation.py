"""The delta tokenizer: a conversation whose ids only ever grow, and the messages that they spell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import index
from typing import Any, final

import numpy as np
import numpy.typing as npt

from verified_tok.chat import Format, Template, template as known_template
from verified_tok.chat.message import Assistant, Checked, Message, ToolResult, check_message, to_message
from verified_tok.conversation_state import Columns, Piece, Tag, Turn
from verified_tok.drift import Drift, drifts
from verified_tok.errors import InvalidMessage, InvalidOperation, InvalidRange, InvalidTokenId
from verified_tok.reference.chat import Close, Edge, Found, FoundEvent, Kind, Malformed, Place, Span
from verified_tok.reference import chat as reference
from verified_tok.session_state import Ids
from verified_tok.tokenizer import Tokenizer

Mask = npt.NDArray[np.bool_]

PROVENANCE = np.dtype(
    [("turn", np.int64), ("event", np.int64), ("role", "U9"), ("sampled", np.bool_), ("logprob", np.float64)]
)
"""What `Conversation.provenance` says of an id; `logprob` is NaN where none was given."""
