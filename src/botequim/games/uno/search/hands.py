"""Hidden hands of uno: which card lies in which slot, drawn as likely as what was seen makes it.

How well a card goes with a slot is a number: the product, over all that the slot's owner did while it held
the card, of how likely that was with it. Worlds are as likely as the product over their slots. They are drawn
by a walk: two slots exchange their cards, or not, so that in the long run each world comes up as often as it
is likely (Metropolis). The pile has slots that go with everything.
"""

from __future__ import annotations

from math import exp
from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.search.bits import BIT
from botequim.search.chance import Dice
from botequim.search.uno import Table, fitting, is_wild, kinds, value_of
from botequim.search.uno_seen import BOUGHT, Look, Seen

_NEVER: Final = 2000
"""After the end of any game."""
FREE_BUY: Final = 0.03
"""How likely it is that somebody buys who need not."""
ASKED: Final = 1.6
"""How much more likely a card of the suit is that was asked for."""
_LIKES: Final = [0.0, 3.0, 1.0, 2.0, -2.0, -1.5]
"""How gladly each kind of card (numbers, V, D, R, A, C) is discarded; e times as likely for each step."""


@final
class Hands:
    """Worlds that agree with what was seen, each a few steps from the last."""

    def __init__(self, seen: Seen, counts: list[int], pile: int) -> None:
        """`counts` by seat and `pile` say how many cards are where; what this seat holds is in `seen`."""
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
        """Whether all cards are accounted for; else nothing can be drawn."""
        self._owner += [-1] * pile
        births += [0] * pile
        cards += [-1] * pile
        deaths += [_NEVER] * pile
        self.slots: Final = len(cards)
        """Places for cards, those that were discarded by others included."""
        self._slots: i64 = len(cards)
        self._card: vec[i64] = vec[i64]([0] * len(cards))
        self._dead: vec[i64] = vec[i64]([0] * len(cards))
        self._goes: vec[float] = vec[float]([0.0] * (len(cards) * len(cards)))
        self._at: vec[i64] = vec[i64]([at for at in range(len(cards))])  # noqa: C416
        """By slot: which of the cards is in it."""
        if self.sound:
            self._fill(cards, deaths, loose)
            self._weigh(seen, births, deaths)

    def _fill(self, cards: list[int], deaths: list[int], loose: list[int]) -> None:
        """The first world: loose cards come one after another into the slots that have none yet."""
        at = 0
        for slot in range(len(cards)):
            card = cards[slot]
            if card < 0:
                card = loose[at]
                at += 1
            self._card[slot] = card
            self._dead[slot] = int(deaths[slot] != _NEVER)

    def _settle(self, seen: Seen, seat: int, births: list[int], cards: list[int], deaths: list[int]) -> None:
        """The slots of a seat, with what it discarded in some that it can have come from."""
        first = len(births)
        births += seen.births[seat]
        cards += [-1] * len(seen.births[seat])
        deaths += [_NEVER] * len(seen.births[seat])
        for card, time in seen.deaths[seat]:
            free = [at for at in range(first, len(births)) if cards[at] < 0 and births[at] < time]
            if free:
                cards[free[-1]] = card
                deaths[free[-1]] = time

    def _weigh(self, seen: Seen, births: list[int], deaths: list[int]) -> None:
        """How well each of the cards goes with each slot; cards are numbered by the slot that they begin
        in.
        """
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
        """How likely all was that a player did while it held this card."""
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
        """Go on to another world."""
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
        """The cards of this world into the hands of the others, the rest into the pile in any order."""
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
        """Of this world: each hidden card and the seat that holds it, or -1 for the pile."""
        found: list[tuple[int, int]] = []
        for slot in range(len(self._owner)):
            card = self._at[slot]
            if self._dead[card] == 0:
                found.append((int(self._card[card]), self._owner[slot]))
        return found


def _what_is_left(seen: Seen) -> list[int]:
    """The cards that can be anywhere once discards were shuffled back: all but those in sight."""
    left = [seen.decks] * 54
    for card in (*seen.hand, *seen.discards):
        left[card] -= 1
    return [card for card in range(54) for _ in range(left[card])]
