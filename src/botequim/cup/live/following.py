"""A game under way, position by position."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from botequim import registry
from botequim.core.errors import InputError, NotAMove
from botequim.core.game import CHANCE, AnyGame, Remark
from botequim.core.messages import msg
from botequim.core.options import Options, settle
from botequim.core.record import Json, fault_from, message_from
from botequim.core.turn import Made, Step


class Following:
    """Turns the lines of a game into the referee's steps, one after another.

    `following.take(line)` gives the step, with the states before and after it: enough for
    `botequim.picture.scene.scene_of(following.game, following.options, following.seats, step)`. It costs a
    turn of the game's rules, however many went before. Nothing is judged again: the lines come from a
    referee.
    """

    def __init__(self, header: Mapping[str, Any]) -> None:
        """The first line of a record, as `LiveGame.header` has it."""
        self.game: Final[AnyGame] = registry.game(str(header["game"]))
        self.options: Final[Options] = settle(self.game.name, self.game.options, header.get("options", {}))
        self.seats: Final[list[Mapping[str, Any]]] = list(header["seats"])
        self.state: Any = self.game.start(self.options)
        """After the last turn that was taken."""
        self.step: Step | None = None
        """The last."""
        self.number = 0
        """Of the last turn that was taken, from 1; 0: none yet."""

    def take(self, line: str | Json) -> Step:
        """The next turn, as a record has it."""
        content: Json = json.loads(line) if isinstance(line, str) else line
        if content.get("turn") != self.number + 1:
            found = str(content.get("turn"))
            raise InputError(
                msg("turn {number} expected, found {found}", number=self.number + 1, found=found)
            )
        turn = tuple(self._made(entry) for entry in content["moves"])
        after = self.game.apply(self.state, {made.by: made.move for made in turn})
        self.step = Step(self.number + 1, self.state, turn, after)
        self.state, self.number = after, self.number + 1
        return self.step

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.outcome(self.state) is not None

    def _made(self, entry: Json) -> Made:
        try:
            move = self.game.read(entry["move"])
        except NotAMove as error:
            raise InputError(error.message) from error
        remarks = [Remark(kind, value) for told in entry.get("remarks", ()) for kind, value in told.items()]
        return Made(
            CHANCE if entry["by"] == "chance" else entry["by"],
            move,
            entry.get("us"),
            remarks,
            [message_from(warning) for warning in entry.get("warnings", ())],
            fault_from(entry["fault"]) if "fault" in entry else None,
        )
