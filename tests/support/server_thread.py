"""The server of `botequim serve` on a free port, in a thread of the test, and a client of its events.

Tests can reach and change its objects. The command itself, and a browser in front of it, are in
`tests.support.server_process`.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from botequim.cup.config import Cup
from botequim.tables.tables import Tables
from botequim.web.app import create_app
from botequim.web.live.served import ServedCups
from botequim.web.live.tables import Hands
from botequim.web.pages.organiser import keep_token
from botequim.web.server.middleware import Limits, Rate
from botequim.web.server.serving import Server, listening_socket
from botequim.web.server.tls import TlsFiles
from tests.support.pace import PATIENCE

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients without TLS: httpx would read all certificates of the machine again for each."""
TOKEN = "a token for tests alone"
GENEROUS = Limits(Rate(1e9, 1e9), Rate(1e9, 1e9))


@dataclass
class ServerThread:
    """A running server."""

    served_cups: ServedCups
    port: int
    server: Server
    loop: asyncio.AbstractEventLoop

    def soon(self, done: Callable[[], None]) -> None:
        """Call a function in the server's own thread."""
        self.loop.call_soon_threadsafe(done)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, **more: Any) -> httpx.Response:
        return httpx.get(self.address + path, timeout=PATIENCE, verify=NO_TLS, **more)

    def post(self, path: str, **more: Any) -> httpx.Response:
        return httpx.post(self.address + path, timeout=PATIENCE, verify=NO_TLS, **more)

    def change(self, cup: str, **wanted: Any) -> httpx.Response:
        """Change what is public, as the organiser."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return self.post(f"/api/cups/{cup}/curtain", json=wanted, headers=headers)

    def json(self, path: str) -> Any:
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()


@contextmanager
def serving(
    *cups: Cup | Path,
    hands: Hands = Hands.AUTO,
    limits: Limits = GENEROUS,
    port: int = 0,
    pace: float = 1.0,
    secured: TlsFiles | None = None,
    token: str = TOKEN,
    proxies: Sequence[str] = (),
    tables: Tables | None = None,
) -> Iterator[ServerThread]:
    """Serve these cups, and the tables at which people play, while the block lasts."""
    served_cups = ServedCups(cups, hands)
    listening = listening_socket("127.0.0.1", port)
    number = int(listening.getsockname()[1])
    started = threading.Event()
    app = create_app(served_cups, limits, pace=pace, address=f"http://127.0.0.1:{number}/", tables=tables)
    server = Server(app, started.set, secured, proxies)

    loops: list[asyncio.AbstractEventLoop] = []

    async def run() -> None:
        loops.append(asyncio.get_running_loop())
        for served in served_cups.cups.values():
            await keep_token(served, token)
        await server.serve([listening])

    thread = threading.Thread(target=asyncio.run, args=(run(),))
    thread.start()
    try:
        assert started.wait(PATIENCE)
        yield ServerThread(served_cups, number, server, loops[0])
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


@dataclass
class ReceivedEvent:
    """One received event."""

    kind: str
    content: Any
    id: str = ""


@dataclass
class Page:
    """What a page would show: parts and boards as they arrive, and the last event."""

    address: str
    lang: str = "en"
    shape: str = "wide"
    packed: bool = False
    parts: dict[str, str] = field(default_factory=dict)
    boards: dict[str, dict[str, Any]] = field(default_factory=dict)
    last: str = ""
    heard: list[ReceivedEvent] = field(default_factory=list)

    def listen(self, cup: str, seconds: float = PATIENCE, *, until: Any = None) -> Page:
        """Listen until `until(page)`, until the server ends it, or for so many seconds."""
        _, _, where = self.address.partition("://")
        connection = http.client.HTTPConnection(where, timeout=seconds)
        headers = {"Accept": "text/event-stream"}
        if self.last:
            headers["Last-Event-ID"] = self.last
        if self.packed:
            headers["Accept-Encoding"] = "gzip"
        connection.request("GET", f"/cups/{cup}/events?lang={self.lang}&shape={self.shape}", headers=headers)
        answer = connection.getresponse()
        assert answer.status == 200, answer.status
        unpacking = zlib.decompressobj(31)
        text = b""
        ends = time.monotonic() + seconds
        try:
            while time.monotonic() < ends and not (until is not None and until(self)):
                assert connection.sock is not None
                connection.sock.settimeout(max(0.05, ends - time.monotonic()))
                try:
                    piece = answer.read1(65536)
                except TimeoutError:
                    break
                if not piece:
                    break
                text += unpacking.decompress(piece) if self.packed else piece
                *whole, text = text.split(b"\n\n")
                for block in whole:
                    self._take(block.decode())
        finally:
            connection.close()
        return self

    def _take(self, block: str) -> None:
        fields: dict[str, str] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(": ")
            if name in ("id", "event", "data"):
                fields[name] = value
        if "id" in fields:
            self.last = fields["id"]
        if "data" not in fields:
            return
        event = ReceivedEvent(fields["event"], json.loads(fields["data"]), fields.get("id", ""))
        self.heard.append(event)
        match event.kind:
            case "part":
                self.parts[event.content["id"]] = event.content["html"]
            case "board":
                known = self.boards.get(event.content["table"], {})
                pieces = {**known.get("parts", {}), **event.content["parts"]}
                self.boards[event.content["table"]] = {**event.content, "parts": pieces}
            case "gone":
                self.boards.pop(event.content["table"], None)

    def kinds(self) -> list[str]:
        return [event.kind for event in self.heard]


def written_cup(folder: Path, name: str, entrants: Sequence[str], text: str = "", game: str = "rps") -> Path:
    """Write a cup file of built-in players, by default a league of two games each."""
    stages = text or '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 2\n'
    bots = "".join(f'[[entrants]]\nname = "{bot}"\nbot = "{bot}"\n' for bot in entrants)
    path = folder / f"{name}.toml"
    path.write_text(
        f'name = "{name}"\ngame = "{game}"\nseed = "0123456789abcdef{name}"\n{bots}{stages}', "utf-8"
    )
    return path
