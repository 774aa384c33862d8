"""Reads games to watch: recorded games, and the games of a cup as they are finished."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Final

from botequim.core import clock
from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import Message, msg, plain
from botequim.cup.bundle import CUP_FILE, is_bundle, records_name
from botequim.cup.bundle_reading import Reader
from botequim.cup.config import Cup
from botequim.cup.config_parser import parse as parse_cup
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.cup.rounds import stored_state
from botequim.cup.stage_names import stage_name
from botequim.cup.withdrawals import without_withdrawn
from botequim.records.reader import RawRecord, parse, read_records
from botequim.records.replay import Replay
from botequim.storage.protocol import CupStorage, Watch
from botequim.storage.visibility import PublicGame, Visibility

LOOK_SECONDS: Final = 0.2


async def recorded_games(
    source: Path | Cup,
    *,
    most: int | None,
    waiting: Callable[[], None],
    unrevealed: bool = False,
    on_bad: Callable[[BotequimError], None] | None = None,
) -> AsyncIterator[tuple[Message, Replay]]:
    """Return the games of a record, a folder of records, a bundle or a cup, each with a title.

    For a cup it returns the public games, or all of them if `unrevealed` is true. It waits for further games
    until the cup is over, and calls `waiting()` whenever there is no new game. `on_bad` is called for each
    file of a folder that cannot be read; without it, the error is raised.
    """
    count = 0
    source = _cup_or_path(source)
    games = (
        _cup(source, waiting, unrevealed)
        if isinstance(source, Cup)
        else _in_turn(finished_games(source, on_bad=on_bad))
    )
    async for raw, title in games:
        count += 1
        yield title, await asyncio.to_thread(Replay.load, raw)
        if most is not None and count >= most:
            return


def finished_games(
    source: Path | Cup, *, unrevealed: bool = False, on_bad: Callable[[BotequimError], None] | None = None
) -> Iterator[tuple[RawRecord, Message]]:
    """Return the games as `recorded_games` does, but of a cup only those that are public now."""
    on_bad = on_bad or _raise
    source = _cup_or_path(source)
    if isinstance(source, Cup):
        storage = CupPaths.of_cup(source).storage
        with storage.open_results(check=True) as store:
            visibility = Visibility.of(store, storage, unrevealed=unrevealed)
        for game in visibility.games():
            yield _read_game(source, storage, visibility, game)
    elif is_bundle(source):
        yield from _bundle(source)
    elif not source.is_dir():
        yield from _with_titles(read_records(source), source.name)
    else:
        yield from _folder(source, on_bad)


def _folder(source: Path, on_bad: Callable[[BotequimError], None]) -> Iterator[tuple[RawRecord, Message]]:
    """Yield the games of a folder. For a file that cannot be read it calls `on_bad`, and goes on."""
    paths = sorted(source.glob("*.jsonl"))
    if not paths:
        raise InputError(msg("{path}: there are no *.jsonl files", path=str(source)))
    for path in paths:
        try:
            yield from _with_titles(map(_checked, read_records(path)), path.name)
        except BotequimError as error:
            on_bad(error)


def _checked(raw: RawRecord) -> RawRecord:
    """Return a record of which every turn can be followed; raise the error of the first that cannot."""
    Replay.load(raw)
    return raw


def _raise(error: BotequimError) -> None:
    raise error


def is_cup(source: Path) -> bool:
    """Return whether a path is that of a cup file or of its folder."""
    return source.suffix in (".toml", ".cup")


def _cup_or_path(source: Path | Cup) -> Path | Cup:
    if isinstance(source, Path) and is_cup(source):
        return read(source.with_suffix(".toml"))
    return source


async def _in_turn(games: Iterator[tuple[RawRecord, Message]]) -> AsyncIterator[tuple[RawRecord, Message]]:
    for game in games:
        yield game


def _with_titles(records: Iterable[RawRecord], name: str) -> Iterator[tuple[RawRecord, Message]]:
    for number, raw in enumerate(records, start=1):
        title = msg("{path}, game {number}", path=name, number=number) if number > 1 else plain(name)
        yield raw, title


def _bundle(path: Path) -> Iterator[tuple[RawRecord, Message]]:
    """Yield the games of a bundle, stage by stage, without an audit of the whole."""
    with Reader(path) as reader:
        cup = parse_cup(reader.text(CUP_FILE), path)
        for plan in cup.plans:
            name = records_name(plan.name)
            lines = iter(reader.lines(name))
            first = next(lines, None)
            if first is not None:
                yield from _with_titles(parse(chain([first], lines), reader.where(name)), plan.name)


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
            yield _read_game(cup, storage, visibility, game)
        if over and not fresh:
            return
        if not fresh:
            waiting()
            await clock.sleep(LOOK_SECONDS)
            while not _any_changed(watches):
                waiting()
                await clock.sleep(LOOK_SECONDS)


def _read_game(
    cup: Cup, storage: CupStorage, visibility: Visibility, game: PublicGame
) -> tuple[RawRecord, Message]:
    """Read one record of a cup, because a cup has many."""
    with storage.open_results() as store:
        lines = visibility.record(store, game.series.number, game.number) or []
    stage, key = game.series.stage, game.series.key
    title = msg(
        "{cup}, {stage}: {series}, game {number}",
        cup=cup.name,
        stage=stage_name(stage),
        series=key,
        number=game.number + 1,
    )
    return next(parse([line.encode("utf-8", "surrogatepass") for line in lines], f"{stage}/{key}")), title


def _any_changed(watches: Sequence[Watch]) -> bool:
    changes = [watch.has_changed() for watch in watches]
    return any(changes)
