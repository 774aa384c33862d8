"""What players and people see of uno: views, what a listener is told, built-in players, stories, records."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from botequim import registry
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import CHANCE, Outcome
from botequim.core.player import LocalPlayer, Strategy
from botequim.core.rng import Rng
from botequim.core.turn import PlayedMove
from botequim.engine.referee import Step
from botequim.engine.referee import play as referee
from botequim.games.cards.cards import CARDS, Card, Suit, read_card
from botequim.games.uno.moves import Buy, Deal, Discard, Draw, Move, Out
from botequim.games.uno.players import Greedy, Random
from botequim.games.uno.rules import GAME
from botequim.games.uno.state import State, View
from botequim.narration.narrator import Transcript
from botequim.records.reader import parse
from botequim.records.record import Record
from botequim.records.verify import verify_record
from tests.support.uno_tables import deal_hands, fault, options, play, random_game


def event_texts(view: View) -> list[str]:
    return [GAME.write(event.move) for event in view.events]


# --- views -------------------------------------------------------------------------------------------


def test_a_seat_sees_its_own_cards_and_the_table() -> None:
    state = deal_hands("2♥ A♠ | 4♥ 5♥ | 6♥ 7♥", "8♦", under="C♣", starter=1, decks=2, pile="reshuffle")
    state = play(state, "buy 2", "draw 3♣ 3♠", FaultKind.TIMEOUT, "discard A♠ ♥")
    own, other, nobody = GAME.view(state, 1), GAME.view(state, 0), GAME.view(state, None)
    assert [str(card) for card in own.hand] == ["4♥", "5♥", "3♣", "3♠"]
    assert event_texts(own) == [
        "deal ? | 4♥ 5♥ | ? | table 8♦ | under ?",
        "starter 1",
        "buy 2",
        "draw 3♣ 3♠",
        "out",
        "discard A♠ ♥",
    ]
    assert event_texts(other)[0] == "deal 2♥ A♠ | ? | ? | table 8♦ | under ?"
    assert event_texts(other)[3] == event_texts(nobody)[3] == "draw ? ?"
    assert event_texts(nobody)[0] == "deal ? | ? | ? | table 8♦ | under ?"
    assert nobody.hand == ()
    for view in (own, other, nobody):
        assert (str(view.table), view.suit, view.debt) == ("A♠", Suit.HEARTS, 0)
        assert (view.counts, view.out, view.pile) == ((1, 4, 2), (2,), 99)
        assert (view.turn, view.order, view.starter, view.direction) == (1, (1, 0), 1, 1)
        assert (view.decks, view.empty_pile, view.two_player_reverse) == (2, "reshuffle", "nothing")
    assert [GAME.write(move) for move in own.legal] == ["discard 4♥", "discard 5♥", "buy 1"]
    assert other.legal == nobody.legal == ()


def test_nobody_is_asked_while_cards_are_drawn() -> None:
    assert GAME.view(play(deal_hands("2♥ | 3♥", "8♦"), "buy 1"), 0).turn is None


@pytest.mark.parametrize("pile", ["end", "reshuffle"])
def test_what_is_dealt_anew_is_a_game_that_could_have_been(pile: str) -> None:
    rng = Rng("anew")
    changed = 0
    for state in random_game(options(players=3, pile=pile), "7", faults=True)[3:120:6]:
        other = GAME.resample_hidden(state, 1, rng)
        assert GAME.view(other, 1) == GAME.view(state, 1)
        for seat in (0, 2):
            assert _hand_from_events(GAME.view(other, seat)) == sorted(GAME.view(other, seat).hand)
            changed += GAME.view(other, seat) != GAME.view(state, seat)
    assert changed > 0


def test_what_lies_under_the_pile_is_dealt_anew_among_action_cards() -> None:
    rng = Rng("under")
    state = deal_hands("2♥ | 3♥", "8♦", under="C♣ V♦")
    lowest = set()
    for _ in range(40):
        other = play(GAME.resample_hidden(state, 1, rng), "buy 51")
        drawn = GAME.chance(other, rng)
        assert isinstance(drawn, Draw)
        lowest |= {card.rank for card in drawn.cards[-2:] if card is not None}
    assert lowest == set("AVDRC")


def _hand_from_events(view: View) -> list[Card]:
    """A hand, worked out from what happened."""
    assert view.seat is not None
    cards: list[Card] = []
    for event in view.events:
        match event.move:
            case Deal(hands):
                cards += hands[view.seat] or ()
            case Draw(drawn):
                cards += [card for card in drawn if card is not None]
            case Discard(card) if event.by == view.seat:
                cards.remove(card)
    return sorted(cards)


# --- what a listener on a wire is told ---------------------------------------------------------------


def competition_lines(view: View) -> Iterator[str]:
    """The lines of the competition, made of nothing but one seat's view."""
    for event in view.events:
        by, move = event.by, event.move
        if by != CHANCE:
            yield f"TURN b{by + 1}"
        match move:
            case Deal(hands, table):
                assert view.seat is not None
                yield f"HAND [ {' '.join(map(str, hands[view.seat] or ()))} ]"
                yield f"TABLE {table}"
            case Draw(cards):
                yield from [str(card) for card in cards if card is not None]
            case Discard() if by != view.seat:
                yield GAME.write(move).replace("discard", "DISCARD")
            case Buy(count) | Out(count) if by != view.seat and count:
                yield f"BUY {count}"
    if view.turn is not None:
        yield f"TURN b{view.turn + 1}"


def test_a_view_tells_a_listener_all_it_must_hear_and_no_more() -> None:
    state = deal_hands("V♦ 3♥ A♣ | 4♥ 5♥ 6♥ | 6♦ 7♥ 7♠", "8♦", under="C♣")
    state = play(
        state, "discard V♦", FaultKind.ILLEGAL, FaultKind.ILLEGAL, "discard A♣ ♥", "buy 2", "draw 2♥ 2♦"
    )
    common = ["TABLE 8♦", "TURN b1", "DISCARD V♦", "TURN b2", "BUY 2", "TURN b3", "TURN b1", "DISCARD A♣ ♥"]
    rest = ["TURN b3", "2♥", "2♦", "TURN b1"]
    assert list(competition_lines(GAME.view(state, 2))) == ["HAND [ 6♦ 7♥ 7♠ ]", *common, *rest]
    assert list(competition_lines(GAME.view(state, 0))) == [
        "HAND [ V♦ 3♥ A♣ ]",
        *[line for line in common if not line.startswith("DISCARD")],
        "TURN b3",
        "BUY 2",
        "TURN b1",
    ]


def test_a_listener_always_knows_table_suit_and_debt() -> None:
    for seed in range(12):
        for state in random_game(options(players=4), str(seed), faults=True)[2:]:
            for seat in set(range(4)) - set(state.out):
                view = GAME.view(state, seat)
                if view.turn == seat:
                    assert _table_from_events(view) == (view.table, view.suit, view.debt)


def _table_from_events(view: View) -> tuple[Card, Suit, int]:
    """The table of a listener that knows its own moves and hears of the others'."""
    assert view.seat is not None
    own = iter([event.move for event in view.events if event.by == view.seat])
    _, (_, first), *lines = [line.split() for line in competition_lines(view)]
    table = read_card(first)
    suit, debt = table.suit, 0
    for line in lines:
        move: Move | None = None
        if line == ["TURN", f"b{view.seat + 1}"]:
            move = next(own, None)
        elif line[0] in ("DISCARD", "BUY"):
            move = GAME.read(" ".join([line[0].lower(), *line[1:]]))
        if isinstance(move, Discard):
            table, suit = move.card, move.suit or move.card.suit
            debt = {"V": 2, "C": 4}.get(table.rank, 0)
        elif isinstance(move, Buy):
            debt = 0
    return table, suit, debt


# --- built-in players --------------------------------------------------------------------------------


def test_uno_has_its_own_random() -> None:
    assert isinstance(registry.player("uno", "random")(Rng("1")), Random)
    assert isinstance(registry.player("uno", "greedy")(Rng("1")), Greedy)


def test_random_discards_whatever_fits_and_buys_only_when_it_must() -> None:
    player = Random(Rng("1"))
    view = GAME.view(deal_hands("7♦ 3♦ A♣ 2♠ | 4♥ 4♣ 4♠ 5♣", "8♦"), 0)
    assert {player.choose(view) for _ in range(200)} == set(view.legal) - {Buy(1)}
    assert player.choose(GAME.view(deal_hands("7♣ 3♣ | 4♥ 4♣", "8♦"), 0)) == Buy(1)
    owing = play(deal_hands("V♦ 3♣ | 4♥ 4♣", "8♦"), "discard V♦")
    assert player.choose(GAME.view(owing, 1)) == Buy(2)


@pytest.mark.parametrize(
    ("cards", "choice"),
    [
        ("3♦ D♦ R♦ V♦ A♦ C♥", "discard V♦"),
        ("3♦ D♦ R♦ A♠ A♦ C♥", "discard R♦"),
        ("3♦ D♦ 2♠ A♠ A♦ C♥", "discard D♦"),
        ("3♦ 8♠ 2♠ A♠ A♦ C♥", "discard 8♠"),
        ("3♠ 9♠ 2♣ A♠ A♦ C♥", "discard C♥ ♠"),
        ("3♠ 9♠ 2♣ 3♣ 4♣ A♦", "discard A♦ ♣"),
        ("3♠ 9♠ 2♣ 3♣ 4♣ 5♣", "buy 1"),
    ],
)
def test_greedy_hurts_first_and_keeps_a_and_c_for_last(cards: str, choice: str) -> None:
    state = deal_hands(f"{cards} | 4♥ 5♥ 6♥ 7♥ 9♥ 10♥", "8♦")
    assert GAME.write(Greedy(Rng("1")).choose(GAME.view(state, 0))) == choice


def test_greedy_beats_random() -> None:
    won = 0
    for seed in range(120):
        seat = seed % 2
        players: dict[int, Strategy] = {seat: Greedy(Rng("")), 1 - seat: Random(Rng(str(seed)))}
        won += play_game(players, str(seed)).outcome.places[seat] == 1
    assert won > 66  # two in three, give or take


# --- records and stories -----------------------------------------------------------------------------


class Clumsy:
    """Answers a third of its questions wrongly, each time in another way."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: View) -> Move:
        match self._rng.below(18):
            case 0:
                return Buy(0)
            case 1:
                return Discard(CARDS[0])
            case 2:
                raise PlayerFault(FaultKind.TIMEOUT)
            case 3:
                raise PlayerFault(FaultKind.MALFORMED)
            case 4:
                return Buy(7)
            case 5:
                return Deal((), CARDS[3])
        return self._rng.choice(view.legal)


def play_game(players: dict[int, Strategy], seed: str, **given: object) -> Record:
    table = options(players=len(players), **given)
    return asyncio.run(
        referee(
            registry.game("uno"),
            [LocalPlayer(players[seat]) for seat in sorted(players)],
            options=table,
            seats=[{"name": f"b{seat}"} for seat in sorted(players)],
            seed=seed,
        )
    )


@pytest.mark.parametrize("pile", ["end", "reshuffle"])
def test_records_of_games_full_of_faults_verify(pile: str) -> None:
    kinds = set()
    for seed in range(15):
        players: dict[int, Strategy] = {seat: Clumsy(Rng(f"{seed}/{seat}")) for seat in range(4)}
        record = play_game(players, str(seed), pile=pile)
        (found,) = parse([line.encode() for line in record.lines()], "uno.ndjson")
        assert verify_record(found).mismatches == []
        kinds |= {GAME.write(made.move) for turn in record.turns for made in turn if made.fault}
    assert kinds == {"lost", "out", "out owing 2", "out owing 4"}


def transcript(state: State, *texts: str) -> list[str]:
    """What is told of some turns."""
    seats = [{"name": name} for name in ("ana", "bia", "cid")]
    telling = Transcript(registry.game("uno"), [(0,), (1,), (2,)], seats)
    lines: list[str] = []
    for number, text in enumerate(texts, start=1):
        (by,) = GAME.to_move(state)
        after = play(state, text)
        move = (
            GAME.on_fault(state, by, fault(FaultKind(text))) if text in list(FaultKind) else GAME.read(text)
        )
        lines += [line[6:] for line in telling.turn(Step(number, state, [PlayedMove(by, move)], after))]
        state = after
    return lines


def test_a_game_is_told() -> None:
    start = GAME.start(options(players=3, hand_size=3))
    deal = "deal V♦ D♦ A♣ | 4♦ 5♥ 6♥ | R♦ 7♥ 7♠ | table 8♦"
    assert transcript(start, deal, "starter 0", "discard V♦", "buy 2", "draw 2♥ 2♦") == [
        "The cards are dealt; 8♦ lies on the table.",
        "1: V♦ D♦ A♣",
        "2: 5♥ 6♥ 4♦",
        "3: 7♥ R♦ 7♠",
        "1 ana starts.",
        "[8♦] (44)  1:3 2:3 3:3",
        "1: V♦ D♦ A♣",
        "1 ana discards V♦.",
        "2 bia must buy 2.",
        "[V♦] (44)  1:2 2:3 3:3",
        "2: 5♥ 6♥ 4♦",
        "2 bia buys 2 cards.",
        "2 bia draws 2♥ 2♦.",
        "[V♦] (42)  1:2 2:5 3:3",
        "3: 7♥ R♦ 7♠",
    ]


@pytest.mark.parametrize(
    ("texts", "sentences"),
    [
        (["discard D♦"], ["1 ana discards D♦.", "The direction changes: 3 cid is next."]),
        (["discard R♦"], ["1 ana discards R♦.", "2 bia is skipped."]),
        (["discard A♣ ♥"], ["1 ana discards A♣ and asks for ♥."]),
        (["buy 1", "draw 9♥"], ["1 ana buys a card.", "1 ana draws 9♥."]),
        (["illegal"], ["1 ana loses the turn."]),
        (["timeout"], ["1 ana is out of the game."]),
        (
            ["discard V♦", "timeout"],
            [
                "1 ana discards V♦.",
                "2 bia must buy 2.",
                "2 bia is out of the game, and the debt of 2 cards is gone.",
            ],
        ),
    ],
)
def test_what_cards_and_faults_do_is_told(texts: list[str], sentences: list[str]) -> None:
    state = deal_hands("V♦ D♦ R♦ A♣ | 4♦ 5♥ 6♥ 6♣ | 7♥ 7♠ 7♣ 8♣", "8♦")
    assert [line for line in transcript(state, *texts) if line.endswith(".")] == sentences


def test_a_reshuffle_is_told() -> None:
    rest = [str(card) for card in CARDS if str(card) not in ("8♦", "2♥", "3♥")]
    state = deal_hands(" | ".join(" ".join(rest[at : at + 17]) for at in (0, 17, 34)), "8♦", pile="reshuffle")
    lines = transcript(state, "discard 8♥", "buy 3", "draw 2♥ 3♥ 8♦")
    assert "2 bia draws 2♥ 3♥ 8♦; the discards were shuffled into a new pile." in lines


@pytest.mark.parametrize("how", ["empty hand", "empty pile", "stalled", "last one in"])
def test_every_ending_is_told(how: str) -> None:
    telling = Transcript(registry.game("uno"), [(0,), (1,)], [{"name": "ana"}, {"name": "bia"}])
    lines = list(telling.ending(Outcome(how, (1, 2), (1, 2))))
    assert (
        lines[0]
        == {
            "empty hand": "A hand is empty.",
            "empty pile": "The pile is empty: the player with the fewest cards wins.",
            "stalled": "The game is stalled: the player with the fewest cards wins.",
            "last one in": "Only one player is still in the game.",
        }[how]
    )
    assert lines[1] == "Winner: 1 ana"
