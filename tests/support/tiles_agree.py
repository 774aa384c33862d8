"""The rules of fives and havana in `search/` and in `games/` are the same: see `search_agrees.py`."""

from __future__ import annotations

from botequim.core.game import CHANCE
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.games.dominoes.tiles import Deal
from botequim.games.fives import rules as fives
from botequim.games.fives.search import board as fives_search
from botequim.games.fives.spinner import DIRECTIONS, Lay
from botequim.games.havana import rules
from botequim.games.havana.moves import PASS, TILES
from botequim.games.havana.moves import Lay as HavanaLay
from botequim.games.havana.search import position as havana_search
from botequim.search.bits import pips_of

NUMBER = {tile: number for number, tile in enumerate(fives.TILES)}


def havana_agrees(seed: str) -> None:
    """Every menu, the ends, and the outcome."""
    rng = Rng(seed)
    state = rules.GAME.start(resolve_options("havana", rules.GAME.options, {}))
    while not state.hands:
        state = rules.GAME.apply(state, {CHANCE: rules.GAME.chance(state, rng)})
    table = havana_search.Table()
    one, two, three, four = [havana_search.mask_of(hand) for hand in state.hands]
    table.deal(state.to_move[0], one, two, three, four)
    moves = havana_search.room()
    while state.to_move:
        assert table.winner == havana_search.UNKNOWN
        count = int(table.moves(moves))
        numbers = [int(moves[at]) for at in range(count)]
        ours = {HavanaLay(number & 1, TILES[number >> 1]) for number in numbers}
        assert ours | {PASS} == set(rules.GAME.legal(state, state.to_move[0]))
        lay = count > 0 and rng.below(10) > 0
        number = rng.choice(numbers) if lay else int(havana_search.PASS)
        move = HavanaLay(number & 1, TILES[number >> 1]) if lay else PASS
        table.play(number)
        state = rules.GAME.apply(state, {state.to_move[0]: move})
        assert state.ends in ((table.left, table.right), ())
        assert [havana_search.mask_of(hand) for hand in state.hands] == list(table.hands)
    outcome = rules.GAME.outcome(state)
    assert outcome is not None
    assert outcome.places == {0: (1, 2), 1: (2, 1), 2: (1, 1)}[int(table.winner)]


def fives_agrees(seed: str) -> None:
    """Every menu, every board's score, and the standing after every lay and round."""
    rng = Rng(seed)
    state = fives.GAME.start(resolve_options("fives", fives.GAME.options, {}))
    board = 0
    scores = [0, 0]
    passed = False
    while to_move := fives.GAME.to_move(state):
        (seat,) = to_move
        move = fives.GAME.chance(state, rng) if seat == CHANCE else rng.choice(fives.GAME.legal(state, seat))
        hands = [sum(1 << NUMBER[tile] for tile in hand) for hand in state.hands]
        number = -1
        if isinstance(move, Deal):
            board = 0
        elif isinstance(move, fives.Open):
            number = 4 * NUMBER[move.tile]
            seat = 0 if hands[0] >> NUMBER[move.tile] & 1 else 1
        elif seat != CHANCE:
            _same_menu(board, hands[seat], state, seat)
        if isinstance(move, Lay):
            number = 4 * NUMBER[move.tile] + DIRECTIONS.index(move.side)
        if number >= 0:
            board = int(fives_search.board_after(board, number))
            scores[seat] += int(fives_search.points_on(board))
            rest = hands[seat] & ~(1 << (number >> 2))
            if rest == 0:
                scores[seat] += int(fives_search.nearest_five(pips_of(hands[1 - seat], fives_search.PIPS)))
        if isinstance(move, fives.Pass) and passed:
            more = int(pips_of(hands[1], fives_search.PIPS) - pips_of(hands[0], fives_search.PIPS))
            scores[0 if more > 0 else 1] += int(fives_search.nearest_five(abs(more)))
        passed = isinstance(move, fives.Pass)
        state = fives.GAME.apply(state, {to_move[0]: move})
        assert tuple(scores) == state.scores
        if number >= 0:
            assert int(fives_search.counts_for(board)) == state.board.score()


def _same_menu(board: int, hand: int, state: fives.State, seat: int) -> None:
    """All lays; and what the search looks at leads to every board that they lead to."""
    ours = set()
    for tile in range(28):
        for side in range(4):
            takes = int(fives_search.takes(board, side))
            fits = side == 0 if board == 0 else takes >= 0 and int(fives_search.WITH[takes]) >> tile & 1
            if hand >> tile & 1 and fits:
                ours.add(Lay(fives.TILES[tile], DIRECTIONS[side]))
    menu = fives.GAME.legal(state, seat)
    assert ours == {move for move in menu if isinstance(move, Lay)}
    assert bool(hand & fives_search.tiles_that_fit(board)) == bool(ours)
    room = fives_search.move_buffer()
    searched = {int(room[at]) for at in range(int(fives_search.moves_on(board, hand, room, 0)))}
    every = {4 * NUMBER[move.tile] + DIRECTIONS.index(move.side) for move in ours}
    assert searched <= every
    reached = {_looks(int(fives_search.board_after(board, move))) for move in searched}
    assert reached == {_looks(int(fives_search.board_after(board, move))) for move in every}


def _looks(board: int) -> tuple[object, ...]:
    """A board with its arms in any order: they are alike once there are two. A line has no left and right."""
    arms = [(board >> 4 * side & 15, board >> (16 + side) & 1) for side in range(4)]
    return board >> 20, tuple(sorted(arms))
