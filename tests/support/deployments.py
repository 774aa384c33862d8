"""What tests of deployments share: a cup with a bot of a stranger, and podman, which must leave nothing."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from botequim.sandbox.containers.sandbox import Containers
from tests import ROOT
from tests.support import container_engine

CUP: Final = """\
name = "Rinha"
game = "cubos"
seed = "a seed for tests of deployments"

[limits]
move = 60
start = 300

[[entrants]]
name = "lines"
bot = "lines"

[[entrants]]
name = "greedy"
bot = "greedy"

[[stages]]
name = "league"
format = "round_robin"
games = 4
"""
PYTHON_OF_IMAGES: Final = (3, 11)
"""The Python of Debian 12, on which the images are based."""


def write_cup(folder: Path) -> None:
    """Write rinha.toml and its bot, which must be isolated."""
    shutil.copytree(ROOT / "examples" / "arena-lines", folder / "lines")
    (folder / "rinha.toml").write_text(CUP)


def run(words: Sequence[str | Path], env: Mapping[str, str] | None = None, cwd: Path = ROOT) -> str:
    """Run a command that must succeed, and return what it printed."""
    command = [str(word) for word in words]
    environment = {**os.environ, **(env or {})}
    ran = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, f"{command} ended with {ran.returncode}:\n{ran.stdout}"
    return ran.stdout


def require_podman(*programs: str) -> Containers:
    """Return podman with root's privileges; without it or these programs, the test is skipped."""
    if os.geteuid() != 0:
        pytest.skip("the images are made by root")
    if sys.version_info[:2] != PYTHON_OF_IMAGES:
        pytest.skip("the images have another Python")
    for name in programs:
        if shutil.which(name) is None:
            pytest.skip(f"there is no {name}")
    return container_engine.engine()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
