"""A cup's memory: whole series or none, once each, whatever happens to the file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from botequim.core.errors import BotequimError, InputError
from botequim.cup import store as storing
from botequim.cup.pairing import GameResult, Result
from botequim.cup.store import FaultNote, Finished, GameNote, Store

LINES = ['{"botequim":1}', '{"outcome":{},"digest":"d1"}']


def finished(key: str = "a | b", stage: str = "league") -> Finished:
    games = (GameResult((1, 2), "domino"), GameResult((1, 1), "blocked", (0, 1)))
    note = FaultNote(1, 7, 2, "b", "timeout", '{"kind":"timeout"}')
    result = Result(key, ("a", "b"), games)
    return Finished(stage, result, (GameNote.of(LINES), GameNote.of(LINES)), (note,), 1.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.cup" / "cup.sqlite"


def test_what_was_stored_is_there_again(path: Path) -> None:
    with Store.open(path, write=True) as store:
        store.put({"seed": "7", "name": "copa"})
        store.pin("a", {"digest": "x"})
        store.add(finished())
        store.add(finished("c | d", "finals"))
    with Store.open(path) as store:
        assert store.get("seed") == "7"
        assert store.get("nothing") is None
        assert store.entrants() == {"a": {"digest": "x"}}
        assert store.results() == {
            "league": {"a | b": finished().result}, "finals": {"c | d": finished("c | d").result}
        }  # fmt: skip
        assert store.record("league", "a | b", 1) == LINES
        assert store.record("league", "a | b", 2) is None
        assert len(list(store.records())) == 4
        assert len(list(store.records("finals"))) == 2
        assert store.faults("b") == [
            ("league", "a | b", finished().faults[0]), ("finals", "c | d", finished().faults[0])
        ]  # fmt: skip
        assert store.faults("a") == []
        assert store.seconds("league") == (1, 1.5)


def test_a_series_is_stored_once(path: Path) -> None:
    with Store.open(path, write=True) as store:
        store.add(finished())
        with pytest.raises(BotequimError, match="there already"):
            store.add(finished())
        assert len(store.faults()) == 1, "nothing of the second is left"


def test_a_series_is_there_as_a_whole_or_not_at_all(path: Path) -> None:
    broken = finished()
    bad = Finished(broken.stage, broken.result, (*broken.games, object()), broken.faults, 1.0)  # type: ignore[arg-type]
    with Store.open(path, write=True) as store:
        with pytest.raises(AttributeError):
            store.add(bad)
        assert store.results() == {}
        assert list(store.records()) == []
        store.add(broken)


def test_one_writes_and_others_read(path: Path) -> None:
    with Store.open(path, write=True) as store:
        with pytest.raises(InputError, match="being played just now"):
            Store.open(path, write=True)
        with Store.open(path) as reader:
            assert reader.results() == {}
            store.add(finished())
            assert len(reader.results()["league"]) == 1
    Store.open(path, write=True).close()


def test_nothing_to_read_yet(path: Path) -> None:
    with pytest.raises(InputError, match="nothing has been played yet"):
        Store.open(path)


def test_a_file_that_is_no_store(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"certainly not a database, but long enough to look like one" * 20)
    with pytest.raises(BotequimError, match="not a cup's store, or is damaged"):
        Store.open(path)


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "c.cup").write_text("in the way")
    with pytest.raises(InputError, match="cannot be used"):
        Store.open(tmp_path / "c.cup" / "cup.sqlite", write=True)


def test_a_locked_database_is_said_to_be_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "BUSY_SECONDS", 0.1)
    with Store.open(path, write=True) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BotequimError, match="is locked by another program; what was played stays"):
            store.add(finished())
        other.execute("ROLLBACK")
        other.close()
        store.add(finished())


def test_a_full_disk_loses_nothing(path: Path) -> None:
    with Store.open(path, write=True) as store:
        store.add(finished())
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        big = finished("c | d")
        note = GameNote("d", bytes(500_000))
        with pytest.raises(BotequimError, match="the disk is full; what was played stays"):
            store.add(Finished(big.stage, big.result, (note, note), (), 1.0))
        assert list(store.results()["league"]) == ["a | b"]


def test_an_older_form_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(path, write=True) as store:
        store.add(finished())
    newer = (*storing.MIGRATIONS, "ALTER TABLE series ADD COLUMN note TEXT")
    monkeypatch.setattr(storing, "MIGRATIONS", newer)
    Store.open(path).close()
    monkeypatch.setattr(storing, "OLDEST_READABLE", len(newer))
    with pytest.raises(InputError, match="of an older form"):
        Store.open(path)
    Store.open(path, write=True).close()
    with Store.open(path) as store:
        assert list(store.results()["league"]) == ["a | b"]
    monkeypatch.setattr(storing, "MIGRATIONS", newer[:-1])
    with pytest.raises(InputError, match="written by a newer Botequim"):
        Store.open(path)
