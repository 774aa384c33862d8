"""What it costs a cup that its games are told while they are played.

`python -m benchmarks.live` plays the same cups with and without, in turns, and prints how much longer the one
takes than the other. Beside it stands what the same comparison says of two that are both played without: the
noise. It holds when telling costs less than 5 % more than that.

The cups: a confronto of thousands of games that last a fraction of a millisecond, games of some milliseconds,
and bots that are asked through a pipe. Workers are few enough that the coordinator has a processor of its
own.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from botequim.cup.home import Home
from botequim.cup.live import Live
from botequim.cup.reading import read
from botequim.cup.runner import Runner, begin
from botequim.cup.store import Store
from botequim.sandbox.bare import Bare

ROUNDS = 7
MOST = 0.05

BOT = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    if "legal" in question:
        print(json.dumps({"move": question["legal"][0]}), flush=True)
"""


def written(folder: Path, name: str, game: str, bots: list[str], stage: str) -> Path:
    """A cup file."""
    path = folder / f"{name}.toml"
    text = f'name = "{name}"\ngame = "{game}"\nseed = "7"\n[[stages]]\nname = "league"\n{stage}\n'
    for at, bot in enumerate(bots):
        text += f'[[entrants]]\nname = "e{at}"\nbot = "{bot}"\n'
    path.write_text(text, encoding="utf-8")
    return path


def seconds(path: Path, *, told: bool) -> tuple[float, int]:
    """Of play, in all series together, and how many games were told."""
    cup, home = read(path), Home.of(path)
    for left in home.folder.glob("*.sqlite*"):
        left.unlink()
    with Store.open(home.store, write=True) as store:
        live = home.live if told else None
        runner = Runner(cup, store, begin(cup, store, None), Bare(), False, 1, live=live)
        spent = sum(step.last.seconds for step in runner.play() if step.last is not None)
    with Live.open(home.live) as reader:
        return spent, len(reader.games())


def compared(path: Path) -> bool:
    """With over without, and without over without, each the median of pairs that were played in turns."""
    costs, noises, games = [], [], 0
    seconds(path, told=False)
    for number in range(ROUNDS):
        times = {}
        order = ("told", "plain", "again") if number % 2 else ("again", "plain", "told")
        for which in order:
            times[which], seen = seconds(path, told=which == "told")
            games = max(games, seen)
        costs.append(times["told"] / times["plain"])
        noises.append(times["again"] / times["plain"])
    cost, noise = statistics.median(costs) - 1, statistics.median(noises) - 1
    spread = statistics.quantiles(noises, n=4)
    holds = cost - abs(noise) < MOST
    print(
        f"{path.stem}: told {cost:+.1%}; noise {noise:+.1%} (quartiles {spread[0] - 1:+.1%} to "
        f"{spread[2] - 1:+.1%}); {games} games told in {times['told']:.1f} s: "
        f"{'holds' if holds else 'DOES NOT HOLD'} (less than {MOST:.0%} beyond noise)",
        flush=True,
    )
    return holds


def main() -> int:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        bot = folder / "bot"
        bot.mkdir()
        (bot / "bot.py").write_text(BOT, encoding="utf-8")
        (bot / "botequim.toml").write_text('command = "python3 bot.py"\nwire = "arena-lines"\n')
        league = 'format = "round_robin"\ngames = {games}'
        cups = [
            written(folder, "havana", "havana", ["greedy"] * 2, league.format(games=3000)),
            written(folder, "cubos", "cubos", ["greedy"] * 2, league.format(games=2000)),
            written(folder, "uno", "uno", ["greedy"] * 4, league.format(games=60)),
            written(folder, "bots", "cubos", [str(bot)] * 2, league.format(games=60)),
        ]
        held = [compared(path) for path in cups]
    print(f"in {time.monotonic() - began:.0f} s")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
