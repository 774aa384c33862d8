"""The champion of uno as a program that reads and writes lines.

`botequim.games.uno.wire` describes the lines. They do not say which players are out; the program infers it
when a player's turn does not come.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, TextIO

from botequim.games.uno.search.hands import Hands
from botequim.games.uno.search.observation import Observation
from botequim.games.uno.search.search import Choice, Search, bare_table, choices
from botequim.games.uno.search.table import BUY, KING, QUEEN, fitting, is_wild, suit_of, value_of
from botequim.search.chance import Dice

SECONDS: Final = 1.2
"""The seconds for a move; the limit is three."""
VALUES: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "V", "D", "R")
SUIT_SIGNS: Final = "♥♦♣♠"


def card_number(text: str) -> int:
    """Return the number of a card such as `10♥` in the pack."""
    value, suit = text[:-1], SUIT_SIGNS.index(text[-1])
    if value == "C":
        return 52 if suit == 0 else 53
    return 13 * suit + VALUES.index(value)


def cards_of(words: list[str]) -> list[int]:
    cards = []
    for word in words:
        with suppress(ValueError):
            cards.append(card_number(word))
    return cards


def card_text(card: int) -> str:
    """Return a number as `10♥`."""
    if card >= 52:
        return "C♥" if card == 52 else "C♣"
    return VALUES[card % 13] + SUIT_SIGNS[card // 13]


def first_that_fits(seen: Observation) -> Choice:
    """Return the first legal move, a wild card last."""
    fits = fitting()[seen.top * 4 + seen.suit]
    for card in sorted(seen.hand, key=is_wild):
        if fits >> card & 1:
            return Choice(card, card // 13 % 4, 0)
    return Choice(int(BUY), 0, 1)


def words_of(line: str) -> list[str]:
    """Return the words of a line, without brackets and commas."""
    for sign in ("\ufe0f", "[", "]", ","):
        line = line.replace(sign, " " if sign.isascii() else "")
    return line.split()


class Listener:
    """Follows a game by its lines. It ignores lines that it does not understand, and always answers its
    turn."""

    def __init__(self, dice: Dice, seconds: float = SECONDS) -> None:
        self._dice = dice
        self._seconds = seconds
        self._name = ""
        self._sit_down([])

    def _sit_down(self, ids: list[str]) -> None:
        self._ids = ids
        self._own = ids.index(self._name) if self._name in ids else -1
        self._hand: list[int] = []
        self._seen: Observation | None = None
        self._turn = -1
        self._acted = True
        self._direction = 1
        self._out: list[int] = []
        self._paid: dict[int, int] = {}
        """By seat that paid a debt in its last turn: the number of cards that it bought."""
        self._lacked = 0
        """The number of cards that were bought although the pile seemed to be empty."""

    @property
    def pile(self) -> int:
        """The number of cards that should be left in the pile."""
        return 0 if self._seen is None else self._seen.pile

    @property
    def out(self) -> list[int]:
        """The seats that are known to be out."""
        return sorted(self._out)

    def hear(self, line: str) -> str | None:
        """Follow one line; return the answer if it is our turn."""
        words = words_of(line)
        with suppress(IndexError, ValueError):  # an unknown or incomplete line
            self._follow(words[0], words[1:])
        return self._answer() if len(words) > 1 and words[:2] == ["TURN", self._name] else None

    def _follow(self, verb: str, rest: list[str]) -> None:
        if verb == "PLAYERS":
            self._sit_down(rest)
        elif verb == "YOU":
            self._name = rest[0]
            self._own = self._ids.index(rest[0])
        elif verb == "HAND":
            self._hand = cards_of(rest)
        elif verb == "TABLE":
            self._begin(card_number(rest[0]))
        elif verb == "TURN":
            self._turned(self._ids.index(rest[0]))
        elif self._seen is None:
            return
        elif verb == "DISCARD":
            if not self._acted:
                self._discarded(self._turn, card_number(rest[0]), rest[1:])
        elif verb == "BUY":
            count = int(rest[0])
            if not self._acted and 0 < count <= 54 * self._seen.decks:
                self._bought(count)
        elif not rest:
            self._seen.add_own_card(card_number(verb))

    def _begin(self, table: int) -> None:
        if self._own >= 0:
            decks = 2 if len(self._ids) * len(self._hand) + 2 > 54 or len(self._ids) > 6 else 1
            self._seen = Observation(self._own, len(self._ids), self._hand, table, decks=decks)

    # --- others ---------------------------------------------------------------------------------------------

    def _turned(self, seat: int) -> None:
        if seat in self._out:  # a player that has a turn is not out
            self._out.remove(seat)
        self._miss(seat)
        self._turn = seat
        self._acted = False
        self._paid.pop(seat, None)

    def _miss(self, seat: int) -> None:
        """Note that the seats are out that should have moved before this one and did not."""
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
                self._give_back(expected)
            expected = self._after(expected)

    def _give_back(self, seat: int) -> None:
        """Correct the number of cards of a seat that went out with a debt. It did not draw the cards."""
        got = self._paid.pop(seat, 0)
        if self._seen is not None and got:
            del self._seen.births[seat][-got:]
            left = self._seen.pile - self._lacked + got
            self._seen.pile, self._lacked = max(0, left), max(0, -left)

    def _skips(self) -> bool:
        seen = self._seen
        return seen is not None and self._laid and bool(value_of(seen.top) == KING)

    def _after(self, seat: int) -> int:
        seat = (seat + self._direction) % len(self._ids)
        while seat in self._out:
            seat = (seat + self._direction) % len(self._ids)
        return seat

    _laid = False
    """Whether the last action was a discard."""

    def _discarded(self, seat: int, card: int, asked: list[str]) -> None:
        assert self._seen is not None
        suit = int(suit_of(card))
        if asked and asked[0] in tuple(SUIT_SIGNS) and is_wild(card):
            suit = SUIT_SIGNS.index(asked[0])
        self._seen.add_discard(seat, card, suit)
        if value_of(card) == QUEEN and len(self._ids) - len(self._out) > 2:
            self._direction = -self._direction
        self._acted, self._laid = True, True

    def _bought(self, count: int) -> None:
        assert self._seen is not None
        owed, pile = self._seen.debt, self._seen.pile
        self._seen.add_buy(self._turn, count)
        if self._seen.pile == 0:
            self._lacked += max(0, count - pile)
        if owed and self._turn != self._own:
            self._paid[self._turn] = count
        self._acted, self._laid = True, False

    # --- our turn -------------------------------------------------------------------------------------------

    def _answer(self) -> str:
        seen = self._seen
        if seen is None:
            return "BUY 1"
        if seen.debt:
            debt = seen.debt
            self._bought(debt)
            return f"BUY {debt}"
        try:
            choice = self._chosen(seen)
        except Exception:  # after any error, because a player that does not answer is out
            traceback.print_exc()
            choice = first_that_fits(seen)
        if choice.card < 0:
            self._bought(choice.bought)
            return f"BUY {choice.bought}"
        asked = [SUIT_SIGNS[choice.asked]] if is_wild(choice.card) else []
        self._discarded(self._own, choice.card, asked)
        return " ".join(["DISCARD", card_text(choice.card), *asked])

    def _chosen(self, seen: Observation) -> Choice:
        if len(self._ids) - len(self._out) < 2:  # no opponent is left
            return first_that_fits(seen)
        until = time.monotonic() + self._seconds
        counts = [0 if seat in self._out else count for seat, count in enumerate(seen.counts())]
        table = bare_table(seen, self._direction, self._out)
        moves = choices(seen.hand, table.playable(), seen.pile, counts, self._own)
        hands = Hands(seen, seen.counts(), seen.pile)
        if not hands.sound:  # the number of decks must be wrong, so choose by style alone
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
