"""A cup that has begun is changed: in every way, by request, and so that a bundle of it still verifies."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from botequim.cli import main
from botequim.core.errors import InputError
from botequim.cup import bundle
from botequim.cup.change_effects import effect
from botequim.cup.change_requests import RequestState, apply_requests, request_change, requests
from botequim.cup.changes import (
    Change,
    Departure,
    Disqualification,
    LateEntrant,
    NewFiles,
    Replay,
    Revocation,
)
from botequim.cup.config import Cup
from botequim.cup.entrant_check import Report, changed_files_problems
from botequim.cup.rounds import stored_state
from botequim.cup.runner import RunStatus
from botequim.cup.series_labels import series_labels
from botequim.cup.stage_changes import reason_by_games
from botequim.cup.withdrawals import without_withdrawn
from botequim.sandbox.none import NoSandbox
from botequim.storage.address import StoreAddress
from botequim.storage.visibility import Visibility
from tests.support.changed_cups import (
    FINAL,
    FOUR,
    LEAGUE,
    change,
    findings,
    make_cup,
    places,
    play,
    play_some,
    refusal,
    state_of,
    storage_of,
    write_changed_bundle,
)

# --- leaving -----------------------------------------------------------------------------------------


def test_whoever_is_disqualified_plays_no_more_and_comes_last(tmp_path: Path) -> None:
    cup = make_cup(tmp_path)
    play_some(cup, 3)
    change(cup, Disqualification("ana"))
    play(cup)
    state = state_of(cup)
    assert state.over
    assert places(state)["ana"] == 4
    played = [one.entrants for one in state.results["league"].values() if "ana" in one.entrants]
    assert len(played) < 3
    for key, walkover in state.walkovers("league").items():
        assert "ana" in walkover.entrants
        assert walkover.winner() not in (None, "ana")
        assert key not in state.results["league"]
    assert len(played) + len(state.walkovers("league")) == 3
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []


@pytest.mark.parametrize("leave", [Disqualification, Departure])
def test_annulled_results_count_for_nobody(
    leave: type[Disqualification] | type[Departure], tmp_path: Path
) -> None:
    cup = make_cup(tmp_path)
    play(cup)
    before = state_of(cup)
    change(cup, leave("ana", annulled=True))
    state = state_of(cup)
    assert set(state.void_series("league")) == {
        key for key, one in before.results["league"].items() if "ana" in one.entrants
    }
    standings = state.standings("league")
    assert standings is not None
    assert [row.figures["games"] for row in standings.rows] == [4, 4, 4, 0]
    assert standings.rows[-1].entrant == "ana"
    play(cup)  # perhaps a play-off
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []


def test_a_playoff_whose_tie_is_gone_does_not_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A late entrant makes a tie that two others break. Then its results are annulled."""
    terms = LEAGUE.replace('"cut"', '"all"') + "playoff_games = 1\nplayoffs = 1\n"
    cup = make_cup(tmp_path, terms, {"ana": "greedy", "bia": "greedy", "cai": "greedy"})
    play(cup)
    change(cup, LateEntrant("rui", "greedy"))
    play(cup)
    assert not state_of(cup).void_series("league")
    playoffs = [key for key in state_of(cup).results["league"] if key.startswith("1 || ")]
    (orphan,) = [key for key in playoffs if "rui" not in key]
    left = Departure("rui", annulled=True)
    assert "of these, series that were to break a tie that has changed: 1" in effects(cup, left)[0]
    change(cup, left)
    play(cup)
    state = state_of(cup)
    assert str(state.void_series("league")[orphan]) == "the tie that it was to break has changed"
    assert not [key for key in state.valid_results("league") if key.startswith("1 || ")]
    assert {key: str(series_labels(state, "league")[key]) for key in playoffs} == dict.fromkeys(
        playoffs, "play-off"
    )
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []
    assert main(["cup", "status", str(cup.path), "--series"]) == 0
    listed = capsys.readouterr().out
    assert "||" not in listed
    assert listed.count("does not count: the tie") == 1
    number = next(one.number for one in state.log if one.change == left)
    assert "finished series that count again" in effects(cup, Revocation(number))[0]


def test_a_playoff_counts_again_after_a_late_entrant_has_played(tmp_path: Path) -> None:
    terms = LEAGUE.replace('"cut"', '"all"') + "playoff_games = 1\nplayoffs = 1\n"
    cup = make_cup(tmp_path, terms, {"ana": "greedy", "bia": "greedy", "cai": "greedy"})
    play(cup)
    change(cup, LateEntrant("rui", "greedy"))
    play(cup)
    playoffs = {key for key in state_of(cup).results["league"] if key.startswith("1 || ")}
    change(cup, LateEntrant("eva", "random"))
    assert playoffs == state_of(cup).void_series("league").keys()
    change(cup, Departure("eva", annulled=True))
    assert not state_of(cup).void_series("league")
    play(cup)
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []


def test_a_withdrawal_keeps_the_place_but_the_next_one_advances(tmp_path: Path) -> None:
    cup = make_cup(tmp_path, LEAGUE + FINAL)
    play_some(cup, 1)
    assert effects(cup, Departure("ana"))[-1] == "final: does not take part: ana"
    play(cup, stages=["league"])
    before = state_of(cup)
    best, second, third = before.final_order("league")[:3]
    assert effects(cup, Departure(best)) == [
        f"final: does not take part: {best}, takes part now: {third}, series that other entrants play: 1"
    ]
    change(cup, Departure(best))
    state = state_of(cup)
    assert places(state)[best] == places(before)[best]
    play(cup)
    assert state_of(cup).entrants("final") is not None
    assert set(state_of(cup).entrants("final") or ()) == {second, third}
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []


def test_who_is_in_a_stage_does_not_change_after_it_began(tmp_path: Path) -> None:
    cup = make_cup(tmp_path, LEAGUE + FINAL)
    play(cup)
    finalists = state_of(cup).entrants("final")
    assert finalists is not None
    (other, *_) = [name for name in FOUR if name not in finalists]
    change(cup, Disqualification(other, annulled=True))
    state = state_of(cup)
    assert state.over
    assert state.entrants("final") == finalists
    assert state.overall()[-1].entrant == other
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []


def test_in_a_knockout_the_opponent_advances(tmp_path: Path) -> None:
    stages = '[[stages]]\nname = "finals"\nformat = "knockout"\ngames = 3\n'
    cup = make_cup(tmp_path, stages)
    play_some(cup, 1)
    state = state_of(cup)
    (match,) = state.results["finals"].values()
    winner = match.winner() or state.pairings("finals")[0].entrants[0]
    assert "has been played since" not in refusal(cup, LateEntrant("eva", "random"))
    change(cup, Disqualification(winner))
    play(cup)
    assert places(state_of(cup), "finals")[winner] == 4
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []


def test_whoever_moves_up_because_of_a_disqualification_reads_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = make_cup(tmp_path, LEAGUE + FINAL)
    play(cup)
    first, second, third, _ = state_of(cup).overall()
    change(cup, Disqualification(first.entrant))
    state = state_of(cup)
    final = state.standings("final")
    assert final is not None
    assert (final.rows[0].entrant, str(final.rows[0].why)) == (
        second.entrant,
        "moved up because of a disqualification (lost: final)",
    )
    reasons = {row.entrant: (row.place, str(row.why)) for row in state.overall()}
    assert reasons[second.entrant] == (1, str(final.rows[0].why))
    assert reasons[third.entrant] == (
        2,
        "moved up because of a disqualification (league: place 2)",
    )
    assert reasons[first.entrant] == (4, "disqualified")
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []
    with monkeypatch.context() as earlier:
        earlier.setattr(bundle, "standings_json", partial(bundle.standings_json, text=reason_by_games))
        old = write_changed_bundle(cup, tmp_path / "old")
    assert "moved up" not in (old / bundle.STANDINGS).read_text()
    assert findings(old) == []


def effects(cup: Cup, wanted: Change) -> list[str]:
    return [str(one) for one in effect(cup, state_of(cup), wanted)]


# --- series that are played again --------------------------------------------------------------------


def test_a_spoiled_series_is_played_again_with_another_seed(tmp_path: Path) -> None:
    cup = make_cup(tmp_path)
    play(cup)
    key = next(iter(state_of(cup).results["league"]))
    before = state_of(cup).results["league"]
    change(cup, Replay("league", key))
    assert [one.key for one in state_of(cup).pairings("league")] == [f"{key} |~ 2"]
    play(cup)
    state = state_of(cup)
    assert {name: state.results["league"][name] for name in before} == before, "both are kept"
    assert state.valid_results("league")[key].games == state.results["league"][f"{key} |~ 2"].games
    assert list(state.void_series("league")) == [key]
    with storage_of(cup).open_results() as store:
        seeds = [
            json.loads((store.record("league", one, 0) or [""])[0])["seed"] for one in (key, f"{key} |~ 2")
        ]
    assert seeds[0] != seeds[1]
    bundle = write_changed_bundle(cup, tmp_path / "bundle")
    assert findings(bundle) == []
    marks = {
        one["key"]: one.get("counts", True)
        for one in json.loads((bundle / "results.json").read_text())["league"]
    }
    assert [one for one, counts in marks.items() if not counts] == [key]


def test_a_replay_is_refused_if_later_series_depend_on_it(tmp_path: Path) -> None:
    cup = make_cup(tmp_path, '[[stages]]\nname = "finals"\nformat = "knockout"\ngames = 3\n')
    play(cup)
    assert "depends on what would change" in refusal(cup, Replay("finals", "4.1"))
    last = list(state_of(cup).results["finals"])[-1]
    change(cup, Replay("finals", last))
    play(cup)
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []


def test_a_series_of_somebody_who_left_is_not_played_again(tmp_path: Path) -> None:
    cup = make_cup(tmp_path)
    play(cup)
    key, result = next(iter(state_of(cup).results["league"].items()))
    change(cup, Departure(result.entrants[0]))
    assert "left the cup, so this series cannot be played again" in refusal(cup, Replay("league", key))


def test_a_replay_is_refused_after_the_next_stage_began(tmp_path: Path) -> None:
    cup = make_cup(tmp_path, LEAGUE + FINAL)
    play(cup)
    assert "a later stage has begun" in refusal(cup, Replay("league", "ana | bia"))
    assert "no finished series" in refusal(cup, Replay("final", "nothing"))


# --- late entrants -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form", ["round_robin", "confrontos", "best_of", "combinations", "gauntlet", "ladder"]
)
def test_a_late_entrant_plays_after_the_others(form: str, tmp_path: Path) -> None:
    games = "best_of = 3" if form == "best_of" else "games = 2"
    more = "size = 2\n" if form == "combinations" else ""
    cup = make_cup(tmp_path, f'[[stages]]\nname = "league"\nformat = "{form}"\n{games}\n{more}')
    play_some(cup, 2)
    change(cup, LateEntrant("eva", "random"))
    play(cup)
    state = state_of(cup)
    assert state.over
    assert sorted(places(state)) == ["ana", "bia", "cai", "dan", "eva"]
    assert any("eva" in one.entrants for one in state.results["league"].values())
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []


def test_a_swiss_stage_takes_late_entrants_and_lets_others_leave(tmp_path: Path) -> None:
    pytest.importorskip("networkx")
    stages = '[[stages]]\nname = "league"\nformat = "swiss"\nrounds = 3\ngames = 1\n'
    cup = make_cup(tmp_path, stages, FOUR | {"eva": "random", "fabi": "greedy"})
    play_some(cup, 4)
    change(cup, LateEntrant("gil", "random"), Disqualification("ana"), Departure("bia", annulled=True))
    play(cup)
    state = state_of(cup)
    assert len(state.rounds["league"]) == 3
    last = {name for table in state.rounds["league"][-1] for name in table}
    assert "gil" in last
    assert not last & {"ana", "bia"}
    assert "a late entrant would play none" in refusal(cup, LateEntrant("hugo", "random"))
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []


def test_names_of_late_entrants_are_checked(tmp_path: Path) -> None:
    cup = make_cup(tmp_path)
    play_some(cup, 1)
    assert "already used" in refusal(cup, LateEntrant("Ana", "random"))
    assert "visible characters" in refusal(cup, LateEntrant("a | b", "random"))
    assert "without isolation" in refusal(cup, LateEntrant("eva", "./bot.py")), "it never runs unprotected"
    assert [one.state for one in requests(storage_of(cup))] == [RequestState.REFUSED] * 3
    assert state_of(cup).log == ()


# --- requests ----------------------------------------------------------------------------------------


def test_the_coordinator_applies_requests_between_two_series(tmp_path: Path) -> None:
    cup = make_cup(tmp_path)
    seen: list[int] = []

    def between(status: RunStatus) -> None:
        seen.append(len(status.progress.log))
        if len(seen) == 2:
            request_change(storage_of(cup), Disqualification("ana"), who="eu", why="cheated")
            assert not apply_requests(cup, storage_of(cup), NoSandbox(), isolated=False), "somebody plays it"

    play(cup, between=between)
    assert seen[:3] == [0, 0, 1]
    (entry,) = state_of(cup).log
    assert (entry.who, entry.why, dict(entry.after)) == ("eu", "cheated", {"league": 2})
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []


def test_requests_reach_a_coordinator_whose_store_is_a_database(tmp_path: Path, shared_url: str) -> None:
    address = StoreAddress(shared_url, f"changes-{secrets.token_hex(8)}")
    cup = replace(make_cup(tmp_path, LEAGUE + FINAL), store=address)
    asked: list[int] = []

    def between(status: RunStatus) -> None:
        if not asked:
            asked.append(request_change(storage_of(cup), Disqualification("ana"), who="eu", why="cheated"))

    play(cup, between=between)
    key = list(state_of(cup).valid_results("final"))[-1]
    change(cup, Replay("final", key))
    play(cup)
    state = state_of(cup)
    assert [one.number for one in requests(storage_of(cup)) if one.state is RequestState.APPLIED] == [1, 2]
    assert "ana" not in (state.entrants("final") or ())
    assert list(state.void_series("final")) == [key]
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []


def test_a_request_says_who_and_why(tmp_path: Path) -> None:
    cup = make_cup(tmp_path)
    for who, why in (("", "because"), ("eu", " ")):
        with pytest.raises(InputError):
            request_change(storage_of(cup), Disqualification("ana"), who=who, why=why)
    number = request_change(storage_of(cup), Disqualification("ana"), who="eu\x1b[31m", why="a\u202e\nb")
    (stored,) = (one for one in requests(storage_of(cup)) if one.number == number)
    assert (stored.who, stored.why) == ("eu·[31m", "a· b"), "what is published has no control characters"
    with pytest.raises(InputError, match="has not begun"):
        apply_requests(cup, storage_of(cup), NoSandbox(), isolated=False)


def test_a_revocation_undoes_a_change(tmp_path: Path) -> None:
    cup = make_cup(tmp_path)
    play_some(cup, 2)
    before = state_of(cup)
    change(cup, Disqualification("ana"), Revocation(1))
    state = state_of(cup)
    assert (state.changes, len(state.log)) == ((), 2)
    assert [one.key for one in state.pairings("league")] == [one.key for one in before.pairings("league")]
    assert "revoked already" in refusal(cup, Revocation(1))
    assert "has no entry 9" in refusal(cup, Revocation(9))
    play(cup)
    assert len(state_of(cup).results["league"]) >= 6
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []


def test_entries_are_as_public_as_the_series_before_them(tmp_path: Path) -> None:
    cup = make_cup(tmp_path)
    play_some(cup, 3)
    with storage_of(cup).open_visibility() as visibility:
        visibility.hold(at=2)
    change(cup, Disqualification("ana"))
    with storage_of(cup).open_results() as store:
        played = without_withdrawn(cup, store)
        hidden = stored_state(played, store, Visibility.of(store, storage_of(cup)).results())
        with storage_of(cup).open_visibility() as visibility:
            visibility.reveal(to=6)
        shown = stored_state(played, store, Visibility.of(store, storage_of(cup)).results())
    assert (len(hidden.log), len(shown.log)) == (0, 1)


# --- the check of files ------------------------------------------------------------------------------


def test_a_check_says_that_the_cup_still_plays_the_old_files(tmp_path: Path) -> None:
    cup = make_cup(tmp_path, LEAGUE + FINAL)
    report = Report(cup.entry("ana"), ready=True, files="new")

    def told() -> list[str]:
        return [str(one) for one in changed_files_problems(cup, storage_of(cup), [report])]

    assert told() == [], "before the cup begins, files may change"
    play(cup, stages=["league"])
    with storage_of(cup).open_results(write=True) as store:
        store.pin_entrant("ana", {**store.entrants()["ana"], "digest": "old"})
    (sentence,) = told()
    assert 'the files of "ana" have changed' in sentence
    assert f"botequim cup change {cup.path} fix ana --from final --why ..." in sentence
    change(cup, NewFiles("ana", "final", "greedy"))
    with storage_of(cup).open_results(write=True) as store:
        store.pin_entrant("ana |~ 1", {**store.entrants()["ana |~ 1"], "digest": "new"})
    assert told() == [], "the next stage plays with these files"


def test_files_change_only_between_stages(tmp_path: Path) -> None:
    cup = make_cup(tmp_path, LEAGUE + FINAL)
    play_some(cup, 1)
    assert "has begun" in refusal(cup, NewFiles("ana", "league"))
    assert 'unknown stage "finale"' in refusal(cup, NewFiles("ana", "finale"))
    change(cup, NewFiles("ana", "final", "random"), Revocation(1), NewFiles("bia", "final", "greedy"))
    play(cup)
    assert "has begun with the new files" in refusal(cup, Revocation(3))
    assert findings(write_changed_bundle(cup, tmp_path / "bundle")) == []
