"""The champion of uno and its sparring partner."""

from __future__ import annotations

from collections import Counter

import pytest

from botequim import registry
from botequim.core.game import CHANCE
from botequim.core.rng import Rng
from botequim.games.cards.cards import CARDS
from botequim.games.uno.champion import UnoChampion
from botequim.games.uno.moves import Buy, Discard
from botequim.games.uno.players import Heuristic
from botequim.games.uno.rules import GAME
from botequim.games.uno.state import State
from botequim.search.champion import Budget, Level
from tests.support.uno_tables import deal_hands, options, play, random_move

TABLES = (
    {"players": 2},
    {"players": 2, "two_player_reverse": "skip", "hand_size": 3},
    {"players": 2, "pile": "reshuffle", "hand_size": 15},
    {"players": 4},
    {"players": 4, "pile": "reshuffle", "hand_size": 10},
    {"players": 6, "hand_size": 8},
    {"players": 10, "decks": 2},
    {"players": 3, "decks": 2, "pile": "reshuffle", "hand_size": 20},
)


def champion(effort: int = 40, seed: str = "1") -> UnoChampion:
    return UnoChampion(Rng(seed), Budget(effort=effort))


def chosen_move(state: State, effort: int = 400) -> str:
    (seat,) = GAME.to_move(state)
    return GAME.write(champion(effort).choose(GAME.view(state, seat)))


@pytest.mark.parametrize("given", TABLES, ids=str)
def test_it_never_errs_also_where_others_do(given: dict[str, object]) -> None:
    rng = Rng(f"errs/{given}")
    state = GAME.start(options(**given))
    player = champion()
    while GAME.to_move(state):
        by, move = random_move(state, rng, faults=GAME.to_move(state) != (0,))
        if by == 0:
            move = player.choose(GAME.view(state, 0))
            assert GAME.check(state, 0, move) is None
        state = GAME.apply(state, {by: move})
    assert 0 not in state.out


def test_the_same_seed_gives_the_same_moves() -> None:
    state = deal_hands("3♦ D♦ 2♠ A♠ A♦ C♥ | 4♥ 5♥ 6♥ 7♥ 9♥ 10♥", "8♦")
    view = GAME.view(state, 0)
    first, second = champion(200, "a").advise(view), champion(200, "a").advise(view)
    assert first == second
    assert 200 <= first.work < 220


def test_levels() -> None:
    for level in (Level.EASY, Level.NORMAL):
        state = deal_hands("3♦ D♦ 2♠ | 4♥ 5♥ 6♥", "8♦")
        assert registry.player("uno", f"champion@{level}")(Rng("1")).choose(GAME.view(state, 0))
    assert UnoChampion.levels[Level.FULL].seconds < 2.5


def test_it_says_why() -> None:
    state = play(deal_hands("3♦ D♦ 2♠ A♠ | 4♥ 5♥ 6♥ 7♥ | 4♣ 5♣ 6♣ 7♣", "8♦"), "discard 3♦")
    state = play(state, "buy 1", "draw 2♣", "buy 1", "draw 3♣")
    view = GAME.view(state, 0)
    advice = champion(300).advise(view)
    assert set(view.legal) <= set(advice.chances)
    assert all(0 <= chance <= 1 for chance in advice.chances.values())
    assert advice.chances[advice.move] == max(advice.chances.values())
    unseen = set(map(str, CARDS)) - {str(card) for card in view.hand} - {"3♦", "8♦"}
    assert set(advice.belief) == unseen
    for row in advice.belief.values():
        assert row[0] == 0
        assert sum(row) <= 1 + 1e-9
    held = [sum(row[seat] for row in advice.belief.values()) for seat in (1, 2)]
    assert held == pytest.approx([5, 5])


def test_who_buys_has_probably_nothing_that_fits() -> None:
    state = deal_hands("3♦ D♦ 2♠ 6♠ | 4♥ 5♥ 6♥ 7♥", "8♦")
    state = play(state, "discard 3♦", "buy 1", "draw 2♣")
    belief = champion(600).advise(GAME.view(state, 0)).belief
    diamonds = [belief[f"{value}♦"][1] for value in ("2", "4", "5", "6", "7", "9")]
    spades = [belief[f"{value}♠"][1] for value in ("4", "5", "7", "8", "9")]
    assert sum(diamonds) / len(diamonds) < 0.5 * sum(spades) / len(spades)


@pytest.mark.parametrize(
    ("hands", "table", "moves", "choice"),
    [
        ("3♦ | 4♥", "8♦", (), "discard 3♦"),
        ("3♦ A♠ | 4♥ 5♥", "8♦", (), "discard 3♦"),  # what always fits goes last
        ("V♦ 3♦ 2♠ | 4♥ 5♥ 6♥", "8♦", (), "discard V♦"),
    ],
)
def test_plain_choices(hands: str, table: str, moves: tuple[str, ...], choice: str) -> None:
    assert chosen_move(play(deal_hands(hands, table), *moves)) == choice


def nearly_empty(left: int, cards: str = "3♦ 4♦ 2♣") -> State:
    """Seat 0 has these 3 cards and is to move, seat 1 has all others but so many."""
    state = deal_hands(f"{cards} | 4♥ 5♥ 6♥", "8♦", starter=1)
    count = 54 - 7 - left
    (by,) = GAME.to_move(state)
    state = GAME.apply(state, {by: Buy(count)})
    return GAME.apply(state, {CHANCE: GAME.chance(state, Rng("1"))})


def test_it_ends_the_game_when_that_wins_it() -> None:
    state = nearly_empty(2)
    view = GAME.view(state, 0)
    advice = champion(400).advise(view)
    assert advice.chances[advice.move] == pytest.approx(1)
    assert advice.chances[Buy(3)] == 1, "one more than there are"
    assert champion(400).advise(GAME.view(nearly_empty(0), 0)).chances[Buy(1)] == 1


def test_it_ends_the_game_also_when_nothing_fits() -> None:
    state = nearly_empty(2, "2♣ 9♣ 10♠")
    assert chosen_move(state) == "buy 3"


def test_what_it_supposes_agrees_with_what_is_seen() -> None:
    """In every world each hand has as many cards as it must, and no card is anywhere twice."""
    rng = Rng("worlds")
    state = GAME.start(options(players=4))
    while GAME.to_move(state):
        by, move = random_move(state, rng)
        if by == 0 and len(GAME.legal(state, 0)) > 1:
            view = GAME.view(state, 0)
            belief = champion(30).advise(view).belief
            for seat in (1, 2, 3):
                held = sum(row[seat] for row in belief.values())
                assert held == pytest.approx(view.counts[seat])
            seen = {event.move.card for event in view.events if isinstance(event.move, Discard)}
            assert not {str(card) for card in seen} & set(belief)
        state = GAME.apply(state, {by: move})


# --- the heuristic -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "other", "choice"),
    [
        ("3♦ D♦ R♦ V♦", "4♥ 5♥ 6♥ 7♥", "discard V♦"),
        ("3♠ 9♠ 2♦ C♥", "4♥ 5♥ 6♥ 7♥", "discard 2♦"),
        ("3♠ 9♠ 2♣ C♥", "4♥ 5♥ 6♥ 7♥", "discard C♥ ♠"),
        ("3♠ 9♠ 2♣ 4♣", "4♥ 5♥ 6♥ 7♥", "buy 1"),
    ],
)
def test_rules_of_thumb(cards: str, other: str, choice: str) -> None:
    state = deal_hands(f"{cards} | {other}", "8♦")
    assert GAME.write(Heuristic(Rng("1")).choose(GAME.view(state, 0))) == choice


def test_it_stops_who_is_about_to_win_and_ends_what_it_has_won() -> None:
    state = play(deal_hands("3♦ C♥ | 4♦ 5♥", "8♦", starter=1), "discard 4♦")
    assert GAME.write(Heuristic(Rng("1")).choose(GAME.view(state, 0))) == "discard C♥ ♦"
    assert Heuristic(Rng("1")).choose(GAME.view(nearly_empty(0), 0)) == Buy(1), "the fewest cards win"


def test_the_heuristic_beats_random() -> None:
    wins: Counter[int] = Counter()
    for number in range(120):
        rng = Rng(f"deal/{number}")
        state = GAME.start(options(players=2))
        seat = number % 2
        players = {
            seat: Heuristic(Rng(str(number))),
            1 - seat: registry.player("uno", "random")(Rng(f"r{number}")),
        }
        while GAME.to_move(state):
            (by,) = GAME.to_move(state)
            move = GAME.chance(state, rng) if by == CHANCE else players[by].choose(GAME.view(state, by))
            state = GAME.apply(state, {by: move})
        outcome = GAME.outcome(state)
        assert outcome is not None
        wins[outcome.places[seat]] += 1
    assert wins[1] > 66  # two in three, give or take
