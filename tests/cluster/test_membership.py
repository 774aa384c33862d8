"""Who is in a cluster, and when: versions, strangers, hours, ports, draining, slow machines."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.cluster import connection, versions
from botequim.core.messages import Message
from botequim.engine.executors import Completed
from botequim.version import VERSION
from tests.support.cluster import NO_ISOLATION, STEADY_SPEED, Cluster, Service, altered_machine, open_cluster
from tests.support.dask_nodes import listening_addresses
from tests.support.executor_contract import outcomes
from tests.support.executor_jobs import job, wait_for_file
from tests.support.pace import PATIENCE, until
from tests.support.plain_dask import plain_scheduler, run_plain

Captured = pytest.CaptureFixture[str]
PORTS = 20


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("membership")
    with open_cluster(
        folder / "cluster", altered_machine(folder / "python", NO_ISOLATION + STEADY_SPEED)
    ) as opened:
        first = free_ports()
        opened.start_worker("lab-1", "--ports", f"{first}-{first + PORTS - 1}")
        yield opened


def free_ports() -> int:
    """Return the first of some ports of which most are free."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return min(port, 65536 - PORTS)


@pytest.fixture
def worker(cluster: Cluster) -> Service:
    return next(one for one in cluster.services if one.name == "lab-1")


def status(cluster: Cluster, capsys: Captured) -> Any:
    capsys.readouterr()
    assert main(["cluster", "status", cluster.address, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def standby(cluster: Cluster, capsys: Captured, label: str) -> str | None:
    """Return why a machine does not take part. Machines that have ended are remembered for a while."""
    why: str | None = status(cluster, capsys)["standby"].get(label)
    return why


MATCH = ("match", "rps", "random", "greedy", "--games", "4", "--quiet")


# --- versions ------------------------------------------------------------------------------------------


def test_a_worker_of_another_version_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    source = 'import botequim.version\nbotequim.version.VERSION = "0.0.7"\n'
    machine = altered_machine(tmp_path / "python", NO_ISOLATION + STEADY_SPEED + source)
    with cluster.worker("old", environment=machine, joins=False) as old:
        assert old.popen.wait(PATIENCE) == 2
    why = (
        f"this machine does not fit the cluster: Botequim is 0.0.7 here and {VERSION} there; install the same"
    )
    assert why in old.output()
    assert f"old: {why}" in cluster.scheduler.output()
    assert not cluster.joined("old")


def test_a_coordinator_of_another_version_is_refused(
    cluster: Cluster, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "VERSION", "0.0.7")
    assert main([*MATCH, "--cluster", cluster.address]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"this machine does not fit the cluster: Botequim is 0.0.7 here and {VERSION} there" in said


# --- strangers -----------------------------------------------------------------------------------------


def test_workers_and_clients_of_plain_dask_are_refused(
    cluster: Cluster, tmp_path: Path, capsys: Captured
) -> None:
    done = run_plain("worker", tmp_path, cluster.address)
    assert done.returncode != 0
    assert "it is not a worker of Botequim" in done.stderr
    done = run_plain("client", tmp_path, cluster.address)
    assert done.returncode != 0
    assert "it is not a coordinator of Botequim" in done.stderr
    assert cluster.scheduler.output().count("was refused: it is not a ") == 2
    assert [one["label"] for one in status(cluster, capsys)["machines"]] == ["lab-1"]


def test_a_scheduler_of_plain_dask_is_named(cluster: Cluster, tmp_path: Path, capsys: Captured) -> None:
    with plain_scheduler(tmp_path) as address:
        why = f"{address} is not a scheduler of Botequim; start `botequim scheduler`"
        assert main([*MATCH, "--cluster", address]) == 2
        assert why in capsys.readouterr().err
        assert main(["cluster", "status", address]) == 2
        assert why in capsys.readouterr().err
        with cluster.worker("lost", address=address, joins=False) as lost:
            assert lost.popen.wait(PATIENCE) == 2
            assert why in lost.output()


def test_a_scheduler_that_does_not_answer(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.1)
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{unheard.getsockname()[1]}"
        assert main([*MATCH, "--cluster", address]) == 2
    assert f"no scheduler answers at {address}: " in capsys.readouterr().err


def test_a_scheduler_listens_on_ipv6_or_says_why_not(cluster: Cluster) -> None:
    """Not every machine has IPv6."""
    with cluster.service("six", "scheduler", "--host", "::1", "--port", "0") as six:
        text = until(
            lambda: found if "listen on" in (found := six.output().replace("listens", "listen")) else ""
        )
        assert "listen on tcp://[::1]:" in text


# --- ports ---------------------------------------------------------------------------------------------


def test_a_worker_listens_on_its_ports_only_and_without_encryption_on_loopback(worker: Service) -> None:
    word = worker.words[worker.words.index("--ports") + 1]
    first, last = map(int, word.split("-"))
    ((host, port),) = listening_addresses(worker.child().pid)
    assert host == "127.0.0.1"
    assert first <= port <= last


def test_a_worker_whose_port_is_in_use_says_so(cluster: Cluster, worker: Service) -> None:
    ((_, port),) = listening_addresses(worker.child().pid)
    with cluster.worker("lab-2", "--ports", str(port), joins=False) as second:
        second.wait_for("the cluster cannot be joined: ")
        assert str(port) in second.output().splitlines()[-1]


# --- machines that do not take part --------------------------------------------------------------------


def test_a_machine_outside_its_hours_stands_by(cluster: Cluster, capsys: Captured) -> None:
    begin = datetime.now(UTC) + timedelta(hours=2)
    hours = f"{begin:%H:%M}-{begin + timedelta(hours=1):%H:%M}"
    with cluster.worker("night", "--hours", hours, joins=False):
        found = until(lambda: standby(cluster, capsys, "night"), "that it stands by")
        assert found == f"outside its hours, {hours}"
        assert main(["cluster", "status", cluster.address]) == 0
        assert f"night does not take part: its hours of use are {hours}" in capsys.readouterr().out
    assert not cluster.joined("night")


def test_a_machine_is_drained_and_taken_back(
    cluster: Cluster, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botequim.cluster.executor.MACHINE_SECONDS", 0.0)
    gate, told = tmp_path / "gate", list[Message]()
    first, second = job(str(gate), wait_for_file), job("second")
    with cluster.executor(report=told.append) as executor:
        executor.submit(first)
        executor.wait(0)
        until(gate.with_suffix(".begun").exists)
        assert main(["cluster", "drain", cluster.address, "lab-1"]) == 0
        assert "lab-1 finishes its games and takes no more." in capsys.readouterr().out
        until(lambda: standby(cluster, capsys, "lab-1") == "leaving", "that it leaves")
        executor.submit(second)
        until(lambda: not executor.wait(0.1) and told, "that the other job waits")
        gate.touch()
        assert [(one.id, type(one)) for one in until(lambda: executor.wait(1))] == [(first.id, Completed)]
        until(lambda: standby(cluster, capsys, "lab-1") == "drained", "that it has left")
        assert main(["cluster", "resume", cluster.address, "lab-1"]) == 0
        assert "lab-1 takes part again" in capsys.readouterr().out
        assert [type(one) for one in outcomes(executor).values()] == [Completed]
    assert len(gate.with_suffix(".begun").read_text().splitlines()) == 1, "it was played once"
    assert ["the series wait for `botequim worker`" in str(one) for one in told] == [True]


def test_a_slow_machine_is_not_used(cluster: Cluster, tmp_path: Path, capsys: Captured) -> None:
    source = "import botequim.engine.machine as machine\nmachine.measure_speed = lambda: 0.001\n"
    slow = altered_machine(tmp_path / "python", NO_ISOLATION + STEADY_SPEED + source)
    with cluster.worker("slow", environment=slow, slots=8):
        until(lambda: len(status(cluster, capsys)["machines"]) == 2, "that both machines take jobs")
        words = [*MATCH, "--games", "40", "--records", str(tmp_path / "games"), "--cluster", cluster.address]
        assert main([*words, "--calibrate", "0.5"]) == 0
        said = " ".join(capsys.readouterr().err.split())
        assert said.count("slow is too slow: its speed is 0.00, and the median of all machines is ") == 1
        with cluster.executor() as executor:
            assert executor.slots == 9, "it is there"
    labels = {
        json.loads(path.read_text().splitlines()[0])["machine"]["label"]
        for path in (tmp_path / "games").iterdir()
    }
    assert labels == {"lab-1"}
