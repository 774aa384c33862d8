"""What a cup costs beside its games: its workers, its coordinator, its store.

`python -m benchmarks.cup` prints

* what two workers reach of what two bare processes that only burn processor time reach beside one;
* the coordinator's own time for each game;
* a cup of 100,000 short games: memory of the coordinator, and how soon a finished one is resumed.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.cup.runner import Runner, begin
from botequim.engine.executors import LocalProcesses
from botequim.sandbox.none import NoSandbox
from botequim.storage.sqlite import RESULTS

AT_LEAST = 0.9
MOST_COORDINATOR = 1e-3
MOST_MEMORY = 300
MOST_RESUME = 3.0


def written(folder: Path, name: str, game: str, entrants: int, stage: str, options: str = "") -> Path:
    """A cup file between built-in players."""
    path = folder / f"{name}.toml"
    text = f'name = "{name}"\ngame = "{game}"\nseed = "7"\n{options}\n[[stages]]\nname = "league"\n{stage}\n'
    for at in range(entrants):
        text += f'[[entrants]]\nname = "e{at}"\nbot = "{"greedy" if at % 2 else "random"}"\n'
    path.write_text(text, encoding="utf-8")
    return path


def play(path: Path, workers: int) -> tuple[float, float, int]:
    """Seconds it took once its workers were there, the coordinator's own processor time, and the games."""
    cup = read(path)
    with CupPaths.of(path).storage.open_results(write=True) as store:
        runner = Runner(
            cup, store, begin(cup, store, None), NoSandbox(), False, partial(LocalProcesses, workers)
        )
        games, began, own = 0, 0.0, 0.0
        for told in runner.play():
            if not began:
                began, own = time.perf_counter(), time.process_time()
            elif told.last is not None:
                games += len(told.last.games)
        return time.perf_counter() - began, time.process_time() - own, games


def burn(rounds: int) -> int:
    """Nothing but work."""
    value = 0
    for number in range(rounds):
        value = (value * 31 + number) % 1_000_003
    return value


def burners(processes: int, rounds: int) -> float:
    """Seconds that so many processes take, each with as much to do."""
    context = multiprocessing.get_context("fork")
    began = time.perf_counter()
    crew = [context.Process(target=burn, args=(rounds,)) for _ in range(processes)]
    for one in crew:
        one.start()
    for one in crew:
        one.join()
    return time.perf_counter() - began


def scaling(folder: Path) -> bool:
    """Two workers over one, beside two burners over one."""
    gains, bare = [], []
    for number in range(3):
        rate = {}
        for workers in (1, 2):
            stage = 'format = "round_robin"\ngames = 120'
            path = written(folder, f"scale-{number}-{workers}", "havana", 16, stage)
            seconds, _, games = play(path, workers)
            rate[workers] = games / seconds
        gains.append(rate[2] / rate[1])
        bare.append(2 * burners(1, 12_000_000) / burners(2, 12_000_000))
    ours, floor = max(gains), max(bare)
    holds = ours / floor >= AT_LEAST
    print(f"two workers: {ours:.2f} times one; two bare burners: {floor:.2f} times one")
    print(
        f"  ratio {ours / floor:.2f} (at least {AT_LEAST}): {'holds' if holds else 'DOES NOT HOLD'}",
        flush=True,
    )
    return holds


def large(folder: Path) -> bool:
    """100,000 short games, in 10,000 series."""
    stage = 'format = "round_robin"\ngames = 22'
    path = written(folder, "large", "rps", 96, stage, "[options]\nrounds = 3\n")
    seconds, own, games = play(path, 2)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.perf_counter()
    again = os.spawnv(
        os.P_WAIT, sys.executable, [sys.executable, "-m", "botequim", "cup", "run", str(path), "--quiet"]
    )
    resumed = time.perf_counter() - began
    size = (CupPaths.of(path).folder / RESULTS).stat().st_size / (1 << 20)
    print(f"a cup of {games} games in {seconds:.0f} s, its store {size:.0f} MB")
    holds = [own / games <= MOST_COORDINATOR, memory <= MOST_MEMORY, resumed <= MOST_RESUME and again == 0]
    for what, held in zip(
        (
            f"coordinator: {own / games * 1e6:.0f} us a game (at most {MOST_COORDINATOR * 1e6:.0f})",
            f"memory of the coordinator at its peak: {memory:.0f} MB (at most {MOST_MEMORY})",
            f"resumed and found finished: {resumed:.1f} s (at most {MOST_RESUME:g})",
        ),
        holds,
        strict=True,
    ):
        print(f"  {what}: {'holds' if held else 'DOES NOT HOLD'}", flush=True)
    return all(holds)


def main() -> int:
    """Measure everything; the exit code says whether all of it holds."""
    with tempfile.TemporaryDirectory(prefix="botequim-bench-") as name:
        return 0 if all([scaling(Path(name)), large(Path(name))]) else 1


if __name__ == "__main__":
    sys.exit(main())
