"""The champion of uno over its own wire: lines in, lines out.

What comes in which line is told in `botequim.dialects.uno`. Who is out is not said, but can be seen when
somebody's turn does not come.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import Final, TextIO

from botequim.search.chance import Dice
from botequim.search.uno_hands import Hands
from botequim.search.uno_search import Choice, Search, bare_table, choices
from botequim.search.uno_seen import Seen

SECONDS: Final = 1.2
"""For a move, of the three that there are."""
VALUES: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "V", "D", "R")
SUIT_SIGNS: Final = "♥♦♣♠"


def card_number(text: str) -> int:
    """`10♥` as its number in the pack."""
    value, suit = text[:-1], SUIT_SIGNS.index(text[-1])
    if value == "C":
        return 52 if suit == 0 else 53
    return 13 * suit + VALUES.index(value)


def card_text(card: int) -> str:
    """A number as `10♥`."""
    if card >= 52:
        return "C♥" if card == 52 else "C♣"
    return VALUES[card % 13] + SUIT_SIGNS[card // 13]


class Listener:
    """Follows a game by its lines."""

    def __init__(self, dice: Dice, seconds: float = SECONDS) -> None:
        self._dice = dice
        self._seconds = seconds
        self._ids: list[str] = []
        self._own = -1
        self._hand: list[int] = []
        self._seen: Seen | None = None
        self._turn = -1
        self._acted = True
        self._direction = 1
        self._out: list[int] = []

    def hear(self, line: str) -> str | None:
        """What happened; the answer if it is our turn."""
        words = line.replace("\ufe0f", "").split()
        if not words:
            return None
        verb, rest = words[0], words[1:]
        if verb == "PLAYERS":
            self._ids = rest
        elif verb == "YOU":
            self._own = self._ids.index(rest[0])
        elif verb == "HAND":
            self._hand = [card_number(word) for word in rest if word not in "[]"]
        elif verb == "TABLE":
            decks = 2 if len(self._ids) * len(self._hand) + 2 > 54 or len(self._ids) > 6 else 1
            table = card_number(rest[0])
            self._seen = Seen(self._own, len(self._ids), self._hand, table, decks=decks)
        elif verb == "TURN":
            return self._turned(self._ids.index(rest[0]))
        elif verb == "DISCARD":
            self._discarded(self._turn, card_number(rest[0]), rest[1:])
        elif verb == "BUY":
            self._bought(int(rest[0]))
        elif self._seen is not None:
            self._seen.drew(card_number(verb))
        return None

    # --- others ---------------------------------------------------------------------------------------------

    def _turned(self, seat: int) -> str | None:
        self._miss(seat)
        self._turn = seat
        self._acted = False
        return self._answer() if seat == self._own else None

    def _miss(self, seat: int) -> None:
        """Whoever should have come before this seat, and did not, is out."""
        if self._turn < 0:
            return
        expected = self._after(self._turn)
        if self._acted and self._skips():
            expected = self._after(expected)
        for _ in self._ids:
            if expected == seat or len(self._out) >= len(self._ids) - 2:
                return
            if expected != self._own:
                self._out.append(expected)
            expected = self._after(expected)

    def _skips(self) -> bool:
        seen = self._seen
        return seen is not None and self._laid and seen.top < 52 and seen.top % 13 == 12

    def _after(self, seat: int) -> int:
        seat = (seat + self._direction) % len(self._ids)
        while seat in self._out:
            seat = (seat + self._direction) % len(self._ids)
        return seat

    _laid = False
    """Whether the last action was a discard."""

    def _discarded(self, seat: int, card: int, asked: list[str]) -> None:
        assert self._seen is not None
        suit = SUIT_SIGNS.index(asked[0]) if asked else (card // 13 if card < 52 else (card - 52) * 2)
        self._seen.discarded(seat, card, suit)
        if card < 52 and card % 13 == 11 and len(self._ids) - len(self._out) > 2:
            self._direction = -self._direction
        self._acted, self._laid = True, True

    def _bought(self, count: int) -> None:
        assert self._seen is not None
        self._seen.bought(self._turn, count)
        self._acted, self._laid = True, False

    # --- our turn -------------------------------------------------------------------------------------------

    def _answer(self) -> str:
        seen = self._seen
        assert seen is not None
        if seen.debt:
            debt = seen.debt
            self._bought(debt)
            return f"BUY {debt}"
        choice = self._chosen(seen)
        if choice.card < 0:
            self._bought(choice.bought)
            return f"BUY {choice.bought}"
        wild = choice.card >= 52 or choice.card % 13 == 0
        asked = [SUIT_SIGNS[choice.asked]] if wild else []
        self._discarded(self._own, choice.card, asked)
        return " ".join(["DISCARD", card_text(choice.card), *asked])

    def _chosen(self, seen: Seen) -> Choice:
        until = time.monotonic() + self._seconds
        counts = [0 if seat in self._out else count for seat, count in enumerate(seen.counts())]
        table = bare_table(seen, self._direction, self._out)
        moves = choices(seen.hand, table.playable(), seen.pile, counts, self._own)
        hands = Hands(seen, seen.counts(), seen.pile)
        if not hands.sound:  # another deck than it seemed: then by style alone
            table.choose(self._dice)
            return Choice(table.card, table.asked, 1)
        search = Search(seen, hands, table, moves)
        search.begin(self._dice)
        worlds = 0
        while worlds == 0 or (time.monotonic() < until and not search.decided):
            search.world(self._dice)
            worlds += 1
            if worlds % 16 == 0:
                search.drop()
        return search.best()


def answers(lines: TextIO, dice: Dice, seconds: float = SECONDS) -> Iterator[str]:
    """What is to be said, as the lines come."""
    listener = Listener(dice, seconds)
    for line in lines:
        answer = listener.hear(line)
        if answer is not None:
            yield answer


def main() -> None:
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    numbers = [int.from_bytes(os.urandom(4), "big") for _ in range(4)]
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    for answer in answers(sys.stdin, Dice(*numbers), seconds):
        print(answer, flush=True)


if __name__ == "__main__":
    main()
