"""A match of many players: every pairing, standings, a cross table and ratings."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from botequim.bots.entrant import Entrant
from botequim.cli import main
from botequim.core.errors import InputError
from botequim.match.round_robin import RoundRobinStandings, table_matches
from botequim.match.runner import play_tables
from botequim.match.standings import MatchStandings
from botequim.records.reader import read_records

Captured = pytest.CaptureFixture[str]


def played(capsys: Captured, *words: str) -> Any:
    capsys.readouterr()
    assert main(["match", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_pair_plays_the_games_of_a_match_of_two(capsys: Captured) -> None:
    names = ("random", "greedy", "champion@easy")
    result = played(capsys, "cubos", *names, "--games", "6", "--seed", "7")
    assert [pairing["entrants"] for pairing in result["pairings"]] == [
        list(pair) for pair in combinations(names, 2)
    ]
    assert result["games"] == 18
    totals = {name: [0, 0, 0] for name in names}
    for pairing in result["pairings"]:
        alone = played(capsys, "cubos", *pairing["entrants"], "--games", "6", "--seed", pairing["seed"])
        for one in alone["entrants"]:
            for at, count in enumerate((one["won"], one["drawn"], one["lost"])):
                totals[one["name"]][at] += count
            (cell,) = [
                cell
                for cell in result["cross"]
                if cell["name"] == one["name"] and {cell["name"], cell["against"]} == set(pairing["entrants"])
            ]
            assert (cell["won"], cell["drawn"], cell["lost"]) == (one["won"], one["drawn"], one["lost"])
            assert cell["interval"] == one["interval"]
    for one in result["entrants"]:
        assert [one["won"], one["drawn"], one["lost"]] == totals[one["name"]]
        assert one["games"] == 12
    assert result["ratings"]["anchors"] == ["greedy"]
    assert {one["entrant"] for one in result["ratings"]["entrants"]} == set(names)


def test_the_result_does_not_depend_on_the_workers() -> None:
    entrants = [Entrant(name, name) for name in ("rock", "random", "greedy", "cycle")]
    matches = table_matches("rps", entrants, games=20, seed="3", options={"rounds": 5})
    tables: list[list[MatchStandings]] = []
    for workers in (1, 2):
        (*_, last) = play_tables(matches, workers=workers)
        tables.append(list(last))
    first, second = (RoundRobinStandings(one) for one in tables)
    assert first.games == 120
    assert first.scores() == second.scores()
    assert first.duels() == second.duels()
    assert first.ratings() == second.ratings()


def test_records_are_numbered_through_and_transcribed(tmp_path: Path, capsys: Captured) -> None:
    records, transcript = tmp_path / "games", tmp_path / "games.txt"
    words = ("rps", "rock", "paper", "scissors", "--option", "rounds=2", "--games", "2", "--seed", "5")
    result = played(capsys, *words, "--records", str(records), "--transcript", str(transcript))
    paths = sorted(records.iterdir())
    assert [path.name for path in paths] == [f"rps-{number:06}.jsonl" for number in range(1, 7)]
    for pairing in result["pairings"]:
        (raw,) = read_records(paths[pairing["first_game"] - 1])
        assert [seat["name"] for seat in raw.header.content["seats"]] == pairing["entrants"]
    assert transcript.read_text(encoding="utf-8").count("Winner: ") == 6
    assert main(["verify", str(records)]) == 0


def test_the_tables_of_a_game_for_many(capsys: Captured) -> None:
    """All play at one table if there is room, unless the size of the tables is given."""
    names = ("random", "greedy", "random")
    assert "pairings" not in played(capsys, "uno", *names, "--games", "3", "--seed", "1")
    result = played(capsys, "uno", *names, "--games", "2", "--seed", "1", "--option", "players=2")
    assert [pairing["entrants"] for pairing in result["pairings"]] == [
        ["random#1", "greedy"],
        ["random#1", "random#2"],
        ["greedy", "random#2"],
    ]
    many = table_matches("uno", [Entrant("random", "random")] * 11, games=1, seed="1", options={})
    assert {len(match.entrants) for match in many} == {2}
    assert len(many) == 55
    with pytest.raises(InputError, match="would be 15504 pairings"):
        table_matches("uno", [Entrant("random", "random")] * 20, games=1, seed="1", options={"players": "5"})


def test_at_a_table_of_three_who_is_ahead_wins_against_the_others(capsys: Captured) -> None:
    words = ("uno", "random", "greedy", "random", "greedy", "--option", "players=3", "--games", "3")
    result = played(capsys, *words, "--seed", "2")
    assert len(result["pairings"]) == 4
    cells = {(cell["name"], cell["against"]): cell for cell in result["cross"]}
    assert len(cells) == 12
    for (one, other), cell in cells.items():
        assert cell["games"] == 6
        assert (cell["won"], cell["lost"]) == (cells[other, one]["lost"], cells[other, one]["won"])


def test_the_tables_for_people(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["match", "rps", "rock", "paper", "scissors", "--games", "8", "--seed", "5"]
    monkeypatch.setenv("COLUMNS", "100")
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "Win rates against each other" in out
    assert "3 pairings of 2 players, 24 games in all." in out
    assert "0.0%" in out
    assert "100.0%" in out
    assert "±" in out
    assert " – " in out.partition("Win rates against each other")[2].partition("pairings")[0]
    monkeypatch.setenv("COLUMNS", "40")
    assert main(words) == 0
    narrow = capsys.readouterr().out.partition("Win rates against each other")[2]
    assert " – " not in narrow.partition("pairings")[0], "no room for intervals"


def test_faults_are_counted_over_all_pairings(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    bot = tmp_path / "shy"
    bot.mkdir()
    (bot / "bot.py").write_text("import sys; sys.exit('I would rather not')\n", encoding="utf-8")
    limits = ("--trust", "--limit", "move=120", "--limit", "start=120")
    words = ("rps", "greedy", str(bot), "random", "--option", "rounds=1", "--games", "2", "--seed", "4")
    result = played(capsys, *words, *limits)
    (fault,) = result["faults"]
    assert (fault["entrant"], fault["kind"], fault["count"]) == ("shy", "crash", 4)
    assert fault["games"] == [1, 2, 5, 6], "it plays in the first and the last of three pairings"
    assert main(["ask", fault["record"], "--turn", str(fault["turn"]), "greedy"]) == 0
