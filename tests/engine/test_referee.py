"""The match loop: who is asked when, what a fault becomes, what is written down."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from highcard.rules import GAME as HIGHCARD

from botequim.core.errors import BotequimError, FaultKind, PlayerFault
from botequim.core.game import CHANCE, Remark
from botequim.core.messages import msg
from botequim.core.player import LocalPlayer, Player, Reply
from botequim.core.rng import Rng
from botequim.core.turn import PlayedMove
from botequim.engine.random_player import Random
from botequim.engine.referee import Step
from botequim.games.cubos.rules import GAME as CUBOS
from botequim.games.cubos.rules import Lay, Side
from botequim.games.dominoes.tiles import Tile
from botequim.games.rps.rules import GAME as RPS
from botequim.games.rps.rules import Hand
from botequim.records.record import turn_json
from botequim.records.verify import referee_again, verify_record
from tests.support.tables import built_in, found, play_game


class Answers:
    """A strategy that gives the same answer each time; an exception is raised."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def choose(self, view: Any) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class Watcher:
    """A player that notes what it is told, and chooses by a strategy."""

    def __init__(self, strategy: Any) -> None:
        self.strategy = strategy
        self.asked: list[Any] = []
        self.finished: list[Any] = []

    async def open(self, seat: int) -> None: ...

    async def choose(self, view: Any) -> Reply:
        self.asked.append(view)
        return Reply(self.strategy.choose(view))

    async def finish(self, view: Any, outcome: Any) -> None:
        self.finished.append(view)

    async def close(self) -> None: ...


def answers(*given: Any) -> Any:
    return lambda seat: LocalPlayer(Answers(given[seat % len(given)]))


def nth_move(record: Any, number: int = 0) -> PlayedMove:
    """The n-th move made by a player."""
    moves: list[PlayedMove] = [made for turn in record.turns for made in turn if made.by != CHANCE]
    return moves[number]


def test_each_seat_is_asked_with_its_own_view_and_told_the_end() -> None:
    players = [Watcher(Random(Rng(str(seat)))) for seat in range(4)]
    record = play_game(CUBOS, lambda seat: players[seat])
    for seat, player in enumerate(players):
        assert {view.seat for view in player.asked} == {seat}
        assert all(view.legal for view in player.asked)
        assert [view.seat for view in player.finished] == [seat]
        assert len(player.finished[0].events) == len(record.turns)


def test_players_of_a_simultaneous_game_are_asked_at_the_same_time() -> None:
    async def meet() -> None:
        both.append(1)
        if len(both) == 2:
            met.set()
        await met.wait()

    both: list[int] = []
    met = asyncio.Event()

    class Waits(Watcher):
        async def choose(self, view: Any) -> Reply:
            await meet()  # would wait for ever if the other were asked only afterwards
            return Reply(Hand.ROCK)

    record = play_game(RPS, lambda seat: Waits(None), options={"rounds": 1})
    assert len(record.turns[0]) == 2


def test_a_table_of_ten() -> None:
    record = play_game(HIGHCARD, lambda seat: LocalPlayer(Random(Rng(str(seat)))), options={"players": 10})
    assert [len(turn) for turn in record.turns] == [1, 10, 10, 10]
    assert len(record.outcome.places) == 10


def test_time_used_is_written_in_microseconds_for_each_move() -> None:
    ticks = iter(range(0, 10**9, 1_500_000))
    record = play_game(CUBOS, built_in(CUBOS, ["random"]), clock=lambda: next(ticks))
    assert {move.micros for turn in record.turns for move in turn} == {None, 1500}
    assert record.turns[0][0].micros is None, "chance takes no time"


@pytest.mark.parametrize("kind", list(FaultKind))
def test_a_players_fault_becomes_a_move_of_the_game_with_its_evidence(kind: FaultKind) -> None:
    record = play_game(CUBOS, answers(PlayerFault(kind, stderr="boom")))
    fault = nth_move(record).fault
    assert fault is not None
    assert (fault.kind, fault.evidence) == (kind, {"stderr": "boom"})
    assert record.outcome.how == "forfeit"


def test_what_a_strategy_raises_is_its_own_crash() -> None:
    record = play_game(CUBOS, answers(ZeroDivisionError("oh")))
    fault = nth_move(record).fault
    assert fault is not None
    assert fault.kind is FaultKind.CRASH
    assert fault.evidence == {"error": "ZeroDivisionError: oh", "at": "test_referee.py, choose"}


def test_an_illegal_move_is_a_fault_with_the_answer_and_the_reason() -> None:
    record = play_game(CUBOS, answers(Lay(Tile(6, 6), Side.LEFT)))
    fault = nth_move(record).fault
    assert fault is not None
    assert fault.kind is FaultKind.ILLEGAL
    assert fault.move == Lay(Tile(6, 6), Side.LEFT)
    assert str(fault.reason) == "6-6 is not in the hand"


@pytest.mark.parametrize("answer", [None, 7, "rock", object(), ["rock"]])
def test_what_is_no_move_at_all_is_malformed(answer: object) -> None:
    record = play_game(RPS, answers(answer, Hand.ROCK), options={"rounds": 1})
    fault = nth_move(record).fault
    assert fault is not None
    assert fault.kind is FaultKind.MALFORMED
    assert record.outcome.places == (2, 1)


def test_both_may_be_at_fault_and_the_game_goes_on() -> None:
    record = play_game(RPS, answers(None, PlayerFault(FaultKind.TIMEOUT)), options={"rounds": 3})
    assert len(record.turns) == 3
    assert all(move.fault for turn in record.turns for move in turn)
    assert record.outcome.places == (1, 1)


def test_our_own_failure_is_never_the_players() -> None:
    with pytest.raises(BotequimError, match="disk full"):
        play_game(CUBOS, answers(BotequimError(msg("disk full"))))
    with pytest.raises(BotequimError, match="disk full"):
        play_game(RPS, answers(Hand.ROCK, BotequimError(msg("disk full"))))


def test_a_bug_in_a_transport_is_not_charged_to_the_bot() -> None:
    class Broken(Watcher):
        async def choose(self, view: Any) -> Reply:
            raise KeyError("a bug of ours")

    def make(seat: int) -> Player:
        return Broken(None)

    with pytest.raises(KeyError):
        play_game(CUBOS, make)
    with pytest.raises(KeyError):
        play_game(RPS, make)


def test_remarks_are_carried_and_those_over_the_limits_leave_a_warning() -> None:
    reply = Reply(Hand.ROCK, [Remark("art", ["*"]), Remark("art", ["*" * 61]), Remark("say", "oi")])
    record = play_game(RPS, answers(reply, Hand.PAPER), options={"rounds": 1})
    first = nth_move(record)
    assert first.move is Hand.ROCK
    assert first.fault is None
    assert list(first.remarks) == [Remark("art", ["*"]), Remark("say", "oi")]
    assert [str(warning) for warning in first.warnings] == [
        "art dropped: line 1 of the art has 61 characters; at most 60"
    ]
    written = turn_json(RPS, 1, [first])["moves"][0]
    assert written["remarks"] == [{"art": ["*"]}, {"say": "oi"}]


def test_remarks_stay_with_an_illegal_move() -> None:
    reply = Reply(Lay(Tile(6, 6), Side.LEFT), [Remark("say", "ha!")])
    first = nth_move(play_game(CUBOS, answers(reply)))
    assert first.fault is not None
    assert list(first.remarks) == [Remark("say", "ha!")]


def test_what_was_said_before_a_crash_is_kept() -> None:
    failure = PlayerFault(FaultKind.CRASH)
    failure.remarks = [Remark("say", "goodbye"), Remark("say", 7)]
    first = nth_move(play_game(CUBOS, answers(failure)))
    assert first.fault is not None
    assert list(first.remarks) == [Remark("say", "goodbye")]
    assert len(first.warnings) == 1


def test_every_turn_is_emitted_as_it_is_made() -> None:
    steps: list[Step] = []
    record = play_game(CUBOS, built_in(CUBOS, ["random"]), emit=steps.append)
    assert [step.turn for step in steps] == list(record.turns)
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert all(earlier.after is later.before for earlier, later in pairwise(steps))


class Lenient:
    """Something that looks like a bot's idea of a move."""

    def __repr__(self) -> str:
        raise RuntimeError("not even this works")


@pytest.mark.parametrize(
    "answer",
    [
        Lenient(),
        SystemExit(5),
        Reply(Hand.ROCK, ["hello"]),  # type: ignore[list-item]
        Lay(Tile(6, 5), Side.LEFT),
        Lay(Tile(5, 6), Side.LEFT),
    ],
)
@pytest.mark.parametrize("game", [CUBOS, RPS], ids=lambda game: game.name)
def test_whatever_a_player_answers_the_record_verifies(game: Any, answer: Any) -> None:
    record = play_game(game, answers(answer))
    assert verify_record(found(record)).ok


def test_evidence_of_any_kind_can_be_written() -> None:
    failure = PlayerFault(
        FaultKind.CRASH,
        msg('expected {"move": ...}'),
        raw=b"\xff\x00",
        ratio=float("nan"),
        thing=object,
        deep=[{"a": (1, 2.5)}],
    )
    record = play_game(CUBOS, answers(failure))
    assert verify_record(found(record)).ok
    fault = referee_again(found(record)).turns[-1][0].fault
    assert fault is not None
    assert fault.evidence["raw"] == "\\xff\x00"
    assert fault.evidence["ratio"] == "nan"
    assert str(fault.reason) == 'expected {"move": ...}'


def test_a_player_that_fails_after_the_end_does_not_lose_the_game() -> None:
    class Sulks(Watcher):
        async def finish(self, view: Any, outcome: Any) -> None:
            raise PlayerFault(FaultKind.CRASH)

    record = play_game(CUBOS, lambda seat: Sulks(Random(Rng(str(seat)))))
    assert record.outcome.how in ("domino", "blocked")


@pytest.mark.parametrize("game", [CUBOS, RPS], ids=lambda game: game.name)
def test_players_here_and_elsewhere_sit_at_one_table_and_each_is_asked_once(game: Any) -> None:
    class Counts(Random):
        asked = 0

        def choose(self, view: Any) -> Any:
            Counts.asked += 1
            return super().choose(view)

    def make(seat: int) -> Player:
        strategy = Counts(Rng(str(seat)))
        return LocalPlayer(strategy) if seat % 2 == 0 else Watcher(strategy)

    record = play_game(game, make)
    made_by_players = [made for turn in record.turns for made in turn if made.by != CHANCE]
    assert len(made_by_players) == Counts.asked
    assert not any(made.fault for made in made_by_players)
    assert verify_record(found(record)).ok
