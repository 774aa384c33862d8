"""The champion of uno: tries each move in many worlds that are consistent with what it saw.

`search/observation` and `search/hands` describe what it infers about hidden cards, `search/search` how it
chooses. It plays for an empty hand, or for the fewest cards when the pile runs out. Its effort counts games
played to the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from botequim.core.game import CHANCE
from botequim.core.rng import Rng
from botequim.games.cards.cards import CARDS, SUITS
from botequim.games.uno.moves import Buy, Deal, Discard, Draw, LostTurn, Move, Out, discard
from botequim.games.uno.search.hands import Hands
from botequim.games.uno.search.observation import Observation
from botequim.games.uno.search.search import Choice, Search, bare_table, choices, may_close
from botequim.games.uno.state import View
from botequim.search.champion import Advice, Budget, Champion, Level, spread_of_share
from botequim.search.chance import dice

_EACH: Final = 4
"""One in this many worlds counts for the belief, because consecutive worlds are almost equal."""
_FEWEST: Final = 16
"""The number of worlds to estimate the chance of a move that has no alternative."""
_LOOK: Final = 64
"""The number of worlds between two checks for moves that are clearly worse."""


class UnoChampion(Champion):
    """Plays every move to the end in many worlds."""

    levels: ClassVar[Mapping[Level, Budget]] = {
        Level.EASY: Budget(effort=60),
        Level.NORMAL: Budget(effort=600),
        Level.HARD: Budget(effort=5000),
        Level.FULL: Budget(seconds=2.0),
    }

    def __init__(self, rng: Rng, budget: Budget | None = None) -> None:
        super().__init__(rng, budget)
        self._dice = dice(rng)

    def choose(self, view: View) -> Move:
        """Return the advised move. Even if no card fits, it may have a choice of how many cards to buy."""
        if view.debt or (len(view.legal) == 1 and not may_close(_still_in(view), view.pile, view.seat or 0)):
            return view.legal[0]
        move: Move = self.advise(view).move
        return move

    def advise(self, view: View) -> Advice:
        clock = self.budget.clock()
        observation = _observation(view)
        if view.debt:
            return Advice(view.legal[0], {view.legal[0]: 1.0})
        hands = Hands(observation, list(view.counts), view.pile)
        table = bare_table(
            observation,
            view.direction,
            list(view.out),
            reverse_skips=view.two_player_reverse == "skip",
            reshuffles=view.empty_pile == "reshuffle",
        )
        moves = choices(observation.hand, table.playable(), view.pile, _still_in(view), observation.seat)
        search = Search(observation, hands, table, moves)
        assert hands.sound, "a view accounts for every card"
        search.begin(self._dice)
        beliefs: dict[tuple[int, int], int] = {}
        worlds = belief_worlds = 0
        # at least once, even if there is no time
        while worlds == 0 or (clock.runs(search.played) and not (search.decided and worlds >= _FEWEST)):
            search.world(self._dice)
            if worlds % _EACH == 0:
                belief_worlds += 1
                for holder in hands.holders():
                    beliefs[holder] = beliefs.get(holder, 0) + 1
            worlds += 1
            if worlds % _LOOK == 0:
                search.drop()
        results = _choices(view, search.moves)
        return Advice(
            _move(search.best()),
            {move: 0.0 if choice is None else choice.share for move, choice in results.items()},
            _belief(beliefs, max(1, belief_worlds), len(view.counts)),
            search.played,
            {
                move: spread_of_share(choice.share, choice.tried)
                for move, choice in results.items()
                if choice is not None
            },
        )


def _still_in(view: View) -> list[int]:
    """Return the number of cards by seat, 0 for those who are out."""
    return [0 if seat in view.out else count for seat, count in enumerate(view.counts)]


def _observation(view: View) -> Observation:
    """Return the events so far, for the search."""
    assert view.seat is not None
    deal = view.events[0].move
    assert isinstance(deal, Deal)
    observation = Observation(
        view.seat,
        len(view.counts),
        [card.number for card in deal.hands[view.seat] or ()],
        deal.table.number,
        decks=view.decks,
        reshuffles=view.empty_pile == "reshuffle",
    )
    for event in view.events[1:]:
        move = event.move
        if isinstance(move, Discard):
            usual = discard(move.card, move.suit)
            observation.add_discard(event.by, usual.card.number, SUITS.index(usual.suit or usual.card.suit))
        elif isinstance(move, Buy):
            observation.add_buy(event.by, move.count)
        elif isinstance(move, (Out, LostTurn)):
            if isinstance(move, Out):
                observation.add_departure()
        elif isinstance(move, Draw) and event.by == CHANCE:
            for card in move.cards:
                if card is not None:
                    observation.add_own_card(card.number)
    return observation


def _move(choice: Choice) -> Move:
    if choice.card < 0:
        return Buy(choice.bought)
    return discard(CARDS[choice.card], SUITS[choice.asked])


def _choices(view: View, moves: list[Choice]) -> dict[Move, Choice | None]:
    """Return the results of the legal moves. A suit that was not tried counts as the worst of the same
    card."""
    results: dict[Move, Choice | None] = {_move(choice): choice for choice in moves}
    for move in view.legal:
        if move not in results:
            alike = [
                choice
                for choice in moves
                if isinstance(move, Discard)
                and isinstance(other := _move(choice), Discard)
                and other.card == move.card
            ]
            results[move] = min(alike, key=lambda choice: choice.share, default=None)
    return results


def _belief(counts: Mapping[tuple[int, int], int], worlds: int, seats: int) -> dict[str, tuple[float, ...]]:
    belief: dict[str, list[float]] = {}
    for (card, seat), count in sorted(counts.items()):
        row = belief.setdefault(str(CARDS[card]), [0.0] * seats)
        if seat >= 0:
            row[seat] += count / worlds
    return {card: tuple(row) for card, row in belief.items()}
