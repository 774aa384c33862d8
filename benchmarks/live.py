"""What it costs a cup that its games are told while they are played.

`python -m benchmarks.live` plays the same cups with and without, in turns, and prints how much longer the one
takes than the other. Beside it stands what the same comparison says of two that are both played without: the
noise. It holds when telling costs less than 5 % more than that.

The cups: a confronto of thousands of games that last a fraction of a millisecond, games of some milliseconds,
and bots that are asked through a pipe. Workers are few enough that the coordinator has a processor of its
own.
"""

from __future__ import annotations

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

ROUNDS = 9
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


def seconds(path: Path, *, told: bool) -> tuple[dict[str, float], int]:
    """Of play, by series, and how many games were told."""
    cup, home = read(path), Home.of(path)
    for left in home.folder.glob("*.sqlite*"):
        left.unlink()
    with Store.open(home.store, write=True) as store:
        live = home.live if told else None
        runner = Runner(cup, store, begin(cup, store, None), Bare(), False, 1, live=live)
        spent = {step.last.result.key: step.last.seconds for step in runner.play() if step.last is not None}
    with Live.open(home.live) as reader:
        return spent, len(reader.games())


def compared(path: Path) -> bool:
    """With over without, and without over without.

    The best time of each series counts: on a busy machine hardly any round goes by undisturbed.
    """
    best: dict[str, dict[str, float]] = {"told": {}, "plain": {}, "again": {}}
    games = 0
    for number in range(ROUNDS):
        for which in list(best)[:: 1 if number % 2 else -1]:
            times, seen = seconds(path, told=which == "told")
            games = max(games, seen)
            for key, spent in times.items():
                best[which][key] = min(spent, best[which].get(key, spent))
    told, plain, again = (sum(times.values()) for times in best.values())
    cost, noise = told / plain - 1, again / plain - 1
    holds = cost - abs(noise) < MOST
    print(
        f"{path.stem}: {cost:+.1%} with telling, {noise:+.1%} without (noise); {games} in {plain:.1f} s told"
    )
    print(f"  {'holds' if holds else 'DOES NOT HOLD'} (less than {MOST:.0%} beyond noise)", flush=True)
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
            written(folder, "havana", "havana", ["greedy"] * 3, league.format(games=800)),
            written(folder, "cubos", "cubos", ["greedy"] * 3, league.format(games=600)),
            written(folder, "uno", "uno", ["greedy"] * 3, league.format(games=100)),
            written(folder, "bots", "cubos", [str(bot)] * 3, league.format(games=20)),
        ]
        held = [compared(path) for path in cups]
    print(f"in {time.monotonic() - began:.0f} s")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
