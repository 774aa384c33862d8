"""What every implementation of the stores must do. To test another one, add it to `STORAGES`."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from botequim.core.errors import BotequimError, InputError
from botequim.core.results import GameResult, SeriesResult
from botequim.storage import open_storage
from botequim.storage.address import StoreAddress
from botequim.storage.errors import CoordinatorRunning, Damage
from botequim.storage.protocol import CupStorage, RepairableStorage
from botequim.storage.values import (
    CodeBatch,
    FinishedSeries,
    LiveGame,
    LiveSeries,
    LiveStage,
    LiveTurn,
    Repair,
    StagedGame,
    StoredContest,
    StoredFault,
    StoredGame,
    StoredRequest,
    StoredSeries,
)
from botequim.votes.contests import Contests
from tests.support.pace import until

STORAGES: dict[str, Callable[[pytest.FixtureRequest], CupStorage]] = {
    "sqlite": lambda request: open_storage(request.getfixturevalue("tmp_path") / "c.cup"),
    "postgres": lambda request: open_storage(
        Path("c.cup"), StoreAddress(request.getfixturevalue("shared_url"), f"c-{secrets.token_hex(8)}")
    ),
}

LINES = ['{"botequim":1}', '{"say":"\\ud800 ação"}', '{"outcome":{},"digest":"d1"}']
RESULT = SeriesResult("a | b", ("a", "b"), (GameResult((1, 2), "won"), GameResult((1, 1), "tie", (0, 1))))


@pytest.fixture(params=STORAGES)
def storage(request: pytest.FixtureRequest) -> CupStorage:
    return STORAGES[request.param](request)


def series(key: str = "a | b", stage: str = "league", seconds: float = 1.5) -> FinishedSeries:
    games = tuple(StoredGame.from_lines(LINES) for _ in RESULT.games)
    fault = StoredFault(stage, key, 1, 7, 2, "b", "timeout", '{"kind":"timeout"}')
    return FinishedSeries(stage, SeriesResult(key, ("a", "b"), RESULT.games), games, (fault,), seconds)


# --- results -----------------------------------------------------------------------------------------


def test_nothing_exists_at_first(storage: CupStorage) -> None:
    assert not storage.has_results()
    assert not storage.has_visibility()
    assert storage.shown_games() is None
    assert storage.staged_game() is None
    with pytest.raises(InputError):
        storage.open_results()
    assert not storage.has_results(), "reading creates nothing"
    assert not storage.has_visibility()


def test_facts_and_entrants(storage: CupStorage) -> None:
    with storage.open_results(write=True) as store:
        store.put_facts({"seed": "7", "name": "copa"})
        store.put_facts({"name": "Copa de Ação"})
        store.pin_entrant("a", {"digest": "x", "program": {"command": ["a", "b"]}})
        store.pin_entrant("a", {"digest": "y"})
    with storage.open_results(check=True) as store:
        assert [store.fact(name) for name in ("seed", "name", "other")] == ["7", "Copa de Ação", None]
        assert store.entrants() == {"a": {"digest": "y"}}
        assert store.location
        assert isinstance(store.damage_error("seed"), BotequimError)
    with storage.open_results(write=True) as store:
        store.unpin_entrants()
        assert store.entrants() == {}


def test_series_are_stored_in_order_with_records_and_faults(storage: CupStorage) -> None:
    with storage.open_results(write=True) as store:
        assert store.add_series(series("c | d", "finals", 2.5))
        assert store.add_series(series())
    with storage.open_results(check=True) as store:
        last = StoredSeries(2, "league", RESULT, 1.5)
        assert [one.number for one in store.series()] == [1, 2]
        assert store.series(after=1) == [last]
        assert store.series(after=2) == []
        assert list(store.results()) == ["finals", "league"]
        assert store.results()["league"] == {"a | b": RESULT}
        assert store.count_games() == 4
        assert store.record("league", "a | b", 1) == LINES
        assert store.record("league", "a | b", 2) is None
        assert store.record("finals", "a | b", 0) is None
        assert [found[:3] for found in store.records()] == [
            (stage, key, number)
            for stage, key in (("finals", "c | d"), ("league", "a | b"))
            for number in (0, 1)
        ]
        (first, second) = store.faults()
        assert (first.stage, second) == ("finals", series().faults[0])
        assert store.faults("b") == [first, second]
        assert store.faults("a") == []
        number, faults = store.faults_after(0)
        assert faults == [first, second]
        assert store.faults_after(number) == (number, [])
        assert store.fault("league", "a | b", 1, 7, 2) == second
        assert store.fault("league", "a | b", 1, 7, 3) is None


def test_a_series_is_accepted_once(storage: CupStorage) -> None:
    with storage.open_results(write=True) as store:
        assert store.add_series(series())
        assert not store.add_series(series(seconds=9))
        assert store.add_series(series(stage="finals")), "another stage may have the same key"
        assert [one.seconds for one in store.series()] == [1.5, 1.5]
        assert len(store.faults()) == 2


def test_one_coordinator_writes_while_others_read(storage: CupStorage) -> None:
    with storage.open_results(write=True) as store, storage.open_results() as reader:
        with pytest.raises(BotequimError):
            storage.open_results(write=True)
        store.add_series(series())
        assert reader.count_games() == 2
        assert reader.is_current()
    storage.open_results(write=True).close()


def test_watches_notice_what_others_write(storage: CupStorage) -> None:
    with storage.watch_results() as results, storage.watch_visibility() as visibility:
        assert results.has_changed()
        assert visibility.has_changed()
        assert not results.has_changed()
        with storage.open_results(write=True) as store:
            until(results.has_changed)
            store.add_series(series())
            until(results.has_changed)
            assert not results.has_changed()
        assert not visibility.has_changed()
        with storage.open_visibility() as show:
            show.hold(at=0)
            until(visibility.has_changed)
            show.reveal(1)
            until(visibility.has_changed)
            assert not visibility.has_changed()
            visibility.forget()
            assert visibility.has_changed()


def test_a_repair_leaves_sound_results_as_they_are(storage: CupStorage) -> None:
    with storage.open_results(write=True) as store:
        store.put_facts({"seed": "s"})
        store.add_series(series())
    if not isinstance(storage, RepairableStorage):
        return  # `cup repair` says so
    assert storage.repair_results(["seed"], lambda readable: readable, lambda store: None) == Repair(Damage())
    with storage.open_results(check=True) as store:
        assert store.fact("seed") == "s"
        assert [one.result.key for one in store.series()] == ["a | b"]


def test_logs_of_an_entrant_are_removed_and_nothing_else(storage: CupStorage) -> None:
    evidence = {"question": "q", "stderr": "my secret", "stderr_sha256": "ab"}
    text = json.dumps({"kind": "crash", "evidence": evidence})
    one = series()
    faults = [
        StoredFault("league", "a | b", 1, 7, seat, name, "crash", text) for seat, name in ((1, "a"), (2, "b"))
    ]
    plain = StoredFault("league", "a | b", 0, 1, 2, "b", "timeout", '{"kind":"timeout"}')
    with storage.open_results(write=True) as store:
        store.put_facts({"seed": "7"})
        store.add_series(replace(one, faults=(*faults, plain)))
        assert store.remove_logs("b") == 1
        assert store.remove_logs("b") == 0
        kept = [json.loads(fault.fault) for fault in store.faults()]
    assert [fault.get("evidence") for fault in kept] == [
        evidence, {"question": "q", "stderr_sha256": "ab"}, None,
    ]  # fmt: skip
    with storage.open_results(check=True) as store:
        assert store.results() == {"league": {"a | b": RESULT}}


# --- visibility --------------------------------------------------------------------------------------


def test_games_are_held_back_revealed_and_released(storage: CupStorage) -> None:
    with storage.open_visibility() as show:
        assert storage.has_visibility()
        assert show.shown is None
        assert not show.reveal(3), "nothing is held back"
        assert show.hold(at=2) == 2
        assert show.hold(at=9) == 2, "it is held back already"
        assert not show.reveal(1), "never back"
        assert show.reveal(3)
        assert not show.reveal(4, expected=2)
        assert show.reveal(4, expected=3)
        assert storage.shown_games() == 4
        assert show.release()
        assert not show.release()
    assert storage.shown_games() is None


def test_one_game_is_revealed_turn_by_turn(storage: CupStorage) -> None:
    with storage.open_visibility() as show:
        assert not show.stage_next(expected=0, began=5.0, pace=0.5), "nothing is held back"
        show.hold(at=0)
        assert show.staged is None
        assert show.stage_next(expected=0, began=5.0, pace=0.5)
        assert not show.stage_next(expected=0, began=6.0, pace=0.5)
        assert show.staged == storage.staged_game() == StagedGame(0, 5.0, 0.5)
        show.reveal(1)
        assert show.staged is None
        assert show.stage_next(expected=1, began=7.0, pace=1.0)
        assert storage.staged_game() == StagedGame(1, 7.0, 1.0)


def test_the_organisers_token_is_replaced(storage: CupStorage) -> None:
    with storage.open_visibility() as show:
        assert show.token is None
        show.set_token("first")
        show.set_token("second")
    with storage.open_visibility() as show:
        assert show.token == "second"


# --- requests ----------------------------------------------------------------------------------------


def test_requests_wait_for_their_answers(storage: CupStorage) -> None:
    assert storage.requests() == []
    assert not storage.has_visibility(), "reading creates nothing"
    with storage.open_requests() as opened:
        assert [opened.add_request(content, "waiting") for content in ('{"a": "\\u00e7"}', "{}")] == [1, 2]
        opened.answer_request(1, "refused", '{"why": 1}')
    assert storage.requests() == [
        StoredRequest(1, '{"a": "\\u00e7"}', "refused", '{"why": 1}'),
        StoredRequest(2, "{}", "waiting", ""),
    ]
    with storage.open_requests() as opened:
        assert opened.add_request("{}", "waiting") == 3


def test_requests_and_answers_are_noticed(storage: CupStorage) -> None:
    with storage.watch_visibility() as watch, storage.open_requests() as opened:
        until(watch.has_changed)
        until(lambda: not watch.has_changed())
        number = opened.add_request("{}", "waiting")
        until(watch.has_changed)
        assert not watch.has_changed()
        opened.answer_request(number, "applied", "{}")
        until(watch.has_changed)
    with storage.open_visibility() as show:
        assert show.shown is None, "a request hides nothing"


def test_a_second_coordinator_is_told_that_one_is_running(storage: CupStorage) -> None:
    with storage.open_results(write=True), pytest.raises(CoordinatorRunning):
        storage.open_results(write=True)


# --- votes -------------------------------------------------------------------------------------------


def test_contests(storage: CupStorage) -> None:
    with storage.open_votes() as votes:
        with votes.transaction():
            number = votes.add_contest("Best art", "codes", "single", "preparing", ["a", "ção"])
        expected = StoredContest(number, "Best art", "codes", "single", "preparing", ("a", "ção"))
        assert votes.contest(number) == expected
        assert votes.contests() == [expected]
        for unknown in (number + 1, 0, -1, 2**80):
            assert votes.contest(unknown) is None
        votes.set_phase(number, "open")
        contest = votes.contest(number)
        assert contest is not None
        assert contest.phase == "open"
        votes.add_codes(number, 1, ["X"])
        votes.add_voter(number, "mark")
        votes.add_ballot(number, [1])
        votes.delete_contest(number)
        assert votes.contests() == []
        assert votes.codes(number) == []
        assert votes.ballots(number) == []
        assert not votes.has_voted(number, "mark")
        assert votes.add_contest("Again", "open", "single", "open", ["a", "b"]) > number


def test_codes_voters_and_ballots(storage: CupStorage) -> None:
    with storage.open_votes() as votes:
        one, other = (votes.add_contest(name, "codes", "ranked", "open", ["a", "b"]) for name in "xy")
        votes.add_codes(one, 1, ["C", "A", "B"])
        votes.add_codes(one, 2, ["D"])
        votes.use_code("A")
        assert [votes.is_used(one, code) for code in ("A", "B", "Z")] == [True, False, None]
        assert votes.is_used(other, "A") is None
        assert sorted(votes.codes(one)) == ["A", "B", "C", "D"]
        assert votes.codes(one, batch=2) == ["D"]
        assert sorted(votes.codes(one, batch=1, unused=True)) == ["B", "C"]
        assert votes.batches(one) == [CodeBatch(1, 3, 1), CodeBatch(2, 1, 0)]
        votes.remove_codes(["A", "B"])
        assert sorted(votes.codes(one)) == ["A", "C", "D"], "a used code stays"
        votes.add_voter(one, "mark")
        assert votes.has_voted(one, "mark")
        assert not votes.has_voted(other, "mark")
        votes.add_ballot(one, [1, 0])
        votes.add_ballot(one, [0])
        votes.add_ballot(other, [1])
        assert sorted(votes.ballots(one)) == [(0,), (1, 0)]
        assert votes.count_ballots(one) == 2
        votes.erase_traces()


def test_a_transaction_that_fails_leaves_nothing(storage: CupStorage) -> None:
    with storage.open_votes() as votes:
        number = votes.add_contest("Best art", "codes", "single", "open", ["a", "b"])
        votes.add_codes(number, 1, ["A"])

        def fail() -> None:
            with votes.transaction():
                votes.use_code("A")
                votes.add_ballot(number, [0])
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()
        assert votes.is_used(number, "A") is False
        assert votes.ballots(number) == []


def test_a_code_counts_once_however_many_use_it_at_the_same_time(storage: CupStorage) -> None:
    with storage.open_votes() as votes:
        number = votes.add_contest("Best art", "codes", "single", "open", ["a", "b"])
        codes = Contests(votes).add_codes(number, 3)
    outcomes: list[str] = []

    def vote(code: str) -> None:
        try:
            with storage.open_votes() as votes:
                Contests(votes).vote(number, ["a"], code=code)
        except InputError as error:
            outcomes.append(type(error).__name__)
        else:
            outcomes.append("counted")

    threads = [threading.Thread(target=vote, args=(code,)) for code in codes * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("counted") == 3
    assert len(outcomes) == 9
    with storage.open_votes() as votes:
        assert votes.count_ballots(number) == 3


# --- live games --------------------------------------------------------------------------------------


def test_live_games_are_published(storage: CupStorage) -> None:
    storage.open_results(write=True).close()
    with storage.open_live() as live:
        assert live.has_changed()
        assert (live.run(), live.games(), live.next_series(), live.stages()) == (None, [], [], [])
        with storage.open_live_writer() as writer:
            until(live.has_changed)
            header = json.dumps({"game": "x"})
            with writer.transaction():
                game = writer.begin_game("league", "a | b", 0, header, 10.0)
                writer.add_turns(game, [LiveTurn(1, "{}", 11.0), LiveTurn(2, "[]", 12.0)])
                coming = LiveSeries("league", "c | d", ("c", "d"), '{"text":"x"}', 3)
                writer.put_plan(LiveStage("league", 1, 4), [coming])
                writer.mark_alive(13.0)
            until(live.has_changed)
            assert not live.has_changed()
            assert live.games() == [LiveGame(game, "league", "a | b", 0, header, 10.0, None, 2)]
            assert live.games()[0].header == {"game": "x"}
            assert live.turns(game, after=1) == [LiveTurn(2, "[]", 12.0)]
            assert live.next_series() == [coming]
            assert live.stages() == [LiveStage("league", 1, 4)]
            run = live.run()
            assert run is not None
            assert (run.seen, run.ended) == (13.0, None)
            with writer.transaction():
                writer.mark_alive(14.0, ended=True)
            run = live.run()
            assert run is not None
            assert run.ended == 14.0
            assert live.next_series() == []
        with storage.open_live_writer():
            assert live.games() == [], "another run begins without games"


def test_live_games_are_deleted(storage: CupStorage) -> None:
    storage.open_results(write=True).close()
    with storage.open_live_writer() as writer, storage.open_live() as live:
        with writer.transaction():
            ids = [writer.begin_game("league", key, 0, "{}", float(at)) for at, key in enumerate("aabc")]
            writer.end_game(ids[3], 5.0)
        assert writer.games_of_series("league", "a", before=0.5) == ids[:1]
        assert writer.unfinished_games(before=1.0) == ids[:2]
        with writer.transaction():
            writer.delete_games(ids[:1])
            writer.delete_ended(before=5.0)
        assert [game.id for game in live.games()] == ids[1:]
        with writer.transaction():
            writer.delete_ended(before=5.1)
            again = writer.begin_game("league", "c", 0, "{}", 6.0)
        assert [game.id for game in live.games()] == [*ids[1:3], again]
        assert again not in ids
