"""What `botequim match` says of faults: which, in which games, and what to do next."""

from __future__ import annotations

import json
import re
import shlex
from fractions import Fraction
from pathlib import Path

import pytest

from botequim.cli import main
from botequim.cli.match_faults import FOLDERS
from botequim.cli.match_results import print_table
from botequim.match.spec import MatchSpec
from botequim.match.standings import GameSummary, MatchStandings
from tests.support import seeded

Captured = pytest.CaptureFixture[str]
LIMITS = ("--trust", "--limit", "move=120", "--limit", "start=120")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's state folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "botequim" / "faults"


def bot(folder: Path, files: dict[str, str]) -> str:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return str(folder)


def test_a_match_with_a_bot_that_cannot_load_is_given_up(tmp_path: Path, capsys: Captured) -> None:
    dead = bot(tmp_path / "my bot", {"bot.py": "import module_of_nobody\n"})
    assert main(["match", "uno", dead, "greedy", "--games", "400", *LIMITS]) == 2
    said = capsys.readouterr()
    assert 'the match was stopped: "my bot" did not answer once in 3 games' in said.err
    assert f"botequim check {shlex.quote(dead)} --game uno" in said.err
    assert "No module named 'module_of_nobody'" in said.err
    assert main(["match", "uno", dead, "greedy", "--games", "10", "--verbose", *LIMITS]) == 2
    assert "Game 4 of uno" in capsys.readouterr().out, "a deal is told to its end"
    assert main(["match", "uno", dead, "greedy", "--games", "2", *LIMITS]) == 0, "too few to be sure"


def test_faults_are_shown_with_their_games_and_the_next_step(
    tmp_path: Path, capsys: Captured, state: Path
) -> None:
    """The first game with each kind of fault is kept, also without --records."""
    files = seeded.player("def fits(card): return True")
    faulty = bot(tmp_path / "faulty", files)
    words = ["match", "uno", "greedy", faulty, "--games", "8", "--seed", "4", *LIMITS]
    assert main([*words, "--json"]) == 0
    (fault,) = json.loads(capsys.readouterr().out)["faults"]
    assert (fault["entrant"], fault["kind"]) == ("faulty", "illegal")
    assert fault["count"] >= len(fault["games"]) >= 1
    assert Path(fault["record"]).is_file()
    assert Path(fault["record"]).is_relative_to(state)
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert re.search(r"faulty: ILLEGAL, \d+ times, in games \d+, ", shown)
    assert f"To find out more: botequim check {faulty} --game uno" in shown
    command = re.search(r"Ask again: botequim (.*)", shown)
    assert command is not None
    assert main([*shlex.split(command[1]), *LIMITS]) == 1
    assert "discard" in capsys.readouterr().out.lower()
    for folder in state.iterdir():
        assert len(list(folder.iterdir())) == 1, "one kind of fault, one game"


def test_a_package_is_started_by_its_script(tmp_path: Path, capsys: Captured) -> None:
    """With the programs of node_modules/.bin, as npm does it."""
    package = {"scripts": {"start": "LEVEL=3 buyer"}}
    folder = Path(bot(tmp_path / "mine", {"package.json": json.dumps(package)}))
    program = folder / "node_modules" / ".bin" / "buyer"
    program.parent.mkdir(parents=True)
    program.write_text(
        "#!/bin/sh\n"
        "while read -r word rest; do\n"
        '  [ "$word" = YOU ] && me=$rest\n'
        '  [ "$LEVEL $word $rest" = "3 TURN $me" ] && echo BUY 1\n'
        "done\n"
    )
    program.chmod(0o755)
    words = ["match", "uno", str(folder), "random", "--games", "3", "--seed", "1", "--json"]
    assert main([*words, "--limit", "move=120"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["games"] == 3
    assert {fault["kind"] for fault in result["faults"]} <= {"illegal"}, "it never pays a debt"


def test_the_records_that_were_asked_for_are_the_evidence(
    tmp_path: Path, capsys: Captured, state: Path
) -> None:
    faulty = bot(tmp_path / "faulty", seeded.player("def fits(card): return True"))
    records = tmp_path / "games"
    words = ["match", "uno", faulty, "greedy", "--games", "4", "--seed", "4", "--records", str(records)]
    assert main([*words, *LIMITS, "--json"]) == 0
    (fault,) = json.loads(capsys.readouterr().out)["faults"]
    assert Path(fault["record"]).parent == records
    assert not state.exists()


def test_old_evidence_is_removed(tmp_path: Path, capsys: Captured, state: Path) -> None:
    for number in range(3 * FOLDERS):
        (state / f"20010101-0000{number:02}-uno-1").mkdir(parents=True)
    assert main(["match", "rps", "random", "greedy", "--games", "2"]) == 0
    assert len(list(state.iterdir())) < FOLDERS
    assert (state / f"20010101-0000{3 * FOLDERS - 1}-uno-1").is_dir()


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.5, "; 4 games a second."), (4.0, "; 2.0 seconds a game."), (500, "; 250.0 seconds a game.")],
)
def test_no_match_is_said_to_play_no_games_a_second(capsys: Captured, seconds: float, told: str) -> None:
    match = MatchSpec.of("rps", ["random", "greedy"], games=2, seed="1")
    table = MatchStandings(match)
    won, lost = Fraction(1), Fraction(0)
    table.add_deal(
        [GameSummary((won, lost), (1, 2), (0, 0), 50), GameSummary((lost, won), (2, 1), (0, 0), 50)]
    )
    print_table(table, seconds)
    assert told in capsys.readouterr().out
