"""The command as the first process of a container: it collects orphans, and passes signals on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.support.pace import until
from tests.support.processes import children

USER = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
FIRST = ["unshare", *USER, "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--", sys.executable]
"""A command that runs Python as the first process of a namespace, and exits with its exit code."""
ORPHANS = """
import os, sys
from pathlib import Path
from botequim.first_process import move_to_child

def dead():
    fields = [path.read_text().rpartition(")")[2].split() for path in Path("/proc").glob("[0-9]*/stat")]
    return [one for one in fields if one[0] == "Z" and one[1] == "1"]

move_to_child()
for _ in range(20):
    if os.fork() == 0:
        os.fork()
        os._exit(0)
    os.wait()
if os.getpid() == 1:
    sys.exit("nobody collects them")
while dead():
    pass
sys.exit(3)
"""
WAITING = """
import signal, sys
from botequim.first_process import move_to_child
move_to_child()
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
print("ready", flush=True)
while True:
    signal.pause()
"""


def test_orphans_are_collected() -> None:
    done = subprocess.run([*FIRST, "-c", ORPHANS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def test_signals_are_passed_on() -> None:
    with subprocess.Popen([*FIRST, "-c", WAITING], stdout=subprocess.PIPE, text=True) as popen:
        try:
            assert popen.stdout is not None
            assert popen.stdout.readline() == "ready\n"
            (first,) = children(popen.pid)
            os.kill(first.pid, signal.SIGTERM)
            until(lambda: popen.poll() is not None)
            assert popen.returncode == 7
        finally:
            popen.kill()


@pytest.mark.parametrize(("words", "code"), [(["--version"], 0), (["match", "chess"], 2)])
def test_the_command_has_its_usual_exit_code(words: list[str], code: int) -> None:
    done = subprocess.run([*FIRST, "-m", "botequim", *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
