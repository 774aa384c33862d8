"""The awkward positions of each game: what a bot must have met before it can be called ready."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from botequim.core.game import CHANCE
from botequim.core.messages import Message, msg
from botequim.games import cubos, fives, havana_moves, havana_state, rps, uno_state
from botequim.games.boneyard import DRAW
from botequim.games.cards import Rank
from botequim.games.spinner import Direction, Lay
from botequim.games.tiles import Deal
from botequim.games.uno_moves import WILD, Buy, Discard, Out

LONG_LINE: Final = 15
LONG_HISTORY: Final = 20
LONG_GAME: Final = 30
MANY_CARDS: Final = 12
SOME_PAID: Final = 2
"""Debts that others had paid, before it is said that a bot always pays them again."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of awkward position."""

    name: str
    """As JSON has it."""
    told: Message
    holds: Callable[[Any], bool]
    common: bool = False
    """Must be met, but makes a position awkward by itself no more than any other."""
    least: int = 1
    """How often it must come up before the check has seen enough of it."""


def kinds(game: str) -> Sequence[Kind]:
    """Those of a game; of a game that is not ours what every game has."""
    return _OURS.get(game, _ANY)


def _double(tile: tuple[int, int]) -> bool:
    return tile[0] == tile[1]


# --- cubos -----------------------------------------------------------------------------------------


def _sides(view: cubos.View) -> list[tuple[object, cubos.Side]]:
    return [(move.tile, move.side) for move in view.legal if isinstance(move, cubos.Lay)]


def _both(sides: Sequence[tuple[object, object]]) -> bool:
    return len({side for _, side in sides}) == 2


def _two_sided(sides: Sequence[tuple[object, object]]) -> bool:
    tiles = [tile for tile, _ in sides]
    return len(set(tiles)) < len(tiles)


_CUBOS: Final = (
    Kind("opening", msg("the first move after 6-6"), lambda view: len(view.line) == 1),
    Kind("pass", msg("a forced pass"), lambda view: view.legal == (cubos.PASS,)),
    Kind("both-ends", msg("tiles for both ends"), lambda view: _both(_sides(view))),
    Kind("two-sided", msg("a tile that fits both ends"), lambda view: _two_sided(_sides(view))),
    Kind("equal-ends", msg("equal ends"), lambda view: view.line[0][0] == view.line[-1][1]),
    Kind("double", msg("a double fits"), lambda view: any(_double(tile) for tile, _ in _sides(view))),  # type: ignore[arg-type]
    Kind("last", msg("the last tile"), lambda view: len(view.hand) == 1),
    Kind("long", msg("a long line"), lambda view: len(view.line) >= LONG_LINE),
)

# --- havana ----------------------------------------------------------------------------------------


def _lays(view: havana_state.View) -> list[tuple[object, object]]:
    return [(move.tile, move.side) for move in view.legal if isinstance(move, havana_moves.Lay)]


def _strange(view: havana_state.View) -> bool:
    return any(type(play[2]) is not int or play[2] not in (0, 1) for play in view.plays)


_HAVANA: Final = (
    Kind("first", msg("the first move of all, no ends"), lambda view: not view.board_extremes),
    Kind(
        "all-passed",
        msg("an empty table after the others have passed"),
        lambda view: not view.board_extremes and len(view.plays) == havana_state.SEATS - 1,
    ),
    Kind("pass", msg("a forced pass"), lambda view: view.legal == (havana_moves.PASS,)),
    Kind("both-ends", msg("tiles for both ends"), lambda view: _both(_lays(view))),
    Kind("two-sided", msg("a tile that fits both ends"), lambda view: _two_sided(_lays(view))),
    Kind("lost", msg("after a lost turn"), lambda view: bool(view.plays) and view.plays[-1][3] is None),
    Kind("strange", msg("strange sides in the history"), _strange),
    Kind("last", msg("the last tile"), lambda view: len(view.hand) == 1),
    Kind("long", msg("a long history"), lambda view: len(view.plays) >= LONG_HISTORY),
)

# --- fives -----------------------------------------------------------------------------------------


def _up_or_down(view: fives.View) -> bool:
    upright = (Direction.UP, Direction.DOWN)
    return any(isinstance(move, Lay) and move.side in upright for move in view.legal)


def _after_locked(view: fives.View) -> bool:
    """Whether two passes came before this round's deal."""
    last = max(at for at, event in enumerate(view.events) if isinstance(event.move, Deal))
    return last > 0 and isinstance(view.events[last - 1].move, fives.Pass)


_FIVES: Final = (
    Kind("any", msg("opening with any tile"), lambda view: view.board.is_empty()),
    Kind("spinner", msg("a lone spinner"), lambda view: view.board.is_lone_spinner()),
    Kind("up-down", msg("up or down is open"), _up_or_down),
    Kind("draw", msg("it must draw"), lambda view: view.legal == (DRAW,)),
    Kind("pass", msg("it must pass"), lambda view: view.legal == (fives.PASS,)),
    Kind("last", msg("the last tile"), lambda view: len(view.hand) == 1),
    Kind("rounds", msg("a later round"), lambda view: view.round > 1, common=True),
    Kind("locked", msg("the round after a locked one"), _after_locked),
)

# --- uno -------------------------------------------------------------------------------------------


def _asked_suit(view: uno_state.View) -> bool:
    return view.table is not None and view.suit != view.table.suit


def _own_suit(view: uno_state.View) -> bool:
    """Whether the A or C on the table asks for the suit that it has: `DISCARD A♥ ♥`."""
    return view.table is not None and view.table.rank in WILD and view.suit == view.table.suit


def paid_debt(view: uno_state.View) -> int:
    """Return the debt of a V or C that another player has laid and yet another has paid, else 0.

    A V or C that the bot has laid itself does not count: it never owed that debt.
    """
    owed = {Rank.JACK: 2, Rank.JOKER: 4}.get(view.table.rank, 0) if view.table is not None else 0
    if not owed or view.debt:
        return 0
    paid = False
    for event in reversed(view.events):
        if isinstance(event.move, Discard):
            return owed if paid and event.by != view.seat else 0
        if event.move in (Buy(owed), Out(owed)):
            if event.by == view.seat:
                return 0
            paid = True
    return 0


def _only_wild(view: uno_state.View) -> bool:
    ranks = {move.card.rank for move in view.legal if isinstance(move, Discard)}
    return bool(ranks) and ranks <= set(WILD)


def _two_left(view: uno_state.View) -> bool:
    return len(view.order) == 2 and len(view.counts) > 2


_UNO: Final = (
    Kind("debt-2", msg("a debt of 2"), lambda view: view.debt == 2),
    Kind("debt-4", msg("a debt of 4"), lambda view: view.debt == 4),
    Kind("joker", msg("a joker in the hand"), lambda view: any(c.rank is Rank.JOKER for c in view.hand)),
    Kind(
        "paid-debt",
        msg("a debt that another has paid"),
        lambda view: paid_debt(view) > 0,
        least=2 * SOME_PAID,
    ),
    Kind("suit", msg("an asked suit in force"), _asked_suit),
    Kind("own-suit", msg("an A or C that asks for its own suit"), _own_suit),
    Kind("only-wild", msg("only A or C fits"), _only_wild),
    Kind("buy", msg("nothing fits, it must buy"), lambda view: not view.debt and view.legal == (Buy(1),)),
    Kind("many", msg("many cards"), lambda view: len(view.hand) >= MANY_CARDS),
    Kind("last", msg("the last card"), lambda view: len(view.hand) == 1),
    Kind("two-left", msg("two players left of more"), _two_left),
    Kind("two", msg("a table of two"), lambda view: len(view.counts) == 2, common=True),
    Kind("three", msg("a table of three"), lambda view: len(view.counts) == 3, common=True),
    Kind("six", msg("a table of six"), lambda view: len(view.counts) == 6, common=True),
)

# --- rps -------------------------------------------------------------------------------------------


def _written(view: rps.View) -> int:
    return len(view.history.split(";")) if view.history else 0


def _coin(view: rps.View) -> bool:
    return any(event.by == CHANCE for event in view.events)


_RPS: Final = (
    Kind("empty", msg("an empty history"), lambda view: not view.history),
    Kind("first", msg("as player 1"), lambda view: view.seat == 0),
    Kind("second", msg("as player 2"), lambda view: view.seat == 1),
    Kind("last", msg("the last round"), lambda view: len(view.rounds) == view.length - 1),
    Kind("long", msg("a long history"), lambda view: _written(view) >= LONG_GAME),
    Kind("left-out", msg("forfeited rounds left out"), lambda view: _written(view) < len(view.rounds)),
    Kind("dash", msg("forfeited rounds as dashes"), lambda view: "-" in view.history),
    Kind("coin", msg("after a coin"), _coin),
)

# --- any game --------------------------------------------------------------------------------------

_ANY: Final = (
    Kind("first", msg("nothing has happened but chance"), lambda view: all(e.by < 0 for e in view.events)),
    Kind("only", msg("only one move is legal"), lambda view: len(view.legal) == 1),
    Kind("several", msg("several moves are legal"), lambda view: len(view.legal) > 1),
    Kind("long", msg("a long history"), lambda view: len(view.events) >= LONG_HISTORY),
)

_OURS: Final = {"cubos": _CUBOS, "havana": _HAVANA, "fives": _FIVES, "uno": _UNO, "rps": _RPS}
