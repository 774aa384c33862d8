"""Positions in which tests ask players."""

from __future__ import annotations

from typing import Any

from botequim import registry
from botequim.core.game import CHANCE
from botequim.core.options import resolve_options
from botequim.core.rng import Rng


def position(game_name: str, seed: str, turns: int) -> Any:
    """Return what the player to move sees after so many random turns of players."""
    game, rng = registry.game(game_name), Rng(seed)
    state = game.start(resolve_options(game_name, game.options, {}))
    while True:
        due = game.to_move(state)
        if due[0] != CHANCE:
            if turns <= 0 and len(game.legal(state, due[0])) > 2:
                return game.view(state, due[0])
            turns -= 1
        state = game.apply(
            state,
            {
                by: game.chance(state, rng) if by == CHANCE else rng.choice(game.legal(state, by))
                for by in due
            },
        )
