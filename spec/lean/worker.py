"""One `lean --worker` kept alive: it re-checks a file from the first changed declaration on."""

from __future__ import annotations

import json
import queue
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any

from .check import Message
from .errors import LeanToolError
from .toolchain import Toolchain

_SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}
_FINISHED = "$/lean/ileanInfoFinal"
"""The worker's notice that a version of the file is checked to its end."""


class Worker:
    """A language-server worker for one file; its imports must lie compiled in `tree`."""

    def __init__(self, lean: Toolchain, file: Path, tree: Path) -> None:
        self.text = ""
        self.version = 0
        self.requests = 0
        self.uri = file.as_uri()
        self.log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process runs)
        # One thread elaborates; more of them need more of the 2 GB that the module has.
        arguments = ["-DElab.async=false", "--worker", self.uri]
        self.process = lean.start(arguments, tree, file.parent, stderr=self.log, long_lived=True)
        self.received: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._receive_all, daemon=True).start()
        self._send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, number=0)

    def check(self, text: str) -> list[Message]:
        """Lean's diagnostics for this text of the file. Raises LeanToolError when the worker dies."""
        self.text = text
        self.version += 1
        if self.version == 1:
            document = {"uri": self.uri, "languageId": "lean", "version": 1, "text": text}
            self._send("textDocument/didOpen", {"textDocument": document, "dependencyBuildMode": "never"})
        else:
            document = {"uri": self.uri, "version": self.version}
            self._send(
                "textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]}
            )
        diagnostics: list[dict[str, Any]] = []
        while True:
            message = self._next()
            parameters = message.get("params") or {}
            if parameters.get("version") != self.version:
                continue
            if message.get("method") == "textDocument/publishDiagnostics":
                diagnostics = parameters["diagnostics"]
            elif message.get("method") == _FINISHED:
                return sorted(map(self._diagnostic, diagnostics), key=lambda item: (item.line, item.column))

    def goal(self, line: int, column: int) -> str:
        """The proof state in the checked text (line from 1, column from 0). Raises LeanToolError."""
        self.requests += 1
        position = {"line": line - 1, "character": _utf16_length(self._line(line)[:column])}
        parameters = {"textDocument": {"uri": self.uri}, "position": position}
        self._send("$/lean/plainGoal", parameters, number=self.requests)
        while True:
            message = self._next()
            if message.get("id") == self.requests and "method" not in message:
                if "error" in message:
                    raise LeanToolError(f"no goal at {line}:{column}: {message['error']['message']}")
                result = message.get("result")
                return "\n\n".join(result["goals"]) or "no goals" if result else "no proof here"

    def close(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.wait()
        self.log.close()

    def _diagnostic(self, fields: dict[str, Any]) -> Message:
        start = fields["range"]["start"]
        line = start["line"] + 1
        column = len(_utf16_prefix(self._line(line), start["character"]))
        return Message(_SEVERITIES[fields.get("severity", 1)], line, column, fields["message"].rstrip())

    def _line(self, line: int) -> str:
        lines = self.text.split("\n")
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def _send(self, method: str, parameters: dict[str, Any], number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        body = json.dumps(message if number is None else message | {"id": number}).encode()
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._death() from None

    def _receive_all(self) -> None:
        """Puts every message of the worker into the queue, and None at the end."""
        stream = self.process.stdout
        assert stream is not None
        length = 0
        for line in iter(stream.readline, b""):
            if line.startswith(b"Content-Length: "):
                length = int(line.split(b":")[1])
            elif line == b"\r\n" and length:
                self.received.put(json.loads(stream.read(length)))
                length = 0
        self.received.put(None)

    def _next(self) -> dict[str, Any]:
        message = self.received.get()
        if message is None:
            raise self._death()
        return message

    def _death(self) -> LeanToolError:
        time.sleep(0.1)  # the last words may still be under way
        self.log.seek(0)
        words = self.log.read().decode("utf-8", "replace")[-1500:]
        return LeanToolError(f"the Lean worker ended with status {self.process.poll()}\n{words}")


def _utf16_length(text: str) -> int:
    """The protocol counts columns in UTF-16 units; Lean's messages and ours count characters."""
    return len(text.encode("utf-16-le")) // 2


def _utf16_prefix(text: str, units: int) -> str:
    return text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore")
