"""fives games of the original program: every action legal; board, scores and ends of rounds the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from botequim.core.game import CHANCE, CHANCE_TURN
from botequim.core.options import resolve_options
from botequim.games.dominoes.tiles import Deal, Hand, Tile, read_tile
from botequim.games.fives.boneyard import DRAW, DrawnTile
from botequim.games.fives.rules import GAME, PASS, TILES, Move, Open, Phase, State, score_after
from botequim.games.fives.spinner import Arm, Board, Direction, Lay
from tests.conformance import Mismatch, expect

FILE = "fives_games.jsonl"
PLAYERS = ("human", "robot")


def check(entry: dict[str, Any]) -> None:
    state = GAME.start(resolve_options(GAME.name, GAME.options, {"target_rule": "reach"}))
    for played in entry["rounds"]:
        state = _Replay(state, f"round {played['round']}").round(played)
    outcome = GAME.outcome(state)
    expect("game over", outcome is not None, entry["complete"])
    if outcome is not None:
        expect("winner", PLAYERS[outcome.places.index(1)], entry["winner"])
        expect("final scores", _by_player(outcome.points), entry["final_scores"])


class _Replay:
    """A round on its way, and where in the record it is."""

    def __init__(self, state: State, where: str) -> None:
        self.state = state
        self.where = where

    def round(self, played: dict[str, Any]) -> State:
        self.expect("scores before", _by_player(self.state.scores), played["scores_before"])
        opening = "highest_double" if self.state.seat < 0 else "winner_chooses"
        self.expect("opening", opening, played["opening"])
        # the hands with a double are those that were played, wherever the record keeps them
        *redealt, hands = sorted([*map(_hands, played["redeals"]), _hands(played)], key=_has_double)
        for without_double in redealt:
            self.step(CHANCE, Deal(without_double))
            self.expect("what follows a deal without doubles", self.state.phase, Phase.DEAL)
        self.step(CHANCE, Deal(hands))
        self.expect("number", self.state.round, played["round"])
        self.expect("boneyard", len(self.state.boneyard), 14)
        last = self.state
        for number, action in enumerate(played["actions"], start=1):
            self.where = f"round {played['round']}, action {number}"
            last = self.state
            self.act(action)
        if played.get("end"):
            self.where = f"the end of round {played['round']}"
            self.end(played["end"], before=last)
        return self.state

    def act(self, action: dict[str, Any]) -> None:
        seat = PLAYERS.index(action["player"])
        before, move = self.state, _move(action)
        if isinstance(move, Open):
            self.expect("who moves", GAME.to_move(before), CHANCE_TURN)
            self.expect("who holds the double", move.tile in before.hands[seat], True)
            self.step(CHANCE, move)
        else:
            self.expect("who moves", GAME.to_move(before), (seat,))
            self.step(seat, move)
        if move == DRAW:
            self.step(CHANCE, DrawnTile(read_tile(action["drawn"], 6)))
        scored = self.state.scores
        if self.state.phase is Phase.PLAY:
            self.expect("points", _gains(before, self.state), action.get("announced", []))
        else:  # the record tells the points of the last tile here, and the rest with the end
            scored = _plus(before.scores, seat, score_after(before.board, move))
        view = GAME.view(self.state, seat)
        ours = {
            "scores": _by_player(scored),
            "board_score": view.board_score,
            "board": _board(view.board),
            "boneyard": view.boneyard,
        }
        for name, value in ours.items():
            if name in action:
                self.expect(name, value, action[name])

    def end(self, end: dict[str, Any], *, before: State) -> None:
        state = self.state
        locked = all(state.hands)
        self.expect("kind", "locked" if locked else "dominoes", end["kind"])
        self.expect("round over", state.phase in (Phase.DEAL, Phase.OVER), True)
        self.expect("who opens the next", state.seat, -1 if locked else PLAYERS.index(end["winner"]))
        leftover = {player: _hand(tiles) for player, tiles in end["leftover"].items()}
        held = dict(zip(PLAYERS, state.hands, strict=True))
        self.expect("leftover", _sorted(held), _sorted(leftover))
        if "had" in end:
            player, tiles = end["had"]
            self.expect("had", sorted(held[player]), sorted(_hand(tiles)))
        self.expect("points", _gains(before, state), end.get("announced", []))
        self.expect("scores after", _by_player(state.scores), end["scores_after"])
        self.expect("game over", state.phase is Phase.OVER, end.get("game_over", False))

    def step(self, seat: int, move: Move) -> None:
        refused = GAME.check(self.state, seat, move)
        if refused is not None:
            raise Mismatch(f"{self.where}: {GAME.write(move)} is refused: {refused}")
        self.state = GAME.apply(self.state, {seat: move})

    def expect(self, what: str, ours: object, recorded: object) -> None:
        expect(f"{self.where}: {what}", ours, recorded)


def _move(action: dict[str, Any]) -> Move:
    match action["type"]:
        case "highest_double":
            return Open(read_tile(action["tile"], 6))
        case "move":
            return Lay(read_tile(action["tile"], 6), Direction(action["dir"]))
        case "draw":
            return DRAW
        case "pass":
            return PASS
    raise Mismatch(f"unknown action {action['type']!r}")


def _hands(deal: dict[str, Any]) -> tuple[Hand, ...]:
    """The hands of a round, or of a redeal: under `hands`, or by player at once, or not known."""
    hands = deal.get("hands", deal)
    if not all(player in hands for player in PLAYERS):
        singles = [tile for tile in TILES if tile.low != tile.high]
        return tuple(singles[:7]), tuple(singles[7:14])
    return tuple(_hand(hands[player]) for player in PLAYERS)


def _has_double(hands: tuple[Hand, ...]) -> bool:
    return any(tile.low == tile.high for hand in hands for tile in hand)


def _hand(tiles: Iterable[str]) -> Hand:
    return tuple(read_tile(tile, 6) for tile in tiles)


def _sorted(hands: dict[str, Hand]) -> dict[str, list[Tile]]:
    return {player: sorted(hand) for player, hand in hands.items()}


def _board(board: Board) -> dict[str, object]:
    spinner = None if board.spinner is None else str(board.spinner)
    return {"spinner": spinner} | {side.value: _arm(getattr(board, side.value)) for side in Direction}


def _arm(arm: Arm) -> list[str]:
    return [f"{outer}-{inner}" for outer, inner in arm]


def _by_player(points: Sequence[int]) -> dict[str, int]:
    return dict(zip(PLAYERS, points, strict=True))


def _plus(scores: tuple[int, int], seat: int, points: int) -> tuple[int, int]:
    return (scores[0] + points, scores[1]) if seat == 0 else (scores[0], scores[1] + points)


def _gains(before: State, after: State) -> list[list[object]]:
    """Points as the record announces them: `[["human", 10]]`."""
    gains = [now - was for now, was in zip(after.scores, before.scores, strict=True)]
    return [[player, gain] for player, gain in zip(PLAYERS, gains, strict=True) if gain]
