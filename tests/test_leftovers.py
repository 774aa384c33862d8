"""What a test leaves behind is named, ended and removed: tried on runs of pytest of their own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from botequim.sandbox.containers.reaper import LABEL
from tests.support import container_engine, environment, remains

ROOT = Path(__file__).parents[1]
SETTINGS = "[pytest]\nfilterwarnings = error\n"
SHARED = """
import os, pathlib, subprocess, tempfile, time
import pytest

NOTE = pathlib.Path(os.environ["NOTE"])

def note(pid):
    with NOTE.open("a") as notes:
        notes.write(f"{pid}\\n")

def start_child(seconds):
    note(os.spawnlp(os.P_NOWAIT, "sleep", "sleep", seconds))

def start_daemon(seconds):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            note(os.getpid())
            os.execlp("sleep", "sleep", seconds)
        os._exit(0)
    os.wait()
    while not NOTE.exists() or not NOTE.read_text().endswith("\\n"):
        time.sleep(0.01)
"""
FORGETS = """
@pytest.fixture(scope="module")
def server():
    process = subprocess.Popen(["sleep", "1111"])
    folder = tempfile.mkdtemp(prefix="of-a-fixture-")
    yield process
    process.kill()
    process.wait()
    os.rmdir(folder)

@pytest.fixture(scope="module")
def forgetful_fixture():
    start_child("2222")

def test_that_fails(server):
    start_daemon("3333")
    start_child("4444")
    tempfile.mkdtemp(prefix="of-a-failure-")
    assert False, "of its own"

def test_after_it(server):
    for pid in NOTE.read_text().split():
        assert not os.path.exists(f"/proc/{pid}/exe")

def test_that_passes(server, forgetful_fixture):
    start_daemon("5555")
    tempfile.mkdtemp(prefix="of-a-success-")

def test_that_hangs(server):
    start_daemon("6666")
    time.sleep(7777)

def test_that_cleans_up(server):
    subprocess.run(["true"], check=True)
    assert server.poll() is None
"""
ENDED = """
def test_that_hangs():
    start_daemon("8888")
    os.kill(int(os.environ["RUNNER"]), 15)
    time.sleep(7777)
"""


def run(folder: Path, source: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on one file of tests, in a process of its own, whose number is in RUNNER."""
    (folder / "pytest.ini").write_text(SETTINGS)
    (folder / "test_it.py").write_text(SHARED + source)
    (folder / "tmp").mkdir()
    own = {"NOTE": str(folder / "notes"), "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")}
    own |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "BOTEQUIM_TEST_GRACE": "0.2"}
    plugins = ["-p", "xdist", "-p", "tests.support.leftovers", "-p", "no:cacheprovider"]
    return subprocess.run(
        [
            "/bin/sh",
            "-c",
            'RUNNER=$$ exec "$@"',
            "sh",
            sys.executable,
            "-m",
            "pytest",
            *plugins,
            "-ra",
            *words,
        ],
        cwd=folder,
        env=os.environ | own,
        capture_output=True,
        text=True,
        check=False,
    )


def is_over(pid: str) -> bool:
    """Whether a process has ended: an orphan is reaped by whoever adopted it, sooner or later."""
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def folder_of(printed: str) -> Path:
    """Return the folder that a run kept."""
    found = re.search(r"The files of tests that failed are in (\S+)", printed)
    assert found, printed
    return Path(found[1])


@pytest.mark.parametrize("workers", ["-n1", pytest.param("-n0", marks=pytest.mark.slow)])
def test_what_tests_leave_is_named_and_ended(tmp_path: Path, workers: str) -> None:
    ran = run(tmp_path, FORGETS, workers, "--test-limit=5")
    assert ran.returncode == 1
    assert all(map(is_over, (tmp_path / "notes").read_text().split()))
    said = ran.stdout
    assert re.search("2 failed, 3 passed, 2 errors in", said), said  # a failed test has no second failure

    # a failed test, and one that hangs: ended, and named beside the failure
    assert all(words in said for words in ("sleep 3333", "sleep 4444", "of-a-failure-", "sleep 6666")), said
    assert "given up after 5 s" in said
    assert re.search(r'File ".*test_it.py", line \d+ in test_that_hangs', said), said

    # a test that would have passed: that is its failure
    assert "ERROR at teardown of test_that_passes" in said
    assert all(words in said for words in ("sleep 5555", "of-a-success-")), said

    # what a fixture of the module started may stay as long as the fixture, and no longer
    assert "sleep 1111" not in said
    assert "of-a-fixture-" not in said
    assert "ERROR at teardown of test_that_cleans_up" in said
    assert "sleep 2222" in said

    kept = folder_of(said)
    assert not [
        path for name in ("gw0", "main") if (kept / name).exists() for path in (kept / name).iterdir()
    ]


def test_a_run_that_passes_leaves_no_folder(tmp_path: Path) -> None:
    source = (
        "def test_one(tmp_path): NOTE.write_text(os.environ['BOTEQUIM_TEST_RUN'] + ' ' + str(tmp_path))\n"
    )
    ran = run(tmp_path, source)
    assert ran.returncode == 0, ran.stdout
    folder, place = (tmp_path / "notes").read_text().split()
    assert place.startswith(folder)
    assert not Path(folder).exists()


def test_a_run_that_is_ended_from_outside_ends_its_processes(tmp_path: Path) -> None:
    ran = run(tmp_path, ENDED, "-n1")
    assert ran.returncode == pytest.ExitCode.INTERRUPTED, ran.stdout
    assert is_over((tmp_path / "notes").read_text().strip())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts, and the base image is root's")
def test_the_end_of_a_run_finds_mounts_and_containers(tmp_path: Path) -> None:
    containers = container_engine.engine()
    place = tmp_path / "mounted"
    place.mkdir()
    name = f"left-{os.getpid()}"
    label, volume = f"{LABEL}={name}", f"{tmp_path}:/there:ro"
    container_engine.engine_output(
        containers,
        "create",
        "--name",
        name,
        "--label",
        label,
        "--volume",
        volume,
        container_engine.BASE,
        "sh",
    )
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(place)], check=True)
    try:
        left = remains.end_those_of(tmp_path, remains.of_the_machine(), set(), patience=0)
    finally:
        subprocess.run(["umount", str(place)], check=True)
    assert left == [f"mount {place}", f"container {name}"]
    assert remains.end_those_of(tmp_path, remains.of_the_machine(), set(), patience=0) == []


def test_programs_heed_signals_that_whoever_started_the_tests_ignores() -> None:
    source = (
        "import signal, subprocess, sys\nfrom tests.support import environment\nenvironment.normalise()\n"
    )
    source += (
        "print(subprocess.run(['grep', 'SigIgn', '/proc/self/status'], capture_output=True).stdout.decode())"
    )
    ran = subprocess.run(
        ["/bin/sh", "-c", 'trap "" INT HUP QUIT; exec "$@"', "sh", sys.executable, "-c", source],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    ignored = int(ran.stdout.split()[1], 16)
    assert not any(ignored >> (number - 1) & 1 for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT))


def test_the_environment_is_the_same_whoever_starts_the_tests() -> None:
    assert os.environ["TZ"] == "UTC"
    assert os.environ["LANG"] == "C.UTF-8"
    assert not (set(environment.REMOVE) - {"LANGUAGE"}) & set(os.environ)  # that one is set for each test
    assert os.umask(0o022) == 0o022
