"""The events of a game of uno as one seat saw them: when players received cards, and what actions reveal.

A *slot* is the place of a card in a hand, from the time when the player received it; only the player knows
the card until it is discarded. A *look* is an action that reveals something about the other cards of its
player: a player who buys without debt probably has no card that fits, and a player who discards probably
prefers this card to the others.
"""

from __future__ import annotations

from typing import Final, final

from botequim.games.uno.search.table import debt_after, is_wild, suit_of

BOUGHT: Final = -1
"""Used instead of a card: the player bought a card without a debt."""


@final
class Look:
    """One action of another player."""

    __slots__ = ("asked", "card", "suit", "time", "top")

    def __init__(self, time: int, top: int, suit: int, card: int, asked: int) -> None:
        self.time: Final = time
        self.top: Final = top
        """The card on the table before it."""
        self.suit: Final = suit
        """The suit that had to be followed."""
        self.card: Final = card
        """The discarded card, or BOUGHT."""
        self.asked: Final = asked
        """The suit that was asked for with an A or C; else -1."""


@final
class Observation:
    """Collects the events of a game in order."""

    def __init__(
        self,
        seat: int,
        players: int,
        hand: list[int],
        table: int,
        *,
        decks: int = 1,
        reshuffles: bool = False,
    ) -> None:
        self.seat: Final = seat
        self.players: Final = players
        self.decks: Final = decks
        self._reshuffles: Final = reshuffles
        self.hand: list[int] = list(hand)
        self.top: int = table
        self.suit: int = int(suit_of(table))
        self.debt: int = 0
        self.pile: int = 54 * decks - players * len(hand) - 1
        """The number of cards in the pile."""
        self.shuffled: bool = False
        """Whether discards were shuffled back into the pile; then the times of cards are no longer known."""
        self.turns: int = 0
        self.births: Final[list[list[int]]] = [[0] * len(hand) for _ in range(players)]
        """By seat: the time at which it received each of its cards."""
        self.deaths: Final[list[list[tuple[int, int]]]] = [[] for _ in range(players)]
        """By seat: each card that it discarded, and when."""
        self.looks: Final[list[list[Look]]] = [[] for _ in range(players)]
        """By seat, for the others."""
        self.unseen: list[int] = [decks] * 54
        """By card: how many copies this seat has never seen."""
        self.discards: list[int] = [table]
        """The discard pile, the top card last."""
        for card in (*hand, table):
            self.unseen[card] -= 1

    def counts(self) -> list[int]:
        """Return the number of cards in each hand."""
        return [len(self.births[at]) - len(self.deaths[at]) for at in range(self.players)]

    def add_discard(self, seat: int, card: int, suit: int) -> None:
        """Note that a seat discards `card`; the next player must follow `suit`."""
        self.turns += 1
        self.deaths[seat].append((card, self.turns))
        if seat == self.seat:
            if card in self.hand:
                self.hand.remove(card)
        else:
            self.unseen[card] -= 1
            self.looks[seat].append(
                Look(self.turns, self.top, self.suit, card, suit if is_wild(card) else -1)
            )
        self.discards.append(card)
        self.top = card
        self.suit = suit
        self.debt = int(debt_after(card))

    def add_buy(self, seat: int, count: int) -> None:
        """Note that a seat buys `count` cards. The cards of this seat follow by `add_own_card`."""
        self.turns += 1
        if seat != self.seat:
            if self.debt == 0:
                self.looks[seat].append(Look(self.turns, self.top, self.suit, BOUGHT, -1))
            self.births[seat] += [self.turns] * count
        if count > self.pile and self._reshuffles:
            self.pile += len(self.discards) - 1
            self.discards = self.discards[-1:]
            self.shuffled = True
        self.pile = max(0, self.pile - count)
        self.debt = 0

    def add_own_card(self, card: int) -> None:
        """Note that this seat received a card that it bought."""
        self.hand.append(card)
        self.births[self.seat].append(self.turns)
        self.unseen[card] -= 1

    def add_departure(self) -> None:
        """Note that a seat is out and that its debt is cancelled."""
        self.turns += 1
        self.debt = 0
