"""Plays trials of a bot with the referee, and records every question to the bot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from botequim import registry
from botequim.botcheck.recorders import RecordingCodec, RecordingSandbox
from botequim.botcheck.trials import Trial
from botequim.bots.entrant import Entrant
from botequim.bots.environments import environment_in_use
from botequim.bots.remote import RemotePlayer
from botequim.bots.seat import make_transport, record_header_fields
from botequim.core import clock
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import AnyGame, Outcome, View
from botequim.core.limits import Limits
from botequim.core.messages import msg
from botequim.core.options import Options
from botequim.core.player import LocalPlayer, Player
from botequim.core.rng import Rng, private
from botequim.core.turn import PlayedMove, Reply, Step
from botequim.core.wire import GameContext, Question, TransportKind, Wire
from botequim.engine.referee import play
from botequim.records.record import Record
from botequim.records.requery import DecisionPoint


@dataclass(frozen=True, slots=True)
class CheckBench:
    """The bot under test, its game, and its sandbox."""

    game: AnyGame
    entrant: Entrant
    sandbox: RecordingSandbox

    @property
    def wire(self) -> Wire:
        assert self.entrant.wire is not None
        return self.entrant.wire

    @property
    def limits(self) -> Limits:
        return self.entrant.limits

    @property
    def in_image(self) -> bool:
        """Whether the bot runs in a container."""
        return self.entrant.program is not None and bool(self.entrant.program.image)

    @property
    def environment(self) -> str:
        """The virtual environment that the bot runs in, as a path in its folder; "" if there is none."""
        return "" if self.entrant.program is None else environment_in_use(self.entrant.program)

    @property
    def files(self) -> frozenset[str]:
        """The names in the bot's folder."""
        folder = self.entrant.folder
        return (
            frozenset(path.name for path in folder.iterdir()) if folder and folder.is_dir() else frozenset()
        )


@dataclass(frozen=True, slots=True)
class BotTurn:
    """One turn of the bot."""

    trial: Trial
    games_before: int
    """The number of games that the same instance has played before."""
    path: Sequence[DecisionPoint]
    """The turns of its seat in this game, this one last."""
    member: int
    context: GameContext
    question: Question | None
    """None if the bot was not asked."""
    codec_input: Sequence[bytes]
    """The part of the answer that the codec received."""
    unsolicited: Sequence[bytes]
    """The output of the bot before the question."""

    @property
    def view(self) -> Any:
        return self.path[-1].view

    @property
    def played_move(self) -> PlayedMove:
        return self.path[-1].played_move

    @property
    def turn(self) -> int:
        return self.path[-1].number


@dataclass(slots=True)
class TrialGame:
    """One game of a trial."""

    trial: Trial
    number: int
    """The number in the trial, from 0."""
    bot_turns: list[BotTurn] = field(default_factory=list)
    record: Record | None = None
    """None while it is played."""
    first: float | None = None
    """The seconds of the first turn in which the bot was asked, if its instances were still starting."""
    seconds: list[float] = field(default_factory=list)
    """The seconds of every later turn in which it answered in time."""
    waits: list[float] = field(default_factory=list)
    """The seconds of every turn in which it answered too late."""


class StoppablePlayer:
    """A bot that is not asked any more once enough is known about it. Its game continues to the end."""

    def __init__(self, player: RemotePlayer, enough: Callable[[], bool]) -> None:
        self._player = player
        self._enough = enough

    async def open(self, seat: int) -> None:
        await self._player.open(seat)

    async def choose(self, view: View) -> Reply:
        if self._enough():
            raise PlayerFault(FaultKind.LIMIT, msg("not asked: the check already knows enough"))
        return await self._player.choose(view)

    async def finish(self, view: View, outcome: Outcome) -> None:
        await self._player.finish(view, outcome)

    async def close(self) -> None:
        await self._player.close()


class Table:
    """Plays one trial. Its bots are opened once, for all games."""

    def __init__(self, bench: CheckBench, trial: Trial, seed: str, enough: Callable[[], bool]) -> None:
        self._bench = bench
        self._enough = enough
        self._trial = trial
        self._seed = seed
        self._turn_ended = clock.now()
        """The time when the last turn ended."""
        self._options: Options = trial.options(bench.game)
        teams = bench.game.teams(self._options)
        self._member = {at: members.index(at) for members in teams for at in members}
        self._names = tuple(_names(sorted(self._member), trial, bench.entrant.name))
        self._codecs = {at: RecordingCodec(bench.wire.codec) for at in trial.bots}

    async def rehearse(self) -> list[Any]:
        """Return the views that a random player on the bot's seats has in a game with the same seed."""
        game, views = self._bench.game, []
        seed, others = f"{self._seed}/0", _others(self._trial)
        easy = registry.player(game.name, "random")

        def note(step: Step) -> None:
            bots = [move.by for move in step.turn if move.by in self._trial.bots]
            views.extend([game.view(step.before, at) for at in bots])

        players = []
        for at in range(len(self._names)):
            make = easy if at in self._trial.bots else next(others)
            players.append(LocalPlayer(make(Rng(private(seed, "seat", at)))))
        await play(game, players, options=self._options, seats=[], seed=seed, emit=note)
        return views

    async def play(
        self,
        on_turn: Callable[[TrialGame, BotTurn], None],
        *,
        leaving: Callable[[], Awaitable[None]] | None = None,
    ) -> list[TrialGame]:
        """Play all games; `leaving` is awaited before the bots are closed."""
        games: list[TrialGame] = []
        async with AsyncExitStack() as stack:
            remote = {}
            for at in self._trial.bots:
                remote[at] = self._remote(at)
                stack.push_async_callback(remote[at].close)
                await remote[at].open(at)
            for number in range(self._trial.games):
                game = TrialGame(self._trial, number)
                games.append(game)
                await self._game(game, remote, on_turn)
            if leaving is not None:
                await leaving()
        return games

    def _remote(self, at: int) -> StoppablePlayer:
        bench = self._bench
        wire = replace(bench.wire, codec=self._codecs[at])
        make = partial(make_transport, bench.entrant, bench.sandbox, member=self._member[at])
        trial = self._trial
        player = RemotePlayer(
            wire, make, self._seating, bench.limits, games=trial.games, restart=trial.restart
        )
        return StoppablePlayer(player, self._enough)

    @property
    def _seating(self) -> GameContext:
        return GameContext(self._bench.game, self._options, self._names)

    async def _game(
        self,
        trial_game: TrialGame,
        remote: dict[int, StoppablePlayer],
        on_turn: Callable[[TrialGame, BotTurn], None],
    ) -> None:
        bench, trial = self._bench, self._trial
        seed = f"{self._seed}/{trial_game.number}"
        others = _others(trial)
        players: list[Player] = []
        for at in range(len(self._names)):
            if at in remote:
                players.append(remote[at])
            else:
                players.append(LocalPlayer(next(others)(Rng(private(seed, "seat", at)))))
        about = record_header_fields(bench.entrant, bench.sandbox)
        seats = [{"name": name} | (about if at in remote else {}) for at, name in enumerate(self._names)]
        self._turn_ended = clock.now()
        trial_game.record = await play(
            bench.game,
            players,
            options=self._options,
            seats=seats,
            seed=seed,
            emit=partial(self._note, trial_game, on_turn, {at: [] for at in remote}),
        )

    def _note(
        self,
        trial_game: TrialGame,
        on_turn: Callable[[TrialGame, BotTurn], None],
        paths: dict[int, list[DecisionPoint]],
        step: Step,
    ) -> None:
        game = self._bench.game
        self._time(trial_game, step.turn)
        for move in step.turn:
            if move.by not in paths:
                continue
            path = paths[move.by]
            path.append(DecisionPoint(step.number, step.before, game.view(step.before, move.by), move))
            codec = self._codecs[move.by]
            bot_turn = BotTurn(
                self._trial,
                trial_game.number if self._plays_on else 0,
                tuple(path),
                self._member[move.by],
                self._seating,
                codec.question,
                codec.answer,
                codec.unsolicited,
            )
            codec.forget()
            trial_game.bot_turns.append(bot_turn)
            on_turn(trial_game, bot_turn)

    def _time(self, trial_game: TrialGame, turn: Sequence[PlayedMove]) -> None:
        """Add the duration of a turn to the game, if the bot was asked in it."""
        began, self._turn_ended = self._turn_ended, clock.now()
        moves = [
            move for move in turn if move.by in self._codecs and self._codecs[move.by].question is not None
        ]
        if not moves:
            return
        seconds = self._turn_ended - began
        kinds = [move.fault.kind if move.fault is not None else None for move in moves]
        starting = (
            trial_game.number == 0
            and not trial_game.bot_turns
            and self._bench.wire.transport is not TransportKind.ONCE
        )
        if FaultKind.TIMEOUT in kinds:
            trial_game.waits.append(seconds)
        elif starting:
            trial_game.first = seconds
        elif any(kind not in (FaultKind.CRASH, FaultKind.LIMIT) for kind in kinds):
            trial_game.seconds.append(seconds)

    @property
    def _plays_on(self) -> bool:
        """Whether an instance plays more than one game here."""
        bench = self._bench
        lives = self._trial.restart or bench.wire.restart
        return bool(bench.entrant.address) or lives == "series"


def _others(trial: Trial) -> Iterator[Any]:
    while True:
        yield from trial.others


def _names(seats: Sequence[int], trial: Trial, name: str) -> Iterator[str]:
    for at in seats:
        if at not in trial.bots:
            yield f"other{at + 1}"
        elif len(trial.bots) == 1:
            yield name
        else:
            yield f"{name}#{trial.bots.index(at) + 1}"
