#!/usr/bin/env python3
"""A BattleBots entrant: one process a round, its answer pretty-printed, its art a matrix of characters."""

import json
import os
import sys
from collections import Counter

BEATS = {"r": "PAPER", "p": "SCISSORS", "s": "ROCK"}


def frame(number):
    """A ball that bounces along a line."""
    matrix = [[" " for _ in range(21)] for _ in range(3)]
    place = number % 40
    matrix[1][place if place <= 20 else 40 - place] = "o"
    matrix[2] = ["-"] * 21
    return matrix


def main():
    me = int(os.environ["PLAYER_NUMBER"]) - 1
    rounds = [one for one in sys.argv[1].split(";") if one]
    theirs = Counter(one[1 - me] for one in rounds if one[1 - me] in BEATS)
    favourite = theirs.most_common(1)[0][0] if theirs else "s"
    answer = {"move": BEATS[favourite], "art": frame(len(rounds))}
    print(json.dumps(answer, indent=2))


main()
