"""Processes that work for us, and how they end."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from botequim.workers import Pool

LARGE = 100_000_000


def _answer_at_length(sign: Path) -> bytes:
    """Give an answer that takes a while to send; the sign is there when the sending has begun."""
    threading.Thread(target=_say_when_it_sends, args=(sign, threading.get_ident()), daemon=True).start()
    return bytes(LARGE)


def _say_when_it_sends(sign: Path, thread: int) -> None:
    while True:
        frame = sys._current_frames().get(thread)
        while frame is not None:
            if frame.f_code.co_name == "_send":
                sign.touch()
                return
            frame = frame.f_back


def test_a_worker_that_ends_in_the_middle_of_its_answer_is_not_waited_for(tmp_path: Path) -> None:
    sign = tmp_path / "sending"
    with Pool(1) as pool:
        answer = pool.submit(_answer_at_length, sign)
        while not sign.exists():
            time.sleep(0.001)
    assert answer.done()


def _never_ready() -> Callable[[], None]:
    time.sleep(3600)
    raise AssertionError("it is ended before")


def test_a_worker_that_is_not_ready_yet_is_not_waited_for() -> None:
    with Pool(1, _never_ready) as pool:
        answer = pool.submit(int)
    assert answer.cancelled() or isinstance(answer.exception(), BrokenProcessPool)
