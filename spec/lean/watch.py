"""The developer's loop: a file is checked again whenever it is saved, and another terminal may ask for goals.

`watch` keeps the worker; `watch --once` and `goal` talk to a running `watch` of the same file over a
socket, and work alone when there is none.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

from .check import Checker, check_modules, module_keys
from .errors import LeanToolError
from .modules import Module, module_graph, module_name, read_module
from .project import Project
from .worker import Worker

_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Answer:
    """What is printed, and whether the file passed."""

    text: str
    passed: bool


class Session:
    """A file, its worker, and the compiled imports that the worker reads."""

    def __init__(self, project: Project, cache: Path, file: Path, jobs: int) -> None:
        self.project = project
        self.file = file.resolve()
        self.jobs = jobs
        self.checker = Checker(cache)
        self.imports: dict[str, str] | None = None
        self.worker: Worker | None = None
        self.resources = ExitStack()
        self.one_at_a_time = threading.Lock()

    def check(self) -> Answer:
        """The diagnostics of the file as it is now, one a line, and a summary. Raises LeanToolError."""
        began = time.monotonic()
        module = self._module()
        previous = self.worker
        worker = self._worker_for(module)
        messages = worker.check(module.source)
        lines = [f"{self.file.name}:{m.line}:{m.column}: {m.severity}: {m.text}" for m in messages]
        failures = sum(message.fails for message in messages)
        note = "" if worker is previous else " (a fresh worker)"
        verdict = f"failed ({failures})" if failures else "ok"
        lines.append(f"{verdict} in {time.monotonic() - began:.1f} s{note}")
        return Answer("\n".join(lines), passed=failures == 0)

    def goal(self, line: int, column: int) -> Answer:
        """The proof state at line (from 1) and column (from 0) of the present text. Raises LeanToolError."""
        module = self._module()
        worker = self._worker_for(module)
        if worker.text != module.source:
            worker.check(module.source)
        return Answer(worker.goal(line, column), passed=True)

    def answer(self, request: list[Any]) -> Answer:
        """What `["check"]` or `["goal", line, column]` asks for; one at a time. Raises LeanToolError."""
        with self.one_at_a_time:
            try:
                match request:
                    case ["check"]:
                        return self.check()
                    case ["goal", int(line), int(column)]:
                        return self.goal(line, column)
                raise LeanToolError(f"no such request: {request}")
            except LeanToolError:
                self.close()
                raise

    def close(self) -> None:
        """Ends the worker, if there is one, and removes what it used."""
        self.worker = None
        self.resources.close()

    def _module(self) -> Module:
        inside = self.file.is_relative_to(self.project.lean)
        return read_module(module_name(self.project, self.file) if inside else self.file.stem, self.file)

    def _worker_for(self, module: Module) -> Worker:
        """The worker, started afresh when what the file imports has changed."""
        graph = module_graph(self.project, module)
        graph.order.remove(module)
        if graph.problems:
            raise LeanToolError("\n".join(map(str, graph.problems)))
        keys = module_keys(graph, self.checker.lean.key)
        if self.worker is not None and keys == self.imports:
            return self.worker
        self.close()
        tree = self.resources.enter_context(self.checker.compiled_tree())
        for result in check_modules(self.checker, graph, tree, self.jobs):
            if not result.passed:
                raise LeanToolError(f"the import {result.module.name} does not pass: run check")
        self.worker = Worker(self.checker.verified_lean, self.file, tree)
        self.resources.callback(self.worker.close)
        self.imports = keys
        return self.worker


def watch(session: Session, cache: Path, say: Callable[[str], None]) -> None:
    """Checks the file, then again at each change, until interrupted; answers `ask` meanwhile."""
    address = _address(cache, session.file)
    address.unlink(missing_ok=True)
    with Listener(str(address), family="AF_UNIX") as listener:
        threading.Thread(target=_serve, args=(listener, session), daemon=True).start()
        seen = None
        while True:
            changed = _time_of_change(session.file)
            if changed not in (None, seen):
                seen = changed
                try:
                    say(session.answer(["check"]).text)
                except LeanToolError as error:
                    say(f"error: {error}")
            time.sleep(_POLL_SECONDS)


def ask(cache: Path, file: Path, request: list[Any]) -> Answer | None:
    """The answer of the running `watch` of this file, or None when there is none. Raises LeanToolError."""
    try:
        with Client(str(_address(cache, file.resolve())), family="AF_UNIX") as connection:
            connection.send_bytes(json.dumps(request).encode())
            reply = json.loads(connection.recv_bytes())
    except (OSError, EOFError):
        return None
    if "error" in reply:
        raise LeanToolError(reply["error"])
    return Answer(**reply)


def _time_of_change(file: Path) -> int | None:
    """None while an editor is replacing the file."""
    try:
        return file.stat().st_mtime_ns
    except FileNotFoundError:
        return None


def _serve(listener: Listener, session: Session) -> None:
    while True:
        try:
            connection = listener.accept()
        except OSError:
            return  # the watch has ended
        with connection:
            _answer_one(connection, session)


def _answer_one(connection: Connection[Any, Any], session: Session) -> None:
    reply: dict[str, Any]
    try:
        reply = asdict(session.answer(json.loads(connection.recv_bytes())))
    except LeanToolError as error:
        reply = {"error": str(error)}
    connection.send_bytes(json.dumps(reply).encode())


def _address(cache: Path, file: Path) -> Path:
    return cache / f"watch-{hashlib.sha256(str(file).encode()).hexdigest()[:12]}.socket"
