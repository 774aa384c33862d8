"""Cups of bots that are programs, or of built-in players, and how fast they are played somewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.cluster.programs import Cluster
from botequim.cluster.executor import ClusterExecutor, ClusterSettings
from botequim.core.messages import Message
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.cup.runner import Runner, RunStatus, begin
from botequim.engine.executors import Executor, StartExecutor
from botequim.engine.jobs import Observation
from botequim.i18n import translate
from botequim.sandbox.probe import isolating_sandbox
from botequim.storage import open_storage
from botequim.storage.address import StoreAddress

BOT: Final = """
import json, sys, time
kind, amount = sys.argv[1], float(sys.argv[2])
for line in sys.stdin:
    question = json.loads(line)
    if "legal" not in question:
        continue
    if kind == "sleep":
        time.sleep(amount)
    else:
        for _ in range(int(amount)):
            pass
    print(json.dumps({"move": question["legal"][0]}), flush=True)
"""


@dataclass(frozen=True)
class Played:
    """What it took to play a cup, from its first finished series to its last."""

    seconds: float
    own: float
    """Processor seconds of this process, the coordinator."""
    series: int
    games: int

    @property
    def rate(self) -> float:
        """Games a second."""
        return self.games / self.seconds


def write_cup(path: Path, game: str, stage: str, entrants: list[str], options: str = "") -> Path:
    """Write a cup file; an entrant is a built-in player or `sleep SECONDS` or `work ROUNDS`, for a bot."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = f'name = "bench"\ngame = "{game}"\nseed = "7"\nrestart = "series"\n{options}\n'
    text += '[limits]\nmove = 60\nstart = 120\n[[stages]]\nname = "league"\n' + stage + "\n"
    for number, bot in enumerate(entrants):
        if " " in bot:
            folder = path.parent / f"bot-{number}"
            folder.mkdir(exist_ok=True)
            (folder / "bot.py").write_text(BOT)
            (folder / "botequim.toml").write_text(f'command = "python3 bot.py {bot}"\nwire = "arena-lines"\n')
            bot = str(folder)
        text += f'[[entrants]]\nname = "e{number}"\nbot = "{bot}"\n'
    path.write_text(text)
    return path


def on_cluster(cluster: Cluster) -> StartExecutor:
    settings = ClusterSettings(cluster.address, cluster.credentials)

    def start(observation: Observation | None) -> Executor:
        return ClusterExecutor(settings, observation, isolated=True, report=_print)

    return start


def play(
    path: Path,
    start: StartExecutor,
    store: str | None = None,
    look: Callable[[RunStatus], None] | None = None,
) -> Played:
    """Play a cup, with live games; `look` is called whenever a series is finished."""
    cup = read(path)
    address = None if store is None else StoreAddress.parse(store)
    storage = open_storage(CupPaths.of(path).folder, address)
    with storage.open_results(write=True) as results:
        seed = begin(cup, results, None)
        runner = Runner(cup, results, seed, isolating_sandbox(), True, start, live=storage)
        series = games = 0
        began = own = 0.0
        for status in runner.play():
            if status.last is None:
                continue
            if not began:
                began, own = time.perf_counter(), time.process_time()
            else:
                series += 1
                games += len(status.last.games)
            if look is not None:
                look(status)
        return Played(time.perf_counter() - began, time.process_time() - own, series, games)


def _print(message: Message) -> None:
    print(f"  ({translate(message)})", flush=True)
