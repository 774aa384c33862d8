"""A person as a player, who types moves at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from botequim.core.game import Outcome, View
from botequim.core.messages import Message, msg
from botequim.core.player import Reply
from botequim.i18n import _, translate
from botequim.terminal.advice import Adviser
from botequim.terminal.screen import Screen
from botequim.terminal.ui import CommandError, Help, TerminalUI

PROMPT: Final = "> "
COMMON: Sequence[Help] = (
    Help("a", msg("advice: the move of the champion, and why")),
    Help("s", msg("show the table again")),
    Help("q", msg("leave; the game is saved and can be continued")),
    Help("h", msg("this help")),
)
YES: Final = ("y", "yes", "s", "sim")


class Left(Exception):
    """The person has left the game, or the input has ended."""


class Person:
    """A `Player` that asks a person. A move that the rules refuse is explained and asked for again."""

    def __init__(
        self,
        screen: Screen,
        ui: TerminalUI,
        check: Callable[[Any], Message | None],
        adviser: Adviser,
        *,
        hint: bool,
    ) -> None:
        """`check` returns why the rules refuse a move, or None. With `hint`, every turn shows advice."""
        self._screen: Final = screen
        self._ui: Final = ui
        self._check: Final = check
        self._adviser: Final = adviser
        self._hint: Final = hint
        self._has_moved = False

    async def open(self, seat: int) -> None:
        pass

    async def choose(self, view: View) -> Reply:
        self._screen.wait("")
        self._show(view)
        notes = [] if self._has_moved else [self._guide(view)]
        if self._hint:
            notes += await self._advice(view)
        if notes:
            self._screen.note(notes)
        while True:
            line = await self._screen.line(PROMPT)
            if line is None:
                raise Left
            words = line.lower().split()
            if not words:
                continue
            move = await self._run_command(words, view)
            if move is not None:
                self._screen.forget_lines()
                self._has_moved = True
                return Reply(move)

    async def _run_command(self, words: list[str], view: View) -> Any:
        """Return the move that was typed, or None after another command."""
        match words:
            case ["h" | "?" | "help"]:
                self._help()
            case ["s"]:
                self._show(view)
            case ["a"]:
                self._screen.note(await self._advice(view))
            case ["q"]:
                await self._leave()
            case _:
                return self._parse_move(words, view)
        return None

    def _parse_move(self, words: list[str], view: View) -> Any:
        try:
            move = self._ui.parse_command(words, view)
        except CommandError as error:
            self._explain(error.why)
            return None
        problem = self._check(move)
        if problem is None:
            return move
        self._explain(msg("this is not possible now: {why}", why=problem))
        return None

    def _explain(self, why: Message) -> None:
        sentence = translate(why)
        self._screen.note([sentence[:1].upper() + sentence[1:] + "."])

    def _show(self, view: View) -> None:
        ui, hands = self._ui, self._ui.visible_hands(view)
        lines = ui.lines(view, hands)
        if view.legal:
            lines = [*lines, _("you can type: {commands}", commands=ui.commands_text(view))]
        self._screen.show(lines, lambda room: ui.drawing(view, hands, room))

    def _guide(self, view: View) -> str:
        """Return how to make the first move, with an example that is possible now."""
        example = self._ui.choices(view)[0]
        return _(
            "It is your turn. Type a command and press Enter, for example {command} ({action}); h explains "
            "the game.",
            command=example.command,
            action=example.does,
        )

    def _help(self) -> None:
        commands = [*self._ui.help(), *COMMON]
        wide = max(len(one.command) for one in commands)
        self._screen.note([f"  {one.command.ljust(wide)}   {translate(one.does)}" for one in commands])

    async def _advice(self, view: View) -> list[str]:
        self._screen.wait(_("{name} thinks …", name=self._adviser.name))
        lines = await self._adviser.lines(view, self._ui)
        self._screen.wait("")
        return lines

    async def _leave(self) -> None:
        answer = await self._screen.line(_("Leave the game? It will be saved. (y/n)") + " ")
        if answer is None or answer.strip().lower() in YES:
            raise Left
        self._screen.note([])

    async def finish(self, view: View, outcome: Outcome) -> None:
        self._screen.wait("")
        self._show(view)

    async def close(self) -> None:
        pass
