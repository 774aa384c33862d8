"""A series of games as a value: everything any process needs to play it, and what comes back.

Matches and cups both make `SeriesJob` values; an executor (`engine.executors`) calls `run_job` for each
in some process. Seeds and seats are part of a job, so it can be played anywhere, and again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from botequim import interrupts, registry
from botequim.bots.entrant import Entrant
from botequim.core import clock
from botequim.core.game import AnyGame
from botequim.core.options import Options, Value
from botequim.core.process import Sandbox
from botequim.core.turn import PlayedMove, Step
from botequim.core.wire import Restart
from botequim.engine.machine import Machine
from botequim.engine.series import Series, seat_assignments
from botequim.records.record import Record

G = TypeVar("G")


# --- values -------------------------------------------------------------------------------------------


class GameSetup(NamedTuple):
    """The seats, seed and options of one game of a series. A tuple, because a job has up to thousands."""

    number: int
    """The number of the game, from 0."""
    order: tuple[int, ...]
    """By team of the game: the index of its entrant."""
    seed: str
    """The seed of the game. It reveals no other seed of a cup, so a record may contain it at once."""
    rotation: int = 0
    """Games of one deal differ in this. A bot that has played a deal may not play it again with what it
    remembers: such games are in different runs."""
    options: Mapping[str, Value] = {}
    """Options of the game in addition to those of the series."""


class JobId(NamedTuple):
    """Names one attempt at a job, so that a late result of an earlier attempt can be told apart."""

    stage: str
    key: str
    attempt: int


Keep: TypeAlias = "Callable[[SeriesJob[G]], Callable[[GameSetup, Record], G]]"
"""What a job keeps of its games. It is called in the process that plays, once for each attempt; its result is
called with each game. It must be picklable. An exception it raises fails the job."""


@dataclass(frozen=True, slots=True)
class SeriesJob(Generic[G]):
    """Games between the same entrants, to be played by one process."""

    stage: str
    """The part of a cup that it belongs to."""
    key: str
    """Unique in its stage."""
    game: str
    options: Options
    entrants: tuple[Entrant, ...]
    labels: tuple[str, ...]
    """The entrants' names at this table."""
    runs: tuple[tuple[GameSetup, ...], ...]
    """All games in the order of play. The games of one run have the same order and rotation, and the same
    instances of bots play them if these live through a series."""
    keep: Keep[G]
    sandbox: Sandbox | None = None
    """Where bots run; needed if an entrant is not a built-in player."""
    restart: Restart | None = None
    """How long instances of bots live, where that differs from their wire's own rule."""
    ends_early: bool = False
    """Whether it ends as soon as one of two entrants cannot be caught up with any more."""
    attempt: int = 0
    is_last_attempt: bool = True
    """Whether nobody will try again if this attempt fails for a reason that is not a bot's."""

    @property
    def id(self) -> JobId:
        return JobId(self.stage, self.key, self.attempt)


@dataclass(frozen=True, slots=True)
class JobResult(Generic[G]):
    """What was kept of the games of a job, and how long they took."""

    id: JobId
    games: tuple[G, ...]
    """By number."""
    seconds: float
    machine: str = ""
    """The label of the machine that played it, if one was named."""


def is_decided(wins: Sequence[int], games_left: int) -> bool:
    """Return whether one of two cannot be caught up with any more."""
    return len(wins) == 2 and abs(wins[0] - wins[1]) > games_left


# --- in the process that plays ------------------------------------------------------------------------


class ObservedGame(Protocol):
    """Receives one game while it is played."""

    @property
    def emit(self) -> Callable[[Step], None] | None:
        """Called with each turn as soon as it is made, if it is not None."""

    @property
    def turns(self) -> list[Sequence[PlayedMove]] | None:
        """A list that the referee appends the turns to, for another thread; it costs nothing."""


class GameObserver(Protocol):
    """Watches the games of one process: prints them, or publishes them to spectators."""

    def observe(
        self, job: SeriesJob[Any], setup: GameSetup, series: Series, options: Options
    ) -> AbstractContextManager[ObservedGame]:
        """Return a context in which this game is played; if it is left by an exception, the game is void."""

    def close(self) -> None:
        """Release everything, because the process ends."""


class MessageSender(Protocol):
    """In a worker: carries the messages of its observer to the coordinator, in order, as far as it can."""

    @property
    def closed(self) -> bool:
        """Whether nobody receives messages any more."""

    def send(self, message: bytes) -> bool:
        """Return whether the whole message was sent. It waits for a moment at most."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Observation:
    """How a coordinator observes the games that an executor plays, on whatever machine that is."""

    start: Callable[[MessageSender], GameObserver]
    """Each worker calls it before its first job. It must be picklable."""
    receive: Callable[[int, bytes, float], None]
    """The executor calls it in the coordinator's process with each message. It may wait until there is room.

    Its arguments are a number of the sender, the message, and the seconds to add to a time of the sender's
    clock (`core.clock`) to get one of ours: 0 on the same machine."""


def run_job(
    job: SeriesJob[G], observer: GameObserver | None = None, machine: Machine | None = None
) -> JobResult[G]:
    """Play a job in this process. Raise BotequimError if a failure that is not a bot's prevents it.

    Its records name the `machine`, if it is given.
    """
    return interrupts.run(_play(job, observer, machine))


async def _play(job: SeriesJob[G], observer: GameObserver | None, machine: Machine | None) -> JobResult[G]:
    began = clock.now()
    game = registry.game(job.game)
    keep = job.keep(job)
    results: dict[int, G] = {}
    wins = [0] * len(job.entrants)
    left = sum(len(run) for run in job.runs)
    async with AsyncExitStack() as opened:
        following: Series | None = await opened.enter_async_context(_series(job, game, job.runs[0], machine))
        for at, run in enumerate(job.runs):
            if following is None:
                break
            series, following = following, None
            for setup in run:
                if setup is run[-1] and at + 1 < len(job.runs):
                    # bots of the next run start while the last game of this one is played
                    coming = _series(job, game, job.runs[at + 1], machine)
                    following = await opened.enter_async_context(coming)
                record, results[setup.number] = await _play_game(job, setup, series, observer, keep)
                left -= 1
                if record.outcome.places.count(1) == 1:
                    wins[setup.order[record.outcome.places.index(1)]] += 1
                if job.ends_early and is_decided(wins, left):
                    following = None
                    break
            await series.close()
    games = tuple(results[number] for number in sorted(results))
    return JobResult(job.id, games, clock.now() - began, machine.label if machine is not None else "")


def _series(job: SeriesJob[Any], game: AnyGame, run: Sequence[GameSetup], machine: Machine | None) -> Series:
    order = run[0].order
    assignments = seat_assignments(
        game.teams(job.options), [job.entrants[at] for at in order], [job.labels[at] for at in order]
    )
    return Series(
        game, assignments, games=len(run), sandbox=job.sandbox, restart=job.restart, machine=machine
    )


async def _play_game(
    job: SeriesJob[Any],
    setup: GameSetup,
    series: Series,
    observer: GameObserver | None,
    keep: Callable[[GameSetup, Record], G],
) -> tuple[Record, G]:
    options = {**job.options, **setup.options}
    if observer is None:
        record = await series.play(setup.seed, options, rotation=setup.rotation)
        return record, keep(setup, record)
    with observer.observe(job, setup, series, options) as game:
        record = await series.play(
            setup.seed, options, rotation=setup.rotation, emit=game.emit, turns=game.turns
        )
        return record, keep(setup, record)
