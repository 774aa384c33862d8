"""A cluster on the loopback interface: a real scheduler and real workers, each a process of its own.

    with open_cluster(tmp_path) as cluster:
        cluster.start_worker("lab-1", slots=2)
        main(["match", "rps", "random", "greedy", "--cluster", cluster.address])

Workers can import `tests`, so jobs of tests can be played there. Everything has a cache of its own below the
folder of the cluster. When the block ends, all processes end, also after an error.
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from botequim.cluster.settings import apply_settings
from botequim.core.messages import Message
from botequim.engine.jobs import Observation
from tests import ROOT
from tests.support import processes
from tests.support.pace import PATIENCE, until
from tests.support.processes import Process

if TYPE_CHECKING:
    from botequim.cluster.executor import ClusterExecutor

KEY_VARIABLE: Final = "BOTEQUIM_CLUSTER_KEY"
COMMAND: Final = (sys.executable, "-m", "botequim")
ADDRESS: Final = re.compile(r"listens on (t(?:cp|ls)://127\.0\.0\.1:\d+)")


@dataclass(eq=False)
class Service:
    """A scheduler or a worker. What it writes is in a file."""

    name: str
    words: Sequence[str]
    popen: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        return self.popen.pid

    def output(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait_for(self, words: str, count: int = 1) -> str:
        """Wait until it has written these words so often, and return all that it has written."""

        def has_written() -> bool:
            running = self.popen.poll() is None
            text = self.output()
            assert running or text.count(words) >= count, f"{self.name} has ended:\n{text}"
            return text.count(words) >= count

        try:
            until(has_written, f"that {self.name} writes {words!r}")
        except AssertionError as error:
            error.add_note(self.output())
            raise
        return self.output()

    def kill(self) -> None:
        """End this process at once, and no other."""
        self.popen.kill()
        self.popen.wait()

    def stop(self) -> int:
        """End it politely, and return its exit code."""
        self.popen.terminate()
        return self.popen.wait(PATIENCE)

    def child(self) -> Process:
        """Return the process that the supervisor of a worker has started."""
        return until(lambda: next(iter(processes.children(self.pid)), None), "that the worker has a process")


@dataclass(eq=False)
class Cluster:
    """A scheduler and its workers."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of all workers."""
    key_file: Path | None = None
    """Connections are encrypted if there is one."""
    scheduler: Service = field(init=False)
    address: str = field(init=False)
    services: list[Service] = field(default_factory=list)

    def start_scheduler(self, *, port: int = 0, cache: str = "scheduler") -> None:
        words = ["scheduler", "--host", "127.0.0.1", "--port", str(port)]
        words += ["--cache", str(self.folder / cache)]
        self.scheduler = self._start("scheduler", [*COMMAND, *words], {})
        text = self.scheduler.wait_for("listens on")
        match = ADDRESS.search(text)
        assert match, text
        self.address = match[1]

    def restart_scheduler(self, *, cache: str = "scheduler") -> None:
        """Start the scheduler again at its address, after it has ended."""
        self.start_scheduler(port=int(self.address.rpartition(":")[2]), cache=cache)

    def start_worker(
        self,
        label: str,
        *words: str,
        slots: int = 1,
        environment: Mapping[str, str] | None = None,
        command: Sequence[str] = COMMAND,
        address: str = "",
        joins: bool = True,
    ) -> Service:
        """Start a worker with these words in addition, and wait until it has joined.

        `command` starts `botequim` in another way than usual, and `address` is another scheduler.
        """
        place = ["--label", label, "--slots", str(slots), "--cache", str(self.folder / label)]
        before = self.joined(label)
        variables = {**self.environment, **(environment or {})}
        service = self._start(label, [*command, "worker", address or self.address, *place, *words], variables)
        if joins:
            self.wait_until_joined(label, before + 1)
        return service

    @contextmanager
    def worker(self, label: str, *words: str, **options: Any) -> Iterator[Service]:
        """Start a worker as `start_worker` does, and end it with the block."""
        with self._ending():
            yield self.start_worker(label, *words, **options)

    @contextmanager
    def service(self, name: str, *words: str) -> Iterator[Service]:
        """Start another command of `botequim`, and end it with the block."""
        with self._ending():
            yield self._start(name, [*COMMAND, *words, "--cache", str(self.folder / name)], {})

    @contextmanager
    def _ending(self) -> Iterator[None]:
        before = len(self.services)
        try:
            yield
        finally:
            for service in self.services[before:]:
                _end(service)

    def joined(self, label: str) -> int:
        """Return how often a machine has joined since the scheduler started."""
        return self.scheduler.output().count(f"scheduler: {label} joined")

    def wait_until_joined(self, label: str, count: int) -> None:
        try:
            self.scheduler.wait_for(f"scheduler: {label} joined", count)
        except AssertionError as error:
            for service in self.services:
                error.add_note(f"{service.name}:\n{service.output()}")
            raise

    def forget_bots(self, label: str) -> None:
        """Remove the bots that a worker has unpacked, so that it has to fetch them again."""
        for entry in (self.folder / label).glob("worker/bots/entries/*"):
            entry.rename(self.folder / f"{label} {secrets.token_hex(8)}")

    def executor(
        self,
        observation: Observation | None = None,
        *,
        isolated: bool = False,
        least_speed: float | None = None,
        report: Callable[[Message], None] = lambda message: None,
    ) -> ClusterExecutor:
        """Return an executor in this process."""
        from botequim.cluster.executor import ClusterExecutor, ClusterSettings

        settings = ClusterSettings(self.address, None, least_speed)
        return ClusterExecutor(settings, observation, isolated=isolated, report=report)

    def _start(self, name: str, words: Sequence[str], environment: Mapping[str, str]) -> Service:
        log = self.folder / f"{len(self.services):02}-{name}.log"
        with log.open("wb") as output:
            popen = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self._variables(), **environment},
                start_new_session=True,
            )
        service = Service(name, words, popen, log)
        self.services.append(service)
        return service

    def _variables(self) -> dict[str, str]:
        """Return the variables of all processes. What they leave when they are killed is in the folder."""
        temporary = self.folder / "temporary"
        temporary.mkdir(exist_ok=True)
        key = {} if self.key_file is None else {KEY_VARIABLE: str(self.key_file)}
        return {"PYTHONPATH": str(ROOT), "BOTEQUIM_LANG": "en", "TMPDIR": str(temporary), **key}

    def close(self) -> None:
        """End all processes, the workers first."""
        with ExitStack() as ending:
            for service in self.services:
                ending.callback(_end, service)
        for service in self.services:
            assert "Traceback" not in service.output(), f"{service.name}:\n{service.output()}"


def _end(service: Service) -> None:
    """End a process politely; if that takes too long, kill it and all that it has started."""
    if service.popen.poll() is not None:
        return
    started = processes.trees(one for one in processes.children() if one.pid == service.pid)
    try:
        service.stop()
    finally:
        if service.popen.poll() is None:
            processes.end(started)
            service.popen.wait()


@contextmanager
def open_cluster(
    folder: Path, environment: Mapping[str, str] | None = None, *, key_file: Path | None = None
) -> Iterator[Cluster]:
    """Start a scheduler; end it at the end, with the workers that were started in the meantime."""
    apply_settings()
    folder.mkdir(parents=True, exist_ok=True)
    cluster = Cluster(folder, environment or {}, key_file)
    try:
        cluster.start_scheduler()
        yield cluster
    finally:
        cluster.close()


def bots_of(mark: str) -> set[Process]:
    """Return the processes of bots with a word in their command line, below this process.

    Orphans are below it, too: see `tests/support/leftovers.py`.
    """
    return {one for one in processes.trees(processes.children()) if mark in processes.command(one)}


NO_ISOLATION: Final = """
import shutil

which = shutil.which
absent = ("bwrap", "docker", "podman")
shutil.which = lambda name, *more, **options: None if name in absent else which(name, *more, **options)
"""
"""A machine without the programs that isolate bots; its workers start a little faster."""

STEADY_SPEED: Final = """
import sys

if "worker" in sys.orig_argv:
    from botequim.engine import machine

    machine.measure_speed = lambda: 1.0
"""
"""A machine whose workers need not measure how fast it is, for a second of processor time each."""


def altered_machine(folder: Path, source: str) -> dict[str, str]:
    """Return variables with which all Python processes of a worker run some code before anything else."""
    folder.mkdir(parents=True)
    (folder / "sitecustomize.py").write_text(source, encoding="utf-8")
    return {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
