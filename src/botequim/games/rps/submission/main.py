"""The champion of rps as a program that runs once for each round: it reads the history, and prints a hand and
art.

The program stores nothing between rounds, so it repeats its decisions about all earlier rounds each time.
"""

from __future__ import annotations

import json
import os
import random
import sys
import traceback
import zlib
from pathlib import Path
from typing import Final

from botequim.games.rps.search.decision import Decision
from botequim.games.rps.search.forecast import Forecast
from botequim.games.rps.search.value import any_hand
from botequim.games.rps.submission.art import bay

ROUNDS: Final = 50
LETTERS: Final = "rps"
WORDS: Final = ("ROCK", "PAPER", "SCISSORS")
REACH_KEPT: Final = 26
WIDTH_KEPT: Final = 2 * REACH_KEPT + 1
STEP_KEPT: Final = 15.0
"""The number of steps in the file for the value of one round."""


class StoredOutlook:
    """The values of differences of counts, read from the file beside the program."""

    def __init__(self, packed: bytes) -> None:
        self._steps = zlib.decompress(packed)

    def safe(self, rock: int, paper: int, left: int) -> float:
        """See `botequim.games.rps.search.value.Outlook`."""
        row = min(max(rock, -REACH_KEPT), REACH_KEPT) + REACH_KEPT
        column = min(max(paper, -REACH_KEPT), REACH_KEPT) + REACH_KEPT
        left = min(max(left, 0), ROUNDS - 1)  # a game may have more rounds than the table
        return self._steps[(left * WIDTH_KEPT + row) * WIDTH_KEPT + column] / STEP_KEPT


def rounds_of(history: str) -> list[str]:
    """Return the rounds that are complete: two hands and a winner."""
    return [played for played in map(str.strip, history.split(";")) if len(played) >= 3]


def decision_after(history: str, player: int, kept: StoredOutlook) -> Decision:
    """Return the decision before the next round; `player` is 1 or 2."""
    decision = Decision(ROUNDS, kept, Forecast())
    for played in rounds_of(history):
        first, second, winner = played[0], played[1], played[2:]
        own, other = (first, second) if player == 1 else (second, first)
        won = winner == str(player)
        if own in LETTERS and other in LETTERS:
            decision.add_round(LETTERS.index(own), LETTERS.index(other), won=won)
        else:
            decision.add_forfeit(0 if winner == "0" else (1 if won else -1))
    return decision


def main() -> None:
    history = sys.argv[1] if len(sys.argv) > 1 else ""
    player = 2 if os.environ.get("PLAYER_NUMBER") == "2" else 1
    try:
        kept = StoredOutlook((Path(__file__).parent / "counts.bin").read_bytes())
        mixture = decision_after(history, player, kept).mixture()
    except Exception:  # after any error a random hand is better than none
        traceback.print_exc()
        mixture = any_hand()
    (hand,) = random.SystemRandom().choices(range(3), mixture)
    rounds = rounds_of(history)
    won = sum(played.endswith(str(player)) for played in rounds)
    print(json.dumps({"move": WORDS[hand], "art": bay(len(rounds), won, len(rounds) - won)}))


if __name__ == "__main__":
    main()
