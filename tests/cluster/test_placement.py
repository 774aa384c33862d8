"""Which machines of a cluster get a job. Dask is replaced: these tests look at what it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from botequim.bots.entrant import Entrant
from botequim.cluster import executor as cluster_executor
from botequim.cluster.executor import ClusterExecutor, ClusterSettings
from botequim.cluster.jobs import Batch, PortableJob
from botequim.cluster.machines import ISOLATED, MachineReport
from botequim.cluster.portable import NotHere, capabilities, to_portable
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.engine.executors import Completed, Failed, Lost, Outcome
from botequim.engine.jobs import JobResult, SeriesJob
from tests.support.executor_jobs import job
from tests.support.portable_bots import bot


@dataclass
class Task:
    """A task as Dask got it; its answer is a list of outcomes or an error."""

    batch: Batch
    workers: Sequence[str] | None
    answer: list[Outcome]

    def result(self, timeout: float) -> list[Outcome]:
        return self.answer

    def add_done_callback(self, call: Callable[[Task], None]) -> None:
        call(self)


@dataclass
class Scheduler:
    """Stands for the connection, for Dask's client and for the machines."""

    machines_there: list[MachineReport]
    answer: Callable[[Task], list[Outcome]]
    tasks: list[Task] = field(default_factory=list)
    is_open: bool = True
    was_open: bool = True

    @property
    def client(self) -> Scheduler:
        return self

    def connect(self) -> None: ...

    def end(self) -> None: ...

    def machines(self) -> list[MachineReport]:
        return self.machines_there

    def standby(self) -> dict[str, str]:
        return {"lab-3": "drained"}

    def call(self, operation: str, **values: Any) -> Any:
        return {"botequim_has_parcel": True, "botequim_stuck": []}[operation]

    def cancel(self, futures: Sequence[Task], *, force: bool) -> None: ...

    def submit(self, function: object, content: bytes, *, workers: Sequence[str] | None, **_: Any) -> Task:
        task = Task(Batch.decode(content), workers, [])
        task.answer = self.answer(task)
        self.tasks.append(task)
        return task


def machine(label: str, *offers: str, speed: float = 1.0) -> MachineReport:
    everything = capabilities() | set(offers)
    return MachineReport(label, 2, speed, everything, {}, address=f"tls://{label}:1")


def complete(task: Task) -> list[Outcome]:
    return [Completed(one.job.id, JobResult(one.job.id, (), 1.0)) for one in task.batch.jobs]


def refuse_on(label: str) -> Callable[[Task], list[Outcome]]:
    """One machine gets every job that it may get, and refuses it."""

    def answer(task: Task) -> list[Outcome]:
        if task.workers is not None and f"tls://{label}:1" not in task.workers:
            return complete(task)
        why = msg("{machine} lacks node", machine=label)
        return [Lost(one.job.id, why, by_job=False, unfit_machine=label) for one in task.batch.jobs]

    return answer


@pytest.fixture
def reports() -> list[Message]:
    return []


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, reports: list[Message]) -> Iterator[Callable[..., Any]]:
    opened: list[ClusterExecutor] = []

    def start(
        *machines: MachineReport,
        answer: Callable[[Task], list[Outcome]] = complete,
        isolated: bool = True,
        least: float | None = None,
    ) -> tuple[ClusterExecutor, Scheduler]:
        scheduler = Scheduler(list(machines), answer)
        monkeypatch.setattr(cluster_executor, "Connection", lambda *_: scheduler)
        settings = ClusterSettings("tls://lab-1:8786", None, least)
        executor = ClusterExecutor(settings, isolated=isolated, report=reports.append)
        opened.append(executor)
        return executor, scheduler

    yield start
    for executor in opened:
        executor.close()


@pytest.fixture
def bots(tmp_path: Path) -> SeriesJob[Any]:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.py").write_text("print(input())\n", encoding="utf-8")
    entrant = bot(folder, "python3", str(folder / "bot.py"))
    return replace(job(), entrants=(entrant, Entrant("random", "random")))


def test_a_job_goes_to_any_machine_if_all_can_play_it(start: Any) -> None:
    executor, scheduler = start(machine("lab-1"), machine("lab-2"))
    executor.submit(job())
    assert [type(one) for one in executor.wait()] == [Completed]
    assert scheduler.tasks[0].workers is None


def test_bots_go_only_to_machines_that_isolate_them(start: Any, bots: SeriesJob[Any]) -> None:
    executor, scheduler = start(machine("lab-1"), machine("lab-2", ISOLATED))
    executor.submit(bots)
    executor.wait()
    assert scheduler.tasks[0].workers == ["tls://lab-2:1"]


def test_a_job_that_nobody_can_isolate_is_refused_at_once(start: Any, bots: SeriesJob[Any]) -> None:
    executor, scheduler = start(machine("lab-1"), machine("lab-2"))
    with pytest.raises(InputError, match=r"lab-1: isolated, lab-2: isolated"):
        executor.submit(bots)
    assert not scheduler.tasks


def test_a_job_never_runs_without_the_isolation_that_it_needs(bots: SeriesJob[Any], tmp_path: Path) -> None:
    entrants = tuple(to_portable(entrant) for entrant in bots.entrants)
    portable = PortableJob.of(bots, entrants, isolated=True)
    with pytest.raises(NotHere):
        portable.on_this_machine({entrants[0].parcel: tmp_path / "bot"}, None)


def test_a_machine_that_is_too_slow_gets_no_job(start: Any, reports: list[Message]) -> None:
    machines = [machine("lab-1"), machine("lab-2", speed=0.2), machine("lab-3")]
    executor, scheduler = start(*machines, least=0.5)
    executor.submit(job())
    executor.wait()
    assert scheduler.tasks[0].workers == ["tls://lab-1:1", "tls://lab-3:1"]
    assert [str(one).split(":")[0] for one in reports] == ["lab-2 is too slow"]
    assert executor.slots == 4


def test_a_machine_that_refused_a_job_does_not_get_it_again(start: Any, bots: SeriesJob[Any]) -> None:
    machines = [machine("lab-1", ISOLATED), machine("lab-2", ISOLATED)]
    executor, scheduler = start(*machines, answer=refuse_on("lab-1"))
    executor.submit(bots)
    assert [type(one) for one in executor.wait()] == [Lost]
    executor.submit(replace(bots, attempt=1))
    assert [type(one) for one in executor.wait()] == [Completed]
    assert [task.workers for task in scheduler.tasks] == [None, ["tls://lab-2:1"]]


def test_a_job_that_every_machine_refused_fails_with_the_reasons(start: Any, bots: SeriesJob[Any]) -> None:
    executor, _ = start(machine("lab-1", ISOLATED), answer=refuse_on("lab-1"))
    executor.submit(bots)
    executor.wait()
    executor.submit(replace(bots, attempt=1))
    [outcome] = executor.wait()
    assert isinstance(outcome, Failed)
    assert isinstance(outcome.error, InputError)
    assert "lab-1 lacks node" in str(outcome.error)


def test_a_cluster_without_machines_names_those_that_take_no_jobs(
    start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_executor, "JOIN_SECONDS", 0.0)
    with pytest.raises(InputError, match=r"takes jobs: lab-3 \(drained\)"):
        start()
