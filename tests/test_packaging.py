"""What `pip install` gives: everything that the package needs, and nothing that it does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "verified_tok"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source archive, and the wheel that is built from it and not from the checkout."""
    folder = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)])
    return next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a fresh environment that holds the wheel without extras."""
    home = tmp_path_factory.mktemp("home") / "env"
    venv.create(home, symlinks=True)
    python = str(home / "bin" / "python")
    run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", str(built[1])])
    return home / "bin"


def run(command: list[str], code: int = 0) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd="/")
    assert done.returncode == code, done.stdout + done.stderr
    return done


def package_files() -> set[str]:
    """What belongs to the package: every file but caches and what is compiled."""
    return {
        str(path.relative_to(ROOT))
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".so"
    }


def kernel_files() -> set[str]:
    """What the package `verified_tok.gpu` is made of; it lies beside the others."""
    files = (path for path in (ROOT / "gpu").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {f"verified_tok/{path.relative_to(ROOT)}" for path in files}


def test_wheel_holds_the_whole_package_and_nothing_else(built):
    names = {name for name in zipfile.ZipFile(built[1]).namelist() if ".dist-info/" not in name}
    native = {name for name in names if name.endswith(".so")}
    package = package_files() | kernel_files()
    assert [name.partition(".")[0] for name in native] == ["verified_tok/_core/_native"]
    assert names - native == {name for name in package if not name.endswith(".cpp")}
    assert "verified_tok/py.typed" in names
    assert any(name.startswith("verified_tok/tables/") and not name.endswith(".py") for name in names)


def test_source_archive_holds_the_proofs_and_the_tests(built):
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert package_files() <= names
    for wanted in (
        "README.md",
        "Makefile",
        "CMakeLists.txt",
        "lean/VerifiedTok.lean",
        "tests/test_packaging.py",
    ):
        assert wanted in names
    assert not [name for name in names if name.startswith((".venv", "lean/out", "lean/build"))]


def test_extras_are_declared():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {"test", "gpu", "bench", "hf"} <= set(declared)


def test_installed_package_encodes_real_text(installed, family_file):
    """In an environment that has neither engine, and from another folder than the checkout."""
    path = str(family_file("llama-2"))
    printed = run([str(installed / "verified-tok"), "encode", path, "grabbed", "--json"]).stdout
    assert json.loads(printed)["ids"] == [2646, 1327, 287]
    where = run([str(installed / "python"), "-c", "import verified_tok; print(verified_tok.__file__)"]).stdout
    assert Path(where.strip()).is_relative_to(installed.parent)


def test_installed_package_has_its_native_core(installed):
    where = "from verified_tok._core import native; print(native.__file__)"
    printed = run([str(installed / "python"), "-W", "error", "-c", where]).stdout
    assert Path(printed.strip()).is_relative_to(installed.parent)


def test_package_without_its_native_core_says_so_once_and_works():
    """As where no compiler was: the extension module cannot be imported."""
    program = (
        "import sys; sys.modules['verified_tok._core._native'] = None\n"
        "import verified_tok as vt\n"
        "tok = vt.from_tiktoken({bytes([b]): b for b in range(256)}, '.', {})\n"
        "print(tok.encode('hi').tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == "[104, 105]\n"
    assert done.stderr.count("RuntimeWarning: verified_tok runs without its native core") == 1


def test_installed_package_names_the_missing_extra(installed, family_file):
    path = str(family_file("llama-2"))
    failed = run([str(installed / "verified-tok"), "compare", path, "x"], code=2)
    assert failed.stderr.startswith("error: ")
    assert "pip install 'verified-tok[compare]'" in failed.stderr
