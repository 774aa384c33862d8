"""Runs one player of a student's file: `python -I host.py STUDENT_FOLDER ELEMENT`.

It loads `student_players.py`, calls its `create_pair()`, keeps one of the two players, and answers the
referee's questions for it, line by line, in the format of `botequim.games.havana.wire`. Errors of the player
in its turn are reported, and the host waits for the next question. The standard output of the player goes to
its log; answers use another descriptor.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

LONGEST_SIDE = 8
WIDEST_SIDE = 1024
"""The most characters of a text, or bits of an int, of a side in the history."""
LONGEST_SHOWN = 40
LONGEST_ERROR = 500
LONGEST_NAME = 100
FRAMES_LOGGED = 8

PAIRS: dict[str, Any] = {f"{one}{two}": (one, two) for one in range(10) for two in range(10)}
ENDS = PAIRS | {"--": ()}
SIDES = {"0": 0, "1": 1}
TILES = PAIRS | {"--": None}
ANSWERS: dict[Any, str] = {(low, high): f"{low}{high}" for low in range(10) for high in range(low, 10)}


def main() -> None:
    folder, element = Path(sys.argv[1]).absolute(), int(sys.argv[2])
    questions, answers = private_streams()
    sys.argv = [str(folder / "student_players.py")]
    try:
        player, about = load(folder, element)
    except BaseException as error:  # the file may raise anything, even SystemExit
        log(error)
        say(answers, report("failed", error_details(error, folder)))
        leave(1)
    say(answers, report("ready", about))
    serve(Seat(player, folder), questions, answers)
    leave(0)


def private_streams() -> tuple[BinaryIO, int]:
    """Return the streams of questions and answers, separate from the player's standard input and output."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    empty, writer = os.pipe()
    os.close(writer)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    return questions, answers


def leave(status: int) -> None:
    """Exit at once, without waiting for threads of the player."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(status)


def say(answers: int, line: str) -> None:
    os.write(answers, line.encode("ascii") + b"\n")


# --- loading the student's file ----------------------------------------------------------------------


def load(folder: Path, element: int) -> tuple[Any, dict[str, str]]:
    """Return the player, and its introduction."""
    sys.path.insert(0, str(Path(__file__).absolute().parent))
    importlib.import_module("basic_players")  # this one, even if the student's folder has a copy
    importlib.import_module("stand_ins").install()
    del sys.modules["stand_ins"]
    sys.path[0] = str(folder)
    os.chdir(folder)
    students = importlib.import_module("student_players")
    pair = students.create_pair()
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise TypeError(f"create_pair() must return two players, not {short_repr(pair)}")
    player = pair[element]
    if not callable(getattr(player, "play", None)):
        raise TypeError(f"create_pair() must return players with a play method, not {short_repr(player)}")
    return player, about(students, player)


def about(students: Any, player: Any) -> dict[str, str]:
    """Return names and portrait. A player without them can still play."""
    introduction: dict[str, str] = {}
    with suppress(Exception):
        introduction["pair"] = str(students.pair_name())[:LONGEST_NAME]
    for name in ("name", "ra", "image_path"):
        with suppress(Exception):
            introduction[name] = str(getattr(player, name))[:LONGEST_NAME]
    return introduction


# --- playing -----------------------------------------------------------------------------------------


class Turn(list[Any]):
    """One entry of the history: [position, extremes, side, tile].

    The course's judge passes lists, but its document says tuples. So this is a list that also equals a tuple
    with the same content, can be added to a tuple, and has its hash.
    """

    def __eq__(self, other: object) -> bool:
        return list.__eq__(self, list(other) if isinstance(other, tuple) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __add__(self, other: Any) -> Any:
        return (*self, *other) if isinstance(other, tuple) else list.__add__(self, other)

    def __radd__(self, other: Any) -> Any:
        return (*other, *self) if isinstance(other, tuple) else list.__add__(other, self)

    def __getitem__(self, at: Any) -> Any:
        item = list.__getitem__(self, at)
        return Turn(item) if isinstance(at, slice) else item


class Seat:
    """The player, with the data that the judge of the course stores about it."""

    def __init__(self, player: Any, folder: Path) -> None:
        self.player = player
        self.folder = folder
        self.own_setter = has_own_setter(player)
        self.position = -1
        self.hand: list[tuple[int, int]] = []
        self.plays: list[tuple[Any, ...]] = []

    def begin(self, position: int, hand: list[tuple[int, int]], plays: list[tuple[Any, ...]]) -> None:
        """Prepare the player for a game, through its own setters, like the course's judge."""
        if position != self.position:
            self.position = position
            self.assign("position", position)
        self.hand, self.plays = hand, plays
        self.assign("tiles", list(hand))

    def assign(self, name: str, value: Any) -> None:
        """Assign a property of the player. If that fails, assign the private attribute of the base class."""
        try:
            setattr(self.player, name, value)
        except BaseException as error:
            log(error)
            with suppress(Exception):
                setattr(self.player, f"_{name}", value)

    def go_on(self, plays: list[tuple[Any, ...]]) -> None:
        """Add the plays since the last question, and let the player remove its own tiles."""
        self.plays += plays
        for position, _, _, tile in plays:
            if position == self.position and tile is not None:
                self.hand.remove(tile)
                try:
                    self.player.remove_tile(tile)
                except BaseException as error:  # an error outside of its turn is only logged
                    log(error)

    def answer(self, ends: tuple[int, ...]) -> str:
        player = self.player
        try:
            if not (self.own_setter or same_tiles(player, self.hand)):
                player._tiles = list(self.hand)
            return answer_line(player.play(ends, [Turn(play) for play in self.plays]))
        except BaseException as error:
            log(error)
            return report("crash", error_details(error, self.folder))


def serve(seat: Seat, questions: BinaryIO, answers: int) -> None:
    """Answer questions until there are no more."""
    cache = Plays()
    for line in questions:
        head, *rest = line[:-1].decode("ascii").split("\t")
        plays = [cache[text] for text in rest]
        if head[0] == "N":
            hand = [TILES[head[at : at + 2]] for at in range(4, len(head), 2)]
            seat.begin(int(head[1]), hand, plays)
            say(answers, seat.answer(ENDS[head[2:4]]))
        else:
            seat.go_on(plays)
            if head[0] == "T":
                say(answers, seat.answer(ENDS[head[1:3]]))


class Plays(dict[str, Any]):
    """A cache of plays by their text on the wire, because the same texts are sent again and again."""

    def __missing__(self, text: str) -> Any:
        position, ends, tile, side = int(text[0]), ENDS[text[1:3]], TILES[text[3:5]], text[5:]
        if side in SIDES:  # plays with other sides are not cached, because there could be any number
            play = self[text] = position, ends, SIDES[side], tile
            return play
        return position, ends, json.loads(side), tile


def has_own_setter(player: Any) -> bool:
    """Return whether the player's class stores its tiles in its own way."""
    own = getattr(type(player), "tiles", None)
    setter = own.fset if isinstance(own, property) else None
    return setter is not None and getattr(setter, "__module__", "") != "basic_players"


def same_tiles(player: Any, hand: list[tuple[int, int]]) -> bool:
    """Return whether the player's own list has these tiles, in any order."""
    try:
        tiles = player._tiles
        return type(tiles) is list and len(tiles) == len(hand) and set(tiles) == set(hand)
    except Exception:  # there is no list, or its items cannot be compared
        return False


# --- answers on the wire ------------------------------------------------------------------------------


def answer_line(answer: Any) -> str:
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return report("malformed", {"answer": short_repr(answer)})
    side, tile = answer
    return f"{side_text(side)}\t{tile_text(tile)}"


def side_text(side: Any) -> str:
    side = plain_side(side)
    # exactly these types, because an object of a subclass could pass information to the partner
    kind = type(side)
    if kind is int:
        if side.bit_length() <= WIDEST_SIDE:
            return str(side)
    elif side is None or kind is bool or (kind is str and len(side) <= LONGEST_SIDE):
        return json.dumps(side)
    return "*" + json.dumps(short_repr(side))


def plain_side(side: Any) -> Any:
    """Return 0 or 1 for a value that equals it (0.0, an IntEnum, a number of numpy), else `side`."""
    if type(side) is int or type(side) is bool:  # the course's judge does not change True
        return side
    try:
        return 0 if side == 0 else 1 if side == 1 else side
    except Exception:  # an array of several numbers, or an object with its own comparison
        return side


def tile_text(tile: Any) -> str:
    if tile is None:
        return ""
    try:  # a reversed tuple is not a tile, nor is a list
        text = ANSWERS.get(tile) if isinstance(tile, tuple) else None
    except TypeError:  # a tuple with items that have no hash
        text = None
    return "?" + json.dumps(short_repr(tile)) if text is None else text


def short_repr(value: Any) -> str:
    try:
        return repr(value)[:LONGEST_SHOWN]
    except Exception:  # a number with too many digits, or an object with its own repr
        return type(value).__name__


def report(word: str, content: dict[str, str]) -> str:
    return f"{word} {json.dumps(content)}"


def error_details(error: BaseException, folder: Path) -> dict[str, str]:
    """Return the exception, and the last line of the student's own files in the traceback."""
    try:
        text = f"{type(error).__name__}: {error}".removesuffix(": ")
    except BaseException:  # an exception class whose text cannot be computed
        text = type(error).__name__
    return {"error": text[:LONGEST_ERROR], "at": error_location(error, folder)}


def error_location(error: BaseException, folder: Path) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}:{error.lineno}"
    inside = f"{folder}{os.sep}"
    location = "student_players.py"
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith(inside):
            location = f"{code.co_filename[len(inside) :]}:{trace.tb_lineno}, {code.co_name}"
        trace = trace.tb_next
    return location


def log(error: BaseException) -> None:
    with suppress(BaseException):  # the player may have closed its standard error
        traceback.print_exception(type(error), error, error.__traceback__, limit=-FRAMES_LOGGED)


if __name__ == "__main__":
    main()
