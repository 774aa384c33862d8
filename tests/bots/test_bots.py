"""Real bots at the table, isolated: written the way each competition's document describes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from botequim.core.errors import FaultKind
from botequim.core.process import Sandbox
from tests.support.isolated_games import EXAMPLES, PYTHON_SERVER, TALKATIVE, faults, moves_of, play, write
from tests.support.isolated_games import sandbox as sandbox

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
    (game, transport)
    for game in GAMES
    for transport in ("http", "once")
    if (game, transport) not in OVER_ARENA
]


@pytest.mark.parametrize(
    ("game", "transport"),
    [*OVER_ARENA, *(pytest.param(*case, marks=pytest.mark.slow) for case in OVER_ARENA_TOO)],
)
def test_every_game_over_arena_on_every_transport(
    game: str, transport: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    options: dict[str, Any] = {"rps": {"rounds": 3}, "fives": {"target": 5}}.get(game, {})
    (record,) = play(game, [EXAMPLES / f"arena-{transport}", "random"], sandbox, tmp_path, **options)
    assert faults([record]) == []
    assert moves_of(record, 0)


# --- cubos: servers --------------------------------------------------------------------------------


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
            first = moves_of(record, seat)[0]
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


def test_a_script_that_talks(sandbox: Sandbox, tmp_path: Path) -> None:
    bot = write(tmp_path / "talkative", bot=TALKATIVE)
    records = play("uno", [bot, "greedy", bot], sandbox, tmp_path, games=2)
    assert faults(records) == []
    said = [remark.value for move in moves_of(records[0], 0) for remark in move.remarks]
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
    art = [remark for move in moves_of(record, 0) for remark in move.remarks if remark.kind == "art"]
    assert len(art) == 6, "the art is in the record"


def test_a_one_shot_program_that_fails_loses_its_round_only(sandbox: Sandbox, tmp_path: Path) -> None:
    fails = write(tmp_path / "fails", run__sh='[ -n "$1" ] || exit 9\necho "{\\"move\\": \\"ROCK\\"}"\n')
    (record,) = play("rps", [fails, "random"], sandbox, tmp_path, rounds=4)
    kinds = [kind for kind, _ in faults([record])]
    assert set(kinds) == {FaultKind.CRASH}
    assert record.turns[0][0].fault is not None
    assert record.turns[0][0].fault.evidence["exit"] == 9
