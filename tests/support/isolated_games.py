"""Games between bots that run isolated, and a few such bots."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.bots.prepare import prepare
from botequim.core.errors import FaultKind
from botequim.core.options import resolve_options
from botequim.core.process import Sandbox
from botequim.core.turn import PlayedMove
from botequim.engine.series import Series, seat_assignments
from botequim.records.reader import parse
from botequim.records.record import Record
from botequim.records.verify import verify_record
from botequim.sandbox.probe import best_sandbox
from tests import ROOT
from tests.support.pace import PATIENCE

EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    found = best_sandbox()
    assert found is not None
    return found


async def _series(
    game_name: str,
    entrants: Sequence[str],
    sandbox: Sandbox,
    workshop: Path,
    games: int,
    move: float,
    **options: Any,
) -> list[Record]:
    game = registry.game(game_name)
    if any(option.name == "players" for option in game.options):
        options.setdefault("players", len(entrants))
    settled = resolve_options(game.name, game.options, options)
    seated = [
        _patient(await prepare(name, game_name, sandbox, workshop=workshop, isolated=True), move)
        for name in entrants
    ]
    labels = [f"{entrant.name}-{at}" for at, entrant in enumerate(seated)]
    at_table = seat_assignments(game.teams(settled), seated, labels)
    async with Series(game, at_table, games=games, sandbox=sandbox) as series:
        return [await series.play(f"bots/{number}", settled) for number in range(games)]


def _patient(entrant: Entrant, move: float) -> Entrant:
    """Return the entrant with longer time limits: these tests do not depend on the speed of the machine."""
    return entrant.with_limits({"move": move, "start": PATIENCE, "thinking": None, "timeouts": None})


def play(
    game_name: str,
    entrants: Sequence[str | Path],
    sandbox: Sandbox,
    workshop: Path,
    games: int = 1,
    move: float = PATIENCE,
    **options: Any,
) -> list[Record]:
    """Play consecutive games, with so many seconds for a move; every record is refereed again."""
    names = [str(entrant) for entrant in entrants]
    records = asyncio.run(_series(game_name, names, sandbox, workshop, games, move, **options))
    for record in records:
        (found,) = parse([line.encode() for line in record.lines()], "test.jsonl")
        assert verify_record(found).ok
    return records


def moves_of(record: Record, seat: int) -> list[PlayedMove]:
    return [made for turn in record.turns for made in turn if made.by == seat]


def faults(records: Sequence[Record]) -> list[tuple[FaultKind, str]]:
    return [
        (made.fault.kind, str(made.fault.reason))
        for record in records
        for turn in record.turns
        for made in turn
        if made.fault is not None
    ]


def write(folder: Path, **sources: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in sources.items():
        path = folder / name.replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
        if source.startswith("#!"):
            path.chmod(0o755)
    return folder


PYTHON_SERVER = """
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Bot(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        left, right = asked["mesa"][0].split("-")[0], asked["mesa"][-1].split("-")[1]
        answer = {}
        for tile in asked["mao"]:
            if left in tile.split("-"):
                answer = {"pedra": tile, "lado": "esquerda", "extra": [1]}
            elif right in tile.split("-"):
                answer = {"pedra": tile[::-1], "lado": "direita"}
        body = json.dumps(answer).encode()
        self.send_response(201)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

ThreadingHTTPServer(("0.0.0.0", 8000), Bot).serve_forever()
"""

TALKATIVE = """#!/usr/bin/env python3
import sys
hand, top, suit, debt, me = [], "", "", 0, ""
for line in sys.stdin:
    word, *rest = line.split()
    if word == "YOU":
        me = rest[0]
    elif word == "HAND":
        hand = rest[1:-1]
    elif word in ("TABLE", "DISCARD"):
        top, suit = rest[0], rest[-1][-1]
        debt = {"V": 2, "C": 4}.get(top[:-1], 0) if word == "DISCARD" else 0
    elif word == "BUY":
        debt = 0
    elif word == "TURN" and rest[0] == me:
        print("SAY hello from", me)
        print("thinking...", file=sys.stderr)
        fitting = [card for card in hand if card[:-1] == top[:-1] or card[-1] == suit or card[0] in "AC"]
        if debt or not fitting:
            print("BUY", debt or 1, end="\\r\\n", flush=True)
            hand += [sys.stdin.readline().strip() for _ in range(debt or 1)]
            debt = 0
        else:
            card = fitting[0]
            hand.remove(card)
            print("DISCARD", card, "♥" if card[0] in "AC" else "", flush=True)
            top, suit = card, "♥" if card[0] in "AC" else card[-1]
            debt = {"V": 2, "C": 4}.get(card[:-1], 0)
"""
