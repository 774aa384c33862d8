"""What is imported by what is done: a match between built-in players needs neither bots nor other games."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cup_commands import SMALL_CUP

GAMES = ("cubos", "fives", "havana", "rps", "uno")
MATCH = """
import sys
from botequim.cli import main
main(["match", "{game}", "random", "greedy", "--games", "{games}", "--seed", "1", "--quiet"])
print("imported:", *sys.modules)
"""
UNNEEDED = (
    "botequim.sandbox",
    "botequim.web",
    "botequim.storage",
    "botequim.cup",
    "botequim.render",
    "botequim.ratings",
    "botequim.cluster",
    "sqlite3",
    "fastapi",
    "dask",
    "distributed",
    "cryptography",
)


@pytest.mark.parametrize("games", [1, 4])
def test_a_match_imports_its_own_game_only(games: int) -> None:
    imported = modules(MATCH.format(game="cubos", games=games))
    assert "botequim.games.cubos.rules" in imported
    others = [name for name in imported if in_any(name, *(f"botequim.games.{name}" for name in GAMES[1:]))]
    assert not others
    assert not [name for name in imported if in_any(name, *UNNEEDED)]


CUP = """
import sys
from pathlib import Path
from botequim.cli import main
{before}
print("code:", main(["cup", "status", "c.toml", *sys.argv[1:]]), file=sys.stderr)
print("imported:", *sys.modules)
"""
HIDE = 'sys.modules["psycopg"] = None'


def test_a_cup_in_its_folder_needs_no_database(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(SMALL_CUP)
    imported = modules(CUP.format(before=""), cwd=tmp_path)
    assert "sqlite3" in imported
    assert not [name for name in imported if in_any(name, "psycopg", "botequim.storage.postgres")]


def test_a_cup_that_is_played_here_needs_no_cluster(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(SMALL_CUP)
    imported = modules(CUP.format(before="").replace('"status"', '"run"'), cwd=tmp_path)
    assert "botequim.cup.runner" in imported
    assert not [name for name in imported if in_any(name, "botequim.cluster", "dask", "distributed")]


def test_a_missing_extra_is_named_with_the_command_that_installs_it(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(SMALL_CUP)
    words = [sys.executable, "-c", CUP.format(before=HIDE), "--store", "postgresql://localhost/cups"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "a store in PostgreSQL needs the extra `postgres`: " in done.stderr
    assert "[postgres]'" in done.stderr
    assert "code: 2" in done.stderr


def modules(program: str, cwd: Path | None = None) -> set[str]:
    """Run a program in a process of its own and return the names of the modules that it says it imported."""
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=cwd)
    return set(done.stdout.rpartition("imported:")[2].split())


def in_any(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)
