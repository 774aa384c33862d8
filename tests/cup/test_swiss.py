"""Swiss stages: who meets whom, byes, seats, and the tie-breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import pytest

from botequim.core.rng import Rng
from botequim.cup.format import Round, Stage, find_format
from botequim.cup.formats.swiss import FORMAT
from botequim.cup.pairing import Pairing
from botequim.cup.swiss_rounds import RoundRules
from tests.support.cups import Script, finish, places, result, stage, table, why, with_next_round

NAMES = "ABCDEFGHIJKLMNOPQRSTUVWX"


def by_chance(seed: str) -> Script:
    def script(pairing: Pairing) -> str:
        return Rng(f"{seed} {pairing.key}").choice([*pairing.entrants, "="])

    return script


def stages(count: int, rounds: int, seed: str = "s") -> Iterator[Stage]:
    """A stage as it is before each of its rounds, and at its end."""
    at = stage("swiss", NAMES[:count], rounds=rounds, seed=seed)
    while FORMAT.needs_round(at):
        yield at
        at = with_next_round("swiss", at)
        played = {one.key: result(one, by_chance(seed)(one)) for one in FORMAT.pairings(at)}
        at = replace(at, results={**at.results, **played})
    yield at


def all_rounds(left: tuple[str, ...], *, bye: bool) -> Iterator[Round]:
    """Everything that a round could be, whatever the seats."""
    if not left:
        yield ()
        return
    first, *others = left
    if bye:
        for found in all_rounds(tuple(others), bye=False):
            yield ((first,), *found)
    for other in others:
        rest = tuple(name for name in others if name != other)
        for found in all_rounds(rest, bye=bye and len(rest) % 2 == 1):
            yield ((first, other), *found)


def costs(at: Stage) -> Callable[[Round], int]:
    """What a round costs, by the weights that decide."""
    rules = RoundRules(at)
    number = {name: place for place, name in enumerate(at.entrants)}

    def cost(decided: Round) -> int:
        pairs = [(number[one[0]], number[one[1]] if len(one) > 1 else len(number)) for one in decided]
        return sum(rules.cost(*pair) for pair in pairs)

    return cost


# --- rounds ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", range(2, 11))
def test_no_round_is_better_than_the_one_that_is_decided(count: int) -> None:
    for at in stages(count, count - 1 + count % 2):
        if FORMAT.needs_round(at):
            cost = costs(at)
            best = min(map(cost, all_rounds(at.entrants, bye=count % 2 == 1)))
            assert cost(FORMAT.next_round(at)) == best


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 8, 13, 16, 21])
def test_nobody_meets_again_or_rests_twice_up_to_half_as_many_rounds_as_entrants(count: int) -> None:
    for seed in "abc":
        *_, end = stages(count, (count + 1) // 2, seed)
        tables = [frozenset(one) for decided in end.rounds for one in decided]
        assert len(end.rounds) == (count + 1) // 2
        assert len(set(tables)) == len(tables)
        assert all(sorted(sum(decided, ())) == sorted(end.entrants) for decided in end.rounds)
        assert all(sum(len(one) == 1 for one in decided) == count % 2 for decided in end.rounds)


@pytest.mark.parametrize("count", [4, 5, 6, 7, 8, 9])
def test_as_many_rounds_as_possible_with_as_few_rematches_as_possible(count: int) -> None:
    *_, end = stages(count, count - 1 + count % 2)
    assert len(end.rounds) == count - 1 + count % 2
    again = [at for at in stages(count, count - 1 + count % 2) if FORMAT.needs_round(at)]
    for at, decided in zip(again, end.rounds, strict=True):
        before = {frozenset(one) for earlier in at.rounds for one in earlier}
        repeats = sum(frozenset(one) in before for one in decided)
        fewest = min(
            sum(frozenset(one) in before for one in other)
            for other in all_rounds(at.entrants, bye=count % 2 == 1)
        )
        assert repeats == fewest


@pytest.mark.parametrize("count", [6, 7, 8, 12, 15])
def test_seats_are_balanced(count: int) -> None:
    for seed in "abcd":
        *_, end = stages(count, count // 2, seed)
        balance = Counter[str]()
        for decided in end.rounds:
            for one, other in (pair for pair in decided if len(pair) == 2):
                balance[one] += 1
                balance[other] -= 1
        assert max(abs(number) for number in balance.values()) <= 2


def test_leaders_meet_and_the_last_rests() -> None:
    start = stage("swiss", "ABCDE", rounds=3)
    one = with_next_round("swiss", start)
    (resting,) = (pair[0] for pair in one.rounds[0] if len(pair) == 1)
    first = {pairing.key: result(pairing, pairing.entrants[0]) for pairing in FORMAT.pairings(one)}
    two = with_next_round("swiss", replace(one, results=first))
    points = {row.entrant: row.figures["points"] for row in table("swiss", two).rows}
    (rests,) = (pair[0] for pair in two.rounds[1] if len(pair) == 1)
    assert points[rests] - 1 == 0, "a loser of the first round rests, and has a point for it"
    assert rests != resting
    winners = {pairing.entrants[0] for pairing in FORMAT.pairings(one)}
    assert any(set(pair) <= {*winners, resting} for pair in two.rounds[1])


def test_another_seed_draws_other_opponents_and_the_same_seed_the_same() -> None:
    drawn = [with_next_round("swiss", stage("swiss", NAMES[:12], seed=seed)).rounds for seed in "aab"]
    assert drawn[0] == drawn[1] != drawn[2]


def test_without_rounds_there_are_as_many_as_in_a_knockout() -> None:
    found = {}
    for count in (2, 3, 4, 5, 8, 9, 16, 17):
        found[count] = len(finish("swiss", stage("swiss", NAMES[:count]), by_chance("x")).rounds)
    assert found == {2: 1, 3: 2, 4: 2, 5: 3, 8: 3, 9: 4, 16: 4, 17: 5}


@pytest.mark.parametrize(("count", "rounds", "most"), [(4, 4, 3), (5, 6, 5), (2, 2, 1)])
def test_too_many_rounds_are_refused(count: int, rounds: int, most: int) -> None:
    found = FORMAT.problem(stage("swiss", NAMES[:count], rounds=rounds))
    said = f"{rounds} rounds are too many for {count} entrants: after {most} rounds all have met"
    assert str(found) == said
    assert FORMAT.problem(stage("swiss", NAMES[:count], rounds=most)) is None


# --- what verification finds ---------------------------------------------------------------------------


def exchange(decided: Round, one: int, other: int) -> Round:
    """The second of one table exchanged with the second of another."""
    tables = list(decided)
    tables[one], tables[other] = (tables[one][0], tables[other][1]), (tables[other][0], tables[one][1])
    return tuple(tables)


def test_rounds_that_break_a_rule_are_found() -> None:
    *_, before, _end = stages(8, 4)
    good = FORMAT.next_round(before)
    assert FORMAT.round_problem(before, good) is None
    problems = {
        "every entrant must be at one table": (good[:-1], (*good, good[0]), (("A", "X"), *good[1:]), ()),
        "two entrants must be at each table": ((good[0] + good[1], *good[2:]),),
        "the seats do not follow": ((good[0][::-1], *good[1:]),),
        "rematches": (before.rounds[0],),
    }
    for said, rounds in problems.items():
        for decided in rounds:
            assert said in str(FORMAT.round_problem(before, decided))
    for one in range(3):
        assert FORMAT.round_problem(before, exchange(good, one, one + 1)) is not None


def test_a_rematch_that_cannot_be_avoided_is_accepted_and_another_is_not() -> None:
    """After three rounds among six, two groups of three may be left in which nobody else can be met."""
    start = stage("swiss", "ABCDEF", rounds=5)
    rounds = (
        (("A", "D"), ("B", "E"), ("C", "F")),
        (("E", "A"), ("F", "B"), ("D", "C")),
        (("A", "F"), ("D", "B"), ("E", "C")),
    )
    at = replace(start, rounds=rounds)
    at = replace(at, results={one.key: result(one, "=") for one in FORMAT.pairings(at)})
    decided = FORMAT.next_round(at)
    met = {frozenset(pair) for before in rounds for pair in before}
    assert sum(frozenset(pair) in met for pair in decided) == 1
    assert FORMAT.round_problem(at, decided) is None
    again = tuple(
        RoundRules(at).table("ABCDEF".index(one), "ABCDEF".index(other)) for one, other in rounds[0]
    )
    assert "rematches or second byes that can be avoided" in str(FORMAT.round_problem(at, again))


# --- tie-breaks ----------------------------------------------------------------------------------------


def held(names: str, *rounds: str) -> Stage:
    """A stage with these rounds: `A-B A` is a series that A won, `A-B =` a tied one, `C` is a bye."""
    at = stage("swiss", names, rounds=len(rounds))
    winners: dict[frozenset[str], str] = {}
    for text in rounds:
        words = text.split(", ")
        tables = tuple(tuple(word.split()[0].split("-")) for word in words)
        winners |= {frozenset(one): word.split()[-1] for one, word in zip(tables, words, strict=True)}
        at = replace(at, rounds=(*at.rounds, tables))
        for one in FORMAT.pairings(at):
            ended = result(one, winners[frozenset(one.entrants)])
            at = replace(at, results={**at.results, one.key: ended})
    return at


def figures(at: Stage, column: str) -> dict[str, Fraction]:
    return {row.entrant: Fraction(row.figures[column]) for row in table("swiss", at).rows}


def test_buchholz_adds_the_points_of_all_opponents_and_sonneborn_berger_those_that_were_won_from() -> None:
    at = held("ABCD", "A-B A, C-D C", "A-C =, B-D B")
    assert figures(at, "points") == {"A": Fraction(3, 2), "C": Fraction(3, 2), "B": 1, "D": 0}
    # A met B (1) and C (3/2); C met D (0) and A (3/2); B met A (3/2) and D (0); D met C (3/2) and B (1)
    assert figures(at, "buchholz") == {
        "A": Fraction(5, 2),
        "C": Fraction(3, 2),
        "B": Fraction(3, 2),
        "D": Fraction(5, 2),
    }
    # A beat B (1) and tied with C (half of 3/2); C beat D (0) and tied with A; B beat D
    assert figures(at, "sonneborn_berger") == {"A": Fraction(7, 4), "C": Fraction(3, 4), "B": 0, "D": 0}
    assert places("swiss", at) == {"A": 1, "C": 2, "B": 3, "D": 4}
    assert why("swiss", at)["A"] == "by Buchholz"


def test_equal_buchholz_is_decided_by_sonneborn_berger_and_then_shared() -> None:
    # all against all: everybody has met everybody else, so equal points mean equal Buchholz
    at = held("ABCD", "A-B A, C-D C", "A-C C, B-D B", "A-D A, B-C B")
    assert figures(at, "points") == {"A": 2, "B": 2, "C": 2, "D": 0}
    assert figures(at, "buchholz") == {"A": 4, "B": 4, "C": 4, "D": 6}
    # A beat B and D, B beat D and C, C beat D and A: two points and none each
    assert figures(at, "sonneborn_berger") == {"A": 2, "B": 2, "C": 2, "D": 0}
    assert places("swiss", at) == {"A": 1, "B": 1, "C": 1, "D": 4}
    at = held("ABCD", "A-B A, C-D C", "A-C =, B-D B", "A-D =, B-C B")
    assert figures(at, "points") == {"A": 2, "B": 2, "C": Fraction(3, 2), "D": Fraction(1, 2)}
    # A beat B (2) and tied with C (3/4) and D (1/4); B beat D (1/2) and C (3/2)
    assert figures(at, "sonneborn_berger")["A"] == 3
    assert figures(at, "sonneborn_berger")["B"] == 2
    assert places("swiss", at) == {"A": 1, "B": 2, "C": 3, "D": 4}
    assert why("swiss", at)["A"] == "by Sonneborn-Berger"


def test_a_bye_counts_as_a_win_against_somebody_with_the_same_points() -> None:
    at = held("ABC", "A-B A, C", "C-A =, B")
    assert figures(at, "points") == {"A": Fraction(3, 2), "C": Fraction(3, 2), "B": 1}
    assert figures(at, "byes") == {"A": 0, "C": 1, "B": 1}
    # A met B (1) and C (3/2); C met A (3/2) and rested (its own 3/2); B met A (3/2) and rested (its own 1)
    assert figures(at, "buchholz") == {"C": 3, "A": Fraction(5, 2), "B": Fraction(5, 2)}
    assert figures(at, "sonneborn_berger") == {"C": Fraction(9, 4), "A": Fraction(7, 4), "B": 1}
    assert places("swiss", at) == {"C": 1, "A": 2, "B": 3}


def test_standings_within_a_round() -> None:
    at = with_next_round("swiss", stage("swiss", "ABC", rounds=2))
    (resting,) = (pair[0] for pair in at.rounds[0] if len(pair) == 1)
    assert figures(at, "points") == {name: int(name == resting) for name in "ABC"}
    assert find_format("swiss").standings(at).names[0] == resting
