"""A cup moves between stores, and nothing of it changes."""

from __future__ import annotations

import json
import secrets
import shlex
import shutil
import sqlite3
import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from botequim.cli import main
from botequim.core.errors import BotequimError, InputError
from botequim.cup.config_parser import read
from botequim.storage import open_storage
from botequim.storage.address import StoreAddress
from botequim.storage.errors import DamagedStore
from botequim.storage.moving import fingerprint, move_cup
from botequim.storage.postgres.transfer import PostgresTransfer
from botequim.storage.protocol import CupStorage
from tests import ROOT
from tests.support.pace import until
from tests.support.server_thread import serving

FIRST = ROOT / "tests" / "fixtures" / "first"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished cup of an earlier version with faults, contests and ballots, of which a part is revealed."""
    return Path(shutil.copytree(FIRST / "finished", tmp_path / "finished"))


@pytest.fixture
def url(shared_url: str) -> str:
    return f"{shared_url}&cup=rinha-{secrets.token_hex(4)}"


def run(capsys: Captured, *words: object, code: int = 0) -> str:
    found = main([*map(str, words)])
    said = capsys.readouterr()
    assert found == code, said
    return said.out if code == 0 else said.err


def told(capsys: Captured, cup: object, *words: object) -> list[Any]:
    """What commands say about a cup."""
    commands = (
        ("cup", "status", cup, "--json"),
        ("cup", "status", cup, "--json", "--unrevealed"),
        ("contest", "list", cup, "--json"),
        ("contest", "results", cup, 1, "--json"),
    )
    return [json.loads(run(capsys, *command, *words)) for command in commands]


def bundle_files(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_cup_moves_to_a_database_and_back(folder: Path, url: str, capsys: Captured) -> None:
    cup = folder / "rinha.toml"
    before = told(capsys, cup)
    run(capsys, "cup", "move", cup, url)
    assert told(capsys, cup, "--store", url) == before
    sealed = run(capsys, "cup", "status", cup, code=2)
    assert "sealed" in sealed
    assert url in sealed
    for command in (("cup", "run", cup), ("cup", "open", cup), ("contest", "open", cup, 3)):
        assert "sealed" in run(capsys, *command, code=2)

    run(capsys, "cup", "reveal", cup, "--store", url)
    run(capsys, "contest", "close", cup, 2, "--store", url)
    changed = told(capsys, cup, "--store", url)
    assert changed != before
    run(capsys, "cup", "move", url, cup)
    assert told(capsys, cup) == changed
    assert "sealed" in run(capsys, "cup", "status", cup, "--store", url, code=2)
    assert str(folder) in run(capsys, "contest", "list", cup, "--store", url, code=2)

    run(capsys, "cup", "move", cup, url)
    run(capsys, "cup", "open", cup, "--store", url)
    bundle = folder / "again.zip"
    run(capsys, "cup", "report", cup, "--replays", "0", "--bundle", bundle, "--store", url)
    assert bundle_files(bundle) == bundle_files(FIRST / "bundles" / "rinha.zip")
    assert "OK" in run(capsys, "verify", cup, "--store", url)


def test_a_cup_moves_between_databases(folder: Path, url: str, capsys: Captured) -> None:
    cup = folder / "rinha.toml"
    before = told(capsys, cup)
    moved = json.loads(run(capsys, "cup", "move", cup, url, "--json"))
    again = json.loads(run(capsys, "cup", "move", url, f"{url}-2", "--json"))
    assert {**moved, "old": "", "new": ""} == {**again, "old": "", "new": ""}
    assert moved["series"] > 0
    assert moved["ballots"] == 8
    assert told(capsys, cup, "--store", f"{url}-2") == before


def test_a_cup_moves_back_to_addresses_that_are_spelled_otherwise(folder: Path, url: str) -> None:
    old, new = storages(folder, url)
    respelled = open_storage(folder, StoreAddress.parse(url.replace("?", "?connect_timeout=9&")))
    third = open_storage(folder / "third.cup")
    assert respelled.location != new.location
    assert move_cup(old, new) == move_cup(respelled, old)
    expected = move_cup(old, respelled)
    assert move_cup(new, third) == move_cup(third, respelled) == move_cup(new, old) == expected


@pytest.mark.parametrize("place", ["[store]", "BOTEQUIM_STORE"])
def test_a_cup_moves_from_the_store_that_other_commands_use(
    folder: Path, url: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    cup = folder / "rinha.toml"
    before = told(capsys, cup)
    if place == "[store]":
        cup.write_text(f'{cup.read_text()}\n[store]\nurl = "{url}"\n')
    else:
        monkeypatch.setenv("BOTEQUIM_STORE", url)
    moved = json.loads(run(capsys, "cup", "move", cup, url, "--json"))
    assert moved["old"] == str(folder / "rinha.cup"), "the new store is chosen already"
    assert told(capsys, cup) == before
    moved = json.loads(run(capsys, "cup", "move", cup, f"{url}-2", "--json"))
    assert moved["old"] == url
    assert told(capsys, cup, "--store", f"{url}-2") == before
    run(capsys, "cup", "move", f"{url}-2", url)
    assert json.loads(run(capsys, "cup", "move", cup, cup, "--json"))["old"] == url
    moved = json.loads(run(capsys, "cup", "move", folder / "rinha.cup", f"{url}-3", "--json"))
    assert moved["old"] == str(folder / "rinha.cup")


def test_suggested_commands_name_the_store(folder: Path, url: str, capsys: Captured) -> None:
    cup = folder / "rinha.toml"
    run(capsys, "cup", "move", cup, url)
    words = shlex.join([str(cup), "--store", url])
    assert f"botequim cup reveal {words}" in run(capsys, "cup", "reveal", cup, "--store", url)
    refused = run(capsys, "cup", "report", cup, "--bundle", folder / "b.zip", "--store", url, code=2)
    assert f"botequim cup open {words}" in refused
    run(capsys, "cup", "open", cup, "--store", url)
    assert f"botequim cup hold {words}" in run(capsys, "cup", "reveal", cup, "--store", url, code=2)


@pytest.mark.parametrize("backwards", [False, True])
def test_the_public_of_the_old_server_is_not_told_where_stores_are(
    folder: Path, url: str, backwards: bool
) -> None:
    cup = read(folder / "rinha.toml")
    old, new = storages(folder, url)
    if backwards:
        move_cup(old, new)
        cup, old, new = replace(cup, store=StoreAddress.parse(url)), new, old
    with serving(cup) as served:
        at = "/cups/rinha/contests/2"
        assert served.get(at).status_code == 200
        move_cup(old, new)
        voted = served.post(f"/api{at}/votes", json={"choices": []})
        assert voted.status_code == 409
        assert "was moved" in voted.json()["detail"]
        trouble = until(lambda: served.json("/api/cups/rinha")["trouble"])
        answers = [voted, served.get(at), served.post(at, data={}), served.get("/cups/rinha")]
        for said in (trouble, *(answer.text for answer in answers)):
            assert "postgresql:" not in said
            assert str(folder) not in said


# --- what must not happen ----------------------------------------------------------------------------


def storages(folder: Path, url: str) -> tuple[CupStorage, CupStorage]:
    return open_storage(folder / "rinha.cup"), open_storage(folder, StoreAddress.parse(url))


def change_rows(url: str, statement: str) -> None:
    """Change rows of a cup in the database behind its back."""
    address = StoreAddress.parse(url)
    with closing(psycopg.connect(address.url, autocommit=True)) as connection:
        connection.execute("SET lock_timeout = 60000")
        assert connection.execute(statement, (address.cup,)).rowcount


@pytest.mark.parametrize("backwards", [False, True])
def test_a_move_that_was_interrupted_is_repeated(folder: Path, url: str, backwards: bool) -> None:
    old, new = storages(folder, url)
    if backwards:
        move_cup(old, new)
        old, new = new, open_storage(folder / "elsewhere.cup")
    with old.open_transfer() as source, new.open_transfer() as target:
        target.fill(source)  # and then the power fails: both are there, none is sealed
        expected = fingerprint(source)
    assert move_cup(old, new) == expected
    with pytest.raises(InputError, match="sealed"):
        old.open_results()
    new.open_results(check=True).close()


def test_a_seal_that_was_interrupted_is_completed(folder: Path, url: str) -> None:
    old, new = storages(folder, url)
    move_cup(old, new)
    with closing(sqlite3.connect(folder / "rinha.cup" / "show.sqlite")) as connection, connection:
        connection.execute("DELETE FROM successor")
    with pytest.raises(InputError, match="sealed"):
        move_cup(old, new)
    with pytest.raises(InputError, match="sealed"):
        old.open_votes()


def test_another_cup_is_never_replaced(folder: Path, url: str) -> None:
    old, new = storages(folder, url)
    with new.open_results(write=True) as store:
        store.put_facts({"name": "another cup"})
    with pytest.raises(InputError, match="contains another cup"):
        move_cup(old, new)
    with new.open_results(check=True) as store:
        assert store.fact("name") == "another cup"
    old.open_results(check=True).close()


def test_another_cup_is_not_replaced_by_one_that_moves_back(folder: Path, url: str) -> None:
    old, new = storages(folder, url)
    move_cup(old, new)
    with open_storage(folder / "other.cup").open_results(write=True) as store:
        store.put_facts({"name": "another cup"})
    elsewhere = open_storage(folder / "elsewhere.cup")
    move_cup(open_storage(folder / "other.cup"), elsewhere)
    with pytest.raises(InputError, match="contains another cup"):
        move_cup(elsewhere, old)


def test_a_cup_that_is_being_played_is_not_moved(folder: Path, url: str) -> None:
    old, new = storages(folder, url)
    with old.open_results(write=True), pytest.raises(InputError, match="is playing this cup"):
        move_cup(old, new)
    move_cup(old, new)
    with new.open_results(write=True), pytest.raises(InputError, match="is playing this cup"):
        move_cup(new, open_storage(folder / "elsewhere.cup"))


def test_who_has_the_old_store_open_cannot_write_any_more(folder: Path, url: str) -> None:
    for _ in range(2):
        old, new = storages(folder, url)
        with old.open_votes() as votes, old.open_visibility() as show:
            move_cup(old, new)
            with pytest.raises(InputError, match="sealed"):
                show.release()
            with pytest.raises(InputError, match="sealed"), votes.transaction():
                votes.add_ballot(2, [0])
        with new.open_votes() as votes, new.open_visibility() as show:
            move_cup(new, old)
            with pytest.raises(InputError, match="sealed"):
                show.release()
            with pytest.raises(InputError, match="sealed"):
                votes.add_ballot(2, [0])


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("absent", ["show.sqlite", "cup.sqlite"])
def test_what_did_not_exist_before_the_move_is_sealed_too(
    folder: Path,
    url: str,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
    absent: str,
    backwards: bool,
) -> None:
    monkeypatch.setattr("botequim.web.server.serving.Server.serve", lambda *_: pytest.fail("it serves"))
    cup, store = folder / "rinha.toml", ["--store", url]
    (folder / "rinha.cup" / absent).unlink()
    run(capsys, "cup", "move", cup, url)
    if backwards:
        run(capsys, "cup", "move", url, cup)
    old, new = (store, cup) if backwards else ([], url)
    for command in (
        ("contest", "new", cup, "Best"),
        ("cup", "hold", cup),
        ("cup", "open", cup),
        ("cup", "run", cup),
        ("serve", cup, "--port", "0"),
        ("watch", cup),
    ):
        said = run(capsys, *command, *old, code=2)
        assert "sealed" in said, command
        assert str(new).removesuffix(".toml") in said
    run(capsys, "contest", "new", cup, "Best", *([] if backwards else store))


def test_a_copy_that_is_not_equal_does_not_seal_the_old_store(
    folder: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = storages(folder, url)

    def fill_and_change(self: Any, source: Any) -> None:
        fill(self, source)
        change_rows(url, "UPDATE botequim.faults SET turn = turn + 1 WHERE cup = %s")

    fill = PostgresTransfer.fill
    monkeypatch.setattr(PostgresTransfer, "fill", fill_and_change)
    with pytest.raises(BotequimError, match="is not equal"):
        move_cup(old, new)
    old.open_results(check=True).close()


@pytest.mark.parametrize("backwards", [False, True])
def test_a_damaged_store_is_not_moved(folder: Path, url: str, backwards: bool) -> None:
    old, new = storages(folder, url)
    with old.open_results(write=True):
        pass  # series of an earlier version get their checksums
    if backwards:
        move_cup(old, new)
        old, new = new, open_storage(folder / "elsewhere.cup")
        change_rows(url, "UPDATE botequim.series SET seconds = seconds + 100 WHERE cup = %s")
    else:
        with closing(sqlite3.connect(folder / "rinha.cup" / "cup.sqlite")) as connection, connection:
            connection.execute("UPDATE series SET seconds = seconds + 100")
    with pytest.raises(DamagedStore) as wanted:
        old.open_results(check=True)
    with pytest.raises(DamagedStore) as found:
        move_cup(old, new)
    assert str(found.value) == str(wanted.value)
    assert not new.has_results()
    old.open_results().close()


def test_series_keep_their_numbers_and_contests_their_ids(folder: Path, url: str) -> None:
    """A store that was repaired has gaps, and the id of a deleted contest is never used again."""
    old, new = storages(folder, url)
    with closing(sqlite3.connect(folder / "rinha.cup" / "cup.sqlite")) as connection, connection:
        connection.execute("UPDATE series SET number = number + 10 WHERE number > 2")
        connection.execute("DROP TABLE IF EXISTS checksums")
        connection.execute("DROP INDEX IF EXISTS faults_of_series")
        connection.execute("PRAGMA user_version = 1")
    with old.open_votes() as votes:
        votes.delete_contest(3)
    with old.open_results(write=True) as store:
        numbers = [one.number for one in store.series()]
    move_cup(old, new)
    with new.open_results(check=True) as store:
        assert [one.number for one in store.series()] == numbers
        assert numbers[2] == 13
    with new.open_votes() as votes:
        assert votes.add_contest("t", "open", "single", "open", ["a", "b"]) == 4
    move_cup(new, old)
    with old.open_votes() as votes:
        assert votes.add_contest("t", "open", "single", "open", ["a", "b"]) == 5


def test_requests_and_the_log_of_changes_move_too(folder: Path, url: str) -> None:
    old, new = storages(folder, url)
    with old.open_requests() as opened:
        opened.add_request('{"why": "ação"}', "waiting")
        opened.answer_request(1, "applied", '{"entry": 1}')
    with old.open_results(write=True) as store:
        store.put_facts({"changes": '[{"why": "ação"}]'})
    before = old.requests()
    move_cup(old, new)
    assert new.requests() == before
    move_cup(new, old)
    assert old.requests() == before
    with old.open_results(check=True) as store:
        assert store.fact("changes") == '[{"why": "ação"}]'


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nothing.toml", "URL"], "there is no cup to move"),
        (["URL", "URL"], "say which cup"),
        (["URL&cup=a", "URL&cup=a"], "both the old and the new"),
        (["rinha.toml", "./rinha.toml"], "both the old and the new"),
        (["rinha.toml", "mysql://x/y"], "must begin with postgresql://"),
        (["rinha.toml", "postgresql://ana:s3cret@x/y"], "must not contain a password"),
    ],
)
def test_moves_that_make_no_sense(
    words: list[str],
    why: str,
    folder: Path,
    shared_url: str,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    said = run(capsys, "cup", "move", *(word.replace("URL", shared_url) for word in words), code=2)
    assert why in said
    assert "s3cret" not in said
