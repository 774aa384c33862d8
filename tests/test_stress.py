"""`scripts/stress` logs its runs, does not repeat those it has, and ends what it starts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from tests.support import processes
from tests.support.pace import PATIENCE, until
from tests.support.processes import Process

ROOT = Path(__file__).parents[1]
STRESS = ROOT / "scripts" / "stress"
QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "xdist.plugin"}


def command(folder: Path, times: int, *words: str) -> list[str]:
    return [str(STRESS), "suite", f"--times={times}", "--loops=1", f"--folder={folder}", "--", "-n0", *words]


def log(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def test_runs_are_logged_and_continued(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_right(): ...\ndef test_wrong(): assert False\n")
    for times, new in ((1, 1), (1, 0), (2, 1)):
        before = len(log(tmp_path)) if new != times else 0
        ran = subprocess.run(
            command(tmp_path, times, str(tmp_path / "test_it.py")),
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | QUICK,
        )
        assert ran.returncode == 1, ran.stderr
        assert len(log(tmp_path)) == before + new, ran.stdout
    one, other = log(tmp_path)
    assert (one["number"], other["number"]) == (1, 2)
    assert one["passed"] == 1
    assert [name.rpartition("::")[2] for name in one["failed"]] == ["test_wrong"]
    assert one["loops"] == 1
    assert one["commit"] == other["commit"]
    assert not one["passed_all"]


def test_busy_loops_end_with_it(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    lines = (
        "import time",
        "def test_long():",
        f"    open({str(ready)!r}, 'w').close()",
        "    time.sleep(3600)",
    )
    (tmp_path / "test_it.py").write_text("\n".join(lines))
    words = command(tmp_path, 1, str(tmp_path / "test_it.py"))
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, env=os.environ | QUICK) as stress:
        until(lambda: ready.exists() or stress.poll() is not None)
        started: set[Process] = processes.children(stress.pid)
        assert len(started) == 2  # a loop and pytest
        os.kill(stress.pid, signal.SIGTERM)
        assert stress.wait(PATIENCE) == 143
    assert not started & processes.children()
    assert not any(Path(f"/proc/{one.pid}/exe").exists() for one in started)
