"""Students' files, hosted in processes of their own and asked over plain pipes."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import Outcome, View
from botequim.core.player import LocalPlayer, Player, Reply
from botequim.core.rng import Rng
from botequim.core.turn import PlayedMove
from botequim.games.havana.host import HOST, STUDENT_FILE, basic_players
from botequim.games.havana.host.basic_players import DummyPlayer, GreedyPlayer
from botequim.games.havana.moves import Lay, Move, Pass
from botequim.games.havana.players import CoursePlayerAdapter, Greedy
from botequim.games.havana.rules import GAME
from botequim.games.havana.state import View as HavanaView
from botequim.records.record import Record
from tests.support.hosts import HostedPlayer
from tests.support.pace import PATIENCE
from tests.support.students import FIRST_FIT, STYLES, TWO_GREEDY, Files, submit, with_play
from tests.support.tables import play_game

Seats = Callable[..., HostedPlayer]


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seats]:
    """Seats what was submitted; what is still there at the end is ended."""
    seated: list[HostedPlayer] = []

    def sit(files: Files | str, element: int = 0) -> HostedPlayer:
        hosted = HostedPlayer(submit(tmp_path / f"submitted {len(seated)}", files), element)
        seated.append(hosted)
        hosted.greet()
        return hosted

    yield sit
    for hosted in seated:
        hosted.end()


def against_greedy(hosted: HostedPlayer, seed: str = "1", at: int = 0) -> list[PlayedMove]:
    """A game in which the others are greedy; the turns of the hosted player."""
    record = game_of({at: hosted}, seed)
    return [made for turn in record.turns for made in turn if made.by == at]


def game_of(hosted: Mapping[int, Player], seed: str, **options: object) -> Record:
    rest: Player = LocalPlayer(Greedy(Rng("rest")))
    return play_game(GAME, lambda seat: hosted.get(seat, rest), seed=seed, options=options)


def moves(turns: list[PlayedMove]) -> list[str]:
    return [GAME.write(made.move) for made in turns]


def faults(turns: list[PlayedMove]) -> set[tuple[FaultKind, str]]:
    return {(made.fault.kind, str(made.fault.reason)) for made in turns if made.fault is not None}


# --- loading -------------------------------------------------------------------------------------------


def test_a_pair_is_greeted_with_its_names_and_portraits(seat: Seats) -> None:
    first, second = seat(TWO_GREEDY, 0), seat(TWO_GREEDY, 1)
    assert first.about == {
        "pair": "Os Gananciosos",
        "name": "Ana",
        "ra": "123456",
        "image_path": "img/ana.png",
    }
    assert second.about["name"] == "Rui"
    assert second.about["image_path"] == "img/none.jpg"


def test_the_courses_greedy_chooses_the_tiles_that_ours_does_and_always_side_1(seat: Seats) -> None:
    class OnTheRight:
        """Our greedy player, but on side 1."""

        def choose(self, view: HavanaView) -> Move:
            move = Greedy(Rng("x")).choose(view)
            return Lay(1, move.tile) if isinstance(move, Lay) else Pass(1)

    seated = {at: seat(TWO_GREEDY, at // 2) for at in range(4)}
    here = {at: LocalPlayer(OnTheRight()) for at in range(4)}
    for number in range(5):
        hosted = game_of(dict(seated), str(number), first=str(number % 4))
        ours = game_of(dict(here), str(number), first=str(number % 4))
        assert list(hosted.lines()) == list(ours.lines())


def test_the_courses_dummy_lays_any_tile_that_fits(seat: Seats) -> None:
    dummy = seat(TWO_GREEDY.replace("GreedyPlayer", "DummyPlayer"))
    turns = against_greedy(dummy)
    assert not faults(turns)
    # it never passes with a tile that fits: the rules would let it
    player = DummyPlayer(1, "x")
    player.tiles = [(1, 2), (3, 4), (2, 3)]
    tried = {player.play((2, 9), []) for _ in range(200)}
    assert tried == {(1, (1, 2)), (1, (2, 3))}
    assert player.play((3, 4), [])[1] in [(3, 4), (2, 3)]
    assert player.play((8, 9), []) == (1, None)


def test_basic_players_are_as_the_document_has_them() -> None:
    player = GreedyPlayer(1, "Ana")
    assert (player.ra, player.name, player.image_path, player.image) == (1, "Ana", "img/none.jpg", None)
    assert player.position == player._position == 0
    assert str(player) == "Ana(1)"
    given = [(1, 8), (4, 5), (0, 1)]
    player.tiles = given
    given.clear()
    player.tiles.clear()
    assert player.tiles == player._tiles == [(1, 8), (4, 5), (0, 1)]
    assert player.play((), []) == (1, (1, 8))
    assert player.play((7, 5), []) == (1, (4, 5))
    assert player.play((4, 5), []) == (1, (4, 5))
    player.remove_tile((4, 5))
    player.remove_tile((4, 5))
    assert player.tiles == [(1, 8), (0, 1)]
    player.position = 3
    assert player._position == 3
    base = basic_players.Player(2, "Rui")
    assert base.play((), []) is None


WITH_SETTERS = """
from basic_players import Player


class Mine(Player):
    def __init__(self, ra, name):
        super().__init__(ra, name)
        self.partner = (self._position + 2) % 4

    @property
    def position(self):
        return self._position

    @position.setter
    def position(self, position):
        print("position", position)
        self._position = position
        self.partner = (position + 2) % 4

    @Player.tiles.setter
    def tiles(self, tiles):
        print("tiles", len(tiles))
        self._tiles = dict.fromkeys(tiles, 0)

    def remove_tile(self, tile):
        self._tiles.pop(tile, None)

    def play(self, board_extremes, play_hist):
        assert self.partner == (self.position + 2) % 4
        fit = [t for t in self.tiles if not board_extremes or set(t) & set(board_extremes)]
        return 0, (fit[0] if fit else None)


def create_pair():
    return Mine(1, "um"), Mine(2, "dois")
"""


def test_setters_of_the_students_own_are_called(seat: Seats) -> None:
    hosted = seat(WITH_SETTERS)
    for number in range(3):
        turns = against_greedy(hosted, str(number), at=2)
        assert not faults(turns)
        assert sum("pass" not in move for move in moves(turns)) >= 5
    called = [line for line in hosted.leave().splitlines() if line.startswith(("position", "tiles"))]
    assert called == ["position 2", "tiles 10", "tiles 10", "tiles 10"]


def test_a_property_without_a_setter_reads_what_the_base_class_keeps(seat: Seats) -> None:
    source = with_play(*FIRST_FIT).replace(
        "    def fitting",
        "    @property\n    def tiles(self):\n        return sorted(self._tiles)\n\n    def fitting",
    )
    turns = against_greedy(seat(source))
    assert not faults(turns)
    assert sum("pass" not in move for move in moves(turns)) >= 5


def test_an_entry_of_the_history_serves_as_a_list_and_as_a_tuple(seat: Seats) -> None:
    hosted = seat(
        with_play(
            *FIRST_FIT[:1],
            "if play_hist:",
            "    last = play_hist[-1]",
            "    p, ext, side, tile = last",
            "    assert [p, ext, side, tile] == last == [p, ext, side, tile]",
            "    assert (p, ext, side, tile) == last == (p, ext, side, tile)",
            "    assert not last != (p, ext, side, tile) and not last != [p, ext, side, tile]",
            "    assert last != (p, ext, side) and last != [p, ext, side] and last != 7",
            "    assert type(last + [7]) is list and last + [7] == [p, ext, side, tile, 7]",
            "    assert type([7] + last) is list and [7] + last == [7, p, ext, side, tile]",
            "    assert type(last + (7,)) is tuple and last + (7,) == (p, ext, side, tile, 7)",
            "    assert type((7,) + last) is tuple and (7,) + last == (7, p, ext, side, tile)",
            "    assert last + last == [p, ext, side, tile] * 2",
            "    assert last[:2] == (p, ext) and last[:2] == [p, ext] and last[3] == tile",
            "    assert hash(last) == hash((p, ext, side, tile)) and last in {(p, ext, side, tile)}",
            "    assert (p, ext, side, tile) in play_hist and [p, ext, side, tile] in play_hist",
            "    assert isinstance(last, list) and len({*play_hist}) == len(play_hist)",
            "    assert sum(play_hist, [])[-1] == tile",
            "    match last:",
            "        case (_, (), _, _): assert len(play_hist) == play_hist.index(last) + 1",
            "    last.append('spoilt')",
            "    last[0] = None",
            "    play_hist[0].clear()",
            "return (0, fit[0]) if fit else (0, None)",
        )
    )
    for seed in "12":
        assert not faults(against_greedy(hosted, seed))


@pytest.mark.parametrize(
    ("side", "kept"),
    [("0.0", 0), ("1.0", 1), ("Side.LEFT", 0), ("Side.RIGHT", 1), ("Num(0)", 0), ("Num(1)", 1)],
)
def test_a_side_that_equals_0_or_1_counts_as_that_int(side: str, kept: int, seat: Seats) -> None:
    before = """
from enum import IntEnum

class Side(IntEnum):
    LEFT, RIGHT = 0, 1

class Num:  # as numpy's numbers compare
    def __init__(self, value): self.value = value
    def __eq__(self, other): return Num(self.value == other)
    def __bool__(self): return bool(self.value)
"""
    turns = against_greedy(
        seat(with_play(*FIRST_FIT[:1], f"return {side}, (fit or [None])[0]", before=before))
    )
    assert not faults(turns)
    assert not any(made.warnings for made in turns)
    assert {move.split()[1] for move in moves(turns)} == {str(kept)}


def test_the_star_of_the_judge_brings_judge_and_random(seat: Seats) -> None:
    hosted = seat(
        "before = {*globals(), 'before'}\n"
        "from judge import *\n"
        "assert set(globals()) - before == {'Judge', 'random'}, set(globals()) - before\n"
        "assert random.randrange(1) == 0 and Judge()\n" + textwrap.dedent(TWO_GREEDY)
    )
    assert hosted.about["pair"] == "Os Gananciosos"


@pytest.mark.parametrize("style", STYLES)
def test_a_style_plays_two_games_without_a_fault(style: str, seat: Seats) -> None:
    seated = {0: seat(STYLES[style], 0), 2: seat(STYLES[style], 1)}
    for number in range(2):
        record = game_of(dict(seated), str(number))
        mine = [made for turn in record.turns for made in turn if made.by in seated]
        assert not faults(mine)
        assert sum("pass" not in move for move in moves(mine)) >= 5
    for hosted in seated.values():
        hosted.leave()
        assert hosted.process.returncode == 0


def test_what_a_player_prints_is_its_log(seat: Seats) -> None:
    hosted = seat(STYLES["prints everywhere"])
    against_greedy(hosted)
    log = hosted.leave()
    for text in ("importing ♥", "from a shell", "pair_name", "0\t36", "err", "your move?"):
        assert text in log


def test_the_portrait_is_found_beside_the_file(seat: Seats) -> None:
    hosted = seat(
        {
            STUDENT_FILE: TWO_GREEDY + "\n    assert open('img/ana.png', 'rb').read(4) == b'\\x89PNG'\n",
            "img/ana.png": b"\x89PNG",
        }
    )
    assert hosted.about["image_path"] == "img/ana.png"


# --- what cannot be loaded -----------------------------------------------------------------------------

BROKEN: Mapping[str, tuple[str, str]] = {
    "a missing module": (
        "import numpi\n",
        "ModuleNotFoundError: No module named 'numpi' (student_players.py:1, <module>)",
    ),
    "a missing part of a module that is there": (
        "import json.nothing\n",
        "ModuleNotFoundError: No module named 'json.nothing' (student_players.py:1, <module>)",
    ),
    "a name that is not there": (
        "from basic_players import Playr\n",
        "ImportError: cannot import name 'Playr' from 'basic_players'",
    ),
    "bad syntax": (
        "x = 1\ndef f(:\n",
        "SyntaxError: invalid syntax (student_players.py, line 2) (student_players.py:2)",
    ),
    "an exit": ("raise SystemExit(3)\n", "SystemExit: 3 (student_players.py:1, <module>)"),
    "no create_pair": ("x = 1\n", "has no attribute 'create_pair' (student_players.py)"),
    "one player": (
        "def create_pair():\n    return 7,\n",
        "TypeError: create_pair() must return two players, not (7,) (student_players.py)",
    ),
    "no players": (
        "def create_pair():\n    return 7, 8\n",
        "TypeError: create_pair() must return players with a play method, not 7 (student_players.py)",
    ),
    "an error in create_pair": (
        "def create_pair():\n    return 1 / 0\n",
        "ZeroDivisionError: division by zero (student_players.py:2, create_pair)",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_cannot_be_loaded_says_why(what: str, seat: Seats) -> None:
    source, why = BROKEN[what]
    with pytest.raises(PlayerFault) as caught:
        seat(source)
    assert caught.value.fault.kind == FaultKind.CRASH
    assert why in str(caught.value.fault.reason)


def test_a_missing_file_says_so(seat: Seats) -> None:
    with pytest.raises(PlayerFault, match="No module named 'student_players'"):
        seat({"readme.txt": ""})


def test_an_error_in_a_helper_module_is_told_where_it_is(seat: Seats) -> None:
    with pytest.raises(PlayerFault, match=r"KeyError: 7 \(deep/in_.py:2, look\)"):
        seat(
            {
                STUDENT_FILE: "from deep.in_ import look\nlook()\n",
                "deep/in_.py": "def look():\n    return {}[7]\n",
            }
        )


# --- in its turn ---------------------------------------------------------------------------------------

RAISED: Mapping[str, tuple[str, str]] = {
    "an exception": ("return {}[7]", "play raised KeyError: 7 (student_players.py:8, play)"),
    "an exit": ("raise SystemExit(3)", "play raised SystemExit: 3 (student_players.py:8, play)"),
    "exit()": ("import sys; sys.exit('no')", "play raised SystemExit: no (student_players.py:8, play)"),
    "an interrupt": (
        "raise KeyboardInterrupt",
        "play raised KeyboardInterrupt (student_players.py:8, play)",
    ),
    "endless recursion": (
        "return self.play(board_extremes, play_hist)",
        "play raised RecursionError: maximum recursion depth exceeded",
    ),
    "too much memory": ("return [0] * (1 << 60)", "play raised MemoryError (student_players.py:8, play)"),
    "an exception that cannot be shown": (
        "class E(Exception): __str__ = None\n        raise E",
        "play raised E (student_players.py:9, play)",
    ),
    "an exception that exits when shown": (
        "class E(Exception):\n            def __str__(self): raise SystemExit\n        raise E",
        "play raised E (student_players.py:10, play)",
    ),
}


@pytest.mark.parametrize("what", RAISED)
def test_what_is_raised_costs_the_turn_and_the_process_lives_on(what: str, seat: Seats) -> None:
    line, why = RAISED[what]
    hosted = seat(with_play(line))
    turns = against_greedy(hosted)
    ((kind, reason),) = faults(turns)
    assert kind == FaultKind.CRASH
    assert reason.startswith(why)
    assert set(moves(turns)) == {"lost 0"}
    assert against_greedy(hosted, "2")
    assert "Traceback" in hosted.leave()
    assert hosted.process.returncode == 0


@pytest.mark.parametrize(
    "answer", ["super().play(board_extremes, play_hist)", "7", "'ab'", "(0,)", "(0, 1, 2)", "{}", "lambda: 0"]
)
def test_a_wrong_shape_is_malformed(answer: str, seat: Seats) -> None:
    turns = against_greedy(seat(with_play(f"return {answer}")))
    assert faults(turns) == {(FaultKind.MALFORMED, "the answer is not (side, tile)")}
    assert set(moves(turns)) == {"lost 0"}


@pytest.mark.parametrize(
    ("tile", "reason"),
    [
        ("list(fit[0])", "is not a tile such as (3, 6), lower number first"),
        ("fit[0][::-1] if fit[0][0] != fit[0][1] else 'x'", "is not a tile such as (3, 6)"),
        ("'%d-%d' % fit[0]", "is not a tile such as (3, 6)"),
        ("next((0, n) for n in range(10) if (0, n) not in self.tiles)", "is not in the hand"),
        ("next((t for t in self.tiles if t not in fit), None)", "fits neither end"),
    ],
)
def test_what_is_no_tile_of_its_own_is_refused_with_what_it_gave(tile: str, reason: str, seat: Seats) -> None:
    lines = ("fit = self.fitting(board_extremes)", "if not fit: return 0, None", f"return 5, {tile}")
    hosted = seat(with_play(*lines))
    turns = [made for seed in "1234" for made in against_greedy(hosted, seed)]
    assert faults(turns)
    for kind, why in faults(turns):
        assert kind == FaultKind.ILLEGAL
        assert reason in why
    assert {GAME.write(made.move) for made in turns if made.fault} == {"lost 5"}


def test_numbers_that_are_only_equal_are_tiles_and_odd_sides_are_kept_as_1(seat: Seats) -> None:
    hosted = seat(
        with_play(
            "fit = self.fitting(board_extremes)",
            "return [object()], (Fraction(fit[0][0]), float(fit[0][1])) if fit else None",
            before="from fractions import Fraction",
        )
    )
    turns = against_greedy(hosted)
    assert not faults(turns)
    assert {move.split()[1] for move in moves(turns)} == {"1"}
    assert all("is not an int, None or a text" in str(made.warnings[0]) for made in turns)


def test_hosted_and_in_this_process_a_player_sees_and_does_the_same(
    seat: Seats, monkeypatch: pytest.MonkeyPatch
) -> None:
    # its answers depend on all that it is given, and on what it did before
    source = with_play(
        "self.said = getattr(self, 'said', 0) + 1",
        "self.said += hash((self.said, board_extremes, len(repr(play_hist)), tuple(sorted(self._tiles))))",
        "fit = self.fitting(board_extremes) or [None]",
        "sides = (0, 1, None, True, -7, 'x', 2.5, [1])",
        "tile = fit[self.said % len(fit)]",
        "if self.said % 11 == 0: tile = (9, 8)",
        "return sides[self.said % len(sides)], tile",
    )
    space: dict[str, Any] = {}
    monkeypatch.setitem(sys.modules, "basic_players", basic_players)
    exec(compile(source, "student_players.py", "exec"), space)  # the same file, here
    for at in range(4):
        hosted, here = seat(source, at // 2), CoursePlayerAdapter(space["create_pair"]()[at // 2])
        for number in range(3):
            there = list(game_of({at: hosted}, str(number)).lines())
            assert there == list(game_of({at: LocalPlayer(here)}, str(number)).lines())


def test_state_is_kept_between_games_and_the_position_is_known(seat: Seats) -> None:
    hosted = seat(
        with_play(
            "self.turns = getattr(self, 'turns', 0) + 1",
            "print('position', self.position, 'turn', self.turns, 'held', len(self.tiles))",
            *FIRST_FIT,
        )
    )
    count = sum(len(against_greedy(hosted, str(number), at=2)) for number in range(3))
    log = hosted.leave()
    assert f"position 2 turn {count} held" in log
    assert log.count("held 10") >= 3


def test_tiles_are_taken_by_the_players_own_remove_tile_to_the_last(seat: Seats) -> None:
    source = with_play(*FIRST_FIT).replace(
        "    def fitting",
        "    def remove_tile(self, tile):\n"
        "        super().remove_tile(tile)\n"
        "        print('laid', tile, 'left', len(self._tiles))\n\n"
        "    def fitting",
    )
    hosted = seat(source)
    turns = against_greedy(hosted)
    laid = [made.move.tile for made in turns if hasattr(made.move, "tile")]
    log = hosted.leave()
    assert [line for line in log.splitlines() if line.startswith("laid")] == [
        f"laid ({tile.low}, {tile.high}) left {9 - at}" for at, tile in enumerate(laid)
    ]


def test_a_fresh_instance_takes_over_in_the_middle_of_a_game(seat: Seats) -> None:
    class Replaced:
        """Puts a new instance in place of the old before every turn."""

        async def open(self, seat: int) -> None: ...

        async def choose(self, view: View) -> Reply:
            return await seat(TWO_GREEDY).choose(view)

        async def finish(self, view: View, outcome: Outcome) -> None: ...

        async def close(self) -> None: ...

    record = game_of({1: Replaced()}, "3")
    assert list(record.lines()) == list(game_of({1: seat(TWO_GREEDY)}, "3").lines())


def test_threads_left_running_do_not_keep_it(seat: Seats) -> None:
    hosted = seat(
        TWO_GREEDY
        + "\n    import threading, time\n    threading.Thread(target=time.sleep, args=(600,)).start()\n"
    )
    hosted.leave()
    assert hosted.process.returncode == 0


def test_without_an_element_or_folder_nothing_is_seated(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-I", str(HOST)], capture_output=True, timeout=PATIENCE, check=False
    )
    assert ran.returncode != 0
    assert ran.stdout == b""
