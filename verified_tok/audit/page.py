"""The report as one HTML page: no other file, no request, readable without its script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from importlib.resources import files

from verified_tok.audit.finding import Finding, Kind, Row, ShownToken
from verified_tok.audit.report import Report
from verified_tok.visible import piece_text

_SPACE = "·"


def page(report: Report) -> str:
    """The page of a report."""
    folder = files("verified_tok.audit")
    style, script = ((folder / name).read_text("utf-8") for name in ("page.css", "page.js"))
    nothing = "No finding matches." if report.total else "Nothing found."
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'; img-src data:"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Audit: {report.total:,} findings in {report.trajectories:,} trajectories</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<header>
<h1>Token audit</h1>
<p class="about">tokenizer <code title="{report.tokenizer}">{report.tokenizer[:12]}</code>,
template <code>{escape(report.template)}</code></p>
<button id="theme" type="button" hidden>light / dark</button>
</header>
<main>
{_summary(report)}
{_legend()}
<div id="findings">
{"".join(_finding(number, finding) for number, finding in enumerate(report.findings()))}</div>
<p id="none" {"hidden" if report.total else ""}>{nothing}</p>
</main>
<script>{script}</script>
</body>
</html>
"""


def _summary(report: Report) -> str:
    numbers = (
        (report.total, "findings"),
        (report.affected, "trajectories affected"),
        (report.trajectories, "trajectories"),
        (report.turns, "turns"),
        (report.tokens, "ids"),
    )
    tiles = "".join(f"<div><dd>{number:,}</dd><dt>{name}</dt></div>" for number, name in numbers)
    kinds = "".join(_kind(kind, report) for kind in Kind if report.counts[kind])
    return f"""<dl class="numbers">{tiles}</dl>
<div id="filter">{kinds}
<input id="search" type="search" placeholder="Search messages, fields, tokens" aria-label="Search" hidden>
<label id="ids-choice" hidden><input id="ids" type="checkbox"> ids of all tokens</label>
<output id="shown"></output></div>"""


def _kind(kind: Kind, report: Report) -> str:
    count, kept = report.counts[kind], len(report.kept.get(kind, ()))
    shown = f"{count:,}" if kept == count else f"first {kept:,} of {count:,}"
    return (
        f'<button type="button" class="kind {kind.value}" data-kind="{kind.value}" aria-pressed="true" '
        f'title="{escape(kind.meaning)}">{kind.value} <b>{shown}</b></button>'
    )


def _legend() -> str:
    return f"""<p class="legend"><span class="t marked">the place</span> <span class="t">a token</span>
<span class="t control">a control token</span> <i>{_SPACE}</i> space <i>⏎</i> newline <i>⇥</i> tab
<i>\\x9f</i> a byte that is no character here. Rest the pointer on a token for its id and place.</p>"""


def _finding(number: int, finding: Finding) -> str:
    kind = finding.kind.value
    rows = "".join(_row(row) for row in finding.rows)
    return f"""<article class="finding" id="f{number}" data-kind="{kind}">
<h2><span class="kind {kind}" title="{escape(finding.kind.meaning)}">{kind}</span>
<span class="where">{escape(finding.where())}</span></h2>
<p>{_code(finding.message)}</p>
{f'<div class="rows">{rows}</div>' if rows else ""}
</article>
"""


def _code(message: str) -> str:
    """A sentence whose fields stand between backquotes."""
    parts = message.split("`")
    if len(parts) % 2 == 0:
        return escape(message)
    return "".join(f"<code>{escape(p)}</code>" if i % 2 else escape(p) for i, p in enumerate(parts))


def _row(row: Row) -> str:
    tokens = "".join(_tokens(row))
    return f'<div class="label">{escape(row.label)}</div><div class="tokens" dir="ltr">{tokens}</div>'


def _tokens(row: Row) -> Iterator[str]:
    if row.before:
        yield '<span class="more">…</span>'
    for i, token in enumerate(row.tokens):
        if row.omitted and i == row.omitted_after:
            yield f'<span class="more">… {row.omitted:,} more …</span>'
        yield _token(token, row.start + i + (row.omitted if row.omitted and i >= row.omitted_after else 0))
    if not any(token.marked for token in row.tokens):
        yield '<span class="more">(nothing here)</span>'
    if row.after:
        yield '<span class="more">…</span>'


def _token(token: ShownToken, place: int) -> str:
    classes = "t" + " control" * token.control + " marked" * token.marked
    shown = "".join(f"<i>{_SPACE}</i>" if char == " " else escape(char) for char in piece_text(token.piece))
    for sign in "⏎␍⇥␀":
        shown = shown.replace(sign, f"<i>{sign}</i>")
    title = f"id {token.id}, place {place}, bytes {token.piece.hex(' ')}"
    return f'<span class="{classes}" title="{title}"><bdi>{shown}</bdi><small>{token.id}</small></span>'
