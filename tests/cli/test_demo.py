"""`make demo` ends with cups of the programs in examples/, and says how to show them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from botequim.cli import parser
from tests import ROOT
from tests.support.pace import PATIENCE

SCRIPT = ROOT / "scripts" / "demo.sh"


def run_demo(folder: Path, *games: str, **variables: str) -> str:
    environment = {**os.environ, "BOTEQUIM": str(Path(sys.executable).with_name("botequim")), **variables}
    ran = subprocess.run(
        ["sh", str(SCRIPT), str(folder), *games],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=10 * PATIENCE,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_a_cup_of_programs_is_played_reported_and_can_be_served(tmp_path: Path) -> None:
    out = run_demo(tmp_path, "rps")
    assert "rps, a process per round (Python)" in out
    assert "arena over lines (Python)" in out
    (report,) = re.findall(r"^The report is (.*)$", out, re.MULTILINE)
    assert "arena over lines (Python)" in Path(report).read_text(encoding="utf-8")
    address, line = out.splitlines()[-2:]
    assert "http://127.0.0.1:8080/" in address
    words = shlex.split(line)
    assert words[1] == "serve"
    found = [str(path) for path in tmp_path.glob("cups/*.toml")]
    assert found
    assert callable(parser([words[1], *found]).parse_args([words[1], *found]).run)


def test_every_example_of_a_bot_takes_part() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    entered = set(re.findall(r"^    enter (\S+) ", text, re.MULTILINE))
    bots = {path.name for path in (ROOT / "examples").iterdir() if path.is_dir()} - {"games"}
    assert entered == bots
    assert "\t@sh scripts/demo.sh build/demo\n" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_a_language_that_is_missing_is_named(tmp_path: Path) -> None:
    """The program that needs it does not take part; the others do."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "rm", "mkdir", "sed", "cat", "dirname", "python3"):
        path = shutil.which(name)
        assert path is not None
        (tools / name).symlink_to(path)
    (tools / "botequim").write_text("#!/bin/sh\n", encoding="utf-8")
    (tools / "botequim").chmod(0o755)
    out = run_demo(tmp_path, "uno", PATH=str(tools), BOTEQUIM=str(tools / "botequim"))
    assert 'There is no cc on this machine, so "uno over lines (C)" does not take part.' in out
    cup = tomllib.loads((tmp_path / "cups" / "uno.toml").read_text(encoding="utf-8"))
    assert [entrant["name"] for entrant in cup["entrants"]] == [
        "arena over lines (Python)",
        "greedy, built in",
    ]
