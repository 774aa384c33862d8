"""The memory of a coordinator: little for each series that is stored, next to nothing for each game."""

from __future__ import annotations

import gc
import pickle
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

from botequim.core.results import GameResult
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.cup.runner import Runner, begin
from botequim.engine.executors import InProcess, Outcome
from botequim.engine.jobs import Observation
from botequim.sandbox.none import NoSandbox
from botequim.storage import open_storage
from tests.support.cup_commands import cup

ENTRANTS = 12
HALF = ENTRANTS * (ENTRANTS - 1) // 4
FEW, MANY = 2, 22
MOST_BYTES = 1000
"""Per stored series."""
MOST_BYTES_OF_GAME = 24
"""A reference has 8 bytes; a result that is not shared has more than 100."""


class WorkerElsewhere(InProcess):
    """Plays in this process, but answers as another process does: with copies of everything."""

    def wait(self, timeout: float | None = None) -> Sequence[Outcome]:
        copies: list[Outcome] = pickle.loads(pickle.dumps(super().wait(timeout)))
        return copies


def start(observation: Observation | None) -> WorkerElsewhere:
    return WorkerElsewhere()


def play(path: Path, games: int) -> tuple[float, list[GameResult]]:
    """Play a cup. Return by how many bytes per series its memory grew in its second half, and the results of
    all its games."""
    league = f'[[stages]]\nname = "league"\nformat = "round_robin"\nplayoff = "none"\ngames = {games}\n'
    entrants = {f"e{at}": "random" for at in range(ENTRANTS)}
    file = read(cup(path, entrants, game="rps", stages="[options]\nrounds = 1\n" + league))
    sizes: list[int] = []
    with open_storage(CupPaths.of(path).folder).open_results(write=True) as store:
        runner = Runner(file, store, begin(file, store, "7"), NoSandbox(), False, start)
        for status in runner.play():
            if status.finished % HALF == 0:
                gc.collect()
                sizes.append(tracemalloc.get_traced_memory()[0])
        results = runner.progress.results["league"].values()
    assert len(results) == 2 * HALF
    return (sizes[1] - sizes[0]) / HALF, [game for one in results for game in one.games]


def objects(games: Sequence[GameResult]) -> set[int]:
    return {id(game) for game in games}


def test_series_take_little_memory_and_games_next_to_none(tmp_path: Path) -> None:
    play(tmp_path / "warm.toml", 1)  # whatever is loaded once
    tracemalloc.start()
    try:
        few, _ = play(tmp_path / "few.toml", FEW)
        many, games = play(tmp_path / "many.toml", MANY)
    finally:
        tracemalloc.stop()
    assert many < MOST_BYTES
    assert (many - few) / (MANY - FEW) < MOST_BYTES_OF_GAME
    assert len(objects(games)) == len(set(games))


def test_a_coordinator_that_starts_again_needs_as_little(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    _, played = play(path, MANY)
    with open_storage(CupPaths.of(path).folder).open_results() as store:
        store.results()  # whatever is loaded once
        tracemalloc.start()
        try:
            results = store.results()["league"]
            size = tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
    assert len(results) == 2 * HALF
    assert size / len(results) < MOST_BYTES
    assert objects([game for one in results.values() for game in one.games]) == objects(played)
