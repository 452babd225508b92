"""Qwen's families beside their engines: see `differential`."""

from differential import *  # noqa: F403
from differential import families

pytestmark = families("qwen2.5", "qwen3", "qwen3.5", "qwen3.6")
