"""Llama, and the families in SentencePiece's style, beside their engines: see `differential`."""

from differential import *  # noqa: F403
from differential import families

pytestmark = families("llama-2", "llama-3", "llama-3.1", "mistral-7b-v0.1", "gemma-3")
