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
from pathlib import Path

from botequim import registry
from botequim.core.messages import msg
from botequim.core.options import settle
from botequim.core.process import Program
from botequim.cup.live import Live
from botequim.cup.live.broadcast import Broadcast
from botequim.cup.pairing import Pairing, Terms
from botequim.cup.playing import Task, play_task
from botequim.entrants.entrant import Entrant
from botequim.sandbox.bare import Bare
from botequim.workers import Pool

ROUNDS = 9
MOST = 0.05

BOT = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    if "legal" in question:
        print(json.dumps({"move": question["legal"][0]}), flush=True)
"""


def timed(task: Task) -> tuple[float, float]:
    """The processor time and the time on the wall that a series takes, in a worker."""
    own, wall = time.process_time(), time.perf_counter()
    play_task(task)
    return time.process_time() - own, time.perf_counter() - wall


def series(game: str, entrant: Entrant, games: int) -> Task:
    known = registry.game(game)
    names = ("a", "b", "c")[: 3 if game == "uno" else 2]
    options = settle(game, known.options, {"players": len(names)} if game == "uno" else {})
    pairing = Pairing(" | ".join(names), names, Terms(games), msg("a series"))
    sandbox = None if entrant.built_in else Bare()
    return Task("league", pairing, "7", game, options, dict.fromkeys(names, entrant), sandbox)


def compared(name: str, task: Task, path: Path) -> bool:
    """With over without, and without over without."""
    best: dict[str, tuple[float, float]] = {}
    games = 0
    with (
        Broadcast(path) as live,
        Pool(1, live.first) as telling,
        Pool(1) as silent,
        Live.open(path) as reader,
    ):
        pools = {"told": telling, "plain": silent, "again": silent}
        for pool in (telling, silent):
            pool.submit(timed, task).result()  # all that is read and made once
        for number in range(ROUNDS):
            for which in list(pools)[:: 1 if number % 2 else -1]:
                own, wall = pools[which].submit(timed, task).result()
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
        bot = Entrant("bot", "bot", "arena-lines", program)
        greedy = Entrant("greedy", "greedy")
        held = [
            compared(name, task, folder / f"{name}.sqlite")
            for name, task in (
                ("havana", series("havana", greedy, 1000)),
                ("cubos", series("cubos", greedy, 600)),
                ("uno", series("uno", greedy, 150)),
                ("bots", series("cubos", bot, 20)),
            )
        ]
    print(f"in {time.monotonic() - began:.0f} s")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
