"""The champion of cubos as a server for the Rinha: `POST /` on port 8000, with JSON.

`botequim export` writes this file as `server.py`, beside the modules it imports. It needs only Python.
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
from botequim.games.cubos.search.decision import Decision
from botequim.games.cubos.search.history import MOST_TURNS, History
from botequim.games.cubos.search.numbers import PAIR, SEARCHER
from botequim.games.cubos.search.policy import MoveModel, Network
from botequim.games.cubos.search.settings import CHAMPION
from botequim.games.cubos.search.solver import Solver
from botequim.search.chance import Dice, dice

BLOCKED: Final = os.environ.get("BLOCKED", "draw")
"""How a blocked game ends: in a draw, or by points."""
SECONDS: Final = float(os.environ.get("SECONDS", "2.5"))
PATIENCE: Final = 1.2
"""Seconds after the end of the thinking time. Then the best move so far is sent, even if a world is still
being solved."""
WAIT: Final = 2.5
"""Seconds for a whole question to arrive; waiting takes no thinking time."""
MOST_BYTES: Final = 1 << 16
PICKED: Final = 6
LEFT: Final = "esquerda"
RIGHT: Final = "direita"

TILES: Final = [(low, high) for low in range(7) for high in range(low, 7)]
_NUMBERED: Final = list(enumerate(TILES))
_SEARCHER: Final = Network(SEARCHER)
_PAIR: Final = Network(PAIR)


def halves(tile: object) -> tuple[int, int] | None:
    """Return the two numbers of a tile in the given order: `"0-6"`, or `[0, 6]`."""
    numbers = [int(digits) for digits in re.findall("[0-9]{1,3}", str(tile))]
    return (numbers[0], numbers[1]) if len(numbers) == 2 and max(numbers) <= 6 else None


def tiles_of(told: object) -> list[tuple[int, int]]:
    """Return those items of a list that are tiles."""
    return [tile for one in (told if isinstance(told, list) else []) if (tile := halves(one)) is not None]


def number_of(tile: tuple[int, int]) -> int:
    """Return the number of a tile in the search; its halves may come in either order."""
    return TILES.index((min(tile), max(tile)))


def bits(tiles: list[tuple[int, int]]) -> int:
    """Return tiles as bits; a repeated tile counts once."""
    held = 0
    for tile in tiles:
        held |= 1 << number_of(tile)
    return held


def past_of(question: dict[str, Any]) -> History:
    """Return the history of the game. Passes may be missing; a seat that was skipped could not play.

    If the opening 6-6 is missing, it was laid by the seat before the first one that is mentioned.
    """
    asked = seat_of(question)
    plays = [(seat_of(play), play.get("pedra"), play.get("lado")) for play in question["jogadas"]]
    if plays and halves(plays[0][1]) == (6, 6):
        past = History(plays.pop(0)[0])
    else:
        past = History(((plays[0][0] if plays else asked) + 3) % 4)
    for seat, tile, side in plays:
        skip_to(past, seat)
        if tile:
            lay(past, halves(tile), str(side).lower())
        else:
            past.pass_turn()
    skip_to(past, asked)
    return past


def seat_of(told: dict[str, Any]) -> int:
    """Return the seat that a play names, from 0."""
    return (1, 2, 3, 4).index(int(told["jogador"]))


def skip_to(past: History, seat: int) -> None:
    """Let all seats pass up to a seat."""
    if past.turns > MOST_TURNS - 8:
        raise ValueError("no game is so long")
    while past.seat != seat:
        past.pass_turn()


def lay(past: History, tile: tuple[int, int] | None, side: str) -> None:
    """Let the next player lay a tile; without a side, on the end that it fits."""
    if tile is None or past.laid >> number_of(tile) & 1 or past.held >> past.seat * 3 & 7 < 2:
        raise ValueError("this tile cannot have been laid")
    on_left = side == LEFT or (side != RIGHT and past.left in tile)
    if (past.left if on_left else past.right) not in tile:
        raise ValueError("this tile does not fit")
    past.lay(number_of(tile), on_left)


def consistent_history(question: dict[str, Any], hand: int, line: list[tuple[int, int]]) -> History | None:
    """Return the history of the game, or None if it does not lead to the line on the table and to the
    hand."""
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


def legal_moves(hand: int, left: int, right: int) -> list[int]:
    """Return the legal moves, the heaviest first: twice the tile's number, plus 1 on the right end."""
    held = [(number, tile) for number, tile in _NUMBERED if hand >> number & 1]
    moves = [2 * number for number, tile in held if left in tile]
    if left != right:
        moves += [2 * number + 1 for number, tile in held if right in tile]
    return sorted(moves, key=lambda move: -sum(TILES[move >> 1]))


def answer(question: object, seconds: float = SECONDS) -> dict[str, str]:
    """Return the move for a question. Nothing is stored between two questions.

    The table determines which tiles fit. The history is only used to estimate the hidden hands. If it is
    inconsistent, the heaviest tile that fits is laid.
    """
    told = question if isinstance(question, dict) else {}
    hand, line = bits(tiles_of(told.get("mao"))), tiles_of(told.get("mesa"))
    past = consistent_history(told, hand, line)
    if line:
        moves = legal_moves(hand, line[0][0], line[-1][1])
    elif past is not None:
        moves = legal_moves(hand, past.left, past.right)
    else:
        moves = [27 * 2] if hand >> 27 & 1 else []  # on an empty table only 6-6 can be laid
    if not moves:
        return {}
    if past is not None and len(moves) > 1:
        move = best_move(past, hand, dice(Rng(json.dumps(question))), seconds)
        if move in moves:
            return json_of_move(move)
    return json_of_move(moves[0])


def best_move(past: History, hand: int, chance: Dice, seconds: float) -> int:
    """Return the best move found in `seconds`; -1 if none was found."""
    until = time.perf_counter() + seconds
    decisions: list[Decision] = []
    thinker = threading.Thread(target=think, args=(past, hand, chance, until, decisions), daemon=True)
    thinker.start()
    thinker.join(seconds + PATIENCE)
    return int(decisions[0].move[decisions[0].best()]) if decisions and decisions[0].weight > 0 else -1


def think(past: History, hand: int, chance: Dice, until: float, decisions: list[Decision]) -> None:
    """Solve worlds until the time is up or all are solved."""
    solver = Solver(BLOCKED == "points")
    decision = Decision(
        past, hand, solver, MoveModel(past, _SEARCHER), MoveModel(past, _PAIR), chance, CHAMPION
    )
    decision.until = until
    decisions.append(decision)
    while not decision.certain and time.perf_counter() < until:
        decision.search(PICKED)


def json_of_move(move: int) -> dict[str, str]:
    """Return a move in the form of the competition."""
    low, high = TILES[move >> 1]
    return {"pedra": f"{low}-{high}", "lado": RIGHT if move & 1 else LEFT}


class Handler(BaseHTTPRequestHandler):
    """Answers questions of any kind, and logs nothing."""

    protocol_version = "HTTP/1.1"
    timeout = 120
    """A connection without data is closed after so many seconds."""

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
        except Exception:  # any answer is better than none, which loses the game
            traceback.print_exc()
            move = {}
        self.connection.settimeout(self.timeout)
        self.reply(move)

    def question(self, until: float) -> object:
        """Return the question; None if it cannot be read."""
        body, close = b"", self.close_connection
        self.close_connection = True
        try:
            for piece in self.pieces(until):
                body += piece[: MOST_BYTES - len(body)]
            self.close_connection = close
        except (
            OSError,
            ValueError,
        ):  # incomplete, or with wrong headers; the part that arrived may be enough
            pass
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            return None

    def pieces(self, until: float) -> Iterator[bytes]:
        """Yield the body as it arrives; if its length is unknown, all that arrives in time."""
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
        """Yield `size` bytes, if they arrive in time."""
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
