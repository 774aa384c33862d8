"""Reads games to watch: recorded games, and the games of a cup as they are finished."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg, plain
from botequim.cup.config import Cup
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.cup.rounds import stored_state
from botequim.cup.withdrawals import without_withdrawn
from botequim.records.reader import RawRecord, parse, read_records
from botequim.records.replay import Replay
from botequim.storage.protocol import CupStorage, Watch
from botequim.storage.visibility import Visibility

LOOK_SECONDS: Final = 0.2


async def recorded_games(
    source: Path | Cup, *, most: int | None, waiting: Callable[[], None], unrevealed: bool = False
) -> AsyncIterator[tuple[Message, Replay]]:
    """Return the games of a record, a folder of records or a cup, each with a title.

    For a cup it returns the public games, or all of them if `unrevealed` is true. It waits for further games
    until the cup is over, and calls `waiting()` whenever there is no new game.
    """
    count = 0
    if isinstance(source, Path) and is_cup(source):
        source = read(source.with_suffix(".toml"))
    games = _cup(source, waiting, unrevealed) if isinstance(source, Cup) else _records(source)
    async for raw, title in games:
        count += 1
        yield title, await asyncio.to_thread(Replay.load, raw)
        if most is not None and count >= most:
            return


def is_cup(source: Path) -> bool:
    """Return whether a path is that of a cup file or of its folder."""
    return source.suffix in (".toml", ".cup")


async def _records(source: Path) -> AsyncIterator[tuple[RawRecord, Message]]:
    for path in _files(source):
        for number, raw in enumerate(read_records(path), start=1):
            title = (
                msg("{path}, game {number}", path=path.name, number=number)
                if number > 1
                else plain(path.name)
            )
            yield raw, title


def _files(source: Path) -> Iterator[Path]:
    if not source.is_dir():
        yield source
        return
    paths = sorted(source.glob("*.jsonl"))
    if not paths:
        raise InputError(msg("{path}: there are no *.jsonl files", path=str(source)))
    yield from paths


async def _cup(
    cup: Cup, waiting: Callable[[], None], unrevealed: bool
) -> AsyncIterator[tuple[RawRecord, Message]]:
    """Yield all games in the order in which they became public, until the cup is over."""
    storage = CupPaths.of_cup(cup).storage
    storage.open_results(check=True).close()
    with storage.watch_results() as results, storage.watch_visibility() as visibility:
        watches = (results, visibility)
        async for game in _public_games(cup, storage, watches, waiting, unrevealed):
            yield game


async def _public_games(
    cup: Cup, storage: CupStorage, watches: Sequence[Watch], waiting: Callable[[], None], unrevealed: bool
) -> AsyncIterator[tuple[RawRecord, Message]]:
    count = 0
    while True:
        _any_changed(watches)  # the next call reports the changes after this one
        with storage.open_results() as store:
            visibility = Visibility.of(store, storage, unrevealed=unrevealed)
            over = stored_state(without_withdrawn(cup, store), store, visibility.results()).over
        fresh = list(islice(visibility.games(), count, None))
        count += len(fresh)
        for game in fresh:
            with storage.open_results() as store:  # reads one record at a time, because a cup has many
                lines = visibility.record(store, game.series.number, game.number) or []
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
            await clock.sleep(LOOK_SECONDS)
            while not _any_changed(watches):
                waiting()
                await clock.sleep(LOOK_SECONDS)


def _any_changed(watches: Sequence[Watch]) -> bool:
    changes = [watch.has_changed() for watch in watches]
    return any(changes)
