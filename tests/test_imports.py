"""What is imported by what is done: a match between built-in players needs neither bots nor other games."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
    "sqlite3",
    "fastapi",
)


@pytest.mark.parametrize("games", [1, 4])
def test_a_match_imports_its_own_game_only(games: int) -> None:
    imported = modules(MATCH.format(game="cubos", games=games))
    assert "botequim.games.cubos.rules" in imported
    others = [name for name in imported if in_any(name, *(f"botequim.games.{name}" for name in GAMES[1:]))]
    assert not others
    assert not [name for name in imported if in_any(name, *UNNEEDED)]


def modules(program: str) -> set[str]:
    """Run a program in a process of its own and return the names of the modules that it says it imported."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("imported:")[2].split())


def in_any(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)
