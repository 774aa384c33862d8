"""The executor of a cluster, with a real scheduler and a real worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from botequim.engine.executors import Executor, StartExecutor
from tests.support.cluster import Cluster, open_cluster
from tests.support.executor_contract import ExecutorContract


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with open_cluster(tmp_path_factory.mktemp("executor") / "cluster") as opened:
        opened.start_worker("lab-1", slots=2)
        yield opened


@pytest.fixture
def executor(cluster: Cluster) -> Iterator[Executor]:
    with cluster.executor() as opened:
        yield opened


@pytest.fixture
def start(cluster: Cluster) -> StartExecutor:
    return cluster.executor


class TestContract(ExecutorContract):
    """What every executor must do."""
