"""Moves of havana as text, records, players and telling."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from botequim import registry
from botequim.core.errors import FaultKind, MoveSyntaxError, PlayerFault
from botequim.core.options import resolve_options
from botequim.core.player import LocalPlayer, Reply
from botequim.core.rng import Rng
from botequim.engine.referee import Step, play
from botequim.games.dominoes.tiles import Deal, Tile
from botequim.games.havana.moves import PASS, First, Lay, LostTurn, Pass, move_from_answer
from botequim.games.havana.players import CoursePlayerAdapter, Dummy, Greedy
from botequim.games.havana.rules import GAME
from botequim.games.havana.state import View
from botequim.narration.narrator import Transcript
from botequim.records.reader import parse
from botequim.records.record import Record
from botequim.records.verify import verify_record
from tests.support.havana_tables import ASIDE, answer, deal_hands

# --- moves as text, and records --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (First(2), "first 2"),
        (Lay(0, Tile(3, 6)), "3-6 0"),
        (Lay(-1, Tile(3, 6)), "3-6 -1"),
        (Lay(None, Tile(3, 6)), "3-6 null"),
        (Lay(True, Tile(3, 6)), "3-6 true"),
        (Lay("a b\n\ud800", Tile(3, 6)), '3-6 "a b\\n\\ud800"'),
        (Lay("0", Tile(3, 6)), '3-6 "0"'),
        (Pass("pass 1"), 'pass "pass 1"'),
        (LostTurn(1), "lost 1"),
        (LostTurn(1, "[3, 6]"), 'lost 1, "[3, 6]"'),
    ],
)
def test_moves_are_written_on_a_line_with_the_side_as_given(move: Any, text: str) -> None:
    assert GAME.write(move) == text
    again: Any = GAME.read(text)
    assert repr(again) == repr(move)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pass",
        "pass 1.5",
        "pass [1]",
        'pass 1, "x"',
        'pass "123456789"',
        "pass 1 2",
        "pass NaN",
        "3-6",
        "3-6 left",
        "3-12 0",
        "first 4",
        "first",
        "deal 3-x",
        'lost 1, "x", "y"',
        "lost 1, 2",
        "pass " + "[" * 100_000,
        "pass " + "1" * 10_000,
        "forfeit",
    ],
)
def test_other_texts_are_no_moves(text: str) -> None:
    with pytest.raises(MoveSyntaxError):
        GAME.read(text)


def test_a_turned_tile_is_not_turned_back_when_read() -> None:
    state = deal_hands([(3, 6)])
    assert GAME.check(state, 0, GAME.read("3-6 1")) is None
    assert "6-3" in str(GAME.check(state, 0, GAME.read("6-3 1")))


class ScriptedPlayer:
    """Gives one answer after another, then passes."""

    def __init__(self, *answers: Callable[[View], object]) -> None:
        self.answers = list(answers)

    def choose(self, view: View) -> object:
        return self.answers.pop(0)(view) if self.answers else PASS


def as_student(side: object, tile: object) -> Callable[[View], object]:
    def give(view: View) -> object:
        move, warning = move_from_answer(side, tile, strict=view.strict)
        return Reply(move, (), () if warning is None else (warning,))

    return give


def raising(error: Exception) -> Callable[[View], object]:
    def fail(view: View) -> object:
        raise error

    return fail


def play_game(*strategies: Any, **options: str) -> Record:
    return asyncio.run(
        play(
            GAME,
            [LocalPlayer(strategy) for strategy in strategies],
            options=resolve_options("havana", GAME.options, options),
            seats=[{"name": name} for name in "abcd"],
            seed="a game",
        )
    )


def test_every_kind_of_lost_turn_is_recorded_and_replays() -> None:
    late = PlayerFault(FaultKind.TIMEOUT)
    record = play_game(
        ScriptedPlayer(as_student("x", (1, 0)), lambda view: Lay("y", Tile(9, 3))),
        ScriptedPlayer(as_student([7], [0, 1]), raising(ValueError("oh"))),
        ScriptedPlayer(as_student(5, "garbage"), lambda view: (0, (1, 2))),
        ScriptedPlayer(lambda view: view.legal[0], raising(late)),
        first="0",
    )
    told = [(GAME.write(made.move), made.fault and made.fault.kind) for (made,) in record.turns[2:]]
    assert told[:3] == [
        ('lost "x"', FaultKind.ILLEGAL),
        ("lost 1", FaultKind.ILLEGAL),
        ("lost 5", FaultKind.ILLEGAL),
    ]
    assert told[3][1] is None
    assert told[4:] == [
        ('lost "y"', FaultKind.ILLEGAL),
        ("lost 0", FaultKind.CRASH),
        ("lost 0", FaultKind.MALFORMED),
        ("lost 0", FaultKind.TIMEOUT),
    ]
    ((warned,),) = [turn for turn in record.turns if turn[0].warnings]
    assert warned.by == 1
    (found,) = parse([line.encode() for line in record.lines()], "record")
    assert not verify_record(found).mismatches


def test_a_record_in_which_a_lost_turn_lies_about_its_side_departs() -> None:
    record = play_game(ScriptedPlayer(as_student("x", (1, 0))), *[ScriptedPlayer()] * 3, first="0")
    lines = [json.loads(line) for line in record.lines()]
    for line in lines:
        del line["digest"]
    lines[3]["moves"][0]["move"] = "lost 0"
    (found,) = parse([json.dumps(line).encode() for line in lines], "record")
    assert verify_record(found).mismatches


# --- players and telling ---------------------------------------------------------------------------


def test_players_and_teller_are_registered() -> None:
    assert registry.game("havana") is GAME
    assert isinstance(registry.player("havana", "dummy")(Rng("1")), Dummy)
    assert isinstance(registry.player("havana", "greedy")(Rng("1")), Greedy)
    assert registry.narration("havana") is not None


def both_ends_open() -> View:
    """Ends 7 and 4; 4-7 fits both, three tiles one of them, the others none."""
    start = deal_hands([(4, 9)], [(7, 9)], [(0, 7), (4, 7), (4, 4), (3, 4), (1, 1), *ASIDE[:5]])
    return GAME.view(answer(start, (0, (4, 9)), (0, (7, 9))), 2)


def test_dummy_lays_each_tile_that_fits_equally_often() -> None:
    view, dummy = both_ends_open(), Dummy(Rng("dummy"))
    chosen = Counter(dummy.choose(view) for _ in range(4000))
    assert set(chosen) == {
        Lay(0, Tile(0, 7)),
        Lay(0, Tile(4, 7)),
        Lay(1, Tile(4, 4)),
        Lay(1, Tile(3, 4)),
    }
    assert all(880 < times < 1120 for times in chosen.values())


def test_greedy_lays_the_highest_sum_first_in_hand_order_on_the_left() -> None:
    assert Greedy(Rng("")).choose(both_ends_open()) == Lay(0, Tile(4, 7))
    state = deal_hands([(4, 5), (0, 9), (3, 6), (0, 0)] + [(0, number) for number in range(1, 7)])
    assert Greedy(Rng("")).choose(GAME.view(state, 0)) == Lay(0, Tile(4, 5))
    zeros = deal_hands([(8, 8)], [(0, 0), *[(1, number) for number in range(1, 8)], (2, 2), (2, 3)])
    assert Greedy(Rng("")).choose(GAME.view(answer(zeros, (0, (8, 8))), 1)) == PASS
    assert Dummy(Rng("")).choose(GAME.view(answer(zeros, (0, (8, 8))), 1)) == PASS


def test_greedy_beats_dummy() -> None:
    rng = Rng("cup")
    won = Counter[int]()
    for number in range(60):
        record = asyncio.run(
            play(
                GAME,
                [LocalPlayer(Greedy(rng) if seat % 2 == 0 else Dummy(rng)) for seat in range(4)],
                options=resolve_options("havana", GAME.options, {}),
                seats=[{"name": "x"}] * 4,
                seed=f"game {number}",
            )
        )
        won[record.outcome.places.index(1)] += 1
    assert won[0] > won[1]


def test_a_game_is_told_in_words() -> None:
    answers: list[tuple[object, object]] = [
        (0, (4, 9)),
        (1, (7, 9)),
        (1, (4, 7)),
        (0, (0, 7)),
        (0, None),
        (0, 3),
    ]
    start = deal_hands([(4, 9)], [(7, 9)], [(4, 7)], [(0, 7)])
    hands = Deal(start.hands)
    seats = [
        ScriptedPlayer(*[as_student(*given) for given in answers[seat::4]], *[as_student(0, None)] * 9)
        for seat in range(4)
    ]
    transcript = Transcript(GAME, GAME.teams({}), [{"name": name} for name in "abcd"])
    told: list[str] = []
    record = asyncio.run(
        play(
            GAME,
            [LocalPlayer(seat) for seat in seats],
            options=resolve_options("havana", GAME.options, {}),
            seats=[{"name": name} for name in "abcd"],
            seed=None,
            chance=lambda state: hands if GAME.view(state, None).events else First(0),
            emit=lambda step: told.extend(transcript.turn(step)),
        )
    )
    told += transcript.ending(record.outcome)
    text = "\n".join(told)
    for sentence in (
        "1 a starts.",
        "The tiles are dealt; 15 stay unseen.",
        "1: 4-9 ",
        "1 a opens with 4-9.",
        "9-4\n",
        "2 b lays 7-9 on the left: it does not fit the right.",
        "3 c lays 4-7 on the right.",
        "4 d lays 0-7 on the left.",
        "0-7 7-9 9-4 4-7",
        "1 a passes, although",
        "3 is not a tile",
        "2 b loses the turn.",
        "Closed: four turns were lost in a row.",
        "Pips left: 1 a: ",
    ):
        assert sentence in text


def test_a_pass_before_the_first_tile_is_told_as_one_of_choice() -> None:
    told: list[str] = []
    transcript = Transcript(GAME, GAME.teams({}), [{"name": name} for name in "abcd"])
    for number, turn in enumerate(play_game(*[ScriptedPlayer()] * 4, first="0").turns[2:], start=1):
        told += transcript.turn(Step(number, deal_hands(), turn, deal_hands()))
    assert any("1 a passes, although" in line for line in told)


class Answers:
    """A player of the course that always gives the same."""

    def __init__(self, answer: object) -> None:
        self._tiles: list[tuple[int, int]] = []
        self._answer = answer

    def play(self, board_extremes: tuple[int, ...], play_hist: list[Any]) -> Any:
        return self._answer


@pytest.mark.parametrize("answer", ["ab", {1: 2, 3: 4}, {1, 2}, (0, None, 1), None, 7])
def test_an_answer_of_a_wrong_shape_is_a_fault_with_side_0(answer: object) -> None:
    record = play_game(*[CoursePlayerAdapter(Answers(answer))] * 4, first="0")
    (made,) = record.turns[2]
    assert made.move == LostTurn(0)
    assert made.fault is not None
    assert made.fault.kind is FaultKind.MALFORMED


def test_a_tile_that_cannot_even_be_shown_keeps_its_side() -> None:
    record = play_game(*[CoursePlayerAdapter(Answers((7, 10**5000)))] * 4, first="0")
    assert record.turns[2][0].move == LostTurn(7)
