"""`verified-tok demo`: real tokenizers on real text, beside the engines that they come from."""

from __future__ import annotations

import json
import sysconfig
import time
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path

from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from verified_tok.cli.console import counting, output, waiting
from verified_tok.cli.inputs import JsonOption, Opened, open_tokenizer
from verified_tok.cli.tokens_view import tokens_text
from verified_tok.fetch import fetch
from verified_tok.peer import Peer, open_peer

_FAMILIES = ("deepseek-v4", "qwen3.6", "gpt2")  # small downloads; three pipelines and two reference engines
_MODULES = ("bisect", "heapq", "shlex", "textwrap", "this", "tokenize")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts of one kind."""

    name: str
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Result:
    """One tokenizer on one corpus: `same_ids` and `round_trips` count texts, the times are in seconds."""

    tokenizer: str
    corpus: str
    engine: str
    texts: int
    bytes: int
    tokens: int
    same_ids: int
    round_trips: int
    seconds: float
    engine_seconds: float

    @property
    def exact(self) -> bool:
        """Whether the engine gives the same for every text, and every text comes back."""
        return self.same_ids == self.round_trips == self.texts


def demo(as_json: JsonOption = False) -> int:
    """Fetch real tokenizers, encode real text, compare with the reference engines, and time both.

    Exit code 0 if all ids are the same, 1 if not.
    """
    samples = tomllib.loads((files("verified_tok.cli") / "samples.toml").read_text("utf-8"))["sample"]
    corpora = (
        Corpus("the sentences above", [sample["text"] for sample in samples]),
        Corpus("modules of Python", [_module(name) for name in _MODULES]),
        Corpus("characters of Unicode", _characters()),
    )
    opened: list[tuple[Opened, Peer]] = []
    for name in _FAMILIES:
        fetch(name)  # shows its own progress
        with waiting(f"opening {name}"):
            one = open_tokenizer(name)
            opened.append((one, open_peer(one.source)))
    if not as_json:
        _print_samples(opened[0][0], samples)
    results = []
    with counting("encoding") as progress:
        for one, peer in opened:
            results += [_measure(one, peer, corpus, progress) for corpus in corpora]
    if as_json:
        print(json.dumps([asdict(result) for result in results]))
    else:
        _print_results(results)
    return 0 if all(result.exact for result in results) else 1


def _module(name: str) -> str:
    return Path(sysconfig.get_path("stdlib"), f"{name}.py").read_text("utf-8")


def _characters() -> list[str]:
    """Every thirtieth character of Python's Unicode, beside letters, digits, quotes and white space."""
    known = [
        char for char in map(chr, range(0x110000)) if unicodedata.category(char) not in ("Cn", "Cs", "Co")
    ]
    lines = [f"a{char}B 7{char}'{char} {char}\n" for char in known[::30]]
    return ["".join(lines[i : i + 500]) for i in range(0, len(lines), 500)]


def _measure(opened: Opened, peer: Peer, corpus: Corpus, progress: Progress) -> Result:
    tok = opened.tokenizer
    task = progress.add_task(f"{opened.name}: {corpus.name}", total=len(corpus.texts))
    tokens, same_ids, round_trips = 0, 0, 0
    seconds, engine_seconds = 0.0, 0.0
    for text in corpus.texts:
        began = time.perf_counter()
        ids = tok.encode(text)
        between = time.perf_counter()
        engine_ids = peer.encode(text)
        seconds, engine_seconds = seconds + between - began, engine_seconds + time.perf_counter() - between
        tokens += len(ids)
        same_ids += ids.tolist() == engine_ids
        round_trips += tok.decode_bytes(ids) == tok.normalize(text).encode()
        progress.advance(task)
    progress.remove_task(task)
    size = sum(len(text.encode()) for text in corpus.texts)
    return Result(
        opened.name,
        corpus.name,
        peer.name,
        len(corpus.texts),
        size,
        tokens,
        same_ids,
        round_trips,
        seconds,
        engine_seconds,
    )


def _print_samples(opened: Opened, samples: list[dict[str, str]]) -> None:
    tok, console = opened.tokenizer, output()
    table = Table("", f"tokens of {opened.name}", "", box=None, pad_edge=False)
    for sample in samples:
        ids = tok.encode(sample["text"]).tolist()
        table.add_row(
            sample["name"], tokens_text([tok.id_to_bytes(id) for id in ids], console), str(len(ids))
        )
    console.print(table)
    console.print()


def _print_results(results: list[Result]) -> None:
    console = output()
    table = Table(box=None, pad_edge=False)
    for heading in ("tokenizer", "text", "size", "tokens", "same ids as", "", "round trip", "here", "there"):
        table.add_column(
            heading, justify="left" if heading in ("tokenizer", "text", "same ids as", "") else "right"
        )
    for result in results:
        row = (
            result.tokenizer,
            result.corpus,
            f"{result.bytes / 1000:,.0f} kB",
            f"{result.tokens:,}",
            result.engine,
            _of(result.same_ids, result.texts),
            _of(result.round_trips, result.texts),
            f"{result.seconds:.2f} s",
            f"{result.engine_seconds:.2f} s",
        )
        table.add_row(*map(escape, row), style=None if result.exact else "bold red")
    console.print(table)
    console.print()
    if all(result.exact for result in results):
        console.print(
            "Every id is the reference engine's. The times are those of the kit's pure-Python oracle."
        )
    else:
        console.print("There are differences: `verified-tok compare` shows them.", style="bold red")


def _of(count: int, whole: int) -> str:
    return f"{count} of {whole}"
