"""A database that goes away while a coordinator writes, and what the coordinator finds when it is back."""

from __future__ import annotations

import secrets
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.core.messages import Message
from botequim.core.results import GameResult, SeriesResult
from botequim.storage import open_storage
from botequim.storage.address import StoreAddress
from botequim.storage.errors import DamagedStore, StaleCoordinator, StoreLost
from botequim.storage.postgres import coordinator
from botequim.storage.postgres.connection import lock_number
from botequim.storage.postgres.cup import PostgresCupStore
from botequim.storage.protocol import CupStorage
from botequim.storage.values import FinishedSeries, StoredFault, StoredGame
from botequim.testing import ManualClock
from tests.support.postgres import PostgresServer, start_server

LINES = ['{"botequim":1}', '{"outcome":{},"digest":"d1"}']


def finished(key: str) -> FinishedSeries:
    fault = StoredFault("league", key, 0, 7, 1, "b", "timeout", '{"kind":"timeout","log":"ação \\u0000"}')
    result = SeriesResult(key, ("a", "b"), (GameResult((1, 2), "won"),))
    return FinishedSeries("league", result, (StoredGame.from_lines(LINES),), (fault,), 1.1)


def storage_at(url: str) -> CupStorage:
    return open_storage(Path("c.cup"), StoreAddress(url, f"c-{secrets.token_hex(8)}"))


@pytest.fixture
def storage(shared_url: str) -> CupStorage:
    return storage_at(shared_url)


@pytest.fixture
def mortal(monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresServer]:
    """Start a server that the test may kill. What it confirms survives that."""
    monkeypatch.setattr(coordinator, "LOCK_SECONDS", 0.2)
    with start_server({"synchronous_commit": "on"}) as server:
        yield server


class Pauses:
    """Takes the place of the pauses between attempts to connect, and lets something happen in one of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds: list[float] = []
        self.said: list[Message] = []
        self._events: dict[int, Callable[[], None]] = {}
        monkeypatch.setattr(coordinator, "pause", self._pause)

    def at(self, number: int, event: Callable[[], None]) -> None:
        """Call this in the so many-th pause, from 1."""
        self._events[number] = event

    def _pause(self, seconds: float) -> None:
        self.seconds.append(seconds)
        assert len(self.seconds) < 100, "it waits for something that does not come"
        self._events.get(len(self.seconds), lambda: None)()

    def texts(self) -> list[str]:
        return [str(message) for message in self.said]


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> Pauses:
    return Pauses(monkeypatch)


class LosingConnection:
    """A connection that is lost at the end of a transaction: just before the commit, or just after it."""

    def __init__(self, store: PostgresCupStore, *, committed: bool) -> None:
        self._real = store._connection
        self._committed = committed
        store._connection = self  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def transaction(self) -> AbstractContextManager[None]:
        return self._losing()

    @contextmanager
    def _losing(self) -> Iterator[None]:
        with self._real.transaction():
            yield
            if not self._committed:
                self._real.close()
        self._real.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")


def end_connection(store: PostgresCupStore, postgres: PostgresServer) -> None:
    """Let the server end the connection of one store."""
    pid = store.connection.info.backend_pid
    assert postgres.execute("postgres", f"SELECT pg_terminate_backend({pid}, 60000)") == [(True,)]


def open_coordinator(storage: CupStorage, pauses: Pauses) -> PostgresCupStore:
    store = storage.open_results(write=True)
    assert isinstance(store, PostgresCupStore)
    store.wait_through_outages(pauses.said.append)
    return store


def numbers(storage: CupStorage) -> dict[str, int]:
    """Return the number of every series, after everything was compared with its checksum."""
    with storage.open_results(check=True) as store:
        return {one.result.key: one.number for one in store.series()}


# --- however long it takes ---------------------------------------------------------------------------


def test_a_write_waits_however_long_the_server_is_away(mortal: PostgresServer, pauses: Pauses) -> None:
    storage = storage_at(mortal.url("postgres"))
    with open_coordinator(storage, pauses) as store:
        store.add_series(finished("a | b"))
        mortal.stop(signal.SIGKILL)
        pauses.at(20, mortal.start)
        assert store.add_series(finished("b | c"))
        assert pauses.seconds == [1, 2, 4, 8, *[15] * 16]
        lost, back = pauses.texts()
        assert "the connection to the database was lost" in lost
        assert "the cup waits for it. Ctrl-C stops, and the same command continues it later" in lost
        assert "the database is back" in back

        mortal.stop(signal.SIGKILL)
        pauses.at(21, mortal.start)
        store.put_facts({"rounds": "[]"})
        assert store.fact("rounds") == "[]"
        assert pauses.seconds[20:] == [1], "another outage begins with a short pause"
        assert len(pauses.said) == 4
    assert numbers(storage) == {"a | b": 1, "b | c": 2}


def test_a_write_of_which_nobody_is_told_gives_up(mortal: PostgresServer, pauses: Pauses) -> None:
    storage = storage_at(mortal.url("postgres"))
    with storage.open_results(write=True) as store, clock.use_clock(ManualClock()) as manual:
        mortal.stop(signal.SIGKILL)
        pauses.at(3, lambda: manual.advance(coordinator.UNREPORTED_SECONDS))
        with pytest.raises(StoreLost):
            store.add_series(finished("a | b"))
    assert len(pauses.seconds) == 3


def test_a_server_that_is_away_at_the_start_is_an_error_at_once(
    mortal: PostgresServer, pauses: Pauses
) -> None:
    storage = storage_at(mortal.url("postgres"))
    mortal.stop(signal.SIGKILL)
    with pytest.raises(StoreLost, match="cannot be reached"):
        storage.open_results(write=True)
    assert pauses.seconds == []


def test_a_connection_that_comes_back_at_once_is_not_worth_a_word(
    postgres: PostgresServer, storage: CupStorage, pauses: Pauses
) -> None:
    with open_coordinator(storage, pauses) as store:
        end_connection(store, postgres)
        assert store.add_series(finished("a | b"))
        assert (pauses.seconds, pauses.said) == ([], [])


def test_a_connection_is_lost_between_the_statements_of_a_transaction(
    postgres: PostgresServer, storage: CupStorage, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_coordinator(storage, pauses) as store:
        inserted = store.insert_series

        def insert_and_lose(rows: Any) -> None:
            inserted(rows)
            monkeypatch.undo()
            end_connection(store, postgres)

        monkeypatch.setattr(store, "insert_series", insert_and_lose)
        assert store.add_series(finished("a | b"))
        assert store.add_series(finished("b | c"))
    assert numbers(storage) == {"a | b": 1, "b | c": 2}


def test_a_server_that_refuses_us_says_why(mortal: PostgresServer, pauses: Pauses) -> None:
    """Somebody may have to act: the message of the outage does not say what is wrong now."""
    name = mortal.new_database()
    other = f"gone_{name}"

    def rename(old: str, new: str) -> None:
        mortal.execute("postgres", f"ALTER DATABASE {old} RENAME TO {new}")

    with open_coordinator(storage_at(mortal.url(name)), pauses) as store:
        end_connection(store, mortal)
        rename(name, other)
        pauses.at(3, lambda: rename(other, name))
        assert store.add_series(finished("a | b"))
    lost, why, back = pauses.texts()
    assert "the cup waits" in lost
    assert "there is no such database" in why
    assert "is back" in back


def test_an_error_that_would_come_again_is_raised_at_once(storage: CupStorage, pauses: Pauses) -> None:
    """PostgreSQL calls this an operational error, too: the key does not fit into the index."""
    key = "".join(secrets.token_hex(1000) for _ in range(5))
    with open_coordinator(storage, pauses) as store:
        with pytest.raises(BotequimError, match="index row") as raised:
            store.add_series(finished(key))
        assert not isinstance(raised.value, StoreLost)
        assert store.add_series(finished("a | b"))
    assert numbers(storage) == {"a | b": 1}


# --- neither twice nor lost --------------------------------------------------------------------------


@pytest.mark.parametrize("committed", [True, False])
def test_a_commit_that_was_not_confirmed_is_neither_lost_nor_repeated(
    storage: CupStorage, pauses: Pauses, committed: bool
) -> None:
    with open_coordinator(storage, pauses) as store:
        LosingConnection(store, committed=committed)
        assert store.add_series(finished("a | b")), "it was stored by this call"
        assert store.add_series(finished("b | c"))
        LosingConnection(store, committed=committed)
        store.put_facts({"rounds": "[[]]"})
        assert store.fact("rounds") == "[[]]"
        assert [fault.key for fault in store.faults()] == ["a | b", "b | c"]
        assert store.count_games() == 2
    assert numbers(storage) == {"a | b": 1, "b | c": 2}


@pytest.mark.parametrize("part", ["result", "games", "faults", "seconds"])
def test_a_series_that_is_stored_with_other_content_is_an_error(
    storage: CupStorage, pauses: Pauses, part: str
) -> None:
    ours = finished("a | b")
    other = StoredGame.from_lines([LINES[0], LINES[1].replace("d1", "d2")])
    theirs = {
        "result": replace(ours, result=replace(ours.result, games=(GameResult((2, 1), "won"),))),
        "games": replace(ours, games=(other,)),
        "faults": replace(ours, faults=()),
        "seconds": replace(ours, seconds=9.0),
    }[part]
    with open_coordinator(storage, pauses) as store:
        store.add_series(theirs)
        assert not store.add_series(ours), "without an outage it is simply there"
        store.connection.close()
        with pytest.raises(DamagedStore, match="with other games") as damaged:
            store.add_series(ours)
        assert damaged.value.damage.series == (("league", "a | b"),)
        assert store.results()["league"]["a | b"] == theirs.result


def test_a_database_that_forgot_what_it_confirmed_is_noticed(
    storage: CupStorage, shared_url: str, pauses: Pauses
) -> None:
    """As after a restored backup: the missing series would never be played again in this run."""
    with open_coordinator(storage, pauses) as store:
        store.add_series(finished("a | b"))
        with closing(psycopg.connect(shared_url, autocommit=True)) as connection:
            statement = "UPDATE botequim.cups SET version = version - 1 WHERE id = %s"
            connection.execute(statement, (store.address.cup,))
        store.connection.close()
        with pytest.raises(DamagedStore, match="run the command again"):
            store.add_series(finished("b | c"))
    assert numbers(storage) == {"a | b": 1}


# --- who is the coordinator --------------------------------------------------------------------------


def test_a_coordinator_that_was_replaced_while_it_waited_stops(
    mortal: PostgresServer, pauses: Pauses
) -> None:
    storage = storage_at(mortal.url("postgres"))

    def take_over() -> None:
        mortal.start()
        with storage.open_results(write=True) as second:
            assert second.add_series(finished("x | y"))

    with open_coordinator(storage, pauses) as first:
        first.add_series(finished("a | b"))
        mortal.stop(signal.SIGKILL)
        pauses.at(2, take_over)
        with pytest.raises(StaleCoordinator, match="another coordinator has taken over"):
            first.add_series(finished("b | c"))
        with pytest.raises(StaleCoordinator):
            first.put_facts({"seed": "stolen"})
    assert len(pauses.seconds) == 2
    assert len(pauses.said) == 1, "for the first one, the database did not come back"
    assert numbers(storage) == {"a | b": 1, "x | y": 2}


def test_a_coordinator_waits_for_its_own_lock(
    postgres: PostgresServer, storage: CupStorage, shared_url: str, pauses: Pauses
) -> None:
    """The server may notice late that the last connection is lost; until then it keeps the lock."""
    with open_coordinator(storage, pauses) as store, closing(psycopg.connect(shared_url)) as old:
        number = (lock_number("coordinate", store.address.cup),)
        end_connection(store, postgres)
        old.execute("SELECT pg_advisory_lock(%s)", number)
        pauses.at(3, lambda: old.execute("SELECT pg_advisory_unlock(%s)", number).close())
        assert store.add_series(finished("a | b"))
        assert pauses.seconds == [1, 2, 4]
        assert len(pauses.said) == 2
