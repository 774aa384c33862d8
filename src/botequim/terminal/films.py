"""What can be watched: recorded games, and the games of a cup as they are finished."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from botequim.core import clock
from botequim.core.errors import InputError, RecordError
from botequim.core.game import AnyGame
from botequim.core.messages import Message, msg, plain
from botequim.core.reading import Found, parse, read_records
from botequim.cup.absence import held
from botequim.cup.curtain import Curtain
from botequim.cup.home import Home
from botequim.cup.reading import read
from botequim.cup.store import Store
from botequim.referee import Step
from botequim.show.telling import Story
from botequim.show.wrapping import columns
from botequim.terminal.face import Face, face_of
from botequim.verify import Departure, replay, table

POLL_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Film:
    """One game, every turn at hand."""

    title: Message
    game: AnyGame
    start: Any
    """The state before the first turn."""
    steps: list[Step]
    opening: list[str]
    told: list[list[str]]
    """By turn, in words."""
    drawn: list[list[str]]
    """By turn, in words and with the table in plain text."""
    ending: list[str]
    face: Face


def film(found: Found, title: Message) -> Film:
    """A record, refereed again; what departs from the rules cannot be watched."""
    try:
        game, options, seats = table(found)
        steps: list[Step] = []
        record = replay(found, steps.append)
    except Departure as departure:
        raise RecordError(departure.sentence(), path=found.path) from departure
    teams = game.teams(options)
    story, plain_story = Story(game, teams, seats, boards=False), Story(game, teams, seats, width=columns())
    return Film(
        title,
        game,
        game.start(options),
        steps,
        list(story.opening()),
        [list(story.turn(step)) for step in steps],
        [list(plain_story.turn(step)) for step in steps],
        list(story.ending(record.outcome)),
        face_of(game, seats),
    )


async def films(
    source: Path, *, most: int | None, waiting: Any, unrevealed: bool = False
) -> AsyncIterator[Film]:
    """The games of a record, a folder of records, or a cup; `waiting()` is called while none is finished.

    Of a cup those that are public; with `unrevealed` all."""
    count = 0
    async for found, title in _cup(source, waiting, unrevealed) if _is_cup(source) else _records(source):
        count += 1
        yield await asyncio.to_thread(film, found, title)
        if most is not None and count >= most:
            return


def _is_cup(source: Path) -> bool:
    return source.suffix in (".toml", ".cup")


async def _records(source: Path) -> AsyncIterator[tuple[Found, Message]]:
    for path in _files(source):
        for number, found in enumerate(read_records(path), start=1):
            title = (
                msg("{path}, game {number}", path=path.name, number=number)
                if number > 1
                else plain(path.name)
            )
            yield found, title


def _files(source: Path) -> Iterator[Path]:
    if not source.is_dir():
        yield source
        return
    paths = sorted(source.glob("*.jsonl"))
    if not paths:
        raise InputError(msg("{path}: there are no *.jsonl files", path=str(source)))
    yield from paths


async def _cup(source: Path, waiting: Any, unrevealed: bool) -> AsyncIterator[tuple[Found, Message]]:
    """Every game in the order in which they became public, until the cup is over."""
    cup = read(source.with_suffix(".toml"))
    home = Home.of(cup.path)
    Store.open(home.store, check=True).close()
    seen = 0
    while True:
        with Store.open(home.store) as store:
            curtain = Curtain.of(store, home.show, unrevealed=unrevealed)
            over = held(cup, store).progress(store.get("seed") or "", curtain.results()).over
        fresh = list(islice(curtain.games(), seen, None))
        seen += len(fresh)
        for game in fresh:
            with Store.open(home.store) as store:  # read when it is its turn: a cup has many
                lines = curtain.record(store, game.series.number, game.number) or []
            stage, key = game.series.stage, game.series.key
            title = msg(
                "{cup}, {stage}: {series}, game {number}",
                cup=cup.name,
                stage=stage,
                series=key,
                number=game.number + 1,
            )
            path = f"{stage}/{key}"
            yield next(parse([line.encode("utf-8", "surrogatepass") for line in lines], path)), title
        if over and not fresh:
            return
        if not fresh:
            waiting()
            await clock.sleep(POLL_SECONDS)


class Speed:
    """How fast turns follow each other; people may make it faster and slower."""

    FASTEST: Final = 10
    SLOWEST: Final = 60_000

    def __init__(self, milliseconds: int) -> None:
        self.milliseconds = milliseconds

    def faster(self) -> None:
        self.milliseconds = max(self.FASTEST, self.milliseconds * 2 // 3)

    def slower(self) -> None:
        self.milliseconds = min(self.SLOWEST, max(self.FASTEST, self.milliseconds) * 3 // 2)

    def next_turn(self) -> float:
        """When the next turn is due, by `clock.now`."""
        return clock.now() + self.milliseconds / 1000
