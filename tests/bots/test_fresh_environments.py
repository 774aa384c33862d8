"""A bot of uno as its author runs it: by links in its folder, and the Python of its virtual environment."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from botequim.bots.interpreters import python
from botequim.cli import main
from tests.support.isolated_games import TALKATIVE

GENEROUS = ("--limit", "start=120", "--limit", "move=120")
DEBTS = 'debts = {"V": 2, "C": 4}\n'
"""A module that is installed in the environment and nowhere else."""


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "versions" / "2").mkdir(parents=True)
    (folder / "current").symlink_to("versions/2")
    source = TALKATIVE.replace('{"V": 2, "C": 4}', "debts").replace(
        "import sys\n", "import sys\nfrom tables import debts\n"
    )
    assert source.count("debts") == 3
    (folder / "versions" / "2" / "main.py").write_text(source, encoding="utf-8")
    (folder / "start.py").symlink_to("current/main.py")
    subprocess.run([str(python()), "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (folder / "venv" / "lib" / version / "site-packages" / "tables.py").write_text(DEBTS, encoding="utf-8")
    (folder / "botequim.toml").write_text('command = "venv/bin/python start.py"\n', encoding="utf-8")
    return folder


def test_it_passes_its_check_and_plays_ten_games(bot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["check", str(bot), "--game", "uno", "--quick", "--json", "--seconds", "100000", *GENEROUS]
    assert main(command) == 0, capsys.readouterr()
    assert json.loads(capsys.readouterr().out)["mistakes"] == []
    command = ["match", "uno", str(bot), "greedy", "--games", "10", "--seed", "1", "--json", *GENEROUS]
    assert main(command) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["games"] == 10
    assert [entrant["faults"] for entrant in result["entrants"]] == [0, 0]


def test_its_broken_twin_is_diagnosed_in_a_sentence(bot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its environment was made on another machine."""
    program = bot / "venv" / "bin" / "python"
    program.unlink()
    program.symlink_to("/opt/python3.99/bin/python3.99")
    assert main(["check", str(bot), "--game", "uno"]) == 2
    said = capsys.readouterr().err
    assert "venv/bin/python is a link to /opt/python3.99/bin/python3.99, which is not on this machine" in said
