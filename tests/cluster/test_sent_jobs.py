"""What a coordinator keeps of the jobs that it has sent: nothing."""

from __future__ import annotations

import gc
from pathlib import Path

from distributed.protocol.serialize import Serialized, ToPickle

from botequim.engine.job_loop import FinishedJob, run_jobs
from tests.support.cluster import STEADY_SPEED, altered_machine, open_cluster
from tests.support.executor_jobs import job
from tests.support.pace import until


def kept_messages() -> int:
    gc.collect()
    return sum(isinstance(one, Serialized | ToPickle) for one in gc.get_objects())


def test_jobs_that_were_played_are_forgotten(tmp_path: Path) -> None:
    with open_cluster(tmp_path / "cluster", altered_machine(tmp_path / "python", STEADY_SPEED)) as cluster:
        cluster.start_worker("lab-1", slots=1)
        with cluster.executor() as executor:
            jobs = iter([job(str(number)) for number in range(10)])
            events = list(run_jobs(executor, lambda: next(jobs, None)))
            assert sum(isinstance(event, FinishedJob) for event in events) == 10
            until(lambda: not kept_messages())
