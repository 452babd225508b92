"""`verified-tok audit`: what is wrong with recorded trajectories."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from verified_tok.audit import AnyTemplate, Auditor, Finding, Kind, Report, Row
from verified_tok.audit.lines import read_lines
from verified_tok.chat import TEMPLATES
from verified_tok.cli.console import output, reading, waiting
from verified_tok.cli.inputs import JsonOption, TokenizerArgument, open_tokenizer
from verified_tok.visible import piece_text

_JINJA = (".jinja", ".jinja2", ".json")


def audit(
    tokenizer: TokenizerArgument,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Trajectories, one JSON object a line; or stdin.")
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            "--template",
            "-t",
            help=f"A chat format ({', '.join(TEMPLATES)}), a .jinja file or a tokenizer_config.json.",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the report to this file as one HTML page.")
    ] = None,
    rows: Annotated[
        int, typer.Option("--rows", min=0, help="Show at most so many findings of each kind.")
    ] = 5,
    keep: Annotated[
        int, typer.Option("--keep", min=1, help="Put at most so many findings of each kind on the page.")
    ] = 200,
    as_json: JsonOption = False,
) -> int:
    """Check trajectories: re-tokenization, rewritten history, control tokens from content, masks, boundaries.

    Each line is an object with any of: id, messages, tools, ids, loss_mask, labels, logprobs, and turns with
    prompt_ids, completion_ids and logprobs. Exit code 0 if nothing was found, 1 if something was.
    """
    with waiting("opening the tokenizer"):
        tok = open_tokenizer(tokenizer).tokenizer
        auditor = Auditor(tok, _template(template), max(keep, rows))
    report = auditor.report
    size = file.stat().st_size if file is not None else None
    source = file.open("rb") if file is not None else nullcontext(sys.stdin.buffer)
    with source as lines, reading("auditing", size) as advance:
        if as_json:
            _print_json(auditor, _counted(lines, advance))
        else:
            for line in read_lines(_counted(lines, advance)):
                auditor.check(line)
    if html is not None:
        html.write_text(report.to_html(), "utf-8")
    if not as_json:
        _print_report(report, rows, output())
    return 0 if report else 1


def _template(argument: str | None) -> AnyTemplate | None:
    if argument is None or not argument.endswith(_JINJA):
        return argument
    from verified_tok.adapters.chat_template import ChatTemplate  # needs an optional package

    return ChatTemplate.from_file(argument)


def _counted(lines: BinaryIO, advance: Callable[[int], None]) -> Iterator[bytes]:
    for line in lines:
        yield line
        advance(len(line))


def _print_json(auditor: Auditor, lines: Iterator[bytes]) -> None:
    """One JSON value, written finding by finding: however many there are, none is held."""
    print('{"findings": [', end="")
    before = "\n"
    for line in read_lines(lines):
        for finding in auditor.check(line):
            print(before + json.dumps(finding.to_json(), ensure_ascii=False), end="")
            before = ",\n"
    print(f'\n], "summary": {json.dumps(auditor.report.summary())}}}')


def _print_report(report: Report, rows: int, console: Console) -> None:
    if not report:
        table = Table("findings", "kind", "", box=None, pad_edge=False)
        for kind in Kind:
            if report.counts[kind]:
                table.add_row(f"{report.counts[kind]:,}", kind.value, kind.meaning)
        console.print(table)
        for kind in Kind:
            for finding in report.kept.get(kind, [])[:rows]:
                _print_finding(finding, console)
            if report.counts[kind] > rows > 0:
                console.print(f"\n… and {report.counts[kind] - rows:,} more of kind {kind.value}")
        console.print()
    console.print(str(report).partition("\n")[0])


def _print_finding(finding: Finding, console: Console) -> None:
    console.print(f"\n[bold]{escape(finding.where())}[/bold]  {finding.kind.value}", soft_wrap=True)
    console.print(f"  {escape(finding.message)}", soft_wrap=True)
    width = max((len(row.label) for row in finding.rows), default=0)
    for row in finding.rows:
        console.print(Text(f"  {row.label:<{width}}  ") + _tokens(row), soft_wrap=True)


def _tokens(row: Row) -> Text:
    """The tokens apart by bars, the marked ones between angle brackets where there is no colour."""
    text = Text("…│" if row.before else "")
    for i, token in enumerate(row.tokens):
        if row.omitted and i == row.omitted_after:
            text.append(f"… {row.omitted:,} more …│", style="dim")
        style = "bold reverse" if token.marked else "magenta" if token.control else ""
        text.append(piece_text(token.piece), style=style)
        text.append(f"({token.id})" if token.marked else "", style="dim")
        text.append("│")
    return text + Text("…" if row.after else "")
