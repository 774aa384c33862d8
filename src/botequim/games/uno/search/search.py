"""Chooses the move with the most wins in uno: each move is tried in the same worlds and played to the end.

A world is sampled given what was seen (`hands`). Then every remaining move is made in it, and all seats play
on by their styles with the same pile. Moves that are clearly worse than the best are dropped, so that the
work goes to the close ones.
"""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.games.uno.search.hands import Hands
from botequim.games.uno.search.observation import Observation
from botequim.games.uno.search.styles import OF_MORE, OF_TWO
from botequim.games.uno.search.table import BUY, Table, is_wild
from botequim.search.chance import Dice

_STEPS: Final = 2
"""Steps of the random walk between two worlds, for each hidden card."""
_FIRST_STEPS: Final = 40
_CLOSES: Final = 8
"""With at most so many cards in the pile, ending the game by buying all of them is considered."""
_SURE: Final = 9.0
"""A move is dropped if it is behind by three standard errors. This is the square of three."""


def ours(players: int) -> list[int]:
    """Return the style for our own seat in playouts: the one that won most against `theirs`."""
    return OF_TWO if players == 2 else OF_MORE


def theirs() -> list[int]:
    """Return the style that is assumed for the others: that of the built-in heuristic player."""
    return [0, 0, 0, 300, 300, 300, 100, 100, 100, 200, 200, 200, -200, -200, -200, 400, -100, -100, 1, 0]


@final
class Choice:
    """A move that can be made, and its results."""

    __slots__ = ("asked", "bought", "card", "dropped", "squares", "tried", "won")

    def __init__(self, card: int, asked: int, bought: int) -> None:
        self.card: Final = card
        """The card, or BUY."""
        self.asked: Final = asked
        self.bought: Final = bought
        """The number of cards, for BUY."""
        self.tried: int = 0
        self.won: float = 0.0
        self.squares: float = 0.0
        """The sum of squares of how much less it won than the best move in the same worlds."""
        self.dropped: bool = False

    @property
    def share(self) -> float:
        return self.won / self.tried if self.tried else 0.0


def may_close(counts: list[int], pile: int, own: int) -> bool:
    """Return whether nobody would have fewer cards than a seat that takes the whole pile; seats that are out
    have 0."""
    others = [count for seat, count in enumerate(counts) if seat != own and count > 0]
    return pile > 0 and counts[own] + pile <= min(others)


def choices(hand: list[int], fits: i64, pile: int, counts: list[int], own: int) -> list[Choice]:
    """Return the moves worth trying for a seat that owes nothing.

    Besides the legal moves: to buy more cards than there are, which ends the game, if that may win it.
    """
    found: list[Choice] = []
    if may_close(counts, pile, own):  # before all others, because among equals the first is chosen
        found.append(Choice(int(BUY), 0, pile + 1))
    for card in sorted(set(hand)):
        number: i64 = card
        # not 1 << number: that is a 32-bit operation if compiled
        if (fits >> number) & 1 == 0:
            continue
        if is_wild(card):
            held = {other // 13 for other in hand if other < 52 and other != card}
            asked = sorted(held) if held else [0, 1, 2, 3]
            found += [Choice(card, suit, 0) for suit in asked]
        else:
            found.append(Choice(card, card // 13, 0))
    found.append(Choice(int(BUY), 0, 1))
    return found


def bare_table(
    seen: Observation,
    direction: int,
    out: list[int],
    *,
    reverse_skips: bool = False,
    reshuffles: bool = False,
) -> Table:
    """Return the table as this seat sees it when it is to move, with the styles of all seats."""
    table = Table(seen.players, reverse_skips=reverse_skips, reshuffles=reshuffles)
    table.clear()
    for seat in out:
        table.leave(seat)
    for card in seen.hand:
        table.give(seen.seat, card)
    for card in seen.discards:
        table.lay(card)
    table.middle(seen.top, seen.suit, 0)
    table.turn(seen.seat, direction, 0)
    for seat in range(seen.players):
        own = seat == seen.seat
        table.style(seat, vec[i64](ours(seen.players - len(out)) if own else theirs()))
        table.closes(seat, _CLOSES if own else 0)
    return table


@final
class Search:
    """The search for one move."""

    def __init__(self, seen: Observation, hands: Hands, table: Table, moves: list[Choice]) -> None:
        """`table` contains everything but the hidden cards, and styles for all seats."""
        self._seen: Final = seen
        self._hands: Final = hands
        self._bare: Final = table
        self._full: Final = Table(
            table.players, reverse_skips=table.reverse_skips, reshuffles=table.reshuffles
        )
        self._play: Final = Table(
            table.players, reverse_skips=table.reverse_skips, reshuffles=table.reshuffles
        )
        self._play.same_styles(table)
        self.moves: Final = moves
        self.played: int = 0
        """The number of games that were played to the end."""
        self._results: vec[float] = vec[float]([0.0] * len(moves))

    def begin(self, dice: Dice) -> None:
        """Walk away from the arbitrary first world."""
        self._hands.walk(_FIRST_STEPS * self._hands.slots, dice)

    def world(self, dice: Dice) -> None:
        """Try every remaining move in one more world."""
        seat = self._seen.seat
        self._hands.walk(_STEPS * self._hands.slots, dice)
        self._full.become(self._bare)
        self._hands.put(self._full, dice)
        for at, move in enumerate(self.moves):
            if move.dropped:
                continue
            play = self._play
            play.become(self._full)
            if move.card == BUY:
                play.buy(move.bought, dice)
            else:
                play.discard(move.card, move.asked)
            share = play.play_on(seat, dice)
            self._results[at] = share
            move.tried += 1
            move.won += share
            self.played += 1
        self._compare()

    def _compare(self) -> None:
        """Update how far each move is behind the best one, world by world."""
        best = self.best()
        leading = self._results[self.moves.index(best)]
        for at, move in enumerate(self.moves):
            if not move.dropped:
                behind = leading - self._results[at]
                move.squares += behind * behind

    def drop(self) -> None:
        """Drop the moves that are clearly worse."""
        best = self.best()
        for move in self.moves:
            if move is best or move.dropped:
                continue
            behind = best.won - move.won
            if behind > 0 and behind * behind > _SURE * max(move.squares, 1.0):
                move.dropped = True

    def best(self) -> Choice:
        """Return the move that won most, among equals the first."""
        found = self.moves[0]
        for move in self.moves:
            if not move.dropped and (found.dropped or move.won > found.won):
                found = move
        return found

    @property
    def decided(self) -> bool:
        """Return whether only one move is left."""
        return sum([not move.dropped for move in self.moves]) <= 1
