"""havana in lines, between the referee and our own host of a student's file (`host/host.py`).

Students write a Python class, so this wire is ours at both ends, and made to be quick: a confronto has more
than 30,000 questions. All is ASCII; fields are parted by tabs, which JSON never holds bare.

When the player can be asked, the host says so, or why it never will be::

    ready {"pair": "Os Tais", "name": "Ana", "ra": "123456", "image_path": "img/ana.png"}
    failed {"error": "NameError: name 'Playr' is not defined", "at": "student_players.py:3"}

The referee asks, and tells the end of a game, to which nothing is answered::

    N 2 46 0936...  TAB play TAB play ...   a game begins for this player: position, ends, hand, all plays
    T 46            TAB play TAB play ...   its turn: ends, the plays since the last question
    E               TAB play TAB play ...   the game is over: the plays since the last question

without the spaces shown here: `N24609367799`. Two digits are a tile or the ends, `--` is None or no tile laid
yet. A play is position, ends before it, tile, and the side as JSON: `2463610` is player 2, who found (4, 6)
and laid (3, 6) on side 10. From its own plays since the last question the host learns which tile was taken.

The host answers a side, a tab, and a tile; or it says what went wrong and lives on::

    0 TAB 36                    side 0 and (3, 6): the side is JSON, as far as it can be kept
    1 TAB                       side 1 and None
    1 TAB ?"[3, 6]"             side 1 and what is no tile, as Python shows it
    *"<object ...>" TAB 36      a side that cannot be kept, as Python shows it, and (3, 6)
    malformed {"answer": "7"}   no side and tile at all
    crash {"error": "KeyError: 7", "at": "student_players.py:40, play"}

It is the student's process: a student may write anything here, and it harms nobody but its own seat.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from botequim.bots.codecs.answers import SHOWN
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import Outcome, Remark
from botequim.core.limits import Limits
from botequim.core.messages import Message, msg
from botequim.core.turn import Reply
from botequim.core.wire import (
    Desynchronised,
    GameContext,
    Host,
    Question,
    Restart,
    TransportKind,
    Wire,
    ignored_lines_warning,
)
from botequim.games.havana.moves import HIGHEST, TILES, move_from_answer
from botequim.games.havana.sides import write_side
from botequim.games.havana.state import Play, View

OPENING: Final = 2
"""Events before the first play: who starts, and the deal."""
LONGEST_ERROR: Final = 500
LONGEST_NAME: Final = 100

_NUMBERS: Final = range(HIGHEST + 1)
_PAIRS: Final[dict[object, str]] = {(one, two): f"{one}{two}" for one in _NUMBERS for two in _NUMBERS}
_PAIRS[()] = _PAIRS[None] = "--"
_TILES: Final[dict[bytes, object]] = {f"{tile.low}{tile.high}".encode(): tile for tile in TILES} | {b"": None}
_USUAL: Final = {
    b"%d\t%b" % (side, text): Reply(move_from_answer(side, tile, strict=True)[0])
    for side in (0, 1)
    for text, tile in _TILES.items()
}
"""The answers that nearly all are."""


class Havana:
    """The lines of the host."""

    def encode_question(self, view: View, seen: int, context: GameContext) -> Question:
        plays = view.plays
        count = OPENING + len(plays)
        ends = _PAIRS[view.board_extremes]
        if seen < OPENING:
            hand = "".join([_PAIRS[tile] for tile in view.hand])
            body = _line(f"N{view.seat}{ends}{hand}", plays)
        else:
            body = _line(f"T{ends}", plays[seen - OPENING :])
        return Question(body, seen=count, words=lambda: _call_text(view), reads=_return_text)

    def end(self, view: View, seen: int, context: GameContext, outcome: Outcome) -> bytes:
        # a player that was not asked in this game has nothing to take leave of
        return _line("E", view.plays[seen - OPENING :]) if seen >= OPENING else b""

    def decode_answer(self, answer: Sequence[bytes], view: View, context: GameContext) -> Reply:
        usual = _USUAL.get(answer[0])
        return _unusual(answer[0], view) if usual is None else usual

    def decode_unsolicited(
        self, lines: Sequence[bytes], view: View
    ) -> tuple[Sequence[Remark], Sequence[Message]]:
        return (), ignored_lines_warning([line for line in lines if not line.startswith(b"ready ")])


def greeting(line: bytes) -> Mapping[str, str]:
    """Return what the host reports about its player: `pair`, `name`, `ra`, `image_path`, as far as known."""
    word, _, rest = line.partition(b" ")
    said = _texts(rest)
    if word == b"ready" and said is not None:
        return {name: text[:LONGEST_NAME] for name, text in said.items()}
    if word == b"failed" and said is not None:
        why = msg("student_players.py cannot be loaded: {error} ({at})", **_error(said))
        raise PlayerFault(FaultKind.CRASH, why, **_error(said))
    raise PlayerFault(FaultKind.CRASH, msg("the host of the player did not start correctly"))


def _line(head: str, plays: Sequence[Play]) -> bytes:
    pairs = _PAIRS
    parts = [head]
    for seat, ends, side, tile in plays:
        # exactly an int: True is kept as it was given, and written otherwise
        told = side if type(side) is int else write_side(side)
        parts.append(f"{seat}{pairs[ends]}{pairs[tile]}{told}")
    return ("\t".join(parts) + "\n").encode()


# --- for people: what the student's method was called with, and what it returned -----------------------


def _call_text(view: View) -> str:
    tiles = ", ".join([f"({tile.low}, {tile.high})" for tile in view.hand])
    return f"play({view.board_extremes}, {list(view.plays)})\nself.tiles == [{tiles}]"


def _return_text(text: str) -> str:
    word, _, rest = text.partition(" ")
    said = _texts(rest.encode()) if word in ("crash", "malformed") else None
    if said is not None:
        return said.get("answer") or f"{said.get('error', '?')} ({said.get('at', '?')})"
    side, tab, tile = text.partition("\t")
    if not tab:
        return text
    try:
        side = json.loads(side[1:]) if side.startswith("*") else side
        tile = json.loads(tile[1:]) if tile.startswith("?") else f"({tile[0]}, {tile[1]})" if tile else "None"
    except (ValueError, IndexError):
        return text
    return f"({side}, {tile})"


# --- the answers that are not just 0 or 1 and a tile --------------------------------------------------


class _Shown:
    """Stands for a value that stayed in the host: neither side nor tile, it looks like the original."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


_NOTHING: Final = _Shown("nothing that the host writes")


def _unusual(line: bytes, view: View) -> Reply:
    word, _, rest = line.partition(b" ")
    said = _texts(rest) if word in (b"crash", b"malformed") else None
    if said is not None and word == b"crash":
        why = msg("play raised {error} ({at})", **_error(said))
        raise PlayerFault(FaultKind.CRASH, why, **_error(said))
    if said is not None:
        given = said.get("answer", "")[:LONGEST_ERROR]
        raise PlayerFault(FaultKind.MALFORMED, msg("the answer is not (side, tile)"), answer=given)
    side_text, tab, tile_text = line.partition(b"\t")
    side, tile = _side(side_text), _tile(tile_text)
    if not tab or side is _NOTHING or tile is _NOTHING:
        text = line[:SHOWN].decode("ascii", "replace")
        raise Desynchronised(
            FaultKind.MALFORMED, msg('the host of the player wrote an unexpected line: "{line}"', line=text)
        )
    move, warning = move_from_answer(side, tile, strict=view.strict)
    return Reply(move) if warning is None else Reply(move, (), (warning,))


def _side(text: bytes) -> object:
    return _value_text(text[1:]) if text[:1] == b"*" else _json(text)


def _tile(text: bytes) -> object:
    if text[:1] == b"?":
        return _value_text(text[1:])
    return _TILES.get(text, _NOTHING)


def _value_text(text: bytes) -> _Shown:
    value = _json(text)
    return _Shown(value) if isinstance(value, str) else _NOTHING


def _json(text: bytes) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING
    return value


def _texts(text: bytes) -> dict[str, str] | None:
    """Return the texts of a JSON object by name; None if it is not an object."""
    value = _json(text)
    if not isinstance(value, dict):
        return None
    return {name: said for name, said in value.items() if isinstance(said, str)}


def _error(said: Mapping[str, str]) -> dict[str, str]:
    return {name: said.get(name, "?")[:LONGEST_ERROR] for name in ("error", "at")}


WIRE: Final = Wire(
    "havana",
    Havana(),
    TransportKind.LINES,
    game="havana",
    restart=Restart.SERIES,
    limits=Limits(move=1.0, timeouts=5, thinking=300.0),
    greeting=greeting,
    host=Host(Path(__file__).parent / "host" / "host.py", "student_players.py", b"def create_pair"),
)
