"""DeepSeek's families beside their engines: see `differential`."""

from differential import *  # noqa: F403
from differential import families

pytestmark = families("deepseek-llm", "deepseek-coder", "deepseek-v3", "deepseek-v3.1", "deepseek-v4")
