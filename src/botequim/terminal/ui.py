"""The user interface of a game at the terminal: its commands, and the drawing of its table.

A game may have a `TerminalUI` of its own (`GamePlugin.terminal`); this one works for any game. A command is a
letter, if necessary with an index: `m 0` makes the move, or plays the piece, that is shown with a 0. The
commands of all games (`h`, `a`, `s`, `q`) are in `person.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from rich.text import Text

from botequim import registry
from botequim.core.game import AnyGame
from botequim.core.messages import Message, msg
from botequim.core.sanitize import printable
from botequim.core.turn import Step
from botequim.i18n import translate


class Room(NamedTuple):
    """The space that a drawing has."""

    width: int
    height: int
    low: bool = False
    """Whether there is not enough height for tall pieces, so that each must take one line."""
    tight: bool = False
    """Whether there is not enough height for one line each; then `low` is true as well."""

    @property
    def ample(self) -> bool:
        """Whether there is enough space to draw large."""
        return self.width >= 120 and self.height >= 40 and not self.low


class Help(NamedTuple):
    """One command and what it does."""

    command: str
    does: Message


class CommandError(Exception):
    """A command that is not a move, and the reason."""

    def __init__(self, why: Message) -> None:
        super().__init__(str(why))
        self.why = why


Hands = Sequence[Sequence[Any] | int]
"""By seat: the pieces that are visible, or the number of hidden ones."""


class TerminalUI:
    """One game at the terminal, seen from one seat, or with all hands if `seat` is None."""

    best_of: ClassVar[int] = 1
    """The most games of a match against a person."""
    robot: ClassVar[Message | None] = None
    """The name of the only opponent, if the rules of the game have one."""

    def __init__(self, game: AnyGame, seats: Sequence[Mapping[str, Any]], seat: int | None = None) -> None:
        self.game = game
        self.seat = seat
        self.to_move: tuple[int, ...] = ()
        """The seats to move in the position that is shown; set by the caller."""
        self.plain_names = [printable(str(one["name"])) for one in seats]
        self.names = [f"{number} {name}" for number, name in enumerate(self.plain_names, start=1)]

    # --- commands --------------------------------------------------------------------------------------

    def help(self) -> Sequence[Help]:
        """Return the commands of the game itself."""
        return (Help("m 0", msg("make the move with this index")),)

    def parse_command(self, words: Sequence[str], view: Any) -> Any:
        """Return the move of a command. Raise `CommandError` if it is not a move."""
        if words[0] != "m":
            raise unknown_command(words[0])
        return view.legal[command_index(words, len(view.legal))]

    def command_for(self, move: Any, view: Any) -> str:
        return f"m {list(view.legal).index(move)}"

    def move_text(self, move: Any) -> str:
        """Return a short text for a move, as advice shows it."""
        return printable(self.game.write(move))

    def action(self, move: Any, view: Any) -> Message:
        """Return what a move does, as an infinitive without "to": `show rock`."""
        return msg("play {move}", move=self.move_text(move))

    def choices(self, view: Any) -> Sequence[Help]:
        """Return the commands that are possible now, and what each does."""
        return [Help(self.command_for(move, view), self.action(move, view)) for move in self.moves(view)]

    def moves(self, view: Any) -> list[Any]:
        """Return the legal moves, those that play a piece by its index first."""

        def index(move: Any) -> int:
            letter, *rest = self.command_for(move, view).split()
            return int(rest[0]) if letter == "m" and rest and rest[0].isdecimal() else sys.maxsize

        return sorted(view.legal, key=index)

    def situation(self, view: Any) -> Sequence[Message]:
        """Return sentences about the position: what can be played, and why. The browser shows them too."""
        return [msg("It is your turn. Choose one of the possible moves.")]

    def is_forced(self, view: Any) -> bool:
        """Return whether only one move is possible."""
        return len(view.legal) == 1

    def signs(self, view: Any) -> Sequence[Help]:
        """Return the letters and signs that a newcomer does not know, and what they mean."""
        return ()

    def commands_text(self, view: Any) -> str:
        """Return the possible commands in short, those of one piece together: `m 2 l/r, m 5 l, p`."""
        endings: dict[str, list[str]] = {}
        for move in self.moves(view):
            *head, last = self.command_for(move, view).split()
            piece, ending = (" ".join(head), last) if len(head) > 1 else (" ".join((*head, last)), "")
            endings.setdefault(piece, []).append(ending)
        return ", ".join(f"{piece} {'/'.join(after)}".rstrip() for piece, after in endings.items())

    # --- the table -------------------------------------------------------------------------------------

    def all_hands(self, state: Any) -> Hands:
        """Return all hands, for a person who watches."""
        return ()

    def visible_hands(self, view: Any) -> Hands:
        """Return the hands as the seat of the view sees them."""
        return ()

    def round_hands(self, step: Step) -> Sequence[Message]:
        """Return sentences about the hands of the others, if a turn ended a round but not the game."""
        return ()

    def lines(self, view: Any, hands: Hands) -> list[str]:
        """Return the table as plain text."""
        return [f"{at}: {printable(self.game.write(move))}" for at, move in enumerate(view.legal)]

    def drawing(self, view: Any, hands: Hands, room: Room) -> list[Text]:
        """Return the table as coloured text."""
        return [Text(line) for line in self.lines(view, hands)]

    def name(self, seat: int) -> str:
        """Return a seat's name, with a star if it is to move."""
        return self.names[seat] + ("*" if seat in self.to_move else "")


def ui_for(game: AnyGame, seats: Sequence[Mapping[str, Any]], seat: int | None = None) -> TerminalUI:
    """Return the user interface of a game, or the default one."""
    make_ui: Callable[..., TerminalUI] = registry.terminal(game.name) or TerminalUI
    return make_ui(game, seats, seat)


def unknown_command(word: str) -> CommandError:
    return CommandError(msg('unknown command "{word}"; h lists the commands', word=word[:20]))


def another_fits(tile: object) -> CommandError:
    return CommandError(msg("only possible if no tile fits, but {tile} does", tile=str(tile)))


def fits_nowhere(tile: object) -> CommandError:
    return CommandError(msg("{tile} does not fit anywhere now", tile=str(tile)))


def command_index(words: Sequence[str], count: int) -> int:
    """Return the index after the letter of a command; it must be below `count`."""
    if len(words) < 2:
        raise CommandError(msg("the index is missing; for example: {letter} 0", letter=words[0]))
    if not (words[1].isascii() and words[1].isdigit()) or len(words[1]) > 3:
        raise CommandError(
            msg('"{word}" is not an index; choose one from 0 to {last}', word=words[1][:20], last=count - 1)
        )
    at = int(words[1])
    if at >= count:
        raise CommandError(
            msg("there is no index {index}; choose one from 0 to {last}", index=at, last=count - 1)
        )
    return at


def reject_extra_words(words: Sequence[str], most: int) -> None:
    """Raise `CommandError` if a command has more words than it needs."""
    if len(words) > most:
        raise CommandError(msg('this command takes no "{word}"; h lists the commands', word=words[most][:20]))


def label_text(label: Message, text: str) -> str:
    """Return `left: 5-5`, without a trailing space if nothing follows the label."""
    return f"{translate(label)} {text}".rstrip()
