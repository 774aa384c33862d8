"""The laboratory itself: machines that reach each other until they are cut off, and leave nothing."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT
from tests.support import lab as laboratory
from tests.support import processes
from tests.support.lab import Lab, Machine, open_lab
from tests.support.pace import until

PORT = 4000
LISTEN = f"""
import socket
with socket.create_server(("", {PORT})) as server:
    print("listening", flush=True)
    while True:
        server.accept()[0].close()
"""
CONNECT = f"import socket, sys; socket.create_connection((sys.argv[1], {PORT}), float(sys.argv[2]))"


def reaches(machine: Machine, name: str, seconds: float = 60) -> bool:
    """Return whether the machine can open a connection within so many seconds."""
    process = machine.start([sys.executable, "-c", CONNECT, name, str(seconds)])
    return process.wait() == 0


def test_machines_reach_each_other_by_name_until_one_is_cut_off(lab: Lab) -> None:
    one, other = lab.machine("lab-1"), lab.machine("lab-2")
    one.start([sys.executable, "-c", LISTEN]).wait_for("listening")
    assert reaches(other, "lab-1")
    for cut in (one, other):
        cut.cut()
        assert not reaches(other, "lab-1", seconds=0.5)
        assert reaches(one, "localhost")  # it goes on by itself
        cut.mend()
        assert reaches(other, "lab-1")


def test_the_machine_that_the_tests_run_on_does_not_notice(lab: Lab) -> None:
    links = set(os.listdir("/sys/class/net"))  # noqa: PTH208
    machine = lab.machine("lab-1")
    assert machine.run(["hostname"]).strip() == "lab-1"
    assert socket.gethostname() != "lab-1"
    assert set(os.listdir("/sys/class/net")) == links  # noqa: PTH208
    assert str(lab.folder) not in Path("/proc/self/mountinfo").read_text()


def test_a_machine_has_a_small_disk_of_its_own(lab: Lab) -> None:
    machine, other = lab.machine("lab-1", disk_mb=2), lab.machine("lab-2")
    write = "import pathlib; (pathlib.Path.home() / 'file').write_bytes(bytes(100_000))"
    machine.fill_disk()
    assert "No space left" in machine.run([sys.executable, "-c", write], check=False)
    other.run([sys.executable, "-c", write])
    machine.free_disk()
    machine.run([sys.executable, "-c", write])
    assert machine.inside(Path(machine.environment["HOME"]) / "file").stat().st_size == 100_000


def test_a_process_is_killed_without_its_children(lab: Lab) -> None:
    machine = lab.machine("lab-1")
    started = machine.start(["sh", "-c", "sleep 1234 & echo begun; wait"])
    started.wait_for("begun")
    assert started.pid in {one.pid for one in machine.processes()}
    started.kill()
    assert started.wait() == -signal.SIGKILL
    assert [one for one in machine.processes() if "sleep 1234" in processes.command(one)]


def test_nothing_is_left_after_a_failure(tmp_path: Path) -> None:
    if why := laboratory.missing():
        pytest.skip(f"no laboratory: {why}")
    held: list[int] = []

    def fail() -> None:
        with open_lab(tmp_path) as lab:
            machine = lab.machine("lab-1")
            machine.start(["sh", "-c", "setsid sleep 2345 & echo begun; wait"]).wait_for("begun")
            held.extend(one.pid for one in machine.processes())
            held.extend(one.holder.pid for one in lab.machines)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert len(held) == 3
    until(lambda: not any(Path("/proc", str(pid), "exe").exists() for pid in held))


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.support.lab import open_lab
with open_lab(Path(sys.argv[1])) as lab:
    machine = lab.machine("lab-1")
    machine.start(["sh", "-c", "setsid sleep 3456 & echo begun; wait"]).wait_for("begun")
    print(machine.holder.pid, *(one.pid for one in machine.processes()), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_is_left_if_whoever_opened_it_is_killed(tmp_path: Path) -> None:
    if why := laboratory.missing():
        pytest.skip(f"no laboratory: {why}")
    ran = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    numbers = ran.stdout.split()
    assert len(numbers) == 3
    until(lambda: not any(Path("/proc", number, "exe").exists() for number in numbers))
