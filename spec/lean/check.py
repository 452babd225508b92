"""Checks modules in the order of their imports, and keeps what passed under a hash of all it depends on."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from .errors import LeanToolError
from .fetch import create_once
from .modules import Module, ModuleGraph
from .toolchain import Toolchain, toolchain

_COMPILED = "module"
"""The stem of the compiled parts in the store."""

_MESSAGES = "messages.json"


@dataclass(frozen=True)
class Message:
    """One of Lean's diagnostics; lines count from 1, columns from 0."""

    severity: str
    line: int
    column: int
    text: str

    @property
    def fails(self) -> bool:
        """Errors fail, and so does the warning that a declaration uses `sorry`."""
        return self.severity == "error" or ("declaration uses" in self.text and "sorry" in self.text)


@dataclass(frozen=True)
class Result:
    """What came of one module; `blocked_by` names the failed imports that kept it from being checked."""

    module: Module
    passed: bool = False
    messages: tuple[Message, ...] = ()
    was_cached: bool = False
    seconds: float = 0.0
    blocked_by: tuple[str, ...] = ()


def module_keys(graph: ModuleGraph, toolchain_key: str) -> dict[str, str]:
    """For each module the hash of the toolchain, the module's name and text, and the keys of its imports."""
    keys: dict[str, str] = {}
    for module in graph.order:
        imports = [keys[name] for name in graph.own_imports[module.name]]
        parts = [toolchain_key, module.name, module.source, *imports]
        keys[module.name] = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return keys


class Checker:
    """Runs Lean on one module, or takes the result from the store when nothing it depends on has changed."""

    def __init__(self, cache: Path) -> None:
        self.cache = cache
        self.lean = toolchain(cache)
        self.store = cache / "results"

    @cached_property
    def verified_lean(self) -> Toolchain:
        """The toolchain, verified once; asked for when Lean must really run."""
        self.lean.verify()
        return self.lean

    @contextmanager
    def compiled_tree(self) -> Iterator[Path]:
        """An empty directory for compiled modules, laid out as Lean looks for them; removed at the end."""
        self.store.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="tree-", dir=self.cache) as directory:
            yield Path(directory)

    def check(self, module: Module, key: str, tree: Path) -> Result:
        """Checks one module whose imports lie in `tree`, and adds it there if it passes.

        Raises LeanToolError when Lean ends without a verdict.
        """
        entry = self.store / key
        if entry.is_dir():
            _link_compiled(entry, tree, module.name)
            stored = json.loads((entry / _MESSAGES).read_text("utf-8"))
            return Result(module, True, tuple(Message(**fields) for fields in stored), was_cached=True)
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="check-", dir=self.cache) as directory:
            output = Path(directory, "output")
            output.mkdir()
            messages = self._run(module, tree, Path(directory), output)
            passed = not any(message.fails for message in messages)
            if passed:
                (output / _MESSAGES).write_text(
                    json.dumps([asdict(message) for message in messages]), "utf-8"
                )
                create_once(entry, lambda target: _move_files(output, target))
                _link_compiled(entry, tree, module.name)
        return Result(module, passed, messages, seconds=time.monotonic() - began)

    def _run(self, module: Module, tree: Path, directory: Path, output: Path) -> tuple[Message, ...]:
        """Gives Lean a copy of the text that was hashed: the file itself may change at any time."""
        source = directory.joinpath(*module.name.split(".")).with_suffix(".lean")
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(module.source, "utf-8")
        arguments = ["--json", "-R", str(directory), "-o", str(output / f"{_COMPILED}.olean"), str(source)]
        process = self.verified_lean.start(arguments, tree, directory)
        stdout, stderr = process.communicate()
        messages = tuple(_parse_messages(stdout.decode("utf-8", "replace")))
        if process.returncode != 0 and not any(message.fails for message in messages):
            trace = "\n".join(stderr.decode("utf-8", "replace").splitlines()[-12:])
            raise LeanToolError(
                f"{module.path}: Lean ended with status {process.returncode} and no diagnostic\n{trace}"
            )
        return messages


def check_modules(checker: Checker, graph: ModuleGraph, tree: Path, jobs: int) -> Iterator[Result]:
    """Checks every module of the graph, `jobs` at a time, each when its imports are done.

    The results come in the graph's order, whatever the order in which they were finished.
    """
    keys = module_keys(graph, checker.lean.key)
    waiting = list(graph.order)
    running: dict[Future[Result], str] = {}
    results: dict[str, Result] = {}
    next_to_yield = 0
    with ThreadPoolExecutor(jobs) as pool:
        while waiting or running:
            for module in list(waiting):
                imports = graph.own_imports[module.name]
                if all(name in results for name in imports):
                    waiting.remove(module)
                    failed = tuple(name for name in imports if not results[name].passed)
                    if failed:
                        results[module.name] = Result(module, blocked_by=failed)
                    else:
                        running[pool.submit(checker.check, module, keys[module.name], tree)] = module.name
            for future in wait(running, return_when=FIRST_COMPLETED).done if running else ():
                results[running.pop(future)] = future.result()
            while next_to_yield < len(graph.order) and graph.order[next_to_yield].name in results:
                yield results[graph.order[next_to_yield].name]
                next_to_yield += 1


def compiled_path(tree: Path, name: str) -> Path:
    """Where the compiled parts of a module lie in a tree, without their suffixes."""
    return tree.joinpath(*name.split("."))


def _link_compiled(entry: Path, tree: Path, name: str) -> None:
    target = compiled_path(tree, name)
    target.parent.mkdir(parents=True, exist_ok=True)
    for part in entry.glob(f"{_COMPILED}.*"):
        os.link(part, f"{target}{part.name.removeprefix(_COMPILED)}")


def _move_files(source: Path, target: Path) -> None:
    for file in source.iterdir():
        file.rename(target / file.name)


def _parse_messages(output: str) -> Iterator[Message]:
    """Lean's `--json` output: one object a line. Raises LeanToolError on anything else."""
    for line in output.splitlines():
        try:
            fields = json.loads(line)
            place = fields["pos"]
            yield Message(fields["severity"], place["line"], place["column"], fields["data"].rstrip())
        except (ValueError, KeyError, TypeError):
            raise LeanToolError(f"Lean printed something that is no diagnostic: {line[:300]}") from None
