"""Exported champions, entered over the real wires."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from botequim.cli import main
from botequim.export import EXPORTS


def test_what_is_there_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").touch()
    assert main(["export", "cubos", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err


def test_a_game_without_a_champion_to_export_lists_those_that_have_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "chess", str(tmp_path / "new")]) == 2
    assert "known: " + ", ".join(sorted(EXPORTS)) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("game", "option", "said"),
    [
        ("cubos", "blocked=never", "blocked"),
        ("cubos", "rounds=3", 'unknown option "rounds" of cubos'),
        ("rps", "rounds=3", 'the same whatever "rounds" is; options that count: -'),
    ],
)
def test_an_option_that_cannot_count_is_refused_before_anything_is_written(
    game: str, option: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", game, str(tmp_path / "new"), "--option", option]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_cubos_is_entered_over_http(tmp_path: Path) -> None:
    folder = tmp_path / "champion"
    assert main(["export", "cubos", str(folder)]) == 0
    assert (folder / "Dockerfile").is_file()
    (folder / "botequim.toml").write_text('command = "python3 server.py"\n', encoding="utf-8")
    words = ["match", "cubos", str(folder), "greedy", "--games", "2", "--json", "--trust", "--seed", "export"]
    ran = subprocess.run(
        [sys.executable, "-m", "botequim", *words, "--limit", "move=60"],
        env={"SECONDS": "0.1", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout)
    assert [one["faults"] for one in result["entrants"]] == [0, 0], ran.stdout
