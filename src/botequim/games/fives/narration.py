"""Describes a game of fives in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from botequim.core.game import Outcome
from botequim.core.messages import Message, msg
from botequim.core.turn import PlayedMove
from botequim.engine.referee import Step
from botequim.games.dominoes.tiles import Deal
from botequim.games.fives.boneyard import Draw, DrawnTile
from botequim.games.fives.rules import Ending, Forfeit, Open, Pass, Phase, State
from botequim.games.fives.spinner import Arm, Board, Direction, Lay
from botequim.i18n import translate
from botequim.narration.narrator import Narrator


class FivesNarrator(Narrator):
    """Describes which tile was laid where and its score, and shows the spinner with its four arms."""

    def move(self, step: Step, played_move: PlayedMove, who: str) -> Message | None:
        match played_move.move:
            case Lay():
                return _lay(step.before.board, played_move.move, who)
            case Draw():
                return msg("{who} draws.", who=who)
            case DrawnTile(None):
                return None
            case DrawnTile(tile):
                return msg("The tile drawn is {tile}.", tile=str(tile))
            case Pass():
                return msg("{who} passes.", who=who)
            case Forfeit():
                return msg("{who} forfeits the game.", who=who)
            case Deal():
                number = step.after.round
                if number == step.before.round:
                    return msg("Nobody holds a double: round {number} is dealt again.", number=number)
                return msg("Round {number} is dealt.", number=number)
        return None

    def after(self, step: Step, names: Sequence[str]) -> Message | None:
        sentences: Message | None = None
        for sentence in _results(step, names):
            sentences = (
                sentence if sentences is None else msg("{first} {second}", first=sentences, second=sentence)
            )
        return sentences

    def board(self, state: State) -> Sequence[str]:
        if not state.board.is_empty():
            return board_as_text(state.board)
        return [
            f"{seat + 1}({score}): " + _tiles(hand)
            for seat, (score, hand) in enumerate(zip(state.scores, state.hands, strict=True))
        ]

    def ending(self, outcome: Outcome) -> Message:
        match Ending(outcome.how):
            case Ending.TARGET:
                return msg("The target score is reached.")
            case Ending.FORFEIT:
                return msg("The game is forfeited.")


def board_as_text(board: Board) -> list[str]:
    """Return the table as the original program prints it: arms from the outermost tile inwards."""
    spinner = "" if board.spinner is None else _tiles((board.spinner,))
    lines = [
        msg("spinner: {tiles}", tiles=spinner),
        msg("left: {tiles}", tiles=_tiles(board.left)),
        msg("right: {tiles}", tiles=_tiles(board.right)),
        msg("up: {tiles}", tiles=_tiles(board.up)),
        msg("down: {tiles}", tiles=_tiles(board.down)),
        msg("board score: {score}", score=board.score()),
    ]
    return [translate(line).rstrip() for line in lines]


def _tiles(tiles: Arm) -> str:
    return " ".join(f"{one}-{other}" for one, other in tiles)


def _lay(board: Board, lay: Lay, who: str) -> Message:
    tile = str(lay.tile)
    if board.is_empty():
        return msg("{who} opens with {tile}.", who=who, tile=tile)
    if lay.side == Direction.LEFT or board.is_lone_spinner():
        return msg("{who} lays {tile} on the left.", who=who, tile=tile)
    if lay.side == Direction.RIGHT:
        return msg("{who} lays {tile} on the right.", who=who, tile=tile)
    if lay.side == Direction.UP:
        return msg("{who} lays {tile} above the spinner.", who=who, tile=tile)
    return msg("{who} lays {tile} below the spinner.", who=who, tile=tile)


def _results(step: Step, names: Sequence[str]) -> Iterator[Message]:
    """Yield sentences about the score of a turn, and about the end of the round."""
    before: State = step.before
    after: State = step.after
    played_move = step.turn[0]
    if not isinstance(played_move.move, Lay | Open | Pass):
        return
    seat = played_move.by
    if isinstance(played_move.move, Open):
        seat = 0 if played_move.move.tile in before.hands[0] else 1
        yield msg(
            "{who} opens with the highest double, {tile}.", who=names[seat], tile=str(played_move.move.tile)
        )
    score = "{}:{}".format(*after.scores)
    gains = [now - was for now, was in zip(after.scores, before.scores, strict=True)]
    round_is_over = after.phase in (Phase.DEAL, Phase.OVER)
    if isinstance(played_move.move, Pass):
        if round_is_over and not any(gains):
            yield msg("The round is locked and nobody gets a point. {score}", score=score)
        elif round_is_over:
            who = names[gains.index(max(gains))]
            yield msg(
                "The round is locked; {who} has the lighter hand and gets {points}. {score}",
                who=who,
                points=max(gains),
                score=score,
            )
    elif round_is_over:
        yield msg(
            "Dominoes! {who} gets {points} for the last tile and the tiles that {other} still holds. {score}",
            who=names[seat],
            points=gains[seat],
            other=names[1 - seat],
            score=score,
        )
    elif gains[seat]:
        yield msg("{who} scores {points}. {score}", who=names[seat], points=gains[seat], score=score)
