"""Actions that cannot be undone say what they show, and ask a person at a terminal."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

from botequim.cli import main
from botequim.cup.paths import CupPaths
from botequim.votes.contest import Phase
from botequim.votes.contests import Contests
from tests.support.cup_commands import Captured, cup, run
from tests.support.terminal import terminal

STAGES = """
[options]
rounds = 2
[[stages]]
name = "league"
format = "round_robin"
games = 2
[[stages]]
name = "final"
format = "best_of"
from = "league"
top = 2
games = 3
"""


@pytest.fixture
def held(tmp_path: Path, capsys: Captured) -> Path:
    """A cup that was played, of which nothing is public."""
    names = {"Ana": "greedy", "Bia": "random", "Rui": "random"}
    path = cup(tmp_path / "c.toml", names, game="rps", stages=STAGES)
    assert run(capsys, "run", str(path), "--hold")[0] == 0
    return path


class Keyboard(io.StringIO):
    """The standard input, or error output, of a person."""

    def isatty(self) -> bool:
        return True


def answer(monkeypatch: pytest.MonkeyPatch, typed: str, *words: str) -> tuple[int, str]:
    """Run a command at a terminal and type an answer. Return the exit code, and what the person read."""
    with monkeypatch.context() as patched:
        screen = Keyboard()
        patched.setattr(sys, "stdin", Keyboard(typed))
        patched.setattr(sys, "stderr", screen)
        return main(words), screen.getvalue()


def shown(path: Path) -> int | None:
    return CupPaths.of(path).storage.shown_games()


def test_a_person_reads_what_will_be_revealed_and_may_decline(held: Path, tmp_path: Path) -> None:
    with terminal("cup", "open", str(held), state=tmp_path) as screen:
        text = screen.until("Go on? [y/N]")
        with CupPaths.of(held).storage.open_results() as store:
            games, series = store.count_games(), len(store.series())
        assert f"This reveals {games} games and the results of {series} series." in text
        assert "the winners of these stages: league, final." in text
        assert "the winner of the cup." in text
        assert "everybody sees games while they are played" in text
        screen.press("\r")
        screen.until("Nothing was changed.")
        assert screen.end() == 1
    assert shown(held) == 0


def test_the_rest_of_a_stage_does_not_tell_of_the_cup(
    held: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    code, text = answer(monkeypatch, "n\n", "cup", "reveal", str(held), "stage")
    assert (code, shown(held)) == (1, 0)
    assert re.search(r"^Next: league: .*\(round \d\), game 1; 2 games of this series are hidden", text)
    assert "This reveals 6 games and the results of 3 series." in text
    assert "the winners of these stages: league." in text
    assert "the winner of the cup" not in text
    assert answer(monkeypatch, "y\n", "cup", "reveal", str(held), "stage")[0] == 0
    assert shown(held) == 6
    following = r"^Next: final: .* – .* \(round 1\), game 1; \d games of this series are hidden\.$"
    assert re.search(following, capsys.readouterr().out, re.MULTILINE)
    code, text = answer(monkeypatch, "", "cup", "reveal", str(held))
    assert (code, shown(held)) == (0, 7), "one game is revealed without a question"
    assert "Go on?" not in text
    assert answer(monkeypatch, "", "cup", "open", str(held), "--yes")[0] == 0
    assert shown(held) is None
    assert answer(monkeypatch, "", "cup", "open", str(held)) == (0, ""), "everything is public already"


def test_a_script_is_told_but_not_asked(held: Path, capsys: Captured) -> None:
    code, out, err = run(capsys, "open", str(held))
    assert code == 0
    assert "the winner of the cup" in err
    assert "Go on?" not in out + err
    assert shown(held) is None


def test_closing_a_contest_says_how_many_voted(held: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with CupPaths.of(held).storage.open_votes() as store:
        contests = Contests(store)
        assert main(["contest", "new", str(held), "Best art"]) == 0
        codes = contests.add_codes(1, 3)
        contests.set_phase(1, Phase.OPEN)
        contests.vote(1, ["Rui"], code=codes[0])
        code, text = answer(monkeypatch, "no\n", "contest", "close", str(held), "1")
        assert code == 1
        assert '"Best art": this counts 1 ballot and shows everybody the result.' in text
        assert "2 codes were not used" in text
        assert "Rui" not in text
        assert contests.get(1).phase is Phase.OPEN
        assert answer(monkeypatch, "sim\n", "contest", "close", str(held), "1")[0] == 0
        assert contests.get(1).phase is Phase.CLOSED
        code, text = answer(monkeypatch, "", "contest", "close", str(held), "1")
        assert (code, "Go on?" in text) == (0, False), "it is closed already"
