"""An rps bot: beats the hand that the other one has played most, and waves while doing so."""

import json
import os
import sys

BEATEN_BY = {"r": "PAPER", "p": "SCISSORS", "s": "ROCK"}
FRAMES = [["  o  ", " /|\\ ", " / \\ "], [" \\o/ ", "  |  ", " / \\ "]]

history = sys.argv[1] if len(sys.argv) > 1 else ""
other = 2 - int(os.environ.get("PLAYER_NUMBER", "1"))  # where the other one's hand stands in "rp2"
rounds = [played for played in history.split(";") if played]
hands = [played[other] for played in rounds if played[other] in BEATEN_BY]
favourite = max("rps", key=hands.count)

print(json.dumps({"move": BEATEN_BY[favourite], "art": FRAMES[len(rounds) % len(FRAMES)]}))
