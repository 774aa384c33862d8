"""Stores in PostgreSQL: what other stores cannot do, or do not have to fear."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.results import GameResult, SeriesResult
from botequim.cup.live import LiveGames
from botequim.cup.live.writer import LiveCollector, StageProgress
from botequim.storage import open_storage
from botequim.storage.address import StoreAddress
from botequim.storage.errors import DamagedStore, StaleCoordinator, StoreLost
from botequim.storage.postgres import migrations, times, watch
from botequim.storage.protocol import CupStorage
from botequim.storage.values import FinishedSeries, LiveStage, LiveTurn, StoredFault, StoredGame
from botequim.testing import ManualClock
from tests import ROOT
from tests.support.pace import until
from tests.support.postgres import USER, PostgresServer

LINES = ['{"botequim":1}', '{"outcome":{},"digest":"d1"}']


def finished(key: str = "a | b", stage: str = "league") -> FinishedSeries:
    fault = StoredFault(stage, key, 0, 7, 1, "b", "timeout", '{"kind":"timeout"}')
    result = SeriesResult(key, ("a", "b"), (GameResult((1, 2), "won"),))
    return FinishedSeries(stage, result, (StoredGame.from_lines(LINES),), (fault,), 1.5)


def storage_at(url: str, cup: str = "") -> CupStorage:
    return open_storage(Path("c.cup"), StoreAddress(url, cup or f"c-{secrets.token_hex(8)}"))


@pytest.fixture
def storage(shared_url: str) -> CupStorage:
    return storage_at(shared_url)


def end_connections(postgres: PostgresServer, *, listening: bool = False) -> None:
    """End the connections of stores, as if the network had failed; or those that listen for changes."""
    condition = "LIKE" if listening else "NOT LIKE"
    database = postgres.databases[0]
    statement = (
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'botequim'"
        f" AND datname = '{database}' AND query {condition} '%version FROM live_runs%'"
    )
    assert postgres.execute("postgres", statement), "there was no connection to end"


# --- coordinators ------------------------------------------------------------------------------------


def test_a_coordinator_that_was_replaced_cannot_write(postgres: PostgresServer, storage: CupStorage) -> None:
    with storage.open_results(write=True) as old:
        old.add_series(finished("a | b"))
        end_connections(postgres)
        with storage.open_results(write=True) as new:
            with pytest.raises(StaleCoordinator):
                old.add_series(finished("b | c"))
            with pytest.raises(StaleCoordinator):
                old.put_facts({"seed": "stolen"})
            assert new.add_series(finished("c | d"))
            assert [one.result.key for one in new.series()] == ["a | b", "c | d"]
            assert new.fact("seed") is None


def test_a_coordinator_goes_on_when_its_connection_comes_back(
    postgres: PostgresServer, storage: CupStorage
) -> None:
    with storage.open_results(write=True) as store:
        store.add_series(finished("a | b"))
        end_connections(postgres)
        assert store.add_series(finished("b | c"))
        assert [one.number for one in store.series()] == [1, 2]
        with pytest.raises(InputError, match="another `botequim cup run`"):
            storage.open_results(write=True)


def test_live_games_of_a_coordinator_that_was_replaced_are_refused(storage: CupStorage) -> None:
    storage.open_results(write=True).close()
    with storage.open_live_writer() as old:
        storage.open_results(write=True).close()  # another term
        with pytest.raises(StaleCoordinator), old.transaction():
            old.begin_game("league", "a | b", 0, "{}", 1.0)
        with storage.open_live_writer() as new, new.transaction():
            new.begin_game("league", "a | b", 0, "{}", 1.0)
    with storage.open_live() as live:
        assert len(live.games()) == 1


def test_live_games_are_published_again_when_the_connection_comes_back(
    postgres: PostgresServer, storage: CupStorage
) -> None:
    storage.open_results(write=True).close()
    with LiveCollector(storage) as collector, storage.open_live() as live:

        def publish(finished: int) -> bool:
            collector.set_progress(StageProgress("league", finished, 9, ()))
            return live.stages() == [LiveStage("league", finished, 9)]

        until(lambda: publish(1))
        end_connections(postgres)
        until(lambda: publish(2))


def test_a_reader_says_that_the_connection_was_lost(postgres: PostgresServer, storage: CupStorage) -> None:
    storage.open_results(write=True).close()
    with storage.open_results() as reader:
        end_connections(postgres)
        with pytest.raises(StoreLost, match="the connection to the database was lost"):
            reader.series()
        assert not reader.is_current()


# --- what is stored ----------------------------------------------------------------------------------


def test_cups_in_one_database_do_not_see_each_other(shared_url: str) -> None:
    one, other = storage_at(shared_url), storage_at(shared_url)
    with one.open_results(write=True) as store, other.open_results(write=True) as beside:
        store.add_series(finished())
        beside.add_series(finished("x | y"))
        assert list(store.results()["league"]) == ["a | b"]
        assert [one.number for one in beside.series()] == [1]
    with one.open_visibility() as show:
        show.hold(at=0)
    assert other.shown_games() is None
    with one.open_votes() as votes:
        votes.add_codes(votes.add_contest("t", "codes", "single", "open", ["a"]), 1, ["SAME"])
    with other.open_votes() as votes:
        votes.add_codes(votes.add_contest("t", "codes", "single", "open", ["a"]), 1, ["SAME"])


def test_unknown_cups_are_named_with_the_known_ones(empty_url: str) -> None:
    with pytest.raises(InputError, match='no cup "x"'):
        storage_at(empty_url, "x").open_results()
    storage_at(empty_url, "rinha").open_results(write=True).close()
    with pytest.raises(InputError, match="cups in it: rinha"):
        storage_at(empty_url, "x").open_results()


def test_texts_that_postgresql_refuses_are_stored(storage: CupStorage) -> None:
    odd = "nul \0, half \ud800, whole \U0001f600"
    with storage.open_results(write=True) as store:
        store.put_facts({"file": odd})
        store.pin_entrant("a", {"command": odd})
        assert store.fact("file") == odd
        assert store.entrants() == {"a": {"command": odd}}
        assert store.faults(odd) == []
        assert store.record("league", odd, 0) is None
        assert store.fault("league", odd, 0, 7, 1) is None
    storage.open_results(check=True).close()
    with storage.open_votes() as votes:
        number = votes.add_contest(odd, "codes", "single", "open", ["a"])
        contest = votes.contest(number)
        assert contest is not None
        assert contest.title == odd
        assert votes.is_used(number, odd) is None
        assert not votes.has_voted(number, odd)


def test_the_language_of_the_database_does_not_change_the_order(postgres: PostgresServer) -> None:
    options = "TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'pt-BR'"
    name = postgres.new_database(options)
    keys = ["a | b", "B | c", "á | d", "Z | y", "a-b | c"]
    with storage_at(postgres.url(name)).open_results(write=True) as store:
        for key in keys:
            store.add_series(finished(key))
        assert [key for _, key, _, _ in store.records()] == sorted(keys)
    postgres.execute("postgres", f"DROP DATABASE {name} WITH (FORCE)")


def test_a_database_with_another_encoding_is_refused(postgres: PostgresServer) -> None:
    name = postgres.new_database("TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    with pytest.raises(InputError, match="createdb --encoding=UTF8"):
        storage_at(postgres.url(name)).open_results(write=True)
    postgres.execute("postgres", f"DROP DATABASE {name} WITH (FORCE)")


def test_rows_that_others_changed_are_noticed(empty_url: str) -> None:
    storage = storage_at(empty_url, "c")
    with storage.open_results(write=True) as store:
        store.put_facts({"seed": "7"})
        store.add_series(finished("a | b"))
        store.add_series(finished("c | d"))
    with closing(psycopg.connect(empty_url, autocommit=True)) as connection:
        connection.execute("UPDATE botequim.games SET record = record || '\\x00' WHERE key = 'c | d'")
    with pytest.raises(DamagedStore) as damaged:
        storage.open_results(check=True)
    assert damaged.value.damage.series == (("league", "c | d"),)
    with closing(psycopg.connect(empty_url, autocommit=True)) as connection:
        connection.execute("UPDATE botequim.facts SET value = '\"8\"'")
    with pytest.raises(DamagedStore) as damaged:
        storage.open_results(write=True, check=True)
    assert damaged.value.damage.facts == ("cup",)


@pytest.mark.parametrize("version", [1, 2])
def test_a_series_that_others_deleted_is_noticed(empty_url: str, version: int) -> None:
    storage = storage_at(empty_url, "c")
    with storage.open_results(write=True) as store:
        store.add_series(finished("a | b"))
        store.add_series(finished("c | d"))
    with closing(psycopg.connect(empty_url, autocommit=True)) as connection:
        if version == 1:  # as an earlier version wrote it
            connection.execute("DROP TABLE botequim.stored_series, botequim.requests")
            connection.execute("DELETE FROM botequim.migrations WHERE number > 1")
        storage.open_results(write=True, check=True).close()
        connection.execute("DELETE FROM botequim.series WHERE key = 'c | d'")
    for write in (False, True):
        with pytest.raises(DamagedStore) as damaged:
            storage.open_results(write=write, check=True)
        assert damaged.value.damage.series == (("league", "c | d"),)


@pytest.mark.parametrize("page", ["stores.md", "stores.pt-BR.md"])
def test_the_user_of_a_server_needs_the_rights_that_the_documentation_gives(
    empty_url: str, page: str
) -> None:
    storage_at(empty_url, "c").open_results(write=True).close()
    user = f"placar_{secrets.token_hex(4)}"
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    statements = text.partition("```sql")[2].partition("```")[0].replace("placar", user)
    with closing(psycopg.connect(empty_url, autocommit=True)) as connection:
        try:
            connection.execute(statements)
            storage = storage_at(empty_url.replace(f"//{USER}@", f"//{user}@"), "c")
            with storage.open_results(check=True) as store, storage.open_live() as live:
                assert (store.results(), live.games()) == ({}, [])
            with storage.open_visibility() as show:
                assert show.hold(at=0) == 0
            with storage.open_votes() as votes:
                number = votes.add_contest("t", "codes", "single", "open", ["a", "b"])
                votes.add_codes(number, 1, ["x", "y"])
                votes.remove_codes(["y"])
                with votes.transaction():
                    votes.use_code("x")
                    votes.add_voter(number, "m")
                    votes.add_ballot(number, [0])
                votes.set_phase(number, "closed")
                votes.erase_traces()
                assert votes.ballots(number) == [(0,)]
            with storage.open_requests() as opened:
                opened.answer_request(opened.add_request("{}", "waiting"), "refused", "{}")
            with storage.watch_results() as watched:
                assert watched.has_changed()
            with pytest.raises(InputError, match="may not do that"):
                storage.open_results(write=True)
        finally:
            connection.execute(f"DROP OWNED BY {user}; DROP ROLE {user}")


def test_a_closed_contest_does_not_tell_who_voted_for_whom(empty_url: str) -> None:
    """Rows that were written in one transaction have the same number, which PostgreSQL shows."""
    storage = storage_at(empty_url, "c")
    with storage.open_votes() as votes:
        number = votes.add_contest("t", "codes", "single", "open", ["a", "b"])
        votes.add_codes(number, 1, ["A", "B", "C"])
        for code in "AB":
            with votes.transaction():
                votes.use_code(code)
                votes.add_ballot(number, [0])
        votes.erase_traces()
    with closing(psycopg.connect(empty_url, autocommit=True)) as connection:
        query = "SELECT DISTINCT xmin::text FROM botequim."
        used, cast = (connection.execute(query + table).fetchall() for table in ("codes", "ballots"))
    assert len(used) == len(cast) == 1
    assert used != cast


def test_connections_are_used_again_but_not_if_the_server_ended_them(
    postgres: PostgresServer, storage: CupStorage
) -> None:
    storage.open_results(write=True).close()
    query = "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'botequim'"
    for _ in range(20):
        storage.open_votes().close()
        assert storage.has_results()
    (before,) = postgres.execute("postgres", query)
    assert before[0] <= 4
    end_connections(postgres)
    assert storage.has_results()
    assert storage.shown_games() is None


# --- migrations --------------------------------------------------------------------------------------


def test_several_programs_may_create_the_tables_at_the_same_time(empty_url: str) -> None:
    storages = [storage_at(empty_url, f"cup-{number}") for number in range(4)]
    threads = [threading.Thread(target=lambda one=one: one.open_votes().close()) for one in storages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(one.has_visibility() for one in storages)


def test_tables_are_brought_up_to_date_and_keep_their_rows(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = storage_at(empty_url, "c")
    with storage.open_results(write=True) as store:
        store.add_series(finished())
    later = (*migrations.MIGRATIONS, "ALTER TABLE cups ADD COLUMN colour text DEFAULT 'green'")
    monkeypatch.setattr(migrations, "MIGRATIONS", later)
    with pytest.raises(InputError, match="`botequim cup run` updates it"):
        storage.open_results()
    with storage.open_results(write=True) as store:
        assert store.count_games() == 1
    storage.open_results(check=True).close()
    monkeypatch.undo()
    with pytest.raises(InputError, match="written by a newer Botequim"):
        storage.open_results()
    with pytest.raises(InputError, match="written by a newer Botequim"):
        storage.open_results(write=True)


# --- watching ----------------------------------------------------------------------------------------


@pytest.fixture
def manual() -> Iterator[ManualClock]:
    with clock.use_clock(ManualClock()) as manual:
        yield manual


def test_a_notification_wakes_a_watch_without_any_query(storage: CupStorage, manual: ManualClock) -> None:
    """The clock stands still, so versions are not read again."""
    with storage.watch_results() as results, storage.open_results(write=True) as store:
        assert results.has_changed()
        for number in range(3):
            store.add_series(finished(f"{number} | x"))
            until(results.has_changed)
        assert not results.has_changed()


def test_a_lost_notification_is_found_by_the_slow_poll(
    storage: CupStorage, manual: ManualClock, postgres: PostgresServer
) -> None:
    storage.open_visibility().close()
    with storage.watch_visibility() as shown:
        assert shown.has_changed()
        assert not shown.has_changed()
        postgres.execute(postgres.databases[0], "UPDATE botequim.shows SET version = version + 1, shown = 3")
        assert not shown.has_changed()
        manual.advance(watch.POLL_SECONDS + 1)
        assert shown.has_changed()
        assert not shown.has_changed()


def test_a_watch_survives_the_loss_of_its_connection(
    storage: CupStorage, manual: ManualClock, postgres: PostgresServer, shared_url: str
) -> None:
    storage_at(shared_url).open_results(write=True).close()  # there are tables, so the watch reads versions
    with storage.watch_results() as results:
        assert results.has_changed()
        end_connections(postgres, listening=True)
        with storage.open_results(write=True) as store:
            store.add_series(finished())

        def changed_later() -> bool:
            manual.advance(watch.POLL_SECONDS + 1)
            return results.has_changed()

        until(changed_later)
        assert not changed_later()


def test_times_of_another_machine_are_shifted(
    storage: CupStorage, manual: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clocks of two machines have nothing to do with each other; that of the database relates them."""
    with storage.open_live_writer() as writer, writer.transaction():
        game = writer.begin_game("league", "a | b", 0, "{}", clock.now())
        writer.add_turns(game, [LiveTurn(1, "{}", clock.now())])
        writer.mark_alive(clock.now())
    with storage.open_visibility() as show:
        show.hold(at=0)
        show.stage_next(expected=0, began=clock.now(), pace=1.0)
    monkeypatch.setattr(times, "_machine", lambda: "another machine")
    manual.advance(1e6)
    with LiveGames(storage.open_live()) as live:
        assert live.running
        assert [one.id for one in live.games()] == [game]
        assert abs(live.turns(game)[0].made - clock.now()) < 300
    staged = storage.staged_game()
    assert staged is not None
    assert abs(staged.began - clock.now()) < 300
