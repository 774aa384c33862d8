"""A person as a player, who types moves at the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from botequim.core.game import Outcome, View
from botequim.core.messages import Message, msg
from botequim.core.player import Reply
from botequim.i18n import _, translate
from botequim.terminal.advice import Adviser
from botequim.terminal.help import help_pages, help_sections
from botequim.terminal.screen import Screen
from botequim.terminal.ui import CommandError, Hands, TerminalUI

PROMPT: Final = "> "
YES: Final = ("y", "yes", "s", "sim")
NO: Final = ("", "n", "no", "não", "nao", "q", "quit", "sair")
HELP: Final = "h"
WORDS: Final = {
    "h": ("?", "help", "ajuda"),
    "a": ("advice", "hint", "conselho", "dica"),
    "u": ("undo", "back", "desfazer", "voltar"),
    "s": ("show", "table", "mesa"),
    "q": ("quit", "exit", "leave", "sair"),
    "m": ("move", "play", "lay", "discard", "jogar", "descartar"),
    "d": ("draw", "buy", "comprar"),
    "p": ("pass", "passar"),
}
"""Words that a newcomer may type instead of a letter, in both languages."""
LETTERS: Final = {word: letter for letter, words in WORDS.items() for word in words}


class Left(Exception):
    """The person has left the game, or the input has ended."""


class TakeBack(Exception):
    """The person takes back the last decision."""


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
        can_take_back: Callable[[], bool],
        open_hands: Callable[[], Hands],
    ) -> None:
        """`check` returns why the rules refuse a move, or None. With `hint`, every turn shows advice.

        `can_take_back` returns whether the person has made a move in this game, and `open_hands` all hands of
        a game that is over.
        """
        self._screen: Final = screen
        self._ui: Final = ui
        self._check: Final = check
        self._adviser: Final = adviser
        self._hint: Final = hint
        self._can_take_back: Final = can_take_back
        self._open_hands: Final = open_hands
        self._has_moved = False
        self._help_page = 0

    async def open(self, seat: int) -> None:
        pass

    async def choose(self, view: View) -> Reply:
        self._screen.wait("")
        self._show(view)
        notes = [] if self._has_moved or not view.legal else [self._guide(view)]
        if self._hint:
            notes += await self._advice(view)
        if notes:
            self._screen.note(notes)
        while True:
            line = await self._screen.line(PROMPT)
            if line is None:
                raise Left
            words = self._read_words(line)
            if not words:
                continue
            if words[0] != HELP:
                self._help_page = 0
            move = await self._run_command(words, view)
            if move is not None:
                self._screen.forget_lines()
                self._has_moved = True
                return Reply(move)

    def _read_words(self, line: str) -> list[str]:
        """Return the words of a command. A word may stand for the letter, and an index alone for `m`."""
        words = line.lower().split()
        letters = {one.command.split()[0] for one in self._ui.help()}
        if not words or words[0] in letters:
            return words
        if words[0].isdecimal() and "m" in letters:
            return ["m", *words]
        return [LETTERS.get(words[0], words[0]), *words[1:]]

    async def _run_command(self, words: list[str], view: View) -> Any:
        """Return the move that was typed, or None after another command."""
        match words:
            case ["h"]:
                self._help(view)
            case ["s"]:
                self._show(view)
            case ["a"]:
                self._screen.note(await self._advice(view))
            case ["u"]:
                self._take_back()
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

    def _show(self, view: View, hands: Hands | None = None) -> None:
        ui = self._ui
        hands = ui.visible_hands(view) if hands is None else hands
        lines = ui.lines(view, hands)
        if view.legal:
            lines = [*lines, _("you can type: {commands}", commands=ui.commands_text(view))]
        self._screen.show(lines, lambda room: ui.drawing(view, hands, room))

    def _guide(self, view: View) -> str:
        """Return how to make the first move, with an example that is possible now."""
        move = self._ui.moves(view)[0]
        return _(
            "Type a command, for example {command} ({action}), or h for help.",
            command=self._ui.command_for(move, view),
            action=self._ui.action(move, view),
        )

    def _help(self, view: View) -> None:
        """Show the first page of the help, or the next one if it was just shown."""
        pages = help_pages(help_sections(self._ui, view), self._screen.fits)
        self._screen.note(pages[self._help_page % len(pages)])
        self._help_page += 1

    async def _advice(self, view: View) -> list[str]:
        self._screen.wait(_("{name} thinks …", name=self._adviser.name))
        lines = await self._adviser.lines(view, self._ui)
        self._screen.wait("")
        return lines

    def _take_back(self) -> None:
        if self._can_take_back():
            raise TakeBack
        self._screen.note([_("There is no move of yours to take back yet.")])

    async def _leave(self) -> None:
        answer = await self._screen.line(_("Leave the game? It will be saved. (y/n)") + " ")
        if answer is None or answer.strip().lower() in YES:
            raise Left
        self._screen.note([])

    async def finish(self, view: View, outcome: Outcome) -> None:
        self._screen.wait("")
        self._show(view, self._open_hands())

    async def close(self) -> None:
        pass
