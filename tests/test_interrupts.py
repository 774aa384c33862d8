"""Signals while a command works: the first one interrupts it, and nothing else is reported."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from botequim import interrupts
from botequim.interrupts import SignalHandling, TerminationRequested
from tests.support.pace import until

SIGNALS = [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, TerminationRequested)]


@pytest.fixture(autouse=True)
def _default_handlers() -> Iterator[None]:
    """Whoever started the tests may ignore SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(("number", "expected"), SIGNALS)
def test_a_signal_raises(number: signal.Signals, expected: type[KeyboardInterrupt]) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with SignalHandling(), pytest.raises(KeyboardInterrupt) as raised:
        signal.raise_signal(number)
    assert raised.type is expected
    assert signal.getsignal(signal.SIGTERM) is before
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_further_signals_do_not_disturb_the_clean_up() -> None:
    with SignalHandling():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt) as raised:
            interrupts.raise_if_signalled()
        assert raised.type is KeyboardInterrupt


def test_a_clean_up_that_takes_long_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "PATIENT_SECONDS", 0.0)

    def raises() -> bool:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            return True
        return False

    with SignalHandling():
        assert raises()
        until(raises)


@pytest.mark.parametrize(("number", "expected"), SIGNALS)
def test_work_in_an_event_loop_is_cancelled_and_may_clean_up(
    number: signal.Signals, expected: type[KeyboardInterrupt]
) -> None:
    steps = []

    async def work() -> None:
        try:
            signal.raise_signal(number)
            await asyncio.Event().wait()
        finally:
            for _ in range(3):
                signal.raise_signal(number)
                await asyncio.sleep(0)
            steps.append("cleaned up")

    with SignalHandling():
        with pytest.raises(KeyboardInterrupt) as raised:
            interrupts.run(work())
        assert raised.type is expected
    assert steps == ["cleaned up"]


def test_the_interrupt_wins_over_the_error_that_it_caused() -> None:
    async def work() -> None:
        signal.raise_signal(signal.SIGINT)
        raise ValueError("a helper has ended")

    with pytest.raises(KeyboardInterrupt):
        interrupts.run(work())


def test_the_interrupt_wins_over_a_result() -> None:
    async def work() -> int:
        signal.raise_signal(signal.SIGINT)
        return 1

    with pytest.raises(KeyboardInterrupt):
        interrupts.run(work())


def test_work_that_never_waits_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "UNHEARD_SECONDS", 0.0)

    async def work() -> None:
        signal.raise_signal(signal.SIGINT)
        while True:
            pass

    with pytest.raises(KeyboardInterrupt):
        interrupts.run(work())


def test_without_a_signal_errors_and_results_are_what_they_are() -> None:
    async def fail() -> None:
        raise ValueError("as it is")

    async def succeed() -> int:
        return 1

    with pytest.raises(ValueError, match="as it is"):
        interrupts.run(fail())
    assert interrupts.run(succeed()) == 1


def test_a_process_that_left_the_terminal_takes_no_signal_from_its_group() -> None:
    """Neither one that came while it was being started, nor any later."""
    child = (
        "import os, signal, sys; from botequim import interrupts; "
        "os.kill(os.getpid(), signal.SIGINT); interrupts.leave_terminal(); "
        "print(os.getpgrp() == os.getpid() == os.getsid(0), flush=True); sys.stdin.read()"
    )
    with interrupts.BlockedSignals():
        process = subprocess.Popen(
            [sys.executable, "-c", child], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        os.kill(process.pid, signal.SIGINT)
        process.communicate("")
    assert process.returncode == 0


def test_a_block_is_not_interrupted_even_if_another_thread_receives_the_signal() -> None:
    """As where a worker is started beside a thread that draws the screen."""
    leave = threading.Event()
    other = threading.Thread(target=leave.wait)
    other.start()
    reached: list[bool] = []

    def interrupt_inside() -> None:
        with interrupts.BlockedSignals():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)  # without the other thread it would only arrive after the block
            reached.append(True)

    try:
        with SignalHandling(), pytest.raises(KeyboardInterrupt):
            interrupt_inside()
    finally:
        leave.set()
        other.join()
    assert reached


LEAVES = """
import os, signal, sys, time
from botequim import interrupts

def run():
    with interrupts.SignalHandling():
        interrupts.raise_on_sigint()
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(600)
        except interrupts.TerminationRequested:
            return 143

interrupts.exit_on_sigint()
code = run()
for number in (signal.SIGTERM, signal.SIGINT):
    os.kill(os.getpid(), number)
sys.exit(code)
"""


def test_signals_after_the_clean_up_do_not_change_the_exit_code() -> None:
    assert subprocess.run([sys.executable, "-c", LEAVES], check=False).returncode == 143
