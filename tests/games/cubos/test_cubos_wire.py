"""cubos' JSON over HTTP, as the Rinha's document and rules have it."""

from __future__ import annotations

import json
from functools import partial
from itertools import pairwise

import pytest

from botequim import registry
from botequim.core.game import CHANCE, Event, Outcome
from botequim.core.wire import Restart, TransportKind
from botequim.games.cubos.rules import GAME, OPEN, PASS, Lay, Move, Side, View
from botequim.games.cubos.wire import WIRE
from botequim.games.dominoes.tiles import Deal, Hand, Tile, read_tile
from tests.support.wire_tables import context, malformed_reason, reply_to, views

TABLE = context(GAME)


def tiles(text: str) -> Hand:
    return tuple(read_tile(word, 6) for word in text.split())


SAMPLE = View(
    seat=2,
    legal=(),
    events=(
        Event(CHANCE, Deal((None, None, tiles("3-6 5-5 1-2 0-0 0-4 1-6 6-6"), None))),
        Event(CHANCE, OPEN),
        Event(3, Lay(Tile(4, 6), Side.RIGHT)),
        Event(0, Lay(Tile(4, 4), Side.RIGHT)),
        Event(1, Lay(Tile(1, 6), Side.LEFT)),
    ),
    hand=tiles("3-6 5-5 1-2 0-0 0-4 1-6"),
    line=((1, 6), (6, 6), (6, 4), (4, 4)),
    counts=(6, 6, 6, 6),
    blocked="draw",
)
"""The position that the document shows. (Its 1-6 is both held and laid, which no game can bring.)"""


read = partial(reply_to, WIRE, SAMPLE, TABLE)
fault_of = partial(malformed_reason, WIRE, SAMPLE, TABLE)


def test_the_sample_of_the_document() -> None:
    question = WIRE.codec.encode_question(SAMPLE, 0, TABLE)
    expected = {
        "jogador": 3,
        "mao": ["3-6", "5-5", "1-2", "0-0", "0-4", "1-6"],
        "mesa": ["1-6", "6-6", "6-4", "4-4"],
        "jogadas": [
            {"jogador": 3, "pedra": "6-6"},
            {"jogador": 4, "pedra": "6-4", "lado": "direita"},
            {"jogador": 1, "pedra": "4-4", "lado": "direita"},
            {"jogador": 2, "pedra": "1-6", "lado": "esquerda"},
        ],
    }
    # the same keys in the same order, too
    assert question.body == json.dumps(expected, separators=(",", ":")).encode()
    assert question.arguments == ()
    assert dict(question.environment) == {}


def test_first_to_be_asked_learns_who_opened() -> None:
    seat, view = next(views(GAME, "5"))
    asked = json.loads(WIRE.codec.encode_question(view, 0, TABLE).body)
    assert asked["jogador"] == seat + 1
    assert asked["mesa"] == ["6-6"]
    assert asked["jogadas"] == [{"jogador": (seat - 1) % 4 + 1, "pedra": "6-6"}]


@pytest.mark.parametrize("seed", [str(number) for number in range(20)])
def test_plays_join_to_the_table_and_passes_do_not_appear(seed: str) -> None:
    for seat, view in views(GAME, seed):
        # how much was seen does not matter: every question tells all
        body = WIRE.codec.encode_question(view, 7, TABLE).body
        assert body == WIRE.codec.encode_question(view, 0, TABLE).body
        asked = json.loads(body)
        line: list[str] = []
        for play in asked["jogadas"]:
            line = [play["pedra"], *line] if play.get("lado") == "esquerda" else [*line, play["pedra"]]
        assert line == asked["mesa"]
        assert all(left[2] == right[0] for left, right in pairwise(line))
        laid = [event.by for event in view.events if isinstance(event.move, Lay)]
        assert [play["jogador"] for play in asked["jogadas"][1:]] == [by + 1 for by in laid]
        assert asked["mao"] == [str(tile) for tile in view.hand]
        assert asked["jogador"] == seat + 1


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ('{"pedra": "4-0", "lado": "direita"}', Lay(Tile(0, 4), Side.RIGHT)),
        ('{"pedra": "0-4", "lado": "esquerda"}', Lay(Tile(0, 4), Side.LEFT)),
        ('\n {"lado":"direita","pedra":"5-5","humor":[1,{"x":null}]} \n', Lay(Tile(5, 5), Side.RIGHT)),
        ("{}", PASS),
        ('{"pedra": null}', PASS),
        ('{"pedra": null, "lado": "esquerda"}', PASS),
        ('{"lado": 7}', PASS),
    ],
)
def test_answers(answer: str, move: Move) -> None:
    reply = read(answer)
    assert reply.move == move
    assert not reply.warnings


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ('{"pedra": "4-0"}', '"lado" is missing: say on which side 0-4 goes, "esquerda" or "direita"'),
        ('{"pedra": "4-0", "lado": "left"}', 'unknown side "left": use "esquerda" or "direita"'),
        ('{"pedra": "4-0", "lado": "Direita"}', 'unknown side "Direita": use "esquerda" or "direita"'),
        ('{"pedra": "4-0", "lado": null}', 'unknown side null: use "esquerda" or "direita"'),
        ('{"pedra": "4-0", "lado": ["direita"]}', 'unknown side ["direita"]: use "esquerda" or "direita"'),
        ('{"pedra": 36, "lado": "direita"}', '"pedra" must be a text such as "3-6", not 36'),
        ('{"pedra": [4, 0], "lado": "direita"}', '"pedra" must be a text such as "3-6", not [4, 0]'),
        ('{"pedra": false, "lado": "direita"}', '"pedra" must be a text such as "3-6", not false'),
        ('{"pedra": "7-9", "lado": "direita"}', '"pedra" is not a tile: "7-9" is not a tile from 0-0 to 6-6'),
        ('{"pedra": "", "lado": "direita"}', '"pedra" is not a tile: "" is not a tile from 0-0 to 6-6'),
        (
            '{"pedra": "4-0 ", "lado": "direita"}',
            '"pedra" is not a tile: "4-0 " is not a tile from 0-0 to 6-6',
        ),
        ("[]", "the answer is JSON, but not an object: []"),
        ('"4-0"', 'the answer is JSON, but not an object: "4-0"'),
        ("null", "the answer is JSON, but not an object: null"),
        ("", "the answer is empty; a JSON object was expected"),
        (" \n", "the answer is empty; a JSON object was expected"),
        (b"\xff{}", "the answer is not UTF-8: byte 0 does not fit"),
        ('{"pedra": NaN}', "the answer is not JSON: NaN"),
        ('{"x": -Infinity}', "the answer is not JSON: -Infinity"),
    ],
)
def test_malformed_answers_are_told_what_was_wrong(answer: bytes | str, reason: str) -> None:
    assert fault_of(answer) == reason


@pytest.mark.parametrize(
    "answer",
    [
        "{'pedra': '4-0'}",
        '{"pedra": "4-0", "lado": "direita",}',
        "<html>404</html>",
        "\ufeff{}",
        '{"pedra": "4-0", "lado": "direita"} ok',
        "[" * 100_000,
        '{"x":' * 100_000,
        '{"x": ' + "9" * 100_000 + "}",
        '{"pedra": "' + "4" * 100_000 + '", "lado": "direita"}',
        '{"pedra": ' + "[" * 500 + "]" * 500 + "}",
    ],
)
def test_nonsense_of_any_size_is_the_bots_fault_and_told_in_a_sentence(answer: str) -> None:
    assert 10 < len(fault_of(answer)) < 400


def test_a_tile_that_is_not_held_is_a_move_for_the_rules_to_refuse() -> None:
    assert read('{"pedra": "2-2", "lado": "direita"}').move == Lay(Tile(2, 2), Side.RIGHT)


def test_the_wire() -> None:
    assert registry.wire("cubos", "cubos") is WIRE
    assert (WIRE.transport, WIRE.restart, WIRE.limits.move) == (TransportKind.HTTP, Restart.GAME, 5)
    assert WIRE.codec.end(SAMPLE, 0, TABLE, Outcome("end", (1, 2))) == b""
