"""Random games go the same way by the rules and by the search."""

from __future__ import annotations

import pytest

from tests.search_agrees import AGREES

GAMES = 500


@pytest.mark.parametrize("game_name", AGREES)
def test_legality_and_outcome_are_the_same(game_name: str) -> None:
    for number in range(GAMES):
        AGREES[game_name](f"test/{number}")
