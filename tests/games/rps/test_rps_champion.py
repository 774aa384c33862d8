"""The champion of rps and its sparring partners."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from benchmarks.strength.rps import CLASSICS, CONSTANTS_AND_CYCLES, Replier
from botequim import registry
from botequim.core.errors import Fault, FaultKind
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.core.player import LocalPlayer, Strategy
from botequim.core.rng import Rng
from botequim.engine.referee import play
from botequim.games.rps.champion import RpsChampion, outlook
from botequim.games.rps.rules import BEATEN_BY, GAME, HANDS, Hand, State
from botequim.games.rps.search.decision import STAKE, Decision
from botequim.games.rps.search.forecast import READINGS, Forecast
from botequim.games.rps.search.value import Fair, Round
from botequim.records.record import Record
from botequim.search.champion import Level


def play_game(first: Strategy, second: Strategy, seed: str, *, rounds: int = 50) -> Record:
    options = resolve_options("rps", GAME.options, {"rounds": rounds})
    seats = [{"name": "first"}, {"name": "second"}]
    players = [LocalPlayer(first), LocalPlayer(second)]
    return asyncio.run(play(GAME, players, options=options, seats=seats, seed=seed))


def win_rate(first: str, second: str, games: int) -> float:
    total = 0.0
    for number in range(games):
        makers = registry.player("rps", first), registry.player("rps", second)
        record = play_game(makers[0](Rng(f"a{number}")), makers[1](Rng(f"b{number}")), f"test/{number}")
        total += float(record.outcome.shares()[0])
    return total / games


# --- what is known of the game -----------------------------------------------------------------------------


def test_there_is_a_safe_mixture_whatever_the_counts() -> None:
    for rock in range(-6, 7):
        for paper in range(-6, 7):
            this = Round(rock, paper)
            corners = this.corners(0.0)
            assert corners
            for corner in corners:
                assert sum(corner) == pytest.approx(1)
                assert min(this.gains(corner)) > -1e-6


def test_what_a_score_is_worth() -> None:
    fair = Fair()
    assert fair.value(0, 50) == pytest.approx(0.5)
    assert fair.value(1, 1) == pytest.approx(0.75)  # won, or drawn
    assert fair.value(2, 2) == pytest.approx(0.875)
    assert (fair.value(3, 2), fair.value(-3, 2)) == (1.0, 0.0)
    assert fair.value(5, 1000) == pytest.approx(1 - fair.value(-5, 1000))


def test_counts_are_worth_eleven_rounds_against_chance() -> None:
    assert outlook().safe(0, 0, 50) == pytest.approx(11.025, abs=0.01)
    assert outlook().free(0, 0, 50) == pytest.approx(16.167, abs=0.01)


# --- how it makes up its mind ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_no_mixture_can_lose_more_than_is_in_the_account(seed: int) -> None:
    rng = Rng(f"account/{seed}")
    decision = Decision(50, outlook(), Forecast())
    fair = Fair()
    rock = paper = ahead = 0
    for left in range(50, 0, -1):
        mixture = decision.mixture()
        assert sum(mixture) == pytest.approx(1)
        swing = (fair.value(ahead + 1, left - 1) - fair.value(ahead - 1, left - 1)) / 2
        this = Round(rock, paper)
        assert decision.account + swing * min(this.gains(mixture)) > -1e-9
        # one that repeats itself now and then, so that something is staked
        other = seed % 3 if rng.below(3) else rng.below(3)
        own = rng.below(3)
        win = (this.payoffs[own][other] or (1 if rng.below(2) else -1)) > 0
        decision.add_round(own, other, won=win)
        rock += (own == 0) - (other == 0)
        paper += (own == 1) - (other == 1)
        ahead += 1 if win else -1


def test_the_stake_is_small() -> None:
    assert STAKE <= 0.01


def test_it_foretells_what_repeats() -> None:
    forecast = Forecast()
    for number in range(12):
        forecast.add(number % 2, number % 3, lost=False)
    assert forecast.next()[0] > 0.8
    assert sum(forecast.next()) == pytest.approx(1)
    blind = Forecast(0)
    blind.add(0, 0, lost=True)
    assert blind.next() == pytest.approx((1 / 3, 1 / 3, 1 / 3))


# --- the champion ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", CONSTANTS_AND_CYCLES)
def test_it_sees_through_what_never_changes(other: str) -> None:
    assert win_rate("champion", other, 10) >= 0.9


def test_it_beats_chance_and_is_not_found_out() -> None:
    assert win_rate("champion", "random", 40) > 0.75
    total = 0.0
    for number in range(60):
        record = play_game(RpsChampion(Rng(str(number))), Replier(Rng(f"r{number}")), f"r/{number}")
        total += float(record.outcome.shares()[0])
    assert total / 60 > 0.3  # half but for the stake


def state_after(*rounds: str) -> State:
    """`rp`: rock against paper; a coin falls to the first; `-p`: the first is missing."""
    state = GAME.start(resolve_options("rps", GAME.options, {}))
    letters = {hand.value[0]: hand for hand in HANDS}
    fault = Fault(FaultKind.TIMEOUT, msg("at fault"))
    for played in rounds:
        moves = {
            seat: letters[sign] if sign in letters else GAME.on_fault(state, seat, fault)
            for seat, sign in enumerate(played)
        }
        state = GAME.apply(state, moves)
        if GAME.to_move(state) == (-1,):
            state = GAME.apply(state, {-1: GAME.read("coin 0")})
    return state


def test_it_says_why() -> None:
    state = state_after(*["pr"] * 9)
    advice = RpsChampion(Rng("1")).advise(GAME.view(state, 0))
    assert advice.expected[Hand.ROCK] > 0.8
    assert advice.mixture[Hand.PAPER] > 0.9
    assert advice.move is Hand.PAPER
    assert max(advice.chances, key=lambda hand: advice.chances[hand]) is Hand.PAPER
    assert all(0 <= chance <= 1 for chance in advice.chances.values())


def test_its_mixture_depends_on_the_past_alone_and_its_moves_on_the_seed() -> None:
    view = GAME.view(state_after("rp", "ss", "-p", "pr", "r-", "--", "rs"), 1)
    first, second = RpsChampion(Rng("1")), RpsChampion(Rng("2"))
    assert first.advise(view).mixture == second.advise(view).mixture
    games = [play_game(RpsChampion(Rng("7")), RpsChampion(Rng("8")), "same").turns for _ in range(2)]
    assert [[made.move for made in turn] for turn in games[0]] == [
        [made.move for made in turn] for turn in games[1]
    ]


def test_games_of_any_length() -> None:
    for rounds in (1, 2, 150):
        record = play_game(
            RpsChampion(Rng("1")), registry.player("rps", "copy")(Rng("2")), "long", rounds=rounds
        )
        assert record.outcome.points[0] + record.outcome.points[1] == rounds


def test_levels() -> None:
    for level in Level:
        assert isinstance(registry.player("rps", f"champion@{level}")(Rng("1")), RpsChampion)
    easy, hard = (RpsChampion.at(level)(Rng("1")) for level in ("easy", "hard"))
    view = GAME.view(state_after(*["pr"] * 9), 0)
    assert easy.advise(view).work == 0
    assert hard.advise(view).work == READINGS
    assert max(easy.advise(view).mixture.values()) < 0.9, "it reads nobody"


# --- the classics ------------------------------------------------------------------------------------------


def test_there_are_twenty_classics_and_all_play_without_a_fault() -> None:
    names = set(registry.player_names("rps")) - {"champion", "random", "greedy"}
    assert len(names) >= 20
    assert set(CLASSICS) <= names
    assert len(CLASSICS) == 20
    for name in names:
        record = play_game(
            registry.player("rps", name)(Rng("1")), registry.player("rps", "random")(Rng("2")), name
        )
        assert all(made.fault is None for turn in record.turns for made in turn)


def possible_hands(name: str, *rounds: str) -> set[str]:
    """What the first of the two may show next."""
    view = GAME.view(state_after(*rounds), 0)
    return {registry.player("rps", name)(Rng(str(seed))).choose(view).value[0] for seed in range(20)}


@pytest.mark.parametrize(
    ("name", "rounds", "hands"),
    [
        ("rock", "", "r"),
        ("cycle", "rr rr", "s"),
        ("cycle-back", "rr", "s"),
        ("cycle-pairs", "rr rr", "p"),
        ("copy", "rs rp", "p"),
        ("copy", "", "rps"),
        ("beat-last", "rp", "s"),
        ("lose-last", "rp", "r"),
        ("beat-self", "rp", "p"),
        ("stay-shift", "rs", "r"),
        ("stay-shift", "rp", "s"),
        ("shift-stay", "rs", "p"),
        ("shift-stay", "rp", "r"),
        ("restless", "rp", "ps"),
        ("frequency", "rp rp rs", "s"),
        ("recent", "rr rr rr rp rp rp", "s"),
        ("rarest", "rp rp rs", "p"),
        ("markov", "rp rs rp", "r"),
        ("markov-2", "rp rs rr rp rs", "p"),
        ("history", "rp rs rr rp rs", "p"),
        ("anti-frequency", "rp rp sp", "s"),
        ("hoard", "rp", "rs"),
    ],
)
def test_each_classic_has_its_idea(name: str, rounds: str, hands: str) -> None:
    assert possible_hands(name, *rounds.split()) == set(hands)


def test_rocky_prefers_rock() -> None:
    view = GAME.view(state_after(), 0)
    player = registry.player("rps", "rocky")(Rng("1"))
    counts = Counter(player.choose(view) for _ in range(300))
    assert 120 < counts[Hand.ROCK] < 190
    assert BEATEN_BY[Hand.ROCK] in counts
