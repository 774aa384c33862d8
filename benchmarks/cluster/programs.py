"""A scheduler and workers on this machine, and what they use of its processors and memory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from botequim.cluster.credentials import Credentials, read_credentials

BOTEQUIM: Final = (sys.executable, "-m", "botequim")
ROOT: Final = Path(__file__).parents[2]
TICK: Final = os.sysconf("SC_CLK_TCK")
PAGE: Final = os.sysconf("SC_PAGE_SIZE")
START_SECONDS: Final = 120.0


@dataclass(frozen=True)
class Cluster:
    """A running scheduler, to which workers can be added."""

    address: str
    key: Path
    scheduler: int
    """Its process."""
    log: Path

    @property
    def credentials(self) -> Credentials:
        found = read_credentials(self.key)
        assert found is not None
        return found

    @contextmanager
    def workers(
        self, slots: Mapping[str, int], program: Sequence[str] = (*BOTEQUIM, "worker")
    ) -> Iterator[None]:
        """Start workers with so many slots, by label, and wait until they have joined."""
        with ExitStack() as started:
            for label, count in slots.items():
                folder = self.key.parent / label
                words = [
                    *program,
                    self.address,
                    "--slots",
                    str(count),
                    "--label",
                    label,
                    "--cache",
                    str(folder),
                ]
                started.enter_context(running(words, self.key, folder.with_suffix(".log")))
            for label in slots:
                wait_for(self.log, rf"{label} joined")
            yield


@contextmanager
def open_cluster(folder: Path) -> Iterator[Cluster]:
    """Start a scheduler; its files are in `folder`."""
    folder.mkdir()
    subprocess.run([*BOTEQUIM, "cluster", "create", "bench"], cwd=folder, check=True, capture_output=True)
    key, log = folder / "bench.cluster.pem", folder / "scheduler.log"
    words = [*BOTEQUIM, "scheduler", "--host", "127.0.0.1", "--port", "0", "--cache", str(folder / "parcels")]
    with running(words, key, log) as process:
        address = wait_for(log, r"listens on (tls://\S+:\d+)")
        yield Cluster(address, key, process.pid, log)


@contextmanager
def running(words: Sequence[str], key: Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program, and end it politely."""
    environment = {**os.environ, "BOTEQUIM_CLUSTER_KEY": str(key), "BOTEQUIM_LANG": "en"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
    with log.open("wb") as output:
        process = subprocess.Popen(words, stdout=output, stderr=output, env=environment)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(log: Path, pattern: str) -> str:
    """Wait until a program has printed something, and return its first group."""
    limit = time.monotonic() + START_SECONDS
    while time.monotonic() < limit:
        text = log.read_text(errors="replace")
        if found := re.search(pattern, text):
            return found[found.lastindex or 0]
        time.sleep(0.1)
    raise TimeoutError(f"{pattern} is not in {log}:\n{log.read_text(errors='replace')}")


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def resident_bytes() -> int:
    """Return the memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def print_claim(text: str, *, holds: bool) -> bool:
    print(f"  {text}: {'holds' if holds else 'DOES NOT HOLD'}", flush=True)
    return holds
