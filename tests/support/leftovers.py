"""No test leaves anything behind: a pytest plugin.

Every run has a folder of its own, which `BOTEQUIM_TEST_RUN` names in the environment of all its processes and
which holds all its temporary files. After each test, processes that it started and that still run are ended,
and folders it left are named; unless the test had failed anyway, that is a failure. What belongs to a fixture
of a module or of the session may stay as long as the fixture. The end of the run looks for everything else
that can be left on a machine.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterable
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import Any, Final

import pytest

from tests.support import processes, remains
from tests.support.processes import Process
from tests.support.remains import RUN

GRACE: Final = float(os.environ.get("BOTEQUIM_TEST_GRACE", "60"))
"""The seconds to wait for a process that is just ending."""
LIMIT: Final = 900.0
"""The seconds after which a test is aborted, on however busy a machine."""
AGAIN: Final = 30.0
"""The seconds after which the processes of a test that still does not end are killed, and then its own."""
FAILED: Final = pytest.StashKey[bool]()
OTHERS: Final = (
    "playwright",
    ".org.chromium.",
    ".com.google.",
    "com.google.",
    "org.chromium.",
    "podman-run-",
    "containers-user-",
)
"""The prefixes of temporary files of browsers and of an ordinary user's podman, which come and go at any
time."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--test-limit", type=float, default=LIMIT, metavar="SECONDS", help="after which a test is given up"
    )
    parser.addoption(
        "--count-processes", metavar="FILE", help="append how many processes each test starts (use with -n0)"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Make the folder of the run, or of one of its processes, before pytest chooses where to put files."""
    name = getattr(config, "workerinput", {"workerid": "main"})["workerid"]
    if not hasattr(config, "workerinput"):
        base = Path(tempfile.gettempdir()).resolve()
        folder = base / f"botequim-test-{secrets.token_hex(4)}"
        folder.mkdir(mode=0o755)
        os.environ[RUN] = str(folder)
        if not config.option.basetemp:
            config.option.basetemp = str(folder / "t")
    folder = Path(os.environ[RUN])
    places = {"TMPDIR": folder / name, "HOME": folder / "home", "XDG_RUNTIME_DIR": folder / remains.RUNTIME}
    for variable, place in places.items():
        place.mkdir(mode=0o700 if variable == "XDG_RUNTIME_DIR" else 0o755, exist_ok=True)
        os.environ[variable] = str(place)
    tempfile.tempdir = None  # to be found again
    processes.adopt_orphans()
    config.pluginmanager.register(Leftovers(config, folder, folder / name), "leftovers")


class Leftovers:
    """What one process of the run (the only one, the controller or a worker of pytest-xdist) has to watch."""

    def __init__(self, config: pytest.Config, folder: Path, temporary: Path) -> None:
        self._config = config
        self._folder = folder
        self._temporary = temporary
        self._is_worker = hasattr(config, "workerinput")
        self._owned: dict[object, tuple[set[Process], set[str], set[Thread]]] = {}
        """Processes, files and threads of fixtures that outlive a test."""
        self._sessions: set[int] = set()
        self._dead: set[int] = set()
        self._alarms = 0
        self.report: list[str] = []
        if not self._is_worker:
            self._before = remains.of_the_machine()
            signal.signal(signal.SIGTERM, _interrupt)

    # one test

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """Note what a fixture that outlives a test starts."""
        if fixturedef.scope == "function":
            return (yield)
        before, files, threads = processes.children(), self._files(), set(threading.enumerate())
        result = yield
        started = processes.children() - before
        self._owned[fixturedef] = started, self._files() - files, set(threading.enumerate()) - threads
        own = os.getsid(0)
        self._sessions |= {processes.session(one) for one in processes.trees(started)} - {own}
        return result

    def pytest_fixture_post_finalizer(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        self._owned.pop(fixturedef, None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.failed:
            item.stash[FAILED] = True
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Abort a test that takes too long."""
        if self._config.option.usepdb:
            return (yield)
        self._alarms = 0
        signal.signal(signal.SIGALRM, self._alarm)
        signal.setitimer(signal.ITIMER_REAL, self._config.option.test_limit, AGAIN)
        count = _processes_so_far()
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            if self._config.option.count_processes:
                with open(self._config.option.count_processes, "a", encoding="utf-8") as log:
                    log.write(f"{_processes_so_far() - count}\t{item.nodeid}\n")

    def _alarm(self, number: int, frame: FrameType | None) -> None:
        self._alarms += 1
        faulthandler.dump_traceback(sys.__stderr__ or 2)
        if self._alarms > 2:  # not even that helped: pytest-xdist names the test and goes on in a new process
            os._exit(3)
        if self._alarms == 2:
            processes.end(self._strays())
        pytest.fail(f"the test was given up after {self._config.option.test_limit:g} s")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        """Look for leftovers after all fixtures that end with this test."""
        broken = True
        left: list[str] = []
        try:
            result = yield
            broken = False
        finally:
            failed = broken or item.stash.get(FAILED, False)
            left = self.end_strays(0 if failed else GRACE)
            if left and failed:
                item.add_report_section("teardown", "leftovers", "\n".join(["The test left:", *left]))
        if left and not failed:
            pytest.fail(
                "\n".join(["the test left something behind; it was ended or removed:", *left]), pytrace=False
            )
        return result

    def end_strays(self, patience: float) -> list[str]:
        """End the processes and remove the files that no fixture owns, and return what they were."""
        limit = time.monotonic() + patience
        while (strays := self._strays()) and time.monotonic() < limit:
            time.sleep(0.05)
        found = sorted(map(processes.command, processes.trees(strays)))
        while strays:
            processes.end(strays)
            strays = self._strays()
        self._dead = processes.reap_orphans(self._processes(), self._dead)
        for name in sorted(self._files() - {file for _, files, _ in self._owned.values() for file in files}):
            if not name.startswith(OTHERS) and name not in _helper_files():
                found.append(f"file {self._temporary / name}")
                _remove(self._temporary / name)
        return found

    def _strays(self) -> set[Process]:
        """Return the children that no fixture owns and that do not live as long as this process."""
        there = processes.children()
        helpers = _helpers() | self._of_servers()
        found = {one for one in there - self._processes() if one.pid not in helpers}
        return {one for one in found if processes.session(one) not in self._sessions}

    def _of_servers(self) -> set[int]:
        """Return what servers in threads of wider fixtures may have started, at whatever moment."""
        if not any(thread.is_alive() for _, _, threads in self._owned.values() for thread in threads):
            return set()
        helpers = sys.modules.get("botequim.engine.helper_process")
        return set(helpers.HelperProcess.running) if helpers else set()

    def _processes(self) -> set[Process]:
        return {process for started, _, _ in self._owned.values() for process in started}

    def _files(self) -> set[str]:
        try:
            return set(os.listdir(self._temporary))  # noqa: PTH208
        except FileNotFoundError:  # a test may have removed it
            self._temporary.mkdir()
            return set()

    def _temporary_files(self) -> list[Path]:
        """Return what the processes of this run left among their temporary files, except a browser's own."""
        spared = {"t", "home", remains.RUNTIME}
        places = [place for place in self._folder.iterdir() if place.name not in spared and place.is_dir()]
        found = [path for place in places for path in place.iterdir()]
        return [one for one in found if not one.name.startswith(OTHERS) and one.name not in _helper_files()]

    # the whole run

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object | None) -> None:
        """Take over what a worker found at its end, or end what a worker that crashed has left."""
        self.report += getattr(node, "workeroutput", {}).get("leftovers", [])
        if error:
            crashed = {one for one in processes.children() if "stdin.readline" not in processes.command(one)}
            processes.end(crashed)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Look for everything that is left; the fixtures have ended, and so have the workers."""
        self._owned.clear()
        self._sessions.clear()
        patience = min(GRACE, 15) if session.exitstatus == pytest.ExitCode.INTERRUPTED else GRACE
        if self._is_worker:
            self._config.workeroutput["leftovers"] = self.end_strays(patience)  # type: ignore[attr-defined]
            return
        self.report += self.end_strays(patience)
        self.report += remains.end_those_of(self._folder, self._before, _helpers(), patience)
        remains.end_rootless_podman(self._folder)
        self.report += [f"file {path}" for path in self._temporary_files()]
        if self.report and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            _remove(self._folder)
            if self._folder.exists():
                self.report.append(f"folder {self._folder}")
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.report:
            terminalreporter.section("left behind by this run, and ended or removed", red=True)
            for line in self.report:
                terminalreporter.line(line)
        if self._folder.exists():
            terminalreporter.line(f"The files of tests that failed are in {self._folder}")


def _helpers() -> set[int]:
    """Return the processes that the standard library, the package or podman start once, not for one test."""
    found: set[int | None] = set()
    if tracker := sys.modules.get("multiprocessing.resource_tracker"):
        found.add(tracker._resource_tracker._pid)
    if server := sys.modules.get("multiprocessing.forkserver"):
        found.add(server._forkserver._forkserver_pid)
    found.add(remains.pause_process(Path(os.environ[RUN])))
    return {pid for pid in found if pid} | {reaper._shell.pid for reaper in _reapers()}


def _helper_files() -> set[str]:
    return {reaper.folder.name for reaper in _reapers()}


def _reapers() -> Iterable[Any]:
    """Return what removes the containers of this process when it ends; see `sandbox.containers.reaper`."""
    module = sys.modules.get("botequim.sandbox.containers.reaper")
    return module._reapers.values() if module else ()


def _processes_so_far() -> int:
    """Return how many processes and threads the machine has started since it was switched on."""
    text = Path("/proc/stat").read_text()
    return int(text.partition("\nprocesses ")[2].split()[0])


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
