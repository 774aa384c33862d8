"""Mistakes of uno bots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.game_checks import Diagnosis
from botequim.core.errors import FaultKind
from botequim.core.game import CHANCE
from botequim.core.messages import msg, plain
from botequim.games.cards.cards import Card, Suit
from botequim.games.uno.moves import WILD, Buy, Deal, Discard, Draw
from botequim.games.uno.state import View

_ACTIONS: Final = ("DISCARD", "BUY")
THIRD_WORD: Final = "third-word"
"""The experiment that confirms the mistake of that name."""
_CARDS: Final = msg(
    "A card is its value (A 2-10 V D R C) and its suit (♥ ♦ ♣ ♠) without a space, as in HAND: DISCARD 7♣"
)


def diagnose(case: Case) -> Diagnosis | None:
    if has_action(case.experiments.surplus):
        return out_of_turn()
    match case.fault.kind:
        case FaultKind.TIMEOUT:
            return _unknown_words(case)
        case FaultKind.MALFORMED:
            return _misspelt(case)
        case FaultKind.ILLEGAL:
            return _illegal(case)
        case _:
            return None


def third_word(case: Case) -> Diagnosis | None:
    """Return the diagnosis of a mistake in the competition's template: some events have three words, not
    two."""
    if THIRD_WORD not in case.experiments.confirmed:
        return None
    return Diagnosis(
        "third-word",
        msg(
            "It does not read the third word of DISCARD A♥ ♥, the suit that is asked for. From "
            "then on it is one word behind in its input, and misses its turn."
        ),
        msg(
            'After DISCARD with an A or C, read one more word, as in scanf("%s", suit); or read whole lines.'
        ),
    )


def has_action(lines: Sequence[bytes]) -> bool:
    """Return whether there is an action among unsolicited lines."""
    return any(line.split()[:1] in ([b"DISCARD"], [b"BUY"]) for line in lines)


def out_of_turn() -> Diagnosis:
    return Diagnosis(
        "out-of-turn",
        msg("It also answers when it is not its turn."),
        msg("Answer only after TURN with your own id, which you get from the line YOU."),
    )


def _unknown_words(case: Case) -> Diagnosis:
    lines = [line for line in case.raw.splitlines() if line.strip()]
    line = next((line for line in lines if line.split()[0] != "SAY"), None)
    if line is None:
        return Diagnosis(
            "no-action",
            msg(
                "It says something, but neither discards nor buys within {allowed} s.",
                allowed=f"{case.limits.move:g}",
            ),
            msg("SAY is not an action: send DISCARD or BUY directly after it, on its own line."),
        )
    return Diagnosis(
        "unknown-words",
        msg('It says "{line}", which is not an action.', line=plain(line.strip()[:60])),
        msg("An action is DISCARD and a card, or BUY and a number, in capitals, on a line of its own."),
    )


def _action(case: Case) -> list[str]:
    """Return the words of the action in its answer."""
    lines = [line.split() for line in case.raw.splitlines()]
    return next((words for words in lines if words and words[0] in _ACTIONS), [""])


def _misspelt(case: Case) -> Diagnosis:
    words = _action(case)
    quote = plain(" ".join(words)[:60])
    if words[0] == "BUY":
        return Diagnosis(
            "buy-format",
            msg('It says "{given}": BUY needs a number of cards.', given=quote),
            msg("Say BUY 1, or after a V or C exactly BUY 2 or BUY 4."),
        )
    return Diagnosis("card-format", msg('It says "{given}", which is not a card.', given=quote), _CARDS)


# --- moves that the rules refuse ---------------------------------------------------------------------


def _illegal(case: Case) -> Diagnosis | None:
    move, view = case.fault.move, case.view
    if view.debt:
        return _in_debt(move, view)
    if isinstance(move, Buy):
        return Diagnosis(
            "buy-count",
            msg("It buys {count} cards, which is not possible.", count=move.count),
            msg("Say BUY 1, or after a V or C exactly BUY 2 or BUY 4."),
        )
    if not isinstance(move, Discard):
        return None
    return _not_held(move.card, view) if move.card not in view.hand else _misfit(move.card, view)


def _in_debt(move: object, view: View) -> Diagnosis:
    top = "V" if view.debt == 2 else "C"
    remedy = msg(
        "When the previous player discards a {top}, the only answer is BUY {debt}.", top=top, debt=view.debt
    )
    if isinstance(move, Buy):
        return Diagnosis(
            "wrong-debt",
            msg("It buys {count}, but it must buy {debt}.", count=move.count, debt=view.debt),
            remedy,
        )
    return Diagnosis(
        "ignores-debt",
        msg(
            "It ignores the debt: it discards, although it must buy {debt} after a {top}.",
            debt=view.debt,
            top=top,
        ),
        remedy,
    )


def _own(view: View) -> tuple[list[Card], bool]:
    """Return the cards it has discarded, and whether it has bought any."""
    discards = [
        event.move.card for event in view.events if event.by == view.seat and isinstance(event.move, Discard)
    ]
    has_bought = any(event.by == view.seat and isinstance(event.move, Buy) for event in view.events)
    return discards, has_bought


def _cards_received(view: View) -> Iterator[Card]:
    for event in view.events:
        if event.by == CHANCE and isinstance(event.move, Draw):
            yield from [card for card in event.move.cards if card is not None]
        elif event.by == CHANCE and isinstance(event.move, Deal) and view.seat is not None:
            yield from event.move.hands[view.seat] or ()


def _not_held(card: Card, view: View) -> Diagnosis:
    discards, has_bought = _own(view)
    card_text = str(card)
    if card in discards:
        return Diagnosis(
            "discards-twice",
            msg("It discards {card} a second time.", card=card_text),
            msg("Take a card out of the hand when it is discarded."),
        )
    if has_bought and card not in _cards_received(view):
        return Diagnosis(
            "misreads-bought-cards",
            msg("It discards {card}, which it never held; it has bought cards before.", card=card_text),
            msg("After BUY n, the next n lines have one card each: add exactly those cards to the hand."),
        )
    return Diagnosis(
        "not-held",
        msg("It discards {card}, which it does not hold.", card=card_text),
        msg("The hand is the cards of HAND, minus the discarded cards, plus the cards that come after BUY."),
    )


def _misfit(card: Card, view: View) -> Diagnosis:
    assert view.table is not None
    values: dict[str, object] = {"card": str(card), "top": str(view.table), "suit": str(view.suit)}
    if view.table.rank in WILD and view.suit != view.table.suit and card.suit == view.table.suit:
        return Diagnosis(
            "ignores-asked-suit",
            msg("It follows the suit of {top}, but the suit that was asked for is {suit}.", **values),
            msg("DISCARD with an A or C has a suit after the card: that is the suit to follow."),
        )
    for top, suit in _earlier(view.events):
        if card.rank == top.rank or card.suit == suit:
            return Diagnosis(
                "stale-table",
                msg(
                    "It discards {card} on {top}: it seems to think that an earlier card is still on top.",
                    **values,
                ),
                msg("The top card changes with every DISCARD, also the bot's own."),
            )
    return Diagnosis(
        "does-not-fit",
        msg("It discards {card} on {top}, but the suit to follow is {suit}: it does not fit.", **values),
        msg("A card fits by its value or by the suit to follow; A and C always fit; if nothing fits: BUY 1."),
    )


def _earlier(events: Sequence[object]) -> list[tuple[Card, Suit]]:
    """Return the earlier top cards, the latest first; at most as many as in one round."""
    tops: list[tuple[Card, Suit]] = []
    for event in events:
        move = getattr(event, "move", None)
        if isinstance(move, Deal):
            tops.append((move.table, move.table.suit))
        elif isinstance(move, Discard):
            tops.append((move.card, move.suit or move.card.suit))
    return tops[:-1][::-1][:3]
