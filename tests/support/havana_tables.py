"""Tables of havana with given hands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from botequim.core.errors import Fault, FaultKind
from botequim.core.game import CHANCE
from botequim.core.options import resolve_options
from botequim.games.dominoes.tiles import Deal, Tile
from botequim.games.havana.moves import TILES, First, move_from_answer
from botequim.games.havana.rules import GAME
from botequim.games.havana.state import State

Pairs = Sequence[tuple[int, int]]

CHAIN = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8), (8, 9), (9, 9)]
"""A hand that can be laid to the end while the others pass."""


ASIDE = [(1, 2), (1, 3), (1, 5), (1, 6), (1, 8), (1, 9)]
"""Tiles that fit neither a 4 nor a 7."""


def deal_hands(*starts: Pairs, first: int = 0, **options: str) -> State:
    """Return a game after the deal. Hands begin with the given tiles and are filled up with the others."""
    state = GAME.start(resolve_options("havana", GAME.options, options))
    state = GAME.apply(state, {CHANCE: First(first)})
    hands = [[Tile(*tile) for tile in start] for start in starts] + [[] for _ in range(4 - len(starts))]
    left = [tile for tile in TILES if not any(tile in hand for hand in hands)]
    for hand in hands:
        missing = 10 - len(hand)
        hand += left[:missing]
        left = left[missing:]
    deal = Deal(tuple(map(tuple, hands)))
    assert GAME.check(state, CHANCE, deal) is None
    return GAME.apply(state, {CHANCE: deal})


def answer(state: State, *answers: tuple[object, object]) -> State:
    """Return the game after the players to move gave these sides and tiles, treated as the referee does."""
    for side, tile in answers:
        (seat,) = GAME.to_move(state)
        move, _ = move_from_answer(side, tile, strict=GAME.view(state, seat).strict)
        refused = GAME.check(state, seat, move)
        if refused is not None:
            move = GAME.on_fault(state, seat, Fault(FaultKind.ILLEGAL, refused, move=move))
        state = GAME.apply(state, {seat: move})
    return state


def pass_turns(state: State, times: int) -> State:
    return answer(state, *[(0, None)] * times)


def last_play(state: State) -> Any:
    return GAME.view(state, None).play_hist[-1]


def extremes(state: State) -> tuple[int, ...]:
    return GAME.view(state, None).board_extremes
