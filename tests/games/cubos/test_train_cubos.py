"""The games that teach the network of cubos: all that were asked for, kept whole, tied to who played."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from scripts.train_cubos import NOT_THE_TEACHERS, SOURCE, TOGETHER, Played, games_of, kept_at, main


def lot(seed: str, first: int) -> list[str]:
    """A lot of games that can be told apart, without playing them."""
    return [
        json.dumps([number % 4, [1, 2, 4, 8], [[number, True]]]) for number in range(first, first + TOGETHER)
    ]


def broken_lot(seed: str, first: int) -> list[str]:
    """The second lot never comes."""
    if first:
        raise RuntimeError("interrupted")
    return lot(seed, first)


def game(number: int) -> Played:
    return Played(number % 4, (1, 2, 4, 8), ((number, True),))


@pytest.mark.parametrize("games", [2, TOGETHER // 2, TOGETHER, TOGETHER + TOGETHER // 2])
def test_as_many_games_as_were_asked_for_the_first_time_and_later(games: int, tmp_path: Path) -> None:
    path = tmp_path / "build" / "kept.jsonl"
    expected = [game(number) for number in range(games)]
    assert games_of("seed", games, path, lot) == expected
    assert games_of("seed", games, path, broken_lot) == expected, "they are not played again"
    assert [one.name for one in path.parent.iterdir()] == ["kept.jsonl"]


def test_games_that_were_interrupted_leave_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    with pytest.raises(RuntimeError, match="interrupted"):
        games_of("seed", 2 * TOGETHER, path, broken_lot)
    assert not list(tmp_path.iterdir())
    assert len(games_of("seed", 2 * TOGETHER, path, lot)) == 2 * TOGETHER


def test_games_of_other_teachers_are_others(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(SOURCE, source, ignore=lambda _, names: [name for name in names if name.endswith(".so")])
    here = kept_at(tmp_path, "seed", 40)
    assert kept_at(tmp_path, "seed", 40, source) == here
    for name in NOT_THE_TEACHERS:
        (source / "games/cubos/search" / name).write_text("# taught anew\n")
    assert kept_at(tmp_path, "seed", 40, source) == here, "what is taught does not change who teaches"
    names = {here}
    for name in ("games/cubos/champion.py", "games/cubos/search/solver.py", "games/cubos/search/decision.py"):
        with (source / name).open("a") as changed:
            changed.write("# changed\n")
        names.add(kept_at(tmp_path, "seed", 40, source))
    assert len(names) == 4
    assert kept_at(tmp_path, "seed", 41) != here
    assert kept_at(tmp_path, "other", 40) != here


@pytest.mark.parametrize("games", ["0", "1", "-20"])
def test_too_few_games_are_refused_before_anything_is_written(
    games: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["train_cubos", "--games", games])
    with pytest.raises(SystemExit):
        main()
    assert "at least 2 games" in capsys.readouterr().err
