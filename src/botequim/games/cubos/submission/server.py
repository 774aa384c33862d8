"""The champion of cubos as the Rinha wants it: `POST /` on port 8000, JSON in and out.

This file is exported as `server.py`, beside the modules it imports; it needs Python and nothing else.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from botequim.core.rng import Rng
from botequim.search.chance import Dice, dice
from botequim.search.cubos import Solver
from botequim.search.cubos_manner import CHAMPION
from botequim.search.cubos_mind import Mind
from botequim.search.cubos_numbers import PAIR, SEARCHER
from botequim.search.cubos_past import MOST_TURNS, Past
from botequim.search.cubos_policy import Judge, Network

BLOCKED: Final = os.environ.get("BLOCKED", "draw")
"""How a blocked game ends: in a draw, or by points."""
SECONDS: Final = float(os.environ.get("SECONDS", "2.5"))
PATIENCE: Final = 1.2
"""What is answered after so many seconds more is the best so far, even if a world is still being solved."""
WAIT: Final = 2.5
"""For a question to come whole; what is waited is not thought."""
MOST_BYTES: Final = 1 << 16
PICKED: Final = 6
LEFT: Final = "esquerda"
RIGHT: Final = "direita"

TILES: Final = [(low, high) for low in range(7) for high in range(low, 7)]
_NUMBERED: Final = list(enumerate(TILES))
_SEARCHER: Final = Network(SEARCHER)
_PAIR: Final = Network(PAIR)


def halves(tile: object) -> tuple[int, int] | None:
    """The two numbers of a tile, as it is turned: `"0-6"`, or `[0, 6]`."""
    numbers = [int(digits) for digits in re.findall("[0-9]{1,3}", str(tile))]
    return (numbers[0], numbers[1]) if len(numbers) == 2 and max(numbers) <= 6 else None


def tiles_of(told: object) -> list[tuple[int, int]]:
    """Those of a list that are tiles."""
    return [tile for one in (told if isinstance(told, list) else []) if (tile := halves(one)) is not None]


def number_of(tile: tuple[int, int]) -> int:
    """A tile as the search counts them; it may be turned either way."""
    return TILES.index((min(tile), max(tile)))


def bits(tiles: list[tuple[int, int]]) -> int:
    """Tiles as the search holds them; one that is named twice is one."""
    held = 0
    for tile in tiles:
        held |= 1 << number_of(tile)
    return held


def past_of(question: dict[str, Any]) -> Past:
    """The game so far. Passes need not be told: whoever was left out could not play.

    An opening 6-6 that was not told was laid by whoever sits before the first of whom something is.
    """
    asked = seat_of(question)
    plays = [(seat_of(play), play.get("pedra"), play.get("lado")) for play in question["jogadas"]]
    if plays and halves(plays[0][1]) == (6, 6):
        past = Past(plays.pop(0)[0])
    else:
        past = Past(((plays[0][0] if plays else asked) + 3) % 4)
    for seat, tile, side in plays:
        skip_to(past, seat)
        if tile:
            lay(past, halves(tile), str(side).lower())
        else:
            past.skip()
    skip_to(past, asked)
    return past


def seat_of(told: dict[str, Any]) -> int:
    """Whose it is; the first seat is 0."""
    return (1, 2, 3, 4).index(int(told["jogador"]))


def skip_to(past: Past, seat: int) -> None:
    """All before a seat pass."""
    if past.turns > MOST_TURNS - 8:
        raise ValueError("no game is so long")
    while past.seat != seat:
        past.skip()


def lay(past: Past, tile: tuple[int, int] | None, side: str) -> None:
    """The next player lays a tile; where no side is told, on the one that it fits."""
    if tile is None or past.laid >> number_of(tile) & 1 or past.held >> past.seat * 3 & 7 < 2:
        raise ValueError("this tile cannot have been laid")
    on_left = side == LEFT or (side != RIGHT and past.left in tile)
    if (past.left if on_left else past.right) not in tile:
        raise ValueError("this tile does not fit")
    past.lay(number_of(tile), on_left)


def sensible(question: dict[str, Any], hand: int, line: list[tuple[int, int]]) -> Past | None:
    """The game so far, if what is told of it leads to the line on the table and to the hand."""
    try:
        past = past_of(question)
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        return None
    if line and ((past.left, past.right) != (line[0][0], line[-1][1]) or past.laid != bits(line)):
        return None
    lacks = past.lacks >> past.seat * 7
    kept = any(hand >> number & 1 and (lacks >> low | lacks >> high) & 1 for number, (low, high) in _NUMBERED)
    whole = hand.bit_count() == past.held >> past.seat * 3 & 7
    return past if whole and not kept and not hand & past.laid else None


def fitting(hand: int, left: int, right: int) -> list[int]:
    """The moves that can be made, the heaviest first: the tile times 2, plus 1 on the right end."""
    held = [(number, tile) for number, tile in _NUMBERED if hand >> number & 1]
    moves = [2 * number for number, tile in held if left in tile]
    if left != right:
        moves += [2 * number + 1 for number, tile in held if right in tile]
    return sorted(moves, key=lambda move: -sum(TILES[move >> 1]))


def answer(question: object, seconds: float = SECONDS) -> dict[str, str]:
    """The move for a question; nothing is kept between two questions.

    What can be laid is read off the table. What was played before is for belief alone: where it makes no
    sense the heaviest tile that fits is laid.
    """
    told = question if isinstance(question, dict) else {}
    hand, line = bits(tiles_of(told.get("mao"))), tiles_of(told.get("mesa"))
    past = sensible(told, hand, line)
    if line:
        moves = fitting(hand, line[0][0], line[-1][1])
    elif past is not None:
        moves = fitting(hand, past.left, past.right)
    else:
        moves = [27 * 2] if hand >> 27 & 1 else []  # nothing lies there: the opening, if it is asked for
    if not moves:
        return {}
    if past is not None and len(moves) > 1:
        move = searched(past, hand, dice(Rng(json.dumps(question))), seconds)
        if move in moves:
            return said(move)
    return said(moves[0])


def searched(past: Past, hand: int, chance: Dice, seconds: float) -> int:
    """The best move found in so many seconds; -1 if none was."""
    until = time.perf_counter() + seconds
    minds: list[Mind] = []
    thinker = threading.Thread(target=think, args=(past, hand, chance, until, minds), daemon=True)
    thinker.start()
    thinker.join(seconds + PATIENCE)
    return int(minds[0].move[minds[0].best()]) if minds and minds[0].weight > 0 else -1


def think(past: Past, hand: int, chance: Dice, until: float, minds: list[Mind]) -> None:
    """Solve worlds until the time is up, or all are solved."""
    solver = Solver(BLOCKED == "points")
    mind = Mind(past, hand, solver, Judge(past, _SEARCHER), Judge(past, _PAIR), chance, CHAMPION)
    mind.until = until
    minds.append(mind)
    while not mind.certain and time.perf_counter() < until:
        mind.more(PICKED)


def said(move: int) -> dict[str, str]:
    """A move as the competition writes it."""
    low, high = TILES[move >> 1]
    return {"pedra": f"{low}-{high}", "lado": RIGHT if move & 1 else LEFT}


class Handler(BaseHTTPRequestHandler):
    """Answers questions, whatever they are; stays quiet."""

    protocol_version = "HTTP/1.1"
    timeout = 120
    """A connection on which nothing comes for so long is closed."""

    def do_GET(self) -> None:
        self.close_connection = True
        self.reply({})

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        began = time.monotonic()
        try:
            question = self.question(began + WAIT)
            move = answer(question, max(0.1, SECONDS - (time.monotonic() - began)))
        except Exception:  # whatever it is, silence would lose the game
            traceback.print_exc()
            move = {}
        self.connection.settimeout(self.timeout)
        self.reply(move)

    def question(self, until: float) -> object:
        """What is asked; None if that cannot be read."""
        body, close = b"", self.close_connection
        self.close_connection = True
        try:
            for piece in self.pieces(until):
                body += piece[: MOST_BYTES - len(body)]
            self.close_connection = close
        except (OSError, ValueError):  # cut short, or not as announced: what came may do
            pass
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            return None

    def pieces(self, until: float) -> Iterator[bytes]:
        """The body as it comes; if it is not told how long it is, all that comes in time."""
        self.connection.settimeout(WAIT)
        length = self.headers.get("Content-Length", "")
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            while size := int(self.rfile.readline(99).split(b";")[0], 16):
                yield from self.some(size, until)
                self.rfile.readline(99)
            while self.rfile.readline(9999).strip():
                pass
        else:
            yield from self.some(int(length) if length.isdecimal() else MOST_BYTES, until)

    def some(self, size: int, until: float) -> Iterator[bytes]:
        """So many bytes, if they come in time."""
        while size != 0:
            left = until - time.monotonic()
            if size < 0 or left <= 0:
                raise ValueError("so many do not come")
            self.connection.settimeout(left)
            piece = self.rfile.read1(min(size, MOST_BYTES))
            if not piece:
                raise ValueError("it was cut short")
            size -= len(piece)
            yield piece

    def reply(self, move: dict[str, str]) -> None:
        body = json.dumps(move).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("0.0.0.0", int(os.environ.get("PORT", "8000"))), Handler).serve_forever()
