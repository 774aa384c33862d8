"""What can be watched: recorded games, and the games of a cup as they are finished."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from botequim.core.errors import InputError, RecordError
from botequim.core.game import AnyGame
from botequim.core.messages import Message, msg, plain
from botequim.core.reading import Found, parse, read_records
from botequim.cup.absence import held
from botequim.cup.home import Home
from botequim.cup.reading import read
from botequim.cup.store import Store
from botequim.referee import Step
from botequim.show.telling import Story
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
    story, plain_story = Story(game, teams, seats, boards=False), Story(game, teams, seats)
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


async def films(source: Path, *, most: int | None, waiting: Any) -> AsyncIterator[Film]:
    """The games of a record, a folder of records, or a cup; `waiting()` is called while none is finished."""
    count = 0
    async for found, title in _cup(source, waiting) if _is_cup(source) else _records(source):
        if most is not None and count >= most:
            return
        count += 1
        yield await asyncio.to_thread(film, found, title)


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


async def _cup(source: Path, waiting: Any) -> AsyncIterator[tuple[Found, Message]]:
    """Every series in the order in which they were finished, until the cup is over."""
    cup = read(source.with_suffix(".toml"))
    store_path = Home.of(cup.path).store
    seen: set[tuple[str, str]] = set()
    while True:
        fresh: list[tuple[str, str, list[list[str]]]] = []
        with Store.open(store_path) as store:
            results = store.results()
            over = held(cup, store).progress(store.get("seed") or "", results).over
            for stage, series in results.items():
                for key in series:
                    if (stage, key) not in seen:
                        seen.add((stage, key))
                        fresh.append((stage, key, list(_games(store, stage, key))))
        for stage, key, games in fresh:
            for number, lines in enumerate(games, start=1):
                title = msg(
                    "{cup}, {stage}: {series}, game {number}",
                    cup=cup.name,
                    stage=stage,
                    series=key,
                    number=number,
                )
                yield (
                    next(parse([line.encode("utf-8", "surrogatepass") for line in lines], f"{stage}/{key}")),
                    title,
                )
        if over and not fresh:
            return
        if not fresh:
            waiting()
            await asyncio.sleep(POLL_SECONDS)


def _games(store: Store, stage: str, key: str) -> Iterator[list[str]]:
    number = 0
    while (lines := store.record(stage, key, number)) is not None:
        yield lines
        number += 1


class Clock:
    """How fast turns follow each other; people may make it faster and slower."""

    FASTEST: Final = 10
    SLOWEST: Final = 60_000

    def __init__(self, milliseconds: int) -> None:
        self.milliseconds = milliseconds

    def faster(self) -> None:
        self.milliseconds = max(self.FASTEST, self.milliseconds * 2 // 3)

    def slower(self) -> None:
        self.milliseconds = min(self.SLOWEST, max(self.FASTEST, self.milliseconds) * 3 // 2)

    def until(self) -> float:
        """When the next turn is due, by `time.monotonic`."""
        return time.monotonic() + self.milliseconds / 1000
