"""The HTML page, in a real browser: no complaint, no request, findings seen, filters that filter."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import Page, browser

import verified_tok as vt
from verified_tok.audit import Report

TOK = vt.from_tiktoken(
    {bytes([b]): b for b in range(256)} | {b"he": 256, b"hello": 259, b"ll": 257, b"hell": 258},
    r" ?\p{L}+|[^\p{L}]",
    {"<|im_start|>": 300, "<|im_end|>": 301},
)
HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=document.title='taken'>&amp;"
TRAJECTORIES = [
    {"id": HOSTILE, "messages": [{"role": "user", "content": f"{HOSTILE} <|im_end|> \u202e سلام 🦙"}]},
    {"ids": [300, *b"user\n", 104, 101, 32, 9, 195, 301]},
    {"ids": [259, 32, 301], "loss_mask": [1]},
    {"ids": [999]},
]


@pytest.fixture(scope="module")
def report() -> Report:
    return vt.audit(TRAJECTORIES, TOK, keep=50)


@pytest.fixture(scope="module")
def file(report, tmp_path_factory) -> Path:
    path: Path = tmp_path_factory.mktemp("page") / "audit.html"
    path.write_text(report.to_html(), "utf-8")
    return path


@pytest.fixture(scope="module")
def opened(tmp_path_factory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


def shown(page: Page) -> list[str]:
    """The kinds of the findings that take up room on the screen."""
    kinds: list[str] = page.run(
        "[...document.querySelectorAll('.finding')].filter(f => f.offsetHeight > 0).map(f => f.dataset.kind)"
    )
    return kinds


def test_the_page_opens_without_complaints(opened, file, report):
    for dark in (False, True):
        opened.open(file, dark=dark)
        assert opened.complaints() == []
        assert opened.run("document.title") == f"Audit: {report.total} findings in 4 trajectories"
        assert shown(opened) == [finding.kind.value for finding in report.findings()]


def test_a_complaint_would_be_seen(opened, tmp_path):
    """The check itself: a page with an error in its script, a blocked script and a request."""
    path = tmp_path / "bad.html"
    path.write_text("<!doctype html><script>nothing()</script><img src='http://127.0.0.1:9/x.png'>")
    opened.open(path)
    methods = {complaint["method"] for complaint in opened.complaints()}
    assert {"Runtime.exceptionThrown", "Network.requestWillBeSent"} <= methods


def test_findings_show_their_message_and_their_tokens(opened, file, report):
    opened.open(file)
    for number, finding in enumerate(report.findings()):
        text = opened.run(f"document.querySelector('#f{number}').textContent")
        assert finding.message.replace("`", "").split("\n")[0] in text
        assert finding.where() in text
        marked = [token.id for row in finding.rows for token in row.tokens if token.marked]
        ids = opened.run(
            f"[...document.querySelectorAll('#f{number} .marked small')].map(s => s.textContent)"
        )
        assert ids == [str(id) for id in marked]


def test_white_space_and_control_tokens_can_be_seen(opened, file):
    opened.open(file)
    # Not `innerText`: it is empty for findings that are off the screen, and skipped by `content-visibility`.
    tokens = opened.run("[...document.querySelectorAll('.finding .t bdi')].map(t => t.textContent)")
    assert {"·", "⏎", "⇥", "\\xc3"} <= set(tokens)
    assert opened.run("document.querySelectorAll('.finding .t.control').length") > 0
    colours = opened.run(
        "['.t.control:not(.marked)', '.t.marked:not(.control)', '.t:not(.marked, .control)'].map("
        "s => getComputedStyle(document.querySelector('.finding ' + s)).backgroundColor)"
    )
    assert len(set(colours)) == 3


def test_a_click_shows_one_kind_and_another_click_all(opened, file, report):
    opened.open(file)
    everything = shown(opened)
    opened.click("button[data-kind=control]")
    assert set(shown(opened)) == {"control"}
    opened.click("button[data-kind=mask]", control=True)
    assert set(shown(opened)) == {"control", "mask"}
    opened.click("button[data-kind=mask]")
    opened.click("button[data-kind=mask]")
    assert shown(opened) == everything


def test_search_filters_by_every_word(opened, file):
    opened.open(file)
    opened.click("#search")
    opened.write("loss_mask entries")
    assert shown(opened) == ["mask"]
    opened.write(" nonsense")
    assert shown(opened) == []
    assert opened.run("document.querySelector('#none').offsetHeight") > 0


def test_ids_of_all_tokens(opened, file):
    opened.open(file)
    seen = "[...document.querySelectorAll('.finding .t small')].filter(s => s.offsetHeight > 0).length"
    few = opened.run(seen)
    opened.click("#ids")
    assert opened.run(seen) > few


def test_the_theme_can_be_chosen(opened, file):
    opened.open(file)
    background = "getComputedStyle(document.body).backgroundColor"
    light = opened.run(background)
    opened.click("#theme")
    dark = opened.run(background)
    opened.open(file, dark=True)
    assert opened.run(background) == dark != light


def test_a_narrow_window_needs_no_scrolling_sideways(opened, file):
    opened.open(file, width=400)
    assert opened.run("document.documentElement.scrollWidth <= innerWidth")


def test_an_empty_report(opened, tmp_path):
    path = tmp_path / "empty.html"
    path.write_text(vt.audit([{}], TOK).to_html(), "utf-8")
    opened.open(path)
    assert opened.complaints() == []
    assert "Nothing found." in opened.run("document.body.innerText")


def test_the_page_says_what_it_leaves_out():
    html = vt.audit([{"ids": [104, 101]}] * 5, TOK, keep=2).to_html()
    assert "first 2 of 5" in html
    assert html.count('<article class="finding"') == 2


class Elements(HTMLParser):
    """Scripts, and everything that would load something."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        loading = ("src", "href", "onerror")
        self.loads += [value or "" for name, value in attributes if name in loading]


def test_content_is_never_markup(report):
    elements = Elements()
    elements.feed(report.to_html())
    assert elements.scripts == 1
    assert elements.loads == ["data:,"]
