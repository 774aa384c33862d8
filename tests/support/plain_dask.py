"""A scheduler, a worker or a client of Dask without Botequim, each in a process of its own."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import ROOT
from tests.support.pace import PATIENCE


def command(role: str, *words: str) -> list[str]:
    return [sys.executable, "-m", __name__, role, *words]


def run_plain(role: str, folder: Path, address: str) -> subprocess.CompletedProcess[str]:
    """Run a worker or a client of this scheduler until it ends. Its files are in a folder."""
    words, variables = command(role, address), environment(folder)
    return subprocess.run(
        words, capture_output=True, text=True, check=False, cwd=ROOT, env=variables, timeout=PATIENCE
    )


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "TMPDIR": str(folder)}


@contextmanager
def plain_scheduler(folder: Path) -> Iterator[str]:
    """Run a scheduler, and yield its address."""
    with (folder / "plain scheduler").open("wb") as errors:
        process = subprocess.Popen(
            command("scheduler"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=ROOT,
            env=environment(folder),
        )
    with process:
        try:
            assert process.stdout
            yield process.stdout.readline().decode().strip()
        finally:
            assert process.stdin
            process.stdin.close()
            try:
                process.wait(PATIENCE)
            finally:
                process.kill()


async def _main(role: str, address: str = "") -> None:
    from distributed import Client, Scheduler, Worker

    match role:
        case "scheduler":
            async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
                print(scheduler.address, flush=True)
                await asyncio.to_thread(sys.stdin.read)
        case "worker":
            async with Worker(address, nthreads=1, dashboard=False) as worker:
                await worker.finished()
        case "client":
            async with Client(address, asynchronous=True, timeout=PATIENCE) as client:
                print(await client.submit(sum, [1, 1]))


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
