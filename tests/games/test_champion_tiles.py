"""The champions of fives and havana: always legal, within their budget, the same under a seed, able to say
why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from botequim import registry
from botequim.core.game import CHANCE, AnyGame
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.games.fives.champion import standings
from botequim.games.fives.search.data import fives_rounds
from botequim.games.fives.search.standing import HIGHEST_DOUBLE, I_OPEN, THEY_OPEN, RoundResult, Standings
from botequim.games.havana.moves import PASS
from botequim.games.havana.search import position as havana
from botequim.games.havana.search.data import havana_policy
from botequim.games.havana.search.policy import Policy
from botequim.games.havana.search.position import table_of
from botequim.search.champion import Advice


def positions(game: AnyGame, opponent: str, seed: str, **options: object) -> Iterator[tuple[Any, int]]:
    """Every state of a game in which a player has a choice, played by the opponent's kind."""
    rng = Rng(seed)
    state = game.start(resolve_options(game.name, game.options, options))
    players = [registry.player(game.name, opponent)(Rng(f"{seed}/{seat}")) for seat in range(4)]
    while to_move := game.to_move(state):
        (seat,) = to_move
        if seat == CHANCE:
            move = game.chance(state, rng)
        else:
            view = game.view(state, seat)
            if len(view.legal) > 1:
                yield state, seat
            move = players[seat].choose(view)
        state = game.apply(state, {seat: move})


def advise(game: AnyGame, state: Any, seat: int, level: str) -> Advice:
    champion: Any = registry.player(game.name, f"champion@{level}")(Rng("mind"))
    advice = champion.advise(game.view(state, seat))
    assert isinstance(advice, Advice)
    return advice


@pytest.mark.parametrize("game_name", ["fives", "havana"])
@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_what_it_advises_is_legal_and_it_says_why(game_name: str, opponent: str) -> None:
    game = registry.game(game_name)
    for number in range(3):
        for state, seat in positions(game, opponent, f"advice/{number}"):
            advice = advise(game, state, seat, "8")
            legal = game.view(state, seat).legal
            assert game.check(state, seat, advice.move) is None
            assert set(advice.chances) == set(legal)
            assert all(0.0 <= chance <= 1.0 for chance in advice.chances.values())
            assert all(sum(row) <= 1.0 + 1e-9 and row[seat] == 0.0 for row in advice.belief.values())


@pytest.mark.parametrize("game_name", ["fives", "havana"])
def test_the_same_seed_gives_the_same_thoughts(game_name: str) -> None:
    game = registry.game(game_name)
    for state, seat in list(positions(game, "greedy", "again"))[::5]:
        assert advise(game, state, seat, "20") == advise(game, state, seat, "20")


@pytest.mark.parametrize("game_name", ["fives", "havana"])
@pytest.mark.parametrize("level", ["easy", "normal", "hard", "full", "0.01s"])
def test_every_level_plays(game_name: str, level: str) -> None:
    game = registry.game(game_name)
    state, seat = list(positions(game, "greedy", "levels"))[3]
    assert game.check(state, seat, advise(game, state, seat, level).move) is None


def test_work_is_what_was_asked_for() -> None:
    fives, havana = registry.game("fives"), registry.game("havana")
    state, seat = next(positions(fives, "greedy", "work"))
    assert advise(fives, state, seat, "7").work == 7
    for state, seat in positions(havana, "greedy", "work"):
        moves = len(havana.view(state, seat).legal)
        assert moves <= max(moves, advise(havana, state, seat, "40").work) <= max(moves, 40)


@pytest.mark.parametrize(
    ("game_name", "opponent"),
    [
        pytest.param("fives", "random", marks=pytest.mark.slow),
        ("fives", "greedy"),
        ("havana", "dummy"),
        ("havana", "greedy"),
    ],
)
def test_it_believes_in_hands_that_are_really_held(game_name: str, opponent: str) -> None:
    """No tile that another really holds is thought impossible, and hands have their sizes."""
    game = registry.game(game_name)
    for state, seat in list(positions(game, opponent, "belief"))[::6]:
        belief = advise(game, state, seat, "1000").belief
        for other, hand in enumerate(state.hands):
            if other != seat:
                assert all(belief[str(tile)][other] > 0.0 for tile in hand)
                assert sum(row[other] for row in belief.values()) == pytest.approx(len(hand))


def test_who_draws_holds_nothing_that_fits() -> None:
    """Neither what was there before nor what was drawn and stayed in the hand."""
    game = registry.game("fives")
    greedy = registry.player("fives", "greedy")(Rng("any"))
    rng = Rng("drew")
    state = game.start(resolve_options("fives", game.options, {}))
    drew: dict[int, tuple[int, ...]] = {}
    checked = 0
    while to_move := game.to_move(state):
        (seat,) = to_move
        if seat == CHANCE:
            move = game.chance(state, rng)
            drew = drew if game.write(move).startswith("draw") else {}
        else:
            view = game.view(state, seat)
            move = greedy.choose(view)
            if game.write(move) == "draw":
                drew[seat] = state.board.ends()
            for tile, row in advise(game, state, seat, "20").belief.items():
                if any(str(end) in tile for end in drew.get(1 - seat, ()) if end >= 0):
                    assert row[1 - seat] == 0.0
                    checked += 1
            drew.pop(1 - seat, None)
        state = game.apply(state, {seat: move})
    assert checked


def test_where_there_is_no_choice_there_is_advice_too() -> None:
    game = registry.game("fives")
    rng = Rng("forced")
    state = game.start(resolve_options("fives", game.options, {}))
    player: Any = registry.player("fives", "champion@2")(Rng("mind"))
    forced = 0
    while forced < 3:
        (seat,) = game.to_move(state)
        move = game.chance(state, rng) if seat == CHANCE else game.legal(state, seat)[0]
        if seat != CHANCE and game.write(move) in ("draw", "pass"):
            advice = player.advise(game.view(state, seat))
            assert advice.move == move
            assert 0.0 < advice.chances[move] < 1.0
            forced += 1
        state = game.apply(state, {seat: move})


def test_a_thousand_games_of_havana_at_full_fit_into_the_time_of_a_confronto() -> None:
    player: Any = registry.player("havana", "champion@full")(Rng("full"))
    choices = 8  # that a player has in a game
    assert 0 < 1000 * choices * player.budget.seconds < 300


def test_in_havana_only_the_last_tile_is_certain_to_win() -> None:
    """However many worlds agree, others may not."""
    game = registry.game("havana")
    certain = 0
    for number in range(6):
        for state, seat in list(positions(game, "greedy", f"certain/{number}"))[-4:]:
            view = game.view(state, seat)
            for move, chance in advise(game, state, seat, "12").chances.items():
                last = len(view.hand) == 1 and move != PASS
                assert (chance == 1.0) == last
                assert chance > 0.0
                certain += last
    assert certain


def test_passing_is_weighed_in_havana() -> None:
    game = registry.game("havana")
    state, seat = list(positions(game, "greedy", "pass"))[6]
    assert 0.0 <= advise(game, state, seat, "50").chances[PASS] <= 1.0


# --- what a standing in fives is worth ---------------------------------------------------------------


@pytest.mark.parametrize(("target", "reach"), [(150, False), (150, True), (35, False)])
def test_standings(target: int, reach: bool) -> None:
    standings = Standings(target, reach, *fives_rounds())
    assert standings.chance(0, 0, HIGHEST_DOUBLE) == pytest.approx(0.5)
    assert standings.chance(0, 0, I_OPEN) > 0.5
    for mine in range(0, target, 10):
        for theirs in range(0, target, 15):
            for opens, other in ((I_OPEN, THEY_OPEN), (HIGHEST_DOUBLE, HIGHEST_DOUBLE)):
                chance = standings.chance(mine, theirs, opens)
                assert chance + standings.chance(theirs, mine, other) == pytest.approx(1.0)
                assert chance < standings.chance(mine + 5, theirs, opens) or chance == 1.0
    assert (standings.chance(target, target - 5, I_OPEN) == 1.0) == reach
    assert standings.chance(target + 5, 0, THEY_OPEN) == 1.0
    assert standings.chance(0, target + 5, I_OPEN) == 0.0
    assert 0.0 < standings.chance(target + 5, target + 5, I_OPEN) < 1.0


def test_the_last_tile_is_laid_in_havana() -> None:
    """Passing with a tile that ends the game is never better, whatever the policy's features say of it."""
    game = registry.game("havana")
    champion: Any = registry.player("havana", "champion@10")(Rng("last"))
    weights = havana_policy()
    policies = [Policy(weights), Policy([-weight for weight in weights])]  # one that likes what is bad
    met = 0
    for number in range(200):
        for state, seat in positions(game, "random", f"last/{number}"):
            view = game.view(state, seat)
            if len(view.hand) == 1:
                met += 1
                assert champion.advise(view).move != PASS
                for policy in policies:
                    assert policy.choose(table_of(seat, view.hand, view.play_hist)) != havana.PASS
    assert met > 10


@pytest.mark.parametrize(
    ("reach", "standing", "chance"),
    [
        (False, (0, 0, I_OPEN), 0.5336053405197536),
        (False, (100, 50, THEY_OPEN), 0.8251206428745186),
        (False, (50, 100, HIGHEST_DOUBLE), 0.14505428979582136),
        (False, (145, 150, I_OPEN), 0.5021485378134377),
        (False, (160, 160, THEY_OPEN), 0.4242666422616297),
        (True, (0, 0, I_OPEN), 0.5341659464736389),
        (True, (100, 50, THEY_OPEN), 0.8332354542602648),
        (True, (50, 100, HIGHEST_DOUBLE), 0.13695621344772668),
    ],
)
def test_standings_known_by_heart(reach: bool, standing: tuple[int, int, int], chance: float) -> None:
    known = standings(150, "reach" if reach else "over")
    assert known.chance(*standing) == pytest.approx(chance, abs=1e-12)


@pytest.mark.parametrize("target_rule", ["over", "reach"])
def test_a_standing_is_worth_what_comes_of_the_next_round(target_rule: str) -> None:
    """The mean over all rounds that can follow; by a double, as seen from either side."""
    known = standings(150, target_rule)
    opened, by_double = fives_rounds()

    def worth(rounds: tuple[RoundResult, ...], mine: int, theirs: int) -> float:
        whole = sum(often for *_, often in rounds)
        after = [
            known.chance(mine + 5 * gain, theirs + 5 * loss, opens) * often
            for gain, loss, opens, often in rounds
        ]
        return sum(after) / whole

    for mine, theirs in ((0, 0), (40, 95), (95, 40), (145, 145), (150, 150), (0, 145), (170, 170)):
        double = (worth(by_double, mine, theirs) + 1.0 - worth(by_double, theirs, mine)) / 2
        assert known.chance(mine, theirs, I_OPEN) == pytest.approx(worth(opened, mine, theirs), abs=1e-8)
        assert known.chance(mine, theirs, HIGHEST_DOUBLE) == pytest.approx(double, abs=1e-8)


def test_rounds_that_go_alike_count_together() -> None:
    opened, by_double = fives_rounds()
    halves = [(*result[:3], result[3] / 2) for result in opened]
    twice, once = Standings(35, False, halves + halves, by_double), standings(35, "over")
    for mine in range(0, 35, 5):
        assert twice.chance(mine, 20, I_OPEN) == pytest.approx(once.chance(mine, 20, I_OPEN), abs=1e-12)


def test_standings_are_there_before_the_first_move_and_are_kept() -> None:
    game = registry.game("fives")
    state, seat = next(positions(game, "greedy", "kept"))
    standings.cache_clear()
    player: Any = registry.player("fives", "champion@1")(Rng("kept"))
    made = standings.cache_info().misses
    player.advise(game.view(state, seat))
    registry.player("fives", "champion@1")(Rng("another")).choose(game.view(state, seat))
    assert standings.cache_info().misses == made == 1
