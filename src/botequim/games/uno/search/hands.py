"""Hidden hands of uno: samples which card is in which slot, given what was seen.

How well a card fits a slot is a number: the product, over all actions of the slot's owner while it held the
card, of the likelihood of the action. The probability of a world is proportional to the product over its
slots. Worlds are sampled by a random walk (Metropolis): two slots exchange their cards, or not, so that in
the long run each world appears with its probability. The slots of the pile fit every card.
"""

from __future__ import annotations

from math import exp
from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.games.uno.search.observation import BOUGHT, Look, Observation
from botequim.games.uno.search.table import Table, fitting, is_wild, kinds, value_of
from botequim.search.bits import BIT
from botequim.search.chance import Dice

_NEVER: Final = 2000
"""A time after the end of any game."""
FREE_BUY: Final = 0.03
"""The probability that a player buys although it could discard."""
ASKED: Final = 1.6
"""The odds factor for a card of the suit that its owner asked for."""
_LIKES: Final = [0.0, 3.0, 1.0, 2.0, -2.0, -1.5]
"""The preference for discarding each kind of card (numbers, V, D, R, A, C), as logarithms of odds."""


@final
class Hands:
    """Worlds that agree with what was seen, each a few steps from the last."""

    def __init__(self, seen: Observation, counts: list[int], pile: int) -> None:
        """`counts` by seat and `pile` are the numbers of cards; `seen` contains the cards of this seat."""
        self._fits: vec[i64] = fitting()
        self._kinds: vec[i64] = kinds()
        self._owner: list[int] = []
        births: list[int] = []
        cards: list[int] = []
        deaths: list[int] = []
        loose = [card for card in range(54) for _ in range(seen.unseen[card])]
        known = not seen.shuffled
        for seat in range(seen.players):
            if seat == seen.seat:
                continue
            if known:
                self._settle(seen, seat, births, cards, deaths)
            else:
                births += [seen.turns] * counts[seat]
                cards += [-1] * counts[seat]
                deaths += [_NEVER] * counts[seat]
            self._owner += [seat] * (len(births) - len(self._owner))
        if not known:
            loose = _what_is_left(seen)
        missing = len(births) + pile - len(loose) - sum([card >= 0 for card in cards])
        self.sound: Final = missing == 0
        """Whether all cards are accounted for; if not, nothing can be sampled."""
        self._owner += [-1] * pile
        births += [0] * pile
        cards += [-1] * pile
        deaths += [_NEVER] * pile
        self.slots: Final = len(cards)
        """The number of slots, including those of cards that others have discarded."""
        self._slots: i64 = len(cards)
        self._card: vec[i64] = vec[i64]([0] * len(cards))
        self._dead: vec[i64] = vec[i64]([0] * len(cards))
        self._goes: vec[float] = vec[float]([0.0] * (len(cards) * len(cards)))
        self._at: vec[i64] = vec[i64]([at for at in range(len(cards))])  # noqa: C416
        """By slot: the index of its card."""
        if self.sound:
            self._fill(cards, deaths, loose)
            self._weigh(seen, births, deaths)

    def _fill(self, cards: list[int], deaths: list[int], loose: list[int]) -> None:
        """Create the first world: put the free cards one after another into the slots that have none yet."""
        at = 0
        for slot in range(len(cards)):
            card = cards[slot]
            if card < 0:
                card = loose[at]
                at += 1
            self._card[slot] = card
            self._dead[slot] = int(deaths[slot] != _NEVER)

    def _settle(
        self, seen: Observation, seat: int, births: list[int], cards: list[int], deaths: list[int]
    ) -> None:
        """Create the slots of a seat, with its discarded cards in slots that they can have come from."""
        first = len(births)
        births += seen.births[seat]
        cards += [-1] * len(seen.births[seat])
        deaths += [_NEVER] * len(seen.births[seat])
        for card, time in seen.deaths[seat]:
            free = [at for at in range(first, len(births)) if cards[at] < 0 and births[at] < time]
            if free:
                cards[free[-1]] = card
                deaths[free[-1]] = time

    def _weigh(self, seen: Observation, births: list[int], deaths: list[int]) -> None:
        """Compute how well each card fits each slot; cards are numbered by the slot that they start in."""
        slots = len(births)
        rows: dict[tuple[int, int], list[float]] = {}
        for slot in range(slots):
            owner = self._owner[slot]
            key = (owner, births[slot])
            if key not in rows:
                row: list[float] = []
                alike: dict[tuple[int, int], float] = {}
                for at in range(slots):
                    card, death = int(self._card[at]), deaths[at]
                    if death != _NEVER and (self._owner[at] != owner or births[slot] >= death):
                        row.append(0.0)
                    elif owner < 0:
                        row.append(1.0)
                    else:
                        if (card, death) not in alike:
                            alike[card, death] = self._likely(seen.looks[owner], card, births[slot], death)
                        row.append(alike[card, death])
                rows[key] = row
            for at, weight in enumerate(rows[key]):
                self._goes[slot * slots + at] = weight

    def _likely(self, looks: list[Look], card: int, birth: int, death: int) -> float:
        """Return the likelihood of all actions of a player while it held this card."""
        likely = 1.0
        kind = self._kinds[value_of(card)]
        bit: i64 = BIT[card]
        for look in looks:
            if look.time <= birth or look.time >= death:
                continue
            if look.asked >= 0 and not is_wild(card) and card // 13 == look.asked:
                likely *= ASKED
            if self._fits[look.top * 4 + look.suit] & bit == 0:
                continue
            if look.card == BOUGHT:
                likely *= FREE_BUY
            else:
                chosen = self._kinds[value_of(look.card)]
                likely *= 1.0 / (1.0 + exp(_LIKES[kind] - _LIKES[chosen]))
        return likely

    # --- worlds -------------------------------------------------------------------------------------------

    def walk(self, steps: int, dice: Dice) -> None:
        """Move on to another world."""
        slots: i64 = self._slots
        at, goes = self._at, self._goes
        left: i64 = steps
        while left > 0:
            left -= 1
            one: i64 = dice.below(slots)
            two: i64 = dice.below(slots)
            first: i64 = at[one]
            second: i64 = at[two]
            after: float = goes[one * slots + second] * goes[two * slots + first]
            if after <= 0.0:
                continue
            before: float = goes[one * slots + first] * goes[two * slots + second]
            if after >= before or dice.unit() * before < after:
                at[one] = second
                at[two] = first

    def put(self, table: Table, dice: Dice) -> None:
        """Put the cards of this world into the hands of the others, and the rest into the pile in random
        order."""
        slot: i64 = 0
        begin: i64 = table.stock
        while slot < self._slots:
            card: i64 = self._at[slot]
            if self._dead[card] == 0:
                owner: i64 = self._owner[slot]
                if owner >= 0:
                    table.give(owner, self._card[card])
                else:
                    table.stack(self._card[card])
            slot += 1
        dice.shuffle(table.pile, begin, table.stock)

    def holders(self) -> list[tuple[int, int]]:
        """Return each hidden card of this world with the seat that holds it, or -1 for the pile."""
        found: list[tuple[int, int]] = []
        for slot in range(len(self._owner)):
            card = self._at[slot]
            if self._dead[card] == 0:
                found.append((int(self._card[card]), self._owner[slot]))
        return found


def _what_is_left(seen: Observation) -> list[int]:
    """Return the cards that can be anywhere after discards were shuffled back: all that are not visible."""
    left = [seen.decks] * 54
    for card in (*seen.hand, *seen.discards):
        left[card] -= 1
    return [card for card in range(54) for _ in range(left[card])]
