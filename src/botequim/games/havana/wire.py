"""The wire of havana, in lines, between the referee and the host of a student's file (`host/host.py`).

Students write a Python class, so Botequim implements both ends of this wire. It is designed to be fast,
because a confronto has more than 30,000 questions. Everything is ASCII. Fields are separated by tabs, which
JSON escapes.

When the player is ready, or could not be loaded, the host writes one of these lines::

    ready {"pair": "Os Tais", "name": "Ana", "ra": "123456", "image_path": "img/ana.png"}
    failed {"error": "NameError: name 'Playr' is not defined", "at": "student_players.py:3"}

The referee sends questions, and a line at the end of a game, which has no answer::

    N 2 46 0936...  TAB play TAB play ...   a game begins for this player: position, ends, hand, all plays
    T 46            TAB play TAB play ...   its turn: ends, the plays since the last question
    E               TAB play TAB play ...   the game is over: the plays since the last question

The lines do not contain the spaces shown here: `N24609367799`. Two digits are a tile or the ends; `--` is
None, or the ends before the first tile. A play consists of the position, the ends before it, the tile, and
the side as JSON: `2463610` is player 2, with the ends (4, 6), who laid (3, 6) on side 10. From the player's
own plays since the last question, the host knows which tile the player laid.

The host answers with a side, a tab, and a tile; or it reports an error, and waits for the next question::

    0 TAB 36                    side 0 and (3, 6): the side is JSON, as far as it can be kept
    1 TAB                       side 1 and None
    1 TAB ?"[3, 6]"             side 1 and what is no tile, as Python shows it
    *"<object ...>" TAB 36      a side that cannot be kept, as Python shows it, and (3, 6)
    malformed {"answer": "7"}   no side and tile at all
    crash {"error": "KeyError: 7", "at": "student_players.py:40, play"}

The host runs in the student's process, so a student can write anything here, but only harm its own seat.
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
"""The number of events before the first play: the choice of the starter, and the deal."""
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
"""The most frequent answers."""


class Havana:
    """The codec of the lines."""

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
        # a player that was not asked in this game does not need to know its end
        return _line("E", view.plays[seen - OPENING :]) if seen >= OPENING else b""

    def decode_answer(self, answer: Sequence[bytes], view: View, context: GameContext) -> Reply:
        usual = _USUAL.get(answer[0])
        return _unusual(answer[0], view) if usual is None else usual

    def decode_unsolicited(
        self, lines: Sequence[bytes], view: View
    ) -> tuple[Sequence[Remark], Sequence[Message]]:
        return (), ignored_lines_warning([line for line in lines if not line.startswith(b"ready ")])


def greeting(line: bytes) -> Mapping[str, str]:
    """Return the introduction of the player, which may have `pair`, `name`, `ra` and `image_path`."""
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
        # exactly an int, because True is another value in the history
        told = side if type(side) is int else write_side(side)
        parts.append(f"{seat}{pairs[ends]}{pairs[tile]}{told}")
    return ("\t".join(parts) + "\n").encode()


# --- readable texts: the call of the student's method, and its result ----------------------------------


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


# --- less frequent answers ----------------------------------------------------------------------------


class _Shown:
    """Represents a value in the host that is neither a side nor a tile. Its repr is that of the original."""

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
