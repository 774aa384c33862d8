"""cubos games of the original runner: every move legal, points and winner the same."""

from __future__ import annotations

from typing import Any

from botequim.core.game import CHANCE
from botequim.core.options import resolve_options
from botequim.games.cubos.rules import GAME, OPEN, PASS, TEAMS, TILES, Lay, Move, Side, State
from botequim.games.dominoes.tiles import Deal, read_tile
from tests.conformance import Mismatch, expect, require_text

FILE = "cubos_games.jsonl"
SIDES = {"esquerda": Side.LEFT, "direita": Side.RIGHT}


def check(entry: dict[str, Any]) -> None:
    options = resolve_options(GAME.name, GAME.options, {"blocked": "points"})
    hands = tuple(tuple(read_tile(tile, 6) for tile in entry["hands"][str(seat + 1)]) for seat in range(4))
    expect("tiles dealt", sorted(tile for hand in hands for tile in hand), sorted(TILES))
    state = _step(GAME.start(options), CHANCE, Deal(hands), 0)
    for number, move in enumerate(entry["moves"], start=1):
        expect(f"move {number}: who has 6-6 or the turn", _whose(state), move["jogador"] - 1)
        if move["kind"] == "open":
            state = _step(state, CHANCE, OPEN, number)
        else:
            state = _step(state, move["jogador"] - 1, _move(move, number), number)
    outcome = GAME.outcome(state)
    if outcome is None:
        raise Mismatch("the recorded game is over, ours is not")
    winner = TEAMS[outcome.places.index(1)]
    expect("winner", "/".join(str(seat + 1) for seat in winner), entry["winner_team"])
    if entry["outcome"]["kind"] == "blocked":
        expect("ending", outcome.how, "blocked")
        expect(
            "points", {str(seat + 1): p for seat, p in enumerate(outcome.points)}, entry["outcome"]["points"]
        )
    else:
        expect("ending", outcome.how, "domino")
        expect("empty hand", state.hands[entry["outcome"]["by"] - 1], ())


def _move(move: dict[str, Any], number: int) -> Move:
    if move["kind"] == "pass":
        return PASS
    tile = require_text(f"move {number}: pedra", move["pedra"])
    side = require_text(f"move {number}: lado", move["lado"])
    return Lay(read_tile(tile, 6), SIDES[side])


def _whose(state: State) -> int:
    to_move = GAME.to_move(state)
    if to_move == (CHANCE,):
        return next(seat for seat, hand in enumerate(state.hands) if (6, 6) in hand)
    return to_move[0] if to_move else -1


def _step(state: State, seat: int, move: Move, number: int) -> State:
    refused = GAME.check(state, seat, move)
    if refused is not None:
        raise Mismatch(f"move {number}: {GAME.write(move)} is refused: {refused}")
    return GAME.apply(state, {seat: move})
