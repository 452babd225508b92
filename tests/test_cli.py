"""The command line: results, exit codes, and what a script sees when something is wrong."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from verified_tok.cli import compare, run
from verified_tok.families import FAMILIES
from verified_tok.fetch import open_family
from verified_tok.peer import open_peer
from verified_tok.tokenizer import Tokenizer

GRABBED = [2646, 1327, 287]  # "grabbed" in Llama 2


@pytest.fixture(scope="module")
def llama(family_file: Callable[[str], Path]) -> str:
    """The path of a small real tokenizer.json."""
    return str(family_file("llama-2"))


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    """The tokenizer of that file."""
    return open_family("llama-2")


def program(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the program as a script does: through pipes."""
    command = [sys.executable, "-m", "verified_tok.cli", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


def on_a_terminal(stream: str, *arguments: str, **environment: str) -> str:
    """What the program writes to this stream if it is a terminal with colours."""
    reader, terminal = pty.openpty()
    command = [sys.executable, "-m", "verified_tok.cli", *arguments]
    settings = {"TERM": "xterm-256color", "COLUMNS": "120", "NO_COLOR": ""}
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | {stream: terminal}
    process = subprocess.Popen(command, **streams, env=os.environ | settings | environment)
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # how Linux says that the other end was closed
        while part := os.read(reader, 4096):
            shown += part
    os.close(reader)
    assert process.wait() == 0
    return shown.decode()


# --- encode ------------------------------------------------------------------------------------------


def test_encode_an_argument(llama, capsys):
    assert run(["encode", llama, "grabbed"]) == 0
    assert capsys.readouterr().out == "2646 1327 287\n"


def test_encode_a_family_by_name(capsys):
    assert run(["encode", "gpt2", "Hello, world!"]) == 0
    assert capsys.readouterr().out == "15496 11 995 0\n"


def test_encode_a_file_to_its_last_byte(llama, tok, tmp_path, capsys):
    file = tmp_path / "text"
    file.write_bytes("naïve\r\n\n".encode())
    assert run(["encode", llama, "--file", str(file)]) == 0
    assert capsys.readouterr().out.split() == [str(i) for i in tok.encode("naïve\r\n\n")]


def test_encode_standard_input_to_its_last_byte(llama, tok):
    done = program("encode", llama, stdin="naïve\r\n\n".encode())
    assert done.returncode == 0
    assert done.stdout.split() == [str(i).encode() for i in tok.encode("naïve\r\n\n")]
    assert done.stderr == b""


def test_encode_nothing(llama, capsys):
    assert run(["encode", llama, ""]) == 0
    assert capsys.readouterr().out == "\n"


def test_encode_json_with_spans(llama, tok, capsys):
    assert run(["encode", llama, "né!", "--json", "--spans"]) == 0
    printed = json.loads(capsys.readouterr().out)
    encoding = tok.encode_with_spans("né!")
    assert printed == {
        "tokenizer": FAMILIES["llama-2"].sha256,
        "count": len(encoding.ids),
        "ids": encoding.ids.tolist(),
        "byte_spans": encoding.byte_spans.tolist(),
        "char_spans": encoding.char_spans.tolist(),
    }
    assert printed["byte_spans"][-1] == [3, 4]


def test_encode_spans_are_a_line_a_token(capsys):
    text = "[red]x[/red]\n🦙"
    assert run(["encode", "gpt2", text, "--spans"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["id", "bytes", "characters", "token"]
    rows = [line.split() for line in lines[1:]]
    assert [int(row[0]) for row in rows] == open_family("gpt2").encode(text).tolist()
    assert "".join(row[3] for row in rows) == r"[red]x[/red]⏎\xf0\x9f\xa6\x99"
    assert rows[-1][1:3] == ["16:17", "13:14"]


def test_encode_count(llama, capsys):
    assert run(["encode", llama, "grabbed", "--count"]) == 0
    assert capsys.readouterr().out == "3\n"


@pytest.mark.parametrize(
    ("options", "choice"),
    [
        ([], "all"),
        (["--added-tokens", "none"], "none"),
        (["--added-tokens", "all"], "all"),
        (["--added-tokens", "<s>"], {"<s>"}),
        (["--added-tokens", "<s>", "--added-tokens", "</s>"], "all"),
    ],
)
def test_encode_chooses_added_tokens(options, choice, llama, tok, capsys):
    text = "<s>hi</s>"
    assert run(["encode", llama, text, *options]) == 0
    ids = tok.encode(text, added_tokens=choice).tolist()
    assert capsys.readouterr().out.split() == [str(id) for id in ids]
    assert (1 in ids, 2 in ids) == (choice != "none", choice == "all")


def test_encode_puts_the_template_around(llama, capsys):
    assert run(["encode", llama, "grabbed", "--special-tokens"]) == 0
    assert capsys.readouterr().out == "1 2646 1327 287\n"


def test_encode_shows_tokens_on_a_terminal():
    shown = on_a_terminal("stdout", "encode", "gpt2", "Hello, world!")
    assert "15496 11 995 0" in shown
    assert "\x1b[30;106mHello\x1b[0m\x1b[30;103m,\x1b[0m" in shown


# --- decode ------------------------------------------------------------------------------------------


def test_decode_arguments(llama):
    done = program("decode", llama, *map(str, GRABBED))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"grabbed", b"")


@pytest.mark.parametrize(
    "written", [b"2646 1327\n,287", b"[2646, 1327, 287]", b'{"count": 3, "ids": [2646, 1327, 287]}']
)
def test_decode_standard_input(llama, written):
    assert program("decode", llama, stdin=written).stdout == b"grabbed"


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_decode_is_the_inverse_of_encode(options):
    text = "né\r\n\0 🦙 <|endoftext|>".encode()
    encoded = program("encode", "gpt2", *options, stdin=text).stdout
    assert program("decode", "gpt2", stdin=encoded).stdout == text


def test_decode_gives_bytes_that_are_no_text(llama, tok, capfdbinary):
    ids = [str(id) for id in tok.encode("🦙")]
    assert run(["decode", llama, *ids[:-1]]) == 0
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == "🦙".encode()[:-1]


def test_decode_json(llama, capsys):
    assert run(["decode", llama, "--json", "--skip-special-tokens", "1", "2646", "1327", "287", "2"]) == 0
    assert json.loads(capsys.readouterr().out) == {"text": "grabbed", "bytes": b"grabbed".hex(), "count": 5}


# --- compare -----------------------------------------------------------------------------------------


def test_compare_equal(llama, capsys):
    assert run(["compare", llama, "grabbed"]) == 0
    out = capsys.readouterr().out
    assert f"3 ids, all the same as tokenizers {version('tokenizers')}'s" in out
    assert out.splitlines()[1].split() == ["0", "2646", "gra", "2646", "gra"]


def test_compare_lines(capsys, tmp_path):
    file = tmp_path / "text"
    file.write_text("one\ntwo\n\n3 <|endoftext|>")
    assert run(["compare", "gpt2", "--file", str(file), "--lines", "--json"]) == 0
    engine = f"tiktoken {version('tiktoken')}"
    assert json.loads(capsys.readouterr().out) == {"equal": True, "engine": engine, "texts": 4, "tokens": 8}


@pytest.fixture
def other_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine is handed another tokenizer: p50k is GPT-2's with tokens for runs of spaces."""
    other = open_peer(FAMILIES["p50k"])
    monkeypatch.setattr(compare, "open_peer", lambda source: other)


def test_compare_shows_the_first_difference(other_engine, capsys):
    assert run(["compare", "gpt2", "a b"]) == 0
    capsys.readouterr()
    assert run(["compare", "gpt2", "a b     c"]) == 1
    out = capsys.readouterr().out
    assert f"the ids differ from tiktoken {version('tiktoken')}'s at token 2\n" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["1", "275", "b", "275", "b"] in rows
    assert ["2", "220", "50259", "(no", "such", "token)"] in rows
    assert ["5", "220"] in rows  # the engine has fewer tokens


def test_compare_difference_as_json(other_engine, capsys):
    assert run(["compare", "gpt2", "a b\na     b\n", "--lines", "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert (printed["equal"], printed["texts"]) == (False, 2)
    ours, theirs = [220, 220, 220, 220, 275, 198], [50259, 275, 198]
    assert printed["difference"] == {"text": 1, "index": 1, "ours": ours, "theirs": theirs}


# --- inspect, fetch, demo ----------------------------------------------------------------------------


def test_inspect(llama, tok, capsys):
    assert run(["inspect", llama]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{tok.admission()}\n")
    rows = [line.split() for line in out.splitlines()]
    assert rows[-3:] == [["0", "<unk>", "special"], ["1", "<s>", "special"], ["2", "</s>", "special"]]


def test_inspect_lists_so_many_added_tokens(llama, capsys):
    assert run(["inspect", llama, "--rows", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "… and 2 more (--rows 3 lists them)"


def test_inspect_json(tok, llama, capsys):
    assert run(["inspect", llama, "--json", "--deep"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["sha256"] == FAMILIES["llama-2"].sha256
    assert printed["vocab_size"] == 32000
    assert [token["content"] for token in printed["added_tokens"]] == ["<unk>", "<s>", "</s>"]
    deep = json.loads(json.dumps(tok.admission(deep=True).to_json()))
    assert printed["stages"] == deep["stages"]
    assert deep["stages"] != json.loads(json.dumps(tok.admission().to_json()))["stages"]


def test_inspect_a_refused_tokenizer(family_file, capsys):
    assert run(["inspect", str(family_file("bert"))]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert "WordPiece" in err


def test_fetch(llama, capsys):
    assert run(["fetch", "llama-2"]) == 0
    assert capsys.readouterr().out == f"{llama}\n"
    assert run(["fetch", "llama-2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["path"] == llama


def test_fetch_shows_progress_on_a_terminal(tmp_path):
    shown = on_a_terminal("stderr", "fetch", "llama-2", VERIFIED_TOK_CACHE=str(tmp_path))
    assert "llama-tokenizer-js@1.2.2 (npm)" in shown
    assert "/388.9 kB" in shown


def test_fetch_list(llama, capsys):
    assert run(["fetch", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(FAMILIES)
    assert run(["fetch", "--list", "--json"]) == 0
    listed = {known["name"]: known for known in json.loads(capsys.readouterr().out)}
    assert list(listed) == list(FAMILIES)
    assert listed["llama-2"]["path"] == llama


def test_demo_finds_every_id_the_same(capsys):
    assert run(["demo", "--json"]) == 0
    results = json.loads(capsys.readouterr().out)
    assert len(results) == 9
    for result in results:
        assert result["same_ids"] == result["round_trips"] == result["texts"] > 0
        assert result["tokens"] > 100
        assert result["engine"].startswith(("tokenizers ", "tiktoken "))


# --- what goes wrong ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["encode", "qwen33", "x"], "no family is named 'qwen33'; did you mean"),
        (["encode", "no/such/file.json", "x"], "there is no file 'no/such/file.json'"),
        (["encode", "gpt2", "x", "--file", "y"], "give the text or --file, not both"),
        (["encode", "gpt2", "--file", "/no/such/text"], "No such file or directory: '/no/such/text'"),
        (["encode", "gpt2", "x", "--added-tokens", "<no>"], "'<no>' is no added token"),
        (["encode", "gpt2", "\udcff"], "lone surrogate"),
        (["decode", "gpt2", "999999"], "999999"),
        (["decode", "gpt2", "--", "-1"], "-1"),
        (["decode", "gpt2", "1.5"], "'1.5' is no id"),
        (["decode", "gpt2", "1_0"], "'1_0' is no id"),
        (["decode", "gpt2", "9" * 5000], "9' is no id"),
        (["decode", "gpt2", "[1"], "malformed JSON"),
        (["decode", "gpt2", "[1, true]"], "no list of ids"),
        (["decode", "gpt2", '{"id": 1}'], "no list of ids"),
        (["compare", "gpt2", "x", "--rows", "0"], "--rows"),
        (["fetch"], "give the name of a family, or --list"),
        (["fetch", "gpt2", "--list"], "give a name or --list, not both"),
        (["nothing"], "No such command"),
        (["encode", "gpt2", "--nothing"], "No such option"),
        (["encode"], "Missing argument"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, capsys):
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_standard_input_that_is_not_utf8(llama):
    done = program("encode", llama, stdin=b"abc\xff")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"error: standard input is not UTF-8: invalid start byte at byte 3 (0xff)\n"


def test_file_that_is_no_tokenizer(tmp_path, capsys):
    file = tmp_path / "tokenizer.json"
    file.write_text("{")
    assert run(["encode", str(file), "x"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_reader_that_goes_away(llama, tmp_path):
    """`verified-tok ... | head -c 1` ends without a word, killed by SIGPIPE as other programs are."""
    file = tmp_path / "text"
    file.write_text("hello " * 40_000)
    encode = f"{sys.executable} -m verified_tok.cli encode {llama} --file {file}"
    command = encode + " | head -c 5; echo ${PIPESTATUS[0]}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1].endswith("141")


def test_output_that_cannot_hold_every_character(llama):
    command = [sys.executable, "-m", "verified_tok.cli", "encode", llama, "--spans", "é⏎"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines()[1].split()[-1] == "\\xe9"


def test_help_names_the_exit_codes(capsys):
    assert run(["--help"]) == 0
    assert "Exit codes: 0 done, 1 something was found" in " ".join(capsys.readouterr().out.split())
    assert run([]) == 2
    assert capsys.readouterr().err == "error: Missing command.\n"
