"""An rps bot that behaves."""

import json
import sys

import animal

animal.start()
turn = sys.argv[1].count(";") + 2 if sys.argv[1] else 1
animal.think(turn)
animal.write(animal.said(json.dumps({"move": ("ROCK", "PAPER", "SCISSORS")[turn % 3]})))
animal.afterwards(turn)
