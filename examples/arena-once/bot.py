"""Plays any game: started for each question, which stands on standard input as JSON. Chooses at random."""

import json
import random
import sys

question = json.load(sys.stdin)
print(json.dumps({"move": random.choice(question["legal"])}))
