"""arena: the one wire that every game can be played over."""

from __future__ import annotations

import json
import re
from collections import namedtuple
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Any

import pytest
from highcard import rules as highcard

from botequim import registry
from botequim.bots.codecs.answers import MOST_REMARKS
from botequim.bots.codecs.arena import HTTP, LINES, ONCE
from botequim.bots.codecs.arena_views import view_as_json
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import AnyGame, Outcome, Remark
from botequim.core.rng import Rng
from botequim.core.turn import Reply
from botequim.core.wire import Desynchronised, Question, TransportKind, Wire
from botequim.games.cards.cards import CARDS
from botequim.games.dominoes.tiles import Tile
from tests import ROOT
from tests.support.uno_tables import deal_hands
from tests.support.wire_tables import context, play_over, views

DOCS = ROOT / "docs" / "reference"
GAMES: list[AnyGame] = [*map(registry.game, registry.game_names()), highcard.GAME]
WIRES = [HTTP, LINES, ONCE]
GIVEN: dict[str, dict[str, object]] = {"fives": {"target": 50}, "rps": {"rounds": 10}, "uno": {"players": 3}}


def class_name(thing: Any) -> str:
    return str(thing.name)


# --- whole games -------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", WIRES, ids=class_name)
@pytest.mark.parametrize("game", GAMES, ids=class_name)
def test_any_game_can_be_played_by_choosing_among_texts(game: AnyGame, wire: Wire) -> None:
    table = context(game, **GIVEN.get(game.name, {}))
    for number in range(20):
        rng = Rng(f"{game.name}/{number}")

        def any_of_the_menu(seat: int, question: Question, rng: Rng = rng) -> bytes:
            asked = json.loads(question.body)
            assert asked["seat"] == seat
            return json.dumps({"move": rng.choice(asked["legal"])}).encode()

        told = play_over(wire.codec, table, f"seed {number}", any_of_the_menu)
        for heard in told.values():
            check_told([json.loads(body) for body in heard], wire)


def check_told(heard: list[dict[str, Any]], wire: Wire) -> None:
    """Every event once, and the last word is how it ended."""
    *questions, ending = heard
    assert set(ending) == {"arena", "game", "options", "seat", "names", "teams", "view", "events", "end"}
    assert set(ending["end"]) == {"how", "places", "points"}
    news = [question["new"] for question in questions]
    if wire is ONCE:
        assert all(news)
        for before, after in pairwise(questions):
            assert after["events"][: len(before["events"])] == before["events"]
    else:
        assert news == [at == 0 for at in range(len(questions))]
        moves = [event for question in heard for event in question["events"]]
        own = [event for event in moves if event["by"] == ending["seat"]]
        assert len(own) == len(questions)


@pytest.mark.parametrize("game", GAMES, ids=class_name)
def test_what_was_told_in_parts_is_what_is_told_at_once(game: AnyGame) -> None:
    given = GIVEN.get(game.name, {})
    table = context(game, **given)
    seen: dict[int, int] = {}
    told: dict[int, list[object]] = {}
    for seat, view in views(game, "parts", **given):
        question = LINES.codec.encode_question(view, seen.get(seat, 0), table)
        seen[seat] = question.seen
        told.setdefault(seat, []).extend(json.loads(question.body)["events"])
        assert told[seat] == json.loads(LINES.codec.encode_question(view, 0, table).body)["events"]
        assert len(told[seat]) == len(view.events) == max(question.seen, 0)


@pytest.mark.parametrize("game", GAMES, ids=class_name)
def test_events_are_texts_that_the_game_can_read_and_hide_what_is_not_seen(game: AnyGame) -> None:
    given = GIVEN.get(game.name, {})
    for _, view in views(game, "read", **given):
        asked = json.loads(HTTP.codec.encode_question(view, 0, context(game, **given)).body)
        for event, seen in zip(asked["events"], view.events, strict=True):
            assert game.read(event["move"]) == seen.move
            assert event["by"] == (seen.by if seen.by >= 0 else "chance")
    if game.name != "rps":  # there nothing is hidden
        assert any("?" in event["move"] for event in asked["events"])


# --- what the document says --------------------------------------------------------------------------

EXAMPLES = {
    "cubos": ("5", {}, 5),
    "havana": ("2", {}, 3),
    "fives": ("1", {}, 6),
    "rps": ("1", {}, 5),
    "uno": ("7", {"players": 3}, 6),
}
"""By game: seed, options and the number of the question, in which the last three events are new."""


@pytest.mark.parametrize("name", ["arena.md", "arena.pt-BR.md"])
def test_the_examples_of_the_document_are_what_is_sent(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    shown = [block for block in re.findall(r"```json\n(.*?)\n```", text, re.DOTALL) if '"arena"' in block]
    asked = []
    for game_name, (seed, given, number) in EXAMPLES.items():
        game = registry.game(game_name)
        _, view = list(views(game, seed, **given))[number]
        question = LINES.codec.encode_question(view, len(view.events) - 3, context(game, **given))
        asked.append(question.body.decode().removesuffix("\n"))
    assert shown == asked
    assert set(EXAMPLES) == set(registry.game_names())


@pytest.mark.parametrize("name", ["arena.md", "arena.pt-BR.md"])
def test_the_document_names_every_key(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    for game_name, (seed, given, _) in EXAMPLES.items():
        game = registry.game(game_name)
        _, view = next(views(game, seed, **given))
        asked = json.loads(LINES.codec.encode_question(view, 0, context(game, **given)).body)
        (part,) = re.findall(rf"^\*\*{game_name}\*\*: (.*)$", text, re.MULTILINE)
        for key in asked["view"]:
            assert f"`{key}`" in part, (game_name, key)
        for key in asked:
            assert f"| `{key}` |" in text
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert (DOCS / target).exists()


# --- views -------------------------------------------------------------------------------------------


def test_a_strangers_view_is_shown_by_its_fields() -> None:
    _, view = next(views(highcard.GAME, "1"))
    assert view_as_json("highcard", view) == {"hand": list(view.hand), "wins": [0, 0]}


class Colour(Enum):
    RED = "red"


Place = namedtuple("Place", "row column")


@dataclass(frozen=True)
class Odds:
    seat: int
    legal: tuple[()]
    events: tuple[()]
    tile: Tile
    card: object
    colours: dict[Colour, set[int]]
    place: Place
    inner: object
    _secret: int = 7


class Slotted:
    __slots__ = ("_hidden", "deep")

    def __init__(self) -> None:
        self.deep = (None, 1.5, True)
        self._hidden = 1


def test_whatever_a_strangers_view_holds_becomes_json() -> None:
    view = Odds(0, (), (), Tile(3, 6), CARDS[-1], {Colour.RED: {2, 1}}, Place(1, 2), Slotted())
    assert json.loads(json.dumps(view_as_json("odd", view))) == {
        "tile": "3-6",
        "card": "C♣",
        "colours": {"red": [1, 2]},
        "place": {"row": 1, "column": 2},
        "inner": {"deep": [None, 1.5, True]},
    }


# --- answers -----------------------------------------------------------------------------------------

UNO = registry.game("uno")
VIEW = UNO.view(deal_hands("7♣ A♦ | 5♥ 6♥", "8♣"), 0)
TABLE = context(UNO, "Ana", "Rui")
LEGAL = '"discard 7♣", "discard A♦ ♥", "discard A♦ ♦", "discard A♦ ♣", "discard A♦ ♠", "buy 1"'


def read(answer: object, wire: Wire = LINES) -> Reply:
    raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    reply = wire.codec.decode_answer([raw], VIEW, TABLE)
    assert reply is not None
    return reply


@pytest.mark.parametrize("wire", WIRES, ids=class_name)
@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("discard 7♣", "discard 7♣"),
        ("discard A♦ ♠", "discard A♦ ♠"),
        ("discard A♦", "discard A♦ ♦"),
        ("buy 1", "buy 1"),
        ("buy 5", "buy 5"),
        ("discard 2♥", "discard 2♥"),
        ("out", "out"),
    ],
)
def test_moves_by_their_text(text: str, move: str, wire: Wire) -> None:
    # what is not in the menu is for the rules to accept or refuse
    assert UNO.write(read({"move": text, "why": "because"}, wire).move) == move


@pytest.mark.parametrize("wire", WIRES, ids=class_name)
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({}, f'"move" is missing: it names one of the legal moves: {LEGAL}'),
        ({"mov": "buy 1"}, f'"move" is missing: it names one of the legal moves: {LEGAL}'),
        ({"move": 0}, f'"move" must be a text such as {LEGAL}, not 0'),
        ({"move": None}, f'"move" must be a text such as {LEGAL}, not null'),
        ({"move": ["buy 1"]}, f'"move" must be a text such as {LEGAL}, not ["buy 1"]'),
        ({"move": "3-6 left"}, f'unknown move "3-6 left"; legal: {LEGAL}'),
        ({"move": ""}, f'unknown move ""; legal: {LEGAL}'),
    ],
)
def test_an_unknown_move_is_told_the_legal_ones(answer: object, reason: str, wire: Wire) -> None:
    with pytest.raises(PlayerFault) as caught:
        read(answer, wire)
    assert caught.value.fault.kind == FaultKind.MALFORMED
    assert str(caught.value.fault.reason) == reason
    assert not isinstance(caught.value, Desynchronised)


@pytest.mark.parametrize("wire", WIRES, ids=class_name)
@pytest.mark.parametrize(
    "answer",
    [b"buy 1", b"thinking...", b"[]", b"7", b'"buy 1"', b"\xff", b"[" * 100_000, b'{"move": NaN}', b"{} {}"],
)
def test_what_is_no_json_object_is_a_fault(answer: bytes, wire: Wire) -> None:
    with pytest.raises(PlayerFault) as caught:
        read(answer, wire)
    assert caught.value.fault.kind == FaultKind.MALFORMED
    # a program that goes on may still write its answer, which must not be taken for its next
    assert isinstance(caught.value, Desynchronised) == (wire is LINES)
    if answer in (b"buy 1", b"thinking...", b"{} {}"):
        assert "debug output belongs on stderr" in str(caught.value.fault.reason)


def test_a_long_menu_is_not_listed_whole() -> None:
    many = UNO.view(deal_hands("A♥ A♦ A♣ A♠ C♥ C♣ | 5♥ 6♥ 2♥ 3♥ 4♥ 7♥", "8♣"), 0)
    with pytest.raises(PlayerFault) as caught:
        LINES.codec.decode_answer([b"{}"], many, TABLE)
    assert str(caught.value.fault.reason).endswith(", ...")


def test_empty_lines_are_waited_through_and_an_empty_body_is_a_fault() -> None:
    assert LINES.codec.decode_answer([b""], VIEW, TABLE) is None
    assert LINES.codec.decode_answer([b"", b" \r"], VIEW, TABLE) is None
    reply = LINES.codec.decode_answer([b"", b" \r", b'{"move": "buy 1"}\r'], VIEW, TABLE)
    assert reply is not None
    for wire in (HTTP, ONCE):
        with pytest.raises(PlayerFault, match="the answer is empty"):
            read(b"\n", wire)


def test_one_object_over_several_lines_is_fine_where_it_is_all_there_is() -> None:
    for wire in (HTTP, ONCE):
        assert UNO.write(read(b'{\n "move":\n "buy 1"\n}\n', wire).move) == "buy 1"


def test_remarks() -> None:
    reply = read({"move": "buy 1", "say": "olá"})
    assert reply.remarks == [Remark("say", "olá")]
    reply = read({"move": "buy 1", "say": ["a", "", "b"], "art": ["**"]})
    assert reply.remarks == [Remark("say", "a"), Remark("say", "b"), Remark("art", ["**"])]
    reply = read({"move": "buy 1", "say": ["a", "x" * 281]})
    assert [remark.value for remark in reply.remarks] == ["a", "x" * 279 + "…"]
    assert [str(one) for one in reply.warnings] == [
        "what the bot says is longer than 280 characters and is cut"
    ]
    reply = read({"move": "buy 1", "say": [], "art": []})
    assert reply.remarks == []
    reply = read({"move": "buy 1", "say": [str(number) for number in range(50)]})
    assert len(reply.remarks) == MOST_REMARKS
    assert [str(warning) for warning in reply.warnings] == [
        "the bot says 50 things in one turn; only the first 20 are shown"
    ]


@pytest.mark.parametrize("said", [7, None, {"a": 1}, [7], True])
def test_a_remark_that_is_not_allowed_costs_only_itself(said: object) -> None:
    (remark,) = read({"move": "buy 1", "say": said}).remarks
    assert UNO.check_remark(remark) is not None


def test_names_that_utf8_cannot_hold_are_sent_all_the_same() -> None:
    question = HTTP.codec.encode_question(VIEW, 0, context(UNO, "\ud800", "é"))
    assert json.loads(question.body)["names"] == ["?", "é"]


def test_lines_before_the_question() -> None:
    remarks, warnings = LINES.codec.decode_unsolicited([b"", b'{"move": "buy 1"}', b"\r"], VIEW)
    assert not remarks
    assert [str(warning) for warning in warnings] == [
        'lines that came before the question were dropped: 1, the first: "{"move": "buy 1"}"'
    ]


def test_the_end_says_how_it_ended() -> None:
    known = json.loads(LINES.codec.end(VIEW, 2, TABLE, Outcome("empty hand", (1, 2), (0, 5))))
    assert known["end"] == {"how": "empty hand", "places": [1, 2], "points": [0, 5]}
    assert known["events"] == []


def test_the_wires() -> None:
    for game in registry.game_names():
        for wire, transport in (
            (HTTP, TransportKind.HTTP),
            (LINES, TransportKind.LINES),
            (ONCE, TransportKind.ONCE),
        ):
            assert registry.wire(game, wire.name) is wire
            assert (wire.transport, wire.game, wire.limits.move) == (transport, None, 5)
