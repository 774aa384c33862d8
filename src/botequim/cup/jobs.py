"""The jobs of a cup: one for each series, and what is stored of its games.

Games with the same seats are played by the same instances for as long as their wire allows. If each deal is
played from every side, no instance plays a deal twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

from botequim.bots.entrant import Entrant
from botequim.core.errors import BotequimError, FaultKind
from botequim.core.messages import msg
from botequim.core.options import Options
from botequim.core.process import Sandbox
from botequim.core.results import GameResult
from botequim.core.wire import Restart
from botequim.cup.pairing import Pairing, Sides
from botequim.engine.jobs import GameSetup, JobResult, SeriesJob
from botequim.records.record import Record, fault_json
from botequim.storage.values import FinishedSeries, StoredFault, StoredGame

OUR_SHARE = 0.2
"""The part of its time that a bot may wait for a processor. After a longer wait, a timeout is our fault."""


class Overloaded(BotequimError):
    """A bot was too slow because this machine was overloaded. The series is played again, without a fault."""


class CupGame(NamedTuple):
    """The parts of a game that a job of a cup returns."""

    result: GameResult
    record: StoredGame
    faults: tuple[StoredFault, ...]


def series_job(
    stage: str,
    pairing: Pairing,
    seed: str,
    game: str,
    options: Options,
    entrants: Mapping[str, Entrant],
    *,
    sandbox: Sandbox | None = None,
    restart: Restart | None = None,
) -> SeriesJob[CupGame]:
    """Return the job that plays a pairing; `seed` is the seed of the series."""
    seated = tuple(entrants[name] for name in pairing.entrants)
    return SeriesJob(
        stage,
        pairing.key,
        game,
        options,
        seated,
        pairing.entrants,
        _runs(pairing, seed, one_game=not _lives_through_series(seated, restart)),
        keep_for_store,
        sandbox,
        restart,
        ends_early=pairing.terms.early,
    )


def finished_series(pairing: Pairing, result: JobResult[CupGame]) -> FinishedSeries:
    """Return what is stored of a job that was played."""
    return FinishedSeries(
        result.id.stage,
        pairing.result([game.result.canonical() for game in result.games]),
        tuple(game.record for game in result.games),
        tuple(fault for game in result.games for fault in game.faults),
        result.seconds,
    )


def keep_for_store(job: SeriesJob[CupGame]) -> Callable[[GameSetup, Record], CupGame]:
    """Keep results, records and faults. Raise Overloaded if a timeout is not the bot's fault, unless this is
    the last attempt."""

    def keep(setup: GameSetup, record: Record) -> CupGame:
        if not job.is_last_attempt:
            _refuse_delays(record)
        teams = record.game.teams(job.options)
        by_team = [0] * len(teams)
        faults = []
        for number, turn in enumerate(record.turns, start=1):
            for made in turn:
                if made.fault is None:
                    continue
                team = next(at for at, seats in enumerate(teams) if made.by in seats)
                by_team[team] += 1
                # in ASCII, because a bot may send half a surrogate pair
                fault = json.dumps(fault_json(record.game, made.fault))
                where = (job.stage, job.key, setup.number, number, made.by)
                faults.append(
                    StoredFault(*where, job.labels[setup.order[team]], made.fault.kind.value, fault)
                )
        result = GameResult.of(record.outcome, setup.order, by_team)
        return CupGame(result, StoredGame.from_lines(list(record.public().lines())), tuple(faults))

    return keep


def _runs(pairing: Pairing, seed: str, *, one_game: bool) -> tuple[tuple[GameSetup, ...], ...]:
    """Return the games in the order of play, in runs with the same seats; `one_game`: one game a run."""
    rules = pairing.terms
    setups = [pairing.game_setup(number, seed) for number in range(rules.games)]
    if rules.sides is Sides.EVERY and not rules.early:
        setups.sort(key=lambda setup: (setup.rotation, setup.number))
    runs: list[list[GameSetup]] = []
    for setup in setups:
        last = runs[-1][-1] if runs else None
        if one_game or last is None or (last.order, last.rotation) != (setup.order, setup.rotation):
            runs.append([])
        runs[-1].append(setup)
    return tuple(tuple(run) for run in runs)


def _lives_through_series(entrants: tuple[Entrant, ...], restart: Restart | None) -> bool:
    """Return whether a bot lives through a series; if none does, each game has its own instances anyway."""
    wires = [entrant.wire for entrant in entrants if entrant.wire is not None]
    lifetimes = {restart or wire.restart for wire in wires}
    return not wires or Restart.SERIES in lifetimes


def _refuse_delays(record: Record) -> None:
    """Raise Overloaded if a bot was late because it did not get the processor time it was promised."""
    for turn in record.turns:
        for made in turn:
            if made.fault is None or made.fault.kind is not FaultKind.TIMEOUT:
                continue
            queued, allowed = made.fault.evidence.get("queued", 0), made.fault.evidence.get("allowed", 0)
            if allowed and queued > OUR_SHARE * allowed:
                raise Overloaded(
                    msg(
                        "a bot waited {queued} of its {allowed} seconds for a processor, so the "
                        "series is played again; to avoid this, use fewer workers",
                        queued=str(queued),
                        allowed=str(allowed),
                    )
                )
