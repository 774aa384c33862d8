"""uno's lines, as its C bots speak them."""

from __future__ import annotations

import pytest

from botequim import registry
from botequim.bots.codecs.answers import MOST_REMARKS
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import CHANCE_TURN, SAY_LENGTH, Outcome, Remark
from botequim.core.rng import Rng
from botequim.core.turn import Reply
from botequim.core.wire import GameContext, TransportKind
from botequim.games.uno.rules import GAME
from botequim.games.uno.state import State
from botequim.games.uno.wire import WIRE, Uno, ids
from tests.support import uno_tables
from tests.support.uno_tables import deal_hands, play, to_move
from tests.support.wire_tables import context

CODEC = Uno()
END = Outcome("empty hand", (1, 2))


def table(players: int, *names: str) -> GameContext:
    return context(GAME, *(names or [f"b{number}" for number in range(1, players + 1)]), players=players)


def lines(sent: bytes) -> list[str]:
    text = sent.decode("utf-8")
    assert text == "" or text.endswith("\n")
    return text.splitlines()


def encode(state: State, seen: int, at: GameContext) -> tuple[list[str], int]:
    question = CODEC.encode_question(GAME.view(state, to_move(state)), seen, at)
    return lines(question.body), question.seen


# --- ids ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["b1", "b2", "b3"], ["b1", "b2", "b3"]),
        (["greedy", "greedy", "greedy"], ["greedy", "greedy2", "greedy3"]),
        (["a very long name", "a very long name 2"], ["a_very_lo", "a_very_l2"]),
        (["Tião da Ação", "José"], ["Tiao_da_A", "Jose"]),
        (["日本", "", "  ", "♥"], ["bot", "bot2", "bot3", "bot4"]),
        (["a", "a", "a2", "a2"], ["a", "a2", "a22", "a23"]),
        (["cmd:node src/index.mjs"], ["cmd_node"]),
        (["x\ny", "x\ty"], ["x_y", "x_y2"]),
        (["123456789", "1234567890"], ["123456789", "123456782"]),
    ],
)
def test_ids(names: list[str], expected: list[str]) -> None:
    assert list(ids(names)) == expected


def test_ids_of_any_names_are_short_plain_and_different() -> None:
    rng = Rng("ids")
    letters = "ab 9_é\u0301ß中\ud800\x00\n😀"
    for _ in range(500):
        names = ["".join(rng.choice(letters) for _ in range(rng.below(14))) for _ in range(10)]
        found = ids(names)
        assert len(set(found)) == len(names)
        for name in found:
            assert 1 <= len(name.encode()) <= 9
            assert name.isascii()
            assert name.isprintable()
            assert " " not in name


# --- what a bot is told ------------------------------------------------------------------------------


def test_the_opening_of_the_document() -> None:
    # its hand has a 2♣ twice: two decks
    hands = "4♥ 7♦ 2♣ V♠ A♥ 3♦ 2♣ 9♠ | 3♥ 3♣ 3♠ 4♦ 4♣ 4♠ 5♥ 5♦ | 6♥ 6♦ 6♣ 6♠ 7♥ 7♣ 7♠ 8♥"
    state = deal_hands(hands, "8♦", decks=2)
    told, seen = encode(state, 0, context(GAME, "b1", "b2", "b3", players=3, decks=2, hand_size=8))
    assert told == [
        "PLAYERS b1 b2 b3",
        "YOU b1",
        "HAND [ 4♥ 7♦ 2♣ V♠ A♥ 3♦ 2♣ 9♠ ]",
        "TABLE 8♦",
        "TURN b1",
    ]
    assert seen == 2


def test_turns_stand_before_what_came_of_them_and_own_actions_are_not_told() -> None:
    at = table(3)
    state = deal_hands("2♥ 3♥ 4♥ | 5♥ V♦ 7♥ | 8♥ 9♥ 10♥", "6♥", starter=1)
    first, seen1 = encode(state, 0, at)
    assert first[-2:] == ["TABLE 6♥", "TURN b2"]
    state = play(state, "discard 5♥")
    second, seen2 = encode(state, 0, at)
    assert second[1:] == ["YOU b3", "HAND [ 8♥ 9♥ 10♥ ]", "TABLE 6♥", "TURN b2", "DISCARD 5♥", "TURN b3"]
    state = play(state, "buy 2", "draw C♣ 2♠")
    third, _ = encode(state, 0, at)
    assert third[4:] == ["TURN b2", "DISCARD 5♥", "TURN b3", "BUY 2", "TURN b1"]
    state = play(state, "discard 2♥")
    assert encode(state, seen1, at) == (["TURN b3", "BUY 2", "TURN b1", "DISCARD 2♥", "TURN b2"], 6)
    state = play(state, "discard 7♥")
    # the cards that it bought come first: it has waited for them since
    assert encode(state, seen2, at)[0] == [
        "C♣",
        "2♠",
        "TURN b1",
        "DISCARD 2♥",
        "TURN b2",
        "DISCARD 7♥",
        "TURN b3",
    ]


def test_asked_suits_are_always_told_and_others_never() -> None:
    at = table(2)
    state = deal_hands("A♥ 3♥ 4♥ | C♥ 6♥ 7♥", "8♥")
    state = play(state, "discard A♥ ♠")
    assert encode(state, 0, at)[0][-3:] == ["TURN b1", "DISCARD A♥ ♠", "TURN b2"]
    state = play(state, "discard C♥")
    assert encode(state, 2, at)[0] == ["TURN b2", "DISCARD C♥ ♥", "TURN b1"]
    state = play(state, "buy 4", "draw 2♠ 3♠ 4♠ 5♠", "discard 7♥")
    assert encode(state, 4, at)[0] == ["2♠", "3♠", "4♠", "5♠", "TURN b2", "DISCARD 7♥", "TURN b1"]


def test_playing_again_after_a_king_is_two_turns_of_ones_own() -> None:
    at = table(2)
    state = deal_hands("R♥ 3♥ 4♥ | 5♥ 6♥ 7♥", "8♥")
    _, seen = encode(state, 0, at)
    state = play(state, "discard R♥")
    assert encode(state, seen, at) == (["TURN b1"], 3)
    # and told from the start, as an instance is that takes another's place
    assert encode(state, 0, at)[0][3:] == ["TABLE 8♥", "TURN b1", "TURN b1"]


def test_of_faults_only_the_turn_is_told_but_a_debt_of_one_who_leaves_counts_as_paid() -> None:
    at = table(3)
    state = deal_hands("V♥ 3♥ 4♥ | 5♥ 6♥ 7♥ | 8♥ 9♥ 10♥", "2♥")
    _, seen = encode(state, 0, at)
    state = play(state, "discard V♥", "timeout", "malformed")
    told, seen = encode(state, seen, at)
    assert told == ["TURN b2", "BUY 2", "TURN b3", "TURN b1"]
    state = play(state, "illegal", "crash")
    assert GAME.to_move(state) == ()
    assert lines(CODEC.end(GAME.view(state, 0), seen, at, END)) == ["TURN b3"]


def test_the_end_tells_the_rest() -> None:
    at = table(2)
    state = deal_hands("2♥ | 5♥", "8♥", starter=1)
    state = play(state, "buy 1", "draw 9♥", "discard 2♥")
    assert lines(CODEC.end(GAME.view(state, 1), 2, at, END)) == ["9♥", "TURN b1", "DISCARD 2♥"]
    assert lines(CODEC.end(GAME.view(state, 0), 4, at, END)) == []


class Listener:
    """A bot's idea of the game from its lines alone, as a C bot would keep it."""

    def __init__(self) -> None:
        self.hand: list[str] = []
        self.table = self.me = self.turn = ""
        self.lines: list[str] = []

    def hear(self, sent: bytes) -> None:
        for line in lines(sent):
            self.lines.append(line)
            word, *rest = line.split()
            if word == "YOU":
                self.me = rest[0]
            elif word == "HAND":
                self.hand = rest[1:-1]
            elif word in ("TABLE", "DISCARD"):
                self.table = rest[0]
            elif word == "TURN":
                self.turn = rest[0]
            elif word not in ("PLAYERS", "BUY"):
                self.hand.append(word)

    def acts(self, move: str) -> None:
        word, *rest = move.split()
        if word == "discard":
            self.hand.remove(rest[0])
            self.table = rest[0]


@pytest.mark.parametrize("seed", [str(number) for number in range(30)])
def test_a_bot_that_only_listens_knows_its_hand_and_the_table_all_along(seed: str) -> None:
    players = 2 + int(seed) % 4
    at = table(players)
    rng = Rng(seed)
    state = GAME.start(at.options)
    bots = [Listener() for _ in range(players)]
    seen = [0] * players
    while moving := GAME.to_move(state):
        (by,) = moving
        if moving == CHANCE_TURN:
            state = GAME.apply(state, {by: GAME.chance(state, rng)})
            continue
        question = CODEC.encode_question(GAME.view(state, by), seen[by], at)
        seen[by] = question.seen
        bots[by].hear(question.body)
        view = GAME.view(state, by)
        assert bots[by].turn == bots[by].me == f"b{by + 1}"
        assert sorted(bots[by].hand) == sorted(map(str, view.hand))
        assert bots[by].table == str(view.table)
        _, move = uno_tables.random_move(state, rng, faults=True)
        if GAME.check(state, by, move) is None:
            bots[by].acts(GAME.write(move))
        state = GAME.apply(state, {by: move})
    for seat, bot in enumerate(bots):
        bot.hear(CODEC.end(GAME.view(state, seat), seen[seat], at, END))
        if seat not in GAME.view(state, None).out:
            assert sorted(bot.hand) == sorted(map(str, GAME.view(state, seat).hand))
        # told piece by piece or at once, it is the same
        assert bot.lines == lines(CODEC.end(GAME.view(state, seat), 0, at, END))


# --- what it answers ---------------------------------------------------------------------------------

STATE = deal_hands("7♣ A♦ C♥ | 5♥ 6♥ 7♥", "8♣")
VIEW = GAME.view(STATE, 0)


def read(*answer: str | bytes) -> Reply | None:
    raw = [line.encode() if isinstance(line, str) else line for line in answer]
    for count in range(1, len(raw)):
        assert CODEC.decode_answer(raw[:count], VIEW, table(2)) is None
    return CODEC.decode_answer(raw, VIEW, table(2))


def decode(*answer: str | bytes) -> str:
    reply = read(*answer)
    assert reply is not None
    return GAME.write(reply.move)


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("DISCARD 7♣", "discard 7♣"),
        ("DISCARD 7♣\r", "discard 7♣"),
        ("  DISCARD   7♣  ", "discard 7♣"),
        ("DISCARD 7♣\ufe0f", "discard 7♣"),
        ("DISCARD 7♣ ♥", "discard 7♣"),
        ("DISCARD A♦ ♠", "discard A♦ ♠"),
        ("DISCARD A♦ ♠\ufe0f\r", "discard A♦ ♠"),
        ("DISCARD A♦", "discard A♦ ♦"),
        ("DISCARD C♥ x", "discard C♥ ♥"),
        ("DISCARD 2♠", "discard 2♠"),
        ("BUY 1", "buy 1"),
        ("BUY 54", "buy 54"),
        ("BUY 0", "buy 0"),
        ("BUY -3", "buy -3"),
        ("BUY 999999999", "buy 999999999"),
    ],
)
def test_actions(line: str, move: str) -> None:
    assert decode(line) == move


def test_an_unknown_suit_is_warned_about() -> None:
    reply = read("DISCARD A♦ spades")
    assert reply is not None
    assert [str(warning) for warning in reply.warnings] == [
        '"spades" is not a suit: ♥, ♦, ♣ or ♠; A♦ asks for its own suit'
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("DISCARD", 'DISCARD names no card: say for instance "DISCARD 7♣"'),
        ("DISCARD 7", '"7" is not a card, such as 7♣, 10♥, V♠ or C♣'),
        ("DISCARD J♣", '"J♣" is not a card, such as 7♣, 10♥, V♠ or C♣'),
        ("DISCARD C♦", '"C♦" is not a card, such as 7♣, 10♥, V♠ or C♣'),
        ("BUY", 'BUY needs a number of cards, such as "BUY 1", not ""'),
        ("BUY two", 'BUY needs a number of cards, such as "BUY 1", not "two"'),
        ("BUY 1.5", 'BUY needs a number of cards, such as "BUY 1", not "1.5"'),
        ("BUY 9999999999", 'BUY needs a number of cards, such as "BUY 1", not "9999999999"'),
        ("BUY ²", 'BUY needs a number of cards, such as "BUY 1", not "²"'),
        (b"DISCARD 7\xff", '"7�" is not a card, such as 7♣, 10♥, V♠ or C♣'),
    ],
)
def test_what_is_no_move_is_told_why(line: str | bytes, reason: str) -> None:
    with pytest.raises(PlayerFault) as caught:
        read("SAY oops", "hm", line)
    assert caught.value.fault.kind == FaultKind.MALFORMED
    assert str(caught.value.fault.reason) == reason
    # what it said before is kept
    assert caught.value.remarks == [Remark("say", "oops")]
    assert len(caught.value.warnings) == 1


def test_what_is_said_comes_before_the_action_and_is_shown() -> None:
    reply = read("SAY Caramba! Eu já ia bater!", "SAY", "SAY   ", "SAY Tu tá lascado!!!\r", "DISCARD 7♣")
    assert reply is not None
    assert reply.remarks == [Remark("say", "Caramba! Eu já ia bater!"), Remark("say", "Tu tá lascado!!!")]
    assert not reply.warnings


def test_too_much_said_is_cut_off_with_a_warning() -> None:
    reply = read(*[f"SAY {number}" for number in range(50)], "BUY 1")
    assert reply is not None
    assert [remark.value for remark in reply.remarks] == [str(number) for number in range(MOST_REMARKS)]
    assert [str(warning) for warning in reply.warnings] == [
        "the bot says 50 things in one turn; only the first 20 are shown"
    ]


@pytest.mark.parametrize(
    ("length", "shown"), [(280, "x" * 280), (281, "x" * 279 + "…"), (5000, "x" * 279 + "…")]
)
def test_what_is_said_too_long_is_cut_and_that_is_told(length: int, shown: str) -> None:
    reply = read("SAY olá", "SAY " + "x" * length, "BUY 1")
    assert reply is not None
    assert [remark.value for remark in reply.remarks] == ["olá", shown]
    assert all(GAME.check_remark(remark) is None for remark in reply.remarks)
    told = [str(warning) for warning in reply.warnings]
    assert told == (
        ["what the bot says is longer than 280 characters and is cut"] if length > SAY_LENGTH else []
    )
    remarks, warnings = CODEC.decode_unsolicited([b"SAY " + b"x" * length], VIEW)
    assert [remark.value for remark in remarks] == [shown]
    assert [str(warning) for warning in warnings] == told


def test_unknown_lines_are_skipped_with_one_warning() -> None:
    reply = read("", "debug: hand=7", "SAYING", "discard 7♣", "DISCARDED 7♣", b"\xff\xfe", "DISCARD 7♣")
    assert reply is not None
    assert GAME.write(reply.move) == "discard 7♣"
    assert [str(warning) for warning in reply.warnings] == [
        'lines that are no action were skipped: 5, the first: "debug: hand=7"'
    ]


def test_a_flood_of_lines_is_waited_through() -> None:
    flood = [b"x"] * 3000
    for count in range(1, len(flood), 7):
        assert CODEC.decode_answer(flood[:count], VIEW, table(2)) is None
    reply = CODEC.decode_answer([*flood, b"BUY 1"], VIEW, table(2))
    assert reply is not None
    assert GAME.write(reply.move) == "buy 1"


def test_lines_before_the_question() -> None:
    remarks, warnings = CODEC.decode_unsolicited([b"SAY ol\xc3\xa1", b"DISCARD 7", b"", b"BUY 1"], VIEW)
    assert remarks == [Remark("say", "olá")]
    assert [str(warning) for warning in warnings] == [
        'lines that came before the question were dropped: 2, the first: "DISCARD 7"'
    ]
    assert CODEC.decode_unsolicited([], VIEW) == ([], [])


def test_the_wire() -> None:
    assert registry.wire("uno", "uno") is WIRE
    assert (WIRE.transport, WIRE.limits.move) == (TransportKind.LINES, 3)
