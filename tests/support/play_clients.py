"""A person at a table over HTTP, without a browser."""

from __future__ import annotations

import json
import threading
from typing import Any

import httpx

from tests.support.pace import PATIENCE
from tests.support.server_thread import NO_TLS


class TableClient:
    """Reads everything that a browser is sent, and plays the first choice until the match is over."""

    def __init__(self, server: str, address: str, *, plays: bool = True) -> None:
        self.address = address
        self.content = bytearray()
        """Every byte of the event stream."""
        self.events: list[dict[str, Any]] = []
        self._server = server
        self._plays = plays
        self._thread = threading.Thread(target=self._follow)
        self._thread.start()

    def join(self) -> None:
        """Wait until the match is over."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def _follow(self) -> None:
        url = f"{self._server}{self.address}/events?lang=en"
        headers = {"Accept-Encoding": "identity"}
        kind = ""
        with httpx.stream("GET", url, headers=headers, timeout=PATIENCE, verify=NO_TLS) as answer:
            for line in answer.iter_lines():
                self.content += line.encode() + b"\n"
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                elif line.startswith("data: ") and kind == "table":
                    event = json.loads(line.removeprefix("data: "))
                    self.events.append(event)
                    if event["phase"] == "over":
                        return
                    self._move(event)

    def _move(self, event: dict[str, Any]) -> None:
        if not self._plays or not event["you"] or not event["you"]["to_move"]:
            return
        move = {"game": event["game"], "turn": event["turn"], "move": event["you"]["choices"][0]["move"]}
        url = f"{self._server}{self.address}/move"
        answer = httpx.post(url, json=move, timeout=PATIENCE, verify=NO_TLS)
        assert answer.status_code in (204, 409)
