"""States and views of uno. `rules.py` describes the rules.

A state stores cards by their numbers, as bytes, so that taking, adding and filtering cards are fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias, final

from botequim.core.errors import OptionError
from botequim.core.game import CHANCE, Event
from botequim.core.messages import msg
from botequim.core.options import Options
from botequim.core.rng import Rng
from botequim.games.cards.cards import CARDS, SUITS, Card, Rank, Suit
from botequim.games.uno.moves import UNSEEN_DRAWS, Cards, Deal, Discard, Draw, Move, Starter

DECK: Final = len(CARDS)
MOST_WITH_ONE_DECK: Final = 6
ACTIONS: Final = (Rank.ACE, Rank.JACK, Rank.QUEEN, Rank.KING, Rank.JOKER)

Numbers: TypeAlias = bytes
"""Cards by number."""

ONE: Final[tuple[Numbers, ...]] = tuple([bytes([number]) for number in range(DECK)])


class Ending(StrEnum):
    """How a game ends."""

    EMPTY_HAND = "empty hand"
    EMPTY_PILE = "empty pile"
    STALLED = "stalled"
    LAST_ONE = "last one in"


# --- states ----------------------------------------------------------------------------------------


@final
class Rules:
    """The options of a game, checked together."""

    __slots__ = ("decks", "hand_size", "players", "reshuffles", "reverse_skips")

    def __init__(self, options: Options) -> None:
        self.players: Final = int(options["players"])
        self.decks: Final = int(options["decks"])
        self.hand_size: Final = int(options["hand_size"])
        self.reverse_skips: Final = options["two_player_reverse"] == "skip"
        self.reshuffles: Final = options["pile"] == "reshuffle"
        if self.players > MOST_WITH_ONE_DECK and self.decks == 1:
            raise OptionError(
                msg(
                    "uno for {players} players needs decks = 2; one deck is for at most {most}",
                    players=self.players,
                    most=MOST_WITH_ONE_DECK,
                )
            )
        if self.players * self.hand_size + 2 > DECK * self.decks:
            raise OptionError(
                msg(
                    "{players} hands of {size} cards leave none of the {cards} cards for the "
                    "table and the pile; lower hand_size or raise decks",
                    players=self.players,
                    size=self.hand_size,
                    cards=DECK * self.decks,
                )
            )


@final
class Middle:
    """The middle of the table."""

    __slots__ = ("discards", "pile", "suit", "under")

    def __init__(self, pile: Numbers, under: Numbers, discards: Numbers, suit: int) -> None:
        self.pile: Final = pile
        """The cards of the pile, without an order; any of them may be drawn next."""
        self.under: Final = under
        """The cards under the pile, the next card first."""
        self.discards: Final = discards
        """The last one is the top card."""
        self.suit: Final = suit
        """The suit to follow, by its index in SUITS."""


@final
class Past:
    """The last move and all moves before it. States share their past, so that adding a move is fast."""

    __slots__ = ("before", "by", "move")

    def __init__(self, by: int, move: Move, before: Past | None) -> None:
        self.by: Final = by
        self.move: Final = move
        self.before: Final = before


@final
class State:
    """The state of a game, with all hands. It is immutable; the rules return a new one."""

    __slots__ = (
        "buying",
        "debt",
        "direction",
        "ending",
        "hands",
        "idle",
        "middle",
        "out",
        "past",
        "rules",
        "seat",
        "turns",
    )

    def __init__(
        self,
        rules: Rules,
        middle: Middle,
        hands: tuple[Numbers, ...],
        out: tuple[int, ...],
        direction: int,
        seat: int,
        debt: int,
        buying: int,
        idle: int,
        turns: int,
        ending: Ending | None,
        past: Past | None,
    ) -> None:
        self.rules: Final = rules
        self.middle: Final = middle
        self.hands: Final = hands
        """By seat, in the order received; empty before the deal. Players who are out keep their cards."""
        self.out: Final = out
        """The seats that left the game, in this order."""
        self.direction: Final = direction
        """1, or -1 when reversed."""
        self.seat: Final = seat
        """The seat to move; -1 before there is a starter."""
        self.debt: Final = debt
        """The number of cards that the player to move must buy, or 0."""
        self.buying: Final = buying
        """The number of cards that CHANCE must now draw for `seat`."""
        self.idle: Final = idle
        """The number of turns since the last valid action, of players who are not out."""
        self.turns: Final = turns
        self.ending: Final = ending
        self.past: Final = past


def following(state: State, direction: int, seat: int) -> int:
    """Return the next seat after a seat; the same seat if all others are out."""
    players = state.rules.players
    after = (seat + direction) % players
    while after in state.out:
        after = (after + direction) % players
    return after


# --- cards by number -------------------------------------------------------------------------------


def cards_of(numbers: Numbers) -> Cards:
    return tuple([CARDS[number] for number in numbers])


def numbers_of(cards: tuple[Card | None, ...]) -> Numbers:
    numbers = b""
    for card in cards:
        if card is not None:
            numbers += ONE[card.number]
    return numbers


def without(numbers: Numbers, taken: Numbers) -> Numbers:
    for at in range(len(taken)):
        numbers = numbers.replace(taken[at : at + 1], b"", 1)
    return numbers


def sample(numbers: Numbers, count: int, rng: Rng) -> Numbers:
    """Return a random sample of the cards, in random order."""
    drawn = b""
    for _ in range(count):
        at = rng.below(len(numbers))
        drawn += numbers[at : at + 1]
        numbers = numbers[:at] + numbers[at + 1 :]
    return drawn


# --- views -----------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class View:
    """Everything that one seat has seen. Seat None, a spectator, sees no hand."""

    seat: int | None
    legal: tuple[Move, ...]
    events: tuple[Event[Move], ...]
    hand: Cards
    """In the order received."""
    table: Card | None
    """The top card; None before the deal."""
    suit: Suit | None
    """The suit to follow."""
    debt: int
    """The number of cards that the player to move must buy, or 0."""
    turn: int | None
    """The seat to move; None when no player is asked."""
    order: tuple[int, ...]
    """The seats that are not out, in the order of play, beginning with the seat to move."""
    direction: int
    """1, or -1 when reversed."""
    starter: int | None
    counts: tuple[int, ...]
    """The number of cards in each hand, by seat."""
    out: tuple[int, ...]
    """The seats that left the game, in this order."""
    pile: int
    """The number of cards left to draw, before any are shuffled back."""
    decks: int
    two_player_reverse: str
    """The effect of a D with two players: `nothing` or `skip`."""
    empty_pile: str
    """What happens when the pile is empty: `end` or `reshuffle`."""


def view_of(state: State, seat: int | None, legal: tuple[Move, ...]) -> View:
    """Return the view of a seat with these legal moves."""
    rules = state.rules
    middle = state.middle
    events = _events(state, seat)
    second = events[1].move if len(events) > 1 else None
    return View(
        seat,
        legal,
        events,
        cards_of(state.hands[seat]) if seat is not None and state.hands else (),
        CARDS[middle.discards[-1]] if middle.discards else None,
        SUITS[middle.suit] if middle.discards else None,
        state.debt,
        state.seat if state.ending is None and state.seat >= 0 and state.buying == 0 else None,
        _order(state),
        state.direction,
        second.seat if isinstance(second, Starter) else None,
        tuple([len(hand) for hand in state.hands]),
        state.out,
        len(middle.pile) + len(middle.under),
        rules.decks,
        "skip" if rules.reverse_skips else "nothing",
        "reshuffle" if rules.reshuffles else "end",
    )


def _events(state: State, seat: int | None) -> tuple[Event[Move], ...]:
    events: list[Event[Move]] = []
    past = state.past
    while past is not None:
        before = past.before
        move = past.move
        if past.by == CHANCE and (before is None or before.by != seat):
            move = _mask(move, seat)
        events.append(Event(past.by, move))
        past = before
    events.reverse()
    return tuple(events)


def _mask(move: Move, seat: int | None) -> Move:
    """Return a move of CHANCE as players see it who did not buy the cards."""
    if isinstance(move, Draw):
        return UNSEEN_DRAWS[len(move.cards)]
    if isinstance(move, Deal):
        hands = [hand if at == seat else None for at, hand in enumerate(move.hands)]
        return Deal(tuple(hands), move.table, None)
    return move


def _unroll(state: State) -> list[Past]:
    """Return the past, first move first."""
    moves: list[Past] = []
    past = state.past
    while past is not None:
        moves.append(past)
        past = past.before
    moves.reverse()
    return moves


def _order(state: State) -> tuple[int, ...]:
    if state.seat < 0:
        return ()
    order = [seat for seat in range(state.rules.players) if seat not in state.out]
    order = order[:: state.direction]
    at = order.index(state.seat)
    return tuple(order[at:] + order[:at])


# --- resampling of hidden cards --------------------------------------------------------------------


def redealt(state: State, seat: int | None, rng: Rng) -> State:
    """Return the same game with other cards instead of those that this seat has never seen, from the deal
    on."""
    moves = _unroll(state)
    changed = _exchange(moves, seat, rng)
    past: Past | None = None
    for one in moves:
        move = one.move
        if isinstance(move, Deal):
            hands = [_swap_cards(hand, changed) for hand in move.hands]
            move = Deal(tuple(hands), move.table, _swap_cards(move.under, changed))
        elif isinstance(move, Draw):
            move = Draw(_swap_cards(move.cards, changed) or ())
        past = Past(one.by, move, past)
    middle = state.middle
    return State(
        state.rules,
        Middle(middle.pile.translate(changed), middle.under.translate(changed), middle.discards, middle.suit),
        tuple([hand.translate(changed) for hand in state.hands]),
        state.out,
        state.direction,
        state.seat,
        state.debt,
        state.buying,
        state.idle,
        state.turns,
        state.ending,
        past,
    )


def _exchange(moves: list[Past], seat: int | None, rng: Rng) -> bytes:
    """Return a table for `bytes.translate` that exchanges unseen cards; cards under the pile stay action
    cards."""
    dealt = moves[0].move
    assert isinstance(dealt, Deal)
    known = {dealt.table.number}
    if seat is not None:
        known.update(numbers_of(dealt.hands[seat] or ()))
    buyer = CHANCE
    for one in moves:
        move = one.move
        if isinstance(move, Discard):
            known.add(move.card.number)
        elif isinstance(move, Draw) and buyer == seat:
            known.update(numbers_of(move.cards))
        buyer = one.by
    turned = bytes(dict.fromkeys([card.number for card in dealt.under or () if card.number not in known]))
    others = bytes([number for number in range(DECK) if number not in known and number not in turned])
    actions = bytes([number for number in turned + others if CARDS[number].rank in ACTIONS])
    into = sample(actions, len(turned), rng)
    into += sample(without(turned + others, into), len(others), rng)
    return bytes.maketrans(turned + others, into)


def _swap_cards(cards: tuple[Card | None, ...] | None, changed: bytes) -> Cards | None:
    return None if cards is None else cards_of(numbers_of(cards).translate(changed))
