"""Sites for browsers, and a browser page that notices everything that goes wrong.

`with started(path) as site` runs `botequim serve`, `playing(path)` runs `botequim cup run` beside it; both
end the process when the block ends. `serving_site(path)` and `play(path)` do the same without a process of
their own, which is much faster; use them unless a test needs the commands. Where a test asks the server
without a browser, or has to reach into it, there is `tests.support.server_thread`.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.tables.tables import Tables
from tests.support.cup_files import results_file
from tests.support.pace import PATIENCE, PATIENCE_MS
from tests.support.played_cups import play_cup
from tests.support.server_thread import serving

TOKEN = "only-for-this-test"

TALKS = """
import json, os, sys, time
number = 0
for line in sys.stdin:
    question = json.loads(line)
    if "legal" not in question:
        continue
    number += 1
    if not os.path.exists(HURRY):
        time.sleep(SECONDS)
    answer = {"move": question["legal"][0], "say": SAY if number % 3 else SAY * 200}  # the longest is refused
    if question["game"] == "rps":
        answer["art"] = ["<script>document.title='hacked'</script>", "\\u202e abc", "\\ud800 half", "#" * 60]
    print(json.dumps(answer), flush=True)
"""


def talker(folder: Path, seconds: float, say: str = "Bate logo!") -> Path:
    """Make a bot that is slow and talks, until `hurry`."""
    folder.mkdir()
    source = TALKS.replace("SECONDS", repr(seconds)).replace("SAY", repr(say))
    source = source.replace("HURRY", repr(str(folder / "hurry")))
    (folder / "bot.py").write_text(source, encoding="utf-8", errors="surrogatepass")
    (folder / "botequim.toml").write_text('command = "python3 bot.py"\nwire = "arena-lines"\n')
    return folder


def hurry(folder: Path) -> None:
    """Let the games of a talker end."""
    (folder / "hurry").touch()


@dataclass
class Site:
    """A running server."""

    cups: tuple[Path, ...]
    port: int = 0
    address: str = ""
    process: subprocess.Popen[str] | None = None
    words: tuple[str, ...] = ()

    def start(self) -> None:
        """Start the server, at the same port as before if there was one."""
        command = [sys.executable, "-m", "botequim", "serve", *map(str, self.cups)]
        command += ["--port", str(self.port), "--token", TOKEN, *self.words]
        environment = {**os.environ, "BOTEQUIM_LANG": "en"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found = re.search(r"serving at (https?://127\.0\.0\.1:(\d+))/", line)
            if found:
                self.address, self.port = found[1], int(found[2])
            if "Ctrl-C" in line:
                return
        raise AssertionError("the server did not start")

    def stop(self, *, kill: bool = False) -> None:
        """Stop the server, politely or not."""
        if self.process is None:
            return
        if kill:
            self.process.kill()
        else:
            self.process.terminate()
        self.process.communicate(timeout=PATIENCE)
        self.process = None

    def cup(self, at: int = 0) -> str:
        """Return the address of a cup's page."""
        return f"{self.address}/cups/{self.cups[at].stem}"


@contextmanager
def start_site(*cups: Path, words: tuple[str, ...] = ()) -> Iterator[Site]:
    """Run a server of these cups."""
    site = Site(cups, words=words)
    site.start()
    try:
        yield site
    finally:
        site.stop()


@contextmanager
def serving_site(*cups: Path, tables: Tables | None = None) -> Iterator[Site]:
    """Serve these cups, and the tables at which people play, from a thread of this process."""
    with serving(*cups, token=TOKEN, tables=tables) as served:
        yield Site(cups, served.port, served.address)


@contextmanager
def playing(cup: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run the cup during the test, one game at a time."""
    command = [sys.executable, "-m", "botequim", "cup", "run", str(cup), "--trust", "--quiet"]
    command += ["--workers", "1", *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(PATIENCE)


def play(cup: Path, *, hold: bool = False) -> None:
    """Play a whole cup of built-in players; with `hold`, nothing of it is public."""
    home = CupPaths.of(cup)
    # in a thread: the browser of a test has an event loop in this one
    with ThreadPoolExecutor(1) as apart:
        apart.submit(lambda: play_cup(read(cup), results_file(cup))[0].close()).result()
    if hold:
        with home.storage.open_visibility() as show:
            show.hold(at=0)


class Relay:
    """A connection to a server that can be cut and restored."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        self._whole = True
        self.carried = 0
        """The number of bytes so far, in both directions."""
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                if not self._whole:
                    near.close()
                    continue
                try:
                    far = socket.create_connection(("127.0.0.1", self._to))
                except OSError:
                    near.close()
                    continue
                self._open += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while piece := one.recv(65536):
                self.carried += len(piece)
                other.sendall(piece)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        self._whole = False
        for end in self._open:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._open.clear()

    def mend(self) -> None:
        self._whole = True


@contextmanager
def relay(port: int) -> Iterator[Relay]:
    """Relay connections to this port."""
    line = Relay(port)
    try:
        yield line
    finally:
        line.cut()
        line._listening.close()


WATCH = """
window.broken = [];
addEventListener("securitypolicyviolation", (event) => {
  window.broken.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
});
window.alert = window.confirm = window.prompt = () => { window.broken.push("a dialog"); };
"""


@contextmanager
def looking(browser: Browser, **how: Any) -> Iterator[Page]:
    """Open a page; fail if its script failed, its policy was violated or it requested something elsewhere.

    A broken connection to the server is not a failure: servers are ended in these tests.
    """
    how = {"locale": "en-GB", "viewport": {"width": 1366, "height": 768}, **how}
    context = browser.new_context(**how)
    context.add_init_script(WATCH)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(f"the script failed: {error}"))
    page.on("request", lambda request: _only_here(request.url, wrong))
    page.on("console", lambda line: _listen(line.type, line.text, wrong))
    try:
        yield page
        wrong += page.evaluate("window.broken || []")
    finally:
        context.close()
    assert not wrong


def _only_here(url: str, wrong: list[str]) -> None:
    if not url.startswith(("http://127.0.0.1", "https://127.0.0.1", "file:", "data:", "about:", "blob:")):
        wrong.append(f"asked the network for {url}")


def _listen(kind: str, text: str, wrong: list[str]) -> None:
    if kind == "error" and "Failed to load resource" not in text and "ERR_" not in text:
        wrong.append(text)
