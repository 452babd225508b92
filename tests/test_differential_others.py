"""The other families beside their engines: see `differential`."""

from differential import *  # noqa: F403
from differential import families

pytestmark = families("glm-4", "glm-4.7-flash", "minimax", "gpt-neox", "olmo", "dolma2", "claude")
