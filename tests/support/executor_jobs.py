"""Jobs for tests of executors, and what they keep of their games.

Workers of a cluster import this module, so it must not import what only tests need.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.engine.jobs import GameSetup, MessageSender, ObservedGame, SeriesJob
from botequim.records.record import Record

Keep = Callable[[GameSetup, Record], Any]


def job(key: str = "a", keep: Any = None, games: int = 3) -> SeriesJob[Any]:
    """Return a job of a few short games between built-in players."""
    random = Entrant("random", "random")
    run = tuple(GameSetup(number, (0, 1), f"{key} {number}") for number in range(games))
    options = resolve_options("rps", registry.game("rps").options, {"rounds": 3})
    return SeriesJob("stage", key, "rps", options, (random, random), ("a", "b"), (run,), keep or keep_places)


def keep_places(job: SeriesJob[Any]) -> Keep:
    return lambda setup, record: (setup.number, record.outcome.places)


def keep_moves(job: SeriesJob[Any]) -> Keep:
    return lambda setup, record: tuple(str(made.move) for turn in record.turns for made in turn)


def keep_nothing(job: SeriesJob[Any]) -> Keep:
    error = InputError(msg("{key} cannot be played", key=job.key))
    error.details = "in detail"
    raise error


def keep_bug(job: SeriesJob[Any]) -> Keep:
    raise ZeroDivisionError


def keep_process(job: SeriesJob[Any]) -> Keep:
    return lambda setup, record: os.getpid()


def end_process(job: SeriesJob[Any]) -> Keep:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def wait_for_file(job: SeriesJob[Any]) -> Keep:
    """Note that the job has begun, and wait until the file exists that the job's key names."""
    with Path(job.key).with_suffix(".begun").open("a") as begun:
        begun.write(f"{os.getpid()}\n")
    while not Path(job.key).exists():
        time.sleep(0.01)
    return keep_process(job)


class Reporter:
    """Sends the key and number of each game when it begins."""

    def __init__(self, sender: MessageSender) -> None:
        self._sender = sender

    @contextmanager
    def observe(
        self, job: SeriesJob[Any], setup: GameSetup, series: Any, options: Any
    ) -> Iterator[ObservedGame]:
        assert self._sender.send(f"{job.key} {setup.number}".encode())
        yield SimpleNamespace(emit=None, turns=None)

    def close(self) -> None:
        self._sender.close()
