"""A match with a person, without a terminal: moves that are taken back, the end, and the next match."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path

import pytest

from botequim.bots.entrant import Entrant
from botequim.cli import main
from botequim.core.game import CHANCE, Outcome
from botequim.games.fives.rules import Phase
from botequim.records.reader import parse
from botequim.records.record import Record
from botequim.records.verify import verify_record
from botequim.terminal.person import Left
from botequim.terminal.savegame import SavedMatch, SaveFile, read_save_file
from botequim.terminal.screen import Drawing
from botequim.terminal.session import Session, wants_rematch
from botequim.terminal.ui import Room
from tests.support.terminal import run_piped, terminal

CHOICES = re.compile(r"you can type: (.*)")


class Typist:
    """A screen at which `choose` types one of the commands that it is given, those that are possible."""

    def __init__(self, choose: Callable[[list[str]], str | None]) -> None:
        self.lines: list[str] = []
        self.tables: list[str] = []
        """The tables while others move."""
        self._choose = choose

    def add_lines(self, lines: Iterable[str]) -> None:
        self.lines += lines

    def show(self, lines: Sequence[str], drawing: object) -> None:
        self.lines += lines

    def follow(self, drawing: Drawing) -> None:
        self.tables.append("\n".join(map(str, drawing(Room(80, 24, low=True, tight=False)))))

    def note(self, lines: Sequence[str]) -> None:
        self.lines += lines

    def fits(self, lines: Sequence[str]) -> bool:
        return True

    def wait(self, words: str) -> None:
        pass

    async def line(self, prompt: str) -> str | None:
        possible = []
        for piece in CHOICES.findall("\n".join(self.lines))[-1].split(", "):
            *head, last = piece.split()
            possible += [" ".join((*head, ending)) for ending in last.split("/")]
        command = self._choose(possible)
        self.lines.append(f"{prompt}{command}")
        return command

    def forget_lines(self) -> None:
        pass


def play_session(
    screen: Typist, game: str, options: dict[str, int | str], seed: str = "1", best_of: int = 1
) -> tuple[SavedMatch, list[Record]]:
    """Play a match against greedy players. Return how it ended, and its records, which must be valid."""
    seats = {"cubos": 4, "havana": 4}.get(game, 2)
    players = ["", *["greedy"] * (seats - 1)]
    match = SavedMatch(game, options, 0, players, ["me", *players[1:]], seed, best_of)
    records: list[Record] = []
    entrants = {seat: Entrant("greedy", "greedy") for seat in range(1, seats)}
    with closing(SaveFile.new(game)) as save_file:
        session = Session(match, entrants, screen, save_file, record=records.append)
        over = asyncio.run(session.play())
        assert not save_file.path.exists()
    for record in records:
        (raw,) = parse([line.encode() for line in record.lines()], "record")
        assert verify_record(raw).ok
    return over, records


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@pytest.mark.parametrize(
    ("game", "options"),
    [("cubos", {}), ("havana", {}), ("fives", {"target": 5}), ("uno", {}), ("rps", {"rounds": 4})],
)
def test_a_move_is_taken_back_and_another_one_made(game: str, options: dict[str, int | str]) -> None:
    typed: list[str] = []
    seen: list[list[str]] = []

    def choose(possible: list[str]) -> str:
        seen.append(possible)
        if len(typed) == 0:
            typed.append("u")  # there is nothing to take back yet
        elif len(typed) > 1 and "u" not in typed[1:] and any(len(turn) > 1 for turn in seen[1:-1]):
            typed.append("u")
        else:
            typed.append(possible[-1 if typed[-1] == "u" and len(typed) > 1 else 0])
        return typed[-1]

    screen = Typist(choose)
    _over, (record,) = play_session(screen, game, options)
    text = "\n".join(screen.lines)
    assert text.count("There is no move of yours to take back yet.") == 1
    assert text.count("You take back your move. This game no longer counts.") == 1
    at = typed.index("u", 1)
    before = max(turn for turn in range(at) if len(seen[turn]) > 1 and typed[turn] != "u")
    assert seen[at + 1] == seen[before]  # the position in which the person last had a choice
    assert record.seats[0]["taken_back"] == 1
    assert "You took back 1 move, so this game does not count." in text


def test_the_table_follows_the_moves_of_others() -> None:
    screen = Typist(lambda possible: possible[0])
    _, (record,) = play_session(screen, "cubos", {})
    assert len(screen.tables) == len(record.turns)
    for table, turn in zip(screen.tables, record.turns, strict=True):
        move = turn[0].move
        if hasattr(move, "tile"):
            low, high = sorted(move.tile)
            assert f"{low}-{high}" in table or f"{high}-{low}" in table


def test_taking_back_skips_turns_without_a_choice() -> None:
    """In this game the person has to draw, and takes back the move before the draws."""
    seen: list[list[str]] = []
    typed: list[str] = []

    def choose(possible: list[str]) -> str | None:
        seen.append(possible)
        if "u" in typed:
            return None
        typed.append("u" if len(typed) > 1 and typed[-1] == "d" else possible[0])
        return typed[-1]

    screen = Typist(choose)
    with pytest.raises(Left):
        play_session(screen, "fives", {})
    assert "u" in typed
    last_choice = max(at for at, possible in enumerate(seen[:-2]) if len(possible) > 1)
    assert typed[last_choice + 1 : -1] == ["d"] * (len(typed) - last_choice - 2)
    assert seen[-1] == seen[last_choice]


@pytest.mark.parametrize(
    ("game", "forced"), [("fives", "d (draw a tile)"), ("cubos", "p (pass)"), ("uno", "d 2 (buy 2 cards)")]
)
def test_advice_says_that_a_move_is_forced(game: str, forced: str) -> None:
    asked: list[list[str]] = []

    def choose(possible: list[str]) -> str | None:
        if asked:
            return None
        if len(possible) > 1 or possible[0] != forced.split(" (")[0]:
            return possible[0]
        asked.append(possible)
        return "a"

    screen = Typist(choose)
    for seed in range(1, 20):
        if not asked:
            with suppress(Left):
                play_session(screen, game, {}, seed=str(seed))
    assert f"{forced} is forced: no other move is possible." in screen.lines
    assert not [line for line in screen.lines if "would play" in line]


def test_a_game_with_a_move_taken_back_counts_for_nobody() -> None:
    match = SavedMatch("rps", {}, 0, ["", "greedy"], ["me", "greedy"], "1", 3)
    won = Outcome("rounds", (1, 2), (2, 1))
    assert match.after(won).won == [1, 0]
    assert match.after(won, counts=False).won == [0, 0]
    assert match.after(won, counts=False).number == 1
    typed = iter(["m 0", "u", "m 0", *["m 0"] * 20])
    screen = Typist(lambda possible: next(typed))
    over, records = play_session(screen, "rps", {"rounds": 2}, best_of=3)
    assert ["taken_back" in record.seats[0] for record in records] == [True, *[False] * (len(records) - 1)]
    assert sum(over.won) <= len(records) - 1


def test_a_game_remembers_that_a_move_was_taken_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("play", "rps", "--option", "rounds=3", "--seed", "1", "--against", "greedy")
    left = run_piped(*words, typed="m 0\nm 1\nu\nq\ny\n", state=tmp_path)
    assert "The game is saved." in left.stdout
    (kept,) = (tmp_path / "botequim" / "games").iterdir()
    _match, raw = read_save_file(kept)
    assert raw.header.content["seats"][0] == {"name": "human", "taken_back": 1}
    moves = [[entry["move"] for entry in line.content["moves"] if entry["by"] == 0] for line in raw.turns]
    assert [move for move in moves if move] == [["rock"]]
    folder = tmp_path / "records"
    ran = run_piped("play", "--continue", "--records", str(folder), typed="m 1\nm 2\n", state=tmp_path)
    assert ran.returncode == 0
    assert "You took back 1 move, so this game does not count." in ran.stdout
    assert main(["verify", str(folder)]) == 0
    assert main(["show", str(folder / "rps-000001.jsonl")]) == 0
    assert (
        "Moves that 1 human took back: 1. This game says nothing about strength." in capsys.readouterr().out
    )


MEMORY = """
import json, os, sys
for line in sys.stdin:
    question = json.loads(line)
    with open(sys.argv[1], "a") as log:
        print(os.getpid(), len(question["view"]["rounds"]), file=log)
    print(json.dumps({"move": question["legal"][0]}), flush=True)
"""


def test_a_bot_that_remembers_the_game_is_asked_again(tmp_path: Path) -> None:
    bot, log = tmp_path / "bot", tmp_path / "log"
    bot.mkdir()
    (bot / "bot.py").write_text(MEMORY, encoding="utf-8")
    command = json.dumps(f"{sys.executable} bot.py {log}")
    (bot / "botequim.toml").write_text(f'wire = "arena-lines"\ncommand = {command}\n', encoding="utf-8")
    words = ("play", "rps", "--seed", "1", "--trust")
    ran = run_piped(*words, "--against", str(bot), typed="m 0\nm 0\nm 1\nu\n", state=tmp_path)
    assert "The game continues after turn" in ran.stdout, ran.stderr
    asked = [line.split() for line in log.read_text(encoding="utf-8").splitlines()]
    first, second = dict.fromkeys(process for process, _round in asked)
    assert [int(number) for process, number in asked if process == first][:3] == [0, 1, 2]
    assert [int(number) for process, number in asked if process == second][:2] == [0, 1]


def test_taking_back_on_a_terminal_against_a_champion(tmp_path: Path) -> None:
    words = ("play", "rps", "--seed", "1", "--against", "champion@4")
    with terminal(*words, state=tmp_path) as screen:
        screen.ready()
        screen.type("m 2")
        screen.until(lambda text: "Round 2 of" in text and screen.last == ">")
        screen.type("u")
        text = screen.until(lambda text: "Round 1 of" in text and screen.last == ">")
        assert "You take back your move." in text
        assert "scissors 1" not in text
        screen.type("m 0")
        text = screen.until(lambda text: "Round 2 of" in text and screen.last == ">")
        assert "rock 1" in text
        screen.press("\x03")
        assert screen.end() == 130


@pytest.mark.parametrize("game", ["cubos", "havana", "uno", "fives"])
def test_all_hands_are_open_at_the_end(game: str) -> None:
    screen = Typist(lambda possible: possible[0])
    options: dict[str, int | str] = {"target": 5} if game == "fives" else {}
    for seed in range(1, 40):
        _over, (record,) = play_session(screen, game, options, seed=str(seed))
        if record.outcome.places[0] == 1:  # others still have something in their hands
            break
    state = record.game.start(record.options)
    for turn in record.turns:
        state = record.game.apply(state, {played_move.by: played_move.move for played_move in turn})
    end = "\n".join(screen.lines[-20:])
    counted = {"cubos": "Pips left: ", "havana": "Pips left: ", "uno": "Cards left: ", "fives": "Points: "}
    assert f"\n{counted[game]}1 me: " in end
    assert "you can type" not in screen.lines[-1]
    hands = [hand for hand in state.hands[1:] if hand]
    assert len(hands) >= 1
    if game in ("cubos", "havana", "fives"):
        for hand in hands:
            assert " ".join(map(str, hand)) in end
    else:
        assert re.search(r"greedy \[\d+\]( (\d+|[AVDRC])[♥♦♣♠])+", end)


def test_hands_are_open_after_each_round() -> None:
    screen = Typist(lambda possible: possible[0])
    _over, (record,) = play_session(screen, "fives", {"target": 60}, seed="2")
    state = record.game.start(record.options)
    hands = []
    for turn in record.turns:
        state = record.game.apply(state, {played_move.by: played_move.move for played_move in turn})
        if state.phase is Phase.DEAL and turn[0].by != CHANCE and state.hands[1]:
            hands.append(" ".join(map(str, state.hands[1])))
    assert hands
    told = [line.strip() for line in screen.lines if "still held" in line]
    assert told == [f"2 greedy still held {hand}." for hand in hands]


@pytest.mark.parametrize(
    ("typed", "seen"),
    [
        ("move 1", "1 human: paper"),
        ("2", "1 human: scissors"),
        ("jogar 0", "1 human: rock"),
        ("ajuda", "this help"),
        ("undo", "There is no move of yours to take back yet."),
        ("dica", "greedy would play: "),
        ("sair\ny", "The game is saved."),
        ("nonsense", 'Unknown command "nonsense"; h lists the commands.'),
    ],
)
def test_words_are_understood_too(typed: str, seen: str, tmp_path: Path) -> None:
    words = ("play", "rps", "--seed", "1", "--against", "greedy", "--adviser", "greedy")
    assert seen in run_piped(*words, typed=f"{typed}\n", state=tmp_path).stdout


def test_the_next_match_is_saved_like_the_first(tmp_path: Path) -> None:
    words = ("play", "rps", "--option", "rounds=1", "--seed", "7", "--against", "greedy")
    with terminal(*words, state=tmp_path) as screen:
        screen.ready()
        screen.press("m 0\r")
        screen.until("Play again, with sides swapped? (y/n)")
        assert not list((tmp_path / "botequim" / "games").iterdir())
        screen.press("y\r")
        screen.until(lambda text: "seed 7/rematch/1" in text and screen.last == ">")
        listed = run_piped("play", "--list", typed="", state=tmp_path)
        assert ", 0 turns, saved " in listed.stdout
        assert listed.stdout.endswith("\n  being played now\n")
        screen.press("\x03")
        screen.until("The game is saved. To continue: botequim play rps --continue")
        assert screen.end() == 130


def test_the_next_match_has_the_sides_swapped(tmp_path: Path) -> None:
    words = ("play", "rps", "--option", "rounds=1", "--seed", "7", "--against", "greedy")
    folder = tmp_path / "records"
    ran = run_piped(
        *words, "--records", str(folder), typed="m 0\ny\nm 0\nyes\nm 1\nm 2\nno\n", state=tmp_path
    )
    assert ran.returncode == 0
    assert ran.stdout.count("Play again, with sides swapped? (y/n)") == 4, "m 2 is no answer"
    headings = [line for line in ran.stdout.splitlines() if line.startswith("A game of rps")]
    assert [line.split("seed ")[1] for line in headings] == ["7", "7/rematch/1", "7/rematch/2"]
    names = [
        [seat["name"] for seat in json.loads(path.read_text(encoding="utf-8").splitlines()[0])["seats"]]
        for path in sorted(folder.iterdir())
    ]
    assert names == [["human", "greedy"], ["greedy", "human"], ["human", "greedy"]]
    assert main(["verify", "--quiet", str(folder)]) == 0
    again = run_piped(*words, typed="m 0\ny\n", state=tmp_path)  # the next match is left and goes on
    assert "The game is saved." in again.stdout
    on = run_piped("play", "--continue", typed="m 0\n", state=tmp_path)
    assert "A game of rps, seed 7/rematch/1" in on.stdout
    assert "1 greedy" in on.stdout


def test_partners_stay_together_in_the_next_match() -> None:
    match = SavedMatch("cubos", {}, 2, ["a", "b", "", "c"], ["a", "b", "me", "c"], "1")
    other = match.rematch(swap=True)
    assert (other.seat, other.names, other.players) == (3, ["c", "a", "b", "me"], ["c", "a", "b", ""])
    same = match.rematch(swap=False)
    assert (same.seat, same.names, same.seed) == (2, ["a", "b", "me", "c"], "1/rematch/1")


@pytest.mark.parametrize(("answer", "again"), [("y", True), (" SIM ", True), ("n", False), (None, False)])
def test_nobody_has_to_play_again(answer: str | None, again: bool) -> None:
    screen = Typist(lambda possible: answer)
    screen.lines.append("you can type: m 0")
    assert asyncio.run(wants_rematch(screen)) is again
