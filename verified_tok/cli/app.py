"""All commands, and what becomes of their errors."""

from __future__ import annotations

import io
import signal
import sys

import typer

from verified_tok.cli import audit, compare, decode, demo, encode, fetch, inspect, stability
from verified_tok.errors import VerifiedTokError

app = typer.Typer(
    name="verified-tok",
    help="Exact tokenization of text by real tokenizers.",
    epilog="Exit codes: 0 done, 1 something was found, 2 wrong usage, bad input or something missing.",
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
)
app.command()(encode.encode)
app.command()(decode.decode)
app.command()(inspect.inspect)
app.command()(compare.compare)
app.command()(audit.audit)
app.command()(stability.stability)
app.command()(fetch.fetch)
app.command()(demo.demo)


def main() -> int:
    """The installed program; it ends with the exit code that this returns."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without UTF-8 gets escapes
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `verified-tok ... | head` ends in silence
    return run(sys.argv[1:])


def run(arguments: list[str]) -> int:
    """Run one command, print its error if it has one, and give the exit code."""
    try:
        code = app(arguments, prog_name="verified-tok", standalone_mode=False)
    except typer.TyperException as error:
        return _fail(error.format_message())
    except (VerifiedTokError, OSError) as error:
        return _fail(str(error))
    return code if isinstance(code, int) else 0


def _fail(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 2
