"""Tokenizers that come from the cache: as those that were just read, whatever happened to the files."""

from __future__ import annotations

import copy
import json
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import hostile
import numpy as np
import pytest
from judge import content
from tiny import byte_level

import verified_tok as vt
from verified_tok._core import native
from verified_tok.errors import InvalidTokenizerFile, UnsupportedTokenizer
from verified_tok.families import FAMILIES, RankFile
from verified_tok.loading import from_ranks, kept, load_json, scan
from verified_tok.loading.ranks import read_ranks
from verified_tok.loading.tokenizer_json import read_json
from verified_tok.native import image_file
from verified_tok.spec import RankBpe, TokenizerSpec, UnicodeForm
from verified_tok.tokenizer import Tokenizer
from verified_tok.vocabulary import Merges, RankTable, Vocabulary

HELLO = [12092, 1533]
"""`Hello world` in GPT-NeoX."""

TEXTS = ["Hello  world, it's 2024!\n\n", "e\u0301 <|im_end|> ▁<bos>\t", "俱乐部👩‍💻 don't"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for images."""
    monkeypatch.setattr(image_file, "cache_folder", lambda: tmp_path)
    return tmp_path / "images"


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], TokenizerSpec]:
    """Reads a `tokenizer.json` by the loader in Python alone."""

    def read(data: bytes) -> TokenizerSpec:
        with monkeypatch.context() as patch:
            patch.setattr(scan, "native", None)
            return read_json(data, "0" * 64)

    return read


def some_texts(tok: Tokenizer, count: int = 20) -> list[str]:
    rng = random.Random(tok.spec.sha256)
    literals = [token.content for token in tok.spec.added_tokens][:50] or [""]
    drawn = ["".join(rng.choices([*hostile.ATOMS, *literals], k=rng.randrange(30))) for _ in range(count)]
    return [*TEXTS, *(text.encode(errors="ignore").decode() for text in drawn)]


def assert_the_same(one: Tokenizer, other: Tokenizer) -> None:
    """Two tokenizers that do the same, in all that a user can ask."""
    assert one == other
    assert hash(one) == hash(other)
    assert repr(one) == repr(other)
    assert one.vocab_size == other.vocab_size
    for text in some_texts(one):
        for added in ("all", "none", [token.id for token in one.spec.added_tokens[::2]]):
            ids = one.encode(text, added_tokens=added, add_special_tokens=True)
            assert ids.tolist() == other.encode(text, added_tokens=added, add_special_tokens=True).tolist()
        assert one.decode(ids) == other.decode(ids)
        assert one.normalize(text) == other.normalize(text)
        mine, theirs = one.session(text[:10]), other.session(text[:10])
        mine.append(text[10:])
        theirs.append(text[10:])
        assert mine.ids.tolist() == theirs.ids.tolist() == one.encode(text).tolist()
        assert mine.stats == theirs.stats


# --- reading -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["qwen3", "llama-2", "deepseek-v3", "gpt-neox"])
def test_the_core_reads_files_as_the_loader_does(
    family: str, family_file: Callable[[str], Path], in_python: Callable[[bytes], TokenizerSpec]
) -> None:
    data = family_file(family).read_bytes()
    assert scan.scan_model(data) is not None
    expected, found = in_python(data), read_json(data, "0" * 64)
    assert content(found) == content(expected)
    assert list(found.model.vocab.items()) == list(expected.model.vocab.items())  # type: ignore[union-attr]


def test_the_core_reads_ranks_as_the_loader_does(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    from verified_tok.fetch import fetch

    [name, *_] = [name for name, family in FAMILIES.items() if isinstance(family.file, RankFile)]
    file = FAMILIES[name].file
    assert isinstance(file, RankFile)
    data = fetch(name).read_bytes()
    assert scan.scan_ranks(data) is not None
    rest = (file.pattern, file.special_tokens, file.normalizers)
    found = read_ranks(data, *rest)
    monkeypatch.setattr(scan, "native", None)
    expected = read_ranks(data, *rest)
    assert isinstance(found.model, RankBpe)
    assert isinstance(expected.model, RankBpe)
    assert list(found.model.ranks.items()) == list(expected.model.ranks.items())
    assert found == expected
    assert found.added_tokens == expected.added_tokens


def in_both(data: bytes) -> TokenizerSpec:
    """Reads a `tokenizer.json` by the core if it can, else by the loader in Python."""
    return read_json(data, "0" * 64)


def meaning(read: Callable[[bytes], TokenizerSpec], data: bytes) -> object:
    """What is in a file, or what is wrong with it."""
    try:
        return content(read(data))
    except (InvalidTokenizerFile, UnsupportedTokenizer) as error:
        return type(error), str(error)


SMALL = json.dumps(byte_level(), ensure_ascii=False)
ESCAPED = json.dumps(byte_level())


def changed(text: str, rng: random.Random) -> bytes:
    """A file with something of it changed, often so that it is still a tokenizer."""
    data = bytearray(text.encode())
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randrange(len(data))
        match rng.randrange(5):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                del data[at : at + rng.choice([1, 1, 5])]
            case 2:
                data[at:at] = rng.choice(
                    [
                        b" ",
                        b"\n",
                        b'"',
                        b"\\",
                        b",",
                        b"0",
                        b"[",
                        b"}",
                        rb"\u00e9",
                        rb"\ud83d\ude00",
                        rb"\udc00",
                    ]
                )
            case 3:
                start = rng.randrange(len(data))
                data[at:at] = data[start : start + rng.randrange(30)]
            case 4:
                data[at] ^= 1
    return bytes(data)


@pytest.mark.parametrize("text", [SMALL, ESCAPED], ids=["characters", "escapes"])
def test_damaged_files_mean_the_same_to_the_core_and_the_loader(
    text: str, in_python: Callable[[bytes], TokenizerSpec]
) -> None:
    rng, read = random.Random(text), 0
    for _ in range(900):
        data = changed(text, rng)
        expected = meaning(in_python, data)
        assert meaning(in_both, data) == expected
        read += isinstance(expected, dict)
    assert 30 < read < 850


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"vocab"', r'"voca\u0062"'),
        lambda text: text.replace('"model"', r'"mode\u006c"'),
        lambda text: text.replace('"th": ', '"th": 1, "th": '),
        lambda text: text.replace('"t h"', '"t h", "t h"'),
        lambda text: text.replace('"t h"', '"#version: 0.2", "t h"'),
        lambda text: text.replace('"t h"', '["t", "h"]'),
        lambda text: text.replace('"t h"', '"t  h"'),
        lambda text: text.replace('"t h"', '"th"'),
        lambda text: text.replace('"th": 256', '"th": 0256'),
        lambda text: text.replace('"th": 256', '"th": 256.0'),
        lambda text: text.replace('"th": 256', '"th": 4294967295'),
        lambda text: text.replace('"th": 256', '"th": 99999999'),
        lambda text: text.replace('"!": 0', '"": 0'),
        lambda text: text.replace('"!": 0', r'"\ud83d\u0041": 0'),
        lambda text: text.replace('"!": 0', r'"\ud83d\ude00": 0'),
        lambda text: text.replace('"!": 0', r'"\ude00": 0'),
        lambda text: text.replace('"model": {', '"x": {"model": {"vocab": {}, "merges": []}}, "model": {'),
        lambda text: text.replace('"model": {', '"model": {"vocab": {}, '),
        lambda text: text + " \n",
        lambda text: text + "x",
        lambda text: "\ufeff" + text,
    ],
)
def test_unusual_files_mean_the_same_to_the_core_and_the_loader(
    change: Callable[[str], str], in_python: Callable[[bytes], TokenizerSpec]
) -> None:
    data = change(SMALL).encode()
    assert data != SMALL.encode()
    assert meaning(in_both, data) == meaning(in_python, data)


def test_entries_are_the_same_as_arrays_and_as_a_mapping() -> None:
    tokens = {"a": 3, "": 7, "é": 0, "b" * 300: 12, "中a": 5}
    made = Vocabulary.of(tokens)
    flat = Vocabulary(made.flat)
    assert dict(flat.items()) == dict(made.items()) == tokens == dict(flat)
    assert list(Vocabulary(made.flat)) == list(tokens)
    assert len(Vocabulary(made.flat)) == len(tokens)
    wanted = ["é", "x", "", "é", "a", "中a"]
    assert Vocabulary(made.flat).find(wanted) == made.find(wanted) == {"é": 0, "": 7, "a": 3, "中a": 5}
    assert flat.with_ids([12, 1, 0]) == made.with_ids({0, 12}) == {0: "é", 12: "b" * 300}
    assert flat.chars() == {"a": 3, "é": 0}
    assert pickle.loads(pickle.dumps(flat)) == made
    ranks = RankTable.of({b"\xff": 2, b"\xffa": 1})
    assert RankTable(ranks.flat).find([b"\xffa", b"a"]) == {b"\xffa": 1}
    merges = Merges.of([(1, 2, 3), (4, 5, 6)])
    assert (merges[1], merges[:1], list(merges)) == ((4, 5, 6), ((1, 2, 3),), [(1, 2, 3), (4, 5, 6)])
    assert merges == ((1, 2, 3), (4, 5, 6)) == merges
    assert merges != ((1, 2, 3),)
    assert Merges.of([]) == ()


# --- keeping -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["qwen3", "llama-2", "deepseek-v3"])
def test_a_kept_tokenizer_is_the_one_that_was_read(
    family: str, folder: Path, family_file: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = family_file(family).read_bytes()
    eager = Tokenizer(read_json(data, load_json(data).sha256))
    first = vt.load(data)
    assert_the_same(first, eager)
    monkeypatch.setattr("verified_tok.loading.tokenizer_json.parse", None)  # nothing is read again ...
    monkeypatch.setattr(native, "build_model", None)  # ... or built
    second = vt.load(data)
    assert_the_same(second, eager)
    assert content(second.spec) == {**content(eager.spec), "named": True}
    assert [second.token_to_id(token) for token in list(eager.spec.model.vocab)[::999]] == list(  # type: ignore[union-attr]
        eager.spec.model.vocab.values()  # type: ignore[union-attr]
    )[::999]


def test_the_report_on_a_kept_tokenizer(folder: Path, family_file: Callable[[str], Path]) -> None:
    path = family_file("qwen3")
    assert str(vt.load(path).admission()) == str(vt.load(path).admission())


def test_kept_ranks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from verified_tok.fetch import fetch

    [name, *_] = [name for name, family in FAMILIES.items() if isinstance(family.file, RankFile)]
    file = FAMILIES[name].file
    assert isinstance(file, RankFile)
    path, rest = fetch(name), (file.pattern, file.special_tokens)
    first = vt.from_tiktoken(path, *rest)
    by_mapping = vt.from_tiktoken(dict(first.spec.model.ranks), *rest)  # type: ignore[union-attr]
    with monkeypatch.context() as patch:
        patch.setattr("verified_tok.loading.ranks._read", None)
        second = vt.from_tiktoken(path, *rest)
    assert_the_same(second, by_mapping)
    assert dict(second.spec.model.ranks) == dict(first.spec.model.ranks)  # type: ignore[union-attr]
    assert vt.from_tiktoken(path, *rest, normalizer=UnicodeForm("NFC")) != second
    for wrong in ({**file.special_tokens, "": 500_000}, {**file.special_tokens, "<x>": 5}):
        with pytest.raises(InvalidTokenizerFile):
            from_ranks(path, file.pattern, wrong)
    with pytest.raises(InvalidTokenizerFile):
        from_ranks(path, file.pattern, {**file.special_tokens, "<x>": True})


def damages(whole: bytes, other: bytes) -> dict[str, bytes]:
    rng = random.Random(len(whole))
    flipped = {}
    for number in range(30):
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        flipped[f"bit {number}"] = bytes(data)
    double = bytearray(whole)
    double[-200] ^= 0x80
    double[-200 - 32] ^= 0x80  # the same lane of the checksum
    return {
        **flipped,
        "two bits": bytes(double),
        "nothing": b"",
        "short": whole[:40],
        "a page short": whole[:-4096],
        "a byte short": whole[:-1],
        "a byte long": whole + b"\0",
        "zeros at the end": whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2),
        "zeros": bytes(len(whole)),
        "text": b"version https://git-lfs.github.com/spec/v1\n" * 9,
        "another tokenizer's": other,
        "words swapped": whole[:4096] + whole[4104:4112] + whole[4096:4104] + whole[4112:],
    }


@pytest.mark.parametrize("use", ["spec", "encode", "decode", "seams"])
def test_damaged_files_are_noticed(use: str, folder: Path, family_file: Callable[[str], Path]) -> None:
    data, other = (family_file(name).read_bytes() for name in ("gpt-neox", "deepseek-coder"))
    tok = vt.load(data)
    expected = [tok.encode(text).tolist() for text in TEXTS]

    def ask() -> None:
        loaded = vt.load(data)
        assert [loaded.encode(text).tolist() for text in TEXTS] == expected
        assert [loaded.decode(ids) for ids in expected] == [loaded.normalize(text) for text in TEXTS]
        assert loaded.session(TEXTS[0]).ids.tolist() == expected[0]
        assert len(loaded.spec.model.vocab) == len(tok.spec.model.vocab)  # type: ignore[union-attr]

    ask()
    [path] = folder.glob(f"{use}-*{tok.spec.sha256[:32]}*")
    whole = path.read_bytes()
    assert is_sound(use, tok)
    stranger = vt.load(other)
    stranger.decode([1])
    stranger.session("")
    [theirs] = (file for file in folder.glob(f"{use}-*") if file != path)
    for name, damaged in damages(whole, theirs.read_bytes()).items():
        assert damaged != whole or name == "words swapped", name
        path.write_bytes(damaged)
        assert damaged == whole or not is_sound(use, tok), name
        if name in ("a page short", "another tokenizer's") or (
            use != "seams" and name in ("nothing", "zeros", "a byte long")
        ):
            ask()
            assert path.read_bytes() == whole, name
    path.unlink()
    path.mkdir()  # what can be neither read nor replaced
    ask()


def test_files_that_are_cut_while_they_are_in_use(folder: Path, family_file: Callable[[str], Path]) -> None:
    """Were they mapped, the process would end."""
    data = family_file("gpt-neox").read_bytes()
    first = vt.load(data)
    assert_the_same(first, first)  # makes all of them
    loaded = vt.load(data)
    loaded.decode(loaded.session("Hello").ids)
    assert len(image_folder(loaded)) >= 4
    for path in image_folder(loaded):
        os.truncate(path, 0)
    assert_the_same(loaded, first)
    assert content(loaded.spec) == content(first.spec)


def is_sound(use: str, tok: Tokenizer) -> bool:
    chosen = {name.name.split("-" + tok.spec.sha256[:32])[0] for name in image_folder(tok)}
    [name] = [name for name in chosen if name.startswith(use)]
    return image_file.kept(name, tok.spec.sha256) is not None


def image_folder(tok: Tokenizer) -> list[Path]:
    return list((image_file.cache_folder() / "images").glob(f"*{tok.spec.sha256[:32]}*"))


def test_no_more_files_are_kept_than_wanted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = native.Image.of({"token_lengths": np.arange(9, dtype=np.uint32)})
    monkeypatch.setattr(image_file, "FILES_KEPT", 5)
    folder.mkdir()
    (folder / "tmp0.part").write_bytes(b"begun an hour ago")
    (folder / "tmp1.part").write_bytes(b"begun now")
    os.utime(folder / "tmp0.part", (time.time() - 4000, time.time() - 4000))
    for number in range(8):
        image_file.keep("encode", f"{number:064}"[::-1], image)
    assert len(list(folder.glob("*.image"))) == 5
    assert [file.name for file in folder.glob("*.part")] == ["tmp1.part"]


@pytest.mark.parametrize("place", ["file/images", "/proc/self/nothing"])
def test_no_place_to_keep_anything(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family_file: Callable[[str], Path]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(image_file, "cache_folder", lambda: tmp_path / place)
    data = family_file("gpt-neox").read_bytes()
    assert vt.load(data).encode("Hello world").tolist() == HELLO
    assert vt.load(data).session("Hello world").ids.tolist() == HELLO


def test_a_refused_file_is_refused_each_time(folder: Path, family_file: Callable[[str], Path]) -> None:
    document = json.loads(family_file("gpt-neox").read_bytes())
    document["model"]["dropout"] = 0.1
    data = json.dumps(document).encode()
    messages = set()
    for _ in range(2):
        with pytest.raises(UnsupportedTokenizer) as raised:
            vt.load(data)
        messages.add(str(raised.value))
    assert len(messages) == 1
    assert not list(folder.glob("*"))


def test_other_parts_have_other_tables(folder: Path, family_file: Callable[[str], Path]) -> None:
    tok = vt.load(family_file("qwen3"))
    assert tok.encode("e\u0301").tolist() == tok.encode("\u00e9").tolist()
    changed = Tokenizer(replace(tok.spec, normalizers=()))
    assert changed.encode("e\u0301").tolist() != changed.encode("\u00e9").tolist()
    assert changed.decode(changed.encode("e\u0301")) == "e\u0301"


def test_small_tokenizers_are_not_kept(folder: Path) -> None:
    vt.load(SMALL.encode()).session("x")
    assert not list(folder.glob("*"))


# --- processes ---------------------------------------------------------------------------------------

PROGRAM = """
import sys, verified_tok as vt
tok = vt.load(sys.argv[1])
print(tok.encode("Hello  world").tolist(), tok.decode([1, 2, 3]))
"""


def started(path: Path, cache: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "VERIFIED_TOK_CACHE": str(cache)}
    command = [sys.executable, "-c", PROGRAM, str(path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def test_processes_that_begin_together_or_are_killed(
    tmp_path: Path, family_file: Callable[[str], Path]
) -> None:
    path, cache = family_file("gpt-neox"), tmp_path / "cache"
    together = [started(path, cache) for _ in range(3)]
    said = {process.communicate()[0] for process in together}
    assert len(said) == 1
    assert {process.returncode for process in together} == {0}
    assert {file.suffix for file in (cache / "images").iterdir()} == {".image"}
    rng = random.Random(1)
    for _ in range(3):
        shutil.rmtree(cache)
        killed = started(path, cache)
        while not list(cache.rglob("*.part")) + list(cache.rglob("*.image")) and killed.poll() is None:
            time.sleep(0.001)
        time.sleep(rng.random() * 0.01)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        assert {started(path, cache).communicate()[0]} == said


def test_a_second_load_is_small(tmp_path: Path, family_file: Callable[[str], Path]) -> None:
    """What is not needed is not imported, and memory is what the tables take."""
    program = """
import json, os, sys
import numpy
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
before = resident()
import verified_tok as vt
tok = vt.load(sys.argv[1])
tok.encode("Hello"), tok.session("Hello")
print(json.dumps([resident() - before, sorted(m for m in sys.modules if m.startswith("verified_tok"))]))
"""
    path, environment = family_file("qwen3"), {**os.environ, "VERIFIED_TOK_CACHE": str(tmp_path)}
    for limit in (75, 45):  # megabytes; measured: 55 and 32
        said = subprocess.run(
            [sys.executable, "-c", program, path], env=environment, stdout=subprocess.PIPE, check=True
        )
        megabytes, modules = json.loads(said.stdout)
        assert megabytes < limit
    heavy = (
        "admission",
        "chat",
        "conversation",
        "reference.pattern",
        "reference.regex",
        "tables",
        "registry",
    )
    assert not [name for name in modules if name.endswith(heavy)]


# --- copies ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["qwen3", "gpt-neox"])
def test_copies_and_pickles(family: str, folder: Path, family_file: Callable[[str], Path]) -> None:
    tok = vt.load(family_file(family))
    assert copy.copy(tok) is tok
    assert copy.deepcopy({"tok": [tok]})["tok"][0] is tok
    restored = pickle.loads(pickle.dumps(tok))
    assert restored is not tok
    assert_the_same(restored, tok)
    assert content(restored.spec) == content(tok.spec)
    assert restored.spec.sha256 == tok.spec.sha256
    assert weakref.ref(tok)() is tok
    assert copy.deepcopy(tok.spec) == tok.spec
    assert content(copy.deepcopy(tok.spec)) == content(tok.spec)
    assert vt.load(SMALL.encode()) != tok
    assert tok != tok.spec


def test_pickles_of_ranks_and_of_reference_encoders() -> None:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"he": 256}
    tok = vt.from_tiktoken(ranks, r"\p{L}+|\P{L}", {"<|end|>": 300}, normalizer=UnicodeForm("NFC"))
    assert_the_same(pickle.loads(pickle.dumps(tok)), tok)
    split = {"type": "Split", "behavior": "Removed", "invert": False}
    stages = [{**split, "pattern": {"Regex": letter}} for letter in "abcdefghi"]  # more than the core takes
    small = vt.load(
        json.dumps(byte_level(pre_tokenizer={"type": "Sequence", "pretokenizers": stages})).encode()
    )
    assert small._encoder(small._all_added).path.startswith("reference")
    assert_the_same(pickle.loads(pickle.dumps(small)), small)


def test_stages_are_written_and_read(family_file: Callable[[str], Path]) -> None:
    for family in ("qwen3", "llama-2", "gemma-3", "deepseek-v3"):
        loaded = load_json(family_file(family).read_bytes())
        for name in ("normalizers", "pre_tokenizers", "decoders", "post_processors"):
            stages = getattr(loaded, name)
            assert kept._read(json.loads(json.dumps(kept._written(stages)))) == stages
