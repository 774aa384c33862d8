"""The event stream of a table. Each viewer gets its own events, because each sees something else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from botequim.core import clock
from botequim.render.layout import Shape
from botequim.tables.position import TableView
from botequim.tables.table import Table
from botequim.tables.viewer import Moment, Viewer
from botequim.web.live.feed import AGAIN_MS, ALIVE_SECONDS, GZIP, SLOW_SECONDS, compress, event


class TableStream(Response):
    """The events of a table for one viewer."""

    def __init__(
        self,
        table: Table,
        view: TableView,
        viewer: Viewer,
        language: str,
        shape: Shape,
        *,
        packs: bool,
        on_end: Callable[[], None],
    ) -> None:
        """With `packs`, the events are compressed. `on_end` is called when the stream ends for any reason."""
        self._table: Final = table
        self._view: Final = view
        self._viewer: Final = viewer
        self._language: Final = language
        self._shape: Final = shape
        self._packs: Final = packs
        self._on_end: Final = on_end
        self._parts: dict[str, str] = {}
        """The parts of the picture that the viewer has."""
        self.background = None
        self.status_code = 200

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        if self._packs:
            headers.append((b"content-encoding", b"gzip"))
        disconnection = asyncio.create_task(self._watch(receive))
        self._table.connect(self._viewer)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await self._send(send, f"retry: {AGAIN_MS}\n\n".encode(), head=GZIP if self._packs else b"")
            while not self._viewer.is_closed:
                moments = await self._viewer.moments(ALIVE_SECONDS)
                if self._viewer.is_closed:
                    break
                await self._send(send, self._events(moments) or b":\n\n")
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            abort = scope.get("botequim.abort")
            if abort is not None:
                abort()
        finally:
            self._table.disconnect(self._viewer)
            self._on_end()
            disconnection.cancel()

    async def _send(self, send: Send, content: bytes, head: bytes = b"") -> None:
        body = head + (compress(content) if self._packs else content)
        async with clock.timeout(SLOW_SECONDS):
            await send({"type": "http.response.body", "body": body, "more_body": True})

    def _events(self, moments: list[Moment]) -> bytes:
        """Return the events for some positions, each only once."""
        pieces = []
        for at, moment in enumerate(moments):
            latest = at == len(moments) - 1
            if not latest and moments[at + 1] is moment:
                continue
            content = self._view.event(moment, self._viewer.seat, self._language, self._shape, latest=latest)
            pieces.append(event("table", self._changed_parts(content)))
        return b"".join(pieces)

    def _changed_parts(self, content: dict[str, Any]) -> dict[str, Any]:
        """Return the content with only those parts of the picture that the viewer does not have."""
        parts: dict[str, str] = content["parts"]
        changed = {name: part for name, part in parts.items() if self._parts.get(name) != part}
        self._parts = parts
        return {**content, "parts": changed}

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._viewer.close()
