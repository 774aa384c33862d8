"""`botequim check`: good bots pass, and each mistake is named."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from botequim.botcheck.resources import usage_finding
from botequim.botcheck.table import CheckBench
from botequim.cli import main
from botequim.core.limits import MB, Limits
from botequim.core.process import Usage
from tests import ROOT
from tests.support import seeded
from tests.support.bot_time import MODULE, MOVE, START, BotTime, bot_time
from tests.support.pace import until

EXAMPLES = ROOT / "examples"


QUICK = ("--quick", "--limit", f"start={START:g}", "--limit", f"move={MOVE:g}", "--seconds", "100000")
"""Few positions, and no time limit that only a busy machine would reach."""
PATIENT = ("--limit", "start=120", "--limit", "move=120", "--seconds", "100000")
"""Limits of which a good bot does not even need the half, which would be a warning."""


@pytest.fixture(autouse=True)
def passing() -> Iterator[BotTime]:
    """The time of bots that say how late they are."""
    with bot_time() as passing:
        yield passing


def write_bot(folder: Path, files: dict[str, str], passing: BotTime | None = None) -> str:
    """The files of a bot, with the module by which it says how late it is."""
    for name, text in files.items():
        if passing is not None:
            text = text.replace("TOKEN", passing.token)
        (folder / name).write_text(text, encoding="utf-8")
    if passing is not None and any(f"import {Path(MODULE).stem}" in text for text in files.values()):
        (folder / MODULE).write_text(passing.source, encoding="utf-8")
    return str(folder)


def check_json(
    capsys: pytest.CaptureFixture[str], bot: str, game: str, *more: str, code: int
) -> dict[str, Any]:
    """What `check --json` says, its exit code being as expected."""
    given = main(["check", bot, "--game", game, "--json", *more])
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert given == code
    return result


ANY_GAME = ("crash", "missing-module", "no-answer", "python-dict", "text-for-json")
"""Mistakes that are found in the same way in every game."""
SHOWN: set[str] = set()


def seeds(mistakes: dict[str, tuple[dict[str, str], str]]) -> pytest.MarkDecorator:
    """Each mistake; of the bots that show the same one, all but the first are slow."""
    seen = {key for key in ANY_GAME if key in SHOWN}
    cases = []
    for name, (files, key) in mistakes.items():
        marks = [pytest.mark.slow] if key in seen else []
        cases.append(pytest.param(files, key, id=name, marks=marks))
        seen.add(key)
    SHOWN.update(seen)
    return pytest.mark.parametrize(("files", "key"), cases)


def is_open(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


# --- good bots ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bot", "game"),
    [
        *[(game, game) for game in ("cubos", "havana", "rps", "uno")],
        ("arena-http", "fives"),
        ("arena-lines", "fives"),
        *[
            pytest.param(bot, game, marks=pytest.mark.slow)
            for bot in ("arena-http", "arena-lines")
            for game in ("cubos", "havana", "rps", "uno")
        ],
        pytest.param("arena-once", "rps", marks=pytest.mark.slow),
    ],
)
def test_the_examples_are_ready(capsys: pytest.CaptureFixture[str], bot: str, game: str) -> None:
    more = ("--quick", "--trust") if "rps" in (bot, game) else ()
    result = check_json(capsys, str(EXAMPLES / bot), game, *more, *PATIENT, code=0)
    assert result["state"] == "ok"
    assert result["mistakes"] == []
    (positions,) = [one for one in result["checks"] if one["check"] == "positions"]
    assert positions["asked"] == positions["legal"] >= (30 if more else 100)
    missing = [kind for kind, (_, asked) in positions["kinds"].items() if asked == 0]
    # those that choose at random may miss what is rare
    assert len(missing) <= (2 if bot.startswith("arena") else 0)
    assert sum("never came up" in detail for detail in positions["details"]) == len(missing)


def test_less_than_a_megabyte_is_not_called_nothing() -> None:
    process = SimpleNamespace(usage=Usage(memory=700_000, cpu=0.01))
    bench = SimpleNamespace(sandbox=SimpleNamespace(started=[process]), limits=Limits(memory=64 * MB))
    finding = usage_finding(cast("CheckBench", bench), 300_000)
    assert finding is not None
    assert str(finding.message).startswith(
        "uses less than 1 MB of resident memory and 0.01 s of processor time; the memory that counts for the "
        "limit is less than 1 MB (limit: 64 MB)"
    )


# --- each mistake is named ---------------------------------------------------------------------------


@seeds(seeded.CUBOS)
def test_mistakes_of_cubos_bots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], key: str, passing: BotTime
) -> None:
    result = check_json(capsys, write_bot(tmp_path, files, passing), "cubos", *QUICK, code=1)
    assert key in result["mistakes"]


@seeds(seeded.CUBOS_WARNED)
def test_what_only_a_second_game_in_the_same_instance_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], key: str
) -> None:
    """Cubos starts a new instance for each game, so it is a warning."""
    result = check_json(capsys, write_bot(tmp_path, files), "cubos", *QUICK, code=0)
    assert result["mistakes"] == [key]
    (positions,) = [one for one in result["checks"] if one["check"] == "positions"]
    assert positions["legal"] < positions["asked"]
    (exception,) = [detail for detail in positions["details"] if "not counted as correct" in detail]
    assert "It does not fail the check: the competition starts a new instance for every game" in exception


def test_a_bot_in_javascript(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = check_json(capsys, write_bot(tmp_path, seeded.NODE), "cubos", *QUICK, code=1)
    assert result["mistakes"] == ["wrong-key"]


@seeds(seeded.UNO)
def test_mistakes_of_uno_bots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], key: str, passing: BotTime
) -> None:
    result = check_json(capsys, write_bot(tmp_path, files, passing), "uno", *QUICK, code=1)
    assert key in result["mistakes"]


def test_a_bot_that_answers_and_then_sleeps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], passing: BotTime
) -> None:
    """What it has answered came at once: its output does not wait in a buffer, and it is not in time."""
    result = check_json(capsys, write_bot(tmp_path, seeded.UNO_SLEEPS, passing), "uno", *QUICK, code=1)
    assert result["mistakes"] == ["no-answer"]
    (in_time,) = [one for one in result["checks"] if one["check"] == "in-time"]
    assert in_time["state"] == "failed"
    assert in_time["late"] > 0
    assert "does not always answer in time" in in_time["told"]


@seeds(seeded.UNO_WARNED)
def test_what_uno_bots_are_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], key: str
) -> None:
    result = check_json(capsys, write_bot(tmp_path, files), "uno", *QUICK, code=0)
    assert result["mistakes"] == [key]


def test_a_bot_in_c(tmp_path: Path, capsys: pytest.CaptureFixture[str], passing: BotTime) -> None:
    result = check_json(capsys, write_bot(tmp_path, seeded.C_BUFFERED, passing), "uno", *QUICK, code=1)
    assert result["mistakes"] == ["buffered-output"]


@seeds(seeded.RPS)
def test_mistakes_of_rps_bots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], key: str, passing: BotTime
) -> None:
    result = check_json(capsys, write_bot(tmp_path, files, passing), "rps", "--trust", *QUICK, code=1)
    assert result["mistakes"] == [key]


@seeds(seeded.RPS_ISOLATED)
def test_what_rps_bots_may_not_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], key: str
) -> None:
    result = check_json(capsys, write_bot(tmp_path, files), "rps", *QUICK, "--limit", "processes=64", code=1)
    assert result["mistakes"] == [key]


@seeds(seeded.RPS_WARNED)
def test_what_rps_bots_are_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], key: str
) -> None:
    result = check_json(capsys, write_bot(tmp_path, files), "rps", *QUICK, "--trust", code=0)
    assert result["mistakes"] == [key]


@seeds(seeded.HAVANA)
def test_mistakes_of_havana_players(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], key: str, passing: BotTime
) -> None:
    result = check_json(capsys, write_bot(tmp_path, files, passing), "havana", "--trust", *QUICK, code=1)
    assert result["mistakes"][0] == key


@seeds(seeded.ARENA)
def test_mistakes_of_arena_bots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], key: str, passing: BotTime
) -> None:
    result = check_json(capsys, write_bot(tmp_path, files, passing), "cubos", *QUICK, code=1)
    assert result["mistakes"] == [key]


# --- what people see ---------------------------------------------------------------------------------


def test_a_failure_is_shown_with_all_that_is_needed_to_mend_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files, _ = seeded.RPS["empty history"]
    (tmp_path / "bot").mkdir()
    bot, records = write_bot(tmp_path / "bot", files), tmp_path / "failed"
    assert main(["check", bot, "--game", "rps", "--trust", *QUICK, "--records", str(records)]) == 1
    shown = capsys.readouterr().out
    assert "✗ FAILED" in shown
    assert "It crashes on an empty history" in shown
    assert "IndexError" in shown
    assert shown.rstrip().endswith("Not ready: 1 mistake to fix.")
    command = re.search(r"Ask again: botequim (.*)", shown)
    assert command is not None
    assert main(shlex.split(command[1])) == 1
    assert "IndexError" in capsys.readouterr().out


def test_a_warning_is_not_shown_as_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files, _ = seeded.RPS_WARNED["art too wide"]
    assert main(["check", write_bot(tmp_path, files), "--game", "rps", "--trust", *QUICK]) == 0
    shown = capsys.readouterr().out
    assert "this does not count as a fault" in shown
    assert "warning: art" in shown
    assert "fault:" not in shown
    assert "MALFORMED" not in shown


def test_nobody_is_ready_who_was_hardly_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], passing: BotTime
) -> None:
    bot = write_bot(tmp_path, seeded.SLOW_BUT_GOOD, passing)
    more = (*QUICK, "--trust", "--seconds", "20")
    result = check_json(capsys, bot, "rps", *more, code=1)
    assert not result["ready"]
    assert result["mistakes"] == []
    (enough,) = [one for one in result["checks"] if one["check"] == "enough"]
    assert enough["state"] == "failed"
    assert enough["played"] < enough["wanted"] == 30
    assert main(["check", bot, "--game", "rps", *more]) == 1
    shown = capsys.readouterr().out
    assert "of 30 difficult positions were tried: the time for the check is over (20 s)" in shown
    assert "Ready" not in shown
    assert shown.rstrip().endswith("Not ready: the check could not try enough positions.")


def test_a_slow_bot_that_makes_no_mistake_is_ready(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], passing: BotTime
) -> None:
    """It is given the time that it needs, and says how long a cup with it takes."""
    bot = write_bot(tmp_path, seeded.UNO_SLOW, passing)
    limits = ("--limit", f"start={START:g}", "--limit", f"move={MOVE:g}")
    result = check_json(capsys, bot, "uno", *limits, code=0)
    assert result["ready"]
    assert result["stopped"] is None
    (positions,) = [one for one in result["checks"] if one["check"] == "positions"]
    assert 30 <= positions["asked"] < 100, "a slow bot is asked less"
    assert any("it answers slowly" in detail for detail in positions["details"])
    (duration,) = [one for one in result["checks"] if one["check"] == "duration"]
    low, high = duration["game"]
    assert 2 * 4 < low < high, "a game has more than four questions of two seconds"
    assert duration["league_games"] == 45


def test_a_server_that_is_already_running(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It plays all its games in one instance, so what it keeps between them fails."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    files, _ = seeded.CUBOS_WARNED["remembers its hand"]
    several = {name: text.replace("HTTPServer", "ThreadingHTTPServer") for name, text in files.items()}
    command = [sys.executable, str(Path(write_bot(tmp_path, several), "server.py"))]
    with subprocess.Popen(command, env={**os.environ, "PORT": str(port)}) as running:
        try:
            until(lambda: is_open(port))
            result = check_json(capsys, f"http://127.0.0.1:{port}/", "cubos", *QUICK, code=1)
        finally:
            running.kill()
    assert result["mistakes"] == ["passes-though-it-fits"], "there is no fresh instance to compare it with"


def test_it_speaks_portuguese(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["check", str(EXAMPLES / "uno"), "--game", "uno", "--quick", *PATIENT, "--lang", "pt_BR"]) == 0
    )
    shown = capsys.readouterr().out
    assert "Pronto." in shown
    assert "uma dívida de 2" in shown


def test_what_cannot_be_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "greedy", "--game", "cubos"]) == 2
    assert main(["check", str(tmp_path / "nothing"), "--game", "cubos"]) == 2
    assert main(["check", str(EXAMPLES / "uno"), "--game", "chess"]) == 2
    assert "`check` needs a bot" in capsys.readouterr().err


def test_a_hopeless_bot_does_not_take_for_ever(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], passing: BotTime
) -> None:
    files, _ = seeded.RPS["waits for input for ever"]
    result = check_json(capsys, write_bot(tmp_path, files, passing), "rps", *QUICK, code=1)
    assert result["stopped"] is not None
    (problem,) = [problem for check in result["checks"] for problem in check["problems"]]
    assert problem["count"] == 3
