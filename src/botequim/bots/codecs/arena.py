"""arena: one wire format for every game, over every transport. docs/reference/arena.md describes it.

A question is one JSON object: the players by seat, the view of the seat (`arena_views`), the legal moves as
texts, and the events since the last question. The answer is a JSON object with the text of a move. A program
that is started for each question remembers nothing, so it always receives all events of the game.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from botequim.bots.codecs.answers import (
    art_remarks,
    limit_remarks,
    malformed_answer,
    read_object,
    short_json,
    whole,
)
from botequim.bots.codecs.arena_views import view_as_json
from botequim.core.errors import MoveSyntaxError, PlayerFault
from botequim.core.game import CHANCE, Outcome, Remark
from botequim.core.limits import Limits
from botequim.core.messages import Message, msg
from botequim.core.turn import Reply
from botequim.core.wire import (
    Desynchronised,
    GameContext,
    Question,
    TransportKind,
    Wire,
    ignored_lines_warning,
)

VERSION: Final = 1
NO_EVENTS: Final = -1
"""The value of `seen` after a question without events, because 0 means that the game is new to the bot."""
MOST_LISTED: Final = 20
"""The most legal moves that a reason names."""


class Arena:
    """The JSON of every game."""

    def __init__(self, transport: TransportKind) -> None:
        self._remembers = transport is not TransportKind.ONCE
        """Whether the program keeps running between questions, so that it needs only the new events."""
        self._in_lines = transport is TransportKind.LINES

    def encode_question(self, view: Any, seen: int, context: GameContext) -> Question:
        fresh = seen == 0 or not self._remembers
        game = context.game
        content = {
            **_table(view, context),
            "new": fresh,
            "view": view_as_json(game.name, view),
            "legal": [game.write(move) for move in view.legal],
            "events": _events(view, 0 if fresh else seen, context),
        }
        return Question(_line(content), seen=len(view.events) or NO_EVENTS)

    def end(self, view: Any, seen: int, context: GameContext, outcome: Outcome) -> bytes:
        result = {"how": outcome.how, "places": outcome.places, "points": outcome.points}
        content = {
            **_table(view, context),
            "view": view_as_json(context.game.name, view),
            "events": _events(view, seen, context),
            "end": result,
        }
        return _line(content)

    def decode_answer(self, answer: Sequence[bytes], view: Any, context: GameContext) -> Reply | None:
        if not self._in_lines:
            content = read_object(whole(answer))
        elif not answer[-1].strip():
            return None  # an empty line
        else:
            content = _read_line(answer[-1])
        move = _move(content, view, context)
        remarks, warnings = _remarks(content)
        return Reply(move, remarks, warnings)

    def decode_unsolicited(
        self, lines: Sequence[bytes], view: Any
    ) -> tuple[Sequence[Remark], Sequence[Message]]:
        return (), ignored_lines_warning([line for line in lines if line.strip()])


# --- questions ---------------------------------------------------------------------------------------


def _table(view: Any, context: GameContext) -> dict[str, Any]:
    game, options = context.game, context.options
    return {
        "arena": VERSION,
        "game": game.name,
        "options": dict(options),
        "seat": view.seat,
        "names": context.names,
        "teams": game.teams(options),
    }


def _events(view: Any, seen: int, context: GameContext) -> list[dict[str, Any]]:
    first = max(seen, 0)
    return [
        {"by": "chance" if event.by == CHANCE else event.by, "move": context.game.write(event.move)}
        for event in view.events[first:]
    ]


def _line(content: dict[str, Any]) -> bytes:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # a name may contain a lone surrogate, which UTF-8 cannot encode
    return text.encode("utf-8", "replace") + b"\n"


# --- answers -----------------------------------------------------------------------------------------


def _read_line(line: bytes) -> dict[str, Any]:
    try:
        return read_object(line)
    except PlayerFault as fault:
        # Its further output may come at any time, and must not be taken for the next answer.
        raise Desynchronised(fault.fault.kind, fault.fault.reason) from None


def _move(content: dict[str, Any], view: Any, context: GameContext) -> Any:
    game = context.game
    if "move" not in content:
        raise malformed_answer(
            msg('"move" is missing: it names one of the legal moves: {legal}', legal=_menu(view, context))
        )
    text = content["move"]
    if not isinstance(text, str):
        raise malformed_answer(
            msg(
                '"move" must be a text such as {legal}, not {given}',
                given=short_json(text),
                legal=_menu(view, context),
            )
        )
    for move in view.legal:
        if game.write(move) == text:
            return move
    try:
        return game.read(text)  # the game may accept moves that are not in the list
    except MoveSyntaxError:
        raise malformed_answer(
            msg("unknown move {given}; legal: {legal}", given=short_json(text), legal=_menu(view, context))
        ) from None


def _menu(view: Any, context: GameContext) -> str:
    texts = [short_json(context.game.write(move)) for move in view.legal[:MOST_LISTED]]
    return ", ".join(texts) + (", ..." if len(view.legal) > MOST_LISTED else "")


def _remarks(content: dict[str, Any]) -> tuple[list[Remark], list[Message]]:
    """Return the remarks of an answer, and warnings. The game refuses remarks of a wrong type."""
    texts = content.get("say", [])
    remarks = [Remark("say", one) for one in (texts if isinstance(texts, list) else [texts]) if one != ""]
    remarks, warnings = limit_remarks(remarks)
    return [*remarks, *art_remarks(content.get("art", []))], warnings


_LIMITS: Final = Limits(move=5.0)

HTTP: Final = Wire("arena-http", Arena(TransportKind.HTTP), TransportKind.HTTP, limits=_LIMITS)
LINES: Final = Wire("arena-lines", Arena(TransportKind.LINES), TransportKind.LINES, limits=_LIMITS)
ONCE: Final = Wire("arena-once", Arena(TransportKind.ONCE), TransportKind.ONCE, limits=_LIMITS)
