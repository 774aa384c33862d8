"""Server-sent events: each change is encoded once and sent to all viewers.

For each language and shape there is a `Stream` of numbered events. A new viewer receives the whole state and
then every change. A viewer that reconnects sends the number of the last event it received. It receives the
events after it, or the whole state if these are no longer kept. A viewer that reads too slowly is
disconnected; browsers reconnect by themselves.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import zlib
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from jinja2 import TemplateNotFound
from starlette.types import Receive, Scope, Send

from botequim.core import clock
from botequim.web.live.boards import Board, Variant, make_board
from botequim.web.live.public import PublicSnapshot
from botequim.web.live.tables import WatchedTable
from botequim.web.templating import TEMPLATES, render_template

PARTS: Final = (
    "pace",
    "tables",
    "standings",
    "ratings",
    "cross",
    "bracket",
    "games",
    "next",
    "faults",
    "podium",
    "changes",
)
"""Parts of pages: `templates/parts/NAME.html`."""
CHANGED_BY_COUNT: Final = frozenset(
    {"standings", "ratings", "cross", "bracket", "games", "faults", "podium", "changes"}
)
"""The parts that change only after a new count."""

MOST_REMEMBERED: Final = 4_000_000
"""The bytes of events that are kept for viewers who reconnect."""
MOST_WAITING: Final = 2_000_000
"""The bytes that may wait for a slow viewer."""
SLOW_SECONDS: Final = 20.0
"""The time limit for sending one piece."""
ALIVE_SECONDS: Final = 15.0
"""The longest pause in a stream, so that broken connections are noticed."""
FORGOTTEN_SECONDS: Final = 120.0
"""How long a stream without viewers is kept."""
AGAIN_MS: Final = 1000
"""The time after which a browser reconnects."""

GZIP: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"
"""The head of a compressed stream. Pieces are independent, so all viewers receive the same bytes."""


def event(kind: str, content: dict[str, Any]) -> bytes:
    """Return one encoded event, without its number."""
    text = json.dumps(content, separators=(",", ":"))  # ASCII, because texts may contain lone surrogates
    return f"event: {kind}\ndata: {text}\n\n".encode()


def compress(piece: bytes) -> bytes:
    """Return a deflated piece that does not depend on earlier ones."""
    packing = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packing.compress(piece) + packing.flush(zlib.Z_FULL_FLUSH)


class Listener:
    """A viewer, and what waits to be sent to it."""

    def __init__(self, *, packs: bool) -> None:
        self.packs: Final = packs
        """Whether it accepts compressed pieces."""
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._ready: Final = asyncio.Event()
        self.over = False
        """Whether nothing more is sent."""
        self.slow = False
        """Whether it was disconnected for being too slow."""

    def push(self, piece: bytes) -> None:
        self._waiting.append(piece)
        self._size += len(piece)
        if self._size > MOST_WAITING:
            self.slow = True
            self.close()
        self._ready.set()

    def close(self) -> None:
        self.over = True
        self._ready.set()

    async def pieces(self) -> bytes | None:
        """Wait for data to send. Return b"" if there is none for a while, and None at the end."""
        if not self._waiting and not self.over:
            try:
                async with clock.timeout(ALIVE_SECONDS):
                    await self._ready.wait()
            except TimeoutError:
                return b""
        if self.slow or (self.over and not self._waiting):
            return None
        pieces = b"".join(self._waiting)
        self._waiting.clear()
        self._size = 0
        if not self.over:
            self._ready.clear()
        return pieces


class Stream:
    """All events of one language and shape."""

    def __init__(self, variant: Variant) -> None:
        self.variant: Final = variant
        self.epoch: Final = secrets.token_hex(5)
        self.number = 0
        self.parts: Final[dict[str, str]] = {}
        self.boards: Final[dict[str, Board]] = {}
        self.listeners: Final[set[Listener]] = set()
        self.left = clock.now()
        """The time when the last viewer left."""
        self._recent: Final[deque[tuple[int, bytes]]] = deque()
        self._size = 0
        self._whole: tuple[int, bytes, bytes] | None = None

    def put(self, events: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Send events to all viewers."""
        pieces = []
        for kind, content in events:
            self.number += 1
            piece = f"id: {self.epoch}-{self.number}\n".encode() + event(kind, content)
            self._recent.append((self.number, piece))
            self._size += len(piece)
            pieces.append(piece)
        while self._size > MOST_REMEMBERED:
            self._size -= len(self._recent.popleft()[1])
        if not pieces or not self.listeners:
            return
        plain = b"".join(pieces)
        small = compress(plain) if any(one.packs for one in self.listeners) else b""
        for listener in self.listeners:
            listener.push(small if listener.packs else plain)

    def beginning(self, last: str, *, packs: bool) -> bytes:
        """Return the first bytes for a viewer that has seen events up to `last`."""
        recent = self._after(last)
        if recent is not None:
            return compress(recent) if packs else recent
        if self._whole is None or self._whole[0] != self.number:
            whole = self._everything()
            self._whole = (self.number, whole, compress(whole))
        return self._whole[2] if packs else self._whole[1]

    def _after(self, last: str) -> bytes | None:
        epoch, _, number = last.partition("-")
        if epoch != self.epoch or not number.isascii() or not number.isdigit() or len(number) > 12:
            return None
        first = self._recent[0][0] if self._recent else self.number + 1
        if not first - 1 <= int(number) <= self.number:
            return None
        return b"".join(piece for at, piece in self._recent if at > int(number))

    def _everything(self) -> bytes:
        """Return the current state. The number comes last, so a viewer that received only a part starts
        again."""
        turns = {board.table: board.turn for board in self.boards.values()}
        pieces = [event("hello", {"epoch": self.epoch, "turns": turns})]
        pieces += [event("part", {"id": name, "html": html}) for name, html in self.parts.items()]
        pieces += [event("board", board.event_after(None)) for board in self.boards.values()]
        return b"".join(pieces) + f"id: {self.epoch}-{self.number}\n\n".encode()


class Feed:
    """The streams of one cup that have, or recently had, viewers."""

    def __init__(self) -> None:
        self._streams: Final[dict[Variant, Stream]] = {}
        self._parts: Final[dict[tuple[str, str], tuple[Any, str]]] = {}
        self._closing = False

    @property
    def listeners(self) -> int:
        return sum(len(stream.listeners) for stream in self._streams.values())

    def listen(self, variant: Variant, last: str, *, packs: bool, show: Callable[[Stream], None]) -> Listener:
        """Add a viewer; `show` fills a new stream."""
        stream = self._streams.get(variant)
        if stream is None:
            stream = self._streams[variant] = Stream(variant)
            show(stream)
        listener = Listener(packs=packs)
        again = f"retry: {AGAIN_MS}\n\n".encode()
        head = GZIP + compress(again) if packs else again
        listener.push(head + stream.beginning(last, packs=packs))
        if self._closing:
            listener.close()
        else:
            stream.listeners.add(listener)
        return listener

    def leave(self, variant: Variant, listener: Listener) -> None:
        stream = self._streams.get(variant)
        if stream is not None:
            stream.listeners.discard(listener)
            stream.left = clock.now()

    def close(self) -> None:
        """Disconnect all viewers, and accept no others."""
        self._closing = True
        for stream in self._streams.values():
            for listener in stream.listeners:
                listener.close()

    # --- changes -----------------------------------------------------------------------------------

    def forget(self) -> None:
        """Remove the streams that have had no viewers for a while."""
        now = clock.now()
        for variant, stream in list(self._streams.items()):
            if not stream.listeners and now - stream.left > FORGOTTEN_SECONDS:
                del self._streams[variant]

    @property
    def streams(self) -> list[Stream]:
        return list(self._streams.values())

    def send_changes(self, public: PublicSnapshot) -> None:
        """Send the changes to every stream: parts of pages, and tables that disappeared."""
        for stream in self.streams:
            stream.put(self.changes(stream, public))

    def changes(self, stream: Stream, public: PublicSnapshot) -> list[tuple[str, dict[str, Any]]]:
        """Return the events for all changes, and update the state of the stream."""
        events: list[tuple[str, dict[str, Any]]] = []
        there = {table.id for table in public.tables}
        for name in [name for name in stream.boards if name not in there]:
            del stream.boards[name]
            events.append(("gone", {"table": name}))
        for name in PARTS:
            html = self._part(name, stream.variant.language, public)
            if html is not None and stream.parts.get(name) != html:
                stream.parts[name] = html
                events.append(("part", {"id": name, "html": html}))
        return events

    def _part(self, name: str, language: str, public: PublicSnapshot) -> str | None:
        """Return a part of a page; None if there is no such template."""
        depends = (public.content, public.series, public.pace.state) if name in CHANGED_BY_COUNT else public
        cached = self._parts.get((name, language))
        if cached is not None and _same(cached[0], depends):
            return cached[1]
        try:
            TEMPLATES.get_template(f"parts/{name}.html")
        except TemplateNotFound:
            return None
        html = render_template(f"parts/{name}.html", language, public=public)
        self._parts[name, language] = (depends, html)
        return html

    def show(self, watched_table: WatchedTable, *, crowded: bool = False) -> None:
        """Render a table for all viewers; it is `crowded` if there are many tables beside it."""
        streams = self.streams
        scene = watched_table.scene() if streams else None
        says, watched_table.remarks = tuple(watched_table.remarks), []
        if scene is None:
            return
        for stream in streams:
            board = make_board(watched_table, scene, says, stream.variant, crowded=crowded)
            before = stream.boards.get(board.table)
            stream.boards[board.table] = board
            stream.put([("board", board.event_after(before))])


def _same(one: Any, other: Any) -> bool:
    """Return whether both are identical objects, because comparing their contents would take long."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return all(left is right for left, right in zip(one, other, strict=True))
    return one is other


class EventStream:
    """A response of server-sent events. It is a bare ASGI application, because there are hundreds at a
    time."""

    def __init__(self, listener: Listener, left: Callable[[], None]) -> None:
        """`left` is called when the response ends, for any reason."""
        self._listener: Final = listener
        self._left: Final = left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        packs = self._listener.packs
        if packs:
            headers.append((b"content-encoding", b"gzip"))
        disconnection = asyncio.create_task(self._watch(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            alive = compress(b":\n\n") if packs else b":\n\n"
            while (piece := await self._listener.pieces()) is not None:
                async with clock.timeout(SLOW_SECONDS):
                    await send({"type": "http.response.body", "body": piece or alive, "more_body": True})
            if self._listener.slow:
                raise TimeoutError  # noqa: TRY301
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            abort = scope.get("botequim.abort")
            if abort is not None:
                abort()
        finally:
            self._left()
            disconnection.cancel()

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._listener.close()
