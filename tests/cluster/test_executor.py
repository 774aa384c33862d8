"""The executor of a cluster, with a real scheduler and a real worker."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from botequim.bots.entrant import Entrant
from botequim.cluster.connection import NoScheduler
from botequim.cluster.jobs import Batch
from botequim.cluster.uploads import Uploads
from botequim.core.messages import Message, msg
from botequim.engine.executors import Completed, Executor, Lost, StartExecutor
from botequim.engine.job_loop import FinishedJob, RepeatedJob, run_jobs
from botequim.engine.jobs import Observation, SeriesJob
from tests.support.cluster import NO_ISOLATION, STEADY_SPEED, Cluster, altered_machine, bots_of, open_cluster
from tests.support.executor_contract import ExecutorContract, outcomes
from tests.support.executor_jobs import Reporter, end_process, job, keep_moves, wait_for_file
from tests.support.gated_bots import entrant, spy
from tests.support.pace import until


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("executor")
    with open_cluster(folder / "cluster", altered_machine(folder / "python", STEADY_SPEED)) as opened:
        opened.start_worker("lab-1", slots=2)
        yield opened


@pytest.fixture
def executor(cluster: Cluster) -> Iterator[Executor]:
    with cluster.executor() as opened:
        yield opened


@pytest.fixture
def start(cluster: Cluster) -> StartExecutor:
    return cluster.executor


@pytest.fixture
def mark() -> str:
    """A word in the command lines of a test's bots."""
    return f"mark-{secrets.token_hex(8)}"


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[Batch]:
    """Everything that is sent to workers."""
    found: list[Batch] = []
    encode = Batch.encode

    def encode_and_note(batch: Batch) -> bytes:
        found.append(batch)
        return encode(batch)

    monkeypatch.setattr(Batch, "encode", encode_and_note)
    return found


class TestContract(ExecutorContract):
    """What every executor must do."""


def bot_job(key: str, bot: Entrant) -> SeriesJob[Any]:
    return replace(job(key), entrants=(bot, bot))


def play(executor: Executor, count: int) -> list[SeriesJob[Any]]:
    """Play so many short jobs as a match or a cup does, and return those that were finished."""
    jobs = iter([job(str(number)) for number in range(count)])
    events = run_jobs(executor, lambda: next(jobs, None))
    return [event.job for event in events if isinstance(event, FinishedJob)]


# --- processes and bots --------------------------------------------------------------------------------


def test_a_process_that_ends_loses_only_its_job_and_is_named(executor: Executor) -> None:
    executor.submit(job("ends", end_process))
    executor.submit(job("next"))
    found = outcomes(executor)
    lost = found[job("ends").id]
    assert isinstance(lost, Lost)
    assert lost.by_job
    assert "a worker process on lab-1 ended unexpectedly" in str(lost.reason)
    assert isinstance(found[job("next").id], Completed)


@pytest.mark.parametrize(
    "end", [lambda executor, id: executor.cancel([id]), lambda executor, id: executor.close()]
)
def test_the_bots_of_cancelled_jobs_end(
    cluster: Cluster, tmp_path: Path, mark: str, end: Callable[[Executor, Any], None]
) -> None:
    waiting = bot_job("waiting", entrant(tmp_path / "bot", gate=tmp_path / "never", mark=mark))
    with closing(cluster.executor()) as executor:
        executor.submit(waiting)
        executor.wait(0)
        until(lambda: len(bots_of(mark)) == 2, "that both bots play")
        end(executor, waiting.id)
        until(lambda: not bots_of(mark), "that no bot is left")
    with closing(cluster.executor()) as executor:
        assert len(play(executor, 4)) == 4, "the slot is free again"


@pytest.mark.parametrize("isolated", [True, False])
def test_bots_are_isolated_unless_they_are_trusted(cluster: Cluster, tmp_path: Path, isolated: bool) -> None:
    file = tmp_path / "file of the coordinator"
    file.touch()
    bot = spy(tmp_path / "bot", file)
    looks = replace(bot_job("looks", bot), keep=keep_moves)
    with cluster.executor(isolated=isolated) as executor:
        executor.submit(looks)
        found = outcomes(executor)[looks.id]
    assert isinstance(found, Completed)
    moves = {move for game in found.result.games for move in game}
    assert moves & {"rock", "paper"} == {"paper" if isolated else "rock"}


# --- what travels --------------------------------------------------------------------------------------


def test_short_jobs_travel_together(executor: Executor, batches: list[Batch]) -> None:
    assert len(play(executor, 80)) == 80
    sizes = [len(batch.jobs) for batch in batches]
    assert sizes[0] == 1, "before it is known how long they take"
    assert max(sizes) > 2
    assert sum(sizes) == 80


def test_the_files_of_a_bot_are_fetched_once(cluster: Cluster, tmp_path: Path, mark: str) -> None:
    bot = entrant(tmp_path / "bot", mark=mark)
    with cluster.executor() as executor:
        for key in "abcd":
            executor.submit(bot_job(key, bot))
        assert {type(one) for one in outcomes(executor).values()} == {Completed}
    parcel(cluster, mark).write_bytes(b"whoever fetches this cannot play")
    with cluster.executor() as executor:
        executor.submit(bot_job("a", bot))
        assert {type(one) for one in outcomes(executor).values()} == {Completed}, "from its cache"


def test_files_that_are_damaged_in_the_scheduler_are_sent_again(
    cluster: Cluster, tmp_path: Path, mark: str
) -> None:
    bot = entrant(tmp_path / "bot", mark=mark)
    with cluster.executor() as executor:
        executor.submit(bot_job("first", bot))
        outcomes(executor)
    parcel(cluster, mark).write_bytes(b"damaged")
    cluster.forget_bots("lab-1")
    jobs = iter([bot_job("second", bot)])
    with cluster.executor() as executor:
        events = list(run_jobs(executor, lambda: next(jobs, None)))
    assert [type(event) for event in events] == [RepeatedJob, FinishedJob]
    assert mark.encode() in parcel(cluster, mark).read_bytes()


def parcel(cluster: Cluster, mark: str) -> Path:
    """Return the parcel in the scheduler that contains a word."""
    found = (cluster.folder / "scheduler").glob("parcels/entries/*/parcel")
    return next(one for one in found if mark.encode() in one.read_bytes())


# --- machines and connections --------------------------------------------------------------------------


def test_slots_follow_the_machines(cluster: Cluster, executor: Executor, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    executor.submit(job(str(gate), wait_for_file))
    executor.wait(0)
    assert executor.slots == 2
    before = executor.capacity
    second = cluster.start_worker(
        "lab-2", slots=3, environment=altered_machine(tmp_path / "python", NO_ISOLATION + STEADY_SPEED)
    )
    until(lambda: not executor.wait(0.1) and executor.slots == 5)
    assert executor.capacity > before
    assert second.stop() == 143
    until(lambda: not executor.wait(0.1) and executor.slots == 2)
    assert executor.capacity == before
    gate.touch()
    assert {type(one) for one in outcomes(executor).values()} == {Completed}


def test_two_coordinators_share_the_machines(cluster: Cluster) -> None:
    received: dict[str, list[str]] = {"a": [], "b": []}

    def observation(name: str) -> Observation:
        return Observation(Reporter, lambda sender, message, offset: received[name].append(message.decode()))

    with cluster.executor(observation("a")) as first, cluster.executor(observation("b")) as second:
        for number in range(4):
            first.submit(job(f"a{number}"))
            second.submit(job(f"b{number}"))
        for executor, name in ((first, "a"), (second, "b")):
            found = outcomes(executor)
            assert {one.key for one in found} == {f"{name}{number}" for number in range(4)}
            assert {type(one) for one in found.values()} == {Completed}
    for name, messages in received.items():
        assert sorted(messages) == [f"{name}{number} {game}" for number in range(4) for game in range(3)]


def test_jobs_of_every_kind_survive_a_lost_connection(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload, failures = Uploads.upload, [NoScheduler(msg("made up"))]

    def upload_later(self: Uploads, *given: Any) -> None:
        if failures:
            raise failures.pop()
        upload(self, *given)

    monkeypatch.setattr(Uploads, "upload", upload_later)
    told: list[Message] = []
    with cluster.executor(report=told.append) as executor:
        executor.submit(bot_job("with a bot", entrant(tmp_path / "bot")))
        executor.submit(job("without one"))
        found = outcomes(executor)
    assert {type(one) for one in found.values()} == {Completed}
    assert len(found) == 2
    assert ["is lost (made up)" in str(told[0]), *map(str, told[1:])] == [True, "the scheduler answers again"]
