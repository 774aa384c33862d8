"""A scheduler, a worker and clients of Dask as a cluster runs them, each in a process of its own.

``python -m tests.support.dask_nodes scheduler KEY_FILE`` prints its address and runs until its input ends.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import ROOT


@dataclass(frozen=True, slots=True)
class Node:
    """A process that listens."""

    pid: int
    port: int

    @property
    def address(self) -> str:
        return f"tls://127.0.0.1:{self.port}"

    def listening_ports(self) -> list[int]:
        """Return the TCP ports on which the process listens, on any interface."""
        return [port for _, port in listening_addresses(self.pid)]


def listening_addresses(pid: int) -> list[tuple[str, int]]:
    """Return the hosts and TCP ports on which a process listens; hosts of IPv6 in hexadecimal digits."""
    inodes = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed in the meantime
            inodes.add(str(link.readlink()).removeprefix("socket:[").removesuffix("]"))
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                host, _, port = fields[1].rpartition(":")
                if table == "tcp":
                    host = socket.inet_ntoa(bytes.fromhex(host)[::-1])
                found.append((host, int(port, 16)))
    return found


@contextmanager
def run_node(role: str, key_file: Path, *words: object, log: Path) -> Iterator[Node]:
    """Run a scheduler, or a worker with the address of its scheduler and a folder, and stop it at the end."""
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, role, key_file, *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=ROOT,
        )
        with process:
            try:
                assert process.stdout
                address = process.stdout.readline()
                assert address, log.read_text()
                yield Node(process.pid, int(address.rpartition(":")[2]))
            finally:
                assert process.stdin
                process.stdin.close()
                try:
                    process.wait(300)
                finally:
                    process.kill()


def ask_cluster(key_file: Path, address: str, *, seconds: float) -> subprocess.CompletedProcess[str]:
    """Let a client of its own connect within these seconds, and have the worker compute 1 + 1."""
    words = [sys.executable, "-m", __name__, "client", str(key_file), address, str(seconds)]
    return subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300)


async def _serve(server: Any) -> None:
    async with server:
        print(server.address, flush=True)
        await asyncio.to_thread(sys.stdin.read)


async def _compute(address: str, security: Any, seconds: float) -> None:
    from distributed import Client

    async with Client(address, security=security, asynchronous=True, timeout=seconds) as client:
        print(await client.submit(sum, [1, 1]))


async def _main(role: str, key_file: str, *words: str) -> None:
    from botequim.cluster.settings import apply_settings

    apply_settings()
    from botequim.cluster.credentials import read_credentials
    from botequim.cluster.servers import ClusterScheduler, ClusterWorker

    credentials = read_credentials(Path(key_file))
    assert credentials
    security = credentials.security()
    match role:
        case "scheduler":
            await _serve(ClusterScheduler(host="127.0.0.1", port=0, protocol="tls", security=security))
        case "worker":
            address, folder = words
            await _serve(
                ClusterWorker(
                    address, host="127.0.0.1", nthreads=1, local_directory=folder, security=security
                )
            )
        case "client":
            address, seconds = words
            await _compute(address, security, float(seconds))


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
