"""Serves the page of a run that goes on, to this machine alone: it reads, and changes nothing.

Who wants the page needs its address, in which a token stands that nobody can guess. A page of another origin gets no
answer, also where a name of its own leads to this machine.
"""

from __future__ import annotations

import hashlib
import hmac
import http.server
import json
import os
import secrets
import threading
import time
import urllib.parse
from collections.abc import Callable, Sequence

import fairfront_archive
from fairfront_archive import ArchiveError
from fairfront_archive.journal import ENDING
from fairfront_report.content import content_of, labels_of

HOST = "127.0.0.1"
SHARE = 4  # times as long as a look has taken there is none: at most a fifth of a core is for the page
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
           "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
           "Content-Security-Policy": "frame-ancestors 'none'", "X-Frame-Options": "DENY"}  # beside that of the page
Stamp = tuple[tuple[str, int, int], ...]


def stamp_of(path: str) -> Stamp:
    """Changes whenever the archive or its journal does."""
    files = [path]
    if os.path.isdir(path + ENDING):
        files += sorted(entry.path for entry in os.scandir(path + ENDING))
    found = []
    for file in files:
        try:
            state = os.stat(file)
        except FileNotFoundError:
            continue
        found.append((file, state.st_size, state.st_mtime_ns))
    return tuple(found)


class Watch:
    """What runs have done so far, read again where anything has changed."""

    def __init__(self, paths: Sequence[str], render: Callable[[list[dict], dict], str], seconds: float) -> None:
        """@param render  makes a page of the contents, and of what it is to know of the watch."""
        self.paths, self.render, self.seconds = list(paths), render, seconds
        self.stamps: list[Stamp] | None = None
        self.lock = threading.Lock()
        self.page, self.told = "", ""
        self.news = b""  # version, contents and what is told, as JSON
        self.version = ""

    def look(self) -> bool:
        """Whether there is anything new.

        @throws ArchiveError  a run cannot be read now; what was read before stays.
        """
        stamps = [stamp_of(path) for path in self.paths]
        if stamps == self.stamps:
            return False
        contents = []
        for path in self.paths:
            with fairfront_archive.open(path, partial=True, program=not os.path.isdir(path + ENDING)) as archive:
                contents.append(content_of(archive))
        labels_of(contents, self.paths)
        self._publish(contents)
        self.stamps = stamps
        return True

    def _publish(self, contents: list[dict]) -> None:
        told = "; ".join(f"{content['label']}: {content['progress']}" for content in contents)
        text = json.dumps(contents, allow_nan=False, separators=(",", ":"))
        version = hashlib.sha256(text.encode()).hexdigest()[:16]
        head = json.dumps({"version": version, "told": told})[:-1]
        page = self.render(contents, {"version": version, "seconds": self.seconds})
        with self.lock:
            self.page, self.told, self.version = page, told, version
            self.news = f'{head},"contents":{text}}}'.encode()

    def follow(self, told: Callable[[str], None], ended: threading.Event) -> None:
        """Looks again and again until it is told to end."""
        last = self.told
        while not ended.is_set():
            begin = time.monotonic()
            try:
                news = self.told if self.look() else last
            except (ArchiveError, OSError) as error:
                news = f"{error}; what was read before stays"
            if news != last:
                told(news)
            last = news
            ended.wait(max(self.seconds, SHARE * (time.monotonic() - begin)))


class Server(http.server.ThreadingHTTPServer):
    """On the loopback; its address is `url`."""

    daemon_threads = True

    def __init__(self, watch: Watch, port: int = 0) -> None:
        self.watch = watch
        self.token = secrets.token_urlsafe(24)
        super().__init__((HOST, port), Handler)
        self.hosts = {f"{name}:{self.server_address[1]}" for name in (HOST, "localhost")}
        self.url = f"http://{HOST}:{self.server_address[1]}/{self.token}/"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server
    server_version, sys_version = "fairfront", ""
    timeout = 30

    def do_GET(self) -> None:  # noqa: N802
        refused = self._refusal()
        if refused:
            return self._answer(*refused)
        path, _, query = self.path.partition("?")
        _, token, name = path.split("/", 2)
        if not hmac.compare_digest(token.encode(), self.server.token.encode()) or name not in ("", "contents"):
            return self._answer(404, "There is no such page.")
        watch = self.server.watch
        with watch.lock:
            page, news, version = watch.page, watch.news, watch.version
        if name == "":
            return self._answer(200, page, "text/html; charset=utf-8")
        if urllib.parse.parse_qs(query).get("have") == [version]:
            return self._answer(204, "")
        return self._answer(200, news, "application/json")

    do_HEAD = do_GET

    def do_POST(self) -> None:  # noqa: N802
        self._answer(405, "This page is for reading alone.", more={"Allow": "GET, HEAD"})

    do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_POST

    def _refusal(self) -> tuple[int, str] | None:
        """Of what a page of another origin asks, or somebody who does not know the address."""
        if self.headers.get("Host") not in self.server.hosts:
            return 403, "This server has another name."
        origin = self.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.server.hosts:
            return 403, "Pages of other origins get no answer."
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            return 403, "Pages of other origins get no answer."
        return None if self.path.count("/") >= 2 else (404, "There is no such page.")

    def _answer(self, code: int, text: str | bytes, kind: str = "text/plain; charset=utf-8",
                more: dict[str, str] | None = None) -> None:
        body = text.encode() if isinstance(text, str) else text
        self.send_response(code)
        for name, value in {**HEADERS, **(more or {})}.items():
            self.send_header(name, value)
        if code != 204:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and code != 204:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody reads them, and the token stands in every line."""


def serve(watch: Watch, port: int, say: Callable[[str], None]) -> None:
    """Until Ctrl-C. Waits for a run that has not begun.

    @throws ArchiveError  what is there cannot be read.
    """
    while not any(stamp_of(path) for path in watch.paths):
        say(f"waits for a run: there is neither {watch.paths[0]} nor its journal")
        time.sleep(watch.seconds)
    say(f"reads {', '.join(str(path) for path in watch.paths)}; the page's address follows")
    watch.look()
    with Server(watch, port) as server:
        say(f"{server.url}\nThis address is for you alone: who has it can read the page, on this machine. Ctrl-C ends it.")
        ended = threading.Event()
        threading.Thread(target=watch.follow, args=(say, ended), daemon=True).start()
        say(watch.told)
        try:
            server.serve_forever()
        finally:
            ended.set()
