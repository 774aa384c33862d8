"""Cups whose store is a database: played, interrupted, shown and voted on."""

from __future__ import annotations

import json
import secrets
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.cli.stores import read_cup
from botequim.cup.paths import CupPaths
from botequim.storage.protocol import CupStorage
from tests.support.cup_commands import SMALL_CUP, cup
from tests.support.cup_runs import cup_runs
from tests.support.pace import PATIENCE, until
from tests.support.postgres import PASSWORD, PostgresServer, start_server
from tests.support.server_thread import TOKEN, serving

Captured = pytest.CaptureFixture[str]
STAGES = """
[[stages]]
name = "league"
format = "round_robin"
games = 20

[[stages]]
name = "finals"
from = "league"
top = 4
format = "knockout"
games = 20
"""
SIX = {f"p{at}": ("greedy" if at % 2 else "random") for at in range(6)}


def run(capsys: Captured, *words: object, code: int = 0) -> str:
    found = main([*map(str, words)])
    said = capsys.readouterr()
    assert found == code, said
    return said.out if code == 0 else said.err


def storage_of(path: Path, url: str | None) -> CupStorage:
    return CupPaths.of_cup(read_cup(path, url)).storage


def results(storage: CupStorage) -> Any:
    with storage.open_results(check=True) as store:
        numbers = [one.number for one in store.series()]
        assert numbers == list(range(1, len(numbers) + 1))
        return {
            stage: {key: result.games for key, result in sorted(series.items())}
            for stage, series in store.results().items()
        }


def new_id() -> str:
    return f"cup-{secrets.token_hex(4)}"


# --- the same as in the folder -----------------------------------------------------------------------


def test_a_cup_is_the_same_in_a_database(tmp_path: Path, shared_url: str, capsys: Captured) -> None:
    here = cup(tmp_path / "here.toml", SIX, stages=STAGES)
    there = cup(tmp_path / f"{new_id()}.toml", SIX, stages=STAGES)
    run(capsys, "cup", "run", here, "--quiet", "--workers", 1)
    run(capsys, "cup", "run", there, "--quiet", "--workers", 1, "--hold", "--store", shared_url)
    assert results(storage_of(there, shared_url)) == results(storage_of(here, None))
    assert not (there.with_suffix(".cup") / "cup.sqlite").exists()

    everything = json.loads(run(capsys, "cup", "status", here, "--json"))
    hidden = json.loads(run(capsys, "cup", "status", there, "--json", "--store", shared_url))
    assert hidden["held"]
    assert not hidden["over"]
    for amount in ("game", "series", "stage"):
        run(capsys, "cup", "reveal", there, amount, "--store", shared_url)
    run(capsys, "cup", "open", there, "--store", shared_url)
    assert json.loads(run(capsys, "cup", "status", there, "--json", "--store", shared_url)) == everything

    # on another machine: without the cup file, the bots and the folder
    elsewhere = tmp_path / "elsewhere" / there.stem
    elsewhere.parent.mkdir()
    store = ("--store", shared_url)
    assert json.loads(run(capsys, "cup", "status", elsewhere, "--json", *store)) == everything
    bundle = tmp_path / "b.zip"
    run(capsys, "cup", "report", elsewhere, "--replays", "1", "--bundle", bundle, *store)
    assert "OK" in run(capsys, "verify", bundle)
    assert "OK" in run(capsys, "verify", elsewhere, *store)
    watched = run(capsys, "watch", elsewhere, "--plain", "-n", "1", *store)
    assert watched == run(capsys, "watch", here, "--plain", "-n", "1")


def test_the_store_is_chosen_by_option_file_and_variable(
    tmp_path: Path, shared_url: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"{new_id()}.toml"
    wrong = "postgresql://127.0.0.1:1/nothing"
    path.write_text(SMALL_CUP)
    monkeypatch.setenv("BOTEQUIM_STORE", shared_url)
    run(capsys, "cup", "run", path, "--quiet")
    assert not (path.with_suffix(".cup") / "cup.sqlite").exists()
    monkeypatch.setenv("BOTEQUIM_STORE", wrong)
    assert "cannot be reached" in run(capsys, "cup", "status", path, code=2)
    path.write_text(f'{SMALL_CUP}\n[store]\nurl = "{shared_url}"\n')
    run(capsys, "cup", "status", path)
    path.write_text(f'{SMALL_CUP}\n[store]\nurl = "{wrong}"\n')
    assert "cannot be reached" in run(capsys, "cup", "status", path, code=2)
    run(capsys, "cup", "status", path, "--store", shared_url)
    path.write_text(f'{SMALL_CUP}\n[store]\nurl = "postgresql://ana:s3cret@h/d"\n')
    said = run(capsys, "cup", "status", path, code=2)
    assert f"{path}:" in said
    assert "must not contain a password" in said
    assert "s3cret" not in said


def test_a_password_appears_nowhere(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"{new_id()}.toml"
    path.write_text(SMALL_CUP)
    url = postgres.tcp_url(postgres.databases[0])
    command = [sys.executable, "-m", "botequim", "cup", "run", str(path), "--store", url]

    def said() -> tuple[int, str]:
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        return ran.returncode, ran.stdout + ran.stderr

    code, text = said()
    assert code == 2
    assert "~/.pgpass" in text
    monkeypatch.setenv("PGPASSWORD", "wr0ng")
    code, text = said()
    assert code == 2
    assert "does not accept the user or the password" in text
    assert "wr0ng" not in text
    monkeypatch.delenv("PGPASSWORD")
    secrets_file = tmp_path / "pgpass"
    secrets_file.write_text(f"127.0.0.1:{postgres.port}:*:botequim:{PASSWORD}\n")
    secrets_file.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(secrets_file))
    code, text = said()
    assert code == 0
    assert PASSWORD not in text + postgres.log()
    rows = postgres.execute(postgres.databases[0], "SELECT * FROM botequim.facts, botequim.entrants")
    assert PASSWORD not in str(rows)
    assert not [one for one in path.with_suffix(".cup").rglob("*") if PASSWORD.encode() in _content(one)]


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


# --- whatever is killed ------------------------------------------------------------------------------


@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_a_coordinator_that_is_killed_loses_nothing(
    kills: int, tmp_path: Path, shared_url: str, capsys: Captured
) -> None:
    calm = cup(tmp_path / "calm.toml", SIX, stages=STAGES)
    run(capsys, "cup", "run", calm, "--quiet")
    stormy = cup(tmp_path / f"{new_id()}.toml", SIX, stages=STAGES)
    with cup_runs() as begin:
        seen = 0
        for _ in range(kills):
            process = begin(stormy, "--store", shared_url, "--workers", "2")
            until(lambda: _stored(stormy, shared_url) > seen or process.poll() is not None)  # noqa: B023
            process.kill()
            process.wait()
            seen = _stored(stormy, shared_url)
        assert begin(stormy, "--store", shared_url).wait(PATIENCE) == 0
    assert results(storage_of(stormy, shared_url)) == results(storage_of(calm, None))


def _stored(path: Path, url: str) -> int:
    storage = storage_of(path, url)
    if not storage.has_results():
        return 0
    with storage.open_results() as store:
        return len(store.series())


@pytest.mark.slow
@pytest.mark.parametrize("kills", [1, 5])
def test_a_database_that_is_killed_loses_nothing(kills: int, tmp_path: Path, capsys: Captured) -> None:
    """The coordinator waits for it, and goes on; once, also in `tests/cup/test_cup_outages.py`."""
    calm = cup(tmp_path / "calm.toml", SIX, stages=STAGES)
    run(capsys, "cup", "run", calm, "--quiet")
    stormy = cup(tmp_path / "stormy.toml", SIX, stages=STAGES)
    with start_server({"synchronous_commit": "on"}) as server, cup_runs() as begin:
        url = server.url("postgres")
        process = begin(stormy, "--store", url, "--workers", "1")
        for kill in range(kills):
            until(lambda: _stored(stormy, url) > 2 * kill or process.poll() is not None)  # noqa: B023
            server.stop(signal.SIGKILL)
            server.start()
        assert process.wait(PATIENCE) == 0
        assert results(storage_of(stormy, url)) == results(storage_of(calm, None))


def test_a_server_goes_on_when_its_database_comes_back(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "copa.toml"
    path.write_text(SMALL_CUP)
    trouble = "the database of this cup cannot be used at the moment"
    with start_server({"synchronous_commit": "on"}) as server:
        url = server.url("postgres")
        run(capsys, "cup", "run", path, "--quiet", "--store", url)
        with serving(read_cup(path, url)) as served:
            podium = served.json("/api/cups/copa")["podium"]
            assert podium
            server.stop(signal.SIGKILL)
            until(lambda: trouble in served.get("/cups/copa").text)
            page = served.get("/cups/copa").text
            assert "postgresql://" not in page, "where the database is, is not public"
            assert served.json("/api/cups/copa")["podium"] == podium, "what was known is still shown"
            server.start()
            until(lambda: trouble not in served.get("/cups/copa").text)


def test_what_cannot_be_repaired_says_so(tmp_path: Path, shared_url: str, capsys: Captured) -> None:
    path = tmp_path / f"{new_id()}.toml"
    path.write_text(SMALL_CUP)
    assert "restore a copy" in run(capsys, "cup", "repair", path, "--store", shared_url, code=2)


# --- from another machine ----------------------------------------------------------------------------


def test_a_server_elsewhere_shows_the_cup_and_takes_votes(
    tmp_path: Path, shared_url: str, capsys: Captured
) -> None:
    path = cup(tmp_path / f"{new_id()}.toml", SIX, stages=STAGES)
    there = tmp_path / "elsewhere" / path.name
    there.parent.mkdir()
    there.write_text(path.read_text())
    name = path.stem
    with serving(read_cup(there, shared_url)) as served:
        assert served.json(f"/api/cups/{name}")["podium"] == []
        run(capsys, "cup", "run", path, "--quiet", "--store", shared_url)
        until(lambda: served.json(f"/api/cups/{name}")["podium"])
        shown = served.json(f"/api/cups/{name}/standings")["overall"]
        table = json.loads(run(capsys, "cup", "status", path, "--json", "--store", shared_url))
        assert table["over"]
        assert len(shown) == len(SIX)
        first = served.json(f"/api/cups/{name}/games?limit=1")["items"][0]
        record = f"/api/cups/{name}/games/{first['series']}/{first['game']}/record"
        assert served.get(record).status_code == 200

        run(capsys, "contest", "new", path, "Best", "--store", shared_url)
        code = run(capsys, "contest", "codes", path, 1, 1, "--store", shared_url).strip()
        run(capsys, "contest", "open", path, 1, "--store", shared_url)
        ballot = {"choices": ["p1"], "code": code}
        votes = [served.post(f"/api/cups/{name}/contests/1/votes", json=ballot) for _ in range(2)]
        assert [one.status_code for one in votes] == [201, 409], "a code counts once"
        headers = {"Authorization": f"Bearer {TOKEN}"}
        turnout = served.get(f"/api/cups/{name}/contests/1/turnout", headers=headers)
        assert turnout.json()["ballots"] == 1
        run(capsys, "contest", "close", path, 1, "--store", shared_url)
        assert served.json(f"/api/cups/{name}/contests/1/result")["winners"] == ["p1"]
    assert not list(there.parent.rglob("*.sqlite"))


def test_a_server_elsewhere_shows_games_while_they_are_played(tmp_path: Path, shared_url: str) -> None:
    long = '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 30000\n'
    path = cup(tmp_path / f"{new_id()}.toml", SIX, stages=long)
    with serving(read_cup(path, shared_url)) as served, cup_runs() as begin:
        begin(path, "--store", shared_url, "--workers", "1")
        (table,) = until(lambda: served.json(f"/api/cups/{path.stem}/tables"))
        assert table["stage"] == "league"
        assert until(lambda: served.json(f"/api/cups/{path.stem}/next"))
