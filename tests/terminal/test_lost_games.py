"""The games that a player lost are shown, the worst first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from botequim.cli import main
from botequim.records.reader import read_records
from tests.support.cup_commands import SMALL_CUP
from tests.support.terminal import terminal

Captured = pytest.CaptureFixture[str]
TITLE = re.compile(
    r"^game (\d+) of (\d+) that (\S+) lost: (.+) \(faults: (\d+), difference: (\d+)\)$", re.MULTILINE
)


def run(capsys: Captured, *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(words)
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture
def games(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    line = ["match", "cubos", "greedy", "random", "--games", "12", "--seed", "7", "--quiet"]
    assert main([*line, "--records", str(folder)]) == 0
    return folder


def lost_files(folder: Path, name: str) -> dict[str, int]:
    """Return the files of lost games with the difference of points, computed from the records."""
    found = {}
    for path in sorted(folder.glob("*.jsonl")):
        (raw,) = read_records(path)
        assert raw.outcome is not None
        outcome = raw.outcome.content["outcome"]
        team = [seat["name"] for seat in raw.header.content["seats"]].index(name)
        if outcome["places"][team] == 2:
            one, other, third, fourth = outcome["points"]
            found[path.name] = abs(one + third - other - fourth)
    return found


@pytest.mark.parametrize("command", ["show", "watch"])
def test_lost_games_come_worst_first(command: str, games: Path, capsys: Captured) -> None:
    expected = lost_files(games, "random")
    code, out, _ = run(capsys, command, str(games), "--lost", "random")
    assert code == 0
    titles = TITLE.findall(out)
    assert {title[3]: int(title[5]) for title in titles} == expected
    assert [int(title[0]) for title in titles] == list(range(1, len(expected) + 1))
    differences = [int(title[5]) for title in titles]
    assert differences == sorted(differences, reverse=True)
    assert out.count("Winner: ") == len(expected)


def test_a_game_with_faults_is_worse_than_others(tmp_path: Path, capsys: Captured) -> None:
    shy = tmp_path / "shy"
    shy.mkdir()
    (shy / "bot.py").write_text("import sys; sys.exit('I would rather not')\n")
    folder = tmp_path / "games"
    options = ("--option", "rounds=2", "--records", str(folder), "--quiet", "--games", "2")
    main(["match", "rps", str(shy), "greedy", *options])
    code, out, _ = run(capsys, "show", str(folder), "--lost")
    assert code == 0
    assert [(title[2], title[4]) for title in TITLE.findall(out)] == [("shy", "2"), ("shy", "2")]


def test_lost_games_of_a_cup_and_of_its_bundle(tmp_path: Path, capsys: Captured) -> None:
    path, bundle = tmp_path / "copa.toml", tmp_path / "copa.zip"
    path.write_text(SMALL_CUP.replace("rounds = 2", "rounds = 3"), encoding="utf-8")
    assert main(["cup", "run", str(path)]) == 0
    assert main(["cup", "report", str(path), "--bundle", str(bundle)]) == 0
    of_cup, of_bundle = (
        [TITLE.findall(run(capsys, "show", str(source), "--lost", name)[1]) for name in ("ana", "bia")]
        for source in (path, bundle)
    )
    assert any(of_cup)
    assert [[one[4:] for one in games] for games in of_cup] == [
        [one[4:] for one in games] for games in of_bundle
    ]
    assert "Copa, league: " in next(games for games in of_cup if games)[0][3]


def test_who_lost_nothing_and_who_is_not_there(
    games: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(games)  # no name is not the current folder
    folder = tmp_path / "one"
    line = ["match", "rps", "paper", "rock", "--games", "4", "--quiet", "--records", str(folder)]
    assert main(line) == 0
    for command in ("show", "watch"):
        assert run(capsys, command, str(folder), "--lost", "paper") == (
            0,
            "paper has not lost: it played 4 games.\n",
            "",
        )
        code, _, err = run(capsys, command, str(games), "--lost", "rondom")
        assert code == 2
        assert 'nobody is called "rondom" in these games; known: greedy, random; did you mean random?' in err
        code, _, err = run(capsys, command, str(games), "--lost")
        assert code == 2
        assert "several players could be meant: greedy, random; write --lost NAME" in err
        assert "write --lost after the games" in usage_error(capsys, command, "--lost", str(games))


def usage_error(capsys: Captured, *words: str) -> str:
    with pytest.raises(SystemExit) as raised:
        main(words)
    assert raised.value.code == 2
    return capsys.readouterr().err


def test_the_worst_game_is_the_first_on_the_screen(games: Path, tmp_path: Path) -> None:
    expected = lost_files(games, "random")
    with terminal(
        "watch", str(games), "--lost", "random", "-n", "1", "-s", "60000", state=tmp_path
    ) as screen:
        screen.until("turn 0 of ")
        assert f"game 1 of {len(expected)} that random lost" in screen.text
        screen.press("g")
        assert screen.end() == 0


@pytest.mark.parametrize("command", ["show", "watch"])
@pytest.mark.parametrize("lost", [(), ("--lost", "random")])
def test_a_bad_file_in_a_folder_is_named_and_the_others_are_shown(
    command: str, lost: tuple[str, ...], games: Path, capsys: Captured
) -> None:
    whole = run(capsys, command, str(games), *lost)[1]
    (games / "aaa.jsonl").write_text("no record\n", encoding="utf-8")
    code, out, err = run(capsys, command, str(games), *lost)
    assert (code, out) == (1, whole)
    assert "aaa.jsonl:1" in err
    assert err.count("aaa.jsonl") == 1
    code, _, err = run(capsys, command, str(games / "aaa.jsonl"))
    assert code == 2
