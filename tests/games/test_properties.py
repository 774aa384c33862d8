"""What must hold in every position of every game, however it came about."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botequim import registry
from botequim.core.game import CHANCE
from botequim.core.rng import Rng
from botequim.records.verify import referee_again, verify_record
from botequim.testing.contract import settings as option_settings
from tests.support.tables import clumsy, found, play_game

GAMES = registry.game_names()
seeds = st.integers(0, 10**9).map(str)


def states(name: str, seed: str) -> list[Any]:
    """Every state of one game of clumsy players, under some setting of the options."""
    game = registry.game(name)
    some = list(option_settings(game))
    options = some[int(seed) % len(some)]
    if options.get("rounds", 0) == 1000:  # long enough to be slow, and no different
        options = {**options, "rounds": 7}
    seen: list[Any] = []
    play_game(game, clumsy(seed), seed=seed, options=options, emit=lambda step: seen.append(step.after))
    return seen


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=15)
@given(seed=seeds)
def test_pieces_are_conserved(name: str, seed: str) -> None:
    game = registry.game(name)
    counts = [Counter(game.pieces(state)) for state in states(name, seed)]
    assert all(count == counts[0] for count in counts)


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=10)
@given(seed=seeds)
def test_views_do_not_change_with_what_is_hidden(name: str, seed: str) -> None:
    game = registry.game(name)
    rng = Rng(seed)
    reached = states(name, seed)
    settled = list(option_settings(game))[int(seed) % len(list(option_settings(game)))]
    seats = [seat for team in game.teams(settled) for seat in team]
    for state in reached[:: max(1, len(reached) // 40)]:
        for seat in (None, *seats):
            assert game.view(game.resample_hidden(state, seat, rng), seat) == game.view(state, seat)


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=10)
@given(seed=seeds)
def test_legal_moves_pass_the_check_and_survive_writing(name: str, seed: str) -> None:
    game = registry.game(name)
    for state in states(name, seed):
        for seat in game.to_move(state):
            if seat == CHANCE:
                continue
            for move in game.legal(state, seat):
                assert game.check(state, seat, move) is None
                assert game.read(game.write(move)) == move


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=10)
@given(seed=seeds)
def test_replaying_a_record_gives_the_same_record(name: str, seed: str) -> None:
    record = play_game(registry.game(name), clumsy(seed), seed=seed)
    assert verify_record(found(record)).ok
    assert list(referee_again(found(record)).lines()) == list(record.lines())


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=5)
@given(seed=seeds)
def test_same_seed_same_game(name: str, seed: str) -> None:
    first, second = (play_game(registry.game(name), clumsy(seed), seed=seed) for _ in range(2))
    assert list(first.lines()) == list(second.lines())
