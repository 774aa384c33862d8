"""`botequim export`, and what it writes, played over the real wires."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from botequim import registry
from botequim.cli import main
from botequim.submissions.sources import replace_once


def test_what_is_there_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").touch()
    assert main(["export", "cubos", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err


def test_a_game_without_a_champion_to_export_lists_those_that_have_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "chess", str(tmp_path / "new")]) == 2
    assert "known: cubos, havana, rps, uno\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("game", "option", "said"),
    [
        ("cubos", "blocked=never", "blocked"),
        ("cubos", "rounds=3", 'unknown option "rounds" of cubos'),
        ("rps", "rounds=3", 'does not depend on the option "rounds"; options that it uses: -'),
    ],
)
def test_an_option_that_cannot_count_is_refused_before_anything_is_written(
    game: str, option: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", game, str(tmp_path / "new"), "--option", option]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


# how each is started with little time to think; "": as it was written
STARTED = {
    "cubos": "env SECONDS=0.1 python3 server.py",
    "havana": "",
    "rps": "./bot.py",
    "uno": "./bot.py 0.05",
}
OPTIONS = {"rps": ["--option", "rounds=5"]}


def test_every_submission_is_played() -> None:
    assert list(STARTED) == [one.name for one in registry.plugins() if one.submission]


@pytest.mark.parametrize("game", STARTED)
def test_a_submission_plays_without_a_fault(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "champion"
    assert main(["export", game, str(folder)]) == 0
    capsys.readouterr()
    if STARTED[game]:
        (folder / "botequim.toml").write_text(f'command = "{STARTED[game]}"\n', encoding="utf-8")
    words = ["match", game, str(folder), "greedy", "--games", "2", "--json", "--trust", "--seed", "export"]
    code = main([*words, "--limit", "move=60", *OPTIONS.get(game, [])])
    assert code == 0, capsys.readouterr().err
    result = json.loads(capsys.readouterr().out)
    assert [one["faults"] for one in result["entrants"]] == [0, 0]


@pytest.mark.parametrize(
    ("game", "name", "english", "portuguese"),
    [
        ("cubos", "README.md", "champion of dominoes", "campeão de dominó"),
        ("havana", "strategy.txt", "How this pair plays", "Como esta dupla joga"),
        ("rps", "README.md", "The champion of rock", "O campeão de pedra"),
        ("uno", "README.md", "The champion of uno", "O campeão de uno"),
    ],
)
def test_the_text_of_a_submission_is_in_the_language_of_the_command(
    game: str, name: str, english: str, portuguese: str, tmp_path: Path
) -> None:
    for language, title in (("en", english), ("pt_BR", portuguese)):
        folder = tmp_path / language
        assert main(["--lang", language, "export", game, str(folder)]) == 0
        assert title in (folder / name).read_text(encoding="utf-8").splitlines()[0]


@pytest.mark.parametrize("text", ["", "one one"])
def test_what_is_replaced_in_a_submission_must_be_there_once(text: str) -> None:
    assert replace_once("one two", "one", "1") == "1 two"
    with pytest.raises(AssertionError, match=r"'one' occurs [02] times"):
        replace_once(text, "one", "1")
