"""arena: one wire format for every game, over every transport. docs/reference/arena.md describes it.

A question is one JSON object: who sits where, what the seat sees (`arena_views`), the menu as texts, and what
happened since the last question. The answer is one too, and names a move by its text. A program that is
started for each question remembers nothing, and is told the whole game each time.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from botequim.bots.codecs.answers import (
    art_remarks,
    as_shown,
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
ASKED: Final = -1
"""The value of `seen` if there were no events, but the game is not new to the bot."""
MOST_LISTED: Final = 20
"""The most legal moves that a reason names."""


class Arena:
    """The JSON of every game."""

    def __init__(self, transport: TransportKind) -> None:
        self._remembers = transport is not TransportKind.ONCE
        """Whether a program is asked more than once, so that it has to be told only what is new."""
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
        return Question(_line(content), seen=len(view.events) or ASKED)

    def end(self, view: Any, seen: int, context: GameContext, outcome: Outcome) -> bytes:
        ended = {"how": outcome.how, "places": outcome.places, "points": outcome.points}
        content = {
            **_table(view, context),
            "view": view_as_json(context.game.name, view),
            "events": _events(view, seen, context),
            "end": ended,
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


# --- what a bot is told ------------------------------------------------------------------------------


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
    # half a character can stand in a name, but not in UTF-8
    return text.encode("utf-8", "replace") + b"\n"


# --- what it answers ---------------------------------------------------------------------------------


def _read_line(line: bytes) -> dict[str, Any]:
    try:
        return read_object(line)
    except PlayerFault as fault:
        # what else it prints may come any time, and must not be taken for its next answer
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
        return game.read(text)  # more may be accepted than the menu shows
    except MoveSyntaxError:
        raise malformed_answer(
            msg("unknown move {given}; legal: {legal}", given=short_json(text), legal=_menu(view, context))
        ) from None


def _menu(view: Any, context: GameContext) -> str:
    texts = [short_json(context.game.write(move)) for move in view.legal[:MOST_LISTED]]
    return ", ".join(texts) + (", ..." if len(view.legal) > MOST_LISTED else "")


def _remarks(content: dict[str, Any]) -> tuple[list[Remark], list[Message]]:
    """Return the remarks beside the move. The game refuses those of a wrong type, with a warning."""
    spoken = content.get("say", [])
    remarks = [Remark("say", one) for one in (spoken if isinstance(spoken, list) else [spoken]) if one != ""]
    remarks, warnings = as_shown(remarks)
    return [*remarks, *art_remarks(content.get("art", []))], warnings


_LIMITS: Final = Limits(move=5.0)

HTTP: Final = Wire("arena-http", Arena(TransportKind.HTTP), TransportKind.HTTP, limits=_LIMITS)
LINES: Final = Wire("arena-lines", Arena(TransportKind.LINES), TransportKind.LINES, limits=_LIMITS)
ONCE: Final = Wire("arena-once", Arena(TransportKind.ONCE), TransportKind.ONCE, limits=_LIMITS)
