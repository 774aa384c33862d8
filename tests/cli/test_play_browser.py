"""`botequim play --browser` and `botequim serve` without a cup: the commands in processes of their own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from botequim.cli import main, parser
from botequim.cli.serve_run import open_tables
from botequim.cup.config_parser import read
from tests import ROOT
from tests.support.cup_commands import cup
from tests.support.pace import PATIENCE
from tests.support.play_clients import TableClient
from tests.support.server_thread import NO_TLS


@contextmanager
def running(home: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Run a command with a home of its own, and a browser that does nothing; end it with Ctrl-C."""
    command = [sys.executable, "-m", "botequim", *words]
    environment = {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "BROWSER": "true"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 0


def address_in(process: subprocess.Popen[str], pattern: str) -> str:
    """Read lines until one has an address, and return it."""
    assert process.stdout is not None
    for line in process.stdout:
        if match := re.search(pattern, line):
            return match[1]
    raise AssertionError("the command ended")


def test_play_in_the_browser_opens_a_table(tmp_path: Path) -> None:
    with running(tmp_path, "play", "cubos", "--browser", "--against", "greedy", "--seat", "3") as process:
        address = address_in(process, r"(http://127\.0\.0\.1:\d+/play/seat/\S+)")
        answer = httpx.get(address, timeout=PATIENCE, verify=NO_TLS)
        assert answer.status_code == 200
    tables = list((tmp_path / "state/botequim/tables").glob("*/*/table.json"))
    assert len(tables) == 1
    assert tables[0].stat().st_mode & 0o077 == 0


def test_serve_needs_no_cup_and_its_tables_survive(tmp_path: Path) -> None:
    words = ("serve", "--port", "0", "--tables", str(tmp_path / "tables"))
    form = {"game": "rps", "name": "Ana", "seat-1": "me", "seat-2": "greedy"}
    with running(tmp_path, *words) as process:
        address = address_in(process, r"serving at (http://\S+)/")
        answer = httpx.post(f"{address}/play/tables", data=form, timeout=PATIENCE, verify=NO_TLS)
        seat = answer.headers["location"]
    with running(tmp_path, *words) as process:
        address = address_in(process, r"serving at (http://\S+)/")
        assert httpx.get(address + seat, timeout=PATIENCE, verify=NO_TLS).status_code == 200


def test_people_play_against_a_bot_that_the_organiser_offers(tmp_path: Path) -> None:
    bot = ROOT / "examples" / "uno"
    words = ("serve", "--port", "0", "--tables", str(tmp_path / "tables"), "--offer", f"uno={bot}")
    form = {"game": "uno", "name": "Ana", "players": "2", "seat-1": "me", "seat-2": "uno"}
    with running(tmp_path, *words) as process:
        address = address_in(process, r"serving at (http://\S+)/")
        answer = httpx.post(f"{address}/play/tables", data=form, timeout=PATIENCE, verify=NO_TLS)
        client = TableClient(address, answer.headers["location"])
        client.join()
        record = httpx.get(address + client.events[-1]["result"]["record"], timeout=PATIENCE, verify=NO_TLS)
    seat = json.loads(record.text.splitlines()[0])["seats"][1]
    assert seat["wire"] == "uno"
    assert str(ROOT) not in record.text  # a path of the organiser's machine is nobody's business


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("play", "cubos", "--browser", "--hint"), "--browser does not support --hint"),
        (("play", "cubos", "--browser", "--seat", "5"), "there is no player 5"),
        (("play", "cubos", "--browser", "--against", "nobody"), "nobody"),
        (("serve", "--no-play"), "give a cup file"),
        (("serve", "--offer", "cubos"), "GAME=BOT"),
        (("serve", "--offer", "chess=bot"), "chess"),
    ],
)
def test_wrong_options_are_refused(
    words: tuple[str, ...],
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    extra = ("--port", "0") if words[0] == "serve" else ()
    assert main([*words, *extra]) == 2
    assert problem in capsys.readouterr().err


def test_help_explains_the_browser(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["play", "--help"])
    assert "--browser" in capsys.readouterr().out


@pytest.mark.parametrize("allowed", [False, True])
def test_entrants_of_a_cup_are_offered_only_if_the_organiser_allows_it(allowed: bool, tmp_path: Path) -> None:
    bot = ROOT / "examples" / "uno"
    path = cup(tmp_path / "copa.toml", {"Ana": str(bot), "Bia": "greedy"}, game="uno")
    words = ["serve", str(path), "--tables", str(tmp_path / "tables")]
    arguments = parser(words).parse_args([*words, *(["--offer-entrants"] if allowed else [])])
    with open_tables(arguments, [read(path)], 0) as tables:
        assert tables.bots.names("uno") == (["Ana"] if allowed else [])
