"""`python -m benchmarks.cluster` prints

* the coordinator's processor time for each job through Dask, with live games and a store in PostgreSQL, and
  beside it the scheduler's;
* what two workers of a cluster reach of what two local processes reach, with bots that are programs;
* the coordinator's memory for each stored series and each game, to 100,000 games;
* how many jobs a second a cluster of 1,000 simulated slots of two seconds plays, and what limits it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.cluster.cups import Played, on_cluster, play, write_cup
from benchmarks.cluster.memory import measure_memory
from benchmarks.cluster.programs import Cluster, cpu_seconds, open_cluster, print_claim
from benchmarks.cluster.saturation import measure_saturation
from botequim.engine.executors import LocalProcesses
from tests.support.postgres import start_server

PARTS: Final = ("cost", "scaling", "memory", "saturation")
MOST_CPU: Final = 5e-3
AT_LEAST: Final = 0.9
ROUNDS: Final = 3
COST_SLOTS: Final = 8
QUIET: Final = {"log_statement": "none", "autovacuum": "on"}


def measure_cost(folder: Path, cluster: Cluster, url: str) -> bool:
    """Play series of bots that sleep for longer than the jobs that are sent together."""
    stage = 'format = "round_robin"\ngames = 1'
    options = "[options]\nrounds = 1\n"
    path = write_cup(folder / "cost" / "cup.toml", "rps", stage, ["sleep 0.7"] * 24, options)
    with cluster.workers({"cost": COST_SLOTS}):
        before = cpu_seconds(cluster.scheduler)
        played = play(path, on_cluster(cluster), f"{url}&cup=cost")
        scheduler = cpu_seconds(cluster.scheduler) - before
    each = played.own / played.series
    print(f"{played.series} jobs in {played.seconds:.0f} s, each a task of Dask")
    print(f"  scheduler: {scheduler / played.series * 1e3:.1f} ms of a processor a job")
    text = f"coordinator: {each * 1e3:.1f} ms a job (at most {MOST_CPU * 1e3:.0f})"
    return print_claim(text, holds=each <= MOST_CPU)


def measure_scaling(folder: Path, cluster: Cluster) -> bool:
    """Play the same cup with two workers of the cluster and with two local processes, in turns."""
    stage = 'format = "round_robin"\ngames = 8'
    local: list[Played] = []
    remote: list[Played] = []
    with cluster.workers({"one": 1, "two": 1}):
        for number in range(ROUNDS):
            for found, start in ((local, partial(LocalProcesses, 2)), (remote, on_cluster(cluster))):
                name = f"scaling-{number}-{len(local)}{len(remote)}"
                path = write_cup(folder / name / "cup.toml", "cubos", stage, ["work 60000"] * 7)
                found.append(play(path, start))
    ours, theirs = (max(one.rate for one in found) for found in (remote, local))
    print(f"two workers: {ours:.1f} games a second; two local processes: {theirs:.1f}")
    return print_claim(f"ratio {ours / theirs:.2f} (at least {AT_LEAST})", holds=ours / theirs >= AT_LEAST)


def main() -> int:
    """Measure everything, or some parts; the exit code says whether all of it holds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="only these parts")
    parts = parser.parse_args().parts or PARTS
    held = []
    with (
        tempfile.TemporaryDirectory(prefix="botequim-bench-") as name,
        start_server(QUIET) as database,
        open_cluster(Path(name, "cluster")) as cluster,
    ):
        folder, url = Path(name), database.url(database.new_database())
        folder.chmod(0o755)
        if "cost" in parts:
            held.append(measure_cost(folder, cluster, url))
        if "scaling" in parts:
            held.append(measure_scaling(folder, cluster))
        if "memory" in parts:
            with cluster.workers({"memory-one": 1, "memory-two": 1}):
                held.append(measure_memory(folder, cluster, url))
        if "saturation" in parts:
            measure_saturation(cluster)
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
