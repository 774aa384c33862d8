"""Cups whose database goes away while they are played: they wait for it, and nothing is lost or repeated."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import INTERNAL_ERROR, main
from botequim.cli.stores import read_cup
from botequim.cup.paths import CupPaths
from botequim.cup.rounds import FACT as ROUNDS
from botequim.storage.postgres import coordinator
from botequim.storage.postgres.cup import PostgresCupStore
from tests.support.cup_commands import cup
from tests.support.cup_runs import cup_runs
from tests.support.pace import PATIENCE, until
from tests.support.postgres import PostgresServer, start_server

Captured = pytest.CaptureFixture[str]
SIX = {f"p{at}": ("greedy" if at % 2 else "random") for at in range(6)}
STAGES = """
[[stages]]
name = "swiss"
format = "swiss"
rounds = 3
games = 4

[[stages]]
name = "finals"
from = "swiss"
top = 4
format = "knockout"
games = 10
"""
RPS_LEAGUE = f"""
[limits]
move = {PATIENCE:g}

[options]
rounds = 3

[[stages]]
name = "league"
format = "round_robin"
games = 2
"""
WAITS = "the cup waits for it"
BACK = "the database is back"
LOGGING_BOT = """
with open({log!r}, "a") as log:
    print("asked", file=log)
print('{{"move": "ROCK"}}')
"""
GATED_BOT = """
import os, time
while not os.path.exists({gate!r}):
    time.sleep(0.05)
print('{{"move": "ROCK"}}')
"""


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with start_server({"synchronous_commit": "on"}) as server:
        yield server


def results(path: Path, url: str | None = None) -> Any:
    """Return all games and rounds, after everything was compared with its checksum."""
    with CupPaths.of_cup(read_cup(path, url)).storage.open_results(check=True) as store:
        numbers = [one.number for one in store.series()]
        assert numbers == list(range(1, len(numbers) + 1))
        series = {
            stage: {key: result.games for key, result in sorted(found.items())}
            for stage, found in store.results().items()
        }
        return series, store.fact(ROUNDS)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the results of the cup of six if it is played in a folder, without any trouble."""
    path = cup(tmp_path_factory.mktemp("six") / "calm.toml", SIX, stages=STAGES)
    assert main(["cup", "run", str(path), "--quiet"]) == 0
    return results(path)


def kill_before_write(
    monkeypatch: pytest.MonkeyPatch, server: PostgresServer, method: str, number: int
) -> None:
    """Kill the server just before the so many-th call of a method that writes a series or a round."""
    real = getattr(PostgresCupStore, method)
    calls = 0

    def kill_and_write(store: PostgresCupStore, value: Any) -> Any:
        nonlocal calls
        calls += method != "put_facts" or ROUNDS in value
        if calls == number:
            calls += 1
            server.stop(signal.SIGKILL)
        return real(store, value)

    monkeypatch.setattr(PostgresCupStore, method, kill_and_write)


def during_pauses(monkeypatch: pytest.MonkeyPatch, event: Callable[[], None]) -> None:
    """Call this in the second pause between attempts to connect. Other pauses take no time."""
    seconds: list[float] = []

    def pause(length: float) -> None:
        seconds.append(length)
        assert len(seconds) < 100, "it waits for something that does not come"
        if len(seconds) == 2:
            event()

    monkeypatch.setattr(coordinator, "pause", pause)


@pytest.mark.parametrize(("method", "number"), [("add_series", 4), ("put_facts", 2)])
def test_a_cup_waits_for_its_database_and_goes_on(
    tmp_path: Path,
    server: PostgresServer,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
    calm: Any,
    method: str,
    number: int,
) -> None:
    stormy = cup(tmp_path / "stormy.toml", SIX, stages=STAGES)
    url = server.url("postgres")
    kill_before_write(monkeypatch, server, method, number)
    during_pauses(monkeypatch, server.start)
    code = main(["cup", "run", str(stormy), "--quiet", "--workers", "2", "--store", url])
    said = capsys.readouterr().err
    assert code == 0, said
    assert (said.count(WAITS), said.count(BACK)) == (1, 1)
    assert said.index(WAITS) < said.index(BACK)
    assert "Ctrl-C stops, and the same command continues it later" in said
    assert results(stormy, url) == calm


def test_games_go_on_while_the_coordinator_waits(
    tmp_path: Path, server: PostgresServer, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers play one series each; the server is away from the first result until both are played."""
    bot, log = tmp_path / "bot", tmp_path / "log"
    bot.mkdir()
    (bot / "bot.py").write_text(LOGGING_BOT.format(log=str(log)))
    path = cup(tmp_path / "c.toml", {name: str(bot) for name in "abc"}, game="rps", stages=RPS_LEAGUE)
    url = server.url("postgres")
    questions_of_game = 3 * 2  # rounds, entrants

    def restart() -> None:
        until(lambda: len(log.read_text().splitlines()) >= 2 * 2 * questions_of_game)
        server.start()

    kill_before_write(monkeypatch, server, "add_series", 1)
    during_pauses(monkeypatch, restart)
    code = main(["cup", "run", str(path), "--quiet", "--trust", "--workers", "2", "--store", url])
    assert code == 0, capsys.readouterr().err
    games = sum(map(len, results(path, url)[0]["league"].values()))
    assert games >= 6
    assert len(log.read_text().splitlines()) == games * questions_of_game, "no game was played twice"


def test_another_coordinator_may_take_over_while_the_first_one_waits(
    tmp_path: Path, server: PostgresServer, capsys: Captured, monkeypatch: pytest.MonkeyPatch, calm: Any
) -> None:
    here = cup(tmp_path / "stormy.toml", SIX, stages=STAGES)
    there = tmp_path / "elsewhere" / here.name
    there.parent.mkdir()
    shutil.copy(here, there)
    url = server.url("postgres")

    def take_over() -> None:
        server.start()
        with cup_runs() as begin:
            assert begin(there, "--store", url).wait(PATIENCE) == 0

    kill_before_write(monkeypatch, server, "add_series", 4)
    during_pauses(monkeypatch, take_over)
    code = main(["cup", "run", str(here), "--quiet", "--workers", "2", "--store", url])
    said = capsys.readouterr().err
    assert code == INTERNAL_ERROR, said
    assert "another coordinator has taken over this cup" in said
    assert BACK not in said
    assert results(there, url) == calm


def gated_cup(path: Path, gate: Path) -> Path:
    """Write a cup of three series, of which two wait until there is a gate."""
    bot = path.with_suffix("")
    bot.mkdir()
    (bot / "bot.py").write_text(GATED_BOT.format(gate=str(gate)))
    return cup(path, {"a": "random", "b": "greedy", "gated": str(bot)}, game="rps", stages=RPS_LEAGUE)


@contextmanager
def waiting_run(path: Path, server: PostgresServer, gate: Path) -> Iterator[tuple[Any, Callable[[], str]]]:
    """Play a gated cup in a process until it waits for the server; return the process, and what it says."""
    url, said = server.url("postgres"), path.with_suffix(".said")
    words = ["cup", "run", str(path), "--quiet", "--trust", "--workers", "3", "--store", url]
    with said.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "botequim", *words], stdout=subprocess.DEVNULL, stderr=stream
        )
    try:
        until(lambda: count_series(path, url) == 1 or process.poll() is not None)
        server.stop(signal.SIGKILL)
        gate.touch()
        until(lambda: WAITS in said.read_text() or process.poll() is not None)
        assert process.poll() is None, said.read_text()
        yield process, said.read_text
    finally:
        process.kill()
        process.wait()


def count_series(path: Path, url: str) -> int:
    storage = CupPaths.of_cup(read_cup(path, url)).storage
    if not storage.has_results():
        return 0
    with storage.open_results() as store:
        return len(store.series())


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture(scope="module")
def calm_results(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the results of the gated cup if it is played in a folder, without any trouble."""
    folder = tmp_path_factory.mktemp("calm")
    calm = gated_cup(folder / "calm.toml", folder / "gate")
    (folder / "gate").touch()
    assert main(["cup", "run", str(calm), "--quiet", "--trust"]) == 0
    return results(calm)


@pytest.mark.slow  # the same without real pauses: test_a_cup_waits_for_its_database_and_goes_on
def test_a_command_goes_on_after_real_pauses(
    tmp_path: Path, server: PostgresServer, gate: Path, calm_results: Any
) -> None:
    stormy = gated_cup(tmp_path / "stormy.toml", gate)
    with waiting_run(stormy, server, gate) as (process, said):
        server.start()
        assert process.wait(PATIENCE) == 0, said()
        assert (said().count(WAITS), said().count(BACK)) == (1, 1)
    assert results(stormy, server.url("postgres")) == calm_results


def test_ctrl_c_ends_a_command_that_waits_and_the_same_command_continues(
    tmp_path: Path, server: PostgresServer, gate: Path, calm_results: Any
) -> None:
    stormy = gated_cup(tmp_path / "stormy.toml", gate)
    url = server.url("postgres")
    with waiting_run(stormy, server, gate) as (process, said):
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130, said()
        assert "To continue:" in said()
        assert "Traceback" not in said()
    server.start()
    assert count_series(stormy, url) == 1
    with cup_runs() as begin:
        assert begin(stormy, "--store", url).wait(PATIENCE) == 0
    assert results(stormy, url) == calm_results
