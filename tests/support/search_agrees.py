"""The rules of `search/` and of `games/` are the same: random games, move by move.

`python -m tests.support.search_agrees [GAMES]` plays 10,000 of each game; the tests play fewer. A game adds a
function here that plays one game under a seed, both ways, and asserts whatever can be told.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.games.cubos import rules
from botequim.games.cubos.champion import mask_of, number_of
from botequim.games.cubos.search.history import History
from botequim.games.cubos.search.numbers import PAIR
from botequim.games.cubos.search.playout import GOES_ON, outcome
from botequim.games.cubos.search.policy import MoveModel, Network
from botequim.games.cubos.search.solver import Solver
from tests.support.cards_agree import rps_agrees, uno_agrees
from tests.support.tiles_agree import fives_agrees, havana_agrees

_NETWORK = Network(PAIR)


def cubos_agrees(seed: str) -> None:
    """Check every menu and the outcome, and that the solver agrees about positions near the end."""
    rng = Rng(seed)
    options = resolve_options("cubos", rules.GAME.options, {"blocked": rng.choice(("draw", "points"))})
    points = options["blocked"] == "points"
    state = rules.GAME.start(options)
    while rules.GAME.to_move(state) == (-1,):
        state = rules.GAME.apply(state, {-1: rules.GAME.chance(state, rng)})
    past = History((state.seat + 3) % 4)
    model = MoveModel(past, _NETWORK)
    solver = Solver(points)
    passes = 0
    foreseen = None
    while to_move := rules.GAME.to_move(state):
        (seat,) = to_move
        hands = [mask_of(hand) for hand in state.hands]
        assert outcome(past, hands, passes, points) == GOES_ON
        listed = int(model.list_moves(hands[seat], past.left, past.right))
        ours = {_move(int(model.moves[at])) for at in range(listed)} or {rules.PASS}
        legal = set(rules.GAME.legal(state, seat))
        if past.left == past.right:  # the same on both sides: searched once
            legal = {
                move for move in legal if not (isinstance(move, rules.Lay) and move.side is rules.Side.RIGHT)
            }
        assert ours == legal, rules.GAME.write(state.events[0].move)
        move = rng.choice(rules.GAME.legal(state, seat))
        if isinstance(move, rules.Lay):
            solver.set_world(hands[0], hands[1], hands[2], hands[3], 0)
            left = move.side is rules.Side.LEFT
            covered, kept = (past.left, past.right) if left else (past.right, past.left)
            foreseen = (
                int(solver.result_of(number_of(move.tile), covered, kept, seat))
                if len(state.line) > 20
                else None
            )
            past.lay(number_of(move.tile), left)
            passes = 0
        else:
            past.pass_turn()
            passes += 1
        state = rules.GAME.apply(state, {seat: move})
        assert (past.left, past.right) == (state.line[0][0], state.line[-1][1])
    ended = rules.GAME.outcome(state)
    assert ended is not None
    share = float(ended.shares()[0])
    assert outcome(past, [mask_of(hand) for hand in state.hands], passes, points) == 2 * share
    # after the last tile nobody had a choice: what was foreseen when it was laid is what came
    assert foreseen is None or foreseen == 2 * share


def _move(number: int) -> rules.Move:
    return rules.Lay(rules.TILES[number >> 1], rules.Side.RIGHT if number & 1 else rules.Side.LEFT)


AGREES: Mapping[str, Callable[[str], None]] = {
    "cubos": cubos_agrees,
    "fives": fives_agrees,
    "havana": havana_agrees,
    "rps": rps_agrees,
    "uno": uno_agrees,
}


def main() -> int:
    """Play all games."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for name, agrees in AGREES.items():
        for number in range(games):
            agrees(f"agree/{number}")
        print(f"{name}: {games} random games, the same legality and outcome")
    return 0


if __name__ == "__main__":
    sys.exit(main())
