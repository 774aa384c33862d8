"""Champions: asked for by level, the same under the same seed, never illegal, and able to say why."""

from __future__ import annotations

from typing import Any

import pytest

from botequim import registry
from botequim.core.errors import UnknownName
from botequim.core.game import AnyGame
from botequim.core.options import Options, resolve_options
from botequim.core.rng import Rng
from botequim.match.runner import play_match
from botequim.match.spec import MatchSpec
from botequim.search.champion import Champion

CHAMPIONS = [name for name in registry.game_names() if "champion" in registry.player_names(name)]
EFFORT = 6


def start(game_name: str) -> tuple[AnyGame, Options]:
    game = registry.game(game_name)
    return game, resolve_options(game.name, game.options, {})


def play_game(game_name: str, seed: str, name: str) -> tuple[list[str], list[tuple[Champion, Any]]]:
    """A game of a player against itself, as it is written, and every question that had a choice."""
    game, options = start(game_name)
    seats = sorted(seat for team in game.teams(options) for seat in team)
    make = registry.player(game_name, name)
    players: Any = [make(Rng(f"{seed}/{seat}")) for seat in seats]
    state, rng, moves, asked = game.start(options), Rng(seed), [], []
    while to_move := game.to_move(state):
        chosen = {}
        for seat in to_move:
            if seat < 0:
                chosen[seat] = game.chance(state, rng)
                continue
            view = game.view(state, seat)
            chosen[seat] = players[seat].choose(view)
            assert game.check(state, seat, chosen[seat]) is None, game.write(chosen[seat])
            if len(view.legal) > 1:
                asked.append((players[seat], view))
        moves += [game.write(move) for _, move in sorted(chosen.items())]
        state = game.apply(state, chosen)
    return moves, asked


@pytest.mark.parametrize("game_name", CHAMPIONS)
def test_the_same_seed_gives_the_same_game(game_name: str) -> None:
    name = f"champion@{EFFORT}"
    assert play_game(game_name, "7", name)[0] == play_game(game_name, "7", name)[0]


@pytest.mark.parametrize("game_name", CHAMPIONS)
@pytest.mark.parametrize("level", ["easy", "normal"])
def test_levels_that_count_work_never_move_against_the_rules(game_name: str, level: str) -> None:
    play_game(game_name, "legal", f"champion@{level}")


@pytest.mark.parametrize("game_name", CHAMPIONS)
def test_a_champion_says_why(game_name: str) -> None:
    _, asked = play_game(game_name, "why", f"champion@{EFFORT}")
    for player, view in asked[:6]:
        advice = player.advise(view)
        assert advice.move in list(view.legal)
        assert set(advice.chances) == set(view.legal)
        assert all(0 <= chance <= 1 for chance in advice.chances.values())
        assert advice.chances[advice.move] >= max(advice.chances.values()) - 0.05
        for row in advice.belief.values():
            assert sum(row) <= 1 + 1e-9


@pytest.mark.parametrize("game_name", CHAMPIONS)
def test_a_time_for_each_move_can_be_asked_for(game_name: str) -> None:
    _, asked = play_game(game_name, "time", f"champion@{EFFORT}")
    _, view = asked[0]
    for time in ("0.05s", "0.000001s"):
        player: Any = registry.player(game_name, f"champion@{time}")(Rng("time"))
        assert player.choose(view) in list(view.legal)


def test_a_suit_that_was_not_tried_is_as_doubtful_as_the_one_it_is_judged_by() -> None:
    """Nothing is surer for not having been tried."""
    for seed in range(6):
        for player, view in play_game("uno", f"suits {seed}", f"champion@{EFFORT}")[1]:
            advice = player.advise(view)
            assert all(move in advice.spread for move, chance in advice.chances.items() if chance)


def test_an_unknown_level_lists_the_known() -> None:
    with pytest.raises(UnknownName, match="known: easy, normal, hard, full, a time"):
        registry.player("cubos", "champion@harder")
    with pytest.raises(UnknownName, match="has no levels"):
        registry.player("cubos", "greedy@hard")
    with pytest.raises(UnknownName, match="unknown player"):
        registry.player("cubos", "nobody@hard")


def test_a_searcher_of_a_second_has_no_other_levels() -> None:
    with pytest.raises(UnknownName, match="known: normal"):
        registry.player("cubos", "pimc-js@300")


@pytest.mark.parametrize("level", ["\u0663s", "0.\u0663s", "1\u0663", "\u0663", "0s", "-1", "5s\n", "60\n"])
def test_amounts_are_written_in_plain_digits(level: str) -> None:
    with pytest.raises(UnknownName, match="unknown level"):
        registry.player("cubos", f"champion@{level}")


@pytest.mark.parametrize("game_name", CHAMPIONS)
@pytest.mark.parametrize("much", ["9999999", "9" * 5000])
def test_too_much_work_is_refused_and_the_limit_is_said(game_name: str, much: str) -> None:
    with pytest.raises(
        UnknownName, match=r"is too much work for one move; the highest is [0-9]+$"
    ) as refused:
        registry.player(game_name, f"champion@{much}")
    most = str(refused.value).rpartition(" ")[2]
    registry.player(game_name, f"champion@{most}")
    with pytest.raises(UnknownName, match=f"the highest is {most}$"):
        registry.player(game_name, f"champion@{int(most) + 1}")


def test_belief_of_cubos_adds_up_to_the_tiles_that_each_hand_has() -> None:
    _, asked = play_game("cubos", "belief", f"champion@{EFFORT}")
    for player, view in asked[2:8]:
        belief = player.advise(view).belief
        for seat in range(4):
            held = 0 if seat == view.seat else view.counts[seat]
            assert sum(row[seat] for row in belief.values()) == pytest.approx(held)


def test_levels_are_named_in_matches() -> None:
    match = MatchSpec.of("cubos", ("champion@2", "pimc@2"), games=2, seed="levels")
    *_, table = play_match(match, workers=1)
    assert table.games == 2
    assert [score.faults for score in table.scores] == [0, 0]


def test_the_searcher_of_a_second_has_more_worlds_later() -> None:
    _, asked = play_game("cubos", "second", "champion@1")
    player: Any = registry.player("cubos", "pimc-js")(Rng("second"))
    worlds = {len(view.line): player.advise(view).work for _, view in asked if len(view.line) in (1, 6)}
    assert all(worlds[length] == expected for length, expected in ((1, 11), (6, 275)) if length in worlds)
    assert worlds


def test_where_cubos_must_pass_it_says_so_and_what_it_believes() -> None:
    game = registry.game("cubos")
    rng = Rng("passes")
    state = game.start(resolve_options("cubos", game.options, {}))
    player: Any = registry.player("cubos", "champion@2")(Rng("mind"))
    passed = 0
    while passed < 3:
        (seat,) = game.to_move(state) or (None,)
        if seat is None:
            state = game.start(resolve_options("cubos", game.options, {}))
            continue
        move = game.chance(state, rng) if seat < 0 else game.legal(state, seat)[0]
        if seat >= 0 and game.write(move) == "pass":
            view = game.view(state, seat)
            advice = player.advise(view)
            assert advice.move == move
            assert not advice.chances
            assert sum(sum(row) for row in advice.belief.values()) == pytest.approx(
                sum(len(hand) for at, hand in enumerate(state.hands) if at != seat)
            )
            passed += 1
        state = game.apply(state, {seat: move})
