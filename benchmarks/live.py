"""What it costs a cup that its games are told while they are played.

`python -m benchmarks.live` plays the same series in a worker with and without telling, in turns, and prints
how much more the one takes than the other. Beside it stands what the same comparison says of two that are
both played without: the noise. It holds when telling costs less than 5 % more than that.

What counts is the worker's processor time, all its threads together: nothing in play ever waits for telling
but for the processor, and time on the wall tells more about who else uses the machine. That is printed too.
Of each, the best round counts.

The series: games that last a fraction of a millisecond, games of some milliseconds, and bots that are asked
through a pipe.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.core.process import Program
from botequim.cup.jobs import CupGame, keep_for_store, series_job
from botequim.cup.live import LiveGames
from botequim.cup.live.writer import LiveCollector
from botequim.cup.pairing import Pairing, SeriesRules
from botequim.engine.executors import Completed, Executor, LocalProcesses
from botequim.engine.jobs import GameSetup, SeriesJob
from botequim.records.record import Record
from botequim.sandbox.none import NoSandbox
from botequim.storage import open_storage

ROUNDS = 9
MOST = 0.05

BOT = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    if "legal" in question:
        print(json.dumps({"move": question["legal"][0]}), flush=True)
"""


class Times(NamedTuple):
    """Since a job began: the worker's processor time, and the time on the wall."""

    own: float
    wall: float


def keep_times(job: SeriesJob[Times]) -> Callable[[GameSetup, Record], Times]:
    """Do what a cup does with each game, and keep the time."""
    own, wall = time.process_time(), time.perf_counter()
    keep = keep_for_store(cast(SeriesJob[CupGame], job))

    def times(setup: GameSetup, record: Record) -> Times:
        keep(setup, record)
        return Times(time.process_time() - own, time.perf_counter() - wall)

    return times


def timed(executor: Executor, job: SeriesJob[Times]) -> Times:
    """The processor time and the time on the wall that a series takes, in a worker."""
    executor.submit(job)
    (outcome,) = executor.wait()
    assert isinstance(outcome, Completed)
    times: Times = outcome.result.games[-1]
    return times


def series(game: str, entrant: Entrant, games: int) -> SeriesJob[Times]:
    known = registry.game(game)
    names = ("a", "b", "c")[: 3 if game == "uno" else 2]
    options = resolve_options(game, known.options, {"players": len(names)} if game == "uno" else {})
    pairing = Pairing(" | ".join(names), names, SeriesRules(games), msg("a series"))
    sandbox = None if entrant.built_in else NoSandbox()
    job = series_job("league", pairing, "7", game, options, dict.fromkeys(names, entrant), sandbox=sandbox)
    return cast(SeriesJob[Times], replace(job, keep=keep_times))  # type: ignore[arg-type]


def compared(name: str, job: SeriesJob[Times], path: Path) -> bool:
    """With over without, and without over without."""
    best: dict[str, tuple[float, float]] = {}
    path.mkdir(exist_ok=True)
    storage = open_storage(path)
    games = 0
    with (
        LiveCollector(storage) as live,
        LocalProcesses(1, live.observation) as telling,
        LocalProcesses(1) as silent,
        LiveGames(storage.open_live()) as reader,
    ):
        executors: dict[str, Executor] = {"told": telling, "plain": silent, "again": silent}
        for executor in (telling, silent):
            timed(executor, job)  # all that is read and made once
        for number in range(ROUNDS):
            for which in list(executors)[:: 1 if number % 2 else -1]:
                own, wall = timed(executors[which], job)
                before = best.get(which, (own, wall))
                best[which] = (min(own, before[0]), min(wall, before[1]))
            games = max(games, len(reader.games()))
    cost, noise = (best[which][0] / best["plain"][0] - 1 for which in ("told", "again"))
    walls = [best[which][1] / best["plain"][1] - 1 for which in ("told", "again")]
    holds = cost - abs(noise) < MOST
    print(f"{name}, {best['plain'][1]:.1f} s: {cost:+.1%} with telling, {noise:+.1%} without (noise)")
    print(f"  on the wall {walls[0]:+.1%}, {walls[1]:+.1%}; {games} games were to be seen at once")
    print(f"  {'holds' if holds else 'DOES NOT HOLD'} (less than {MOST:.0%} beyond noise)", flush=True)
    return holds


def main() -> int:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "bot.py").write_text(BOT, encoding="utf-8")
        program = Program((sys.executable, "-u", str(folder / "bot.py")), folder)
        bot = Entrant.bot("bot", "bot", registry.wire("uno", "arena-lines"), program)
        greedy = Entrant("greedy", "greedy")
        held = [
            compared(name, job, folder / name)
            for name, job in (
                ("havana", series("havana", greedy, 1000)),
                ("cubos", series("cubos", greedy, 600)),
                ("uno", series("uno", greedy, 150)),
                ("bots", series("cubos", bot, 20)),
            )
        ]
    print(f"in {time.monotonic() - began:.0f} s")
    return 0 if all(held) else 1


if __name__ == "__main__":
    # jobs name the module of what they keep, and no worker has this one as __main__
    from benchmarks import live

    sys.exit(live.main())
