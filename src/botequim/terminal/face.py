"""What a game is at the terminal: its commands, and how its table looks.

A game brings a `Face` of its own through the entry point group `botequim.faces`; this one does for any. All
have commands of the same kind: a letter, and where it is needed an index: `m 0` makes the move or plays the
piece that is shown with a 0. What is common to all games (`h`, `a`, `s`, `q`) is in `person.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from rich.text import Text

from botequim import registry
from botequim.core.game import AnyGame
from botequim.core.messages import Message, harmless, msg
from botequim.i18n import say


class Room(NamedTuple):
    """How much of it a drawing has."""

    width: int
    height: int
    low: bool = False
    """Not enough height for pieces drawn tall: a line must do."""
    tight: bool = False
    """Not even for a line to each thing: also low."""

    @property
    def ample(self) -> bool:
        """Enough to draw large."""
        return self.width >= 120 and self.height >= 40 and not self.low


class Help(NamedTuple):
    """One command and what it does."""

    command: str
    does: Message


class Misunderstood(Exception):
    """What was typed is no move, and why."""

    def __init__(self, why: Message) -> None:
        super().__init__(str(why))
        self.why = why


Hands = Sequence[Sequence[Any] | int]
"""By seat: the pieces that are seen, or how many are not."""


class Face:
    """One game at the terminal, seen from one seat, or from all when `seat` is None."""

    best_of: ClassVar[int] = 1
    """Games in a match against a person, at most."""
    robot: ClassVar[Message | None] = None
    """What the only other player is called, where the game's document has a word for it."""

    def __init__(self, game: AnyGame, seats: Sequence[Mapping[str, Any]], seat: int | None = None) -> None:
        self.game = game
        self.seat = seat
        self.to_move: tuple[int, ...] = ()
        """Who is, in what is shown: set by who shows it."""
        self.plain_names = [harmless(str(one["name"])) for one in seats]
        self.names = [f"{number} {name}" for number, name in enumerate(self.plain_names, start=1)]

    # --- commands --------------------------------------------------------------------------------------

    def help(self) -> Sequence[Help]:
        """The commands of the game itself."""
        return (Help("m 0", msg("make the move with that index")),)

    def read(self, words: Sequence[str], view: Any) -> Any:
        """The move that a command means; Misunderstood says why it means none."""
        if words[0] != "m":
            raise unknown(words[0])
        return view.legal[index(words, len(view.legal))]

    def typed(self, move: Any, view: Any) -> str:
        """How a move of the menu is typed."""
        return f"m {list(view.legal).index(move)}"

    def played(self, move: Any) -> str:
        """What a move plays or does, in a word, for who reads advice."""
        return harmless(self.game.write(move))

    # --- what is seen ----------------------------------------------------------------------------------

    def hands(self, state: Any) -> Hands:
        """All of them, for who watches."""
        return ()

    def seen(self, view: Any) -> Hands:
        """Those that the seat of a view sees."""
        return ()

    def lines(self, view: Any, hands: Hands) -> list[str]:
        """The table in plain text."""
        return [f"{at}: {harmless(self.game.write(move))}" for at, move in enumerate(view.legal)]

    def drawing(self, view: Any, hands: Hands, room: Room) -> list[Text]:
        """The table in a terminal that has colours."""
        return [Text(line) for line in self.lines(view, hands)]

    def name(self, seat: int) -> str:
        """A seat's name, with a star when it is its turn."""
        return self.names[seat] + ("*" if seat in self.to_move else "")


def face_of(game: AnyGame, seats: Sequence[Mapping[str, Any]], seat: int | None = None) -> Face:
    """The face registered for a game, or the one that does for any."""
    made: Callable[..., Face] = registry.face(game.name) or Face
    return made(game, seats, seat)


def unknown(word: str) -> Misunderstood:
    return Misunderstood(msg('"{word}" is no command here; h lists them', word=word[:20]))


def fits(tile: object) -> Misunderstood:
    return Misunderstood(msg("only when no tile fits, but {tile} does", tile=str(tile)))


def nowhere(tile: object) -> Misunderstood:
    return Misunderstood(msg("{tile} fits nowhere now", tile=str(tile)))


def index(words: Sequence[str], count: int) -> int:
    """The index behind a command's letter, below `count`."""
    if len(words) < 2:
        raise Misunderstood(msg("an index is missing: {letter} 0, for example", letter=words[0]))
    if not (words[1].isascii() and words[1].isdigit()) or len(words[1]) > 3:
        raise Misunderstood(
            msg('"{word}" is no index; those shown are 0 to {last}', word=words[1][:20], last=count - 1)
        )
    at = int(words[1])
    if at >= count:
        raise Misunderstood(
            msg("there is no index {index}; those shown are 0 to {last}", index=at, last=count - 1)
        )
    return at


def no_more(words: Sequence[str], most: int) -> None:
    """Nothing may follow what a command needs."""
    if len(words) > most:
        raise Misunderstood(
            msg('"{word}" is more than the command needs; h lists them', word=words[most][:20])
        )


def labelled(label: Message, shown: str) -> str:
    """`left: [5,5]`, without a blank at the end when there is nothing."""
    return f"{say(label)} {shown}".rstrip()
