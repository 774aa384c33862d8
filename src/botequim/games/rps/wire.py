"""The wire of BattleBots: a program that runs once for each round, with the history as its only argument.

It prints one JSON object on one line, `{"move": "ROCK"}`, to which it may add `art`. An object over several
lines is accepted with a warning. `PLAYER_NUMBER` says which of the two hands in the history is its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from botequim.bots.codecs.answers import Silent, art_remarks, malformed_answer, read_object, short_json, whole
from botequim.core.errors import PlayerFault
from botequim.core.limits import Limits
from botequim.core.messages import msg
from botequim.core.turn import Reply
from botequim.core.wire import GameContext, Question, TransportKind, Wire
from botequim.games.rps.rules import HANDS, Hand, View

WORDS: Final = {hand.value.upper(): hand for hand in HANDS}


class Rps(Silent):
    """The codec of BattleBots: a question is the history, an answer a hand."""

    def encode_question(self, view: View, seen: int, context: GameContext) -> Question:
        assert view.seat is not None
        return Question(arguments=(view.history,), environment={"PLAYER_NUMBER": str(view.seat + 1)})

    def decode_answer(self, answer: Sequence[bytes], view: View, context: GameContext) -> Reply:
        text = whole(answer)
        content = read_object(text)
        if "move" not in content:
            raise malformed_answer(msg('"move" is missing: it is {known}', known=_HAND_WORDS))
        word = content["move"]
        hand = WORDS.get(word) if isinstance(word, str) else None
        if hand is None:
            raise _no_hand(word)
        # a JSON string contains no unescaped line end
        warnings = (SEVERAL_LINES,) if b"\n" in text.strip() else ()
        return Reply(hand, art_remarks(content.get("art", [])), warnings)


SEVERAL_LINES: Final = msg("the JSON is spread over several lines; the competition expects it on one line")
_HAND_WORDS: Final = msg('"ROCK", "PAPER" or "SCISSORS"')


def _no_hand(word: object) -> PlayerFault:
    quote = short_json(word)
    hand = _hand_from(word) if isinstance(word, str) else None
    if hand is not None:
        whole_word = short_json(hand.value.upper())
        return malformed_answer(
            msg(
                "{given} is not how a move is written: the whole word in capitals, {word}",
                given=quote,
                word=whole_word,
            )
        )
    return malformed_answer(msg('"move" is {given}; it must be {known}', given=quote, known=_HAND_WORDS))


def _hand_from(word: str) -> Hand | None:
    """Return the hand of a word with a clear mistake: in lower case, with spaces, or only its letter."""
    plain = word.strip().upper()
    return next((hand for name, hand in WORDS.items() if plain in (name, name[0])), None)


WIRE: Final = Wire("rps", Rps(), TransportKind.ONCE, game="rps", limits=Limits(move=5.0))
