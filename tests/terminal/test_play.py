"""A person plays: in a real terminal, over a pipe, in both languages."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.cli import main
from botequim.records.reader import read_records
from botequim.records.record import Record
from botequim.records.verify import verify_record
from botequim.terminal.savegame import SavedMatch, SaveFile, read_save_file
from botequim.terminal.session import Session
from tests.support.pace import PATIENCE
from tests.support.terminal import Terminal, piped_process, run_piped, surroundings, terminal

ADVICE = re.compile(
    r"(?:would play|jogaria): ((?:m \d+|d|p)(?: \w+)?) \(|(?:would play|jogaria): ([dp]) "
    r"|^((?:m \d+|d|p)(?: \w+)?) \(",  # a forced move
    re.MULTILINE,
)


QUESTION = re.compile(r"\((?:y|s)/n\)$")


class Scene(NamedTuple):
    """A small game of each kind."""

    words: tuple[str, ...]
    typed: tuple[str, ...] = ()
    """What is typed first; then whatever is advised."""
    shown: tuple[str, ...] = ()
    """What must have been seen, whatever the language."""


SCENES = {
    "fives": Scene(
        ("--option", "target=5", "--best-of", "1", "--seed", "2", "--against", "greedy"),
        shown=("(0):", "x-x"),
    ),
    "cubos": Scene(("--seat", "3", "--against", "greedy", "--partner", "greedy"), shown=("3 ", "6-6")),
    "havana": Scene(("--against", "greedy", "--partner", "greedy", "--seed", "1"), shown=("8-8",)),
    "uno": Scene(("--seed", "1", "--against", "greedy"), ("m 1 s",), ("│ ♦ │", "♠")),
    "rps": Scene(
        ("--option", "rounds=3", "--seed", "1", "--against", "greedy"), ("m 0", "m p"), ("▄████▄", "≡≡≡≡")
    ),
}
LANGUAGES = {"en": ("human", "Winner: ", "A draw."), "pt_BR": ("humano", "Vencedor: ", "Empate.")}


def play_game(screen: Terminal, scene: Scene) -> tuple[list[str], str]:
    """A whole game by typed commands: these, and all that was seen."""
    commands: list[str] = []
    seen = ""
    first = list(scene.typed)
    while True:
        text = screen.until(lambda text: screen.last == ">" or bool(QUESTION.search(screen.last)))
        seen += text
        if screen.last != ">":
            screen.press("n\r")
            assert screen.end() == 0, screen.text
            return commands, seen + screen.text
        advised = ADVICE.findall(text)
        assert advised, text
        command = first.pop(0) if first else next(filter(None, advised[-1]))
        commands.append(command)
        screen.type(command)


def moves(folder: Path) -> list[object]:
    """What was played, without the time it took."""
    games = [found for path in sorted(folder.iterdir()) for found in read_records(path)]
    assert all(verify_record(found).ok for found in games)
    return [
        [[(entry["by"], entry["move"]) for entry in turn.content["moves"]] for turn in found.turns]
        for found in games
    ]


@pytest.mark.parametrize(
    ("game", "language"),
    [
        *((game, "en") for game in ("cubos", "uno", "rps")),
        ("rps", "pt_BR"),
        *(pytest.param(game, "en", marks=pytest.mark.slow) for game in ("havana", "fives")),
        *(pytest.param(game, "pt_BR", marks=pytest.mark.slow) for game in SCENES if game != "rps"),
    ],
)
def test_a_game_at_a_terminal_and_the_same_over_a_pipe(game: str, language: str, tmp_path: Path) -> None:
    scene = SCENES[game]
    words = ("--lang", language, "play", game, "--hint", "--adviser", "greedy", *scene.words)
    if "--seed" not in words:
        words = (*words, "--seed", "1")
    with terminal(*words, "--records", str(tmp_path / "typed"), state=tmp_path, rows=30) as screen:
        commands, seen = play_game(screen, scene)
    human, winner, draw = LANGUAGES[language]
    assert human in seen
    assert winner in screen.text or draw in screen.text
    for text in scene.shown:
        assert text in seen
    assert not list((tmp_path / "botequim" / "games").iterdir())
    typed = "".join(command + "\n" for command in commands)
    ran = piped_process(*words, "--records", str(tmp_path / "piped"), typed=typed, state=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "\x1b" not in ran.stdout
    assert winner in ran.stdout or draw in ran.stdout
    assert moves(tmp_path / "piped") == moves(tmp_path / "typed")


def test_an_ace_asks_for_a_suit(tmp_path: Path) -> None:
    typed = "m 1\nm 1 x\nm 1 s\nq\ny\n"
    out = run_piped("play", "uno", "--seed", "1", "--against", "greedy", typed=typed, state=tmp_path).stdout
    assert "A♦ asks for a suit: m 1 h for ♥, or d ♦, c ♣, s ♠." in out
    assert '"x" is not a suit' in out
    assert "1 human discards A♦ and asks for ♠." in out


def test_a_new_size_in_the_middle_of_a_command(tmp_path: Path) -> None:
    words = ("play", "havana", "--seed", "1", "--against", "greedy", "--partner", "greedy")
    with terminal(*words, state=tmp_path, columns=100, rows=30) as screen:
        wide = screen.ready()
        screen.press("m 3")
        screen.until("> m 3")
        screen.resize(40, 30)
        narrow = screen.until(lambda text: "> m 3" in text and "  9" in text)
        assert max(map(len, wide.splitlines())) > 40
        assert wide.count("┌───┐ ┌───┐ ┌───┐ ┌───┐ ┌───┐ ┌───┐ ┌───┐") == 1
        assert narrow.count("└───┘ └───┘ └───┘ └───┘") == 2  # the hand has two rows now
        screen.resize(160, 45)
        large = screen.until(lambda text: "> m 3" in text and "●" in text)
        assert "┌───────┐" in large
        screen.press(" l\r")
        screen.until("1 human lays 4-5 on the left.")


def test_the_display_of_fives_is_that_of_its_document(tmp_path: Path) -> None:
    ran = run_piped("play", "fives", "--seed", "3", "--against", "greedy", typed="", state=tmp_path)
    assert ran.returncode == 0
    shown = ran.stdout.split("-" * 34 + "\n")[1].splitlines()
    assert re.fullmatch(r"human\*\(0\):( \d-\d){7}", shown[0])
    assert shown[1] == "robot(0):" + " x-x" * 6
    assert shown[2] == "boneyard:" + " x-x" * 14
    assert shown[3:10] == [
        "tiles: 28",
        "spinner: 6-6",
        "left:",
        "right:",
        "up:",
        "down:",
        "board score: 12",
    ]


FIRST_SIGHT = {
    "fives": ("m 2 l (lay 2-6 on the left)", "2: 2-6   3: 0-0", "you can type: m 2 l, m 6 l"),
    "cubos": ("m 1 r (lay 3-4 on the right)", "1: 3-4", "you can type: m 1 r, m 5 l"),
    "havana": ("m 0 r (lay 2-6 on the right)", "0: 2-6", "you can type: m 0 r, m 7 l, p"),
    "uno": ("m 1 (discard V♣)", "1: V♣", "you can type: m 1, m 2, m 3 h/d/c/s, m 5, d"),
    "rps": ("m 0 (show rock)", "0: rock", "you can type: m 0, m 1, m 2"),
}


@pytest.mark.parametrize("game", list(FIRST_SIGHT))
def test_the_first_prompt_says_what_to_type(game: str, tmp_path: Path) -> None:
    example, index, commands = FIRST_SIGHT[game]
    partner = ("--partner", "greedy") if game in ("cubos", "havana") else ()
    words = ("play", game, "--seed", "3", "--against", "greedy", *partner)
    out = run_piped(*words, typed=f"{example.split(' (')[0]}\n", state=tmp_path).stdout
    first, _, later = out.partition("\n> ")
    assert f"Type a command, for example {example}" in first
    assert first.endswith(", or h for help.")
    assert index in first
    assert commands in first
    assert "you can type: " in later  # the commands are shown at every turn, the example only once
    assert "Type a command" not in later


EXPLAINED = {
    "fives": (
        "m 6 l   lay 3-6 on the left: the ends add up to 15, which you score",
        "(left: 6); the ends add up to 12 now.",
        "x-x         a tile that you do not see",
        "The first double is the spinner",
    ),
    "cubos": (
        "The ends of the line are 1 and 4",
        "m 5 l   lay 0-1 on the left",
        "The player who holds 6-6 opens",
    ),
    "havana": (
        "The ends of the line are 8 and 6",
        "p       pass",
        "You may pass even if one of your tiles fits.",
    ),
    "uno": (
        "4♣ is on the table, so every 4, ♣, A and C fits",
        "m 5     discard 4♠",
        "V         valete, the jack: the next player buys 2 cards",
        "D         dama, the queen",
        "R         rei, the king",
        "A         the ace",
        "C         coringa, the joker",
        "The first player without cards wins.",
    ),
    "rps": (
        "If both show rock, a coin decides.",
        "m 2   show scissors",
        "Equal hands: the player who has shown",
    ),
}


@pytest.mark.parametrize("game", list(EXPLAINED))
def test_help_explains_the_rules_and_the_position(game: str, tmp_path: Path) -> None:
    partner = ("--partner", "greedy") if game in ("cubos", "havana") else ()
    words = ("play", game, "--seed", "3", "--against", "greedy", *partner)
    out = run_piped(*words, typed="h\n", state=tmp_path).stdout
    for sentence in (*EXPLAINED[game], "It is your turn.", f"The rules of {game}:", "this help"):
        assert sentence in out
    translated = run_piped(*words, "--lang", "pt_BR", typed="h\n", state=tmp_path).stdout
    rules = (registry.texts(game) / "short.pt-BR.txt").read_text(encoding="utf-8")  # type: ignore[operator]
    assert rules in translated


def test_help_has_pages_if_the_terminal_is_small(tmp_path: Path) -> None:
    words = ("play", "uno", "--seed", "3", "--against", "greedy")
    with terminal(*words, state=tmp_path, columns=60, rows=24) as screen:
        screen.ready()
        pages: list[str] = []
        while not pages or "h again: more" in pages[-1]:
            screen.type("h")
            pages.append(screen.ready())
            assert "human*" in pages[-1]
            assert "0: [" in pages[-1]  # the hand stays in sight
        assert len(pages) > 1
        for part in ("this help", "coringa, the joker", "discard V♣", "The first player without cards wins."):
            assert any(part in page for page in pages), part
        screen.type("h")  # begins again
        assert screen.ready() == pages[0]
        screen.resize(100, 60)
        screen.type("s")
        screen.ready()
        screen.type("h")
        assert "The first player without cards wins." in screen.ready()  # all on one page
        screen.press("\x03")
        assert screen.end() == 130


def test_the_example_is_shown_on_a_terminal_too(tmp_path: Path) -> None:
    words = ("play", "rps", "--seed", "3", "--against", "greedy")
    with terminal(*words, state=tmp_path, columns=40) as screen:
        assert "for example m 0 (show rock)" in " ".join(screen.ready().split())
        screen.type("m 0")
        assert "for example" not in screen.ready()
        screen.press("\x03")
        assert screen.end() == 130


@pytest.mark.parametrize(
    ("game", "command", "why"),
    [
        ("fives", "m 0 l", "0-2 does not fit the left end, 6."),
        ("fives", "m 0 x", '"x" is not a direction; use l, r, u or d.'),
        ("fives", "m", "The index is missing; for example: m 0."),
        ("fives", "m seven", '"seven" is not an index; choose one from 0 to 6.'),
        ("fives", "m 7 l", "There is no index 7; choose one from 0 to 6."),
        ("fives", "d", "Only possible if no tile fits, but 2-6 does."),
        ("fives", "m 2 l now", 'This command takes no "now"; h lists the commands.'),
        ("fives", "\x1b[31mx", 'Unknown command "·[31mx"; h lists the commands.'),
        ("cubos", "p", "Only possible if no tile fits, but "),
        ("cubos", "m 0 u", '"u" is not an end of the line; use l or r.'),
        ("havana", "m 0", "3-9 does not fit anywhere now."),
        ("uno", "m 0", "V♥ does not fit: the table is 8♦ and the suit to follow ♦."),
        ("uno", "d 99", "1 to 54 cards can be bought, not 99."),
        ("uno", "d many", '"many" is not a number of cards.'),
        ("fives", "M 0 X", '"x" is not a direction; use l, r, u or d.'),
        ("rps", "m 3", "There is no index 3; choose one from 0 to 2."),
    ],
)
def test_what_cannot_be_done_is_explained_and_asked_again(
    game: str, command: str, why: str, tmp_path: Path
) -> None:
    seed = "3" if game == "fives" else "1"
    words = ("play", game, "--seed", seed, "--against", "greedy")
    out = run_piped(*words, typed=f"{command}\nh\n", state=tmp_path).stdout
    _said, _, after = out.partition(why)
    assert after, out
    assert "this help" in after


def test_leaving_is_asked_about_and_a_left_game_goes_on(tmp_path: Path) -> None:
    words = ("play", "uno", "--seed", "1", "--against", "greedy", "--against", "random")
    whole = run_piped(*words, "--records", str(tmp_path / "whole"), typed="m 0\nd\n" * 80, state=tmp_path)
    assert "Winner" in whole.stdout or "Shared" in whole.stdout
    with terminal(*words, "--records", str(tmp_path / "parts"), state=tmp_path) as screen:
        screen.ready()
        screen.type("d")
        screen.ready()
        screen.type("q")
        screen.until("Leave the game? It will be saved. (y/n)")
        screen.press("n\r")
        screen.ready()
        screen.type("q")
        screen.until("Leave the game?")
        screen.press("y\r")
        screen.until("The game is saved. To continue: botequim play uno --continue")
        assert screen.end() == 0
    listed = json.loads(run_piped("play", "--list", "--json", typed="", state=tmp_path).stdout)
    assert [row["game"] for row in listed] == ["uno"]
    ran = run_piped(
        "play", "--continue", "--records", str(tmp_path / "on"), typed="m 0\nd\n" * 80, state=tmp_path
    )
    assert ran.returncode == 0
    assert "The game continues after turn" in ran.stdout
    assert moves(tmp_path / "on")
    assert run_piped("play", "--list", typed="", state=tmp_path).stdout == "There are no saved games.\n"
    again = run_piped("play", "uno", "--continue", typed="", state=tmp_path)
    assert again.returncode == 2
    assert "there is no saved game; start one with: botequim play GAME" in again.stderr


def test_a_game_that_goes_on_is_the_game_that_would_have_been(tmp_path: Path) -> None:
    words = ("play", "cubos", "--seed", "4", "--against", "champion@4", "--partner", "champion@4")
    first = "\n".join(f"m {at} {end}" for at in range(7) for end in "lr")
    whole = run_piped(*words, "--records", str(tmp_path / "a"), typed=(first + "\np\n") * 12, state=tmp_path)
    assert whole.returncode == 0
    left = run_piped(*words, typed=first, state=tmp_path)
    assert "The game is saved." in left.stdout
    on = run_piped(
        "play",
        "--continue",
        "--records",
        str(tmp_path / "b"),
        typed=("p\n" + first + "\n") * 12,
        state=tmp_path,
    )
    assert on.returncode == 0
    before, after = moves(tmp_path / "a")[0], moves(tmp_path / "b")[0]
    assert isinstance(before, list)
    assert isinstance(after, list)
    assert before[:4] == after[:4]  # the deal, the opening, and what was played before it was left


def test_a_champion_says_why(tmp_path: Path) -> None:
    words = ("play", "cubos", "--seed", "1", "--against", "greedy", "--partner", "greedy")
    out = run_piped(*words, "--adviser", "champion@20", typed="a\n", state=tmp_path).stdout
    assert re.search(r"champion@20 would play: m \d [lr] \(\d-\d\), [\d.]+% ±[\d.]+% to win", out)
    wrong = run_piped(*words, "--adviser", "nobody", typed="", state=tmp_path)
    assert wrong.returncode == 2
    assert 'unknown player "nobody" for cubos' in wrong.stderr


HANDS = {"fives": 2, "cubos": 4, "havana": 4, "uno": 2, "rps": 2}


@pytest.mark.parametrize(
    ("game", "language"),
    [
        *((game, "pt_BR") for game in HANDS),
        *(pytest.param(game, "en", marks=pytest.mark.slow) for game in HANDS),
    ],
)
def test_help_leaves_the_table_in_sight_on_a_small_terminal(game: str, language: str, tmp_path: Path) -> None:
    words = ("play", game, "--seed", "7", "--against", "greedy", "--name", "Me")
    with terminal(
        *words, state=tmp_path, columns=40, rows=24, environment={"BOTEQUIM_LANG": language}
    ) as screen:
        screen.ready()
        screen.type("h")
        text = screen.ready()
        assert "  h  " in text  # the last of the commands
        assert "  m 0" in text  # and the first
        assert "0: " in text
        names = ["Me", *(["robot", "robô"] if game == "fives" else ["greedy"])]
        seen = [line for line in text.splitlines() for name in names if name in line]
        assert len(seen) >= HANDS[game] - 1, text  # two may share a line
        if game == "fives":
            assert "x-x × 6" in text  # the other's hand
            assert "0: 2-6" in text
            assert "15" in text


def test_ctrl_c_is_clean_and_keeps_the_game(tmp_path: Path) -> None:
    with terminal("play", "cubos", "--seed", "1", state=tmp_path) as screen:
        screen.ready()
        screen.press("\x03")
        screen.until("interrupted")
        assert screen.end() == 130
        assert "Traceback" not in screen.text
        assert "botequim play cubos --continue" in screen.text
    assert len(list((tmp_path / "botequim" / "games").iterdir())) == 1


def test_a_terminal_that_goes_away_ends_the_game(tmp_path: Path) -> None:
    with terminal("play", "rps", "--seed", "1", state=tmp_path) as screen:
        screen.ready()
        os.killpg(screen.process.pid, signal.SIGTERM)
        assert screen.end() == 143


def test_a_match_is_the_best_of_some_games(tmp_path: Path) -> None:
    words = ("play", "rps", "--best-of", "3", "--option", "rounds=1", "--seed", "1", "--against", "rock")
    out = run_piped(*words, typed="m 0\n" * 3, state=tmp_path).stdout
    assert "Game 1 of rps, best of 3, seed 1" in out
    assert "Games won: 1 human: " in out
    assert "wins the match." in out or "The match is a draw." in out


def test_keys_that_mend_a_line(tmp_path: Path) -> None:
    with terminal("play", "rps", "--option", "rounds=1", "--seed", "1", state=tmp_path) as screen:
        screen.ready()
        screen.press("h\x1b[A\x7fm 2")
        screen.until(lambda text: screen.last == "> m 2")
        screen.press("\x15m 0")
        screen.until(lambda text: screen.last == "> m 0")
        screen.press("\r")
        screen.until("Play again, with sides swapped? (y/n)")
        screen.press("n\r")
        assert screen.end() == 0
        assert "All rounds are played" in screen.text


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("play",), "give a game: cubos, fives, havana, rps, uno"),
        (("play", "fives", "--seat", "3"), "there is no player 3; this table has players 1 to 2"),
        (("play", "fives", "--partner", "greedy"), "fives has no partners"),
        (("play", "rps", "--best-of", "0"), "a match has 1 to 99 games"),
        (("play", "cubos", "--against", "a", "--against", "b"), "--against is given 2 times; give it once"),
        (("play", "rps", "--name", "x" * 41), "a name has at most 40 characters"),
        (("play", "rps", "--json"), "--json works only with --list"),
        (("play", "fvies"), "did you mean fives?"),
        (("play", "fives", "--against", "chmpion"), "did you mean champion?"),
        (("play", "fives", "--adviser", "gredy"), "did you mean greedy?"),
        (("play", "nonsense", "--list"), 'unknown game "nonsense"'),
        (("play", "nonsense", "--continue"), 'unknown game "nonsense"'),
        (("play", "rps", "--records", "/dev/null/x"), "the folder /dev/null/x cannot be used"),
        (("play", "cubos", "--against", "champion@weird"), 'unknown level "weird"'),
    ],
)
def test_a_table_that_cannot_be_laid(
    words: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert why in capsys.readouterr().err


@pytest.mark.parametrize("game", list(SCENES))
def test_advice_speaks_the_readers_language(game: str, tmp_path: Path) -> None:
    words = ("play", game, "--seed", "3", "--against", "greedy", "--adviser", "champion@20")
    out = run_piped(*words, "--lang", "pt_BR", typed="a\n", state=tmp_path).stdout
    advice = "\n".join(out.partition("jogaria:")[2].splitlines()[:3])
    assert "senão" in advice
    assert not re.search(r"left|right|discard|buy|draw|pass\b|rock|paper|scissors|\d-\d [01]", advice), advice


def test_advice_for_the_first_round_cannot_be_foreseen_either(tmp_path: Path) -> None:
    words = ("play", "rps", "--against", "greedy", "--adviser", "champion@20")
    advised = set()
    for seed in range(4):
        out = run_piped(*words, "--seed", str(seed), typed="a\n", state=tmp_path).stdout
        assert "so that opponents cannot predict them" in out
        advised.add(next(filter(None, ADVICE.findall(out)[0])))
    assert len(advised) > 1


@pytest.mark.parametrize(("game", "columns"), [("fives", 80), ("cubos", 40), ("uno", 40)])
def test_a_low_terminal_keeps_the_table_in_sight(game: str, columns: int, tmp_path: Path) -> None:
    words = ("play", game, "--seed", "3", "--against", "greedy")
    with terminal(*words, state=tmp_path, columns=columns, rows=24) as screen:
        screen.ready()
        screen.type("h")  # the room that it needs is taken from the pieces
        text = screen.until("this help")
        assert "human*" in text
        assert re.search(r"0: (\[|\d-\d)", text)
        assert not set("┌╭") & set(text)
        screen.resize(columns, 50)
        screen.until(lambda text: "human*" in text and bool(set("┌╭") & set(text)))
        screen.press("\x03")
        assert screen.end() == 130


def test_a_game_that_goes_on_takes_no_other_table(tmp_path: Path) -> None:
    left = run_piped("play", "rps", "--seed", "1", "--against", "greedy", typed="m 0\n", state=tmp_path)
    assert left.returncode == 0
    (kept,) = (tmp_path / "botequim" / "games").iterdir()
    for words, why in (
        (("cubos", "--continue", str(kept)), "the saved game is rps, not cubos"),
        (("--continue", "--seed", "2", "--best-of", "3"), "omit --best-of, --seed"),
        (("--continue", __file__), "is not a saved game; botequim play --list lists them"),
    ):
        ran = run_piped("play", *words, typed="", state=tmp_path)
        assert ran.returncode == 2
        assert why in ran.stderr
    kept.with_name("rps-broken.jsonl").write_text("[]\n", encoding="utf-8")
    listed = run_piped("play", "--list", typed="", state=tmp_path)
    assert listed.returncode == 0
    assert "rps-broken.jsonl is not a saved game; delete it" in listed.stderr
    head, how = listed.stdout.splitlines()
    assert re.fullmatch(r"rps with human, greedy, 1 turn, saved \d{4}-\d\d-\d\d \d\d:\d\d:", head)
    assert how == f"  botequim play --continue {kept}"


def test_a_game_is_played_at_one_terminal_at_a_time(tmp_path: Path) -> None:
    words = ("play", "rps", "--seed", "1", "--against", "greedy")
    with terminal(*words, state=tmp_path) as screen:
        screen.ready()
        screen.type("m 0")
        screen.ready()
        (kept,) = (tmp_path / "botequim" / "games").iterdir()
        for named in ((), (str(kept),)):
            ran = run_piped("play", "--continue", *named, typed="m 0\n", state=tmp_path)
            assert ran.returncode == 2
            assert f"{kept} is being played at another terminal; leave it there first" in ran.stderr
        listed = run_piped("play", "--list", typed="", state=tmp_path)
        assert "rps with human, greedy, 1 turn, saved " in listed.stdout
        assert listed.stdout.endswith("\n  being played now\n")
        assert json.loads(run_piped("play", "--list", "--json", typed="", state=tmp_path).stdout)[0][
            "in_play"
        ]
        run_piped("play", "uno", "--seed", "1", "--against", "greedy", typed="", state=tmp_path)
        os.utime(kept)  # the last of the two, but not free
        other = run_piped("play", "--continue", typed="", state=tmp_path)
        assert (other.returncode, other.stderr) == (0, "")
        assert "A game of uno, seed 1" in other.stdout
        screen.press("\x03")
        assert screen.end() == 130
    on = run_piped("play", "rps", "--continue", typed="", state=tmp_path)
    assert (on.returncode, on.stderr) == (0, "")


class Leaving:
    """A screen at which a game is played with rock, and left as soon as it is said how it ended."""

    def add_lines(self, lines: Iterable[str]) -> None:
        if any("All rounds are played" in line for line in lines):
            raise KeyboardInterrupt

    def show(self, lines: Sequence[str], drawing: object) -> None:
        pass

    def follow(self, drawing: object) -> None:
        pass

    def note(self, lines: Sequence[str]) -> None:
        pass

    def fits(self, lines: Sequence[str]) -> bool:
        return True

    def wait(self, words: str) -> None:
        pass

    async def line(self, prompt: str) -> str | None:
        return "m 0"

    def forget_lines(self) -> None:
        pass


@pytest.mark.parametrize("best_of", [1, 3])
def test_a_game_that_is_over_is_not_kept_whenever_one_leaves(
    best_of: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    match = SavedMatch("rps", {"rounds": 1}, 0, ["", "greedy"], ["me", "greedy"], "1", best_of)
    recorded: list[Record] = []
    with closing(SaveFile.new("rps")) as kept:
        entrants = {1: Entrant("greedy", "greedy")}
        table = Session(match, entrants, Leaving(), kept, record=recorded.append)
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(table.play())
        assert len(recorded) == 1
        if best_of == 1:
            assert not kept.path.exists()
        else:
            next_game, found = read_save_file(kept.path)
            assert (next_game.number, found.turns) == (1, [])


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("game", [1], '"game" must be the name of a game'),
        ("options", [], '"options" must be an object'),
        ("seed", 5, '"seed" must be a text'),
        ("seat", 9, '"seat" must be a whole number from 0 to 1'),
        ("seat", "x", '"seat" must be a whole number from 0 to 1'),
        ("seat", 1, '"players" must name every player except the person at "seat" 1'),
        ("players", 5, '"players" must be a list of 2 texts'),
        ("players", ["", 5], '"players" must be a list of 2 texts'),
        ("names", ["a"], '"names" must be a list of 2 texts'),
        ("best_of", "x", '"best_of" must be a whole number of games'),
        ("best_of", True, '"best_of" must be a whole number of games'),
        ("number", 1, '"number" must be a whole number of games, less than "best_of"'),
        ("number", -1, '"number" must be a whole number of games, less than "best_of"'),
        ("won", "abc", '"won" must be a list of 2 whole numbers, or empty'),
        ("won", [1, 2, 3], '"won" must be a list of 2 whole numbers, or empty'),
        ("won", [1, 0], '"won" says that the match is over'),
    ],
)
def test_a_kept_game_is_not_believed(
    field: str, value: object, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = {
        "table": 1,
        "game": "rps",
        "options": {},
        "seat": 0,
        "players": ["", "greedy"],
        "names": ["me", "greedy"],
        "seed": "1",
        "best_of": 1,
        "won": [],
        "number": 0,
    }
    kept = tmp_path / "kept.jsonl"
    header = {"botequim": 1, "game": "rps", "seed": "1", "seats": [{"name": "me"}, {"name": "greedy"}]}
    kept.write_text(f"{json.dumps(table)}\n{json.dumps(header)}\n", encoding="utf-8")
    read_save_file(kept)
    kept.write_text(f"{json.dumps(table | {field: value})}\n{json.dumps(header)}\n", encoding="utf-8")
    assert main(["play", "--continue", str(kept)]) == 2
    assert f"{kept}:1: {why}" in capsys.readouterr().err


def test_records_of_a_second_sitting_go_beside_those_of_the_first(tmp_path: Path) -> None:
    words = ("play", "rps", "--option", "rounds=1", "--against", "greedy", "--records", str(tmp_path / "r"))
    for _sitting in range(2):
        assert run_piped(*words, typed="m 0\n", state=tmp_path).returncode == 0
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == [
        "rps-000001.jsonl",
        "rps-000002.jsonl",
    ]


@pytest.mark.parametrize(
    "closed", [pytest.param(one, marks=pytest.mark.slow) for one in ("<&-", ">&-")] + ["<&- >&- 2>&-"]
)
def test_closed_input_and_output_are_no_failure_of_ours(closed: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        ["sh", "-c", f'exec "{sys.executable}" -m botequim play rps --against greedy {closed}'],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=surroundings(tmp_path),
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert not ran.stderr


def test_ctrl_z_and_back(tmp_path: Path) -> None:
    with terminal("play", "rps", "--seed", "1", "--against", "greedy", state=tmp_path) as screen:
        screen.ready()
        screen.press("m")
        screen.until(lambda text: screen.last == "> m")
        os.kill(screen.process.pid, signal.SIGSTOP)
        screen.screen.reset()  # somebody else had the terminal
        os.kill(screen.process.pid, signal.SIGCONT)
        screen.until(lambda text: screen.last == "> m")
        screen.press(" 0\r")
        screen.until(lambda text: "1. 1 human" in text and screen.last == ">")
        screen.press("\x03")
        assert screen.end() == 130
