"""One series of a cup, played in whatever process is given it.

Games that sit alike are played by the same instances as long as their wire lets them live; the instances of
the next sitting are started while the last game of this one is played. A deal that is played from several
sides never meets an instance that has seen it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from botequim import interrupts, registry
from botequim.core import clock
from botequim.core.errors import BotequimError, FaultKind
from botequim.core.messages import msg
from botequim.core.options import Options
from botequim.core.process import Sandbox
from botequim.core.record import Record, fault_json
from botequim.core.wire import Restart
from botequim.cup.live import telling
from botequim.cup.pairing import GameResult, Pairing, Result, Sides, Sitting
from botequim.cup.store import FaultNote, Finished, GameNote
from botequim.entrants.entrant import Entrant
from botequim.series import Series, chairs

OUR_SHARE = 0.2
"""Of a bot's time: when it had to wait for a processor for longer than that, its timeout is ours."""


class Overloaded(BotequimError):
    """A bot was too slow because this machine was: nothing is charged, the series is played again."""


@dataclass(frozen=True, slots=True)
class Task:
    """A series with all that is needed to play it anywhere."""

    stage: str
    pairing: Pairing
    seed: str
    """Of the series."""
    game: str
    options: Options
    entrants: Mapping[str, Entrant]
    sandbox: Sandbox | None = None
    restart: Restart | None = None
    patient: bool = True
    """Whether a timeout that may be ours is played again; the last time it is not."""


def play_task(task: Task) -> Finished:
    """Play a whole series."""
    return interrupts.run(_Playing(task).play())


class _Playing:
    def __init__(self, task: Task) -> None:
        self._task = task
        self._game = registry.game(task.game)
        self._teams = self._game.teams(task.options)
        self._results: dict[int, GameResult] = {}
        self._notes: dict[int, GameNote] = {}
        self._faults: list[FaultNote] = []

    async def play(self) -> Finished:
        began = clock.now()
        pairing = self._task.pairing
        async with AsyncExitStack() as opened:
            runs = self._runs()
            run = next(runs)
            series = await opened.enter_async_context(self._series(run))
            while not self._over():
                following = next(runs, None)
                coming: Series | None = None
                for sitting in run:
                    if following is not None and sitting is run[-1]:
                        coming = await opened.enter_async_context(self._series(following))
                    await self._play_game(series, sitting)
                    if self._over():
                        break
                await series.close()
                if following is None or coming is None:
                    break
                run, series = following, coming
        numbers = sorted(self._results)
        return Finished(
            self._task.stage,
            Result.of(pairing, [self._results[number] for number in numbers]),
            tuple(self._notes[number] for number in numbers),
            tuple(self._faults),
            clock.now() - began,
        )

    def _over(self) -> bool:
        return self._task.pairing.over([self._results[number] for number in sorted(self._results)])

    def _runs(self) -> Iterator[list[Sitting]]:
        """The sittings in the order of play, in handfuls for the same instances."""
        pairing, seed = self._task.pairing, self._task.seed
        sittings = [pairing.sitting(number, seed) for number in range(pairing.terms.games)]
        if pairing.terms.sides is Sides.EVERY and not pairing.terms.early:
            sittings.sort(key=lambda sitting: (sitting.turned, sitting.number))
        most = len(sittings) if self._lives_on() else 1
        run: list[Sitting] = []
        for sitting in sittings:
            alike = run and (run[-1].order, run[-1].turned) == (sitting.order, sitting.turned)
            if run and (not alike or len(run) >= most):
                yield run
                run = []
            run.append(sitting)
        yield run

    def _lives_on(self) -> bool:
        """Whether any bot lives through a series; if none does, each game has its own instances anyway."""
        bots = [bot for bot in self._task.entrants.values() if bot.wire is not None]
        lifetimes = {
            self._task.restart or registry.wire(self._task.game, bot.wire or "").restart for bot in bots
        }
        return not bots or Restart.SERIES in lifetimes

    def _series(self, run: Sequence[Sitting]) -> Series:
        names = [self._task.pairing.entrants[at] for at in run[0].order]
        seated = chairs(self._teams, [self._task.entrants[name] for name in names], names)
        return Series(
            self._game, seated, games=len(run), sandbox=self._task.sandbox, restart=self._task.restart
        )

    async def _play_game(self, series: Series, sitting: Sitting) -> None:
        record = await self._refereed(series, sitting)
        by_team = [0] * len(self._teams)
        for number, turn in enumerate(record.turns, start=1):
            for made in turn:
                if made.fault is None:
                    continue
                team = next(at for at, seats in enumerate(self._teams) if made.by in seats)
                by_team[team] += 1
                entrant = self._task.pairing.entrants[sitting.order[team]]
                # in ASCII: half a character, which a bot may answer, can be kept in no other way
                told = json.dumps(fault_json(self._game, made.fault))
                kind = made.fault.kind.value
                self._faults.append(FaultNote(sitting.number, number, made.by, entrant, kind, told))
        self._results[sitting.number] = GameResult.of(record.outcome, sitting.order, by_team)
        self._notes[sitting.number] = GameNote.of_record(record)

    async def _refereed(self, series: Series, sitting: Sitting) -> Record:
        """A game, told to who looks on if that is asked for."""
        options = {**self._task.options, **sitting.options}
        if telling.TELLING is None:
            record = await series.play(sitting.seed, options, turned=sitting.turned)
            self._look_for_delays(record)
            return record
        stage, key = self._task.stage, self._task.pairing.key
        with telling.TELLING.game(stage, key, sitting.number, self._game, options, series.seats) as told:
            emit = told.stamp if series.waits else None
            record = await series.play(
                sitting.seed, options, turned=sitting.turned, emit=emit, turns=told.turns
            )
            self._look_for_delays(record)
        return record

    def _look_for_delays(self, record: Record) -> None:
        if self._task.patient:
            _look_for_delays(record)


def _look_for_delays(record: Record) -> None:
    """Refuse a game in which a bot was late because it did not get the processor it is promised."""
    for turn in record.turns:
        for made in turn:
            if made.fault is None or made.fault.kind is not FaultKind.TIMEOUT:
                continue
            queued, allowed = made.fault.evidence.get("queued", 0), made.fault.evidence.get("allowed", 0)
            if allowed and queued > OUR_SHARE * allowed:
                raise Overloaded(
                    msg(
                        "a bot waited {queued} of its {allowed} seconds for a processor: the series is "
                        "played again; with fewer workers that would not be necessary",
                        queued=str(queued),
                        allowed=str(allowed),
                    )
                )
