"""The wire of the Rinha de dominó, over HTTP: a question has the table as JSON, the answer a tile and a side.

On this wire numbers count from 1, and words are Portuguese. Every question contains the whole game, so `seen`
is not used. A tile on the table is written as it lies, from left to right. Passes are not included.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from botequim.bots.codecs.answers import SHOWN, Silent, malformed_answer, read_object, short_json, whole
from botequim.core.errors import MoveSyntaxError
from botequim.core.limits import Limits
from botequim.core.messages import msg
from botequim.core.turn import Reply
from botequim.core.wire import GameContext, Question, TransportKind, Wire
from botequim.games.cubos.rules import HIGHEST, PASS, SEATS, Lay, Side, View
from botequim.games.dominoes.tiles import read_tile

SIDES: Final = {"esquerda": Side.LEFT, "direita": Side.RIGHT}


class Cubos(Silent):
    """The codec of the Rinha's JSON."""

    def encode_question(self, view: View, seen: int, context: GameContext) -> Question:
        assert view.seat is not None
        # not json.dumps, which takes twice as long, because this is the whole table at every move
        hand = ",".join([f'"{tile}"' for tile in view.hand])
        line = ",".join([f'"{left}-{right}"' for left, right in view.line])
        table = f'{{"jogador":{view.seat + 1},"mao":[{hand}],"mesa":[{line}],"jogadas":[{_plays(view)}]}}'
        return Question(table.encode())

    def decode_answer(self, answer: Sequence[bytes], view: View, context: GameContext) -> Reply:
        content = read_object(whole(answer))
        text = content.get("pedra")
        if text is None:
            return Reply(PASS)
        if not isinstance(text, str):
            raise malformed_answer(
                msg('"pedra" must be a text such as "3-6", not {given}', given=short_json(text))
            )
        try:
            tile = read_tile(text[:SHOWN], HIGHEST)
        except MoveSyntaxError as error:
            raise malformed_answer(msg('"pedra" is not a tile: {why}', why=error.message)) from None
        if "lado" not in content:
            raise malformed_answer(
                msg(
                    '"lado" is missing: say on which side {tile} goes, {known}',
                    tile=str(tile),
                    known=_SIDE_WORDS,
                )
            )
        side = content["lado"]
        if not isinstance(side, str) or side not in SIDES:
            raise malformed_answer(
                msg("unknown side {given}: use {known}", given=short_json(side), known=_SIDE_WORDS)
            )
        return Reply(Lay(tile, SIDES[side]))


_SIDE_WORDS: Final = msg('"esquerda" or "direita"')


def _plays(view: View) -> str:
    """Return every tile laid so far. The first event does not name its seat; it is the one before the
    next."""
    left = right = HIGHEST
    turns = [event for event in view.events if event.by >= 0]
    second = turns[0].by if turns else view.seat
    assert second is not None
    plays = [f'{{"jogador":{(second - 1) % SEATS + 1},"pedra":"6-6"}}']
    for turn in turns:
        move = turn.move
        if not isinstance(move, Lay):
            continue
        low, high = move.tile
        if move.side is Side.LEFT:
            left, inner = (low, high) if high == left else (high, low)
            plays.append(f'{{"jogador":{turn.by + 1},"pedra":"{left}-{inner}","lado":"esquerda"}}')
        else:
            inner, right = (low, high) if low == right else (high, low)
            plays.append(f'{{"jogador":{turn.by + 1},"pedra":"{inner}-{right}","lado":"direita"}}')
    return ",".join(plays)


WIRE: Final = Wire("cubos", Cubos(), TransportKind.HTTP, game="cubos", limits=Limits(move=5.0))
