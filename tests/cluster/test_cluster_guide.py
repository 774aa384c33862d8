"""The commands of the guide to clusters, typed one after another on one machine instead of five.

What the guide installs, its services and its containers are in `tests/test_deployment.py`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Final

import pytest

from botequim.cli import main
from tests import ROOT
from tests.support.cluster import STEADY_SPEED, altered_machine
from tests.support.document_commands import command_blocks
from tests.support.pace import PATIENCE, until

GUIDE: Final = ROOT / "docs" / "how-to" / "cluster.md"
SCHEDULER: Final = "tls://lab-1:8786"
"""The address in the guide."""
CUP: Final = """\
name = "Rinha"
game = "cubos"
seed = "a seed for the guide to clusters"

[limits]
move = 60
start = 300

[[entrants]]
name = "lines"
bot = "examples/arena-lines"

[[entrants]]
name = "greedy"
bot = "greedy"

[[stages]]
name = "league"
format = "round_robin"
playoff = "none"
games = 4
"""


def test_both_languages_show_the_same_commands() -> None:
    assert command_blocks(GUIDE) == command_blocks(GUIDE.with_name("cluster.pt-BR.md"))


class Reader:
    """Somebody who types the commands of the guide, with a home of their own."""

    def __init__(self, home: Path) -> None:
        self.home: Final = home
        self.address = ""
        self.running: Final[list[tuple[subprocess.Popen[bytes], Path]]] = []
        machine = altered_machine(home / "python", STEADY_SPEED)
        self._environment: Final = {**os.environ, **machine, "HOME": str(home)}

    def run(self, line: str) -> str:
        """Run a command to its end, and return what it printed."""
        words = shlex.split(line.replace(SCHEDULER, self.address).replace("~", str(self.home)))
        if words[0] == "botequim":
            words[:1] = [sys.executable, "-m", "botequim"]
        ran = subprocess.run(
            words, cwd=self.home, env=self._environment, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, (line, ran.stdout, ran.stderr)
        return ran.stdout

    def start(self, line: str, *more: str) -> Path:
        """Start a command that goes on until it is interrupted; return the file with its output."""
        words = shlex.split(line.replace(SCHEDULER, self.address))[1:]
        log = self.home / f"{len(self.running)}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "botequim", *words, *more],
                cwd=self.home,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self.running.append((process, log))
        return log

    def start_scheduler(self, line: str) -> None:
        log = self.start(line, "--host", "127.0.0.1", "--port", "0")
        found = until(lambda: self._read(log, r"listens on (tls://127\.0\.0\.1:\d+)"), f"that {line} listens")
        self.address = found[1]

    def start_worker(self, line: str) -> None:
        """Start a worker with the label of the command, or one on each of two machines."""
        label = line.partition("--label ")[2].split()[:1]
        for name in label or ("lab-2", "lab-3"):
            log = self.start(line, "--slots", "1", "--label", name)
            until(lambda: self._read(log, "joining") and self.knows(name), f"that {name} joins")  # noqa: B023

    def knows(self, label: str) -> bool:
        """Return whether the cluster has a machine, which takes part or says why it does not."""
        status = self.status()
        return label in [one["label"] for one in status["machines"]] or label in status["standby"]

    def takes_part(self, label: str) -> bool:
        return label in [one["label"] for one in self.status()["machines"]]

    def status(self) -> Any:
        """Ask in this process, which has loaded Dask already: that is asked again and again."""
        with redirect_stdout(StringIO()) as printed, pytest.MonkeyPatch.context() as changed:
            changed.setenv("HOME", str(self.home))
            assert main(["cluster", "status", self.address, "--json"]) == 0
        return json.loads(printed.getvalue())

    def _read(self, log: Path, pattern: str) -> re.Match[str] | None:
        """Return what a command that goes on has printed; it must not have ended."""
        text = log.read_text()
        assert all(process.poll() is None for process, _ in self.running), text
        return re.search(pattern, text)

    def close(self) -> None:
        """Interrupt what goes on, the scheduler last."""
        for process, _ in reversed(self.running):
            process.terminate()
            process.wait(PATIENCE)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "rinha.toml").write_text(CUP)
    somebody = Reader(tmp_path)
    try:
        yield somebody
    finally:
        somebody.close()


@pytest.mark.slow  # each command has its own tests; test_games plays cups and matches on a cluster
def test_the_commands_of_the_guide_run(reader: Reader) -> None:
    typed = 0
    for line in [line for block in command_blocks(GUIDE) for line in block]:
        match line.split()[:3]:
            case ["botequim", "scheduler", *_]:
                reader.start_scheduler(line)
            case ["botequim", "worker", *_]:
                reader.start_worker(line)
            case ["botequim", "cluster", "drain"]:
                reader.run(line)
                until(lambda: not reader.takes_part("lab-3"), "that lab-3 is drained")
            case ["botequim", "cluster", "resume"]:
                reader.run(line)
                until(lambda: reader.takes_part("lab-3"), "that lab-3 is back")
            case ["botequim", "cluster", "logs"]:
                assert "lab-3 is drained" in reader.run(line)
            case ["botequim", "cup", "run"]:
                shutil.rmtree(reader.home / "rinha.cup", ignore_errors=True)
                assert "lines" in reader.run(line)
            case ["botequim", *_]:
                reader.run(line.replace("--games 200", "--games 10"))
            case ["install", *_] if "/etc/" not in line:
                reader.run(line)
                assert Path(reader.home, ".config/botequim/cluster.pem").stat().st_mode & 0o777 == 0o600
            case _:
                continue
        typed += 1
    assert typed > 10
    reader.run("botequim cup report rinha.toml --to report")
    machines = json.loads((reader.home / "report" / "public" / "report.json").read_text())["machines"]
    assert {one["label"] for one in machines} <= {"lab-2", "lab-3", "lab-4", "lab-5"}
    assert sum(one["games"] for one in machines) == 4
