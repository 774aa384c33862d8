"""A third party's games, players and tellers come in by the same door as ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from botequim import registry
from botequim.core.errors import UnknownName

ENTRY_POINTS = """\
[botequim.games]
highcard = tests.plugin.highcard:GAME
broken = tests.plugin.nowhere:GAME

[botequim.players]
highcard.first = tests.plugin.players:First

[botequim.tellers]
highcard = tests.plugin.players:HighCardTeller
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder that looks like an installed distribution."""
    info = tmp_path / "thirdparty-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thirdparty\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return tmp_path


def botequim(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parent.parent
    command = [sys.executable, "-m", "botequim", *words]
    environment = {"PYTHONPATH": f"{site}:{root}", "LANG": "C.UTF-8", "PATH": ""}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_third_partys_game_is_played_told_and_verified(site: Path, tmp_path: Path) -> None:
    records = tmp_path / "records"
    played = botequim(
        site, "match", "highcard", "first", "random", "random", "--seed", "1", "--records", str(records)
    )
    assert played.returncode == 0, played.stderr
    assert "plays the card" in played.stdout, "its own teller speaks"
    verified = botequim(site, "verify", str(records))
    assert verified.returncode == 0, verified.stdout
    assert "highcard" in botequim(site, "match", "chess", "random", "random").stderr


def test_a_plugin_that_cannot_be_loaded_is_said_to_be_broken(site: Path) -> None:
    played = botequim(site, "match", "broken", "random", "random")
    assert played.returncode == 3
    assert 'the plugin "broken" (tests.plugin.nowhere:GAME) cannot be loaded' in played.stderr
    assert "Traceback" not in played.stderr


def test_players_of_one_game_are_not_offered_to_another(site: Path) -> None:
    played = botequim(site, "match", "cubos", "first", "random")
    assert played.returncode == 2
    assert "known: greedy, random" in played.stderr


def test_our_own_games_are_registered() -> None:
    assert {"cubos", "rps"} <= set(registry.game_names())
    with pytest.raises(UnknownName):
        registry.game("")
