"""Plays a sitting through the referee, and writes down every question that the bot was asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from botequim import registry
from botequim.asking import Moment
from botequim.checking.sittings import Sitting
from botequim.checking.watching import Listening, Watching
from botequim.core import clock
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import AnyGame, Outcome, View
from botequim.core.limits import Limits
from botequim.core.messages import msg
from botequim.core.options import Options
from botequim.core.player import InMemory, Player
from botequim.core.record import Record
from botequim.core.rng import Rng, private
from botequim.core.turn import Made, Reply, Step
from botequim.core.wire import Carrier, Question, Seating, Wire
from botequim.entrants.entrant import Entrant
from botequim.entrants.seat import described, transport
from botequim.referee import play
from botequim.remote import RemotePlayer


@dataclass(frozen=True, slots=True)
class Bench:
    """The bot that is tried, and where it runs."""

    game: AnyGame
    entrant: Entrant
    sandbox: Watching

    @property
    def wire(self) -> Wire:
        assert self.entrant.wire is not None
        return registry.wire(self.game.name, self.entrant.wire)

    @property
    def limits(self) -> Limits:
        return self.entrant.limits or self.wire.limits

    @property
    def in_image(self) -> bool:
        """Whether the bot runs in a container."""
        return self.entrant.program is not None and bool(self.entrant.program.image)

    @property
    def files(self) -> frozenset[str]:
        """The names in the bot's folder."""
        folder = self.entrant.folder
        return (
            frozenset(path.name for path in folder.iterdir()) if folder and folder.is_dir() else frozenset()
        )


@dataclass(frozen=True, slots=True)
class Answered:
    """One turn of the bot."""

    sitting: Sitting
    games_before: int
    """That the same instance has played."""
    path: Sequence[Moment]
    """Its seat's turns in this game, this one last."""
    member: int
    seating: Seating
    question: Question | None
    """None: it was not even asked."""
    heard: Sequence[bytes]
    """What its dialect was given to read."""
    unasked: Sequence[bytes]
    """What came before the question."""

    @property
    def view(self) -> Any:
        return self.path[-1].view

    @property
    def made(self) -> Made:
        return self.path[-1].made

    @property
    def turn(self) -> int:
        return self.path[-1].number


@dataclass(slots=True)
class Played:
    """One game of a sitting."""

    sitting: Sitting
    number: int
    """In the sitting, from 0."""
    answered: list[Answered] = field(default_factory=list)
    record: Record | None = None
    """None while it is played."""
    first: float | None = None
    """Seconds of the first turn in which the bot was asked, if its instances were still starting."""
    seconds: list[float] = field(default_factory=list)
    """Of every later turn in which it answered in time."""
    waits: list[float] = field(default_factory=list)
    """Seconds of every turn in which it did not."""


class Spared:
    """A bot that is not asked any more once it is known well enough; its game goes on to its end."""

    def __init__(self, player: RemotePlayer, enough: Callable[[], bool]) -> None:
        self._player = player
        self._enough = enough

    async def open(self, seat: int) -> None:
        await self._player.open(seat)

    async def choose(self, view: View) -> Reply:
        if self._enough():
            raise PlayerFault(FaultKind.LIMIT, msg("not asked: enough is known"))
        return await self._player.choose(view)

    async def finish(self, view: View, outcome: Outcome) -> None:
        await self._player.finish(view, outcome)

    async def close(self) -> None:
        await self._player.close()


class Table:
    """One sitting, its bots opened once."""

    def __init__(self, bench: Bench, sitting: Sitting, seed: str, enough: Callable[[], bool]) -> None:
        self._bench = bench
        self._enough = enough
        self._sitting = sitting
        self._seed = seed
        self._turned = clock.now()
        """When the last turn was over."""
        self._options: Options = sitting.options(bench.game)
        teams = bench.game.teams(self._options)
        self._member = {at: members.index(at) for members in teams for at in members}
        self._names = tuple(_names(sorted(self._member), sitting, bench.entrant.name))
        self._ears = {at: Listening(bench.wire.dialect) for at in sitting.bots}

    async def rehearse(self) -> list[Any]:
        """The views that a random player has on the bot's seats, in a game from the same seed."""
        game, views = self._bench.game, []
        seed, others = f"{self._seed}/0", _others(self._sitting)
        easy = registry.player(game.name, "random")

        def note(step: Step) -> None:
            bots = [made.by for made in step.turn if made.by in self._sitting.bots]
            views.extend([game.view(step.before, at) for at in bots])

        players = []
        for at in range(len(self._names)):
            make = easy if at in self._sitting.bots else next(others)
            players.append(InMemory(make(Rng(private(seed, "seat", at)))))
        await play(game, players, options=self._options, seats=[], seed=seed, emit=note)
        return views

    async def play(
        self,
        told: Callable[[Played, Answered], None],
        *,
        leaving: Callable[[], Awaitable[None]] | None = None,
    ) -> list[Played]:
        """All games; `leaving` is awaited before the bots are closed."""
        games: list[Played] = []
        async with AsyncExitStack() as opened:
            remote = {}
            for at in self._sitting.bots:
                remote[at] = self._remote(at)
                opened.push_async_callback(remote[at].close)
                await remote[at].open(at)
            for number in range(self._sitting.games):
                played = Played(self._sitting, number)
                games.append(played)
                await self._game(played, remote, told)
            if leaving is not None:
                await leaving()
        return games

    def _remote(self, at: int) -> Spared:
        bench = self._bench
        wire = replace(bench.wire, dialect=self._ears[at])
        make = partial(transport, bench.entrant, bench.sandbox, bench.game.name, member=self._member[at])
        sitting = self._sitting
        player = RemotePlayer(
            wire, make, self._seating, bench.limits, games=sitting.games, restart=sitting.restart
        )
        return Spared(player, self._enough)

    @property
    def _seating(self) -> Seating:
        return Seating(self._bench.game, self._options, self._names)

    async def _game(
        self, played: Played, remote: dict[int, Spared], told: Callable[[Played, Answered], None]
    ) -> None:
        bench, sitting = self._bench, self._sitting
        seed = f"{self._seed}/{played.number}"
        others = _others(sitting)
        players: list[Player] = []
        for at in range(len(self._names)):
            if at in remote:
                players.append(remote[at])
            else:
                players.append(InMemory(next(others)(Rng(private(seed, "seat", at)))))
        about = described(bench.entrant, bench.sandbox, bench.game.name)
        seats = [{"name": name} | (about if at in remote else {}) for at, name in enumerate(self._names)]
        self._turned = clock.now()
        played.record = await play(
            bench.game,
            players,
            options=self._options,
            seats=seats,
            seed=seed,
            emit=partial(self._note, played, told, {at: [] for at in remote}),
        )

    def _note(
        self,
        played: Played,
        told: Callable[[Played, Answered], None],
        paths: dict[int, list[Moment]],
        step: Step,
    ) -> None:
        game = self._bench.game
        self._time(played, step.turn)
        for made in step.turn:
            if made.by not in paths:
                continue
            path = paths[made.by]
            path.append(Moment(step.number, step.before, game.view(step.before, made.by), made))
            ear = self._ears[made.by]
            answered = Answered(
                self._sitting,
                played.number if self._kept else 0,
                tuple(path),
                self._member[made.by],
                self._seating,
                ear.question,
                ear.answer,
                ear.unasked,
            )
            ear.forget()
            played.answered.append(answered)
            told(played, answered)

    def _time(self, played: Played, turn: Sequence[Made]) -> None:
        """Note how long a turn took, if the bot was asked in it."""
        began, self._turned = self._turned, clock.now()
        asked = [made for made in turn if made.by in self._ears and self._ears[made.by].question is not None]
        if not asked:
            return
        seconds = self._turned - began
        kinds = [made.fault.kind if made.fault is not None else None for made in asked]
        starting = played.number == 0 and not played.answered and self._bench.wire.carrier is not Carrier.ONCE
        if FaultKind.TIMEOUT in kinds:
            played.waits.append(seconds)
        elif starting:
            played.first = seconds
        elif any(kind not in (FaultKind.CRASH, FaultKind.LIMIT) for kind in kinds):
            played.seconds.append(seconds)

    @property
    def _kept(self) -> bool:
        """Whether an instance plays more than one game here."""
        bench = self._bench
        lives = self._sitting.restart or bench.wire.restart
        return bool(bench.entrant.address) or lives == "series"


def _others(sitting: Sitting) -> Iterator[Any]:
    while True:
        yield from sitting.others


def _names(seats: Sequence[int], sitting: Sitting, name: str) -> Iterator[str]:
    for at in seats:
        if at not in sitting.bots:
            yield f"other{at + 1}"
        elif len(sitting.bots) == 1:
            yield name
        else:
            yield f"{name}#{sitting.bots.index(at) + 1}"
