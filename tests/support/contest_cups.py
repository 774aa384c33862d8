"""Cups played by bots with art and remarks, and servers of them."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from botequim.cup.config import Cup, Entry
from botequim.cup.paths import CupPaths
from botequim.storage.protocol import CupStorage
from botequim.votes.contest import Choice, Contest, Phase, Voters
from botequim.votes.contests import Contests
from botequim.web.app import create_app
from botequim.web.live.served import ServedCups
from botequim.web.pages.organiser import digest
from tests.support.cup_files import results_file
from tests.support.played_cups import cup_file, play_cup

TOKEN = "open-sesame-open-sesame"
NAMES = ("Aroeira", "Boteco", "Caju", "Dendê", "Embaúba")
HOSTILE = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</bdi></li></ul>{{ 7 * 7 }}",
    "Zal" + "\u0336\u0337\u0338\u0335" * 8 + "go",
    "x" * 40,
    "../../etc/passwd?#%2e",
)
"""Names that a cup file accepts."""

Remarks = Callable[[str, int], list[dict[str, object]]]
"""Returns the remarks of an entrant at a turn."""


def waving(name: str, turn: int) -> list[dict[str, object]]:
    """Return animated art, different for each entrant, and a remark now and then."""
    at = sum(map(ord, name)) % 7 + 3
    rows, columns = 13, 28
    art = [name[:columns].center(columns)]
    for row in range(1, rows):
        shift = (turn * at + row * 2) % columns
        art.append("".join("@%#*+=-. "[min(8, abs(column - shift) // 2)] for column in range(columns)))
    said: list[dict[str, object]] = [{"art": art}]
    return [*said, {"say": f"{name[:30]}: round {turn // 10}!"}] if turn % 10 == 1 else said


def hostile(name: str, turn: int) -> list[dict[str, object]]:
    """Return remarks that no referee would accept, and some that it would."""
    said = [
        "<script>alert(3)</script>",
        "</q></bdi></li></ul><h1>mine</h1>",
        "\u202edrawkcab\u2066\u200f",
        "x" * 10_000,
        "half \ud800 a sign",
        "Z" + "\u0336" * 500,
    ][turn % 6]
    art = ["<script>alert(4)</script>", "\u202e\ud800\x00\x1b[31m", "\u0336" * 60, "漢字🙂" * 15]
    return [{"say": said}, {"art": art}, {"art": "no list"}, {"say": 7}, {"what": None}]


def finished_cup(
    folder: Path,
    names: Sequence[str] = NAMES,
    *,
    game: str = "rps",
    bot: str = "random",
    remarks: Remarks = waving,
    title: str = "Rinha",
) -> Cup:
    """Return a finished cup, played by bots with these remarks."""
    folder.mkdir(parents=True, exist_ok=True)
    cup = cup_file(folder, game, entrants=[Entry(name, bot) for name in names], games=1, name=title, seed="7")
    # in a thread: the browser of a test has an event loop in this one
    with ThreadPoolExecutor(1) as apart:
        apart.submit(lambda: play_cup(cup, results_file(cup.path))[0].close()).result()
    _decorate(results_file(cup.path), remarks)
    return cup


def _decorate(path: Path, remarks: Remarks) -> None:
    """Add remarks to the records of a store, because built-in players make none."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT stage, key, number, record FROM games").fetchall()
    for stage, key, number, record in rows:
        lines = [json.loads(line) for line in zlib.decompress(record).decode().split("\n")]
        names = [seat["name"] for seat in lines[0]["seats"]]
        for line in lines:
            for move in line.get("moves", ()):
                if isinstance(move["by"], int):
                    move["remarks"] = remarks(names[move["by"]], line["turn"])
        text = "\n".join(json.dumps(line) for line in lines)
        connection.execute(
            "UPDATE games SET record = ? WHERE stage = ? AND key = ? AND number = ?",
            (zlib.compress(text.encode()), stage, key, number),
        )
    connection.execute("DELETE FROM checksums")  # as of a store that an earlier version wrote
    connection.commit()
    connection.close()


@dataclass
class ContestServer:
    """A running server."""

    address: str
    cup: Cup

    @property
    def storage(self) -> CupStorage:
        return CupPaths.of(self.cup.path).storage

    def at(self, path: str = "") -> str:
        return f"{self.address}/cups/{self.cup.path.stem}{path}"

    def contest(
        self,
        voters: Voters = Voters.CODES,
        choice: Choice = Choice.SINGLE,
        *,
        title: str = "Best art",
        codes: int = 3,
        phase: Phase = Phase.OPEN,
    ) -> tuple[Contest, list[str]]:
        """Add an open contest, with codes if it has any."""
        with self.storage.open_votes() as store:
            contests = Contests(store)
            names = [entry.name for entry in self.cup.entrants]
            new = contests.add(title, voters, choice, names)
            drawn = contests.add_codes(new.id, codes) if voters is Voters.CODES else []
            return contests.set_phase(new.id, phase), drawn

    def vote(self, number: int, *chosen: str, code: str = "", browser: str = "") -> None:
        with self.storage.open_votes() as store:
            Contests(store).vote(number, chosen, code=code, browser=browser)

    def close(self, number: int) -> None:
        with self.storage.open_votes() as store:
            Contests(store).set_phase(number, Phase.CLOSED)

    def ballots(self, number: int) -> int:
        with self.storage.open_votes() as store:
            return Contests(store).turnout(number).ballots


@contextmanager
def serving(cup: Cup) -> Iterator[ContestServer]:
    """Run a real server on a free port, in a thread; the organiser's token is TOKEN."""
    with CupPaths.of(cup.path).storage.open_visibility() as show:
        show.set_token(digest(TOKEN))
    app = create_app(ServedCups([cup.path]))
    # on a slow machine a client may come back to a connection just when a hasty server closes it
    config = uvicorn.Config(app, port=0, log_level="error", lifespan="on", timeout_keep_alive=120)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield ContestServer(f"http://127.0.0.1:{port}", cup)
    finally:
        server.should_exit = True
        thread.join()
