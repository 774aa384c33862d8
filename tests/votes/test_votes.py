"""Contests: what a ballot must be, how they are counted, and that codes and ballots are one thing when voted
and two afterwards."""

from __future__ import annotations

import multiprocessing
import random
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botequim.core.errors import InputError
from botequim.storage.sqlite.show import SqliteVoteStore
from botequim.votes import codes
from botequim.votes.contest import Ballot, Choice, Contest, Phase, Spoilt, Voters
from botequim.votes.contests import (
    MOST_CODES,
    Contests,
    DuplicateVote,
    NoContest,
    NoCookie,
    NotOpen,
    TooEarly,
    UnknownCode,
)
from botequim.votes.tally import Tally, tally
from tests.support.pace import PATIENCE

NAMES = ("ana", "bia", "caio", "davi", "eva")


def contest(choice: Choice = Choice.RANKED, names: Sequence[str] = NAMES) -> Contest:
    return Contest(1, "Best art", Voters.CODES, choice, tuple(names))


def places(found: Tally) -> dict[str, int]:
    return {row.entrant: row.place for row in found.standings}


# --- a ballot ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ([], "no entrant was chosen"),
        (["zoe"], "an entrant was chosen that is not in this contest"),
        (["ana", "bia", "ana"], "an entrant was chosen twice"),
    ],
)
@pytest.mark.parametrize("choice", Choice)
def test_spoilt_ballots_are_refused_in_words(choice: Choice, chosen: list[str], why: str) -> None:
    with pytest.raises(Spoilt) as refused:
        contest(choice).ballot(chosen)
    assert str(refused.value) == why


def test_one_is_chosen_or_some_in_order() -> None:
    assert contest().ballot(["bia", "ana"]) == ("bia", "ana")
    assert contest(Choice.SINGLE).ballot(["bia"]) == ("bia",)
    with pytest.raises(Spoilt, match="choose one"):
        contest(Choice.SINGLE).ballot(["bia", "ana"])


@pytest.mark.parametrize("title", ["", "  ", "x" * 101, "two\nlines", "turned \u202e round", "half \ud800"])
def test_titles_that_could_not_be_printed_are_refused(title: str) -> None:
    with pytest.raises(InputError):
        Contest(1, title, Voters.OPEN, Choice.SINGLE, NAMES)


@pytest.mark.parametrize("names", [(), ("ana",), ("ana", "ana"), tuple(map(str, range(201)))])
def test_a_contest_is_between_two_or_more(names: tuple[str, ...]) -> None:
    with pytest.raises(InputError):
        contest(names=names)


# --- codes -------------------------------------------------------------------------------------------


def test_codes_are_typed_as_people_type() -> None:
    code = codes.new_code()
    printed = codes.format_code(code)
    assert len(printed) == 14
    for written in (
        code,
        printed,
        printed.lower(),
        f" {printed.replace('-', ' ')} ",
        printed.replace("-", "–"),
    ):
        assert codes.parse_code(written) == code
    for wrong in ("", code[:-1], code + "C", code[:-1] + "O", code[:-1] + "é", "C" * 10_000):
        assert codes.parse_code(wrong) is None


def test_codes_have_no_signs_that_look_alike_and_differ() -> None:
    assert not set(codes.SIGNS) & set("0O1IL2Z5S8B6AEU")
    assert len({codes.new_code() for _ in range(1000)}) == 1000


# --- counting ----------------------------------------------------------------------------------------


def test_single_choice_and_shared_places() -> None:
    found = tally(contest(Choice.SINGLE), [("bia",), ("ana",), ("bia",), ("ana",), ("eva",)])
    assert places(found) == {"ana": 1, "bia": 1, "eva": 3, "caio": 4, "davi": 4}
    assert sorted(found.winners) == ["ana", "bia"]
    assert [row.entrant for row in found.podium] == ["ana", "bia", "eva"]
    assert found.rounds == ()


def test_nobody_wins_without_a_vote() -> None:
    for choice in Choice:
        found = tally(contest(choice), [])
        assert not found.winners
        assert not found.podium
        assert set(places(found).values()) == {1}


def test_the_run_off_goes_to_who_has_the_others_behind() -> None:
    ballots = [("ana",)] * 4 + [("bia", "caio")] * 3 + [("caio", "bia")] * 2
    found = tally(contest(names=("ana", "bia", "caio")), ballots)
    assert places(found) == {"bia": 1, "ana": 2, "caio": 3}
    first, second, last = found.rounds
    assert first.votes == {"ana": 4, "bia": 3, "caio": 2}
    assert (first.leaving, first.silent, first.asked) == (("caio",), 0, ())
    assert second.votes == {"bia": 5, "ana": 4}
    assert (last.leaving, last.silent) == (("bia",), 4)


def test_who_shares_the_fewest_is_asked_about_again() -> None:
    ballots = [("ana", "caio")] * 4 + [("bia",)] * 2 + [("caio",)] * 2
    found = tally(contest(names=("ana", "bia", "caio")), ballots)
    assert found.rounds[0].asked == ({"caio": 6, "bia": 2},)
    assert places(found) == {"ana": 1, "caio": 2, "bia": 3}


def test_who_is_equal_is_said_to_be_equal() -> None:
    names = ("ana", "bia", "caio")
    assert places(tally(contest(names=names), [("ana",), ("bia",)])) == {"ana": 1, "bia": 1, "caio": 3}
    level = tally(contest(names=names), [("ana",)] * 2 + [("bia",), ("caio",)])
    assert places(level) == {"ana": 1, "bia": 2, "caio": 2}
    assert set(level.rounds[0].leaving) == {"bia", "caio"}


def naive(names: Sequence[str], ballots: Sequence[Ballot]) -> list[set[str]]:
    """Another way to count: papers in piles, names struck out with a pen. The first are the best."""
    papers = [list(ballot) for ballot in ballots]
    left = set(names)
    out: list[set[str]] = []
    while left:
        going = set(left)
        while True:
            piles: dict[str, list[list[str]]] = {name: [] for name in going}
            for paper in papers:
                counted = [name for name in paper if name in going]
                if counted:
                    piles[counted[0]].append(paper)
            height = min(len(pile) for pile in piles.values())
            lowest = {name for name, pile in piles.items() if len(pile) == height}
            if lowest == going or len(lowest) == 1:
                going = lowest
                break
            going = lowest
        for paper in papers:
            paper[:] = [name for name in paper if name not in going]
        left -= going
        out.insert(0, going)
    return out


ballot = st.lists(st.sampled_from(NAMES), min_size=1, unique=True).map(tuple)
many = st.lists(ballot, max_size=12)


@given(many)
def test_the_run_off_agrees_with_piles_of_paper(ballots: list[Ballot]) -> None:
    found = places(tally(contest(), ballots))
    place = 1
    for equal in naive(NAMES, ballots):
        assert {name for name in NAMES if found[name] == place} == equal
        place += len(equal)


@given(many, st.randoms(use_true_random=False), st.sampled_from(Choice))
def test_neither_order_nor_names_decide(ballots: list[Ballot], rng: random.Random, choice: Choice) -> None:
    if choice is Choice.SINGLE:
        ballots = [one[:1] for one in ballots]
    before = places(tally(contest(choice), ballots))
    mixed = rng.sample(ballots, len(ballots))
    assert places(tally(contest(choice), mixed)) == before
    other = dict(zip(NAMES, rng.sample(NAMES, len(NAMES)), strict=True))
    renamed = [tuple(other[name] for name in one) for one in mixed]
    after = places(tally(contest(choice, rng.sample(NAMES, len(NAMES))), renamed))
    assert after == {other[name]: place for name, place in before.items()}


@given(many)
def test_a_majority_wins_and_every_vote_is_accounted_for(ballots: list[Ballot]) -> None:
    found = tally(contest(), ballots)
    firsts = Counter(one[0] for one in ballots)
    for name, count in firsts.items():
        if 2 * count > len(ballots):
            assert found.winners == (name,)
    standing = set(NAMES)
    for one in found.rounds:
        assert set(one.votes) == standing
        assert sum(one.votes.values()) + one.silent == len(ballots)
        assert list(one.votes.values()) == sorted(one.votes.values(), reverse=True)
        standing -= set(one.leaving)
    assert not standing
    assert sorted(row.entrant for row in found.standings) == sorted(NAMES)
    assert [row.place for row in found.standings] == sorted(row.place for row in found.standings)


@given(many, st.sampled_from(NAMES))
def test_another_first_choice_never_costs_a_majority(ballots: list[Ballot], name: str) -> None:
    more = [*ballots, *[(name,)] * (len(ballots) + 1)]
    assert tally(contest(), more).winners == (name,)


# --- keeping -----------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.cup" / "show.sqlite"


def open_contest(
    contests: Contests, voters: Voters = Voters.CODES, choice: Choice = Choice.SINGLE
) -> Contest:
    made = contests.add("Best art", voters, choice, NAMES)
    return contests.set_phase(made.id, Phase.OPEN)


def test_a_contest_from_its_making_to_its_result(path: Path) -> None:
    with SqliteVoteStore.open(path) as store:
        contests = Contests(store)
        made = contests.add(" Best art ", Voters.CODES, Choice.RANKED, NAMES)
        assert made == Contest(made.id, "Best art", Voters.CODES, Choice.RANKED, NAMES, Phase.PREPARING)
        drawn = contests.add_codes(made.id, 3)
        with pytest.raises(NotOpen, match="not begun"):
            contests.vote(made.id, ["ana"], code=drawn[0])
        contests.set_phase(made.id, Phase.OPEN)
        later = contests.add_codes(made.id, 1)
        contests.vote(made.id, ["bia", "ana"], code=codes.format_code(drawn[0]).lower())
        contests.vote(made.id, ["bia"], code=later[0])
        with pytest.raises(TooEarly):
            contests.tally(made.id)
        assert contests.tally(made.id, early=True).ballots == 2
        turnout = contests.turnout(made.id)
        assert (turnout.codes, turnout.used, turnout.ballots) == (4, 2, 2)
        assert set(contests.codes(made.id, unused=True)) == set(drawn[1:])
        assert set(contests.codes(made.id)) == {*drawn, *later}
        assert contests.codes(made.id, batch=2) == later
        assert [(one.number, one.codes, one.used) for one in contests.batches(made.id)] == [
            (1, 3, 1),
            (2, 1, 1),
        ]
    with SqliteVoteStore.open(path) as store:  # as another program finds it
        contests = Contests(store)
        contests.set_phase(made.id, Phase.CLOSED)
        assert contests.set_phase(made.id, Phase.CLOSED).phase is Phase.CLOSED
        assert contests.tally(made.id).winners == ("bia",)
        with pytest.raises(NotOpen, match="over"):
            contests.vote(made.id, ["ana"], code=drawn[1])
        for refused in (
            lambda: contests.set_phase(made.id, Phase.OPEN),
            lambda: contests.add_codes(made.id, 1),
        ):
            with pytest.raises(InputError, match="closed"):
                refused()


def test_what_was_never_opened_is_not_closed_for_good(path: Path) -> None:
    with SqliteVoteStore.open(path) as store:
        contests = Contests(store)
        made = contests.add("Best art", Voters.OPEN, Choice.SINGLE, NAMES)
        with pytest.raises(InputError, match="open it first, or delete it"):
            contests.set_phase(made.id, Phase.CLOSED)
        assert contests.set_phase(made.id, Phase.OPEN).phase is Phase.OPEN
        assert contests.set_phase(made.id, Phase.CLOSED).phase is Phase.CLOSED


def test_a_code_is_used_once_and_never_for_a_spoilt_ballot(path: Path) -> None:
    with SqliteVoteStore.open(path) as store:
        contests = Contests(store)
        made = open_contest(contests)
        other = open_contest(contests)
        (code,) = contests.add_codes(made.id, 1)
        for chosen in ([], ["zoe"], ["ana", "ana"], ["ana", "bia"]):
            with pytest.raises(Spoilt):
                contests.vote(made.id, chosen, code=code)
            contests.check_code(made.id, code)
        for wrong in ("", "CCCC-CCCC-CCCC", "' OR 1=1 --", "C" * 5000):
            with pytest.raises(UnknownCode):
                contests.vote(made.id, ["ana"], code=wrong)
        with pytest.raises(UnknownCode):
            contests.vote(other.id, ["ana"], code=code)
        contests.vote(made.id, ["ana"], code=code)
        with pytest.raises(DuplicateVote, match="already voted"):
            contests.check_code(made.id, code)
        with pytest.raises(DuplicateVote, match="already voted"):
            contests.vote(made.id, ["bia"], code=code)
        assert contests.turnout(made.id).ballots == 1


def test_an_open_contest_knows_browsers_again(path: Path) -> None:
    with SqliteVoteStore.open(path) as store:
        contests = Contests(store)
        made = open_contest(contests, Voters.OPEN)
        with pytest.raises(NoCookie):
            contests.vote(made.id, ["ana"])
        with pytest.raises(Spoilt):
            contests.vote(made.id, [], browser="one")
        assert not contests.has_voted(made.id, "one")
        contests.vote(made.id, ["ana"], browser="one")
        assert contests.has_voted(made.id, "one")
        with pytest.raises(DuplicateVote, match="browser"):
            contests.vote(made.id, ["bia"], browser="one")
        contests.vote(made.id, ["bia"], browser="two")
        again = open_contest(contests, Voters.OPEN)
        contests.vote(again.id, ["ana"], browser="one")
        with pytest.raises(InputError, match="no codes"):
            contests.add_codes(made.id, 1)


@pytest.mark.parametrize("count", [0, -1, MOST_CODES + 1])
def test_codes_without_end_are_not_made(path: Path, count: int) -> None:
    with SqliteVoteStore.open(path) as store:
        contests = Contests(store)
        made = open_contest(contests)
        with pytest.raises(InputError):
            contests.add_codes(made.id, count)
        assert contests.codes(made.id) == []


def test_deleting_takes_the_title_and_its_number_is_not_given_again(path: Path) -> None:
    with SqliteVoteStore.open(path) as store:
        contests = Contests(store)
        made = open_contest(contests)
        (code,) = contests.add_codes(made.id, 1)
        contests.vote(made.id, ["ana"], code=code)
        with pytest.raises(InputError, match="nothing was deleted"):
            contests.delete(made.id, "Another")
        contests.delete(made.id, "Best art")
        for number in (made.id, 0, -1, 2**80):
            with pytest.raises(NoContest):
                contests.get(number)
        assert open_contest(contests).id > made.id
    with closing(sqlite3.connect(path)) as connection:
        for table in ("codes", "ballots", "browsers"):
            assert connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone() == (0,)


def test_nothing_in_the_file_tells_who_voted_what(path: Path) -> None:
    with SqliteVoteStore.open(path) as store:
        contests = Contests(store)
        made = open_contest(contests)
        for at, code in enumerate(contests.add_codes(made.id, 20)):
            contests.vote(made.id, [NAMES[at % 5]], code=code)
    connection = sqlite3.connect(path)
    columns = {row[1] for row in connection.execute("PRAGMA table_info(ballots)")}
    assert columns == {"contest", "place", "chosen"}
    with pytest.raises(sqlite3.OperationalError):  # no order of arrival either
        connection.execute("SELECT rowid FROM ballots")
    rows = [chosen for _, chosen in connection.execute("SELECT place, chosen FROM ballots")]
    assert rows != [f"[{at % 5}]" for at in range(20)]
    assert {used for (used,) in connection.execute("SELECT used FROM codes")} == {1}
    connection.close()


def _vote(path: Path, number: int, drawn: Sequence[str], name: str, start: Any, out: Any) -> None:
    start.wait()
    won = []
    with SqliteVoteStore.open(path) as store:
        for code in drawn:
            try:
                Contests(store).vote(number, [name], code=code)
                won.append(code)
            except DuplicateVote:
                pass
    out.put((name, won))


def test_of_programs_that_vote_with_the_same_codes_at_once_one_wins_each(path: Path) -> None:
    with SqliteVoteStore.open(path) as store:
        contests = Contests(store)
        made = open_contest(contests)
        drawn = contests.add_codes(made.id, 40)
    context = multiprocessing.get_context("spawn")
    start, out = context.Barrier(3), context.Queue()
    voters = [
        context.Process(target=_vote, args=(path, made.id, drawn, name, start, out)) for name in NAMES[:3]
    ]
    for one in voters:
        one.start()
    won = dict(out.get(timeout=PATIENCE) for _ in voters)
    for one in voters:
        one.join()
    assert sorted(code for some in won.values() for code in some) == sorted(drawn)
    with SqliteVoteStore.open(path) as store:
        votes = {row.entrant: row.votes for row in Contests(store).tally(made.id, early=True).standings}
    assert votes == {name: len(won.get(name, ())) for name in NAMES}
