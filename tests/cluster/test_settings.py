"""A cluster answers those who have its key file, and nobody else, whatever Dask's own configuration says."""

from __future__ import annotations

import json
import os
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from botequim.cluster.authority import create_cluster
from tests.support.dask_nodes import Node, ask_cluster, run_node

CONFIGURATION = """
import json
from botequim.cluster.settings import apply_settings
from botequim.core.errors import InputError
try:
    apply_settings()
    import dask.config
    print(json.dumps(dask.config.config, sort_keys=True))
except InputError as error:
    print(error)
"""
MESSAGES_FOR_THE_DEAD = """
import asyncio
from botequim.cluster.settings import apply_settings
apply_settings()
from botequim.cluster.servers import ClusterScheduler
from distributed.comm.core import CommClosedError

class Closed:
    def send(self, *messages):
        raise CommClosedError("already closed")

async def send():
    async with ClusterScheduler(protocol="tcp", host="127.0.0.1", port=0) as scheduler:
        scheduler.client_comms["killed"] = Closed()
        scheduler.send_all({"killed": [{"op": "event"}]}, {})
        scheduler.client_send("killed", {"op": "event"})
        scheduler.client_comms.clear()

asyncio.run(send())
"""
HOSTILE = """
distributed:
  scheduler:
    preload: ["import pathlib; pathlib.Path('preloaded').touch()"]
    worker-ttl: 1h
    http:
      routes: [distributed.http.scheduler.json]
  worker:
    memory:
      terminate: 0.1
  comm:
    require-encryption: false
    tls:
      ciphers: ALL:@SECLEVEL=0
"""


def configuration(home: Path, **variables: str) -> str:
    environment = os.environ | {"HOME": str(home), **variables}
    words = [sys.executable, "-c", CONFIGURATION]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    return done.stdout


def with_dask_file(home: Path, text: str) -> Path:
    folder = home / ".config" / "dask"
    folder.mkdir(parents=True)
    (folder / "distributed.yaml").write_text(text)
    return home


def test_files_and_variables_of_dask_have_no_effect(tmp_path: Path) -> None:
    usual = configuration(tmp_path)
    settings = json.loads(usual)["distributed"]
    assert settings["scheduler"]["http"]["routes"] == settings["worker"]["http"]["routes"] == []
    assert settings["scheduler"]["worker-ttl"] == "10s"
    home = with_dask_file(tmp_path / "home", HOSTILE)
    variables = {
        "DASK_DISTRIBUTED__WORKER__MEMORY__PAUSE": "0.2",
        "DASK_DISTRIBUTED__COMM__TLS__MIN_VERSION": "1.3",
        "DASK_SCHEDULER_ADDRESS": "tcp://192.0.2.1:8786",
        "DASK_CONFIG": str(home / ".config" / "dask"),
    }
    assert configuration(home, **variables) == usual


def test_a_damaged_file_of_dask_is_named(tmp_path: Path) -> None:
    home = with_dask_file(tmp_path, "distributed: [")
    text = configuration(home)
    assert text.startswith("Dask cannot read its configuration: ")
    assert str(home) in text


@dataclass(frozen=True)
class Cluster:
    scheduler: Node
    worker: Node
    key_file: Path
    other_key_file: Path
    """Of another cluster."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    key_file, other = (create_cluster(folder, name).key_file for name in ("lab", "other"))
    with (
        run_node("scheduler", key_file, log=folder / "scheduler.log") as scheduler,
        run_node("worker", key_file, scheduler.address, folder, log=folder / "worker.log") as worker,
    ):
        yield Cluster(scheduler, worker, key_file, other)


def test_machines_with_the_key_file_work_together(cluster: Cluster) -> None:
    done = ask_cluster(cluster.key_file, cluster.scheduler.address, seconds=300)
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr


def test_nothing_but_the_port_of_the_cluster_listens(cluster: Cluster) -> None:
    for node in (cluster.scheduler, cluster.worker):
        assert node.listening_ports() == [node.port]


def test_no_folder_that_others_can_make_is_searched_for_modules(cluster: Cluster) -> None:
    assert "dask-scratch-space" not in os.listdir(os.environ["TMPDIR"])  # noqa: PTH208


def test_a_machine_of_another_cluster_is_refused(cluster: Cluster) -> None:
    done = ask_cluster(cluster.other_key_file, cluster.scheduler.address, seconds=3)
    assert done.returncode != 0
    assert done.stdout == ""
    assert "CERTIFICATE_VERIFY_FAILED" in done.stderr


@pytest.mark.parametrize(
    "version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=lambda one: one.name
)
@pytest.mark.parametrize(
    "with_certificate", [False, True], ids=["no-certificate", "certificate-of-another-ca"]
)
def test_strangers_get_nothing(cluster: Cluster, version: ssl.TLSVersion, with_certificate: bool) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = context.maximum_version = version
    if with_certificate:
        context.load_cert_chain(leaf_first(cluster.other_key_file))
    for node in (cluster.scheduler, cluster.worker):
        with socket.create_connection(("127.0.0.1", node.port), timeout=300) as connection:
            assert answer_to(context, connection) == b""
    assert ask_cluster(cluster.key_file, cluster.scheduler.address, seconds=300).stdout == "2\n"


def test_the_certificate_of_the_cluster_is_what_opens_the_connection(cluster: Cluster) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.load_cert_chain(leaf_first(cluster.key_file))
    for node in (cluster.scheduler, cluster.worker):
        with socket.create_connection(("127.0.0.1", node.port), timeout=300) as connection:
            assert answer_to(context, connection) != b""


def test_connections_without_encryption_get_nothing(cluster: Cluster) -> None:
    alert = 0x15
    for node in (cluster.scheduler, cluster.worker):
        for first in (b"GET /info/main/workers.html HTTP/1.0\r\n\r\n", b"\x08\0\0\0\0\0\0\0" * 8):
            with socket.create_connection(("127.0.0.1", node.port), timeout=300) as connection:
                connection.sendall(first)
                answer = received(connection)
                assert not answer or (answer[0] == alert and len(answer) == 7), answer


def answer_to(context: ssl.SSLContext, connection: socket.socket) -> bytes:
    """Return what a client gets until the other end refuses it, or closes the connection."""
    try:
        with context.wrap_socket(connection) as encrypted:
            encrypted.sendall(b"\0" * 64)
            return received(encrypted)
    except (ssl.SSLError, ConnectionError):
        return b""


def received(connection: socket.socket) -> bytes:
    """Return everything until the other end closes the connection."""
    data = b""
    try:
        while block := connection.recv(1 << 16):
            data += block
    except ConnectionResetError:
        pass
    return data


def leaf_first(key_file: Path) -> Path:
    """Write a key file again without the CA, as `ssl` wants it."""
    text = key_file.read_text()
    end = "-----END CERTIFICATE-----\n"
    path = key_file.with_suffix(".leaf.pem")
    path.write_text(text.partition(end)[2])
    return path


def test_messages_for_a_coordinator_that_was_killed_leave_no_traceback() -> None:
    words = [sys.executable, "-c", MESSAGES_FOR_THE_DEAD]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
