"""The command line `verified-tok`.

Results go to standard output, everything else to standard error. An error is one line that begins with
`error: ` (a refused tokenizer lists its problems below that line).

Exit codes: 0 done; 1 something was found, such as a difference; 2 wrong usage, bad input, or something
missing; 130 interrupted; 141 the reader of the output went away.
"""

from verified_tok.cli.app import main, run

__all__ = ["main", "run"]
