"""Bots for tests: small programs written as a competition's author would write them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from botequim.core.limits import Limits
from botequim.core.process import Launch, Process, Program, Sandbox
from botequim.core.wire import Question
from botequim.sandbox.none import NoSandbox

BARE: Sandbox = NoSandbox()
PYTHON = sys.executable


def script(folder: Path, source: str, name: str = "bot.py") -> Program:
    """Return a Python program with this source."""
    path = folder / name
    path.write_text(source, encoding="utf-8")
    return Program((PYTHON, "-u", str(path)), folder)


def shell(folder: Path, source: str) -> Program:
    """Return a shell program with this source."""
    return Program(("/bin/sh", "-c", source), folder)


def starts(program: Program, limits: Limits, *, port: bool = False) -> Callable[[], Process]:
    """Return a function that starts an instance without isolation."""
    return partial(BARE.start, Launch(program, limits, stdin=not port, port=port))


def starts_once(program: Program, limits: Limits) -> Callable[[Question], Process]:
    """Return a function that starts an instance for one question."""

    def launch(question: Question) -> Process:
        environment: Mapping[str, str] = question.environment
        return BARE.start(
            Launch(
                program,
                limits,
                arguments=question.arguments,
                environment=environment,
                stdin=bool(question.body),
            )
        )

    return launch
