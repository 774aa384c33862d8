"""Backups of a cup, also while it is played, and a cup that a later version continues."""

from __future__ import annotations

import gzip
import io
import json
import os
import secrets
import shutil
import stat
import tarfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.core.errors import InputError
from botequim.cup.backup import restore_backup, write_backup
from botequim.cup.config_parser import read
from botequim.cup.people import Person, write_people
from botequim.cup.versions import FACT, note_version, stored_versions
from botequim.storage import open_storage
from botequim.storage.sqlite.cup import SqliteCupStore
from tests import ROOT

FIRST = ROOT / "tests" / "fixtures" / "first"
Captured = pytest.CaptureFixture[str]
CUP = """\
name = "Rinha"
game = "rps"
seed = "7"
workers = 1

[[stages]]
name = "league"
format = "round_robin"
games = 1
"""


def run(capsys: Captured, *words: object, code: int = 0) -> str:
    found = main([*map(str, words)])
    said = capsys.readouterr()
    assert found == code, said
    return said.out if code == 0 else said.err


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """A cup that an earlier version began, with people and an unusual bot."""
    folder = Path(shutil.copytree(FIRST / "stopped", tmp_path / "stopped"))
    path = folder / "copa.toml"
    write_people(path, [Person("Ana", entrant="Abel")])
    return path


def make_backup(cup: Path) -> Path:
    target = cup.parent / f"{secrets.token_hex(4)}.tar.gz"
    write_backup(read(cup), target)
    return target


# --- a cup that is being played -----------------------------------------------------------------------


def test_a_cup_of_an_earlier_version_is_backed_up_while_it_is_played_and_continues_elsewhere(
    stopped: Path, tmp_path: Path, capsys: Captured
) -> None:
    backup = tmp_path / "copa.tar.gz"
    with open_storage(stopped.with_suffix(".cup")).open_results(write=True) as coordinator:
        coordinator.put_facts({"note": "before"})
        said = json.loads(run(capsys, "cup", "backup", stopped, backup, "--json"))
        coordinator.put_facts({"note": "after"})
    assert said["series"] > 0
    shutil.rmtree(stopped.parent)
    found = json.loads(run(capsys, "cup", "restore", backup, tmp_path / "new", "--json"))
    assert (found["series"], found["sha256"]) == (said["series"], said["sha256"])
    cup = tmp_path / "new" / "copa.toml"
    with open_storage(cup.with_suffix(".cup")).open_results() as store:
        assert store.fact("note") == "before"
    assert main(["cup", "run", str(cup), "--trust", "--quiet"]) == 0
    assert "an earlier version played the first 5 series of this cup" in capsys.readouterr().err
    run(capsys, "cup", "report", cup, "--replays", 0, "--bundle", tmp_path / "copa.zip")
    assert json.loads(run(capsys, "verify", tmp_path / "copa.zip", "--json"))["ok"]
    page = cup.with_suffix(".cup") / "report" / "public" / "index.html"
    assert "Several versions of Botequim played this cup: an earlier version, " in page.read_text(
        encoding="utf-8"
    )


def test_files_that_are_not_in_it_are_named(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "rinha.toml"
    path.write_text(CUP + two_entrants(), encoding="utf-8")
    with open_storage(tmp_path / "rinha.cup").open_results(write=True) as store:
        store.put_facts({"seed": "7"})
        store.pin_entrant("a", {"program": {"folder": "/home/ana/bot", "image": ""}})
        store.pin_entrant("b", {"program": {"folder": "{cup}/bots/b/bot"}})
        (tmp_path / "rinha.cup" / "bots" / "b" / "bot").mkdir(parents=True)
        (tmp_path / "rinha.cup" / "bots" / "half-made").mkdir()
    said = run(capsys, "cup", "backup", path, tmp_path / "b.tar.gz")
    assert "they are not in it: a\n" in said
    names = [info.name for info, _ in entries(tmp_path / "b.tar.gz")]
    assert "rinha.cup/bots/b/bot" in names
    assert "rinha.cup/bots/half-made" not in names


def two_entrants() -> str:
    return "".join(f'[[entrants]]\nname = "{name}"\nbot = "random"\n' for name in "ab")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_all_of_a_store_is_restored(
    kind: str, tmp_path: Path, capsys: Captured, request: pytest.FixtureRequest
) -> None:
    """Results, what is public, contests and votes, from files and from a database."""
    folder = Path(shutil.copytree(FIRST / "finished", tmp_path / "finished"))
    cup, words = folder / "rinha.toml", []
    before = shown(capsys, cup)
    if kind == "postgres":
        url = f"{request.getfixturevalue('shared_url')}&cup=rinha-{secrets.token_hex(4)}"
        run(capsys, "cup", "move", cup, url)
        words = ["--store", url]
    run(capsys, "cup", "backup", cup, tmp_path / "b.tar.gz", *words)
    run(capsys, "cup", "restore", tmp_path / "b.tar.gz", tmp_path / "again")
    assert shown(capsys, tmp_path / "again" / "rinha.toml") == before


def shown(capsys: Captured, cup: Path) -> list[Any]:
    commands = (("cup", "status", cup), ("cup", "status", cup, "--unrevealed"), ("contest", "list", cup))
    return [json.loads(run(capsys, *words, "--json")) for words in commands]


def test_a_copy_of_two_files_is_of_one_moment(tmp_path: Path) -> None:
    """Whoever writes during the copy is not in it."""
    storage = open_storage(tmp_path / "a.cup")
    with storage.open_results(write=True) as store, storage.open_visibility() as show:
        store.put_facts({"seed": "7"})
        show.hold(1)
        (tmp_path / "copy").mkdir()
        storage.copy_to(tmp_path / "copy")
        store.put_facts({"seed": "8"})
        show.reveal(2)
    copy = open_storage(tmp_path / "copy")
    with copy.open_results(check=True) as found:
        assert found.fact("seed") == "7"
    assert copy.shown_games() == 1


# --- what is in it ------------------------------------------------------------------------------------


def test_private_files_are_in_it_and_nobody_else_reads_it(stopped: Path, tmp_path: Path) -> None:
    (stopped.parent / "copa.submissions.csv").write_text("x\n", encoding="utf-8")
    (stopped.parent / "copacabana.people.csv").write_text("other\n", encoding="utf-8")
    (stopped.parent / "copa.submissions" / "ana" / "1").mkdir(parents=True)
    (stopped.parent / "copa.submissions" / "ana" / "1" / "bot.py").write_text("pass\n", encoding="utf-8")
    backup = make_backup(stopped)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    restore_backup(backup, tmp_path / "new")
    names = {path.name for path in (tmp_path / "new").iterdir()}
    assert names == {"copa.toml", "copa.cup", "copa.people.csv", "copa.submissions.csv", "copa.submissions"}
    assert (tmp_path / "new" / "copa.submissions" / "ana" / "1" / "bot.py").is_file()
    people = tmp_path / "new" / "copa.people.csv"
    assert people.read_bytes() == stopped.with_suffix(".people.csv").read_bytes()
    assert stat.S_IMODE(people.stat().st_mode) == 0o600


def test_nothing_is_overwritten(stopped: Path, tmp_path: Path, capsys: Captured) -> None:
    backup = make_backup(stopped)
    content = backup.read_bytes()
    assert "already exists" in run(capsys, "cup", "backup", stopped, backup, code=2)
    assert backup.read_bytes() == content
    assert "nothing is overwritten" in run(capsys, "cup", "restore", backup, stopped.parent, code=2)
    empty = tmp_path / "empty"
    empty.mkdir()
    run(capsys, "cup", "restore", backup, empty)
    assert "nothing is overwritten" in run(capsys, "cup", "restore", backup, empty, code=2)


def test_a_backup_of_nothing_leaves_no_file(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "rinha.toml"
    path.write_text(CUP + two_entrants())
    assert "no games have been played" in run(capsys, "cup", "backup", path, tmp_path / "b.tar.gz", code=2)
    assert not (tmp_path / "b.tar.gz").exists()
    assert "cannot be read" in run(capsys, "cup", "restore", tmp_path / "b.tar.gz", tmp_path / "r", code=2)
    assert not (tmp_path / "r").exists()


def test_restoring_says_if_the_file_names_a_database(stopped: Path, tmp_path: Path, capsys: Captured) -> None:
    text = stopped.read_text(encoding="utf-8")
    backup = make_backup(stopped)
    change_entry(backup, "copa.toml", (text + '\n[store]\nurl = "postgresql://h/d"\n').encode(), fix=True)
    assert "would be played in postgresql://h/d" in run(capsys, "cup", "restore", backup, tmp_path / "new")


# --- damaged and hostile files ------------------------------------------------------------------------


def entries(backup: Path) -> list[tuple[tarfile.TarInfo, bytes]]:
    with tarfile.open(backup) as archive:
        found = []
        for info in archive:
            file = archive.extractfile(info) if info.isreg() else None
            found.append((info, file.read() if file is not None else b""))
        return found


def rewrite(backup: Path, content: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    with tarfile.open(backup, "w:gz") as archive:
        for info, text in content:
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))


def change_entry(backup: Path, name: str, text: bytes, *, fix: bool = False) -> None:
    """Change an entry, and with `fix` also its digest in the manifest."""
    content = [(info, text if info.name == name else old) for info, old in entries(backup)]
    if fix:
        *others, (info, manifest) = content
        value = json.loads(manifest)
        value["files"][name] = value["files"][name].split()[0] + " " + sha256(text).hexdigest()
        content = [*others, (info, json.dumps(value).encode())]
    rewrite(backup, content)


def add_entry(backup: Path, name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> None:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    *others, manifest = entries(backup)
    rewrite(backup, [*others, (info, b""), manifest])


DAMAGES: dict[str, Callable[[Path], object]] = {
    "not an archive": lambda path: path.write_bytes(b"hello"),
    "an archive of something else": lambda path: rewrite(path, []),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-2000]),
    "a changed byte": lambda path: path.write_bytes(gzip.compress(flip(gzip.decompress(path.read_bytes())))),
    "a changed file": lambda path: change_entry(path, "copa.toml", b"x"),
    "a changed store": lambda path: change_entry(path, "copa.cup/cup.sqlite", b"x" * 4096, fix=True),
    "another file": lambda path: add_entry(path, "copa.cup/new"),
    "a way out": lambda path: add_entry(path, "../evil"),
    "a way out of a folder": lambda path: add_entry(path, "copa.cup/../../evil"),
    "an absolute path": lambda path: add_entry(path, "/tmp/evil"),
    "a device": lambda path: add_entry(path, "copa.cup/null", tarfile.CHRTYPE),
    "a hard link": lambda path: add_entry(path, "copa.cup/passwd", tarfile.LNKTYPE, "/etc/passwd"),
    "the same twice": lambda path: add_entry(path, "copa.cup", tarfile.DIRTYPE),
}


def flip(content: bytes) -> bytes:
    at = content.index(b"SQLite format 3") + 4200
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_or_hostile_file_is_refused_and_leaves_nothing(
    damage: str, stopped: Path, tmp_path: Path, capsys: Captured
) -> None:
    backup = make_backup(stopped)
    DAMAGES[damage](backup)
    there = set(tmp_path.rglob("*"))
    assert main(["cup", "restore", str(backup), str(tmp_path / "new")]) in (1, 2, 3)
    assert capsys.readouterr().err
    assert set(tmp_path.rglob("*")) == there


def test_a_link_is_never_followed(stopped: Path, tmp_path: Path) -> None:
    """An entry below a link is refused: the folder of an entry is always one that was created before it."""
    backup = make_backup(stopped)
    (tmp_path / "outside").mkdir()
    add_entry(backup, "copa.cup/way", tarfile.SYMTYPE, str(tmp_path / "outside"))
    add_entry(backup, "copa.cup/way/evil")
    with pytest.raises(InputError, match="not a backup of a cup, or it is damaged"):
        restore_backup(backup, tmp_path / "new")
    assert os.listdir(tmp_path / "outside") == []  # noqa: PTH208


# --- versions -----------------------------------------------------------------------------------------


def test_versions_are_stored_once_each(tmp_path: Path) -> None:
    shutil.copy(FIRST / "stopped" / "copa.cup" / "cup.sqlite", tmp_path / "cup.sqlite")
    with SqliteCupStore.open(tmp_path / "cup.sqlite", write=True) as store:
        count = len(store.series())
        notices = [note_version(store, version) for version in ("0.2.0", "0.2.0", "0.3.0", "0.3.0")]
        assert [notice is None for notice in notices] == [False, True, False, True]
        assert str(notices[2]).startswith(f"Botequim 0.2.0 played the first {count} series")
        assert stored_versions(store) == [("", 0), ("0.2.0", count), ("0.3.0", count)]
    with SqliteCupStore.open(tmp_path / "empty.sqlite", write=True) as store:
        assert note_version(store, "0.2.0") is None
        assert note_version(store, "0.3.0") is None, "nothing was played yet"
        assert json.loads(store.fact(FACT) or "") == [["0.3.0", 0]]


def test_a_file_that_is_no_archive_is_refused_in_the_language_of_the_reader(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "turma.csv").write_text("Nome;Nota\n", encoding="utf-8")
    words = ["cup", "restore", str(tmp_path / "turma.csv"), str(tmp_path / "copia")]
    assert main(["--lang", "pt_BR", *words]) == 2
    err = capsys.readouterr().err
    assert "não é um arquivo .tar.gz completo" in err
    assert "gzip" not in err
