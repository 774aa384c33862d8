"""rps' one process a round, as BattleBots has it."""

from __future__ import annotations

import json
from functools import partial

import pytest

from botequim import registry
from botequim.core.game import Outcome, Remark
from botequim.core.wire import TransportKind
from botequim.games.rps.rules import GAME, HANDS, MISSING, Hand
from botequim.games.rps.wire import WIRE
from tests.support.wire_tables import context, malformed_reason, reply_to, views

TABLE = context(GAME)
VIEW = GAME.view(GAME.start(TABLE.options), 0)


read = partial(reply_to, WIRE, VIEW, TABLE)
fault_of = partial(malformed_reason, WIRE, VIEW, TABLE)


def encode(seat: int, *rounds: tuple[Hand | None, Hand | None], **options: object) -> tuple[str, str]:
    """The argument and the number that a player gets after these rounds."""
    table = context(GAME, **options)
    state = GAME.start(table.options)
    for first, second in rounds:
        state = GAME.apply(state, {0: first or MISSING, 1: second or MISSING})
    question = WIRE.codec.encode_question(GAME.view(state, seat), 0, table)
    assert question.body == b""
    assert list(question.environment) == ["PLAYER_NUMBER"]
    (history,) = question.arguments
    return history, question.environment["PLAYER_NUMBER"]


ROCK, PAPER, SCISSORS = HANDS


def test_the_example_of_the_document() -> None:
    assert encode(0, (ROCK, PAPER), (SCISSORS, PAPER)) == ("rp2;sp1", "1")
    assert encode(1, (ROCK, PAPER), (SCISSORS, PAPER)) == ("rp2;sp1", "2")


def test_the_first_round_has_an_empty_history() -> None:
    assert encode(1) == ("", "2")


def test_forfeited_rounds_are_left_out_or_dashes() -> None:
    rounds = [(ROCK, None), (ROCK, PAPER), (None, None)]
    assert encode(0, *rounds) == ("rp2", "1")
    assert encode(0, *rounds, forfeit_history="dash") == ("r-1;rp2;--0", "1")


def test_both_are_asked_the_same_but_for_their_number() -> None:
    for seat, view in views(GAME, "3", rounds=10):
        question = WIRE.codec.encode_question(view, 0, TABLE)
        assert question.arguments == (view.history,)
        assert question.environment == {"PLAYER_NUMBER": str(seat + 1)}


@pytest.mark.parametrize(("word", "hand"), [("ROCK", ROCK), ("PAPER", PAPER), ("SCISSORS", SCISSORS)])
def test_answers(word: str, hand: Hand) -> None:
    reply = read(json.dumps({"move": word, "mood": "fine"}) + "\n")
    assert (reply.move, list(reply.remarks), list(reply.warnings)) == (hand, [], [])


def test_art_is_shown_and_no_art_is_none() -> None:
    assert read('{"art": ["  ** ", "****"], "move": "ROCK"}').remarks == (Remark("art", ["  ** ", "****"]),)
    assert read('{"art": [], "move": "ROCK"}').remarks == ()


def test_art_as_a_matrix_of_characters_is_joined_into_lines() -> None:
    art = [["*", " ", "é"], [], "abc"]
    (remark,) = read(json.dumps({"move": "ROCK", "art": art})).remarks
    assert remark == Remark("art", ["* é", "", "abc"])
    assert GAME.check_remark(remark) is None


@pytest.mark.parametrize(
    "art",
    [
        7,
        None,
        {"a": 1},
        "***",
        [1, 2],
        [["**"]],
        [[""]],
        [["*", 1]],
        [["*"] * 61],
        ["*" * 61],
        ["*"] * 61,
        True,
    ],
)
def test_art_that_is_not_allowed_costs_only_the_art(art: object) -> None:
    reply = read(json.dumps({"move": "PAPER", "art": art}))
    assert reply.move == PAPER
    (remark,) = reply.remarks
    assert GAME.check_remark(remark) is not None


KNOWN = '"ROCK", "PAPER" or "SCISSORS"'


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ('{"move": "rock"}', '"rock" is not how a move is written: the whole word in capitals, "ROCK"'),
        ('{"move": "r"}', '"r" is not how a move is written: the whole word in capitals, "ROCK"'),
        ('{"move": "S"}', '"S" is not how a move is written: the whole word in capitals, "SCISSORS"'),
        (
            '{"move": "PAPER\\n"}',
            '"PAPER\\n" is not how a move is written: the whole word in capitals, "PAPER"',
        ),
        ('{"move": "LIZARD"}', f'"move" is "LIZARD"; it must be {KNOWN}'),
        ('{"move": "MOVE"}', f'"move" is "MOVE"; it must be {KNOWN}'),
        ('{"move": ""}', f'"move" is ""; it must be {KNOWN}'),
        ('{"move": 1}', f'"move" is 1; it must be {KNOWN}'),
        ('{"move": null}', f'"move" is null; it must be {KNOWN}'),
        ('{"move": ["ROCK"]}', f'"move" is ["ROCK"]; it must be {KNOWN}'),
        ('{"Move": "ROCK"}', f'"move" is missing: it is {KNOWN}'),
        ('"ROCK"', 'the answer is JSON, but not an object: "ROCK"'),
        ("", "the answer is empty; a JSON object was expected"),
        (b'{"move": "ROCK\xe9"}', "the answer is not UTF-8: byte 14 does not fit"),
    ],
)
def test_malformed_answers_are_told_what_was_wrong(answer: bytes | str, reason: str) -> None:
    assert fault_of(answer) == reason


@pytest.mark.parametrize(
    "answer",
    [
        'thinking...\n{"move": "ROCK"}\n',
        '{"move": "ROCK"}\n{"move": "PAPER"}\n',
        '{"move": "ROCK"}\nbye\n',
        '{"move": "ROCK"} # sure\n',
        'thinking...\n{\n  "move": "ROCK"\n}\n',
        "ROCK\n",
        "{'move': 'ROCK'}\n",
    ],
)
def test_other_output_is_told_where_it_belongs(answer: str) -> None:
    assert "debug output belongs on stderr" in fault_of(answer)


def test_an_object_over_several_lines_is_seen_behind_other_output() -> None:
    said = fault_of('thinking...\n{\n  "move": "ROCK"\n}\n')
    assert said.startswith("there is more in the answer than one JSON object")


def test_an_object_over_several_lines_is_still_one() -> None:
    reply = read('{\n  "move": "ROCK",\n  "art": [\n    "*"\n  ]\n}\n')
    assert (reply.move, reply.remarks) == (ROCK, (Remark("art", ["*"]),))
    (warning,) = reply.warnings
    assert "spread over several lines" in str(warning)


def test_one_line_is_not_warned_of_whatever_ends_it() -> None:
    for end in ("", "\n", "\r\n", "\n\n"):
        assert not read('{"move": "ROCK", "art": ["a\\nb"]}' + end).warnings


@pytest.mark.parametrize(
    "answer", ["[" * 100_000, '{"move": ' + "1" * 100_000 + "}", '{"move": NaN}', "\x00"]
)
def test_nonsense_is_the_bots_fault(answer: str) -> None:
    assert len(fault_of(answer)) < 400


def test_the_wire() -> None:
    assert registry.wire("rps", "rps") is WIRE
    assert (WIRE.transport, WIRE.limits.move) == (TransportKind.ONCE, 5)
    assert WIRE.codec.end(VIEW, 0, TABLE, Outcome("end", (1, 2))) == b""
