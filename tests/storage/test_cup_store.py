"""A cup's memory: whole series or none, once each, whatever happens to the file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from botequim.core.errors import BotequimError, InputError
from botequim.core.results import GameResult, SeriesResult
from botequim.storage import open_storage
from botequim.storage.errors import StoreBusy
from botequim.storage.sqlite import LIVE
from botequim.storage.sqlite import cup as storing
from botequim.storage.sqlite.cup import SqliteCupStore
from botequim.storage.sqlite.database import connect
from botequim.storage.values import FinishedSeries, StoredFault, StoredGame

LINES = ['{"botequim":1}', '{"outcome":{},"digest":"d1"}']


def finished_series(key: str = "a | b", stage: str = "league") -> FinishedSeries:
    games = (GameResult((1, 2), "domino"), GameResult((1, 1), "blocked", (0, 1)))
    note = StoredFault(stage, key, 1, 7, 2, "b", "timeout", '{"kind":"timeout"}')
    result = SeriesResult(key, ("a", "b"), games)
    return FinishedSeries(
        stage, result, (StoredGame.from_lines(LINES), StoredGame.from_lines(LINES)), (note,), 1.5
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.cup" / "cup.sqlite"


def test_what_was_stored_is_there_again(path: Path) -> None:
    with SqliteCupStore.open(path, write=True) as store:
        store.put_facts({"seed": "7", "name": "copa"})
        store.pin_entrant("a", {"digest": "x"})
        store.add_series(finished_series())
        store.add_series(finished_series("c | d", "finals"))
    with SqliteCupStore.open(path) as store:
        assert store.fact("seed") == "7"
        assert store.fact("nothing") is None
        assert store.entrants() == {"a": {"digest": "x"}}
        assert store.results() == {
            "league": {"a | b": finished_series().result},
            "finals": {"c | d": finished_series("c | d").result},
        }  # fmt: skip
        assert store.record("league", "a | b", 1) == LINES
        assert store.record("league", "a | b", 2) is None
        assert len(list(store.records())) == 4
        assert store.faults("b") == [*finished_series().faults, *finished_series("c | d", "finals").faults]
        assert store.faults("a") == []


def test_a_series_is_stored_once(path: Path) -> None:
    with SqliteCupStore.open(path, write=True) as store:
        store.add_series(finished_series())
        assert not store.add_series(finished_series())
        assert len(store.faults()) == 1, "nothing of the second is left"


def test_a_series_is_there_as_a_whole_or_not_at_all(path: Path) -> None:
    broken = finished_series()
    bad = FinishedSeries(broken.stage, broken.result, (*broken.games, object()), broken.faults, 1.0)  # type: ignore[arg-type]
    with SqliteCupStore.open(path, write=True) as store:
        with pytest.raises(AttributeError):
            store.add_series(bad)
        assert store.results() == {}
        assert list(store.records()) == []
        store.add_series(broken)


def test_one_writes_and_others_read(path: Path) -> None:
    with SqliteCupStore.open(path, write=True) as store:
        with pytest.raises(InputError, match="is playing this cup"):
            SqliteCupStore.open(path, write=True)
        with SqliteCupStore.open(path) as reader:
            assert reader.results() == {}
            store.add_series(finished_series())
            assert len(reader.results()["league"]) == 1
    SqliteCupStore.open(path, write=True).close()


def test_nothing_to_read_yet(path: Path) -> None:
    with pytest.raises(InputError, match="no games have been played yet"):
        SqliteCupStore.open(path)


def test_a_file_that_is_no_store(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"certainly not a database, but long enough to look like one" * 20)
    with pytest.raises(BotequimError, match="not a file of a cup, or it is damaged"):
        SqliteCupStore.open(path)


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "c.cup").write_text("in the way")
    with pytest.raises(InputError, match="cannot be used"):
        SqliteCupStore.open(tmp_path / "c.cup" / "cup.sqlite", write=True)


def test_a_locked_database_is_said_to_be_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "connect", lambda path: connect(path, wait=0.1))
    with SqliteCupStore.open(path, write=True) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BotequimError, match=r"is locked by another program\. Finished series are stored"):
            store.add_series(finished_series())
        other.execute("ROLLBACK")
        other.close()
        store.add_series(finished_series())


def test_a_full_disk_loses_nothing(path: Path) -> None:
    with SqliteCupStore.open(path, write=True) as store:
        store.add_series(finished_series())
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        big = finished_series("c | d")
        note = StoredGame("d", bytes(500_000))
        with pytest.raises(BotequimError, match=r"the disk is full\. Finished series are stored"):
            store.add_series(FinishedSeries(big.stage, big.result, (note, note), (), 1.0))
        assert list(store.results()["league"]) == ["a | b"]


def test_an_older_form_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SqliteCupStore.open(path, write=True) as store:
        store.add_series(finished_series())
    newer = (*storing.MIGRATIONS, "ALTER TABLE series ADD COLUMN note TEXT")
    monkeypatch.setattr(storing, "MIGRATIONS", newer)
    SqliteCupStore.open(path).close()
    monkeypatch.setattr(storing, "OLDEST_READABLE", len(newer))
    with pytest.raises(InputError, match="has an old schema"):
        SqliteCupStore.open(path)
    SqliteCupStore.open(path, write=True).close()
    with SqliteCupStore.open(path) as store:
        assert list(store.results()["league"]) == ["a | b"]
    monkeypatch.setattr(storing, "MIGRATIONS", newer[:-1])
    with pytest.raises(InputError, match="written by a newer Botequim"):
        SqliteCupStore.open(path)


def test_a_reader_that_must_not_wait_says_that_live_games_are_locked(tmp_path: Path) -> None:
    storage = open_storage(tmp_path)
    storage.open_live_writer().close()
    with closing(sqlite3.connect(tmp_path / LIVE, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        with storage.open_live(wait=0) as live:
            assert live.run() is not None
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(StoreBusy):
                live.run()
            assert live.has_changed()
            other.execute("ROLLBACK")
            assert live.run() is not None
