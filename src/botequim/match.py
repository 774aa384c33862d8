"""Many games between the same entrants, on all cores, each deal from every side.

A *deal* is one seed. It is played as many times as there are teams, the entrants moving one team on
each time, with fresh players every game, so that nobody has seen the tiles before. Deals are
independent jobs, and their seeds are derived from the match seed: the result does not depend on who
plays which deal when. What comes back from a job is a few numbers; records go to disk where they are
made, so memory does not grow with the number of games.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from botequim import registry
from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.messages import msg
from botequim.core.options import Value, settle
from botequim.core.player import InMemory
from botequim.core.record import Record
from botequim.core.rng import Rng, derive, private
from botequim.referee import Step, play
from botequim.statistics import Score

JOB_SECONDS = 0.5
MOST_DEALS = 64


@dataclass(frozen=True, slots=True)
class Match:
    """What is played: enough for any process to play any part of it."""

    game: str
    options: Mapping[str, Value]
    entrants: tuple[str, ...]
    """Names of players, one for each team."""
    games: int
    seed: str
    records: Path | None = None

    @classmethod
    def of(
        cls,
        game_name: str,
        entrants: Sequence[str],
        *,
        games: int,
        seed: str,
        options: Mapping[str, object] | None = None,
        records: Path | None = None,
    ) -> Match:
        """A match with everything checked: game, options, players and their number."""
        game = registry.game(game_name)
        given = dict(options or {})
        if any(option.name == "players" for option in game.options):
            given.setdefault("players", len(entrants))
        settled = settle(game.name, game.options, given)
        teams = game.teams(settled)
        if len(teams) != len(entrants):
            raise InputError(
                msg(
                    "{game} is played by {wanted} entrants, not {found}",
                    game=game.name,
                    wanted=len(teams),
                    found=len(entrants),
                )
            )
        for name in entrants:
            registry.player(game.name, name)
        return cls(game.name, settled, tuple(entrants), games, seed, records)

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        return registry.game(self.game).teams(self.options)

    @property
    def labels(self) -> tuple[str, ...]:
        """The entrants' names, told apart where two are the same."""
        return tuple(
            f"{name}#{self.entrants[: at + 1].count(name)}" if self.entrants.count(name) > 1 else name
            for at, name in enumerate(self.entrants)
        )

    def sitting(self, *, turned: int) -> list[int]:
        """By seat, which entrant sits there when the entrants have moved on by `turned` teams."""
        entrant_at = {
            seat: (team + turned) % len(self.entrants)
            for team, members in enumerate(self.teams)
            for seat in members
        }
        return [entrant_at[seat] for seat in sorted(entrant_at)]

    def seats(self, *, turned: int) -> list[dict[str, str]]:
        """By seat, who sits there, as the record says it."""
        return [{"name": self.labels[entrant]} for entrant in self.sitting(turned=turned)]

    def deals(self) -> Iterator[Deal]:
        """The deals, the last one cut off where the games are enough."""
        sides = len(self.entrants)
        for first in range(0, self.games, sides):
            yield Deal(first // sides, first, min(sides, self.games - first))


@dataclass(frozen=True, slots=True)
class Deal:
    """One deal of a match: `games` games from the same chance."""

    number: int
    first: int
    """The number of its first game in the match."""
    games: int


@dataclass(frozen=True, slots=True)
class Played:
    """What is kept of one game."""

    shares: tuple[Fraction, ...]
    """By entrant."""
    faults: tuple[int, ...]
    """By entrant."""
    turns: int


@dataclass(slots=True)
class Table:
    """The standing of a match."""

    match: Match
    scores: list[Score] = field(default_factory=list)
    turns: int = 0

    def __post_init__(self) -> None:
        self.scores = [Score() for _ in self.match.entrants]

    @property
    def games(self) -> int:
        return self.scores[0].games

    @property
    def deals(self) -> int:
        """Those played from every side."""
        return self.games // len(self.match.entrants)

    def add_deal(self, played: Sequence[Played]) -> None:
        """Count the games of one deal."""
        for at, score in enumerate(self.scores):
            score.add_deal([game.shares[at] for game in played])
            score.faults += sum(game.faults[at] for game in played)
        self.turns += sum(game.turns for game in played)


async def play_game(
    match: Match, deal: Deal, turned: int, emit: Callable[[Step], None] | None = None
) -> Record:
    """One game of a deal, the entrants moved on by `turned` teams."""
    game = registry.game(match.game)
    seed = derive(match.seed, "deal", deal.number)
    players = [
        InMemory(
            registry.player(game.name, match.entrants[entrant])(
                Rng(private(seed, "game", turned, "seat", seat))
            )
        )
        for seat, entrant in enumerate(match.sitting(turned=turned))
    ]
    async with AsyncExitStack() as opened:
        for seat, player in enumerate(players):
            await player.open(seat)
            opened.push_async_callback(player.close)
        return await play(
            game,
            players,
            options=match.options,
            seats=match.seats(turned=turned),
            seed=seed,
            emit=emit,
        )


async def play_deal(
    match: Match, deal: Deal, tell: Callable[[int, Step], None] | None = None
) -> list[Played]:
    """All games of one deal; their records are written where the match says."""
    played = []
    for turned in range(deal.games):
        number = deal.first + turned
        record = await play_game(match, deal, turned, partial(tell, number) if tell else None)
        if match.records is not None:
            write_record(record, record_path(match, number))
        played.append(_kept(match, turned, record))
    return played


def _kept(match: Match, turned: int, record: Record) -> Played:
    teams = match.teams
    count = len(teams)
    by_team = record.outcome.shares()
    faulty = [made.by for turn in record.turns for made in turn if made.fault is not None]
    shares = [by_team[(at - turned) % count] for at in range(count)]
    faults = [sum(by in teams[(at - turned) % count] for by in faulty) for at in range(count)]
    return Played(tuple(shares), tuple(faults), len(record.turns))


def record_path(match: Match, number: int) -> Path:
    assert match.records is not None
    return match.records / f"{match.game}-{number + 1:06}.jsonl"


def write_record(record: Record, path: Path) -> None:
    """A record as a file of its own: whole, or not there."""
    partial = path.with_suffix(".partial")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in record.lines())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise BotequimError(
            msg("the record {path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error


def prepare_records(folder: Path) -> None:
    """A folder for records, made if need be. Records that are already there are not written over."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = next(folder.glob("*.jsonl"), None)
        trial = folder / ".botequim"
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise InputError(
            msg("the folder {path} cannot be used: {why}", path=str(folder), why=os_reason(error))
        ) from error
    if taken is not None:
        raise InputError(
            msg(
                "{path} already holds records ({name}); give an empty or a new folder",
                path=str(folder),
                name=taken.name,
            )
        )


# --- on all cores ----------------------------------------------------------------------------------


def cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def play_match(match: Match, *, workers: int) -> Iterator[Table]:
    """Play all of it, giving the growing table whenever some deals are done."""
    table = Table(match)
    jobs = _Jobs(match, workers)
    if workers <= 1:
        for job in jobs:
            jobs.count(_play_job(match, job), table)
            yield table
        return
    # spawned, not forked: the same on every system, and nothing of ours is inherited by accident
    context = multiprocessing.get_context("spawn")
    lifeline, ours = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(
        min(workers, 4 * cores()), mp_context=context, initializer=_begin_work, initargs=(lifeline,)
    )
    running: set[Future[Done]] = set()
    try:
        for job in jobs:
            with _interrupts_held():
                running.add(pool.submit(_play_job, match, job))
            if len(running) >= 2 * workers:
                running = jobs.collect(running, table)
                yield table
        while running:
            running = jobs.collect(running, table)
            yield table
    except BrokenProcessPool as error:
        raise BotequimError(
            msg("a worker process ended unexpectedly; play again with --workers 1")
        ) from error
    finally:
        ours.close()  # workers that are still busy end at once
        pool.shutdown(wait=True, cancel_futures=True)
        lifeline.close()


class Done(NamedTuple):
    """What comes back from a job."""

    deals: list[list[Played]]
    seconds: float


class _Jobs:
    """Deals in handfuls that take about half a second each: worth sending, and soon counted."""

    def __init__(self, match: Match, workers: int) -> None:
        self._match = match
        self._size = 1
        self._most = max(1, match.games // (8 * workers))

    def __iter__(self) -> Iterator[list[Deal]]:
        deals = self._match.deals()
        while handful := list(islice(deals, self._size)):
            yield handful

    def count(self, done: Done, table: Table) -> None:
        for played in done.deals:
            table.add_deal(played)
        wanted = int(len(done.deals) * JOB_SECONDS / max(done.seconds, 1e-6))
        self._size = max(1, min(wanted, 2 * self._size, self._most, MOST_DEALS))

    def collect(self, running: Iterable[Future[Done]], table: Table) -> set[Future[Done]]:
        finished, rest = wait(running, return_when=FIRST_COMPLETED)
        for future in finished:
            self.count(future.result(), table)
        return rest


def _play_job(match: Match, job: Sequence[Deal]) -> Done:
    async def all_deals() -> list[list[Played]]:
        return [await play_deal(match, deal) for deal in job]

    began = time.monotonic()
    return Done(asyncio.run(all_deals()), time.monotonic() - began)


def _begin_work(lifeline: Connection) -> None:
    """Make a worker of a new process.

    Ctrl-C is for the process that talks to the person. When that one ends, or lets go of the lifeline,
    the worker ends too, whatever it is doing. What players print is not mixed into our results.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    sys.stdout = sys.stderr

    def watch() -> None:
        with suppress(EOFError, OSError):
            lifeline.recv_bytes()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes started in here are born deaf to Ctrl-C, until `_begin_work` makes them ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
