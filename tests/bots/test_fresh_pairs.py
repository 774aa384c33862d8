"""A student's pair and a BattleBots entrant pass `check` and play unchanged; broken twins are diagnosed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from tests import ROOT
from tests.support.cup_commands import Captured

FRESH = ROOT / "tests" / "fresh"
GENEROUS = ("--limit", "start=120", "--limit", "move=120")


def copy(source: Path, folder: Path, *changes: tuple[str, str]) -> str:
    """The bot alone in a folder, as its author has it; a twin has some lines changed."""
    folder.mkdir()
    text = source.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    bot = folder / source.name
    bot.write_text(text, encoding="utf-8")
    shutil.copymode(source, bot)
    return str(bot)


def pair(folder: Path, *changes: tuple[str, str]) -> str:
    return copy(FRESH / "havana_pair" / "student_players.py", folder, *changes)


def once(folder: Path, *changes: tuple[str, str]) -> str:
    return copy(FRESH / "rps_once.py", folder, *changes)


def check_json(capsys: Captured, bot: str, game: str) -> dict[str, Any]:
    main(["check", bot, "--game", game, "--quick", "--json", "--seconds", "100000", *GENEROUS])
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def diagnosis(result: dict[str, Any]) -> tuple[str, str]:
    """The one mistake that was found, and its sentence."""
    (mistake,) = result["mistakes"]
    (told,) = {problem["told"] for one in result["checks"] for problem in one["problems"]}
    return mistake, told


def ten_games(capsys: Captured, game: str, bot: str, other: str, records: Path, *more: str) -> dict[str, Any]:
    words = ["match", game, bot, other, "--games", "10", "--seed", "1", "--records", str(records)]
    assert main([*words, "--json", *GENEROUS, *more]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert result["games"] == 10
    assert [entrant["faults"] for entrant in result["entrants"]] == [0, 0]
    assert main(["verify", str(records)]) == 0
    capsys.readouterr()
    return result


def test_a_pair_with_setters_and_list_arithmetic(tmp_path: Path, capsys: Captured) -> None:
    bot = pair(tmp_path / "123456_654321")
    result = check_json(capsys, bot, "havana")
    assert result["ready"], result
    assert result["mistakes"] == []
    played = ten_games(capsys, "havana", bot, "greedy", tmp_path / "records")
    assert played["entrants"][0]["title"] == "As Contadoras"


def test_a_pair_whose_setter_keeps_a_list_from_which_nothing_is_removed(
    tmp_path: Path, capsys: Captured
) -> None:
    bot = pair(
        tmp_path / "twin",
        ("self._tiles = sorted(tiles", "self._hand = sorted(tiles"),
        ("return self._tiles.copy()", "return self._hand.copy()"),
    )
    mistake, told = diagnosis(check_json(capsys, bot, "havana"))
    assert mistake == "already-on-the-table"
    assert told.endswith("which is already on the table.")


@pytest.mark.slow
def test_a_pair_that_looks_for_the_ends_before_the_first_tile(tmp_path: Path, capsys: Captured) -> None:
    changed = ("turns += [play + [play[0] == self._partner]]", "turns += [play + [play[1][0]]]")
    result = check_json(capsys, pair(tmp_path / "twin", changed), "havana")
    mistake, told = diagnosis(result)
    assert mistake == "exception"
    (remedy,) = {problem["remedy"] for one in result["checks"] for problem in one["problems"]}
    assert "board_extremes is () while the table is empty" in remedy
    assert (
        told == "play() raises an error: IndexError: tuple index out of range (student_players.py:38, play)"
    )


def test_a_one_shot_bot_with_pretty_printed_json_and_a_matrix(tmp_path: Path, capsys: Captured) -> None:
    bot = once(tmp_path / "bot")
    result = check_json(capsys, bot, "rps")
    assert result["ready"], result
    assert diagnosis(result) == (
        "warning",
        "the JSON is spread over several lines; the competition expects it on one line",
    )
    ten_games(capsys, "rps", bot, "greedy", tmp_path / "records", "--option", "rounds=5")
    record = min((tmp_path / "records").glob("*.jsonl"))
    (made,) = [
        made
        for line in record.read_text(encoding="utf-8").splitlines()[1:2]
        for made in json.loads(line)["moves"]
        if made["by"] == 0
    ]
    assert made["remarks"] == [{"art": [" " * 21, "o" + " " * 20, "-" * 21]}]
    assert main(["generate-gif", str(record), str(tmp_path / "gifs")]) == 0


def test_a_one_shot_bot_that_also_prints_what_it_thinks(tmp_path: Path, capsys: Captured) -> None:
    changed = ("    answer = {", '    print("favourite:", favourite)\n    answer = {')
    mistake, told = diagnosis(check_json(capsys, once(tmp_path / "twin", changed), "rps"))
    assert mistake == "debug-on-stdout"
    assert told.startswith('It writes more than its answer; its output begins with "favourite: s')
