"""A third party's games, players and tellers come in by the same door as ours."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from botequim import registry
from botequim.core.errors import UnknownName
from tests import HIGHCARD, ROOT
from tests.support.pace import PATIENCE

ENTRY_POINTS = """\
[botequim.games]
highcard = highcard.rules:GAME
broken = tests.plugin.nowhere:GAME

other = highcard.rules:GAME
rps = highcard.rules:GAME

[botequim.players]
highcard.first = tests.plugin.players:First
slow = tests.plugin.players:Slow
unmade = tests.plugin.players:Unmade

[botequim.tellers]
highcard = tests.plugin.players:HighCardNarrator
"""
ONE_OBJECT = """\
[botequim.games]
highcard = tests.plugin:PLUGIN
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
    command = [sys.executable, "-m", "botequim", *words]
    return subprocess.run(command, env=environment(site), capture_output=True, text=True, check=False)


def environment(site: Path) -> dict[str, str]:
    return {"PYTHONPATH": f"{site}:{ROOT}:{HIGHCARD}", "LANG": "C.UTF-8", "PATH": ""}


def test_a_third_partys_game_is_played_told_and_verified(site: Path, tmp_path: Path) -> None:
    records = tmp_path / "records"
    played = botequim(
        site, "match", "highcard", "first", "random", "random", "--seed", "1", "--records", str(records)
    )
    assert played.returncode == 0, played.stderr
    assert "plays the card" in played.stdout, "its own narrator is used"
    verified = botequim(site, "verify", str(records))
    assert verified.returncode == 0, verified.stdout
    assert "highcard" in botequim(site, "match", "chess", "random", "random").stderr


def test_one_object_describes_a_game(site: Path) -> None:
    (site / "thirdparty-1.0.dist-info" / "entry_points.txt").write_text(ONE_OBJECT)
    played = botequim(site, "match", "highcard", "first", "random", "--seed", "1")
    assert played.returncode == 0, played.stderr
    assert "plays the card" in played.stdout, "its own narrator is used"


def test_a_deprecated_group_is_said_to_be_deprecated(site: Path) -> None:
    code = "from botequim import registry; registry.narration('highcard')"
    command = [sys.executable, "-W", "default", "-c", code]
    done = subprocess.run(command, env=environment(site), capture_output=True, text=True, check=True)
    assert 'DeprecationWarning: the entry point group "botequim.tellers" is deprecated' in done.stderr


def test_a_plugin_that_cannot_be_loaded_is_said_to_be_broken(site: Path) -> None:
    played = botequim(site, "match", "broken", "random", "random")
    assert played.returncode == 3
    assert 'the plugin "broken" (tests.plugin.nowhere:GAME of thirdparty) cannot be loaded' in played.stderr
    assert "Traceback" not in played.stderr


def test_a_plugin_under_another_name_or_a_name_that_is_taken_is_refused(site: Path) -> None:
    played = botequim(site, "match", "other", "random", "random")
    assert played.returncode == 3
    assert 'the game registered as "other" calls itself "highcard"' in played.stderr
    played = botequim(site, "match", "rps", "random", "random")
    assert played.returncode == 3
    assert '"rps" is registered more than once' in played.stderr
    assert "thirdparty" in played.stderr


def test_one_broken_plugin_does_not_hide_the_other_games(site: Path) -> None:
    listed = botequim(site, "games")
    assert listed.returncode == 3
    assert "cubos\n" in listed.stdout
    assert "cannot be loaded" in listed.stderr
    examined = botequim(site, "doctor")
    assert examined.returncode == 0
    assert "✗ installed games: cubos, fives, havana, highcard, uno; but: " in examined.stdout


def test_a_player_that_cannot_be_made(site: Path) -> None:
    played = botequim(site, "match", "cubos", "unmade", "random", "--games", "40")
    assert played.returncode == 3
    assert 'the player "unmade" cannot be created: RuntimeError: no' in played.stderr
    assert "Traceback" not in played.stderr


def test_slow_players_are_left_at_once_on_an_interrupt(site: Path) -> None:
    command = [sys.executable, "-m", "botequim", "match", "cubos", "slow", "slow", "--games", "400"]
    process = subprocess.Popen(
        command,
        env=environment(site),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stderr is not None
    for _ in range(2):  # each worker says so when its player begins to think
        assert process.stderr.readline() == b"thinking\n"
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)  # its players would think for hours
    assert process.returncode == 130
    assert b"Traceback" not in err


def test_players_of_one_game_are_not_offered_to_another(site: Path) -> None:
    played = botequim(site, "match", "cubos", "first", "random")
    assert played.returncode == 2
    assert "known: champion, greedy, pimc, pimc-js, random, slow, unmade" in played.stderr


def test_our_own_games_are_registered() -> None:
    assert {"cubos", "rps"} <= set(registry.game_names())
    with pytest.raises(UnknownName):
        registry.game("")
