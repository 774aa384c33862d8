"""The submissions of rps and uno, entered over their competitions' own wires."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from botequim.cli import main
from botequim.core.game import Remark
from botequim.core.options import resolve_options
from botequim.core.process import Sandbox
from botequim.core.rng import Rng
from botequim.core.turn import Reply
from botequim.core.wire import GameContext
from botequim.games.cards.cards import CARDS
from botequim.games.rps.champion import RpsChampion
from botequim.games.rps.rules import GAME as RPS
from botequim.games.rps.rules import HANDS
from botequim.games.rps.submission.art import bay
from botequim.games.rps.submission.main import StoredOutlook, decision_after
from botequim.games.uno.moves import Buy
from botequim.games.uno.rules import GAME as UNO
from botequim.games.uno.submission.main import Listener, card_number, card_text
from botequim.games.uno.wire import WIRE
from botequim.search.chance import Dice
from tests.support.isolated_games import faults, moves_of, play, sandbox
from tests.support.uno_tables import options, random_move

__all__ = ["sandbox"]


def export(game: str, folder: Path) -> Path:
    assert main(["export", game, str(folder)]) == 0
    return folder


# --- rps ---------------------------------------------------------------------------------------------------


SHOWN = ("ROCK", "PAPER", "SCISSORS")


@pytest.fixture(scope="module")
def rps_bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nothing is to be changed in it: it takes long to write."""
    return export("rps", tmp_path_factory.mktemp("rps") / "bot")


@pytest.fixture(scope="module")
def kept(rps_bot: Path) -> StoredOutlook:
    return StoredOutlook((rps_bot / "counts.bin").read_bytes())


def test_rps_plays_a_game_over_its_wire(sandbox: Sandbox, tmp_path: Path) -> None:
    bot = export("rps", tmp_path / "bot")
    # in a process: what its Dockerfile builds upon is not at hand everywhere
    (bot / "botequim.toml").write_text('command = "./bot.py"\n')
    (record,) = play("rps", [bot, "rock"], sandbox, tmp_path, rounds=20)
    assert faults([record]) == []
    assert record.outcome.places[0] == 1
    frames = [
        tuple(remark.value) for turn in moves_of(record, 0) for remark in turn.remarks if remark.kind == "art"
    ]
    assert len(frames) == 20
    assert len(set(frames)) == 20, "the picture moves"


def test_rps_is_one_line_of_json_without_anything_of_ours(rps_bot: Path) -> None:
    bot = rps_bot
    history = ";".join(["pr1"] * 20)
    command = [sys.executable, "-I", "-S", str(bot / "bot.py"), history]
    done = subprocess.run(command, capture_output=True, env={"PLAYER_NUMBER": "1"}, check=True, cwd="/")
    (line,) = done.stdout.decode().splitlines()
    assert json.loads(line)["move"] == "PAPER"
    assert "FROM" in (bot / "Dockerfile").read_text()
    assert "botequim." not in (bot / "bot.py").read_text().replace("`botequim.", "")


def test_the_exported_mind_is_the_champions(kept: StoredOutlook) -> None:
    rng = Rng("same mind")
    state = RPS.start(resolve_options("rps", RPS.options, {}))
    champion = RpsChampion(Rng("1"))
    while RPS.to_move(state):
        if RPS.to_move(state) == (-1,):
            state = RPS.apply(state, {-1: RPS.chance(state, rng)})
            continue
        view = RPS.view(state, 1)
        announced = champion.advise(view).mixture
        exported = decision_after(view.history, 2, kept).mixture()
        # the table in the file is rounded: where two mixtures are as good as equal it may take the other
        assert sum(exported) == pytest.approx(1)
        if len(view.rounds) < 2:
            assert exported == pytest.approx(tuple(announced[hand] for hand in HANDS), abs=0.02)
        state = RPS.apply(state, {0: rng.choice(HANDS), 1: rng.choice(HANDS)})


def test_rps_bears_dashes_in_its_history(kept: StoredOutlook) -> None:
    assert sum(decision_after("-r2;p-1;--0;rp2", 1, kept).mixture()) == pytest.approx(1)


@pytest.mark.parametrize("rounds", [49, 50, 51, 99, 100, 110, 300])
def test_rps_goes_on_in_longer_games(rounds: int, kept: StoredOutlook) -> None:
    history = ";".join(["rp2", "sp1", "ss1"] * (rounds // 3 + 1))[: 4 * rounds - 1]
    assert sum(decision_after(history, 1, kept).mixture()) == pytest.approx(1)


def test_rps_values_no_rounds_left_like_none(kept: StoredOutlook) -> None:
    assert [kept.safe(3, -2, left) for left in (-1, -49, -51, -500)] == [kept.safe(3, -2, 0)] * 4


@pytest.mark.parametrize("told", ["rp1;", ";rp1", "rp1; ;", "r;rp1;p", " rp1\n"])
def test_rps_skips_what_is_not_a_whole_round(told: str, kept: StoredOutlook) -> None:
    assert decision_after(told, 1, kept).mixture() == decision_after("rp1", 1, kept).mixture()


@pytest.mark.parametrize("history", ["r", ";", "rp1;;", "\u2665\u2665\u2665", ";".join(["rp2"] * 110)])
def test_rps_shows_a_hand_whatever_it_is_told(history: str, rps_bot: Path) -> None:
    assert shown_hand(rps_bot, history) in SHOWN


def test_rps_shows_a_hand_also_where_its_table_is_broken(rps_bot: Path, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_bytes((rps_bot / "bot.py").read_bytes())
    (tmp_path / "counts.bin").write_bytes(b"nothing")
    assert shown_hand(tmp_path, "rp1") in SHOWN


def shown_hand(bot: Path, history: str) -> object:
    command = [sys.executable, "-I", "-S", str(bot / "bot.py"), history]
    done = subprocess.run(command, capture_output=True, env={"LANG": "C.UTF-8"}, check=True, cwd="/")
    return json.loads(done.stdout)["move"]


def test_every_frame_is_within_the_limits() -> None:
    for number in range(60):
        frame = bay(number, number // 2, number - number // 2)
        assert RPS.check_remark(Remark("art", frame)) is None
        assert all(line.isascii() for line in frame)


# --- uno ---------------------------------------------------------------------------------------------------


def test_uno_plays_over_its_wire(sandbox: Sandbox, tmp_path: Path) -> None:
    bot = export("uno", tmp_path / "bot")
    (bot / "botequim.toml").write_text('command = "./bot.py 0.05"\n')
    records = play("uno", [bot, "heuristic", bot, "random"], sandbox, tmp_path)
    assert faults(records) == []
    assert all(moves_of(record, 0) for record in records)


def answered_alone(bot: Path, lines: str) -> list[str]:
    """What the program says to these lines where nothing but Python is installed."""
    command = [sys.executable, "-I", "-S", str(bot / "bot.py"), "0.05"]
    done = subprocess.run(command, input=lines.encode(), capture_output=True, check=True, cwd="/")
    return done.stdout.decode().splitlines()


def test_uno_needs_nothing_of_ours(tmp_path: Path) -> None:
    bot = export("uno", tmp_path / "bot")
    lines = "PLAYERS a b\nYOU a\nHAND [ 4♥ 7♦ 2♣ ]\nTABLE 8♣\nTURN b\nDISCARD V♣\nTURN a\n"
    lines += "3♥\nD♥\nTURN b\nBUY 1\nTURN a\n"
    debt, move = answered_alone(bot, lines)
    assert debt == "BUY 2"
    assert move in ("DISCARD 2♣", "BUY 1")  # in so short a time it may think of few worlds


STRAY = ["CHAT hello", "SAY hi", "END", "TURN zz", "TURN", "BUY x", "BUY", "BUY -3", "DISCARD", "DISCARD zz"]
STRAY += ["HELLO", "[", "", "PING 4♥", "YOU", "TABLE", "TABLE ?", "BUY 999999999"]


def answers_to(listener: Listener, *lines: str) -> list[str]:
    """What is answered, all in all."""
    return [answer for line in lines if (answer := listener.hear(line)) is not None]


def test_uno_goes_on_after_lines_that_it_does_not_know(tmp_path: Path) -> None:
    bot = export("uno", tmp_path / "bot")
    known = ["PLAYERS a b", "YOU a", "HAND [ 4♥ 7♦ ]", "TABLE 8♣", "TURN b", "DISCARD V♣", "TURN a"]
    lines = "\n".join([*STRAY, *(line for one in known for line in (one, *STRAY)), ""])
    assert answered_alone(bot, lines) == ["BUY 2"]


@pytest.mark.parametrize("hand", ["[2♣ 2♦]", "[2♣, 2♦]", "[ 2♣ 2♦ ]", "2♣ 2♦", "2♣,2♦", "[ 2♣ ?? 2♦ ]"])
def test_uno_reads_hands_with_signs_that_stick_to_cards(hand: str) -> None:
    listener = Listener(Dice(1, 2, 3, 4), seconds=0.01)
    (answer,) = answers_to(listener, "PLAYERS a b", "YOU a", f"HAND {hand}", "TABLE 2♥", "TURN a")
    assert answer in ("DISCARD 2♣", "DISCARD 2♦", "BUY 1")


@pytest.mark.parametrize(
    "lines",
    [
        ["PLAYERS a b", "YOU a", "HAND [ 2♣ ]", "TURN a"],
        ["PLAYERS b c", "YOU a", "HAND [ 2♣ ]", "TABLE 2♥", "TURN a"],
        ["YOU a", "TURN a"],
        ["PLAYERS a", "YOU a", "HAND [ 3♣ ]", "TABLE 2♥", "TURN a"],
        ["PLAYERS a b", "YOU a", "HAND [ ]", "TABLE 2♥", "TURN a"],
    ],
    ids=["no table", "not among the players", "nothing at all", "alone, nothing fits", "no cards"],
)
def test_uno_buys_where_it_knows_of_no_card_that_fits(lines: list[str]) -> None:
    assert answers_to(Listener(Dice(1, 2, 3, 4), seconds=0.01), *lines) == ["BUY 1"]


def test_uno_lays_a_card_that_fits_also_when_alone() -> None:
    listener = Listener(Dice(1, 2, 3, 4), seconds=0.01)
    lines = ["PLAYERS a", "YOU a", "HAND [ A♠ 3♣ 2♦ ]", "TABLE 2♥", "TURN a", "TURN a", "TURN a"]
    assert answers_to(listener, *lines) == ["DISCARD 2♦", "DISCARD A♠ ♠", "BUY 1"]


def test_uno_sits_down_to_another_game() -> None:
    listener = Listener(Dice(1, 2, 3, 4), seconds=0.01)
    answers_to(listener, "PLAYERS a b c", "YOU a", "HAND [ 2♣ 2♦ ]", "TABLE 2♥", "TURN b", "TURN a")
    again = ["PLAYERS b a", "YOU a", "HAND [ 5♣ 6♦ ]", "TABLE 8♥", "TURN b", "DISCARD C♥ ♠", "TURN a"]
    assert answers_to(listener, *again) == ["BUY 4"]


def test_uno_takes_back_what_somebody_who_is_out_did_not_pay() -> None:
    listener = Listener(Dice(1, 2, 3, 4), seconds=0.01)
    answers_to(listener, "PLAYERS a b c", "YOU a", "HAND [ 3♦ 4♦ ]", "TABLE 8♣")
    before = listener.pile
    answers_to(listener, "TURN b", "DISCARD V♣", "TURN c", "BUY 2")
    assert listener.pile == before - 2
    (answer,) = answers_to(listener, "TURN a")  # nothing fits
    assert answer == "BUY 1"
    answers_to(listener, "5♦", "TURN b", "BUY 1")
    assert (listener.out, listener.pile) == ([], before - 4)
    answers_to(listener, "TURN a")  # c should have come
    assert (listener.out, listener.pile) == ([2], before - 2 - 1)


def test_uno_counts_what_was_bought_where_the_pile_seemed_empty() -> None:
    listener = Listener(Dice(1, 2, 3, 4), seconds=0.01)
    answers_to(listener, "PLAYERS a b c d", "YOU a", "HAND [ 3♦ 4♦ ]", "TABLE 8♣")
    answers_to(listener, "TURN d", f"BUY {listener.pile - 5}", "TURN b", "DISCARD V♣", "TURN c", "BUY 2")
    (answer,) = answers_to(listener, "TURN d", "BUY 1", "TURN a")
    bought = int(answer.removeprefix("BUY "))
    answers_to(listener, *["5♦", "6♦"][:bought], "TURN b", f"BUY {3 - bought}")
    assert listener.pile == 0
    answers_to(listener, "TURN d")  # c is out, and had paid nothing
    assert (listener.out, listener.pile) == ([2], 1)


def test_uno_leaves_it_at_that_where_it_was_paid() -> None:
    listener = Listener(Dice(1, 2, 3, 4), seconds=0.01)
    answers_to(listener, "PLAYERS a b c", "YOU a", "HAND [ 3♦ 4♦ ]", "TABLE 8♣")
    before = listener.pile
    answers_to(listener, "TURN b", "DISCARD V♣", "TURN c", "BUY 2", "TURN a", "5♦", "TURN b", "BUY 1")
    answers_to(listener, "TURN c", "TURN a", "6♦", "TURN b", "BUY 1", "TURN a")  # now c is out, owing nothing
    assert (listener.out, listener.pile) == ([2], before - 2 - 5)


def test_cards_are_written_as_on_the_wire() -> None:
    assert [card_text(number) for number in range(54)] == [str(card) for card in CARDS]
    assert [card_number(str(card)) for card in CARDS] == list(range(54))


@pytest.mark.parametrize("players", [2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(3))
def test_uno_never_errs_also_where_others_leave(players: int, seed: int) -> None:
    rng = Rng(f"leave/{players}/{seed}")
    context = GameContext(UNO, options(players=players), tuple(f"p{seat}" for seat in range(players)))
    state = UNO.start(context.options)
    listener = Listener(Dice(1, 2, 3, 4), seconds=0.0)  # a world for each move, whatever the clock says
    told = compared = 0
    while UNO.to_move(state):
        by, move = random_move(state, rng, faults=UNO.to_move(state) != (0,))
        if by == 0:
            view = UNO.view(state, 0)
            question = WIRE.codec.encode_question(view, told, context)
            told = question.seen
            said = [listener.hear(line) for line in question.body.decode().splitlines()]
            assert said[:-1] == [None] * (len(said) - 1)
            reply = WIRE.codec.decode_answer([(said[-1] or "").encode()], view, context)
            assert isinstance(reply, Reply)
            assert UNO.check(state, 0, reply.move) is None
            if listener.out == sorted(state.out):
                compared += 1
                bought = reply.move.count if isinstance(reply.move, Buy) else 0
                assert listener.pile == max(0, view.pile - bought)
            move = reply.move
        state = UNO.apply(state, {by: move})
    assert 0 not in state.out
    assert compared
