"""Cups that are played during a test, in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def cup_runs() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Return a function `begin(path, ...)` that starts `botequim cup run`; end what still runs at the end."""
    begun: list[subprocess.Popen[bytes]] = []

    def begin(path: Path, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "botequim", "cup", "run", str(path), "--trust", "--quiet", *words]
        begun.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return begun[-1]

    try:
        yield begin
    finally:
        for process in begun:
            process.kill()
            process.wait()
