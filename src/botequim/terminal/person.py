"""A person at the table: a player who is asked at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from botequim.core.game import Outcome, View
from botequim.core.messages import Message, msg
from botequim.core.player import Reply
from botequim.i18n import _, say
from botequim.terminal.advice import Adviser
from botequim.terminal.face import Face, Help, Misunderstood
from botequim.terminal.screen import Screen

PROMPT: Final = "> "
COMMON: Sequence[Help] = (
    Help("a", msg("advice: what the champion would do, and why")),
    Help("s", msg("show the table again")),
    Help("q", msg("leave; the game is kept, and can be continued")),
    Help("h", msg("this help")),
)
YES: Final = ("y", "yes", "s", "sim")


class Left(Exception):
    """The person has left the table, or nothing more can be typed."""


class Person:
    """A `Player`. What cannot be done is explained, and asked again: a person makes no faults."""

    def __init__(
        self,
        screen: Screen,
        face: Face,
        check: Callable[[Any], Message | None],
        adviser: Adviser,
        *,
        hint: bool,
    ) -> None:
        """`check` is what the rules say to a move now; with `hint` advice comes at every turn."""
        self._screen: Final = screen
        self._face: Final = face
        self._check: Final = check
        self._adviser: Final = adviser
        self._hint: Final = hint

    async def open(self, seat: int) -> None:
        pass

    async def choose(self, view: View) -> Reply:
        self._screen.wait("")
        self._show(view)
        if self._hint:
            await self._advise(view)
        while True:
            line = await self._screen.line(PROMPT)
            if line is None:
                raise Left
            words = line.lower().split()
            if not words:
                continue
            move = await self._answered(words, view)
            if move is not None:
                self._screen.moved()
                return Reply(move)

    async def _answered(self, words: list[str], view: View) -> Any:
        """The move that was typed; None after a command that is none."""
        match words:
            case ["h" | "?" | "help"]:
                self._help()
            case ["s"]:
                self._show(view)
            case ["a"]:
                await self._advise(view)
            case ["q"]:
                await self._leave()
            case _:
                return self._understood(words, view)
        return None

    def _understood(self, words: list[str], view: View) -> Any:
        try:
            move = self._face.read(words, view)
        except Misunderstood as error:
            self._explain(error.why)
            return None
        refused = self._check(move)
        if refused is None:
            return move
        self._explain(msg("this cannot be done now: {why}", why=refused))
        return None

    def _explain(self, why: Message) -> None:
        sentence = say(why)
        self._screen.note([sentence[:1].upper() + sentence[1:] + "."])

    def _show(self, view: View) -> None:
        face, hands = self._face, self._face.seen(view)
        self._screen.show(face.lines(view, hands), lambda room: face.drawing(view, hands, room))

    def _help(self) -> None:
        commands = [*self._face.help(), *COMMON]
        wide = max(len(one.command) for one in commands)
        self._screen.note([f"  {one.command.ljust(wide)}   {say(one.does)}" for one in commands])

    async def _advise(self, view: View) -> None:
        self._screen.wait(_("{name} thinks …", name=self._adviser.name))
        lines = await self._adviser.lines(view, self._face)
        self._screen.wait("")
        self._screen.note(lines)

    async def _leave(self) -> None:
        answer = await self._screen.line(_("Leave the game? It is kept. (y/n)") + " ")
        if answer is None or answer.strip().lower() in YES:
            raise Left
        self._screen.note([])

    async def finish(self, view: View, outcome: Outcome) -> None:
        self._screen.wait("")
        self._show(view)

    async def close(self) -> None:
        pass
