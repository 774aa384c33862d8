"""Hosts of students' files, run over plain pipes."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from botequim.core.game import Outcome, View
from botequim.core.player import Reply
from botequim.games.havana.host import HOST
from botequim.games.havana.rules import GAME
from botequim.games.havana.wire import Havana, greeting
from tests.support.pace import PATIENCE
from tests.support.wire_tables import context

CODEC = Havana()
TABLE = context(GAME)


class HostedPlayer:
    """A seat's host, as a player that the referee can ask."""

    def __init__(self, folder: Path, element: int = 0) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-I", str(HOST), str(folder), str(element)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self.seen = 0
        self.about: Mapping[str, str] = {}

    def greet(self) -> None:
        self.about = greeting(self.line())

    def line(self) -> bytes:
        assert self.process.stdout is not None
        got = b""
        while not got.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            assert ready, "the host says nothing"
            more = os.read(self.process.stdout.fileno(), 65536)
            assert more, "the host is gone"
            got += more
        return got[:-1]

    def tell(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)

    def leave(self) -> str:
        """Let it end by itself, and return its log."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        with self.process as process:
            assert process.stderr is not None
            log = process.stderr.read().decode()
            assert process.stdout is not None
            assert process.stdout.read() == b""
        return log

    async def open(self, seat: int) -> None: ...

    async def choose(self, view: View) -> Reply:
        question = CODEC.encode_question(view, self.seen, TABLE)  # type: ignore[arg-type]
        self.seen = question.seen
        self.tell(question.body)
        return CODEC.decode_answer([self.line()], view, TABLE)  # type: ignore[arg-type]

    async def finish(self, view: View, outcome: Outcome) -> None:
        self.tell(CODEC.end(view, self.seen, TABLE, outcome))  # type: ignore[arg-type]
        self.seen = 0

    async def close(self) -> None: ...

    def end(self) -> None:
        """End it, whatever its state."""
        if self.process.poll() is None:
            self.process.kill()
        with self.process:
            pass
