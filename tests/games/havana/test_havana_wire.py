"""havana's lines between the referee and the host of a student's file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import IntEnum
from fractions import Fraction
from typing import Any

import pytest

from botequim import registry
from botequim.core.errors import Fault, FaultKind, PlayerFault
from botequim.core.game import Outcome
from botequim.core.messages import msg
from botequim.core.player import LocalPlayer
from botequim.core.turn import Reply
from botequim.core.wire import Desynchronised, Restart, TransportKind
from botequim.games.havana.host import host
from botequim.games.havana.players import CoursePlayerAdapter
from botequim.games.havana.rules import GAME
from botequim.games.havana.state import State, View
from botequim.games.havana.wire import WIRE, Havana, greeting
from tests.support.wire_tables import context, views

CODEC = Havana()
END = Outcome("closed", (1, 2))
TABLE = context(GAME)
DEAL = (
    "deal 0-0 0-1 0-2 0-3 0-4 0-5 0-6 0-7 0-8 0-9 | 1-1 1-2 1-3 1-4 1-5 1-6 1-7 1-8 1-9 2-7 | "
    "2-2 2-3 2-4 2-5 2-6 2-8 2-9 3-3 3-4 3-7 | 4-4 4-5 4-6 4-7 4-8 4-9 5-5 5-6 5-7 5-8"
)


def play_moves(*moves: str, **options: object) -> State:
    """A game after these moves; `fault` is one."""
    state = GAME.start(context(GAME, **options).options)
    for text in ("first 1", DEAL, *moves):
        (by,) = GAME.to_move(state)
        at_fault = Fault(FaultKind.TIMEOUT, msg("late"))
        move = GAME.on_fault(state, by, at_fault) if text == "fault" else GAME.read(text)
        assert text == "fault" or GAME.check(state, by, move) is None
        state = GAME.apply(state, {by: move})
    return state


def encode(state: State, seen: int) -> tuple[bytes, int]:
    question = CODEC.encode_question(GAME.view(state, GAME.to_move(state)[0]), seen, TABLE)
    return question.body, question.seen


# --- what the host is told -----------------------------------------------------------------------------


def test_a_game_from_one_seat() -> None:
    state = play_moves()
    assert encode(state, 0) == (b"N1--11121314151617181927\n", 2)
    state = play_moves("2-7 1", "3-7 null", "fault", 'pass "a\\tb"')
    # ends of the first tile are turned, sides are as given, a fault's is 0
    assert encode(state, 2) == (b'T32\t1--271\t27237null\t332--0\t032--"a\\tb"\n', 6)
    state = play_moves("2-7 1", "3-7 null", "fault", "pass true", "1-2 9", "3-4 -5", "4-4 0", "0-4 0")
    assert encode(state, 6) == (b"T01\t132129\t23134-5\t341440\t041040\n", 10)


def test_a_fresh_instance_is_told_all_and_given_the_hand_that_is_left() -> None:
    state = play_moves("2-7 1", "3-7 null", "fault", "pass 0", "1-2 1")
    view = GAME.view(state, 1)
    told = CODEC.encode_question(view, 0, TABLE)
    hand = b"".join(f"{tile.low}{tile.high}".encode() for tile in view.hand)
    assert told.body.startswith(b"N1" + b"%d%d" % view.board_extremes + hand + b"\t1--271\t")
    assert told.body.count(b"\t") == 5
    assert told.seen == 7


def test_the_end_tells_the_rest_to_who_was_asked() -> None:
    state = play_moves("2-7 1", "pass 0", "pass 0", "pass 0", "pass 0")
    assert GAME.to_move(state) == ()
    assert CODEC.end(GAME.view(state, 1), 2, TABLE, END) == b"E\t1--271\t272--0\t372--0\t072--0\t172--0\n"
    assert CODEC.end(GAME.view(state, 1), 6, TABLE, END) == b"E\t172--0\n"
    assert CODEC.end(GAME.view(state, 1), 0, TABLE, END) == b""


@pytest.mark.parametrize("seed", [str(number) for number in range(10)])
def test_the_hosts_plays_are_the_history(seed: str) -> None:
    plays = host.Plays()
    heard: dict[int, list[Any]] = {}
    seen: dict[int, int] = {}
    asked_before: set[int] = set()
    for seat, view in views(GAME, seed):
        question = CODEC.encode_question(view, seen.get(seat, 0), TABLE)
        seen[seat] = question.seen
        head, *rest = question.body.decode().removesuffix("\n").split("\t")
        heard.setdefault(seat, []).extend(plays[text] for text in rest)
        assert heard[seat] == view.play_hist
        assert head[0] == ("T" if seat in asked_before else "N")
        asked_before.add(seat)
        assert question.seen == len(view.events)


@pytest.mark.parametrize("side", ["true", "false", "null", "7", '"x"', '"\\u2665\\n\\t\\""', str(2**1023)])
def test_any_side_that_is_kept_comes_through(side: str) -> None:
    state = play_moves(f"2-7 {side}")
    text = encode(state, 0)[0].decode().removesuffix("\n").split("\t")[1]
    got = host.Plays()[text]
    assert got == state.plays[0]
    assert type(got[2]) is type(state.plays[0][2])


# --- what it answers -----------------------------------------------------------------------------------


class Odd(int):
    def __repr__(self) -> str:
        return "odd"


class Unshowable:
    def __repr__(self) -> str:
        raise ValueError("no")


class Level(IntEnum):
    ONE = 1


class Pair(tuple[int, int]):
    pass


class Word(str):
    pass


SIDES: Sequence[Any] = [
    *(0, 1, -1, 2, True, False, None, "", "left", "12345678", "123456789", "é♥\n\t\"'", "\ud800"),
    *(2**1023, 2**1024, -(2**1024), 10**5000, 0.0, 1.5, float("nan"), [], [0], (0,), {}, b"0", object),
    *(Odd(0), Level.ONE, Word("x"), Unshowable(), Fraction(1)),
]
TILES: Sequence[Any] = [
    *(None, (2, 7), (7, 2), [2, 7], "2-7", "27", 27, (2, 7, 0), (2,), (), (2.0, 7.0), (Odd(2), Odd(7))),
    *((True, 9), (0, 0), (9, 9), (10, 10), (-1, 2), ([2], 7), ({}, {}), Pair((2, 7)), {2, 7}, 0, False, ""),
    *("x" * 100, Unshowable(), object, (None, None), ("2", "7"), float("nan")),
]
ANSWERS: Sequence[Any] = [
    *[(side, (2, 7)) for side in SIDES],
    *[(side, None) for side in SIDES],
    *[(0, tile) for tile in TILES],
    *[("odd", tile) for tile in TILES],
    *([0, (2, 7)], [0, [2, 7]], [1, None], Pair((0, 1))),
    *(None, 0, "ab", "0", b"ab", (), (0,), (0, (2, 7), 1), {0: 1, 1: 2}, {0, 1}, (2, 7), [2, 7]),
    *(Unshowable(), object(), 10**5000, "♥" * 100, range(2), iter(())),
]


class Answers:
    """A player that always gives the same."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self._tiles: list[tuple[int, int]] = []

    def play(self, board_extremes: object, play_hist: object) -> Any:
        return self.answer


def came_to(said: Reply | PlayerFault) -> object:
    if isinstance(said, PlayerFault):
        return said.fault.kind, str(said.fault.reason), dict(said.fault.evidence)
    move = said.move
    return type(move), GAME.write(move), type(move.side), [str(warning) for warning in said.warnings]


@pytest.mark.parametrize("strict", ["no", "yes"])
@pytest.mark.parametrize("number", range(len(ANSWERS)))
def test_every_odd_answer_means_the_same_as_in_this_process(number: int, strict: str) -> None:
    answer = ANSWERS[number]
    view = GAME.view(play_moves(strict=strict), 1)
    line = host.answer_line(answer)
    assert line.isascii()
    assert "\n" not in line
    wired: Reply | PlayerFault
    here: Reply | PlayerFault
    try:
        wired = CODEC.decode_answer([line.encode()], view, TABLE)
    except PlayerFault as fault:
        wired = fault
    try:
        here = asyncio.run(LocalPlayer(CoursePlayerAdapter(Answers(answer))).choose(view))
    except PlayerFault as fault:
        here = fault
    assert came_to(wired) == came_to(here)


VIEW: View = GAME.view(play_moves(), 1)


def read(line: bytes) -> Reply:
    return CODEC.decode_answer([line], VIEW, TABLE)


@pytest.mark.parametrize(
    ("line", "text", "warnings"),
    [
        (b"0\t27", "2-7 0", 0),
        (b"1\t27", "2-7 1", 0),
        (b"1\t", "pass 1", 0),
        (b'"x"\t27', '2-7 "x"', 0),
        (b"null\t27", "2-7 null", 0),
        (b'*"<object>"\t27', "2-7 1", 1),
        (b'0\t?"[2, 7]"', 'lost 0, "[2, 7]"', 0),
    ],
)
def test_answers(line: bytes, text: str, warnings: int) -> None:
    reply = read(line)
    assert GAME.write(reply.move) == text
    assert len(reply.warnings) == warnings


def test_what_was_raised_is_told_with_its_place() -> None:
    with pytest.raises(PlayerFault) as caught:
        read(b'crash {"error": "KeyError: 7", "at": "student_players.py:40, play"}')
    fault = caught.value.fault
    assert fault.kind == FaultKind.CRASH
    assert str(fault.reason) == "play raised KeyError: 7 (student_players.py:40, play)"
    assert fault.evidence == {"error": "KeyError: 7", "at": "student_players.py:40, play"}


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"27", b"0\t72", b"0\t2", b"0\t?", b"0\t?7", b"*\t27", b"*7\t27", b"x\t27", b"\t27"),
        *(b"0\t27\t1", b"\xff\t27", b"0\t\xff\xff", b"crash", b"crash 7", b"crash [", b"malformed 7"),
        b"[" * 100_000 + b"\t27",
        *(b"9" * 10_000 + b"\t27", b'0\t?"' + b"x" * 100, b"ready {}"),
    ],
)
def test_what_the_host_never_writes_costs_the_instance(line: bytes) -> None:
    with pytest.raises(Desynchronised) as caught:
        read(line)
    assert caught.value.fault.kind == FaultKind.MALFORMED


@pytest.mark.parametrize("line", [b"[0]\t27", b"1e3\t27", b'{"a": 1}\t27', b'"123456789"\t27', b"NaN\t27"])
def test_a_side_that_cannot_be_kept_is_never_kept_whoever_wrote_it(line: bytes) -> None:
    reply = read(line)
    assert GAME.write(reply.move) == "2-7 1"
    assert len(reply.warnings) == 1


def test_huge_reports_are_cut() -> None:
    with pytest.raises(PlayerFault) as caught:
        read(b'crash {"error": "' + b"x" * 10_000 + b'", "at": 7}')
    assert len(str(caught.value.fault.reason)) < 600
    assert caught.value.fault.evidence["at"] == "?"


def test_the_greeting() -> None:
    said = b'ready {"pair": "Os Tais", "name": "Ana", "ra": "1", "image_path": "img/a.png", "x": 7}'
    assert greeting(said) == {"pair": "Os Tais", "name": "Ana", "ra": "1", "image_path": "img/a.png"}
    with pytest.raises(
        PlayerFault, match=r"cannot be loaded: NameError: x \(student_players.py:3\)"
    ) as caught:
        greeting(b'failed {"error": "NameError: x", "at": "student_players.py:3"}')
    assert caught.value.fault.kind == FaultKind.CRASH
    for line in (b"", b"ready", b"ready 7", b"hello", b"failed", b"\xff"):
        with pytest.raises(PlayerFault, match="did not start correctly"):
            greeting(line)


def test_lines_before_the_question() -> None:
    assert CODEC.decode_unsolicited([b"ready {}"], VIEW) == ((), [])
    remarks, warnings = CODEC.decode_unsolicited([b"0\t27"], VIEW)
    assert remarks == ()
    assert len(warnings) == 1


def test_the_wire() -> None:
    assert registry.wire("havana", "havana") is WIRE
    assert (WIRE.transport, WIRE.restart) == (TransportKind.LINES, Restart.SERIES)
    assert (WIRE.limits.move, WIRE.limits.timeouts, WIRE.limits.thinking) == (1, 5, 300)
    assert WIRE.greeting is greeting
