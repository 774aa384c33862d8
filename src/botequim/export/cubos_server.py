"""The champion of cubos as the Rinha wants it: `POST /` on port 8000, JSON in and out.

This file is exported as `server.py`, beside the modules it imports; it needs Python and nothing else.
"""

from __future__ import annotations

import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from botequim.core.rng import Rng
from botequim.search.chance import Dice, dice
from botequim.search.cubos import Solver
from botequim.search.cubos_manner import CHAMPION
from botequim.search.cubos_mind import Mind
from botequim.search.cubos_numbers import NUMBERS
from botequim.search.cubos_past import Past
from botequim.search.cubos_policy import Judge, Network

SECONDS: Final = float(os.environ.get("SECONDS", "2.5"))
PATIENCE: Final = 1.2
"""What is answered after so many seconds more is the best so far, even if a world is still being solved."""
PICKED: Final = 6
LEFT: Final = "esquerda"
RIGHT: Final = "direita"

TILES: Final = [(low, high) for low in range(7) for high in range(low, 7)]
_NETWORK: Final = Network(NUMBERS)


def number_of(text: str) -> int:
    """A tile as the search counts them; it may be turned either way."""
    low, high = sorted(int(half) for half in text.split("-"))
    return TILES.index((low, high))


def past_of(question: dict[str, Any]) -> Past:
    """The game so far. Passes are not told: whoever was left out could not play."""
    plays = question["jogadas"]
    if not plays:
        # nothing was told: the line is the opening tile, and whoever comes next is asked
        return Past((question["jogador"] + 2) % 4)
    past = Past(plays[0]["jogador"] - 1)
    for play in plays[1:]:
        while past.seat != play["jogador"] - 1:
            past.skip()
        past.lay(number_of(play["pedra"]), play["lado"] == LEFT)
    while past.seat != question["jogador"] - 1:
        past.skip()
    return past


def answer(question: dict[str, Any], seconds: float = SECONDS) -> dict[str, str]:
    """The move for a question; nothing is kept between two questions."""
    past = past_of(question)
    hand = sum(1 << number_of(text) for text in question["mao"])
    judge = Judge(past, _NETWORK)
    count = judge.listed(hand, past.left, past.right)
    if count == 0:
        return {}
    if count == 1:
        return said(int(judge.moves[0]))
    until = time.perf_counter() + seconds
    chance = dice(Rng(json.dumps(question)))
    minds: list[Mind] = []
    thinker = threading.Thread(target=think, args=(past, hand, chance, until, minds), daemon=True)
    thinker.start()
    thinker.join(seconds + PATIENCE)
    if minds and minds[0].weight > 0:
        return said(int(minds[0].move[minds[0].best()]))
    return said(int(judge.moves[0]))


def think(past: Past, hand: int, chance: Dice, until: float, minds: list[Mind]) -> None:
    """Solve worlds until the time is up, or all are solved."""
    solver = Solver(os.environ.get("BLOCKED") == "points")
    mind = Mind(past, hand, solver, Judge(past, _NETWORK), chance, CHAMPION)
    mind.until = until
    minds.append(mind)
    while not mind.certain and time.perf_counter() < until:
        mind.more(PICKED)


def said(move: int) -> dict[str, str]:
    """A move as the competition writes it."""
    low, high = TILES[move >> 1]
    return {"pedra": f"{low}-{high}", "lado": RIGHT if move & 1 else LEFT}


class Handler(BaseHTTPRequestHandler):
    """Answers questions; stays quiet."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = json.dumps(answer(json.loads(self.rfile.read(length)))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("0.0.0.0", int(os.environ.get("PORT", "8000"))), Handler).serve_forever()
