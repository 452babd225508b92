"""OpenAI's families beside their engines: see `differential`."""

from differential import *  # noqa: F403
from differential import families

pytestmark = families("gpt2", "p50k", "cl100k", "o200k", "gpt-4o", "gpt-oss")
