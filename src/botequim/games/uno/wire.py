"""The wire of uno, in lines: a bot reads events, and writes one action.

A bot first reads `PLAYERS`, `YOU`, `HAND` and `TABLE`. Then there is a `TURN id` for each turn of any player,
followed by its result: the valid action of another player, or the cards that the bot itself bought, one in
each line. A lost turn has only its TURN. If a player goes out with a debt, the lines say that it was paid.

All lines since the last question are sent with the next one, in the order of the events. A question ends with
the bot's own TURN, so the first line after it belongs to the action of the bot.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from botequim.bots.codecs.answers import SHOWN, limit_remarks, malformed_answer
from botequim.core.errors import MoveSyntaxError, PlayerFault
from botequim.core.game import CHANCE, Outcome, Remark
from botequim.core.limits import Limits
from botequim.core.messages import Message, msg
from botequim.core.turn import Reply
from botequim.core.wire import GameContext, Question, TransportKind, Wire, ignored_lines_warning
from botequim.games.cards.cards import Suit, read_card, read_suit
from botequim.games.uno.moves import WILD, Buy, Deal, Discard, Draw, Move, Out, discard
from botequim.games.uno.state import View

LONGEST_ID: Final = 9
"""The most bytes of an id, because C bots store it in ten bytes, including the terminating zero."""
MANY_LINES: Final = 500
"""If there are more lines, only the newest is searched for an action, so that a flood of lines takes linear
time."""

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)
_NOT_IN_AN_ID: Final = re.compile(r"[^A-Za-z0-9_.-]+")


def ids(names: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of players on the wire: like their names, but short, in ASCII and unique."""
    result: list[str] = []
    for name in names:
        letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        plain = _NOT_IN_AN_ID.sub("_", letters).strip("_") or "bot"
        name_id, number = plain[:LONGEST_ID].rstrip("_"), 1
        while name_id in result:
            number += 1
            name_id = plain[: LONGEST_ID - len(str(number))] + str(number)
        result.append(name_id)
    return tuple(result)


class Uno:
    """The codec of the lines."""

    def encode_question(self, view: View, seen: int, context: GameContext) -> Question:
        player_ids = ids(context.names)
        assert view.seat is not None
        lines = [*_event_lines(view, seen, player_ids), f"TURN {player_ids[view.seat]}"]
        return Question(_lines(lines), seen=len(view.events))

    def end(self, view: View, seen: int, context: GameContext, outcome: Outcome) -> bytes:
        return _lines(list(_event_lines(view, seen, ids(context.names))))

    def decode_answer(self, answer: Sequence[bytes], view: View, context: GameContext) -> Reply | None:
        fresh = answer if len(answer) <= MANY_LINES else answer[-1:]
        words = next((words for words in map(_words, fresh) if words and words[0] in _ACTIONS), None)
        if words is None:
            return None
        remarks, others = _read_remarks(
            [line for line in answer if (_words(line) or [""])[0] not in _ACTIONS]
        )
        warnings = []
        if others:
            warnings.append(
                msg(
                    'lines that are no action were skipped: {count}, the first: "{line}"',
                    count=len(others),
                    line=_text(others[0])[:SHOWN],
                )
            )
        limited, too_much = limit_remarks(remarks)
        warnings += too_much
        try:
            move = _ACTIONS[words[0]](words[1:], warnings)
        except PlayerFault as fault:
            fault.remarks, fault.warnings = limited, warnings
            raise
        return Reply(move, limited, warnings)

    def decode_unsolicited(
        self, lines: Sequence[bytes], view: View
    ) -> tuple[Sequence[Remark], Sequence[Message]]:
        remarks, others = _read_remarks(lines)
        limited, too_much = limit_remarks(remarks)
        return limited, [*ignored_lines_warning(others), *too_much]


# --- questions ---------------------------------------------------------------------------------------


def _event_lines(view: View, seen: int, player_ids: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines for all events after the first `seen`."""
    for at, event in enumerate(view.events[seen:], seen):
        move = event.move
        if event.by == CHANCE:
            yield from _by_chance(move, view.seat, player_ids)
            continue
        # the question before contained the bot's own turn
        if at != seen or event.by != view.seat or seen == 0:
            yield f"TURN {player_ids[event.by]}"
        if event.by != view.seat:
            yield from _by_another(move)


def _by_chance(move: Move, seat: int | None, player_ids: tuple[str, ...]) -> Iterator[str]:
    if isinstance(move, Deal):
        assert seat is not None
        yield "PLAYERS " + " ".join(player_ids)
        yield f"YOU {player_ids[seat]}"
        yield " ".join(["HAND", "[", *map(str, move.hands[seat] or ()), "]"])
        yield f"TABLE {move.table}"
    elif isinstance(move, Draw):
        yield from [str(card) for card in move.cards if card is not None]


def _by_another(move: Move) -> Iterator[str]:
    if isinstance(move, Discard):
        usual = discard(move.card, move.suit)
        yield f"DISCARD {usual.card}" if usual.suit is None else f"DISCARD {usual.card} {usual.suit.value}"
    elif isinstance(move, Buy):
        yield f"BUY {move.count}"
    elif isinstance(move, Out) and move.debt:
        yield f"BUY {move.debt}"


def _lines(lines: Sequence[str]) -> bytes:
    return "".join([line + "\n" for line in lines]).encode()


# --- answers -----------------------------------------------------------------------------------------


def _text(line: bytes) -> str:
    # a suit may be followed by the variation selector of emojis
    return line.decode("utf-8", "replace").replace("\r", "").replace("\ufe0f", "")


def _words(line: bytes) -> list[str]:
    return _text(line).split()


def _read_remarks(lines: Sequence[bytes]) -> tuple[list[Remark], list[bytes]]:
    """Return the remarks in these lines, and the lines that are unknown."""
    remarks, others = [], []
    for line in lines:
        word, _, text = _text(line).strip().partition(" ")
        if word == "SAY":
            remarks += [Remark("say", text.strip())] if text.strip() else []
        elif word:
            others.append(line)
    return remarks, others


def _read_discard(words: Sequence[str], warnings: list[Message]) -> Move:
    if not words:
        raise malformed_answer(msg('DISCARD names no card: say for instance "DISCARD 7♣"'))
    try:
        card = read_card(words[0][:SHOWN])
    except MoveSyntaxError as error:
        raise malformed_answer(error.message) from None
    suit: Suit | None = None
    if card.rank in WILD and len(words) > 1:
        try:
            suit = read_suit(words[1][:SHOWN])
        except MoveSyntaxError as error:
            warnings.append(msg("{why}; {card} asks for its own suit", why=error.message, card=str(card)))
    return discard(card, suit)


def _read_buy(words: Sequence[str], warnings: list[Message]) -> Move:
    if not words or not _WHOLE.fullmatch(words[0]):
        quote = words[0][:SHOWN] if words else ""
        raise malformed_answer(
            msg('BUY needs a number of cards, such as "BUY 1", not "{given}"', given=quote)
        )
    return Buy(int(words[0]))


_ACTIONS: Final = {"DISCARD": _read_discard, "BUY": _read_buy}

WIRE: Final = Wire("uno", Uno(), TransportKind.LINES, game="uno", limits=Limits(move=3.0))
