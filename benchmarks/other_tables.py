"""People without a browser at many tables of one server, in a process of their own: for `benchmarks.browser`.

Each reads its event stream and moves two to four seconds after it was asked.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException
from typing import Any, Final
from urllib.parse import urlencode

SEATS: Final = {
    "cubos": ("me", "champion", "champion", "champion"),
    "havana": ("me", "champion", "champion", "champion"),
    "fives": ("me", "champion"),
    "uno": ("me", "champion", "champion"),
    "rps": ("me", "champion"),
}
PAUSE: Final = (2.0, 4.0)
"""The seconds in which a person at one of the other tables thinks."""
PATIENCE: Final = 60.0


class SimulatedTable:
    """A person at a table, in a thread: reads the event stream, and moves after a while."""

    def __init__(self, port: int, game: str, seed: int) -> None:
        self.moves = self.turns = self.games = 0
        self.answers: list[float] = []
        """The seconds from the confirmation of a move to the next question."""
        self.latencies: list[float] = []
        """The seconds from sending a move to its confirmation."""
        self._sent_at = 0.0
        self._port: Final = port
        self._game: Final = game
        self._rng: Final = random.Random(seed)
        self._ends: Final = threading.Event()
        self._thread: Final = threading.Thread(target=self._play_on, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._ends.set()

    def _play_on(self) -> None:
        self._ends.wait(self._rng.uniform(0, PAUSE[0]))  # people do not come all at once
        while not self._ends.is_set():
            self._play_match(open_table(self._port, self._game))

    def _play_match(self, address: str) -> None:
        connection = HTTPConnection("127.0.0.1", self._port)
        try:
            for event in self._events(address):
                if self._ends.is_set() or event["phase"] == "over":
                    return
                if event["result"]:
                    self.games += 1
                    self._post(connection, f"{address}/start", {})
                elif event["you"]["to_move"]:
                    self._ends.wait(self._rng.uniform(*PAUSE))
                    choices = [one for one in event["you"]["choices"] if not one["rare"]]
                    wish = {
                        "game": event["game"],
                        "turn": event["turn"],
                        "move": self._rng.choice(choices)["move"],
                    }
                    self._sent_at = time.monotonic()
                    self.moves += self._post(connection, f"{address}/move", wish)
        finally:
            connection.close()

    def _post(self, connection: HTTPConnection, address: str, content: Mapping[str, Any]) -> bool:
        """Send something, and return whether the server accepted it."""
        head = {"Content-Type": "application/json"}
        try:
            connection.request("POST", address, json.dumps(content), head)
            answer = connection.getresponse()
        except HTTPException:  # the server closes connections that are not used
            connection.close()
            return self._post(connection, address, content)
        answer.read()
        return answer.status == 204

    def _events(self, address: str) -> Iterator[dict[str, Any]]:
        """Yield each position once it is the newest, and count the turns."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
        connection.request("GET", f"{address}/events?lang=en&shape=desk", headers={"Accept-Encoding": "gzip"})
        stream, unpacking = connection.getresponse(), zlib.decompressobj(16 + zlib.MAX_WBITS)
        text, turn, asked_at, confirmed = b"", (0, 0), (0, 0), 0.0
        try:
            while (piece := stream.read1(1 << 16)) and not self._ends.is_set():
                *blocks, text = (text + unpacking.decompress(piece)).split(b"\n\n")
                events = [json.loads(one.partition(b"data: ")[2]) for one in blocks if b"event: table" in one]
                now = time.monotonic()
                for event in events:
                    before, turn = turn, (event["game"], event["turn"])
                    self.turns += turn > before
                    if self._sent_at and before == asked_at and turn > before:
                        confirmed = now
                        self.latencies.append(now - self._sent_at)
                    if event["you"]["to_move"] and turn > asked_at:
                        if confirmed and event["mover"] != event["you"]["seat"]:
                            self.answers.append(now - confirmed)
                        asked_at, confirmed = turn, 0.0
                if events:
                    yield events[-1]
        finally:
            connection.close()


def open_table(port: int, game: str) -> str:
    """Open a table against champions, and return the address of the person."""
    form = {"game": game, "name": "Ana", "best_of": 9, "players": len(SEATS[game])}
    form |= {f"seat-{at}": who for at, who in enumerate(SEATS[game], start=1)}
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    head = {"Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/play/tables", urlencode(form), head)
    answer = connection.getresponse()
    address = answer.headers["Location"]
    if answer.status != 303 or address is None:
        raise SystemExit(f"the table was not opened: {answer.status} {answer.read()!r:.300}")
    connection.close()
    return address


def play_other_tables(port: int, count: int) -> int:
    """Play at so many tables until there is a line of input, and print what was counted."""
    games = list(SEATS)
    tables = [SimulatedTable(port, games[at % len(games)], at) for at in range(count)]
    for line in sys.stdin:
        counted = {
            "moves": sum(one.moves for one in tables),
            "turns": sum(one.turns for one in tables),
            "games": sum(one.games for one in tables),
            "playing": sum(one.moves > 0 for one in tables),
            "answers": [seconds for one in tables for seconds in one.answers],
            "latencies": [seconds for one in tables for seconds in one.latencies],
        }
        print(json.dumps(counted), flush=True)
        if line.strip() == "end":
            break
    for one in tables:
        one.end()
    return 0


class OtherTables:
    """The process with the other tables."""

    def __init__(self, port: int, count: int) -> None:
        command = [sys.executable, "-m", "benchmarks.other_tables", str(port), str(count)]
        self._process: Final = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, word: str = "") -> Any:
        """Return what was counted so far."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(word, file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def wait_for_all(self, count: int) -> None:
        """Wait until somebody has moved at each table."""
        ends = time.monotonic() + PATIENCE
        while (playing := self.ask()["playing"]) < count:
            if time.monotonic() > ends:
                raise SystemExit(f"only {playing} of {count} tables are played")
            time.sleep(0.5)

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


if __name__ == "__main__":
    sys.exit(play_other_tables(int(sys.argv[1]), int(sys.argv[2])))
