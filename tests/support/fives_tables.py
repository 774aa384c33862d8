"""Tables of fives for tests."""

from __future__ import annotations

from botequim.core.game import CHANCE
from botequim.core.options import resolve_options
from botequim.games.dominoes.tiles import Hand, read_tile
from botequim.games.fives.rules import GAME, Phase, State
from botequim.games.fives.spinner import EMPTY, Board, Lay
from botequim.testing import check_game

WITH_DOUBLES = "deal 0-1 0-2 0-3 0-4 0-5 3-3 5-5 | 1-2 1-3 1-4 1-5 2-5 2-2 4-4"
WITHOUT_DOUBLES = "deal 0-1 0-2 0-3 0-4 0-5 0-6 1-2 | 1-3 1-4 1-5 1-6 2-3 2-4 2-5"


def start(**options: object) -> State:
    return GAME.start(resolve_options(GAME.name, GAME.options, options))


def play(state: State, *texts: str) -> State:
    """Return the state after moves in words, by whoever is to move; none may be refused."""
    for text in texts:
        (seat,) = GAME.to_move(state)
        move = GAME.read(text)
        assert GAME.check(state, seat, move) is None, text
        state = GAME.apply(state, {seat: move})
    return state


def board(*lays: str) -> Board:
    """Return a board with these tiles laid in turn."""
    laid = EMPTY
    for text in lays:
        lay = GAME.read(text)
        assert isinstance(lay, Lay)
        assert laid.refusal(lay) is None, text
        laid = laid.with_lay(lay)
    return laid


def hand(tiles: str) -> Hand:
    return tuple(read_tile(tile, 6) for tile in tiles.split())


def table(
    first: str,
    second: str,
    *lays: str,
    boneyard: str = "",
    scores: tuple[int, int] = (0, 0),
    **options: object,
) -> State:
    """Return a round in progress, with seat 0 to move."""
    before = start(**options)
    hands = (hand(first), hand(second))
    events = GAME.apply(before, {CHANCE: GAME.read(WITH_DOUBLES)}).events
    return State(before.options, 1, scores, hands, hand(boneyard), board(*lays), Phase.PLAY, 0, events)


def menu(state: State) -> list[str]:
    return [GAME.write(move) for move in GAME.legal(state, state.seat)]


def is_refused(state: State, text: str) -> bool:
    return GAME.check(state, state.seat, GAME.read(text)) is not None


def test_keeps_the_contract() -> None:
    check_game(GAME, games=3)
