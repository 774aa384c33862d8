"""`match -s MS -n GAMES` draws every game of a match, and then prints the result."""

from __future__ import annotations

from pathlib import Path

import pytest

from botequim.cli import main
from tests import ROOT
from tests.support.terminal import terminal

Captured = pytest.CaptureFixture[str]


def test_over_a_pipe_every_game_of_every_pairing_is_told_in_order(tmp_path: Path, capsys: Captured) -> None:
    records = tmp_path / "games"
    line = ["match", "havana", str(ROOT / "examples" / "havana"), "greedy", "dummy", "-s", "0", "-n", "2"]
    limits = ["--trust", "--limit", "move=120", "--limit", "start=120"]
    assert main([*line, *limits, "--seed", "7", "--records", str(records)]) == 0
    out = capsys.readouterr().out
    titles = [line for line in out.splitlines() if line.startswith("Game ")]
    assert titles == [
        "Game 1 of 6: havana – greedy",
        "Game 2 of 6: havana – greedy",
        "Game 3 of 6: havana – dummy",
        "Game 4 of 6: havana – dummy",
        "Game 5 of 6: greedy – dummy",
        "Game 6 of 6: greedy – dummy",
    ]
    assert out.count("Winner: ") + out.count("draw") >= 6
    assert "3 pairings of 2 players, 6 games in all." in out
    assert out.index("Game 6 of 6") < out.index("Win rates against each other")
    assert len(list(records.iterdir())) == 6


def test_at_a_terminal_games_are_drawn_and_whoever_leaves_sees_the_result(tmp_path: Path) -> None:
    words = ("match", "havana", "greedy", "dummy", "-s", "60000", "-n", "4", "--seed", "7")
    with terminal(*words, state=tmp_path) as screen:
        screen.until("turn 0 of ")
        assert "Game 1 of 4: greedy – dummy" in screen.text
        screen.press("n")
        screen.until("turn 1 of ")
        screen.press("g")
        screen.until("Game 2 of 4")
        screen.press("q")
        assert screen.end() == 0
        assert "win rate" in screen.text
        assert "Seed 7" in screen.text


def test_what_does_not_go_together(capsys: Captured) -> None:
    assert main(["match", "rps", "rock", "paper", "-s", "1", "--sprt"]) == 2
    assert "--speed draws games that are played here; omit --cluster and --sprt" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["match", "rps", "rock", "paper", "-s", "1", "--json"])
    assert "not allowed with" in capsys.readouterr().err


def test_a_bot_that_never_answers_ends_the_match(tmp_path: Path, capsys: Captured) -> None:
    bot = tmp_path / "dead"
    bot.mkdir()
    (bot / "bot.py").write_text("import module_of_nobody\n", encoding="utf-8")
    limits = ["--trust", "--limit", "move=120", "--limit", "start=120"]
    assert main(["match", "uno", str(bot), "greedy", "-s", "0", "-n", "40", *limits]) == 2
    assert '"dead" did not answer once' in capsys.readouterr().err
