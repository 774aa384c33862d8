"""Helper processes: requests, answers, errors, and how they end."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from botequim import interrupts
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.engine.helper_process import HelperEnded, HelperProcess
from tests import ROOT
from tests.support.pace import PATIENCE, until
from tests.support.processes import children

LARGE = 30_000_000


class Unpicklable(Exception):
    def __init__(self, one: str, two: str) -> None:
        super().__init__(one)


class Echo:
    """Does what a request says."""

    def __init__(self, farewell: Path | None = None, delay: float = 0) -> None:
        self._farewell = farewell
        time.sleep(delay)

    def handle(self, request: Any) -> Any:
        match request:
            case "pid":
                return os.getpid()
            case "hang":
                time.sleep(3600)
            case "die":
                os._exit(7)
            case "large":
                return bytes(LARGE)
            case "print":
                print("not an answer", flush=True)
            case "input":
                error = InputError(msg("{what} is wrong", what="it"))
                error.details = "details"
                raise error
            case "unpicklable":
                raise Unpicklable("one", "two")
            case "function":
                return lambda: None
        return request

    def close(self) -> None:
        if self._farewell is not None:
            self._farewell.touch()


@contextmanager
def helper(*arguments: Any) -> Iterator[HelperProcess]:
    process = HelperProcess(Echo, *arguments)
    try:
        yield process
    finally:
        process.close()
    assert process.pid not in HelperProcess.running


def test_requests_are_answered_and_errors_are_raised_as_they_were() -> None:
    with helper() as process:
        assert process.ask("pid") == process.pid
        with pytest.raises(InputError, match="it is wrong") as raised:
            process.ask("input")
        assert raised.value.details == "details"
        with pytest.raises(RuntimeError, match="Unpicklable: one"):
            process.ask("unpicklable")
        with pytest.raises(Exception, match="pickle"):
            process.ask("function")
        assert process.ask("print") == "print"
        assert len(process.ask("large")) == LARGE
        assert len(process.ask(bytes(LARGE))) == LARGE


def test_several_requests_may_wait() -> None:
    with helper() as process:
        for number in range(3):
            process.send(number)
        assert [process.receive(PATIENCE) for _ in range(3)] == [0, 1, 2]


def test_an_event_loop_goes_on_while_it_is_asked() -> None:
    async def ask() -> tuple[int, list[str]]:
        with helper() as process:
            asked = asyncio.create_task(process.ask_async("pid"))
            steps = []
            while not asked.done():
                steps.append("step")
                await asyncio.sleep(0.001)
            return await asked, steps

    pid, steps = asyncio.run(ask())
    assert pid
    assert len(steps) > 1


def test_one_that_ends_by_itself_is_noticed() -> None:
    with helper() as process:
        with pytest.raises(HelperEnded):
            process.ask("die")
        assert process.close() == 7
        with pytest.raises(HelperEnded):
            process.ask("pid")


def test_one_that_cannot_be_set_up_says_why() -> None:
    with helper("no", "number") as process, pytest.raises(TypeError):
        process.ask("pid")


@pytest.mark.parametrize("delay", [0, 3600])
def test_a_busy_one_ends_at_once_after_its_farewell(tmp_path: Path, delay: float) -> None:
    farewell = tmp_path / "farewell"
    with helper(farewell, delay) as process:
        if not delay:
            assert process.ask("pid")
        process.send("hang")
    assert farewell.exists() == (not delay), "what was not set up has nothing to close"


def test_an_answer_in_the_middle_is_not_waited_for() -> None:
    with helper() as process:
        process.send("large")
        until(lambda: select.select([process], [], [], 0)[0])


def test_it_is_not_reached_by_the_signals_of_the_terminal(tmp_path: Path) -> None:
    with helper() as process:
        assert process.ask("pid")
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(process.pid, number)
        assert os.getsid(process.pid) == process.pid
        assert process.ask("pid") == process.pid


def test_an_interrupt_while_it_is_started_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    real = subprocess.Popen

    def interrupted(*arguments: Any, **named: Any) -> Any:
        process = real(*arguments, **named)
        started.append(process.pid)
        signal.raise_signal(signal.SIGINT)
        return process

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(subprocess, "Popen", interrupted)
    try:
        with interrupts.SignalHandling(), pytest.raises(KeyboardInterrupt):
            HelperProcess(Echo)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not HelperProcess.running & set(started)


OWNER = """
import sys
from botequim.engine.helper_process import HelperProcess
from tests.engine.test_helper_process import Echo

helper = HelperProcess(Echo)
print(helper.ask("pid"), flush=True)
helper.send("hang")
sys.stdin.read()
"""


def test_it_ends_when_its_owner_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWNER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        owner.kill()
    # the tests adopt orphans, so one that went on would be a child of this process
    until(lambda: pid not in {child.pid for child in children()})


def test_files_beside_us_are_not_taken_for_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pickle", "socket", "queue"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('imported')")
    monkeypatch.chdir(tmp_path)
    with helper() as process:
        assert process.ask("pid") == process.pid
