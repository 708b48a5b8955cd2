"""Drives headless Chromium for the tests, by WebDriver over plain HTTP."""

from __future__ import annotations

import base64
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--hide-scrollbars")
START_SECONDS = 30


def available() -> bool:
    return shutil.which("chromedriver") is not None and shutil.which("chromium") is not None


class Browser:
    """One window. Use it in a `with` statement."""

    def __init__(self, width: int = 1200, height: int = 1400) -> None:
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}", "--log-level=OFF"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.session = self.start((*ARGUMENTS, f"--window-size={width},{height}",
                                       f"--user-data-dir={self.profile.name}"))
        except Exception:
            self.driver.kill()
            raise

    def start(self, arguments: tuple[str, ...]) -> str:
        wanted = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
                  "goog:chromeOptions": {"binary": shutil.which("chromium"),
                                         "args": list(arguments)}}
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                value = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
                return f"/session/{value['sessionId']}"
            except (ConnectionError, urllib.error.URLError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.profile.cleanup()

    def call(self, method: str, path: str, content: dict | None = None):
        data = None if method != "POST" else json.dumps(content or {}).encode()
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from error

    def open(self, page: pathlib.Path, fragment: str = "") -> None:
        self.visit(page.resolve().as_uri() + (f"#{fragment}" if fragment else ""))

    def visit(self, address: str) -> None:
        self.call("POST", f"{self.session}/url", {"url": address})

    def run(self, script: str, *arguments):
        """The value that the script returns."""
        return self.call("POST", f"{self.session}/execute/sync",
                         {"script": script, "args": list(arguments)})

    def wait(self, script: str, *arguments):
        """What the script gives to its last argument, a function, whenever it does."""
        return self.call("POST", f"{self.session}/execute/async",
                         {"script": script, "args": list(arguments)})

    def log(self) -> list[str]:
        """What the console has said since the last call."""
        return [entry["message"] for entry in
                self.call("POST", f"{self.session}/se/log", {"type": "browser"})]

    def actions(self, kind: str, actions: list[dict]) -> None:
        source = {"type": kind, "id": kind, "actions": actions}
        if kind == "pointer":
            source["parameters"] = {"pointerType": "mouse"}
        self.call("POST", f"{self.session}/actions", {"actions": [source]})

    def click(self, x: float, y: float) -> None:
        """At a place of the window."""
        self.actions("pointer", [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])

    def hover(self, x: float, y: float) -> None:
        self.actions("pointer", [{"type": "pointerMove", "x": round(x), "y": round(y)}])

    def press(self, key: str) -> None:
        self.actions("key", [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}])

    def emulate(self, command: str, **parameters):
        """A command of Chromium's own protocol, such as Emulation.setEmulatedMedia, and its answer."""
        return self.call("POST", f"{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def screenshot(self, target: pathlib.Path) -> None:
        target.write_bytes(base64.b64decode(self.call("GET", f"{self.session}/screenshot")))
