"""Games are watched: in a terminal with keys, over a pipe, and while a cup is being played."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from botequim import registry
from botequim.cli import main
from botequim.cup.paths import CupPaths
from tests.support.cup_commands import SMALL_CUP
from tests.support.golden import FOLDER
from tests.support.pace import PATIENCE
from tests.support.terminal import run_piped, surroundings, terminal


def games_of(file: Path) -> int:
    """As many as were played: those who are equal play on."""
    with CupPaths.of(file).storage.open_results() as store:
        return len(list(store.records()))


def test_pause_step_back_faster_slower_and_the_next_game(tmp_path: Path) -> None:
    main(["match", "cubos", "greedy", "greedy", "--games", "2", "--records", str(tmp_path / "r"), "--quiet"])
    with terminal("watch", str(tmp_path / "r"), "-s", "60000", state=tmp_path) as screen:
        screen.until("turn 0 of ")
        screen.press("n")
        screen.until("turn 1 of ")
        assert "paused" in screen.text
        screen.press("\x1b[Cn")
        screen.until("turn 3 of ")
        assert "6-6" in screen.text
        screen.press("b")
        screen.until("turn 2 of ")
        screen.press("fp")
        screen.until("40000 ms a turn")
        screen.press("s")
        screen.until("60000 ms a turn")
        screen.resize(60, 20)
        screen.until("turn 2 of ")
        screen.press("g")
        screen.until("cubos-000002.jsonl")
        screen.until("turn 0 of ")
        screen.press("q")
        assert screen.end() == 0


def test_playback_ends_by_itself_after_so_many_games(tmp_path: Path) -> None:
    golden = FOLDER / "cubos-domino.jsonl"
    with terminal("watch", str(golden), "-s", "1", "-n", "1", state=tmp_path) as screen:
        assert screen.end() == 0
        assert "Domino! A hand is empty." in screen.text
        assert "Winner: " in screen.text


def test_what_is_said_and_drawn_is_shown_and_cannot_steer_the_terminal(tmp_path: Path) -> None:
    golden = FOLDER / "rps-faults-and-art.jsonl"
    with terminal("watch", str(golden), "-s", "60000", state=tmp_path, rows=60) as screen:
        screen.until("turn 0 of ")
        seen = ""
        for turn in range(1, 5):
            screen.press("n")
            seen += screen.until(f"turn {turn} of ")
        assert "says: Olá! ♥ <b>·" in seen
        assert "shows art:" in seen
        screen.press("q")
        assert screen.end() == 0
    ran = run_piped("watch", str(golden), typed="", state=tmp_path)
    assert ran.returncode == 0
    assert "says: Olá! ♥ <b>·" in ran.stdout
    assert "\x1b" not in ran.stdout


@pytest.mark.parametrize(
    "game",
    [
        "cubos",
        *(pytest.param(name, marks=pytest.mark.slow) for name in registry.game_names() if name != "cubos"),
    ],
)
def test_every_game_is_drawn_with_open_hands(game: str, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    options = {"fives": ("--option", "target=5"), "rps": ("--option", "rounds=3")}.get(game, ())
    words = ("match", game, "greedy", "random", "--quiet", "--seed", "1", "--records", str(folder))
    assert main([*words, *options]) == 0
    for columns in (80, 160):
        with terminal(
            "watch", str(folder), "-s", "60000", state=tmp_path, columns=columns, rows=45
        ) as screen:
            screen.until("turn 0 of ")
            for turn in range(1, 5):
                screen.press("n")
                screen.until(lambda text, turn=turn: f"turn {turn} of " in text or turn > 3)  # type: ignore[misc]
            assert "Traceback" not in screen.text
            assert "1 greedy" in screen.text
            screen.press("q")
            assert screen.end() == 0


def test_a_cup_is_watched_while_it_is_played(tmp_path: Path) -> None:
    file = tmp_path / "copa.toml"
    file.write_text(SMALL_CUP, encoding="utf-8")
    nothing = run_piped("watch", str(file), typed="", state=tmp_path)
    assert nothing.returncode == 2
    assert "no games have been played yet" in nothing.stderr
    assert main(["cup", "run", str(file), "--quiet"]) == 0
    ran = run_piped("watch", str(file), typed="", state=tmp_path)
    assert ran.returncode == 0
    assert "Copa, league: " in ran.stdout
    assert ran.stdout.count("All rounds are played") == games_of(file)
    one = run_piped("watch", str(file.with_suffix(".cup")), "-n", "1", typed="", state=tmp_path)
    assert one.stdout.count("All rounds are played") == 1


def test_a_cup_that_is_not_over_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "copa.toml"
    final = '\n[[stages]]\nname = "final"\nformat = "round_robin"\ngames = 1\n'
    file.write_text(SMALL_CUP + final, encoding="utf-8")
    assert main(["cup", "run", str(file), "--quiet", "--stage", "league"]) == 0
    with subprocess.Popen(
        [sys.executable, "-m", "botequim", "watch", str(file)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        env=surroundings(tmp_path) | {"PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        told = ""
        while told.count("All rounds are played") < 2:
            told += process.stdout.readline()
        assert main(["cup", "run", str(file), "--quiet"]) == 0
        told += process.stdout.read()
        assert process.wait(PATIENCE) == 0
    assert "Copa, final: " in told
    assert told.count("All rounds are played") == games_of(file)


def test_who_waits_for_a_cup_may_leave(tmp_path: Path) -> None:
    file = tmp_path / "copa.toml"
    final = '\n[[stages]]\nname = "final"\nformat = "round_robin"\ngames = 1\n'
    file.write_text(SMALL_CUP + final, encoding="utf-8")
    assert main(["cup", "run", str(file), "--quiet", "--stage", "league"]) == 0
    with terminal("watch", str(file), "-s", "0", state=tmp_path) as screen:
        screen.until("waiting for the next game …  q leaves")
        screen.press("xq")
        assert screen.end() == 0


@pytest.mark.parametrize("words", [("-s", "-1"), ("-s", "x"), ("-n", "0")])
def test_numbers_that_are_none(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["watch", "x.jsonl", *words])
    assert "is not a whole number from" in capsys.readouterr().err


def test_a_transcript_tells_every_game_of_a_series(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "series.txt"
    words = [
        "match",
        "rps",
        "greedy",
        "random",
        "--games",
        "5",
        "--option",
        "rounds=2",
        "--transcript",
        str(file),
    ]
    assert main([*words, "--seed", "1", "--json"]) == 0
    text = file.read_text(encoding="utf-8")
    assert text.count("All rounds are played") == 5
    assert text.index("Game 1 of rps") < text.index("Game 5 of rps")
    assert main(words) == 2
    assert "already exists; choose a new file" in capsys.readouterr().err
    kept = tmp_path / "records"
    again = tmp_path / "again.txt"
    assert main([*words[:-1], str(again), "--seed", "1", "--records", str(kept)]) == 0
    assert again.read_text(encoding="utf-8") == text
    assert len(list(kept.iterdir())) == 5
