"""The checks of uno: positions that a bot must have met, and its usual mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.game_checks import (
    Diagnosis,
    GameChecks,
    Habit,
    PositionKind,
    Trial,
    TrialPlan,
    built_in,
)
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import AnyGame
from botequim.core.messages import Message, msg
from botequim.core.rng import Rng
from botequim.games.cards.cards import Rank
from botequim.games.uno.diagnosis import diagnose, has_action, out_of_turn, third_word
from botequim.games.uno.moves import WILD, Buy, Discard, Move, Out
from botequim.games.uno.state import View
from botequim.games.uno.third_word import ThirdWord

if TYPE_CHECKING:
    from botequim.botcheck.table import BotTurn

MANY_CARDS: Final = 12
SOME: Final = 10
"""The number of turns with a legal card after which a bot that always buys is reported."""
SOME_PAID: Final = 2
"""The number of debts paid by others after which a bot that always pays them again is reported."""

# --- opponents ---------------------------------------------------------------------------------------


class Harsh:
    """Discards a C or V whenever it can, then an A, and always asks for another suit than the card's."""

    ORDER: tuple[Rank, ...] = (Rank.JOKER, Rank.JACK, Rank.ACE)

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: View) -> Move:
        discards = [move for move in view.legal if isinstance(move, Discard)]
        for rank in self.ORDER:
            fitting = [move for move in discards if move.card.rank is rank]
            other_suits = [move for move in fitting if move.suit not in (None, move.card.suit)]
            if fitting:
                return self._rng.choice(other_suits or fitting)
        return self._rng.choice(discards or view.legal)


class Loyal(Harsh):
    """Discards an A or C whenever it can, and asks for the suit that the card has."""

    ORDER = (Rank.ACE, Rank.JOKER)

    def choose(self, view: View) -> Move:
        discards = [move for move in view.legal if isinstance(move, Discard)]
        own = [move for move in discards if move.card.rank in self.ORDER and move.suit is move.card.suit]
        return self._rng.choice(own or discards or view.legal)


class Hoarder:
    """Buys whenever it may, so that the game becomes long."""

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: View) -> Move:
        return view.legal[-1]


class Leaver:
    """Leaves the game when it is asked for the first time."""

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: Any) -> Any:
        raise PlayerFault(FaultKind.CRASH)


# --- positions -----------------------------------------------------------------------------------------


def _has_asked_suit(view: View) -> bool:
    return view.table is not None and view.suit != view.table.suit


def _own_suit(view: View) -> bool:
    """Return whether the A or C on the table asks for its own suit: `DISCARD A♥ ♥`."""
    return view.table is not None and view.table.rank in WILD and view.suit == view.table.suit


def paid_debt(view: View) -> int:
    """Return the debt of a V or C that another player has laid and yet another has paid, else 0.

    A V or C that the bot has laid itself does not count: it never owed that debt.
    """
    debt = {Rank.JACK: 2, Rank.JOKER: 4}.get(view.table.rank, 0) if view.table is not None else 0
    if not debt or view.debt:
        return 0
    is_paid = False
    for event in reversed(view.events):
        if isinstance(event.move, Discard):
            return debt if is_paid and event.by != view.seat else 0
        if event.move in (Buy(debt), Out(debt)):
            if event.by == view.seat:
                return 0
            is_paid = True
    return 0


def _only_wild(view: View) -> bool:
    ranks = {move.card.rank for move in view.legal if isinstance(move, Discard)}
    return bool(ranks) and ranks <= set(WILD)


def _two_left(view: View) -> bool:
    return len(view.order) == 2 and len(view.counts) > 2


_POSITIONS: Final = (
    PositionKind("debt-2", msg("a debt of 2"), lambda view: view.debt == 2),
    PositionKind("debt-4", msg("a debt of 4"), lambda view: view.debt == 4),
    PositionKind(
        "joker", msg("a joker in the hand"), lambda view: any(c.rank is Rank.JOKER for c in view.hand)
    ),
    PositionKind(
        "paid-debt",
        msg("a debt that another player has paid"),
        lambda view: paid_debt(view) > 0,
        least=2 * SOME_PAID,
    ),
    PositionKind("suit", msg("a suit was asked for"), _has_asked_suit),
    PositionKind("own-suit", msg("an A or C that asks for its own suit"), _own_suit),
    PositionKind("only-wild", msg("only A or C fits"), _only_wild),
    PositionKind(
        "buy", msg("nothing fits, it must buy"), lambda view: not view.debt and view.legal == (Buy(1),)
    ),
    PositionKind("many", msg("many cards"), lambda view: len(view.hand) >= MANY_CARDS),
    PositionKind("last", msg("the last card"), lambda view: len(view.hand) == 1),
    PositionKind("two-left", msg("only two players are left"), _two_left),
    PositionKind("two", msg("a table of two"), lambda view: len(view.counts) == 2, common=True),
    PositionKind("three", msg("a table of three"), lambda view: len(view.counts) == 3, common=True),
    PositionKind("six", msg("a table of six"), lambda view: len(view.counts) == 6, common=True),
)


# --- habits --------------------------------------------------------------------------------------------


def _buys(view: View, move: object) -> bool | None:
    return isinstance(move, Buy) if any(isinstance(one, Discard) for one in view.legal) else None


def _always_buys(view: View, times: int) -> Diagnosis:
    return Diagnosis(
        "always-passes",
        msg(
            "It always buys: {count} times it had a card that fits, and it never discarded one.", count=times
        ),
        msg("Does it compare its hand with the card on the table? A card fits by its value or suit."),
    )


def _pays_again(view: View, move: object) -> bool | None:
    debt = paid_debt(view)
    return move == Buy(debt) if debt else None


def _pays_twice(view: View, times: int) -> Diagnosis:
    return Diagnosis(
        "pays-twice",
        msg(
            "It buys {count} for a {top} whose debt another player has already paid.",
            count=paid_debt(view),
            top=str(view.table),
        ),
        msg(
            "The debt of a V or C is paid only once: reset it when somebody says BUY. The card stays "
            "on the table, but nobody owes anything for it."
        ),
    )


class UnoChecks(GameChecks):
    """The checks of uno."""

    positions = _POSITIONS
    habits = (
        Habit(msg("it never plays a tile, although it could"), SOME, _buys, _always_buys),
        Habit(msg("pays debts that are already paid"), SOME_PAID, _pays_again, _pays_twice),
    )
    experiments = (ThirdWord(),)

    def plan(self, game: AnyGame) -> TrialPlan:
        easy = built_in("uno", "random")
        awkward = [
            Trial((0,), (Harsh, Hoarder), {"players": 3}),
            Trial((1,), (Harsh,), {"players": 2}),
            Trial((1,), (Loyal,), {"players": 2}),
            Trial((2,), (Harsh,), {"players": 6}),
            Trial((0,), (Leaver, Harsh), {"players": 3}),
            Trial((1,), (Harsh, Leaver), {"players": 3}),
            Trial((0,), (Harsh,), {"players": 2, "hand_size": 2}),
            Trial((1,), (Harsh,), {"players": 2, "hand_size": 13}),
        ]
        return TrialPlan(
            Trial((0,), (easy,), {"players": 2}),
            Trial((0, 2), (Harsh, easy), {"players": 4}),
            awkward,
        )

    def diagnose_experiment(self, case: Case) -> Diagnosis | None:
        return third_word(case)

    def diagnose(self, case: Case) -> Diagnosis | None:
        return diagnose(case)

    def diagnose_warning(self, warning: Message, bot_turn: BotTurn) -> Diagnosis | None:
        return out_of_turn() if has_action(bot_turn.unsolicited) else None

    def warnings(self, bot_turn: BotTurn) -> Iterator[tuple[Diagnosis, Message]]:
        move = bot_turn.played_move.move
        if not isinstance(move, Discard) or move.card.rank not in WILD:
            return
        words = [line.split() for line in bot_turn.codec_input if line.split()[:1] == [b"DISCARD"]]
        if words and len(words[0]) == 2:
            yield _no_suit(str(move.card)), msg("no suit is asked for with {card}", card=str(move.card))


def _no_suit(card: str) -> Diagnosis:
    return Diagnosis(
        "no-suit",
        msg("It discards {card} without asking for a suit: then the suit of that card applies.", card=card),
        msg("Write the suit after the card: DISCARD A♣ ♥"),
    )


CHECKS: Final = UnoChecks()
