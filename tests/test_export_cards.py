"""The submissions of rps and uno, entered over their competitions' own wires."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from botequim.cli import main
from botequim.core.game import Remark
from botequim.core.options import settle
from botequim.core.process import Sandbox
from botequim.core.rng import Rng
from botequim.core.turn import Reply
from botequim.core.wire import Seating
from botequim.dialects.uno import WIRE
from botequim.export import rps
from botequim.export.rps_art import bay
from botequim.export.rps_main import Kept, mind_after
from botequim.export.uno_main import Listener, card_number, card_text
from botequim.games.cards import CARDS
from botequim.games.rps import GAME as RPS
from botequim.games.rps import HANDS
from botequim.games.uno import GAME as UNO
from botequim.players.champions.rps import RpsChampion
from botequim.search.chance import Dice
from tests.test_bots import faults, made, play, sandbox
from tests.uno_tables import options, random_move

__all__ = ["sandbox"]


def written(game: str, folder: Path) -> Path:
    assert main(["export", game, str(folder)]) == 0
    return folder


# --- rps ---------------------------------------------------------------------------------------------------


def test_rps_plays_a_game_over_its_wire(sandbox: Sandbox, tmp_path: Path) -> None:
    bot = written("rps", tmp_path / "bot")
    # in a process: what its Dockerfile builds upon is not at hand everywhere
    (bot / "botequim.toml").write_text('command = "./bot.py"\n')
    (record,) = play("rps", [bot, "rock"], sandbox, tmp_path)
    assert faults([record]) == []
    assert record.outcome.places[0] == 1
    frames = [
        tuple(remark.value) for turn in made(record, 0) for remark in turn.remarks if remark.kind == "art"
    ]
    assert len(frames) == 50
    assert len(set(frames)) == 50, "the picture moves"


def test_rps_is_one_line_of_json_without_anything_of_ours(tmp_path: Path) -> None:
    bot = written("rps", tmp_path / "bot")
    history = ";".join(["pr1"] * 20)
    command = [sys.executable, "-I", "-S", str(bot / "bot.py"), history]
    done = subprocess.run(command, capture_output=True, env={"PLAYER_NUMBER": "1"}, check=True, cwd="/")
    (line,) = done.stdout.decode().splitlines()
    assert json.loads(line)["move"] == "PAPER"
    assert "FROM" in (bot / "Dockerfile").read_text()
    assert "botequim." not in (bot / "bot.py").read_text().replace("`botequim.", "")


def test_the_exported_mind_is_the_champions() -> None:
    kept = Kept(rps.counts())
    rng = Rng("same mind")
    state = RPS.start(settle("rps", RPS.options, {}))
    champion = RpsChampion(Rng("1"))
    while RPS.to_move(state):
        if RPS.to_move(state) == (-1,):
            state = RPS.apply(state, {-1: RPS.chance(state, rng)})
            continue
        view = RPS.view(state, 1)
        announced = champion.advise(view).mixture
        exported = mind_after(view.history, 2, kept).mixture()
        # the table in the file is rounded: where two mixtures are as good as equal it may take the other
        assert sum(exported) == pytest.approx(1)
        if len(view.rounds) < 2:
            assert exported == pytest.approx(tuple(announced[hand] for hand in HANDS), abs=0.02)
        state = RPS.apply(state, {0: rng.choice(HANDS), 1: rng.choice(HANDS)})


def test_rps_bears_dashes_in_its_history() -> None:
    kept = Kept(rps.counts())
    assert sum(mind_after("-r2;p-1;--0;rp2", 1, kept).mixture()) == pytest.approx(1)


def test_every_frame_is_within_the_limits() -> None:
    for number in range(60):
        frame = bay(number, number // 2, number - number // 2)
        assert RPS.check_remark(Remark("art", frame)) is None
        assert all(line.isascii() for line in frame)


# --- uno ---------------------------------------------------------------------------------------------------


def test_uno_plays_over_its_wire(sandbox: Sandbox, tmp_path: Path) -> None:
    bot = written("uno", tmp_path / "bot")
    (bot / "botequim.toml").write_text('command = "./bot.py 0.05"\n')
    records = play("uno", [bot, "heuristic", bot, "random"], sandbox, tmp_path, games=2)
    assert faults(records) == []
    assert all(made(record, 0) for record in records)


def test_uno_needs_nothing_of_ours(tmp_path: Path) -> None:
    bot = written("uno", tmp_path / "bot")
    lines = "PLAYERS a b\nYOU a\nHAND [ 4♥ 7♦ 2♣ ]\nTABLE 8♣\nTURN b\nDISCARD V♣\nTURN a\n"
    lines += "3♥\nD♥\nTURN b\nBUY 1\nTURN a\n"
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(bot / "bot.py"), "0.05"],
        input=lines.encode(),
        capture_output=True,
        check=True,
        cwd="/",
    )
    debt, move = done.stdout.decode().splitlines()
    assert debt == "BUY 2"
    assert move in ("DISCARD 2♣", "BUY 1")  # in so short a time it may think of few worlds


def test_cards_are_written_as_on_the_wire() -> None:
    assert [card_text(number) for number in range(54)] == [str(card) for card in CARDS]
    assert [card_number(str(card)) for card in CARDS] == list(range(54))


@pytest.mark.parametrize("players", [2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(3))
def test_uno_never_errs_also_where_others_leave(players: int, seed: int) -> None:
    rng = Rng(f"leave/{players}/{seed}")
    seating = Seating(UNO, options(players=players), tuple(f"p{seat}" for seat in range(players)))
    state = UNO.start(seating.options)
    listener = Listener(Dice(1, 2, 3, 4), seconds=0.005)
    told = 0
    while UNO.to_move(state):
        by, move = random_move(state, rng, faults=UNO.to_move(state) != (0,))
        if by == 0:
            view = UNO.view(state, 0)
            question = WIRE.dialect.ask(view, told, seating)
            told = question.seen
            said = [listener.hear(line) for line in question.body.decode().splitlines()]
            assert said[:-1] == [None] * (len(said) - 1)
            reply = WIRE.dialect.read([(said[-1] or "").encode()], view, seating)
            assert isinstance(reply, Reply)
            assert UNO.check(state, 0, reply.move) is None
            move = reply.move
        state = UNO.apply(state, {by: move})
    assert 0 not in state.out
