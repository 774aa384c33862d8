"""Random games go the same way by the rules and by the search."""

from __future__ import annotations

import pytest

from tests.support.search_agrees import AGREES


@pytest.mark.parametrize("games", [200, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("game_name", AGREES)
def test_legality_and_outcome_are_the_same(game_name: str, games: int) -> None:
    for number in range(games):
        AGREES[game_name](f"test/{number}")
