"""Mistakes of havana players, as the host of a student's file reports them."""

from __future__ import annotations

import ast
from typing import Final

from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.diagnosis.surroundings import diagnose_refusal
from botequim.botcheck.game_checks import Diagnosis
from botequim.core.errors import FaultKind
from botequim.core.messages import Message, msg, plain
from botequim.games.havana.moves import Lay, LostTurn

_RETURN: Final = msg(
    "play() must return two values: return side, tile, where side is 0 or 1 and the tile is one "
    "of self.tiles."
)

_TAKES_FROM_NOTHING: Final = ("IndexError", "TypeError", "ValueError")
"""The errors that Python raises when an item is taken from an empty tuple."""


def diagnose(case: Case) -> Diagnosis | None:
    match case.fault.kind:
        case FaultKind.CRASH:
            return _raised_error(case)
        case FaultKind.MALFORMED:
            return _misshapen(str(case.fault.evidence.get("given", "")))
        case FaultKind.ILLEGAL:
            return _illegal(case)
        case _:
            return None


def _raised_error(case: Case) -> Diagnosis | None:
    error, at = (str(case.fault.evidence.get(name, "")) for name in ("error", "at"))
    if not error:
        return None
    if (diagnosis := diagnose_refusal(case, f"{case.log}\n{error}")) is not None:
        return diagnosis
    values: dict[str, object] = {"error": plain(error), "at": plain(at)}
    if not case.view.board_extremes and case.view.plays:
        return Diagnosis(
            "all-passed-crash",
            msg(
                "play() raises an error when the table is still empty after others passed: {error} ({at})",
                **values,
            ),
            msg(
                "board_extremes is () while the table is empty; in play_hist, the tile of a lost "
                "turn is None."
            ),
        )
    if not case.view.board_extremes and error.startswith(_TAKES_FROM_NOTHING):
        return Diagnosis(
            "first-move-crash",
            msg("play() raises an error when the table is empty: {error} ({at})", **values),
            msg("Before the first tile, board_extremes is (): it contains no numbers."),
        )
    return Diagnosis(
        "exception",
        msg("play() raises an error: {error} ({at})", **values),
        msg("It loses this turn. Its log below shows the lines where the error occurred."),
        is_specific=False,
    )


def _value(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _misshapen(answer: str) -> Diagnosis:
    if answer == "None":
        return Diagnosis(
            "no-return",
            msg("play() returns nothing."),
            msg("Every path through play() must end with return side, tile; to pass: return 0, None."),
        )
    mistake = msg("play() does not return a side and a tile: {answer}", answer=plain(answer))
    return Diagnosis("not-a-pair", mistake, _RETURN)


def _illegal(case: Case) -> Diagnosis | None:
    move, view = case.fault.move, case.view
    if isinstance(move, LostTurn) and move.tried:
        return _no_tile(case, move)
    if not isinstance(move, Lay):
        return None
    tile = str(move.tile)
    if move.tile not in view.hand:
        is_on_table = any(play[3] == tuple(move.tile) for play in view.plays)
        return Diagnosis(
            "already-on-the-table" if is_on_table else "not-held",
            msg("It lays {tile}, which is already on the table.", tile=tile)
            if is_on_table
            else msg("It lays {tile}, which it does not hold.", tile=tile),
            msg("Choose a tile that is in self.tiles in this turn; do not keep your own list."),
        )
    return Diagnosis(
        "does-not-fit",
        msg("It lays {tile}, which fits neither end: {ends}", tile=tile, ends=plain(view.board_extremes)),
        msg("A tile fits if one of its numbers is in board_extremes; to pass: return 0, None."),
    )


def _no_tile(case: Case, move: LostTurn) -> Diagnosis:
    side, _, _tile = case.raw.partition("\t")
    value = _value(move.tried)
    quote: Message = plain(move.tried)
    if isinstance(value, int) and ("(" in side or "[" in side or side == "null"):
        return Diagnosis(
            "swapped",
            msg("play() returns the tile first and the side second; the side must come first."),
            _RETURN,
        )
    if isinstance(value, int):
        return Diagnosis("tile-without-side", msg("play() returns only a tile, without a side."), _RETURN)
    if (
        isinstance(value, tuple)
        and len(value) == 2
        and value[::-1] in [tuple(tile) for tile in case.view.hand]
    ):
        return Diagnosis(
            "turned-tile",
            msg("It returns the tile reversed: {tile} is not how it is written in self.tiles.", tile=quote),
            msg(
                "Return the tile as it is in self.tiles, with the lower number first; the judge turns "
                "it if necessary."
            ),
        )
    if isinstance(value, list):
        return Diagnosis(
            "list-for-tuple",
            msg("It returns a tile as a list: {tile}", tile=quote),
            msg("A tile is a tuple, such as (3, 6): return the one in self.tiles."),
        )
    return Diagnosis(
        "no-tile",
        msg("It returns something that is not a tile: {tile}", tile=quote),
        msg("A tile is a tuple, such as (3, 6): return the one in self.tiles, or None to pass."),
    )


# --- a file that cannot be loaded ----------------------------------------------------------------------


def diagnose_start(case: Case) -> Diagnosis:
    """Return why student_players.py could not be loaded."""
    error = str(case.fault.evidence.get("error", "")) or case.log
    at = str(case.fault.evidence.get("at", ""))
    if case.fault.kind is FaultKind.TIMEOUT:
        return Diagnosis(
            "slow-start",
            msg(
                "It starts too slowly: student_players.py is not loaded within {allowed} s.",
                allowed=f"{case.limits.start:g}",
            ),
            msg("The code at the top level of the file and create_pair() must finish within that time."),
        )
    if "create_pair" in error and "attribute" in error:
        return Diagnosis(
            "no-create-pair",
            msg("student_players.py has no function create_pair()."),
            msg("Define create_pair() at the top level of the file; it must return the two players."),
        )
    if "create_pair() must return" in error:
        return Diagnosis(
            "create-pair",
            msg("create_pair() does not return two players: {error}", error=plain(error)),
            msg("End it with: return FirstPlayer(ra, name), SecondPlayer(ra, name)"),
        )
    if "SyntaxError" in error or "IndentationError" in error:
        return Diagnosis(
            "syntax",
            msg("student_players.py is not valid Python: {error} ({at})", error=plain(error), at=plain(at)),
            msg("Run it with python3 student_players.py: it shows the line."),
        )
    return Diagnosis(
        "load",
        msg("student_players.py fails while it is loaded: {error} ({at})", error=plain(error), at=plain(at)),
        msg("The code at the top level of the file and create_pair() must run without errors."),
    )
