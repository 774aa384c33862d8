"""Plays any game: one JSON question a line, one JSON answer a line. Chooses at random."""

import json
import random
import sys

for line in sys.stdin:
    question = json.loads(line)
    if "legal" in question:  # else it is the end of a game, which is not answered
        print(json.dumps({"move": random.choice(question["legal"])}), flush=True)
