"""What is public of a cup is a prefix of it, and nothing later shows anywhere."""

from __future__ import annotations

import filecmp
import json
import re
import shutil
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botequim.cli import main
from botequim.core.errors import BotequimError, InputError
from botequim.core.results import GameResult, SeriesResult
from botequim.cup.config import Cup
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.cup.series_labels import series_labels
from botequim.storage import open_storage
from botequim.storage.sqlite import show as schema
from botequim.storage.sqlite.show import SqliteVisibilityStore
from botequim.storage.values import StoredFault, StoredSeries
from botequim.storage.visibility import Visibility
from tests.support.cup_commands import Captured, cup, run
from tests.support.cup_files import results_file
from tests.support.pace import PATIENCE
from tests.support.terminal import terminal

TWO_STAGES = (
    '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 3\n'
    '[[stages]]\nname = "finals"\nfrom = "league"\ntop = 2\nformat = "knockout"\nbest_of = 3\n'
)
FOUR = {"a": "greedy", "b": "random", "c": "greedy", "d": "random"}


def series(number: int, letters: str, stage: str = "league", key: str = "") -> StoredSeries:
    games = tuple(GameResult((1, 2) if letter == "a" else (2, 1), "domino") for letter in letters)
    return StoredSeries(number, stage, SeriesResult(key or f"a | b {number}", ("a", "b"), games), 1.0)


PLAYED = (series(1, "aab"), series(2, "bb"), series(4, "a"), series(5, "ab", "finals"))


# --- the number -----------------------------------------------------------------------------------


def test_all_is_public_where_nothing_is_held() -> None:
    curtain = Visibility(PLAYED)
    assert not curtain.held
    assert not curtain.hides
    assert [one.whole for one in curtain.public] == [True] * 4
    assert [(game.series.number, game.number) for game in curtain.games()] == [
        (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (4, 0), (5, 0), (5, 1)
    ]  # fmt: skip
    assert (curtain.next_game(), curtain.rest_of_series(), curtain.rest_of_stage()) == (None, None, None)
    assert curtain.seconds("league") == (3, 3.0)


def test_a_series_counts_when_all_of_it_is_public() -> None:
    curtain = Visibility(PLAYED, 4)
    assert list(curtain.results()["league"]) == ["a | b 1"]
    partly = curtain.partly()
    assert partly is not None
    assert (partly.number, len(partly.result.games), partly.whole) == (2, 1, False)
    assert curtain.sees("league", "a | b 2", 0)
    assert not curtain.sees("league", "a | b 2", 1)
    assert not curtain.sees("finals", "a | b 5", 0)
    assert curtain.series(3) is None, "there is none"
    assert curtain.series(4) is None, "there is one, and nobody is told"
    assert curtain.visible == 4


@pytest.mark.parametrize(
    ("shown", "game", "rest", "stage"),
    [(0, 1, 3, 6), (2, 3, 3, 6), (3, 4, 5, 6), (5, 6, 6, 6), (6, 7, 8, 8), (8, None, None, None)],
)
def test_what_is_next(shown: int, game: int | None, rest: int | None, stage: int | None) -> None:
    curtain = Visibility(PLAYED, shown)
    assert (curtain.next_game(), curtain.rest_of_series(), curtain.rest_of_stage()) == (game, rest, stage)


def test_more_may_be_shown_than_was_played() -> None:
    curtain = Visibility(PLAYED, 100)
    assert curtain.held
    assert curtain.visible == 8
    assert curtain.next_game() is None


# --- nothing later shows --------------------------------------------------------------------------


def public(cup: Cup, curtain: Visibility, stored: Sequence[StoredFault]) -> Any:
    """Everything that is made of the public cup."""
    progress = cup.state("seed", curtain.results())
    return (
        curtain.public,
        curtain.partly(),
        curtain.visible,
        curtain.faults(stored),
        [curtain.seconds(plan.name) for plan in cup.plans],
        [progress.standings(plan.name) for plan in cup.plans],
        [progress.pairings(plan.name) for plan in cup.plans],
        [series_labels(progress, plan.name) for plan in cup.plans],
        progress.overall(),
        progress.over,
    )


def simulated_series(
    cup: Cup, letters: Sequence[int], before: Sequence[StoredSeries] = ()
) -> list[StoredSeries]:
    """A cup whose games end as the numbers say, after what was played before."""
    played = list(before)
    coming = iter(letters)
    while True:
        results: dict[str, dict[str, SeriesResult]] = {}
        for one in played:
            results.setdefault(one.stage, {})[one.result.key] = one.result
        progress = cup.state("seed", results)
        waiting = [(plan.name, one) for plan in cup.plans for one in progress.pairings(plan.name)]
        drawn = next(coming, None)
        if not waiting or drawn is None:
            return played
        stage, pairing = waiting[drawn % len(waiting)]
        games: list[GameResult] = []
        while not pairing.over(games):
            luck = next(coming, 0)
            games.append(GameResult((1, 2) if luck % 2 else (2, 1), "domino", (luck % 3, 0)))
        played.append(StoredSeries(len(played) + 1, stage, pairing.result(games), float(drawn)))


def faults(played: Sequence[StoredSeries]) -> list[StoredFault]:
    return [
        StoredFault(one.stage, one.result.key, number, 1, 0, one.result.entrants[0], "timeout", "{}")
        for one in played
        for number, game in enumerate(one.result.games)
        if game.faults[0]
    ]


@pytest.fixture(scope="module")
def two_stages(tmp_path_factory: pytest.TempPathFactory) -> Cup:
    return read(cup(tmp_path_factory.mktemp("cup") / "c.toml", FOUR, stages=TWO_STAGES))


LUCK = st.lists(st.integers(0, 1000), max_size=60)


@given(first=LUCK, second=LUCK, shown=st.integers(0, 30))
@settings(max_examples=200, deadline=None)
def test_no_later_result_changes_anything_public(
    two_stages: Cup, first: list[int], second: list[int], shown: int
) -> None:
    real = simulated_series(two_stages, first)
    whole = [one for one in Visibility(real, shown).public if one.whole]
    other = simulated_series(two_stages, second, real[: len(whole)])
    partly = Visibility(real, shown).partly()
    if partly is not None:  # the same series up to what is public, and another end of it
        cut = real[len(whole)]
        games = [*partly.result.games, *(GameResult((2, 1), "blocked", (9, 9)) for _ in range(2))]
        other = [
            *real[: len(whole)],
            StoredSeries(cut.number, cut.stage, SeriesResult(partly.key, cut.result.entrants, tuple(games))),
        ]
    elif Visibility(real, shown).visible < shown:
        return  # all is public, and the other cup has more of it
    assert public(two_stages, Visibility(real, shown), faults(real)) == public(
        two_stages, Visibility(other, shown), faults(other)
    )


@given(luck=LUCK, shown=st.integers(0, 30))
@settings(max_examples=100, deadline=None)
def test_revealing_adds_and_never_takes(two_stages: Cup, luck: list[int], shown: int) -> None:
    played = simulated_series(two_stages, luck)
    now = Visibility(played, shown)
    for to in (now.next_game(), now.rest_of_series(), now.rest_of_stage()):
        if to is None:
            assert not now.hides
            continue
        then = Visibility(played, to)
        assert then.visible == to > shown
        places = [(game.series.number, game.number) for game in then.games()]
        assert places[:shown] == [(game.series.number, game.number) for game in now.games()]
    if (end := now.rest_of_series()) is not None:
        assert Visibility(played, end).partly() is None


# --- the file -------------------------------------------------------------------------------------


def shown_in(path: Path) -> int | None:
    return open_storage(path.parent).shown_games()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.cup" / "show.sqlite"


def test_two_who_press_next_reveal_one_game(path: Path) -> None:
    SqliteVisibilityStore.open(path).close()
    with SqliteVisibilityStore.open(path) as show:
        show.hold(at=0)
    ready = threading.Barrier(8)
    revealed: list[bool] = []

    def press() -> None:
        with SqliteVisibilityStore.open(path) as show:
            before = show.shown or 0
            ready.wait(PATIENCE)
            revealed.append(show.reveal(before + 1, expected=before))

    threads = [threading.Thread(target=press) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(revealed) == [False] * 7 + [True]
    assert shown_in(path) == 1


def test_many_may_make_it_at_once(path: Path) -> None:
    ready = threading.Barrier(6)
    failed: list[BaseException] = []

    def begin() -> None:
        try:
            ready.wait(PATIENCE)
            with SqliteVisibilityStore.open(path) as show:
                show.hold(at=0)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=begin) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert shown_in(path) == 0


def test_who_cannot_know_shows_nothing(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"certainly not a database, but long enough to look like one" * 20)
    with pytest.raises(BotequimError, match="damaged"):
        shown_in(path)
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(InputError, match="written by a newer Botequim"):
        shown_in(path)
    with pytest.raises(InputError, match="written by a newer Botequim"):
        SqliteVisibilityStore.open(path)


def test_readers_need_no_newer_tables(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SqliteVisibilityStore.open(path) as show:
        show.hold(at=5)
    newer = (*schema.MIGRATIONS, "CREATE TABLE guests (code TEXT); CREATE INDEX by_guest ON guests (code)")
    monkeypatch.setattr(schema, "MIGRATIONS", newer)
    assert shown_in(path) == 5
    with SqliteVisibilityStore.open(path) as show:
        assert show.shown == 5
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT code FROM guests").fetchall() == []


# --- at the terminal ------------------------------------------------------------------------------


@pytest.fixture
def held_cup(tmp_path: Path, capsys: Captured) -> Path:
    path = cup(tmp_path / "c.toml", FOUR, stages=TWO_STAGES)
    code, out, err = run(capsys, "run", str(path), "--hold", "--workers", "1")
    assert code == 0
    assert "Copa is private: 0 games are revealed" in out
    assert not any(name in out + err for name in ("points", "won", "1. ", "# "))
    return path


def test_the_terminal_of_a_held_run_shows_how_far_it_is(tmp_path: Path) -> None:
    names = {"Amalia": "greedy", "Bento": "random", "Carmo": "greedy"}
    path = cup(tmp_path / "c.toml", names, stages=TWO_STAGES.replace("games = 3", "games = 400"))
    with terminal("cup", "run", str(path), "--hold", "--workers", "1", state=tmp_path) as screen:
        screen.until("0 games are revealed")
        screen.process.wait(PATIENCE)
        seen = screen.raw.decode()
    assert re.search(r"(league|finals): \d of \d series", seen)
    assert not any(f"{name} │" in seen or "points" in seen for name in names)


def status(path: Path, capsys: Captured, *words: str) -> Any:
    return json.loads(run(capsys, "status", str(path), "--json", *words)[1])


def test_a_held_run_tells_no_result(held_cup: Path, capsys: Captured) -> None:
    told = status(held_cup, capsys)
    assert told["held"]
    assert not told["over"]
    assert [stage["series"] for stage in told["stages"]] == [0, 0]
    assert told["stages"][1]["standings"] is None, "nobody knows who is in the final"
    out = run(capsys, "status", str(held_cup))[1]
    assert "played 0 series in 0 s, not over" in out
    assert "private: 0 games are revealed" in out
    everything = status(held_cup, capsys, "--unrevealed")
    assert everything["over"]
    assert [stage["series"] for stage in everything["stages"]] == [6, 1]


def test_it_is_revealed_game_by_game(held_cup: Path, capsys: Captured) -> None:
    code, out, _ = run(capsys, "reveal", str(held_cup))
    assert code == 0
    assert "game 1: " in out
    assert "game 2: " not in out
    assert "1 game is revealed" in out
    assert status(held_cup, capsys)["stages"][0]["series"] == 0, "a series counts as a whole"
    assert "game 3: " in run(capsys, "reveal", str(held_cup), "series")[1]
    assert status(held_cup, capsys)["stages"][0]["series"] == 1
    run(capsys, "reveal", str(held_cup), "stage")
    told = status(held_cup, capsys)
    assert [stage["series"] for stage in told["stages"]] == [6, 0]
    assert told["stages"][1]["standings"] is not None
    assert not told["over"]
    run(capsys, "reveal", str(held_cup), "stage")
    told = status(held_cup, capsys)
    assert told["over"]
    assert told["stages"] == status(held_cup, capsys, "--unrevealed")["stages"]
    assert "Everything played so far is public" in run(capsys, "reveal", str(held_cup))[1]


def test_a_cup_is_frozen_and_opened(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", FOUR, stages=TWO_STAGES)
    assert run(capsys, "run", str(path), "--stage", "league")[0] == 0
    code, _, err = run(capsys, "reveal", str(path))
    assert code == 2
    assert "is already public" in err
    assert "18 games are revealed" in run(capsys, "hold", str(path))[1]
    before = status(path, capsys)
    code, out, _ = run(capsys, "run", str(path))
    assert code == 0
    assert "Copa is private: 18 games are revealed" in out
    assert status(path, capsys) == before
    assert "everything is public" in run(capsys, "open", str(path))[1]
    assert status(path, capsys)["over"]
    assert not status(path, capsys)["held"]


def test_a_cup_can_be_held_before_it_begins(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", FOUR)
    assert "0 games are revealed" in run(capsys, "hold", str(path))[1]
    assert run(capsys, "run", str(path), "--quiet")[0] == 0
    assert status(path, capsys)["stages"][0]["series"] == 0


def _files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("shown", [0, 3, 8, 18, 19])
def test_a_report_is_as_if_no_more_had_been_played(held_cup: Path, shown: int, capsys: Captured) -> None:
    """Its store is compared with one in which all that is not public never was."""
    home = CupPaths.of(held_cup)
    with home.storage.open_visibility() as show:
        show.reveal(shown)
    less = held_cup.parent / "less" / "c.toml"
    less.parent.mkdir()
    shutil.copy(held_cup, less)
    shutil.copytree(home.folder, CupPaths.of(less).folder)
    with home.storage.open_results() as store:
        whole = [one.number for one in Visibility.of(store, home.storage).public if one.whole]
    connection = sqlite3.connect(results_file(less))
    last = max(whole, default=0)
    for table in ("games", "faults", "checksums"):
        connection.execute(
            f"DELETE FROM {table} WHERE (stage, key) IN (SELECT stage, key FROM series WHERE number > ?)",
            (last,),
        )
    connection.execute("DELETE FROM series WHERE number > ?", (last,))
    connection.commit()
    connection.close()
    folders = []
    for path in (held_cup, less):
        folders.append(path.parent / "out")
        assert run(capsys, "report", str(path), "--to", str(folders[-1]), "--replays", "2")[0] == 0
    assert _files(folders[0]) == _files(folders[1])
    match, mismatch, errors = filecmp.cmpfiles(folders[0], folders[1], _files(folders[0]), shallow=False)
    assert (mismatch, errors) == ([], [])
    assert match


def test_a_bundle_waits_until_all_is_revealed(held_cup: Path, capsys: Captured) -> None:
    bundle = held_cup.parent / "b.zip"
    words = ["report", str(held_cup), "--replays", "0", "--bundle", str(bundle)]
    code, _, err = run(capsys, *words)
    assert code == 2
    assert "some games are not revealed" in err
    assert not bundle.exists()
    assert run(capsys, *words, "--unrevealed")[0] == 0
    bundle.unlink()
    assert _files(CupPaths.of(held_cup).folder / "report") == []
    assert "public/index.html" in _files(CupPaths.of(held_cup).folder / "report-unrevealed")
    for _ in range(2):
        run(capsys, "reveal", str(held_cup), "stage")
    assert run(capsys, *words)[0] == 0
    assert main(["verify", str(bundle)]) == 0


def test_watching_follows_the_curtain(held_cup: Path, capsys: Captured) -> None:
    for _ in range(2):
        run(capsys, "reveal", str(held_cup))
    assert main(["watch", str(held_cup), "-s", "0", "-n", "2"]) == 0
    seen = capsys.readouterr().out
    assert seen.count("Copa, league:") == 2
    assert ", game 1" in seen
    assert ", game 2" in seen
    assert main(["watch", str(held_cup), "-s", "0", "--unrevealed"]) == 0
    assert "Copa, finals:" in capsys.readouterr().out
    run(capsys, "open", str(held_cup))
    assert main(["watch", str(held_cup), "-s", "0"]) == 0
    assert "Copa, finals:" in capsys.readouterr().out
