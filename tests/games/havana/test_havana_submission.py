"""havana's submission: one plain file."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from botequim import registry
from botequim.core.game import CHANCE
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.games.havana.host import basic_players
from botequim.games.havana.moves import Lay
from botequim.games.havana.rules import GAME
from botequim.games.havana.search.data import havana_policy
from botequim.games.havana.search.policy import Policy
from botequim.games.havana.search.position import table_of
from botequim.games.havana.submission.files import files


def test_it_needs_nothing_but_what_the_course_gives() -> None:
    source = files()["student_players.py"]
    imports = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert {line.split()[1].split(".")[0] for line in imports} <= {
        "__future__", "basic_players", "collections", "typing",
    }  # fmt: skip


def test_it_makes_the_moves_of_the_compiled_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    student = load_submission(monkeypatch)
    policy = Policy(havana_policy())
    for number in range(5):
        players = student.create_pair()
        rng = Rng(f"export/{number}")
        state = GAME.start(resolve_options("havana", GAME.options, {}))
        others = registry.player("havana", "dummy")(rng)
        while to_move := GAME.to_move(state):
            (seat,) = to_move
            if seat == CHANCE:
                state = GAME.apply(state, {CHANCE: GAME.chance(state, rng)})
                continue
            view = GAME.view(state, seat)
            player = players[seat // 2]
            player.position = seat
            player._tiles = [tuple(tile) for tile in view.hand]
            side, tile = player.play(view.board_extremes, view.play_hist)
            wanted = int(policy.choose(table_of(seat, view.hand, view.play_hist)))
            assert (side, tile) == ((wanted & 1, TILES[wanted >> 1]) if wanted < 110 else (0, None))
            move = (
                others.choose(view)
                if seat % 2
                else next(m for m in view.legal if side_and_tile(m) == (side, tile))
            )
            state = GAME.apply(state, {seat: move})


TILES = [(low, high) for low in range(10) for high in range(low, 10)]


def side_and_tile(move: Any) -> tuple[object, object]:
    return (move.side, tuple(move.tile)) if isinstance(move, Lay) else (0, None)


def load_submission(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The submission as a module of this process."""
    monkeypatch.setitem(sys.modules, "basic_players", basic_players)
    module = ModuleType("student_players")
    monkeypatch.setitem(sys.modules, "student_players", module)
    exec(compile(files()["student_players.py"], "student_players.py", "exec"), module.__dict__)
    return module
