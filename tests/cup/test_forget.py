"""The deletion of a person's data: what goes, what stays, and that the results stay valid."""

from __future__ import annotations

import json
import secrets
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.core.errors import InputError
from botequim.cup.change_requests import apply_requests, request_change
from botequim.cup.changes import Departure
from botequim.cup.collecting.history import HistoryLine, SubmissionState, read_history, write_history
from botequim.cup.config_parser import parse, read
from botequim.cup.entry_text import with_entry_keys
from botequim.cup.forgetting import find_deletion
from botequim.cup.people import Person, read_people, write_people
from botequim.storage import open_storage
from tests import ROOT
from tests.support.bots import BARE

FIRST = ROOT / "tests" / "fixtures" / "first"
Captured = pytest.CaptureFixture[str]
PEOPLE = (
    Person("Ana Lima", "ana@example.org", "111", "41", "", "Ana"),
    Person("Zé", "ze@example.org", "222", "42", "", "Ana"),
    Person("Bento Brás", "bento@example.org", "333", "43", "", "Bento"),
    Person("Carla", "carla@example.org", "444", "44", "", "Carla"),
    Person("Ana Lima", "other@example.org", "555", "45", "", ""),
)


def run(capsys: Captured, *words: object, code: int = 0) -> str:
    found = main([*map(str, words)])
    said = capsys.readouterr()
    assert found == code, said
    return said.out if code == 0 else said.err


@pytest.fixture
def cup(tmp_path: Path, capsys: Captured) -> Path:
    """A finished cup with people, submissions and a report."""
    shutil.copytree(FIRST / "finished", tmp_path / "finished")
    shutil.copytree(FIRST / "bots", tmp_path / "bots")
    path = tmp_path / "finished" / "rinha.toml"
    text = path.read_text(encoding="utf-8").replace(
        'name = "Bento"\n', 'name = "Bento"\nauthors = ["Bento Brás"]\nstudents = ["333"]\n'
    )
    path.write_text(text, encoding="utf-8")
    with open_storage(path.with_suffix(".cup")).open_results(write=True) as store:
        store.put_facts({"file": text})
    write_people(path, PEOPLE)
    lines = []
    for name, who in (("Bento", "43"), ("Ana", "Zé"), ("Ana", "Grupo 1")):
        folder = path.with_suffix(".submissions") / name / "1"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "bot.py").write_text("# by a student", encoding="utf-8")
        files = f"rinha.submissions/{name}/1"
        lines.append(HistoryLine("2026", name, who, 1, SubmissionState.NEW, "", "", "d", files, "x.zip"))
    write_history(path, lines)
    run(capsys, "cup", "open", path)
    run(capsys, "cup", "report", path, "--replays", 0)
    return path


def status(capsys: Captured, cup: Path) -> Any:
    return json.loads(run(capsys, "cup", "status", cup, "--json"))


def content(cup: Path) -> bytes:
    """Return all private files of the cup together, and its stores."""
    folders = (cup.parent, cup.with_suffix(".cup"))
    public = cup.with_suffix(".cup") / "report" / "public"
    files = [path for top in folders for path in top.rglob("*") if path.is_file()]
    return b"".join(path.read_bytes() for path in files if not path.is_relative_to(public))


def test_a_person_with_a_bot_of_their_own_is_forgotten(cup: Path, tmp_path: Path, capsys: Captured) -> None:
    before = status(capsys, cup)
    with open_storage(cup.with_suffix(".cup")).open_results() as store:
        logs = [json.loads(fault.fault)["evidence"].get("stderr") for fault in store.faults("Bento")]
        bot = store.entrants()["Bento"]["program"]["folder"].split("/")[2]
    log = json.dumps(next(one for one in logs if one).split("\n")[0]).strip('"').encode()
    assert log in content(cup)
    said = run(capsys, "cup", "forget", cup, "333", "--yes")
    assert "Games and results stay under the name of the entrant, with all that the bot said: Bento" in said
    assert "cup report" in said
    rest = content(cup)
    for secret in ("Bento Brás", "bento@example.org", '"333"', ",333,"):
        assert secret.encode() not in rest
    assert b'"stderr": "' + log not in rest, "also in unused parts of the file"
    assert not (cup.with_suffix(".cup") / "bots" / bot).exists()
    assert not (cup.with_suffix(".submissions") / "Bento").exists()
    assert not (cup.with_suffix(".cup") / "report" / "private").exists()
    with open_storage(cup.with_suffix(".cup")).open_results(check=True) as store:
        faults = store.faults("Bento")
        assert len(faults) == len(logs), "the faults themselves are results"
        assert not any("stderr" in json.loads(fault.fault)["evidence"] for fault in faults)
        assert "program" not in store.entrants()["Bento"]
    assert [line.entrant for line in read_history(cup)] == ["Ana", "Ana"]
    assert [person.id for person in read_people(cup)] == ["111", "222", "444", "555"]
    assert status(capsys, cup) == before
    bundle = tmp_path / "bundle.zip"
    run(capsys, "cup", "report", cup, "--replays", 0, "--bundle", bundle)
    assert json.loads(run(capsys, "verify", bundle, "--json"))["ok"]
    with zipfile.ZipFile(bundle) as archive:
        assert "Bento Brás" not in archive.read("cup.toml").decode()


def test_a_member_of_a_group_is_forgotten_and_the_bot_stays(cup: Path, capsys: Captured) -> None:
    bots = sorted(path.name for path in (cup.with_suffix(".cup") / "bots").iterdir())
    assert main(["cup", "forget", str(cup), "ZE@example.org"]) == 0
    assert 'The bot of "Ana" stays, because others made it too: Ana Lima' in capsys.readouterr().err
    assert read(cup).entry("Ana").authors == ("Ana Lima",)
    assert read(cup).entry("Ana").title == "Equipe Árvore"
    assert sorted(path.name for path in (cup.with_suffix(".cup") / "bots").iterdir()) == bots
    assert [line.who for line in read_history(cup)] == ["43", "", "Grupo 1"]
    assert b"ze@example.org" not in content(cup)
    run(capsys, "cup", "forget", cup, "111")
    assert len(list((cup.with_suffix(".cup") / "bots").iterdir())) == len(bots) - 1, (
        "the last one takes it along"
    )
    assert read(cup).entry("Ana").title == ""


def test_an_entrant_is_forgotten_with_all_its_people(cup: Path, capsys: Captured) -> None:
    found = json.loads(run(capsys, "cup", "forget", cup, "Ana", "--json"))
    assert (found["people"], found["entrants"]) == (2, ["Ana"])
    copies = [Path(path).name for path in found["copies"]]
    assert sorted(copies) == ["public", "steady"]
    assert [person.id for person in read_people(cup)] == ["333", "444", "555"]


def test_it_can_be_repeated_and_then_says_that_there_is_nobody(cup: Path, capsys: Captured) -> None:
    run(capsys, "cup", "forget", cup, "333")
    assert 'there is no person or entrant "333"' in run(capsys, "cup", "forget", cup, "333", code=2)
    run(capsys, "cup", "forget", cup, "Bento")


def test_a_name_must_be_unique(cup: Path) -> None:
    with pytest.raises(InputError, match='"Ana Lima" is not unique; give one of these: 111, 555'):
        find_deletion(read(cup), "Ana Lima")
    with pytest.raises(InputError, match="did you mean Bento"):
        find_deletion(read(cup), "Benti")
    assert find_deletion(read(cup), "Carla").entrants == ("Carla",), "the only person has the same name"
    write_people(cup, (*PEOPLE, Person("Diva", "", "666", "", "", "Carla")))
    with pytest.raises(InputError, match="is not unique; give one of these: 444"):
        find_deletion(read(cup), "Carla")


def test_a_cup_without_a_list_of_people(cup: Path) -> None:
    cup.with_suffix(".people.csv").unlink()
    assert find_deletion(read(cup), "zé").others == (("Ana", "Ana Lima"),)
    assert find_deletion(read(cup), "Bento").entrants == ("Bento",)


def test_who_still_plays_must_be_withdrawn_first(tmp_path: Path, capsys: Captured) -> None:
    folder = Path(shutil.copytree(FIRST / "stopped", tmp_path / "stopped"))
    cup = folder / "copa.toml"
    name = read(cup).entrants[0].name
    write_people(cup, [Person("Ana Lima", id="1", entrant=name), Person("Bia", id="2", entrant=name)])
    before = cup.read_bytes()
    assert "Withdraw them first" in run(capsys, "cup", "forget", cup, name, code=2)
    assert cup.read_bytes() == before
    run(capsys, "cup", "forget", cup, "1")  # the bot of a group goes on playing
    assert "Withdraw them first" in run(capsys, "cup", "forget", cup, "2", code=2)


def test_who_has_left_is_forgotten_while_the_cup_goes_on(tmp_path: Path, capsys: Captured) -> None:
    cup = Path(shutil.copytree(FIRST / "stopped", tmp_path / "stopped")) / "copa.toml"
    storage = open_storage(cup.with_suffix(".cup"))
    request_change(storage, Departure("Bia"), who="Rosa", why="asked to be deleted")
    assert apply_requests(read(cup), storage, BARE, isolated=False)
    pin = read_pins(cup)["Bia"]["program"]["folder"].split("/")[2]
    run(capsys, "cup", "forget", cup, "Bia")
    assert not (cup.with_suffix(".cup") / "bots" / pin).exists()
    run(capsys, "cup", "run", cup, "--trust", "--quiet")
    run(capsys, "cup", "report", cup, "--replays", 0, "--bundle", tmp_path / "copa.zip")
    assert json.loads(run(capsys, "verify", tmp_path / "copa.zip", "--json"))["ok"]


def read_pins(cup: Path) -> dict[str, Any]:
    with open_storage(cup.with_suffix(".cup")).open_results() as store:
        return store.entrants()


def test_nobody_may_play_meanwhile(cup: Path, capsys: Captured) -> None:
    with open_storage(cup.with_suffix(".cup")).open_results(write=True):
        assert "stop it first" in run(capsys, "cup", "forget", cup, "333", code=2)
    assert len(read_people(cup)) == len(PEOPLE)


def test_a_cup_that_has_not_begun(tmp_path: Path, capsys: Captured) -> None:
    cup = tmp_path / f"{secrets.token_hex(2)}.toml"
    shutil.copy(FIRST / "stopped" / "copa.toml", cup)
    name = read(cup).entrants[0].name
    write_people(cup, [Person("Ana Lima", id="1", entrant=name)])
    run(capsys, "cup", "forget", cup, "1")
    assert read_people(cup) == ()
    assert not cup.with_suffix(".cup").exists()


# --- the text of the cup file ----------------------------------------------------------------------------

TEXT = '''\
name = "x" # stays
[[entrants]]
name = "Ana"
authors = [
  "Ana", # me
  # and
  "Bia",
]
# about students
students = ["1", "2"]
title = """
# of two lines
"""

# the next one
[[entrants]]
name = "Bia"
authors = ["Ana"]'''


def test_only_the_keys_of_the_entrant_change() -> None:
    changed = with_entry_keys(TEXT, "Ana", {"authors": ["Bia"], "students": [], "title": [], "portrait": []})
    assert changed == (
        'name = "x" # stays\n[[entrants]]\nname = "Ana"\nauthors = ["Bia"]\n# about students\n\n'
        '# the next one\n[[entrants]]\nname = "Bia"\nauthors = ["Ana"]'
    )
    bia = with_entry_keys(TEXT, "Bia", {"authors": []})
    assert bia is not None
    assert bia.rstrip("\n") == TEXT.removesuffix('\nauthors = ["Ana"]')
    assert with_entry_keys(TEXT, "Caio", {"authors": []}) == TEXT
    windows = with_entry_keys(TEXT.replace("\n", "\r\n"), "Ana", {"authors": ["Bia"]})
    assert windows is not None
    assert "# and" not in windows


def test_a_text_that_cannot_be_changed_is_left_alone() -> None:
    assert with_entry_keys('entrants = [{name = "Ana", authors = ["x"]}]', "Ana", {"authors": []}) is None


def test_the_digest_of_the_cup_stays(cup: Path, capsys: Captured) -> None:
    before = parse(cup.read_text(encoding="utf-8")).digest()
    run(capsys, "cup", "forget", cup, "Bento")
    assert parse(cup.read_text(encoding="utf-8")).digest() == before
