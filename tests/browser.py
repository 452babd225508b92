"""A real browser: headless Chromium out of a package, driven over a pipe by its own protocol."""

from __future__ import annotations

import base64
import io
import json
import os
import select
import subprocess
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import brotli
from filelock import FileLock

from verified_tok.cache import cache_folder
from verified_tok.fetch import read_member
from verified_tok.registry import Package, Registry

_CHROMIUM = Package(Registry.NPM, "@sparticuz/chromium", "147.0.0", 68_307_621)
_SECONDS = 60


def chromium() -> Path:
    """The folder of an unpacked Chromium for Linux on x86-64, with the libraries and fonts it needs."""
    folder = cache_folder() / f"chromium-{_CHROMIUM.version}"
    cache_folder().mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / "whole").exists():
            folder.mkdir(exist_ok=True)
            program = folder / "chromium"
            program.write_bytes(brotli.decompress(read_member(_CHROMIUM, "package/bin/chromium.br")))
            program.chmod(0o755)
            for name in ("al2023", "fonts", "swiftshader"):
                packed = brotli.decompress(read_member(_CHROMIUM, f"package/bin/{name}.tar.br"))
                with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                    archive.extractall(folder, filter="data")
            # The package's own file names the folders of one hosting service.
            fonts = f"<fontconfig><dir>{folder / 'fonts'}</dir><dir>/usr/share/fonts</dir></fontconfig>"
            (folder / "fonts.conf").write_text(fonts)
            (folder / "whole").touch()
    return folder


class Page:
    """One page in the browser. `complaints` are its console errors, uncaught exceptions and blocked loads."""

    def __init__(self, process: subprocess.Popen[bytes], to_browser: int, from_browser: int) -> None:
        self._process, self._out, self._in = process, to_browser, from_browser
        self._read, self._calls = b"", 0
        self._events: list[dict[str, Any]] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        self._call("Page.setLifecycleEventsEnabled", enabled=True)

    def open(self, path: Path, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """Load a file and wait until it is loaded and drawn: before the first frame nothing is on the screen,
        so that `innerText` of what has `content-visibility: auto` is empty."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        self._events.clear()
        loader = self._call("Page.navigate", url=path.resolve().as_uri())["loaderId"]
        while not any(_is_load(event, loader) for event in self._events):
            self._events.append(self._receive())
        self.run("new Promise(seen => requestAnimationFrame(() => requestAnimationFrame(seen)))")

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression; if it is a promise, what it is kept with."""
        result = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def click(self, selector: str, control: bool = False) -> None:
        """Press and release the mouse in the middle of an element."""
        box = self.run(f"document.querySelector({json.dumps(selector)}).getBoundingClientRect().toJSON()")
        place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "button": "left", "clickCount": 1, "modifiers": 2 if control else 0}
            self._call("Input.dispatchMouseEvent", **event, **place)

    def write(self, text: str) -> None:
        """Type a text where the cursor is."""
        self._call("Input.insertText", text=text)

    def screenshot(self, path: Path) -> None:
        """Write what is seen to a PNG file."""
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"]))

    def complaints(self) -> list[dict[str, Any]]:
        """What went wrong since the page was opened, and every request that left it."""
        self.run("0")  # events that are under way arrive before the answer
        bad = ("Runtime.exceptionThrown", "Log.entryAdded", "Network.loadingFailed")
        found = [event for event in self._events if event["method"] in bad]
        for event in self._events:
            match event:
                case {"method": "Runtime.consoleAPICalled", "params": {"type": "error" | "warning"}}:
                    found.append(event)
                case {"method": "Network.requestWillBeSent", "params": {"request": {"url": url}}}:
                    found += [] if url.startswith(("file:", "data:")) else [event]
        return found

    def close(self) -> None:
        """End the browser."""
        self._call("Browser.close", session=False)

    def _call(self, method: str, session: bool = True, **parameters: object) -> dict[str, Any]:
        self._calls += 1
        number = self._calls
        message: dict[str, object] = {"id": number, "method": method, "params": parameters}
        if session and hasattr(self, "_session"):
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer)
                result: dict[str, Any] = answer["result"]
                return result
            self._events.append(answer)

    def _receive(self) -> dict[str, Any]:
        until = time.monotonic() + _SECONDS
        while b"\0" not in self._read:
            readable, _, _ = select.select([self._in], [], [], max(0, until - time.monotonic()))
            part = os.read(self._in, 1 << 16) if readable else b""
            assert part, f"the browser is silent; its exit code is {self._process.poll()}"
            self._read += part
        first, self._read = self._read.split(b"\0", 1)
        message: dict[str, Any] = json.loads(first)
        return message


def _is_load(event: dict[str, Any], loader: str) -> bool:
    """Whether the document of this loader, and not one before it, is loaded."""
    match event:
        case {"method": "Page.lifecycleEvent", "params": {"name": "load", "loaderId": found}}:
            return bool(found == loader)
    return False


@contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """A page in a browser that lives until the block ends; `profile` is an empty folder for its files."""
    home = chromium()
    command_in, to_browser = os.pipe()
    from_browser, command_out = os.pipe()
    # The browser reads file descriptor 3 and writes 4; a shell puts them there.
    script = f'exec 3<&{command_in} 4>&{command_out}; exec "$0" "$@"'
    options = ["--headless=new", "--no-sandbox", "--no-zygote", "--disable-gpu", "--remote-debugging-pipe"]
    process = subprocess.Popen(
        ["bash", "-c", script, str(home / "chromium"), *options, f"--user-data-dir={profile}"],
        pass_fds=(command_in, command_out),
        env=os.environ | {"LD_LIBRARY_PATH": f"{home / 'lib'}:{home}", "FONTCONFIG_PATH": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(command_in)
    os.close(command_out)
    try:
        page = Page(process, to_browser, from_browser)
        yield page
        page.close()
        process.wait(timeout=_SECONDS)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(to_browser)
        os.close(from_browser)
