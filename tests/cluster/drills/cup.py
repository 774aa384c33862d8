"""The cup that is played during the drills, and what must be the same wherever it is played."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from botequim.cup.paths import CupPaths
from botequim.storage.protocol import CupStorage

BOT: Final = """
import hashlib, json, sys, time

name, seconds = sys.argv[1:3]
for line in sys.stdin:
    question = json.loads(line)
    if "legal" not in question:
        continue
    time.sleep(float(seconds))
    legal = question["legal"]
    seed = hashlib.sha256(json.dumps([name, legal], sort_keys=True).encode()).digest()
    print(json.dumps({"move": legal[int.from_bytes(seed, "big") % len(legal)]}), flush=True)
"""
"""Plays a move that depends on its name and on the legal moves alone, after a fixed time."""
BUILT_IN: Final = ("greedy", "random")
CUP: Final = """\
name = "Drills"
game = "cubos"
seed = "a seed that all drills share"
restart = "series"

[limits]
move = 60
start = 300
memory = 256
cpus = 1

[[stages]]
name = "league"
format = "round_robin"
games = {games}
"""
"""Far from all limits: no bot may be late on a machine that is busy."""

GameKey = tuple[str, str, int]
"""Stage, key of the series, number of the game."""


@dataclass(frozen=True)
class DrillCup:
    """What the cup consists of."""

    bots: int
    """How many of its entrants are programs; there are built-in players beside them."""
    games: int
    """Per series."""
    think: float
    """Seconds that a bot thinks about a move."""
    mark: str
    """A word in the command line of each bot, by which its processes are found."""

    @property
    def series(self) -> int:
        entrants = self.bots + len(BUILT_IN)
        return entrants * (entrants - 1) // 2

    def write_bots(self, folder: Path, *, think: float | None = None) -> None:
        """Write the bots; with `think`, bots that think for so many seconds and play the same moves."""
        for number in range(self.bots):
            bot = folder / f"bot-{number}"
            bot.mkdir(parents=True)
            (bot / "bot.py").write_text(BOT)
            seconds = self.think if think is None else think
            command = f"python3 bot.py bot-{number} {seconds} {self.mark}"
            (bot / "botequim.toml").write_text(f'command = "{command}"\nwire = "arena-lines"\n')

    def write_file(self, path: Path, bots: Path) -> Path:
        """Write the cup file; the bots are in the folder `bots`."""
        entrants = {f"bot-{number}": str(bots / f"bot-{number}") for number in range(self.bots)}
        entrants |= {name: name for name in BUILT_IN}
        text = CUP.format(games=self.games)
        for name, bot in entrants.items():
            text += f'\n[[entrants]]\nname = "{name}"\nbot = "{bot}"\n'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


@dataclass(frozen=True)
class PlayedCup:
    """Everything of a cup that may not depend on where and how often it was played."""

    series: tuple[tuple[str, str], ...]
    """Stage and key of each stored series, sorted."""
    results: Mapping[str, Any]
    games: Mapping[GameKey, Sequence[Any]]
    machines: frozenset[str]
    """Of all records: may differ."""

    @classmethod
    def read(cls, storage: CupStorage) -> PlayedCup:
        with storage.open_results(check=True) as store:
            series = store.series()
            records = {(stage, key, at): lines for stage, key, at, lines in store.records()}
        results = {f"{one.stage}: {one.result.key}": one.result for one in series}
        machines = frozenset(_machine(lines) for lines in records.values())
        games = {name: _game(lines) for name, lines in records.items()}
        return cls(tuple(sorted((one.stage, one.result.key) for one in series)), results, games, machines)

    @classmethod
    def in_folder(cls, file: Path) -> PlayedCup:
        return cls.read(CupPaths.of(file).storage)

    def difference(self, other: PlayedCup) -> str:
        """Return what differs, or nothing."""
        if self.series != other.series:
            return f"other series: {sorted(set(self.series) ^ set(other.series))}, twice: {self.series}"
        for key in sorted(self.games.keys() | other.games.keys()):
            if self.games.get(key) != other.games.get(key):
                return f"game {key}: {self.games.get(key)} instead of {other.games.get(key)}"
        for name, result in self.results.items():
            if result != other.results[name]:
                return f"series {name}: {result} instead of {other.results[name]}"
        return ""

    def faults(self) -> list[GameKey]:
        """Return the games in which a bot was charged with something."""
        return [key for key, lines in self.games.items() if '"fault"' in json.dumps(lines)]


def _machine(lines: Sequence[str]) -> str:
    return str(json.loads(lines[0]).get("machine", {}).get("label", ""))


def _game(lines: Sequence[str]) -> list[Any]:
    """Return the moves and the result of a record, without times, machine and digests."""
    header, *turns = map(json.loads, lines)
    names = [seat["name"] for seat in header["seats"]]
    kept: list[Any] = [header["game"], header["options"], header["seed"], names]
    for line in turns:
        if "turn" in line:
            moves = [{name: move[name] for name in move if name not in TIMES} for move in line["moves"]]
            kept.append(moves)
        else:
            kept.append(line["outcome"])
    return kept


TIMES: Final = ("us", "waited_us")
