"""The one exception of the Lean toolchain."""


class LeanToolError(Exception):
    """The check cannot run: the message says what is wrong and what to do.

    A failed proof is no such error: it is a `Problem` in the report, with exit status 1. This one gives 2.
    """
