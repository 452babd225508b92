"""Loading by the name of a model repository, against a hub that this machine serves itself."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tiny import byte_level

from verified_tok.errors import MissingDependency
from verified_tok.loading import from_pretrained

FILE = json.dumps(byte_level()).encode()
COMMIT = "0" * 40


class Hub(BaseHTTPRequestHandler):
    """The part of the hub's interface that a download of one file needs; one repository, one branch."""

    def do_HEAD(self) -> None:
        found = self.path in (
            "/org/good/resolve/main/tokenizer.json",
            f"/org/good/resolve/{COMMIT}/tokenizer.json",
        )
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(FILE) if found else 0))
        if found:
            self.send_header("ETag", hashlib.sha1(FILE).hexdigest())
            self.send_header("X-Repo-Commit", COMMIT)
        else:
            self.send_header("X-Error-Code", "RepoNotFound")
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()
        self.wfile.write(FILE)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def hub() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def ask(endpoint: str, home: Path, call: str) -> str:
    """What `from_pretrained` says in a process that takes `endpoint` for the hub."""
    program = (
        "import time; time.sleep = lambda seconds: None\n"  # the client waits longer and longer between tries
        "from verified_tok.errors import VerifiedTokError\n"
        "from verified_tok.loading import from_pretrained\n"
        f"try: print({call}.sha256)\n"
        "except VerifiedTokError as error: print(type(error).__name__, error)\n"
    )
    settings = {
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_XET": "1",
        "NO_PROXY": "127.0.0.1",
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout.strip()


def test_the_file_of_a_repository_is_loaded(hub: str, tmp_path: Path):
    name = hashlib.sha256(FILE).hexdigest()
    assert ask(hub, tmp_path, "from_pretrained('org/good')") == name
    assert ask(hub, tmp_path, f"from_pretrained('org/good', revision='{COMMIT}')") == name


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("from_pretrained('org/bad')", "FetchError no tokenizer.json from the hub for 'org/bad': "),
        (
            "from_pretrained('org/good', 'v2')",
            "FetchError no tokenizer.json from the hub for 'org/good' at 'v2': ",
        ),
        ("from_pretrained('not a name')", "FetchError no tokenizer.json from the hub for 'not a name': "),
    ],
)
def test_a_failing_download_is_a_fetch_error(hub: str, tmp_path: Path, call: str, said: str):
    assert ask(hub, tmp_path, call).startswith(said)


def test_no_network_is_a_fetch_error(tmp_path: Path):
    said = ask("http://127.0.0.1:1", tmp_path, "from_pretrained('org/good')")
    assert said.startswith("FetchError no tokenizer.json from the hub for 'org/good': ")


def test_without_the_hubs_client_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)  # importing it now raises ImportError
    with pytest.raises(MissingDependency, match=r"pip install 'verified-tok\[hf\]'"):
        from_pretrained("org/good")


def test_loading_imports_no_optional_package():
    program = "import sys, verified_tok.loading; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"huggingface_hub", "tokenizers", "tiktoken"} & set(done.stdout.split())
