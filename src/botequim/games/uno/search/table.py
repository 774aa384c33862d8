"""uno with all cards open, for fast playouts.

A card is its number in the pack, 13 * suit + value, the jokers are 52 and 53; it is a bit of a hand. With two
decks a hand consists of two words, one for each deck. The pile is a row of cards in the order in which they
will be drawn. Discarding and buying work as in `rules.py`; tests compare both with random games. Faults are
not played here, but seats that are already out are respected.

A *style* is a row of numbers: how much a player wants to discard each kind of card. See `choose`.
"""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.search.bits import APART, BIT, PLACE
from botequim.search.chance import Dice

PACK: Final[i64] = 54
BUY: Final[i64] = -1
"""Used instead of a card: buy a card."""
_SUIT: Final[i64] = 0x1FFF
_JOKER: Final[i64] = 13
_JACK: Final[i64] = 10
QUEEN: Final[i64] = 11
KING: Final[i64] = 12
_MOST_TURNS: Final[i64] = 2000
_MOST_SEATS: Final[i64] = 10

# offsets in a style
NEAR: Final[i64] = 3
"""How close the next player is to an empty hand: one card, two, more."""
KINDS: Final[i64] = 6
"""Numbers, V, D, R, A and C."""
FOLLOWERS: Final[i64] = 18
SAME_VALUE: Final[i64] = 19
STYLE: Final[i64] = 20
"""The length of a style."""


def fitting() -> vec[i64]:
    """Return the cards that can be discarded, by top card * 4 + suit to follow."""
    masks: list[int] = []
    for top in range(54):
        for suit in range(4):
            mask = (1 << 52) | (1 << 53) | (0x1FFF << 13 * suit)
            for other in range(4):
                mask |= 1 << 13 * other
                if top < 52:
                    mask |= 1 << (13 * other + top % 13)
            masks.append(mask)
    return vec[i64](masks)


def value_of(card: i64) -> i64:
    """Return the value of a card from 0, the A, to 12; 13 for a joker."""
    return _JOKER if card >= 52 else card % 13


def suit_of(card: i64) -> i64:
    """Return the suit of a card from 0; for a joker that of its sign, hearts or clubs."""
    return (card - 52) * 2 if card >= 52 else card // 13


def is_wild(card: i64) -> bool:
    """Return whether a card is an A or a joker, with which a player asks for a suit."""
    return card >= 52 or card % 13 == 0


def debt_after(card: i64) -> i64:
    """Return how many cards the next player must buy."""
    if card >= 52:
        return 4
    return 2 if card % 13 == _JACK else 0


def kinds() -> vec[i64]:
    """Return the kind of card by value, 13 for a joker."""
    return vec[i64]([4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 5])


@final
class Table:
    """One game with all cards open, changed by each move."""

    def __init__(self, players: i64, *, reverse_skips: bool, reshuffles: bool) -> None:
        self.players: i64 = players
        self.reverse_skips: Final = reverse_skips
        self.reshuffles: Final = reshuffles
        self._fits: vec[i64] = fitting()
        self._kinds: vec[i64] = kinds()
        self.first: vec[i64] = vec[i64]([0] * 10)
        """By seat: its cards of the first deck."""
        self.second: vec[i64] = vec[i64]([0] * 10)
        self.counts: vec[i64] = vec[i64]([0] * 10)
        """By seat: how many cards it has."""
        self._suits: vec[i64] = vec[i64]([0] * 40)
        """By seat * 4 + suit: the number of its cards that can follow by suit."""
        self._in: vec[i64] = vec[i64]([1] * 10)
        self._still_in: i64 = players
        self.pile: vec[i64] = vec[i64]([0] * 108)
        self.drawn: i64 = 0
        """The number of cards that were drawn from the pile."""
        self.stock: i64 = 0
        """The number of cards of the pile, including those that were drawn."""
        self._discards: vec[i64] = vec[i64]([0] * 108)
        self._discarded: i64 = 0
        self.top: i64 = 0
        self.suit: i64 = 0
        self.debt: i64 = 0
        self.seat: i64 = 0
        self.direction: i64 = 1
        self.turns: i64 = 0
        self.over: bool = False
        self._styles: vec[i64] = vec[i64]([0] * (_MOST_SEATS * STYLE))
        self._closes: vec[i64] = vec[i64]([-1] * 10)
        """By seat: the number of cards in the pile from which it considers ending the game; -1 for never."""
        self.card: i64 = BUY
        """The card that `choose` has chosen, and the suit that it asks for."""
        self.asked: i64 = 0

    # --- set up a position --------------------------------------------------------------------------------

    def clear(self) -> None:
        """Remove all cards; nobody is out."""
        seat: i64 = 0
        while seat < _MOST_SEATS:
            self.first[seat] = 0
            self.second[seat] = 0
            self.counts[seat] = 0
            self._in[seat] = 1
            seat += 1
        at: i64 = 0
        while at < 40:
            self._suits[at] = 0
            at += 1
        self._still_in = self.players
        self._discarded = 0
        self.drawn = 0
        self.stock = 0
        self.over = False

    def middle(self, top: i64, suit: i64, debt: i64) -> None:
        """Set the top card, the suit to follow and the debt."""
        self.top = top
        self.suit = suit
        self.debt = debt

    def turn(self, seat: i64, direction: i64, turns: i64) -> None:
        """Set the seat to move, the direction and the number of turns."""
        self.seat = seat
        self.direction = direction
        self.turns = turns

    def leave(self, seat: i64) -> None:
        """Mark this seat as out."""
        self._in[seat] = 0
        self._still_in -= 1

    def stack(self, card: i64) -> None:
        """Add a card to the bottom of the pile."""
        self.pile[self.stock] = card
        self.stock += 1

    def lay(self, card: i64) -> None:
        """Add a card to the discards; all but the top card may be shuffled back."""
        self._discards[self._discarded] = card
        self._discarded += 1

    def give(self, seat: i64, card: i64) -> None:
        """Add a card to a hand."""
        bit: i64 = BIT[card]
        if self.first[seat] & bit:
            self.second[seat] |= bit
        else:
            self.first[seat] |= bit
        self.counts[seat] += 1
        if not is_wild(card):
            self._suits[seat * 4 + card // 13] += 1

    def style(self, seat: i64, numbers: vec[i64]) -> None:
        """Set the style of a seat for playouts."""
        at: i64 = 0
        while at < STYLE:
            self._styles[seat * STYLE + at] = numbers[at]
            at += 1

    def closes(self, seat: i64, left: i64) -> None:
        """Let this seat end the game by buying too many cards if that wins, with at most `left` cards in the
        pile."""
        self._closes[seat] = left

    def same_styles(self, other: Table) -> None:
        """Copy the styles of another table."""
        at: i64 = 0
        while at < _MOST_SEATS:
            self._closes[at] = other._closes[at]
            at += 1
        at = 0
        while at < _MOST_SEATS * STYLE:
            self._styles[at] = other._styles[at]
            at += 1

    def become(self, other: Table) -> None:
        """Copy the position of another table; styles stay as they are."""
        seat: i64 = 0
        while seat < self.players:
            self.first[seat] = other.first[seat]
            self.second[seat] = other.second[seat]
            self.counts[seat] = other.counts[seat]
            self._in[seat] = other._in[seat]
            self._suits[seat * 4] = other._suits[seat * 4]
            self._suits[seat * 4 + 1] = other._suits[seat * 4 + 1]
            self._suits[seat * 4 + 2] = other._suits[seat * 4 + 2]
            self._suits[seat * 4 + 3] = other._suits[seat * 4 + 3]
            seat += 1
        at: i64 = other.drawn
        while at < other.stock:
            self.pile[at] = other.pile[at]
            at += 1
        if self.reshuffles:
            at = 0
            while at < other._discarded:
                self._discards[at] = other._discards[at]
                at += 1
        self._discarded = other._discarded
        self._still_in = other._still_in
        self.drawn = other.drawn
        self.stock = other.stock
        self.top = other.top
        self.suit = other.suit
        self.debt = other.debt
        self.seat = other.seat
        self.direction = other.direction
        self.turns = other.turns
        self.over = other.over

    # --- the rules ------------------------------------------------------------------------------------------

    def playable(self) -> i64:
        """Return the cards, as bits, that the seat to move can discard; it owes nothing."""
        return (self.first[self.seat] | self.second[self.seat]) & self._fits[self.top * 4 + self.suit]

    def following(self, seat: i64) -> i64:
        players: i64 = self.players
        while True:
            seat += self.direction
            if seat < 0:
                seat += players
            elif seat >= players:
                seat -= players
            if self._in[seat] != 0:
                return seat

    def discard(self, card: i64, asked: i64) -> None:
        """Let the seat to move discard; `asked` counts only with an A or C."""
        seat: i64 = self.seat
        value: i64 = value_of(card)
        bit: i64 = BIT[card]
        if self.second[seat] & bit:
            self.second[seat] ^= bit
        else:
            self.first[seat] ^= bit
        self.suit = asked
        if not is_wild(card):
            self.suit = card // 13
            self._suits[seat * 4 + self.suit] -= 1
        self.counts[seat] -= 1
        self.top = card
        if self.reshuffles:
            self._discards[self._discarded] = card
            self._discarded += 1
        skips: bool = value == KING
        if value == QUEEN:
            if self._still_in > 2:
                self.direction = -self.direction
            else:
                skips = self.reverse_skips
        self.seat = self.following(seat)
        if skips:
            self.seat = self.following(self.seat)
        self.debt = debt_after(card)
        self.turns += 1
        if self.counts[seat] == 0 or self.turns >= _MOST_TURNS:
            self.over = True

    def buy(self, count: i64, dice: Dice) -> None:
        """Let the seat to move buy; `dice` shuffles discards back if that is the rule."""
        seat: i64 = self.seat
        self.debt = 0
        self.turns += 1
        while count > 0:
            if self.drawn == self.stock and (not self.reshuffles or not self._shuffle_back(dice)):
                self.over = True
                return
            self.give(seat, self.pile[self.drawn])
            self.drawn += 1
            count -= 1
        self.seat = self.following(seat)
        if self.turns >= _MOST_TURNS:
            self.over = True

    def _shuffle_back(self, dice: Dice) -> bool:
        """Turn the discards, except the top card, into the pile; return whether there were any."""
        count: i64 = self._discarded - 1
        if count <= 0:
            return False
        at: i64 = 0
        while at < count:
            self.pile[at] = self._discards[at]
            at += 1
        self._discards[0] = self._discards[count]
        self._discarded = 1
        self.drawn = 0
        self.stock = count
        dice.shuffle(self.pile, 0, count)
        return True

    def share(self, seat: i64) -> float:
        """Return the seat's share of the win when the game is over: the seats with the fewest cards share
        it."""
        own: i64 = self.counts[seat]
        if self._in[seat] == 0:
            return 0.0
        equal: i64 = 0
        at: i64 = 0
        while at < self.players:
            if self._in[at] != 0:
                if self.counts[at] < own:
                    return 0.0
                if self.counts[at] == own:
                    equal += 1
            at += 1
        return 1.0 / float(equal)

    # --- playouts -------------------------------------------------------------------------------------------

    def choose(self, dice: Dice) -> None:
        """Choose a card or to buy, by the style of the seat to move; it owes nothing.

        The score of a card depends on its kind and on how close the next player is to an empty hand, on how
        many other cards in the hand could follow by suit, and on those of the same value. Ties are broken at
        random.
        """
        seat: i64 = self.seat
        held: i64 = self.first[seat] | self.second[seat]
        play: i64 = held & self._fits[self.top * 4 + self.suit]
        self.card = BUY
        if play == 0:
            return
        near: i64 = self.counts[self.following(seat)] - 1
        if near >= NEAR:
            near = NEAR - 1
        best: i64 = -1000000
        suits: i64 = seat * 4
        suit: i64 = 0
        richest: i64 = 0
        while suit < 4:
            if self._suits[suits + suit] > self._suits[suits + richest]:
                richest = suit
            part: i64 = (play >> (13 * suit)) & _SUIT
            while part != 0:
                value: i64 = PLACE[(part & -part) % APART]
                part &= part - 1
                score: i64 = self._wanted(value, suit, held, near) * 16 + (dice.word() & 15)
                if score > best:
                    best = score
                    self.card = suit * 13 + value
                    self.asked = suit
            suit += 1
        joker: i64 = play >> 52
        if joker != 0:
            score = self._styles[seat * STYLE + (KINDS - 1) * NEAR + near] * 16
            if score > best:
                self.card = 52 if joker & 1 else 53
        if is_wild(self.card):
            self.asked = richest

    def _wanted(self, value: i64, suit: i64, held: i64, near: i64) -> i64:
        """Return the score of a card that is not a joker, for the seat to move."""
        own: i64 = self.seat * STYLE
        wanted: i64 = self._styles[own + self._kinds[value] * NEAR + near]
        if value == 0:
            return wanted
        same: i64 = held >> value
        alike: i64 = (same & 1) + ((same >> 13) & 1) + ((same >> 26) & 1) + ((same >> 39) & 1) - 1
        followers: i64 = self._suits[self.seat * 4 + suit] - 1
        return wanted + self._styles[own + FOLLOWERS] * followers + self._styles[own + SAME_VALUE] * alike

    def step(self, dice: Dice) -> None:
        """Play one turn."""
        if self.debt > 0:
            self.buy(self.debt, dice)
            return
        if self.stock - self.drawn <= self._closes[self.seat] and self._ends_well():
            self.counts[self.seat] += self.stock - self.drawn
            self.over = True
            return
        self.choose(dice)
        if self.card == BUY:
            self.buy(1, dice)
        else:
            self.discard(self.card, self.asked)

    def _ends_well(self) -> bool:
        """Return whether the seat to move would have the fewest cards, alone, after taking the whole pile."""
        if self.reshuffles:
            return False
        own: i64 = self.counts[self.seat] + self.stock - self.drawn
        at: i64 = 0
        while at < self.players:
            if at != self.seat and self._in[at] != 0 and self.counts[at] <= own:
                return False
            at += 1
        return True

    def play_on(self, seat: i64, dice: Dice) -> float:
        """Play to the end; return the share of this seat."""
        while not self.over:
            self.step(dice)
        return self.share(seat)
