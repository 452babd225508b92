"""Chat formats: conversations as events, rendered so that nothing before an event ever changes.

>>> from verified_tok import chat
>>> chat.known("qwen3").closes
('<|im_end|>',)
"""

from __future__ import annotations

import difflib

from verified_tok.chat.format import Format
from verified_tok.chat.formats.deepseek import DEEPSEEK_V3_1, DEEPSEEK_V3_1_THINKING
from verified_tok.chat.formats.harmony import HARMONY, harmony
from verified_tok.chat.formats.llama import LLAMA3_1, llama3_1
from verified_tok.chat.formats.qwen import (
    CHATML,
    QWEN2_5,
    QWEN3,
    QWEN3_INSTRUCT_2507,
    QWEN3_NO_THINKING,
    QWEN3_THINKING_2507,
)
from verified_tok.chat.template import Definitions, Group, Reply, Template
from verified_tok.errors import InvalidTemplate

__all__ = ["TEMPLATES", "Definitions", "Format", "Group", "Reply", "Template", "harmony", "known", "llama3_1"]

TEMPLATES = {
    template.name: template
    for template in (
        CHATML,
        QWEN2_5,
        QWEN3,
        QWEN3_NO_THINKING,
        QWEN3_INSTRUCT_2507,
        QWEN3_THINKING_2507,
        LLAMA3_1,
        HARMONY,
        DEEPSEEK_V3_1,
        DEEPSEEK_V3_1_THINKING,
    )
}
"""The known templates, by name."""


def known(name: str) -> Template:
    """The known template of that name. Raises `InvalidTemplate`, with the nearest names, if there is none."""
    if name not in TEMPLATES:
        near = difflib.get_close_matches(str(name), TEMPLATES, n=3, cutoff=0.3) or list(TEMPLATES)
        raise InvalidTemplate(f"no template is named {name!r}; did you mean {', '.join(near)}?")
    return TEMPLATES[name]
