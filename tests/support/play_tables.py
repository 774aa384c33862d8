"""Tables at which tests play: in this process, without a browser."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from botequim.core.rng import Rng
from botequim.engine.thinking_pool import ThinkingPool
from botequim.records.reader import parse
from botequim.records.verify import verify_record
from botequim.render.layout import Shape
from botequim.tables.folder import TablesFolder
from botequim.tables.offered_bots import NO_BOTS, OfferedBots
from botequim.tables.opening import TableWishes, open_table
from botequim.tables.position import TableView
from botequim.tables.spec import Phase, TableSpec
from botequim.tables.table import Table
from botequim.tables.tables import Tables
from botequim.tables.thinking import Thinking
from botequim.tables.viewer import Viewer

AGAINST: dict[str, Sequence[str]] = {
    "cubos": ("me", "greedy", "random", "greedy"),
    "havana": ("me", "greedy", "random", "greedy"),
    "fives": ("me", "greedy"),
    "uno": ("me", "greedy", "random"),
    "rps": ("me", "greedy"),
}
"""Seats of each game: a person against players that answer at once."""
SHORT: dict[str, dict[str, Any]] = {"rps": {"rounds": 5}, "fives": {"target": 50}}
"""Options for short games."""
TWO = ("me", "friend", "greedy", "greedy")


class SeededTables(Tables):
    """Tables at which a test always meets the same deals: they follow from its name."""

    def __init__(self, folder: TablesFolder, bots: OfferedBots) -> None:
        super().__init__(folder, Thinking(ThinkingPool(1)), bots)
        self._opened: Counter[str] = Counter()

    def add(self, spec: TableSpec) -> Table:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" (")[0].partition("@")[0]
        self._opened[test] += 1
        return super().add(replace(spec, seed=f"{test} {self._opened[test]}") if test else spec)


def new_tables(folder: Path, bots: OfferedBots = NO_BOTS) -> Tables:
    """Return tables whose files are in this folder; another server must not use it."""
    return SeededTables(TablesFolder(folder), bots)


@asynccontextmanager
async def playing_tables(folder: Path, bots: OfferedBots = NO_BOTS) -> AsyncIterator[Tables]:
    """Open the tables of a folder while the block lasts."""
    tables = new_tables(folder, bots)
    tables.open()
    try:
        yield tables
    finally:
        await tables.close()


def open_game(tables: Tables, game: str, **wishes: Any) -> Table:
    """Open a table; the person is called Ana."""
    values = {"seats": AGAINST[game], "options": SHORT.get(game, {}), "name": "Ana", **wishes}
    return tables.add(open_table(TableWishes(game=game, **values), tables.bots.names(game)))


@contextmanager
def sitting(table: Table, *seats: int) -> Iterator[list[Viewer]]:
    """Connect a browser of the person at each of these seats."""
    viewers = [Viewer(seat) for seat in seats]
    for viewer in viewers:
        table.connect(viewer)
    try:
        yield viewers
    finally:
        for viewer in viewers:
            table.disconnect(viewer)


async def until_asked(table: Table, seat: int) -> None:
    """Wait until a person is asked, or the match is over."""
    while table.people[seat].question is None and table.spec.phase is not Phase.OVER:
        assert table.problem is None, table.problem
        await asyncio.sleep(0)


def move_somehow(table: Table, seat: int, rng: Rng) -> None:
    """Make a random legal move for a person who is asked."""
    question = table.people[seat].question
    assert question is not None
    text = table.game.write(rng.choice(list(question.view.legal)))
    table.move(seat, question.game, question.turn, text, "")


async def play_on(table: Table, moves: int = 10_000, rng: Rng | None = None) -> None:
    """Play for all people at the table until so many moves are made, or the match is over."""
    rng = rng or Rng("people")
    while moves and table.spec.phase is not Phase.OVER:
        assert table.problem is None, table.problem
        asked = [seat for seat, person in table.people.items() if person.question is not None]
        for seat in asked[:moves]:
            move_somehow(table, seat, rng)
            moves -= 1
        if not asked and table.moment.outcome is not None:
            table.start(table.spec.creator)
        await asyncio.sleep(0)


def shown(table: Table, seat: int | None, *, shape: Shape = Shape.WIDE, language: str = "en") -> Any:
    """Return what a viewer is sent now."""
    return TableView(table).event(table.moment, seat, language, shape, latest=True)


def check_record(table: Table, number: int) -> list[str]:
    """Verify the record of a finished game, and return its lines."""
    lines = table.files.record(number)
    assert lines is not None
    (raw,) = parse([line.encode() for line in lines], "record")
    verdict = verify_record(raw)
    assert verdict.ok, verdict.mismatches
    assert verdict.has_seed
    assert verdict.has_digests
    return list(lines)


async def settle() -> None:
    """Let all tasks run that do not wait for time."""
    for _ in range(200):
        await asyncio.sleep(0)


def invite(table: Table, name: str = "Rui") -> int:
    """Let somebody take the first free seat, and return it."""
    seat = table.spec.free_seats[0]
    table.take_seat(seat, name)
    return seat


def deal(table: Table) -> object:
    """Return the first turn of the first game."""
    return json.loads(check_record(table, 1)[1])["moves"]
