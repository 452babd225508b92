"""The tables in the package against the engines that they were probed from."""

from __future__ import annotations

import shutil
import unicodedata
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from tokenizers import normalizers

import verified_tok.tables
from spec.tables.__main__ import FOLDER, TABLES, differences
from verified_tok.errors import DamagedTable
from verified_tok.reference.charset import ALL, CharSet
from verified_tok.reference.classes import char_class, file_name, folds_to_one, same_letter
from verified_tok.reference.unicode_form import TABLE as NORMALIZATION
from verified_tok.reference.unicode_form import combining_classes
from verified_tok.spec import Dialect
from verified_tok.tables import names, parse, read


@cache
def probed(name: str) -> tuple[str, dict[str, list[str]]]:
    """What a table's engine says now: its name, and the sections."""
    engine, probe = TABLES[name]
    return engine, probe()


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_as_its_engine_says(name: str) -> None:
    assert differences(read(name), *probed(name)) == []


@pytest.mark.parametrize(
    ("name", "section", "old", "new"),
    [
        (file_name(Dialect.RUST_REGEX), "N", "b2-b3 b9", "b2-b3"),
        (NORMALIZATION, "combining classes", "1dcd\n54 = 345", "345\n54 = 1dcd"),
        (NORMALIZATION, "compositions", "41 300 = c0", "41 300 = c1"),
    ],
)
def test_a_planted_fault_is_found(name: str, section: str, old: str, new: str) -> None:
    table = read(name)
    text = "\n".join(table.sections[section])
    assert old in text
    faulty = {section: text.replace(old, new).split("\n")}
    planted = replace(table, sections=table.sections | faulty)
    assert differences(planted, *probed(name)) == [f"{name}: section {section!r} differs"]


def test_another_version_of_the_engine_is_reported() -> None:
    table = replace(read(NORMALIZATION), engine="tokenizers 0.0.1")
    assert differences(table, "tokenizers 0.0.2", table.sections) == [
        f"{NORMALIZATION}: tokenizers 0.0.1 was probed, not tokenizers 0.0.2"
    ]


def test_the_manifest_names_every_table() -> None:
    assert set(names()) == set(TABLES)
    for name in names():
        assert len(read(name).sha256) == 64


def test_a_damaged_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    damaged = tmp_path / NORMALIZATION
    damaged.write_bytes(damaged.read_bytes().replace(b"41 300 = c0", b"41 300 = c1"))
    monkeypatch.setattr(verified_tok.tables, "files", lambda _: tmp_path)
    read.cache_clear()
    try:
        with pytest.raises(DamagedTable, match=r"normalization\.txt is damaged"):
            read(NORMALIZATION)
    finally:
        monkeypatch.undo()
        read.cache_clear()


def test_sections_and_comments_are_parsed() -> None:
    assert parse("# one\n[a]\n1\n2\n[b c]\n[d]\n3\n") == {"a": ["1", "2"], "b c": [], "d": ["3"]}


@pytest.mark.parametrize("dialect", Dialect)
def test_classes_relate_as_they_must(dialect: Dialect) -> None:
    def named(*names: str) -> CharSet:
        chars = CharSet()
        for name in names:
            assert not chars & char_class(name, dialect)
            chars |= char_class(name, dialect)
        return chars

    assert named("Lu", "Ll", "Lt", "Lm", "Lo") == char_class("L", dialect)
    assert named("Nd", "Nl", "No") == char_class("N", dialect)
    assert char_class("Nd", dialect) == char_class("digit", dialect)
    assert not (named("L", "N", "M", "P", "S", "Z") - ALL)
    assert char_class("L", dialect) - char_class("word", dialect) == CharSet()
    assert "\x85" in char_class("space", dialect)
    assert "\x1c" not in char_class("space", dialect)


def test_ignoring_case_takes_the_letters_that_unicode_folds() -> None:
    for dialect in Dialect:
        assert same_letter("s", dialect) == CharSet.of("sSſ")
        assert same_letter("k", dialect) == CharSet.of("kK\u212a")
        assert same_letter("t", dialect) == CharSet.of("tT")
    assert folds_to_one("st", Dialect.ONIGURUMA)
    assert not folds_to_one("ll", Dialect.ONIGURUMA)
    assert not folds_to_one("st", Dialect.RUST_REGEX)


def test_an_unknown_class_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        char_class("Klingon", Dialect.ONIGURUMA)


def test_the_engines_know_other_versions_of_unicode_than_python() -> None:
    """Why nothing comes from `unicodedata`: Python orders a mark that the engine does not."""
    text = "\u0898\u0323"
    assert unicodedata.normalize("NFC", text) == "\u0323\u0898"
    assert normalizers.NFC().normalize_str(text) == text
    assert "\u0898" in char_class("M", Dialect.ONIGURUMA)
    assert "\u0898" not in combining_classes()
