"""Describes a game of uno in words."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.core.game import Outcome
from botequim.core.messages import Message, msg
from botequim.core.turn import PlayedMove
from botequim.engine.referee import Step
from botequim.games.cards.cards import CARDS, SUITS
from botequim.games.uno.moves import WILD, Buy, Deal, Discard, Draw, LostTurn, Out, Starter, discard
from botequim.games.uno.state import Ending, State, cards_of, following
from botequim.narration.narrator import Narrator


class UnoNarrator(Narrator):
    """Describes discards and bought cards with their effects, and shows the table and the hand to play."""

    def move(self, step: Step, played_move: PlayedMove, who: str) -> Message | None:
        move = played_move.move
        if isinstance(move, Discard):
            move = discard(move.card, move.suit)  # always with its suit, as in a record
        match move:
            case Deal(table=table):
                return msg("The cards are dealt; {card} lies on the table.", card=str(table))
            case Discard(card, None):
                return msg("{who} discards {card}.", who=who, card=str(card))
            case Discard(card, suit):
                return msg(
                    "{who} discards {card} and asks for {suit}.", who=who, card=str(card), suit=str(suit)
                )
            case Buy(1):
                return msg("{who} buys a card.", who=who)
            case Buy(count):
                return msg("{who} buys {count} cards.", who=who, count=count)
            case LostTurn():
                return msg("{who} loses the turn.", who=who)
            case Out(0):
                return msg("{who} is out of the game.", who=who)
            case Out(debt):
                return msg(
                    "{who} is out of the game, and the debt of {debt} cards is gone.", who=who, debt=debt
                )
        return None

    def after(self, step: Step, names: Sequence[str]) -> Message | None:
        before: State = step.before
        match step.turn[0].move:
            case Starter(seat):
                return msg("{who} starts.", who=names[seat])
            case Draw(cards):
                who, card_texts = names[before.seat], " ".join(map(str, cards))
                if len(step.after.middle.discards) < len(before.middle.discards):
                    return msg(
                        "{who} draws {cards}; the discards were shuffled into a new pile.",
                        who=who,
                        cards=card_texts,
                    )
                return msg("{who} draws {cards}.", who=who, cards=card_texts)
            case Discard():
                return None if step.after.ending else _effect(before, step.after, names)
        return None

    def board(self, state: State) -> Sequence[str]:
        if state.seat < 0:
            return [_hand(state, seat) for seat in range(len(state.hands))]
        if state.buying:
            return ()
        top = CARDS[state.middle.discards[-1]]
        suit = f" {SUITS[state.middle.suit].value}" if top.rank in WILD else ""
        left = len(state.middle.pile) + len(state.middle.under)
        counts = [
            f"{seat + 1}:{'-' if seat in state.out else len(hand)}" for seat, hand in enumerate(state.hands)
        ]
        table = f"[{top}]{suit} ({left})  {' '.join(counts)}"
        return [table] if state.ending else [table, _hand(state, state.seat)]

    def ending(self, outcome: Outcome) -> Message:
        match Ending(outcome.how):
            case Ending.EMPTY_HAND:
                return msg("A hand is empty.")
            case Ending.EMPTY_PILE:
                return msg("The pile is empty: the player with the fewest cards wins.")
            case Ending.STALLED:
                return msg("The game is stalled: the player with the fewest cards wins.")
            case Ending.LAST_ONE:
                return msg("Only one player is still in the game.")

    def points(self, points: str) -> Message:
        return msg("Cards left: {points}", points=points)


def _effect(before: State, after: State, names: Sequence[str]) -> Message | None:
    """Return a sentence about the effect of a discard on other players, or None."""
    if after.debt:
        return msg("{who} must buy {debt}.", who=names[after.seat], debt=after.debt)
    if after.direction != before.direction:
        return msg("The direction changes: {who} is next.", who=names[after.seat])
    next_seat = following(before, before.direction, before.seat)
    if next_seat != after.seat:
        return msg("{who} is skipped.", who=names[next_seat])
    return None


def _hand(state: State, seat: int) -> str:
    return f"{seat + 1}: " + " ".join(map(str, sorted(cards_of(state.hands[seat]))))
