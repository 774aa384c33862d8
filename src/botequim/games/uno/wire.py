"""uno in lines, as its C bots speak: events come in, one action goes out.

A bot is first told `PLAYERS`, `YOU`, `HAND` and `TABLE`. Then comes `TURN id` for each turn of anybody, and
behind it what came of it: the valid action of another, or the cards that it bought itself, one a line. Of a
turn that was lost only its TURN is told; of a player that went out owing a debt, that it was paid.

All lines since the last question are sent with the next, in the order in which they would have been sent one
by one: a question ends with the bot's own TURN, so the first line behind it belongs to what it then did.
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
"""Bytes: C bots store an id in ten bytes, including the terminating zero."""
MANY_LINES: Final = 500
"""From so many lines on only the newest is searched for an action, so that a flood of lines costs linear
time."""

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)
_NOT_IN_AN_ID: Final = re.compile(r"[^A-Za-z0-9_.-]+")


def ids(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of players on the wire: similar to their names, but short, ASCII and all different."""
    taken: list[str] = []
    for name in names:
        letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        plain = _NOT_IN_AN_ID.sub("_", letters).strip("_") or "bot"
        chosen, number = plain[:LONGEST_ID].rstrip("_"), 1
        while chosen in taken:
            number += 1
            chosen = plain[: LONGEST_ID - len(str(number))] + str(number)
        taken.append(chosen)
    return tuple(taken)


class Uno:
    """The lines of the C bots."""

    def encode_question(self, view: View, seen: int, context: GameContext) -> Question:
        called = ids(context.names)
        assert view.seat is not None
        lines = [*_event_lines(view, seen, called), f"TURN {called[view.seat]}"]
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
        shown, too_much = limit_remarks(remarks)
        warnings += too_much
        try:
            move = _ACTIONS[words[0]](words[1:], warnings)
        except PlayerFault as fault:
            fault.remarks, fault.warnings = shown, warnings
            raise
        return Reply(move, shown, warnings)

    def decode_unsolicited(
        self, lines: Sequence[bytes], view: View
    ) -> tuple[Sequence[Remark], Sequence[Message]]:
        remarks, others = _read_remarks(lines)
        shown, too_much = limit_remarks(remarks)
        return shown, [*ignored_lines_warning(others), *too_much]


# --- what a bot is told ------------------------------------------------------------------------------


def _event_lines(view: View, seen: int, called: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines for all events after the first `seen`."""
    for at, event in enumerate(view.events[seen:], seen):
        move = event.move
        if event.by == CHANCE:
            yield from _by_chance(move, view.seat, called)
            continue
        # the bot was told about its own turn with the question
        if at != seen or event.by != view.seat or seen == 0:
            yield f"TURN {called[event.by]}"
        if event.by != view.seat:
            yield from _by_another(move)


def _by_chance(move: Move, seat: int | None, called: tuple[str, ...]) -> Iterator[str]:
    if isinstance(move, Deal):
        assert seat is not None
        yield "PLAYERS " + " ".join(called)
        yield f"YOU {called[seat]}"
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


# --- what it answers ---------------------------------------------------------------------------------


def _text(line: bytes) -> str:
    # an emoji font may add its mark to a suit
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
        given = words[0][:SHOWN] if words else ""
        raise malformed_answer(
            msg('BUY needs a number of cards, such as "BUY 1", not "{given}"', given=given)
        )
    return Buy(int(words[0]))


_ACTIONS: Final = {"DISCARD": _read_discard, "BUY": _read_buy}

WIRE: Final = Wire("uno", Uno(), TransportKind.LINES, game="uno", limits=Limits(move=3.0))
