"""Tables probed from the engines whose ids we reproduce.

`python -m spec.tables write` makes the files beside this one and `manifest.json`, which names the engine
of each and its SHA-256. Nothing here comes from another Unicode library: engines differ in their version
of Unicode, and a token's id depends on it.

A file is text: a line `[name]` begins a section, the lines up to the next belong to it, `#` begins a comment.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from verified_tok.errors import DamagedTable


@dataclass(frozen=True, slots=True)
class Table:
    """One generated file: the engine that was probed, the file's hash, and its sections' lines by name."""

    name: str
    engine: str
    sha256: str
    sections: dict[str, list[str]]


@cache
def read(name: str) -> Table:
    """The table of this file name; `DamagedTable` if its bytes are not those of the manifest."""
    folder = files(__name__)
    entry = json.loads((folder / "manifest.json").read_text("utf-8"))[name]
    data = (folder / name).read_bytes()
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise DamagedTable(f"{folder / name} is damaged (its SHA-256 is another): reinstall verified_tok")
    return Table(name, entry["engine"], entry["sha256"], parse(data.decode("utf-8")))


def names() -> list[str]:
    """The file names of all tables."""
    manifest: dict[str, object] = json.loads((files(__name__) / "manifest.json").read_text("utf-8"))
    return sorted(manifest)


def parse(text: str) -> dict[str, list[str]]:
    """The sections of a table's text."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("["):
            lines = sections[line[1:-1]] = []
        elif not line.startswith("#"):
            lines.append(line)
    return sections
