"""A laboratory: several machines on this one, each a set of namespaces with a network card and a small disk.

A machine is a process that holds a network, a mount, a host-name and an IPC namespace. A virtual cable goes
from each machine to a switch, which is one more network namespace. None of them has a name, and nothing is
added to the network of the real machine. They disappear with their last process, and the check for leftovers
finds that as it finds every process. If whoever opened the laboratory is killed, the machines switch
themselves off.

    with open_lab(tmp_path) as lab:
        desk, worker = lab.machine("lab-1"), lab.machine("lab-2")
        server = desk.start(["python3", "-m", "http.server"])
        worker.run(["curl", "http://lab-1:8000/"])
        worker.cut()

Machines know each other by name (`/etc/hosts`). Process numbers, the file system and control groups are those
of the real machine, except that a machine's HOME and TMPDIR are on its own disk.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

import pytest

from tests.support import processes
from tests.support.pace import PATIENCE, until
from tests.support.processes import Process

NETWORK: Final = "10.83.0"
PROGRAMS: Final = ("ip", "iptables", "nsenter", "unshare", "mount", "hostname")
DISK_MB: Final = 64
FILLER: Final = "filler"
NAMESPACES: Final = ("net", "mount", "uts", "ipc")
HOLD: Final = """
set -e
[ "$(readlink /proc/self/ns/net)" != "$1" ]
hostname "$2"
ip link set lo up
if [ -n "$3" ]; then
    mount -t tmpfs -o "size=$4m,mode=0755" tmpfs "$3"
    mkdir -m 700 "$3/home" "$3/tmp" "$3/run"
    mount --bind "$5" /etc/hosts
fi
echo ready
set +e
cat >/dev/null  # until whoever opened the laboratory closes it, or is gone
own=$(readlink /proc/self/ns/net)
for process in /proc/[0-9]*; do
    [ "${process#/proc/}" != $$ ] && [ "$(readlink "$process/ns/net")" = "$own" ] &&
        kill -9 "${process#/proc/}"
done 2>/dev/null
"""
"""What a machine does: it prepares itself, waits, and ends all its processes."""


def missing() -> str:
    """Return why no laboratory can be opened here, or nothing."""
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"not installed: {', '.join(absent)}" if absent else ""


@dataclass(eq=False)
class LabProcess:
    """A program that was started on a machine. Its output is in a file."""

    machine: Machine
    words: tuple[str, ...]
    log: Path
    popen: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        return self.popen.pid

    @property
    def is_running(self) -> bool:
        return self.popen.poll() is None

    def output(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait_for(self, words: str) -> None:
        """Wait until the program has printed these words; fail if it ends without them."""

        def has_printed() -> bool:
            running = self.is_running
            text = self.output()
            assert running or words in text, f"{self.words} ended with {self.popen.returncode}:\n{text}"
            return words in text

        until(has_printed, f"that {self.words} prints {words!r}; it printed:\n{self.output()}")

    def wait(self, seconds: float = PATIENCE) -> int:
        return self.popen.wait(seconds)

    def kill(self) -> None:
        """End this process at once, and no other: its children find out by themselves."""
        self.popen.kill()
        self.popen.wait()

    def terminate(self) -> None:
        self.popen.terminate()


@dataclass(eq=False)
class Machine:
    """A machine of the laboratory."""

    name: str
    address: str
    folder: Path
    """On the disk of the real machine: logs."""
    holder: subprocess.Popen[bytes]
    disk: Path | None
    """Where its own disk is mounted, which only its own programs see there."""
    started: list[LabProcess] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """What its programs find in their environment, beside what this process has there."""
        place = self.disk or self.folder
        return {"HOME": f"{place}/home", "TMPDIR": f"{place}/tmp", "XDG_RUNTIME_DIR": f"{place}/run"}

    def start(
        self, words: Sequence[str | Path], env: Mapping[str, str] | None = None, *, cwd: Path | None = None
    ) -> LabProcess:
        """Start a program on this machine, with these variables in addition, in a folder that all see."""
        command = tuple(map(str, words))
        log = self.folder / f"{len(self.started):02}-{Path(command[0]).name}.log"
        with log.open("wb") as output:
            popen = subprocess.Popen(
                [*self._enter(cwd), *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self.environment, **(env or {})},
                start_new_session=True,
            )
        self.started.append(LabProcess(self, command, log, popen))
        return self.started[-1]

    def run(
        self,
        words: Sequence[str | Path],
        env: Mapping[str, str] | None = None,
        *,
        cwd: Path | None = None,
        check: bool = True,
    ) -> str:
        """Run a program on this machine to its end, and return what it printed."""
        process = self.start(words, env, cwd=cwd)
        code = process.wait()
        assert not check or code == 0, f"{process.words} ended with {code}:\n{process.output()}"
        return process.output()

    def inside(self, path: Path) -> Path:
        """Return the path by which this process sees a file of the machine's disk."""
        return Path(f"/proc/{self.holder.pid}/root{path}")

    def processes(self) -> set[Process]:
        """Return its processes and their descendants, wherever these are, but not what holds it together."""
        found = processes.trees(processes.in_network(self.holder.pid))
        own = processes.children(self.holder.pid)
        return {one for one in found if one.pid != self.holder.pid and one not in own}

    def cut(self) -> None:
        """Drop all packets from and to other machines, without a word to anybody."""
        for chain, way in (("INPUT", "-i"), ("OUTPUT", "-o")):
            self.command("iptables", "--wait", "--append", chain, "!", way, "lo", "--jump", "DROP")

    def mend(self) -> None:
        self.command("iptables", "--wait", "--flush")

    def fill_disk(self) -> None:
        """Write a file until nothing more fits on its disk."""
        assert self.disk is not None
        with self.inside(self.disk / FILLER).open("ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                with suppress(OSError):
                    while file.write(b"\0" * size) == size:
                        pass

    def free_disk(self) -> None:
        assert self.disk is not None
        self.inside(self.disk / FILLER).unlink(missing_ok=True)

    def power_off(self) -> None:
        """End all its processes at once, and the machine."""
        while members := self.processes():
            processes.end(members)
        processes.end(processes.in_network(self.holder.pid))
        for process in self.started:
            process.popen.wait()
        self.holder.communicate()

    def command(self, *words: str) -> None:
        """Run a command that must succeed and prints nothing of interest."""
        subprocess.run([*self._enter(), *words], check=True, capture_output=True)

    def _enter(self, folder: Path | None = None) -> list[str]:
        spaces = [f"--{one}" for one in NAMESPACES]
        return ["nsenter", f"--target={self.holder.pid}", *spaces, f"--wd={folder or '/'}", "--"]


class Lab:
    """Machines on one switch."""

    def __init__(self, folder: Path) -> None:
        """Everything that the machines write outside of their disks is in `folder`."""
        self.folder: Final = folder
        self._hosts: Final = folder / "hosts"
        self._machines: Final[dict[str, Machine]] = {}
        self._closing: Final = ExitStack()

    @cached_property
    def _switch(self) -> Machine:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._hosts.write_text("127.0.0.1 localhost\n")
        switch = self._hold("switch", None, 0)
        switch.command("ip", "link", "add", "switch", "type", "bridge")
        switch.command("ip", "link", "set", "switch", "up")
        return switch

    @property
    def machines(self) -> tuple[Machine, ...]:
        return tuple(self._machines.values())

    def machine(self, name: str, *, disk_mb: int = DISK_MB) -> Machine:
        """Return the machine of this name; make it if there is none."""
        if name not in self._machines:
            self._machines[name] = self._make(name, disk_mb)
        return self._machines[name]

    def _make(self, name: str, disk_mb: int) -> Machine:
        switch, disk = self._switch, self.folder / name / "disk"
        disk.mkdir(parents=True)
        with self._hosts.open("a") as hosts:
            hosts.write(f"{NETWORK}.{len(self._machines) + 1} {name}\n")
        machine = self._hold(name, disk, disk_mb)
        port, pid = f"port{len(self._machines)}", str(machine.holder.pid)
        cable = ("type", "veth", "peer", "name", port, "netns", str(switch.holder.pid))
        subprocess.run(["ip", "link", "add", "eth0", "netns", pid, *cable], check=True, capture_output=True)
        switch.command("ip", "link", "set", port, "master", "switch", "up")
        machine.command("ip", "address", "add", f"{machine.address}/24", "dev", "eth0")
        machine.command("ip", "link", "set", "eth0", "up")
        return machine

    def _hold(self, name: str, disk: Path | None, disk_mb: int) -> Machine:
        """Start the process that holds the namespaces of a machine."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        spaces = [f"--{one}" for one in NAMESPACES]
        real = Path("/proc/self/ns/net").readlink()
        arguments = [str(real), name, str(disk or ""), str(disk_mb), str(self._hosts)]
        holder = subprocess.Popen(
            ["unshare", *spaces, "--propagation=private", "sh", "-c", HOLD, "sh", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        machine = Machine(name, f"{NETWORK}.{len(self._machines) + 1}", folder, holder, disk)
        assert holder.stdout is not None
        assert holder.stderr is not None
        if holder.stdout.readline() != b"ready\n":
            _, errors = holder.communicate()
            raise AssertionError(f"no machine {name}: {errors.decode()}")
        holder.stderr.close()
        self._closing.callback(machine.power_off)
        return machine

    def close(self) -> None:
        """Switch all machines off, whatever runs on them."""
        self._closing.close()


@contextmanager
def open_lab(folder: Path) -> Iterator[Lab]:
    """Open a laboratory; close it at the end, also after an error."""
    lab = Lab(folder)
    try:
        yield lab
    finally:
        lab.close()


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """Return a laboratory. Without root or its programs, the test is skipped."""
    if why := missing():
        pytest.skip(f"no laboratory: {why}")
    with open_lab(tmp_path / "lab") as opened:
        yield opened
