"""How many jobs a second a scheduler and a coordinator can handle: 1,000 slots that only pretend to play.

The coordinator is a real `ClusterExecutor`, the scheduler is `botequim scheduler`. A worker is a Dask worker
whose threads sleep for two seconds instead of playing, and then return the record of a game.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from benchmarks.cluster.cups import on_cluster
from benchmarks.cluster.programs import Cluster, cpu_seconds
from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.cluster.addresses import security_for
from botequim.cluster.credentials import read_credentials
from botequim.cluster.jobs import Batch
from botequim.cluster.machines import REPORT, MachineReport
from botequim.cluster.servers import ClusterWorker
from botequim.cluster.versions import versions
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.core.results import GameResult
from botequim.cup.jobs import CupGame, series_job
from botequim.cup.pairing import Pairing, SeriesRules
from botequim.engine.executors import Completed, Executor, Outcome
from botequim.engine.job_loop import FinishedJob, run_jobs
from botequim.engine.jobs import JobResult, SeriesJob
from botequim.storage.values import StoredGame

SLOTS: Final = 1000
WORKERS: Final = 8
JOB_SECONDS: Final = 2.0
WARM_UP, MEASURE = 10.0, 30.0
RECORD: Final = os.urandom(1500)
"""As large as the compressed record of a game."""
FULL: Final = 0.85
"""The share of a core above which a program with one busy thread is at its limit."""


def pretend_to_play(content: bytes) -> list[Outcome]:
    """The task of Dask."""
    batch = Batch.decode(content)
    time.sleep(JOB_SECONDS * len(batch.jobs))
    game = CupGame(GameResult((1, 2), "end"), StoredGame("0" * 32, RECORD), ())
    return [Completed(one.job.id, JobResult(one.job.id, (game,), JOB_SECONDS, "")) for one in batch.jobs]


def measure_saturation(cluster: Cluster) -> None:
    """Print the rate and who is busy. There is nothing to hold: it depends on the machine."""
    slots = {f"slots-{number}": SLOTS // WORKERS for number in range(WORKERS)}
    program = (sys.executable, "-m", "benchmarks.cluster.saturation")
    executor_module = import_module("botequim.cluster.executor")
    with (
        patch.object(executor_module, "play_batch", pretend_to_play),
        cluster.workers(slots, program),
        on_cluster(cluster)(None) as executor,
    ):
        finished, busy = _count(executor, cluster)
    _print(finished, busy)


def _count(executor: Executor, cluster: Cluster) -> tuple[int, dict[str, float]]:
    """Return how many jobs were finished after the warm-up, and the seconds that everybody used."""
    jobs = _jobs()
    begins = time.monotonic() + WARM_UP
    ends = begins + MEASURE

    def next_job() -> SeriesJob[Any] | None:
        return next(jobs) if time.monotonic() < ends else None

    finished = 0
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    for done in run_jobs(executor, next_job):
        if not before and time.monotonic() >= begins:
            before = _busy(cluster)
        elif not after and time.monotonic() >= ends:
            after = _busy(cluster)
        finished += isinstance(done, FinishedJob) and bool(before) and not after
    return finished, {name: after[name] - before[name] for name in after}


def _print(finished: int, busy: dict[str, float]) -> None:
    seconds = busy.pop("seconds")
    rate = finished / seconds
    print(
        f"{SLOTS} simulated slots of {JOB_SECONDS:g} s: {rate:.0f} jobs a second of {SLOTS / JOB_SECONDS:.0f}"
    )
    shares = {name: spent / seconds for name, spent in busy.items()}
    cores = len(os.sched_getaffinity(0))
    for name in ("scheduler", "coordinator"):
        print(f"  {name}: {shares[name]:.0%} of a core, {busy[name] / max(finished, 1) * 1e3:.1f} ms a job")
    print(f"  the whole machine: {shares['machine']:.0%} of {cores} cores, simulated workers included")
    limits = [name for name in ("scheduler", "coordinator") if shares[name] >= FULL]
    if shares["machine"] >= FULL * cores:
        limits.append("the processors of this machine")
    print(f"  limited by: {', '.join(limits) or 'the number of slots'}", flush=True)


def _busy(cluster: Cluster) -> dict[str, float]:
    fields = Path("/proc/stat").read_text().split("\n")[0].split()[1:]
    idle = sum(map(int, fields[3:5]))
    machine = (sum(map(int, fields[:8])) - idle) / os.sysconf("SC_CLK_TCK")
    return {
        "seconds": time.monotonic(),
        "scheduler": cpu_seconds(cluster.scheduler),
        "coordinator": time.process_time(),
        "machine": machine,
    }


def _jobs() -> Iterator[SeriesJob[Any]]:
    game = registry.game("rps")
    options = resolve_options("rps", game.options, {})
    entrants = {name: Entrant(name, "greedy") for name in ("a", "b")}
    for number in itertools.count():
        pairing = Pairing(f"{number}", ("a", "b"), SeriesRules(1), msg("a series"))
        yield series_job("league", pairing, "7", "rps", options, entrants)


# --- a worker ------------------------------------------------------------------------------------------


async def _work(address: str, slots: int, label: str) -> None:
    report = MachineReport(label, slots, 1.0, frozenset({"isolated"}), versions())
    with tempfile.TemporaryDirectory() as folder:
        worker = ClusterWorker(
            address,
            name=f"{label}-0",
            nthreads=slots,
            security=security_for(address, read_credentials(None)) or {},
            startup_information={REPORT: lambda worker: report.as_json()},
            local_directory=folder,
            memory_limit=0,
        )
        async with worker:
            await worker.finished()  # type: ignore[no-untyped-call]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--slots", type=int)
    parser.add_argument("--label")
    parser.add_argument("--cache")
    options = parser.parse_args()
    asyncio.run(_work(options.address, options.slots, options.label))


if __name__ == "__main__":
    main()
