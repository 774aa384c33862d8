"""havana games of the original judge: the same moves accepted, the same history, ends and winner."""

from __future__ import annotations

from typing import Any

from botequim.core.errors import Fault, FaultKind
from botequim.core.game import CHANCE, CHANCE_TURN, NOBODY
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.games.dominoes.tiles import Deal, Tile, pips
from botequim.games.havana.moves import First, Move, move_from_answer
from botequim.games.havana.narration import line_of
from botequim.games.havana.rules import GAME
from botequim.games.havana.state import State
from tests.conformance import Mismatch, expect

FILE = "havana_games.jsonl"
SHAPELESS = Fault(FaultKind.MALFORMED, msg("the answer is not a move"))


def check(entry: dict[str, Any]) -> None:
    options = resolve_options(GAME.name, GAME.options, {"first": str(entry["first"])})
    state = _by_chance(GAME.start(options), First(entry["first"]))
    state = _by_chance(state, Deal(tuple(tuple(Tile(*tile) for tile in hand) for hand in entry["hands"])))
    for number, turn in enumerate(entry["turns"], start=1):
        expect(f"turn {number}: whose it is", GAME.to_move(state), (turn["p"],))
        view = GAME.view(state, turn["p"])
        expect(f"turn {number}: extremes", view.board_extremes, tuple(turn["ext"]))
        state = GAME.apply(state, {turn["p"]: _referee_move(state, turn)})
        tile = None if turn["hist_tile"] is None else tuple(turn["hist_tile"])
        told = (turn["p"], tuple(turn["ext"]), turn["hist_side"], tile)
        # as text too, because True == 1
        expect(f"turn {number}: history", repr(state.plays[-1]), repr(told))
        expect(f"turn {number}: ends after it", state.ends, tuple(turn["ends_after"]))
    expect("who is to move after the last turn", GAME.to_move(state), NOBODY)
    _check_end(state, entry)


def _referee_move(state: State, turn: dict[str, Any]) -> Move:
    """What the referee makes of an answer."""
    seat, returned = turn["p"], turn["returned"]
    if not isinstance(returned, list) or len(returned) != 2:
        return GAME.on_fault(state, seat, SHAPELESS)
    side, tile = returned
    move, _ = move_from_answer(side, tuple(tile) if turn["returned_type"] == "tuple" else tile, strict=False)
    refused = GAME.check(state, seat, move)
    if refused is None:
        return move
    return GAME.on_fault(state, seat, Fault(FaultKind.ILLEGAL, refused, move=move))


def _check_end(state: State, entry: dict[str, Any]) -> None:
    outcome = GAME.outcome(state)
    if outcome is None:
        raise Mismatch("the recorded game is over, ours is not")
    winner = None if outcome.places == (1, 1) else outcome.places.index(1)
    expect("winner", winner, entry["winner"])
    if "left" in entry:
        expect("tiles left", [[list(tile) for tile in hand] for hand in state.hands], entry["left"])
    if "sums" in entry:
        expect("points", list(outcome.points), entry["sums"])
        expect("pips", [pips(hand) for hand in state.hands], entry["sums"])
    if "board" in entry:
        expect("line", [list(halves) for halves in line_of(state.plays)], entry["board"])


def _by_chance(state: State, move: Move) -> State:
    expect("who moves", GAME.to_move(state), CHANCE_TURN)
    refused = GAME.check(state, CHANCE, move)
    if refused is not None:
        raise Mismatch(f"{GAME.write(move)} is refused: {refused}")
    return GAME.apply(state, {CHANCE: move})
