"""Real bots at the table, isolated: written the way each competition's document describes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from botequim import registry
from botequim.core.errors import FaultKind
from botequim.core.options import settle
from botequim.core.process import Sandbox
from botequim.core.reading import parse
from botequim.core.record import Record
from botequim.core.turn import Made
from botequim.entrants.entrant import Entrant
from botequim.entrants.prepare import prepare
from botequim.sandbox.probe import best
from botequim.series import Series, chairs
from botequim.verify import verify
from tests.pace import PATIENCE

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    found = best()
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
    settled = settle(game.name, game.options, options)
    seated = [
        _patient(await prepare(name, game_name, sandbox, workshop=workshop, isolated=True), game_name, move)
        for name in entrants
    ]
    labels = [f"{entrant.name}-{at}" for at, entrant in enumerate(seated)]
    at_table = chairs(game.teams(settled), seated, labels)
    async with Series(game, at_table, games=games, sandbox=sandbox) as series:
        return [await series.play(f"bots/{number}", settled) for number in range(games)]


def _patient(entrant: Entrant, game_name: str, move: float) -> Entrant:
    """The same with other limits of time: what is tested here does not depend on the machine's speed."""
    if entrant.wire is None:
        return entrant
    limits = entrant.limits or registry.wire(game_name, entrant.wire).limits
    return replace(entrant, limits=replace(limits, move=move, start=PATIENCE, thinking=None, timeouts=None))


def play(
    game_name: str,
    entrants: Sequence[str | Path],
    sandbox: Sandbox,
    workshop: Path,
    games: int = 1,
    move: float = PATIENCE,
    **options: Any,
) -> list[Record]:
    """Play games in a row, with so many seconds for a move; every record is refereed again."""
    names = [str(entrant) for entrant in entrants]
    records = asyncio.run(_series(game_name, names, sandbox, workshop, games, move, **options))
    for record in records:
        (found,) = parse([line.encode() for line in record.lines()], "test.jsonl")
        assert verify(found).ok
    return records


def made(record: Record, seat: int) -> list[Made]:
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


# --- the examples ----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["cubos", "havana", "uno", "rps"])
def test_the_example_of_each_wire_plays_without_a_fault(game: str, sandbox: Sandbox, tmp_path: Path) -> None:
    options = {"rounds": 4} if game == "rps" else {}
    records = play(game, [EXAMPLES / game, "greedy"], sandbox, tmp_path, games=2, **options)
    assert faults(records) == []
    (header, *_) = records[0].contents()
    told = header["seats"][0]
    assert told["wire"] == game
    assert told["sandbox"] == "bubblewrap"
    assert {"memory", "network", "files", "processes", "cpus"} <= set(told["enforced"])
    assert told["limits"]["memory"] == 1 << 30


GAMES = ["cubos", "havana", "fives", "uno", "rps"]
OVER_ARENA = [(game, "lines") for game in GAMES] + [("cubos", "http"), ("rps", "once")]
OVER_ARENA_TOO = [
    (game, carrier) for game in GAMES for carrier in ("http", "once") if (game, carrier) not in OVER_ARENA
]


@pytest.mark.parametrize(
    ("game", "carrier"),
    [*OVER_ARENA, *(pytest.param(*case, marks=pytest.mark.slow) for case in OVER_ARENA_TOO)],
)
def test_every_game_over_arena_on_every_transport(
    game: str, carrier: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    options: dict[str, Any] = {"rps": {"rounds": 3}, "fives": {"target": 5}}.get(game, {})
    (record,) = play(game, [EXAMPLES / f"arena-{carrier}", "random"], sandbox, tmp_path, **options)
    assert faults([record]) == []
    assert made(record, 0)


# --- cubos: servers --------------------------------------------------------------------------------

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


def test_four_servers_on_one_port_in_two_languages(sandbox: Sandbox, tmp_path: Path) -> None:
    python = write(tmp_path / "python", server__py=PYTHON_SERVER)
    records = play("cubos", [python, EXAMPLES / "cubos"], sandbox, tmp_path, games=3)
    assert faults(records) == []


def test_a_server_that_dies_in_its_second_game_has_a_new_one(sandbox: Sandbox, tmp_path: Path) -> None:
    once = PYTHON_SERVER.replace(
        "        answer = {}\n",
        "        if len(asked['jogadas']) < 5 and hasattr(Bot, 'played'): raise SystemExit\n"
        "        if len(asked['jogadas']) > 8: Bot.played = True\n        answer = {}\n",
    )
    bot = write(tmp_path / "python", server__py=once)
    assert faults(play("cubos", [bot, "random"], sandbox, tmp_path, games=3)) == []


def test_a_server_that_plays_nonsense_forfeits_and_the_record_says_why(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    bot = write(tmp_path / "python", server__py=PYTHON_SERVER.replace('"direita"', '"right"'))
    (record,) = play("cubos", [bot, "random"], sandbox, tmp_path)
    assert record.outcome.how == "forfeit"
    fault = record.turns[-1][0].fault
    assert fault is not None
    assert fault.kind is FaultKind.MALFORMED
    assert '"right"' in str(fault.reason)
    assert json.loads(str(fault.evidence["question"]))["mesa"]
    assert "right" in str(fault.evidence["answer"])


# --- havana: students' files -----------------------------------------------------------------------

PLAIN = """
from basic_players import Player

class Careless(Player):
    def play(self, board_extremes, play_hist):
        for tile in self.tiles:
            if not board_extremes or tile[0] in board_extremes or tile[1] in board_extremes:
                return 0, tile
        return 0, None

def pair_name():
    return "Careless"

def create_pair():
    return Careless(1, "Ana"), Careless(2, "Rui", "img/rui.jpg")
"""


@pytest.mark.parametrize(
    "files",
    [
        {"student_players__py": PLAIN},
        {
            "student_players__py": PLAIN.replace("class", "from thinking.best import first\nclass").replace(
                "for tile in self.tiles:", "for tile in first(self.tiles):"
            ),
            "thinking/best__py": "def first(tiles):\n    return sorted(tiles)\n",
        },
        {"student_players__py": "import pygame\nfrom judge import *\nimport drawer\npygame.init()\n" + PLAIN},
        {"student_players__py": "print('hi')\n" + PLAIN.replace("return 0, t", "print(tile); return 0, t")},
        {"student_players__py": PLAIN.replace("Careless(1, ", "GreedyPlayer(1, ").replace(
            "import Player", "import Player, GreedyPlayer")},
        {"student_players__py": PLAIN, "basic_players__py": "raise SystemExit('theirs')", "main__py": "1/0"},
    ],
    ids=["plain", "helper modules", "imports of the course", "prints", "a basic player", "the whole project"],
)  # fmt: skip
def test_students_in_several_styles(files: dict[str, str], sandbox: Sandbox, tmp_path: Path) -> None:
    pair = write(tmp_path / "pair" / "dominoes", **files)
    records = play("havana", [pair.parent, "dummy"], sandbox, tmp_path, games=3)
    assert faults(records) == []


def test_players_live_through_the_confronto_and_share_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    counting = PLAIN.replace(
        "    def play(self, board_extremes, play_hist):\n",
        "    games = 0\n    def play(self, board_extremes, play_hist):\n"
        "        if len(play_hist) < 4:\n            Careless.games += 1\n"
        "            raise ValueError(f'game {Careless.games}')\n",
    )
    pair = write(tmp_path / "pair", student_players__py=counting)
    records = play("havana", [pair, "dummy"], sandbox, tmp_path, games=3)
    for number, record in enumerate(records, start=1):
        for seat in (0, 2):
            first = made(record, seat)[0]
            assert first.fault is not None
            assert first.fault.kind is FaultKind.CRASH
            assert f"game {number}" in str(first.fault.evidence), "a partner's games would count too"


def test_an_exception_loses_the_turn_only(sandbox: Sandbox, tmp_path: Path) -> None:
    sulking = PLAIN.replace(
        "        for tile", "        if len(self.tiles) == 9: raise KeyError('no')\n        for tile"
    )
    pair = write(tmp_path / "pair", student_players__py=sulking)
    (record,) = play("havana", [pair, "dummy"], sandbox, tmp_path)
    kinds = {kind for kind, _ in faults([record])}
    assert kinds == {FaultKind.CRASH}
    assert record.outcome.how in ("domino", "closed")


# --- uno: programs on pipes ------------------------------------------------------------------------


def test_a_c_program_made_of_several_files(sandbox: Sandbox, tmp_path: Path) -> None:
    source = (EXAMPLES / "uno" / "bot.c").read_text(encoding="utf-8")
    cut = source.index("static int same_value")
    end = source.index("static int asks_for_suit")
    folder = write(
        tmp_path / "c",
        main__c='#include "cards.h"\n' + source[:cut] + source[end:],
        cards__c="#include <string.h>\n"
        + source[source.index("static const char *suit_of") : cut].replace("suit_of", "unused_suit_of")
        + source[cut:end].replace("static int", "int"),
        cards__h="int same_value(const char *a, const char *b);\n",
        Makefile="bot: main.c cards.c cards.h\n\tcc -O2 -o bot main.c cards.c\n",
    )
    records = play("uno", [folder, EXAMPLES / "uno", "greedy"], sandbox, tmp_path, games=3)
    assert faults(records) == []


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


def test_a_script_that_talks(sandbox: Sandbox, tmp_path: Path) -> None:
    bot = write(tmp_path / "talkative", bot=TALKATIVE)
    records = play("uno", [bot, "greedy", bot], sandbox, tmp_path, games=2)
    assert faults(records) == []
    said = [remark.value for move in made(records[0], 0) for remark in move.remarks]
    assert said
    assert all(text.startswith("hello from") for text in said)


def test_a_program_that_hangs_is_out_and_the_others_play_on(sandbox: Sandbox, tmp_path: Path) -> None:
    hangs = write(tmp_path / "hangs", bot="#!/bin/sh\nwhile :; do sleep 1; done\n")
    (record,) = play("uno", [hangs, "greedy", "random"], sandbox, tmp_path, move=0.5)
    assert [kind for kind, _ in faults([record])] == [FaultKind.TIMEOUT]
    assert record.outcome.places[0] == 3


# --- rps: one process a round ----------------------------------------------------------------------


def test_one_shot_programs_in_python_and_shell(sandbox: Sandbox, tmp_path: Path) -> None:
    shell = write(
        tmp_path / "shell",
        run__sh='[ "$PLAYER_NUMBER" = 2 ] || exit 1\n'
        'echo "history: $1" >&2\ncase "$1" in *r??) move=PAPER;; *) move=ROCK;; esac\n'
        'echo "{\\"move\\": \\"$move\\"}"\n',
    )
    (record,) = play("rps", [EXAMPLES / "rps", shell], sandbox, tmp_path, rounds=6)
    assert faults([record]) == []
    art = [remark for move in made(record, 0) for remark in move.remarks if remark.kind == "art"]
    assert len(art) == 6, "the art is in the record"


def test_a_one_shot_program_that_fails_loses_its_round_only(sandbox: Sandbox, tmp_path: Path) -> None:
    fails = write(tmp_path / "fails", run__sh='[ -n "$1" ] || exit 9\necho "{\\"move\\": \\"ROCK\\"}"\n')
    (record,) = play("rps", [fails, "random"], sandbox, tmp_path, rounds=4)
    kinds = [kind for kind, _ in faults([record])]
    assert set(kinds) == {FaultKind.CRASH}
    assert record.turns[0][0].fault is not None
    assert record.turns[0][0].fault.evidence["exit"] == 9
