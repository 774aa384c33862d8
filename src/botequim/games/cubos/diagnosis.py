"""Mistakes of cubos bots."""

from __future__ import annotations

import re
from typing import Any, Final

from botequim.botcheck.diagnosis.answers import json_answer, no_object, not_a_text, other_key, text_under
from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.game_checks import Diagnosis
from botequim.core.errors import FaultKind
from botequim.core.messages import msg, plain
from botequim.games.cubos.rules import Lay, Pass, Side, View

EXAMPLE: Final = '{"pedra": "3-6", "lado": "esquerda"}'
_TILE: Final = re.compile(r"[0-6]-[0-6]")
_SIDES: Final = ("esquerda", "direita")
_ALIKE: Final = {
    "left": "esquerda", "right": "direita", "l": "esquerda", "r": "direita", "e": "esquerda", "d": "direita",
    "esq": "esquerda", "dir": "direita", "izquierda": "esquerda", "derecha": "direita",
}  # fmt: skip
_SIDE_WORDS: Final = {Side.LEFT: "esquerda", Side.RIGHT: "direita"}


def diagnose(case: Case) -> Diagnosis | None:
    if case.fault.kind is FaultKind.ILLEGAL:
        return _illegal(case)
    if case.fault.kind is not FaultKind.MALFORMED:
        return None
    bad = no_object(case, EXAMPLE)
    if bad is not None:
        return bad
    answer = json_answer(case)
    assert answer is not None
    return _tile(answer) or _side(answer)


def _is_tile(value: object) -> bool:
    return isinstance(value, str) and _TILE.fullmatch(value) is not None


def _is_side(value: object) -> bool:
    return isinstance(value, str) and (value.lower() in _SIDES or value.lower() in _ALIKE)


def _tile(answer: dict[str, Any]) -> Diagnosis | None:
    tile = answer.get("pedra")
    if tile is None or _is_tile(tile):
        return None
    if not isinstance(tile, str):
        return not_a_text("pedra", tile, EXAMPLE)
    return Diagnosis(
        "tile-format",
        msg('It writes a tile as "{tile}".', tile=plain(tile[:40])),
        msg('A tile is written as in "mao", two numbers and a hyphen: {example}', example=plain(EXAMPLE)),
    )


def _side(answer: dict[str, Any]) -> Diagnosis | None:
    absent = Diagnosis(
        "no-side",
        msg('It names a tile, but no "lado".'),
        msg("Give the side with every tile, even when only one side fits: {example}", example=plain(EXAMPLE)),
    )
    side = text_under(answer, "lado", _is_side, EXAMPLE, absent)
    if not isinstance(side, str):
        return side
    remedy = msg('Write "esquerda" or "direita", in lower case.')
    if side.lower() in _ALIKE:
        return Diagnosis(
            "other-words",
            msg('It writes "{word}" for a side instead of the word in the rules.', word=plain(side)),
            remedy,
        )
    if side.strip().lower() in _SIDES:
        return Diagnosis(
            "capitals",
            msg('It writes "{word}", but the rules spell it differently.', word=plain(side)),
            remedy,
        )
    return Diagnosis(
        "side", msg('It answers with the side "{word}", which does not exist.', word=plain(side[:40])), remedy
    )


# --- moves that the rules refuse ---------------------------------------------------------------------


def _illegal(case: Case) -> Diagnosis | None:
    move, view = case.fault.move, case.view
    if isinstance(move, Pass):
        return _needless_pass(case, view)
    if not isinstance(move, Lay):
        return None
    tile = str(move.tile)
    if move.tile not in view.hand:
        return _not_held(move, view)
    ends = (view.line[0][0], view.line[-1][1])
    end, other = ends if move.side is Side.LEFT else ends[::-1]
    word = _SIDE_WORDS[move.side]
    if other in move.tile:
        return Diagnosis(
            "flipped-side",
            msg(
                "It confuses the sides: {tile} does not fit {side} ({end}), but the other end ({other}).",
                tile=tile,
                side=word,
                end=end,
                other=other,
            ),
            msg('"esquerda" is the first number of mesa[0], "direita" the last number of the last tile.'),
        )
    inner = view.line[0][1] if move.side is Side.LEFT else view.line[-1][0]
    if inner in move.tile:
        return Diagnosis(
            "inner-number",
            msg(
                "It compares with the inner number of the last tile ({inner}), not with the outer "
                "one ({end}).",
                inner=inner,
                end=end,
            ),
            msg(
                'The tiles in "mesa" are written in the direction in which they lie: the ends are the '
                "first and the last number."
            ),
        )
    return Diagnosis(
        "does-not-fit",
        msg(
            "It lays {tile} on the side {side}, where the end is {end}: it does not fit.",
            tile=tile,
            side=word,
            end=end,
        ),
        msg("A tile fits if one of its numbers is the number at that end."),
    )


def _not_held(move: Lay, view: View) -> Diagnosis:
    tile = str(move.tile)
    if any(sorted(lies) == sorted(move.tile) for lies in view.line):
        return Diagnosis(
            "already-on-the-table",
            msg("It lays {tile}, which is already on the table.", tile=tile),
            msg(
                'Choose only tiles that are in "mao" in this question: tiles that were laid are no '
                "longer there."
            ),
        )
    return Diagnosis(
        "not-held",
        msg("It lays {tile}, which it does not hold.", tile=tile),
        msg('Choose only tiles that are in "mao" in this question.'),
    )


def _needless_pass(case: Case, view: View) -> Diagnosis:
    answer = json_answer(case) or {}
    wrong = other_key(answer, "pedra", _is_tile, EXAMPLE)
    if wrong is not None:
        return wrong
    lays = [move for move in view.legal if isinstance(move, Lay)]
    sides = {move.side for move in lays}
    move = lays[0]
    fitting = {"tile": str(move.tile), "side": _SIDE_WORDS[move.side]}
    if "pedra" not in answer and answer:
        keys = ", ".join(answer)[:80]
        return Diagnosis(
            "wrong-key",
            msg(
                'It answers with {keys}, but "pedra" is missing: that means a pass, although a tile fits.',
                keys=keys,
            ),
            msg("Write the keys exactly like this: {example}", example=plain(EXAMPLE)),
        )
    if len(sides) == 1:
        return Diagnosis(
            "one-end-only",
            msg("It passes although {tile} fits {side}: it seems to look only at the other end.", **fitting),
            msg("Try every tile of the hand at both ends, with both of its numbers."),
        )
    return Diagnosis(
        "passes-though-it-fits",
        msg("It passes although {tile} fits {side}.", **fitting),
        msg("You may pass only when no tile fits: try every tile at both ends, with both numbers."),
    )
