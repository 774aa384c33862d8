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


def create_environment(folder: Path) -> None:
    subprocess.run([str(python()), "-m", "venv", "--without-pip", str(folder)], check=True)


def install(tables: str, environment: Path) -> None:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (environment / "lib" / version / "site-packages" / "tables.py").write_text(tables, encoding="utf-8")


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
    create_environment(folder / "venv")
    install(DEBTS, folder / "venv")
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


@pytest.fixture
def plain_bot(bot: Path) -> Path:
    """The same bot without a command: its folder has a bot.py and an environment."""
    (bot / "botequim.toml").unlink()
    (bot / "start.py").unlink()
    (bot / "current").unlink()
    (bot / "versions" / "2" / "main.py").rename(bot / "bot.py")
    return bot


@pytest.mark.parametrize("environment", [".venv", "venv"])
@pytest.mark.parametrize("named", ["", "bot.py"])
def test_a_bot_without_a_command_runs_in_the_environment_of_its_folder(
    plain_bot: Path, environment: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (plain_bot / "venv").rename(plain_bot / environment)
    bot = str(plain_bot / named)
    assert main(["check", bot, "--game", "uno", "--quick", "--seconds", "100000", *GENEROUS]) == 0
    assert f"runs with the Python of its own environment {environment}" in capsys.readouterr().out


def test_an_environment_of_another_machine_is_not_used(
    plain_bot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = plain_bot / "venv" / "bin" / "python"
    program.unlink()
    program.symlink_to("/opt/python3.99/bin/python3.99")
    (plain_bot / "tables.py").write_text(DEBTS, encoding="utf-8")
    assert main(["match", "uno", str(plain_bot), "greedy", "--games", "2", "--json", *GENEROUS]) == 0
    assert [entrant["faults"] for entrant in json.loads(capsys.readouterr().out)["entrants"]] == [0, 0]


def test_a_module_that_its_environment_does_not_have(
    plain_bot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    next((plain_bot / "venv").glob("lib/*/site-packages/tables.py")).unlink()
    assert main(["check", str(plain_bot), "--game", "uno", "--quick", *GENEROUS]) == 1
    assert "Run `venv/bin/python -m pip install tables` in the bot's folder" in capsys.readouterr().out
