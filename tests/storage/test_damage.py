"""A damaged store is noticed before anything is read from it, the damaged series are named, and a repair has
them played again. Nothing that a file can hold is a traceback."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from botequim.cli import main
from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.cup.config import Cup
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.cup.repair import repair_cup
from botequim.storage.errors import DamagedStore
from botequim.storage.sqlite.cup import MIGRATIONS, SqliteCupStore
from botequim.storage.sqlite.integrity import find_damage
from botequim.storage.sqlite.live import TABLES, VERSION
from botequim.storage.sqlite.show import SqliteVisibilityStore, SqliteVoteStore
from botequim.votes.contest import Choice, Voters
from botequim.votes.contests import Contests
from tests.support.cup_files import live_file, results_file, show_file
from tests.support.pace import until
from tests.support.played_cups import play_cup
from tests.support.server_thread import serving, written_cup

Captured = pytest.CaptureFixture[str]
NAMES = ["greedy", "random", "rock", "paper"]
SEED = "0123456789abcdefcopa"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished cup: six series of two games."""
    path = written_cup(tmp_path_factory.mktemp("whole"), "copa", NAMES)
    play_cup(read(path), results_file(path), SEED)[0].close()
    with closing(sqlite3.connect(results_file(path))) as store:
        store.execute("PRAGMA journal_mode = DELETE")
    return path


@pytest.fixture
def file(whole: Path, tmp_path: Path) -> Path:
    """One's own copy."""
    shutil.copytree(CupPaths.of(whole).folder, tmp_path / "copa.cup")
    return Path(shutil.copy(whole, tmp_path / "copa.toml"))


def store_of(file: Path) -> Path:
    return results_file(file)


def change(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(store_of(file))) as store:
        for statement in statements:
            store.execute(statement)
        store.commit()


def say(capsys: Captured, *words: str) -> tuple[int, str]:
    """The exit code of a command, and all that it said; a traceback fails the test."""
    code = main(["--lang", "en", "cup", *words])
    said = capsys.readouterr()
    assert "Traceback" not in said.err, (words, said.err)
    return code, said.out + said.err


FIRST = "WHERE stage = 'league' AND key = (SELECT MIN(key) FROM series)"
ONE = "greedy | paper"
"""The key of that series."""
EDITS = {
    "not JSON": f"UPDATE series SET result = 'nonsense' {FIRST}",
    "another kind": f"UPDATE series SET result = '[1, 2]' {FIRST}",
    "a list": f'UPDATE series SET result = \'{{"key": [], "entrants": 3}}\' {FIRST}',
    "not UTF-8": f"UPDATE series SET result = CAST(x'ff00fe' AS TEXT) {FIRST}",
    "another result": f"UPDATE series SET result = REPLACE(result, '[1,2]', '[2,1]') {FIRST}",
    "other entrants": f"UPDATE series SET result = REPLACE(result, '\"greedy\"', '\"nobody\"') {FIRST}",
    "time": f"UPDATE series SET seconds = 'long' {FIRST}",
    "number": f"UPDATE series SET number = 'first' {FIRST}",
    "record": f"UPDATE games SET record = x'0102' {FIRST}",
    "record of another kind": f"UPDATE games SET record = 7 {FIRST}",
    "digest": f"UPDATE games SET digest = 'x' {FIRST}",
    "a game less": f"DELETE FROM games {FIRST} AND number = 1",
    "a series less": f"DELETE FROM series {FIRST}",
    "a fault more": f"INSERT INTO faults SELECT stage, key, 0, 1, 0, '', 'crash', '[' FROM series {FIRST}",
}


@pytest.mark.parametrize("edit", EDITS)
def test_other_content_is_noticed_and_the_series_is_named(file: Path, edit: str, capsys: Captured) -> None:
    change(file, EDITS[edit])
    for words in (["status"], ["status", "--json"], ["report"], ["run"], ["hold"]):
        code, said = say(capsys, words[0], str(file), *words[1:])
        assert code == 3
        assert f"league: {ONE}" in said
        assert f"botequim cup repair {file}" in said
    code, said = say(capsys, "repair", str(file))
    assert code == 0
    assert "5 series are intact" in said
    assert f"league: {ONE}" in said
    assert say(capsys, "status", str(file))[0] == 0
    with SqliteCupStore.open(store_of(file), check=True) as store:
        assert ONE not in store.results()["league"]
        assert len(store.results()["league"]) == 5


def test_a_last_page_that_was_overwritten_is_noticed(file: Path, capsys: Captured) -> None:
    content = store_of(file).read_bytes()
    store_of(file).write_bytes(content[:-4096] + b"\xaa" * 4096)
    code, said = say(capsys, "status", str(file))
    assert code == 3
    assert "series in" not in said, "no word of what cannot be believed"
    assert "is damaged" in said


def test_names_of_tables_that_are_no_text_are_noticed(file: Path, capsys: Captured) -> None:
    """Python cannot even decode what SQLite says of it."""
    content = store_of(file).read_bytes()
    for name in (b"INDEX faults_of_series ON faults", b"CREATE TABLE series", b"CREATE TABLE cup"):
        assert content.count(name) == 1
        store_of(file).write_bytes(content.replace(name, name[:-2] + b"\xa0\xff"))
        for command in ("status", "report", "run"):
            code, said = say(capsys, command, str(file))
            assert code == 3, (name, command, said)
            assert "damaged" in said
        assert "6 series are intact" in say(capsys, "repair", str(file))[1]


@pytest.mark.parametrize("first", [bytes(4096), b"\xaa" * 4096, b"not a database at all"])
def test_a_store_whose_first_page_is_lost_is_read_without_it(
    file: Path, first: bytes, capsys: Captured
) -> None:
    content = store_of(file).read_bytes()
    store_of(file).write_bytes(first + content[len(first) :])
    assert say(capsys, "status", str(file))[0] == 3
    code, said = say(capsys, "repair", str(file))
    assert code == 0, said
    assert "6 series are intact" in said
    assert "over" in say(capsys, "status", str(file))[1]
    names = {path.name for path in CupPaths.of(file).folder.iterdir()}
    assert "cup.sqlite.damaged-1" in names
    assert not [name for name in names if "patched" in name or "repaired" in name]


def test_a_store_whose_trees_are_damaged_is_read_page_by_page(file: Path, capsys: Captured) -> None:
    """The first page of the file and that of each table are no pages of a table any more."""
    with SqliteCupStore.open(store_of(file)) as store:
        before = store.results()["league"]
    with closing(sqlite3.connect(store_of(file))) as connection:
        pages = [page for (page,) in connection.execute("SELECT rootpage FROM sqlite_master")]
    content = bytearray(store_of(file).read_bytes())
    content[40:110] = bytes(70)
    for page in pages:
        content[(page - 1) * 4096] = 0xEE
    store_of(file).write_bytes(content)
    assert say(capsys, "status", str(file))[0] != 0
    code, said = say(capsys, "repair", str(file))
    assert code == 0, said
    assert f"{len(before)} series are intact." in said
    with SqliteCupStore.open(store_of(file), check=True) as store:
        assert store.results()["league"] == before


def test_without_its_checksum_a_series_must_have_the_result_of_its_records(
    file: Path, capsys: Captured
) -> None:
    change(
        file,
        f"UPDATE series SET result = REPLACE(result, 'rounds', 'ro#nds') {FIRST}",
        f"DELETE FROM checksums {FIRST}",
    )
    assert "ro#nds" in str(rows_of(file, "series"))
    code, said = say(capsys, "repair", str(file))
    assert code == 0, said
    assert ONE in said
    assert "ro#nds" not in str(rows_of(file, "series"))


def rows_of(file: Path, table: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(store_of(file))) as store:
        return store.execute(f"SELECT * FROM {table}").fetchall()


def test_a_file_that_never_was_a_store_is_not_repaired(file: Path, capsys: Captured) -> None:
    store_of(file).write_bytes(b"certainly not a database" * 1000)
    code, said = say(capsys, "repair", str(file))
    assert code == 3
    assert "restore a copy of it" in said
    assert store_of(file).read_bytes() == b"certainly not a database" * 1000


class ForeignStorage:
    """A storage without `repair_results`, such as a database server."""

    def has_results(self) -> bool:
        return True


def test_a_storage_that_cannot_be_repaired_says_so(
    file: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botequim.cup.paths.open_storage", lambda folder, address: ForeignStorage())
    code, said = say(capsys, "repair", str(file))
    assert code == 2
    assert f"the results of {file} are in a store that Botequim cannot repair" in said
    assert "restore a copy" in said


def test_a_repaired_cup_is_played_to_the_same_end(whole: Path, file: Path, capsys: Captured) -> None:
    change(file, EDITS["record"], "DELETE FROM entrants")
    changed = store_of(file).read_bytes()
    assert say(capsys, "repair", str(file))[0] == 0
    assert store_of(file).with_name("cup.sqlite.damaged-1").read_bytes() == changed, "a copy is kept"
    assert say(capsys, "run", str(file))[0] == 0
    with (
        SqliteCupStore.open(store_of(file), check=True) as again,
        SqliteCupStore.open(store_of(whole)) as before,
    ):
        assert again.results() == before.results()
        assert again.faults() == before.faults()
        numbers = {one.result.key: one.number for one in again.series()}
        assert numbers.pop(ONE) == 7, "what is played again comes last"
        assert numbers == {one.result.key: one.number for one in before.series() if one.result.key != ONE}
    assert "Nothing is damaged" in say(capsys, "repair", str(file))[1]


def test_what_is_known_of_the_cup_is_protected_too(file: Path, capsys: Captured) -> None:
    change(file, "UPDATE cup SET value = 'another seed' WHERE name = 'seed'")
    code, said = say(capsys, "status", str(file))
    assert code == 3
    assert "these facts about the cup do not match their checksums: cup" in said
    assert say(capsys, "repair", str(file))[0] == 0
    with SqliteCupStore.open(store_of(file), check=True) as store:
        assert store.fact("seed") == SEED, "the cup file names it"
        assert len(store.results()["league"]) == 6


def test_a_seed_that_nobody_knows_any_more_is_asked_for(file: Path, capsys: Captured) -> None:
    file.write_text(file.read_text().replace(f'seed = "{SEED}"\n', ""))
    change(file, "UPDATE cup SET value = 'x' WHERE name = 'seed'")
    code, said = say(capsys, "repair", str(file))
    assert code == 2
    assert "give the seed that the cup began with (--seed S)" in said
    assert not list(CupPaths.of(file).folder.glob("*.damaged*"))
    assert say(capsys, "repair", str(file), "--seed", "wrong")[0] == 2
    assert say(capsys, "repair", str(file), "--seed", SEED)[0] == 0


def test_a_pin_that_is_damaged_is_made_anew(file: Path, capsys: Captured) -> None:
    change(file, "UPDATE entrants SET value = '{}' WHERE name = 'rock'")
    assert say(capsys, "run", str(file))[0] == 3
    assert "built again from their sources" in say(capsys, "repair", str(file))[1]
    with SqliteCupStore.open(store_of(file), check=True) as store:
        assert store.entrants() == {}


def test_a_repair_reveals_nothing(file: Path) -> None:
    with CupPaths.of(file).storage.open_visibility() as show:
        show.hold(at=0)
        show.reveal(8)
    with closing(sqlite3.connect(store_of(file))) as store:
        (third,) = store.execute("SELECT key FROM series WHERE number = 3").fetchone()
        store.execute("UPDATE series SET result = 'x' WHERE key = ?", (third,))
        store.commit()
    assert [key for _, key in repair_cup(read(file)).damage.series] == [third]
    with CupPaths.of(file).storage.open_visibility() as show:
        assert show.shown == 4, "the games of the two series before it, and none after"


# --- stores of the first form ------------------------------------------------------------------------


@pytest.fixture
def old(file: Path) -> Path:
    """As the first version of the program wrote it."""
    change(file, "DROP INDEX faults_of_series", "DROP TABLE checksums", "PRAGMA user_version = 1")
    return file


def test_a_store_of_the_first_form_is_read_and_protected_when_it_is_written(
    old: Path, capsys: Captured
) -> None:
    assert "over" in say(capsys, "status", str(old))[1]
    assert say(capsys, "report", str(old), "--replays", "0")[0] == 0
    SqliteCupStore.open(store_of(old), write=True, check=True).close()
    with closing(sqlite3.connect(store_of(old))) as store:
        assert store.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert store.execute("SELECT COUNT(*) FROM checksums").fetchone() == (8,)
    change(old, EDITS["another result"])
    with pytest.raises(DamagedStore):
        SqliteCupStore.open(store_of(old), check=True)


@pytest.mark.parametrize("edit", sorted(set(EDITS) - {"another result"}))
def test_of_an_old_store_what_cannot_be_is_noticed(old: Path, edit: str, capsys: Captured) -> None:
    change(old, EDITS[edit])
    for command in ("status", "report", "run"):
        code, said = say(capsys, command, str(old))
        assert code == 3
        assert f"league: {ONE}" in said
    assert say(capsys, "repair", str(old))[0] == 0


# --- files that were overwritten ---------------------------------------------------------------------


def overwritten(content: bytes, seed: int) -> Iterator[bytes]:
    """Pages filled with nonsense, single bytes changed, parts cut off or doubled."""
    rng = random.Random(seed)
    pages = len(content) // 4096
    while True:
        changed = bytearray(content)
        kind = rng.randrange(5)
        at = rng.randrange(pages) * 4096
        if kind == 0:
            changed[at : at + 4096] = rng.randbytes(4096)
        elif kind == 1:
            changed[at : at + 4096] = bytes(4096)
        elif kind == 2:
            for _ in range(rng.choice((1, 1, 5, 50))):
                changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
        elif kind == 3:
            del changed[rng.randrange(len(changed)) :]
        else:
            other = rng.randrange(pages) * 4096
            changed[at : at + 4096] = content[other : other + 4096]
        yield bytes(changed)


def try_all(file: Path, capsys: Captured, seed: int, times: int) -> tuple[int, int]:
    """Damage the store again and again; return how often that was noticed and repaired."""
    content = store_of(file).read_bytes()
    cup: Cup = read(file)
    noticed = repaired = 0
    with SqliteCupStore.open(store_of(file)) as store:
        before = store.results()
    for changed, _ in zip(overwritten(content, seed), range(times), strict=False):
        for path in CupPaths.of(file).folder.glob("cup.sqlite*"):
            path.unlink()
        store_of(file).write_bytes(changed)
        code, said = say(capsys, "status", str(file))
        if code == 0:
            with SqliteCupStore.open(store_of(file)) as store:
                assert store.results() == before, "nothing else may be believed"
            continue
        noticed += 1
        assert code in (2, 3), said
        assert say(capsys, "report", str(file), "--replays", "0")[0] == code
        try:
            done = repair_cup(cup)
        except BotequimError:
            continue
        repaired += 1
        with SqliteCupStore.open(store_of(file), check=True) as store:
            after = store.results().get("league", {})
            assert len(after) == done.kept
            assert all(before["league"][key] == result for key, result in after.items())
    return noticed, repaired


def test_overwritten_files_are_noticed_and_repaired(file: Path, capsys: Captured) -> None:
    noticed, repaired = try_all(file, capsys, seed=18, times=40)
    assert noticed > 20
    assert repaired > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_many_overwritten_files(file: Path, capsys: Captured, seed: int) -> None:
    try_all(file, capsys, seed=seed, times=250)


def test_a_server_says_what_is_damaged_and_serves_the_rest(file: Path, tmp_path: Path) -> None:
    change(file, EDITS["not JSON"])
    with serving(file) as served:
        trouble = until(lambda: served.json("/api/cups/copa")["trouble"])
        assert f"league: {ONE}" in str(trouble)
        assert str(tmp_path) not in str(trouble)
        for page in ("", "/games", "/games/1/1", "/entrants/greedy", "/show", "/organiser/contests"):
            assert served.get(f"/cups/copa{page}").status_code < 500
        repair_cup(read(file))
        until(lambda: served.json("/api/cups/copa")["trouble"] is None)
        assert served.json("/api/cups/copa/pace")["games"] == 10


def test_a_record_that_is_damaged_while_a_cup_is_served_is_no_failure_of_ours(file: Path) -> None:
    with serving(file) as served:
        until(lambda: served.json("/api/cups/copa/pace")["games"] == 12)
        change(file, "UPDATE games SET record = x'0102'")
        for page in ("/cups/copa/games/1/1", "/cups/copa/games/1/1.jsonl", "/api/cups/copa/games/1/1/record"):
            assert served.get(page).status_code == 503


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE curtain SET shown = 'many'",
        "DELETE FROM curtain",
        "UPDATE contests SET entrants = 'x'",
        "UPDATE contests SET phase = 'x'",
    ],
)
def test_what_the_public_sees_is_said_to_be_damaged_too(file: Path, edit: str, capsys: Captured) -> None:
    show = show_file(file)
    with SqliteVisibilityStore.open(show) as opened:
        opened.hold(at=0)
    with SqliteVoteStore.open(show) as votes:
        Contests(votes).add("art", Voters.OPEN, Choice.SINGLE, NAMES)
    with closing(sqlite3.connect(show)) as changed:
        changed.execute("PRAGMA ignore_check_constraints = 1")
        changed.execute(edit)
        changed.commit()
    codes = {
        words[1]: main(["--lang", "en", *words])
        for words in (["cup", "status", str(file)], ["contest", "list", str(file)])
    }
    said = capsys.readouterr()
    assert 3 in codes.values()
    assert "is damaged" in said.err
    assert "show.sqlite" in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE run SET seen = 'x', ended = NULL",
        "INSERT INTO next VALUES (1, 'a', 'b', 'not JSON', '[]', 'x')",
        "INSERT INTO games (stage, key, number, header, began) VALUES (1, 2, 'x', '[', 'y')",
    ],
)
def test_damaged_games_under_way_are_none(file: Path, edit: str) -> None:
    live = live_file(file)
    with closing(sqlite3.connect(live)) as changed:
        for statement in (*TABLES, f"PRAGMA user_version = {VERSION}"):
            changed.execute(statement)
        changed.execute("INSERT INTO run VALUES (1, ?, ?, NULL)", (clock.now(), clock.now()))
        changed.execute(edit)
        changed.commit()
    with serving(file) as served:
        until(lambda: served.json("/api/cups/copa/pace")["games"] == 12)
        assert served.get("/cups/copa").status_code == 200


def test_a_sound_store_is_sound_while_it_is_written(file: Path) -> None:
    with (
        SqliteCupStore.open(store_of(file), write=True, check=True) as store,
        closing(sqlite3.connect(store_of(file), isolation_level=None)) as reading,
    ):
        store.put_facts({"note": "x"})
        assert not find_damage(reading)
        store.unpin_entrants()
        assert not find_damage(reading)
