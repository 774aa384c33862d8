"""Ctrl-C, at every moment of every command that takes its time: one exit code, no traceback, nothing left."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

import botequim
from botequim.cli import main
from tests.support.cup_commands import cup
from tests.support.held import MARK, holding
from tests.support.pace import until
from tests.support.terminal import Terminal, running, terminal

SOURCES = [str(Path(botequim.__file__).parents[1])]
BOT = """
import json, sys, time
for line in sys.stdin:
    question = json.loads(line)
    if "legal" in question:
        time.sleep(0.5)
        print(json.dumps({"move": question["legal"][0]}), flush=True)
"""


def bot(folder: Path, build: str = "true") -> Path:
    """One that takes its time, to play or to be built."""
    folder.mkdir()
    (folder / "bot.py").write_text(BOT, encoding="utf-8")
    (folder / "botequim.toml").write_text(
        f'command = "{shlex.quote(sys.executable)} bot.py"\nbuild = "{build}"\nwire = "arena-lines"\n',
        encoding="utf-8",
    )
    return folder


@contextmanager
def start_command(
    tmp_path: Path, *words: str, environment: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    """The command, with a place of its own for what is not to be left there."""
    place = tmp_path / "own-temporary-files"
    place.mkdir()
    added = {"TMPDIR": str(place), **(environment or {})}
    with terminal(*words, state=tmp_path / "state", columns=100, environment=added) as screen:
        yield screen
        nothing_left(place)


def nothing_left(place: Path) -> None:
    """Wait until no process that was started with that place is there, and no file in it."""
    until(lambda: not running(place) and not any(place.iterdir()), f"that nothing is left in {place}")


def press_ctrl_c(screen: Terminal, *, presses: int = 1, code: int = 130) -> str:
    """What is said after Ctrl-C."""
    said = len(screen.raw)
    for _ in range(presses):
        screen.press("\x03")
    assert screen.end() == code, screen.text
    text = screen.raw.decode()
    assert "Traceback" not in text
    assert "Exception" not in text
    return screen.raw[said:].decode()


@pytest.fixture
def records(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    words = ["match", "rps", "random", "random", "--seed", "7", "--option", "rounds=15", "--quiet"]
    assert main([*words, "--records", str(folder)]) == 0
    return folder


def many(records: Path, folder: Path) -> Path:
    """A folder with more of them than anybody looks through in a moment."""
    folder.mkdir()
    text = (records / "rps-000001.jsonl").read_text(encoding="utf-8")
    for number in range(300):
        (folder / f"{number}.jsonl").write_text(text * 100, encoding="utf-8")
    (folder / "all.jsonl").write_text(text * 30000, encoding="utf-8")
    return folder


# --- before anything is done, and after all of it -----------------------------------------------------


@pytest.mark.parametrize(
    "module",
    [
        "botequim.cli",
        "botequim.cli.match",
        pytest.param("argparse", marks=pytest.mark.slow),
    ],
)
def test_while_it_is_loaded(tmp_path: Path, module: str) -> None:
    held = holding(tmp_path, f"load {module}")
    with start_command(tmp_path, "match", "rps", "random", "random", environment=held) as screen:
        screen.until(MARK)
        assert press_ctrl_c(screen).strip() in ("^C", "")


def test_what_is_loaded_before_it_is_heeded_is_next_to_nothing() -> None:
    """As little as Python itself needs: whatever else is loaded is loaded too early."""
    told = (
        "import os, signal, sys; before = set(sys.modules); import botequim.interrupts; "
        "print(*sorted(set(sys.modules) - before))"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {SOURCES!r}; {told}"],
        capture_output=True,
        text=True,
        check=True,
    )
    ours = ["botequim", "botequim._deprecated", "botequim.interrupts", "botequim.version"]
    assert ran.stdout.split() == ["__future__", *ours]


def test_when_all_is_done(tmp_path: Path) -> None:
    with start_command(tmp_path, "games", "--json", environment=holding(tmp_path, "leave")) as screen:
        screen.until(MARK)
        assert press_ctrl_c(screen).strip() in ("^C", "")


# --- while it works -----------------------------------------------------------------------------------


WORKING = [
    ("match cubos random {bot} --games 40", "games"),
    ("match cubos random {slow} --games 40", "building slow"),
    ("match cubos random greedy --games 1000000 --workers 2", "games"),
    ("match cubos random greedy --games 1000000 --workers 1", "games"),
    ("check {bot} --game cubos", "1 question"),
    ("cup check {cup}", "checking A"),
    ("cup run {cup}", "the first series are being played"),
    ("cup run {built_in}", " series, "),
    ("demo", "━━━ fives"),
    ("doctor", "languages:"),
    ("verify {many}", "OK"),
    ("show {long}", "12. "),
    ("ask {record} --turn 3 arena-lines:{bot} --limit move=60", "turn"),
    ("watch {games} -s 60000", "rps"),
]
WORKING_TOO = [
    ("match cubos random {bot} --games 40 --trust", "games"),
    ("match cubos random greedy --games 1000000 --verbose", "Game 2 of cubos"),
    ("check {bot} --game cubos", "plays cubos"),
    ("check {slow} --game cubos", "building slow"),
    ("cup run {cup}", "preparing A"),
    ("cup rehearse {built_in}", "A rehearsal"),
]


@pytest.mark.parametrize(
    ("command", "seen"),
    [*WORKING, *(pytest.param(*case, marks=pytest.mark.slow) for case in WORKING_TOO)],
)
def test_while_it_works(tmp_path: Path, records: Path, command: str, seen: str) -> None:
    words = command.format(
        bot=bot(tmp_path / "bot"),
        slow=bot(tmp_path / "slow", "sleep 600"),
        cup=cup(tmp_path / "cup.toml", {"A": str(tmp_path / "bot"), "B": "random"}),
        built_in=cup(
            tmp_path / "built-in.toml",
            {"A": "random", "B": "greedy", "C": "random"},
            stages='[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 20\nmeetings = 100\n',
        ),
        games=records,
        many=many(records, tmp_path / "many") if "{many}" in command else "",
        long=many(records, tmp_path / "many") / "all.jsonl" if "{long}" in command else "",
        record=records / "rps-000001.jsonl",
    )
    with start_command(tmp_path, *words.split()) as screen:
        screen.until(lambda text: seen.encode() in screen.raw)  # it may have scrolled by
        said = press_ctrl_c(screen)
        assert "interrupted" in said or command.startswith("watch")
    assert not list(tmp_path.rglob("*.partial"))


UNDECIDED = "random against bot: not decided: +0.0 % ±50.0 after 0 games"


@pytest.mark.parametrize(
    ("words", "verdict"),
    [("--quiet", []), pytest.param("--quiet --sprt 5", [UNDECIDED], marks=pytest.mark.slow)],
)
def test_before_any_game_is_counted_there_is_no_table(tmp_path: Path, words: str, verdict: list[str]) -> None:
    asked = tmp_path / "asked"
    folder = bot(tmp_path / "bot")
    waits = BOT.replace("time.sleep(0.5)", f"open({str(asked)!r}, 'w').close(); time.sleep(600)")
    (folder / "bot.py").write_text(waits, encoding="utf-8")
    limit = ("--limit", "move=600")
    with start_command(
        tmp_path, "match", "cubos", "random", str(folder), "--trust", *limit, *words.split()
    ) as screen:
        screen.until(lambda text: asked.exists())
        said = press_ctrl_c(screen).replace("^C", "").strip().splitlines()
        assert [line.strip() for line in said] == [*verdict, "interrupted"]


@pytest.mark.parametrize("presses", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_a_server_is_ended_by_it(tmp_path: Path, presses: int) -> None:
    """That is how it ends: all is well."""
    path = cup(tmp_path / "cup.toml", {"A": "random", "B": "greedy"}, game="rps")
    with start_command(tmp_path, "serve", str(path), "--port", "0") as screen:
        screen.until("Press Ctrl-C to stop.")
        assert press_ctrl_c(screen, presses=presses, code=0).replace("^C", "").strip() == ""


SLOW_BUILD = "sleep 600"
SETTING_UP = [
    "cup run {cup}",
    pytest.param("match cubos random {slow}", marks=pytest.mark.slow),
    pytest.param("check {slow} --game cubos", marks=pytest.mark.slow),
    pytest.param("cup check {cup}", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("command", SETTING_UP)
def test_while_a_sandbox_is_set_up_in_our_process_group(tmp_path: Path, command: str) -> None:
    """Ctrl-C ends it too. Then the command was interrupted; its sandbox was not broken."""
    slow = bot(tmp_path / "slow", SLOW_BUILD)
    words = command.format(slow=slow, cup=cup(tmp_path / "cup.toml", {"A": str(slow), "B": "random"}))
    held = holding(tmp_path, f"spawn {SLOW_BUILD}")
    with start_command(tmp_path, *words.split(), environment=held) as screen:
        screen.until(lambda text: MARK.encode() in screen.raw)
        said = press_ctrl_c(screen)
        assert "could not be set up" not in said
        assert "interrupted" in said


PREPARING = [
    "cup run {cup}",
    pytest.param("match cubos random {slow} --games 40", marks=pytest.mark.slow),
    pytest.param("check {slow} --game cubos", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("command", PREPARING)
@pytest.mark.parametrize(
    ("presses", "sent", "code"),
    [(3, 0, 130), (0, 3, 143), pytest.param(0, 1, 143, marks=pytest.mark.slow)],
)
def test_asked_more_than_once_or_by_a_service_manager(
    tmp_path: Path, command: str, presses: int, sent: int, code: int
) -> None:
    slow = bot(tmp_path / "slow", SLOW_BUILD)
    words = command.format(slow=slow, cup=cup(tmp_path / "cup.toml", {"A": str(slow), "B": "random"}))
    with start_command(tmp_path, *words.split()) as screen:
        screen.until(lambda text: SLOW_BUILD in " ".join(running(tmp_path)))
        for _ in range(sent):
            screen.process.terminate()
        said = press_ctrl_c(screen, presses=presses, code=code)
        assert "interrupted" in said


# --- while it writes ----------------------------------------------------------------------------------


WRITING = [
    ("picture {record} -o {out}.svg", ".svg"),
    ("picture {record} -o {out}.gif --width 100", ".gif"),
    ("replay {record} -o {out}.html", ".html"),
    ("gif {frames} {out}.gif", ".gif"),
    ("art {image} -o {out}.json", ".json"),
    ("cup report {cup} --to {new} --bundle {out}.zip", ".zip"),
]


@pytest.mark.parametrize(("command", "ending"), WRITING)
def test_what_was_there_stays_until_what_is_new_is_whole(
    tmp_path: Path, records: Path, command: str, ending: str
) -> None:
    out = tmp_path / "good"
    good = out.with_suffix(ending)
    good.write_bytes(b"good")
    words = command.format(
        record=records / "rps-000001.jsonl",
        out=out,
        new=tmp_path / "report",
        frames=frames(tmp_path / "frames"),
        image=image(tmp_path / "image.png"),
        cup=play_match(tmp_path / "cup.toml") if "{cup}" in command else "",
    ).split()
    held = holding(tmp_path, f"replace {replaced_before(words) + 1}")
    with start_command(tmp_path, *words, environment=held) as screen:
        screen.until(MARK)
        assert "interrupted" in press_ctrl_c(screen)
    assert good.read_bytes() == b"good"
    assert not list(tmp_path.rglob("*.partial"))


def replaced_before(words: list[str]) -> int:
    """A report's pages take their places before its bundle does, each file once in either language."""
    return 0 if words[0] != "cup" else 3


def frames(folder: Path) -> Path:
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.ascii").write_text("*" * (number + 1) + "\n", encoding="utf-8")
    return folder


def image(path: Path) -> Path:
    from PIL import Image

    Image.new("L", (40, 40), 128).save(path)
    return path


def play_match(path: Path) -> Path:
    cup(path, {"A": "random", "B": "greedy"}, game="rps")
    assert main(["cup", "run", str(path), "--quiet"]) == 0
    return path


@pytest.mark.parametrize("moment", [pytest.param("write 1", marks=pytest.mark.slow), "write 3"])
def test_half_an_export_goes_away(tmp_path: Path, moment: str) -> None:
    out = tmp_path / "new" / "champion"
    with start_command(
        tmp_path, "export", "cubos", str(out), environment=holding(tmp_path, moment)
    ) as screen:
        screen.until(MARK)
        assert "interrupted" in press_ctrl_c(screen)
    assert not out.parent.exists()
    assert main(["export", "cubos", str(out)]) == 0


def test_half_of_the_frames_go_away(tmp_path: Path) -> None:
    source, out = image(tmp_path / "image.png"), tmp_path / "frames"
    held = holding(tmp_path, "replace 1")
    with start_command(tmp_path, "art", str(source), "-o", str(out), environment=held) as screen:
        screen.until(MARK)
        assert "interrupted" in press_ctrl_c(screen)
    assert not out.exists()


def test_codes_that_nobody_was_told_are_not_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cup(tmp_path / "cup.toml", {"A": "random", "B": "greedy"}, game="rps")
    assert main(["contest", "new", str(path), "Art"]) == 0
    held = holding(tmp_path, "replace 1")
    out = tmp_path / "codes.csv"
    with start_command(
        tmp_path, "contest", "codes", str(path), "1", "5", "--csv", str(out), environment=held
    ) as screen:
        screen.until(MARK)
        assert "interrupted" in press_ctrl_c(screen)
    assert not out.exists()
    capsys.readouterr()
    assert main(["contest", "list", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["codes"] == 0


def test_a_transcript_of_nothing_is_no_file(tmp_path: Path) -> None:
    out = tmp_path / "series.txt"
    words = f"match cubos random {bot(tmp_path / 'bot')} --games 40 --transcript {out}".split()
    with start_command(tmp_path, *words) as screen:
        screen.until("games")
        assert "interrupted" in press_ctrl_c(screen)
    assert not out.exists()
