from __future__ import annotations

import pytest

from tests.tiles_agree import fives_agrees, havana_agrees


@pytest.mark.parametrize("part", range(4))
def test_havana_has_the_same_rules_in_games_and_in_search(part: int) -> None:
    for number in range(part * 50, part * 50 + 50):
        havana_agrees(f"agree/{number}")


@pytest.mark.parametrize("part", range(4))
def test_fives_has_the_same_rules_in_games_and_in_search(part: int) -> None:
    for number in range(part * 25, part * 25 + 25):
        fives_agrees(f"agree/{number}")
