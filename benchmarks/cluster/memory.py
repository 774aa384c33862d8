"""The memory of a coordinator whose cup is on a cluster and in PostgreSQL, by finished series and by games.

Each cup is played by a process of its own, which prints how much memory it has after how many series.
"""

from __future__ import annotations

import ctypes
import gc
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.cluster.cups import on_cluster, play, write_cup
from benchmarks.cluster.programs import ROOT, Cluster, print_claim, resident_bytes
from botequim.cup.runner import RunStatus

ENTRANTS: Final = 96
MEETINGS: Final = 2
FEW, MANY = 1, 11
"""Games per series: 9,120 series of the second make 100,320 games."""
OPTIONS: Final = "[options]\nrounds = 3\n"
MOST_BYTES: Final = 1000
"""Per stored series."""
NOISE_BYTES: Final = 30
"""Per game: a reference to its result, and what the growth of the same process differs by from run to run."""
EVERY: Final = 250


def measure_memory(folder: Path, cluster: Cluster, url: str) -> bool:
    """Play the same cup with few and with many games per series, and compare how the memory grows."""
    samples = {games: _play_in_process(folder, cluster, url, games) for games in (FEW, MANY)}
    slopes = {games: _slope(found) for games, found in samples.items()}
    series, few = samples[FEW][-1]
    _, many = samples[MANY][-1]
    # the growth, not the sizes: jobs in progress and their answers are larger, too, but their number is not
    per_game = (slopes[MANY] - slopes[FEW]) / (MANY - FEW)
    print(f"memory of the coordinator: {few / 1e6:.0f} MB after {series} series of {FEW} games,")
    print(f"  {many / 1e6:.0f} MB after as many of {MANY} games ({series * MANY} games), on PostgreSQL")
    per_series = max(slopes.values())
    text = f"{per_series:.0f} bytes per stored series (at most {MOST_BYTES})"
    holds = print_claim(text, holds=per_series <= MOST_BYTES)
    text = f"{per_game:.1f} bytes per game (a reference: less than {NOISE_BYTES})"
    return print_claim(text, holds=per_game <= NOISE_BYTES) and holds


def _play_in_process(folder: Path, cluster: Cluster, url: str, games: int) -> list[tuple[int, int]]:
    stage = f'format = "round_robin"\ngames = {games}\nmeetings = {MEETINGS}'
    names = ["greedy" if at % 2 else "random" for at in range(ENTRANTS)]
    path = write_cup(folder / f"memory-{games}" / "cup.toml", "rps", stage, names, OPTIONS)
    words = [cluster.address, str(cluster.key), f"{url}&cup=memory-{games}", str(path)]
    command = [sys.executable, "-m", "benchmarks.cluster.memory", *words]
    printed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return [(int(count), int(size)) for count, size in json.loads(printed.splitlines()[-1])]


def _slope(samples: list[tuple[int, int]]) -> float:
    """Return the bytes per series by least squares, without the first quarter, in which caches are filled."""
    used = samples[len(samples) // 4 :]
    centre = [sum(values) / len(used) for values in zip(*used, strict=True)]
    above = sum((count - centre[0]) * (size - centre[1]) for count, size in used)
    return float(above / sum((count - centre[0]) ** 2 for count, _ in used))


def _freeing_function() -> Callable[[], object]:
    """Return a function by which the allocator returns memory that nobody uses, if it has one."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return (lambda: None) if trim is None else lambda: trim(0)


def main(address: str, key: str, url: str, path: str) -> None:
    """Play one cup, and print the number of finished series and the memory, again and again."""
    samples: list[tuple[int, int]] = []
    return_free_memory = _freeing_function()

    def look(status: RunStatus) -> None:
        if status.finished % EVERY == 0:
            gc.collect()
            return_free_memory()
            samples.append((status.finished, resident_bytes()))

    play(Path(path), on_cluster(Cluster(address, Path(key), 0, Path())), url, look)
    print(json.dumps(samples))


if __name__ == "__main__":
    main(*sys.argv[1:])
