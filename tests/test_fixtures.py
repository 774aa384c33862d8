"""Files that version 0.1.0 wrote before it was restructured stay readable and valid.

`scripts/write_fixtures.py` shows how they were made. They are never written again: a test that fails here
means that a later version cannot read what people have on their disks.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from botequim import registry
from botequim.cli import main
from botequim.core.messages import msg
from botequim.cup.format import Column, Stage, Standings
from tests.support.terminal import run_piped

FIRST = Path(__file__).parent / "fixtures" / "first"
GAMES = ("cubos", "fives", "havana", "rps", "uno")
RECORDS = {"cubos": 6, "fives": 6, "havana": 3, "rps": 6, "uno": 6}
ADVICE = re.compile(r"(?:would play: |^)((?:m \w+|d|p)(?: \w+)?) ?(?:\(|$)", re.MULTILINE)

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """Return a copy of all fixtures: commands may bring files up to date."""
    return Path(shutil.copytree(FIRST, tmp_path / "first"))


def run(capsys: Captured, *words: object) -> str:
    """Return the output of a command that succeeds."""
    code = main([*map(str, words)])
    said = capsys.readouterr()
    assert code == 0, said
    return said.out


def run_json(capsys: Captured, *words: object) -> Any:
    return json.loads(run(capsys, *words, "--json"))


def bundle_files(path: Path) -> dict[str, bytes]:
    """Return the contents of a bundle by name; how a zip compresses them does not matter."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def record_lines(game: str) -> list[str]:
    return (FIRST / "records" / f"{game}.jsonl").read_text(encoding="utf-8").split("\n")[:-1]


# --- records -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_records_are_valid(game: str, capsys: Captured) -> None:
    path = FIRST / "records" / f"{game}.jsonl"
    said = [json.loads(line) for line in run(capsys, "verify", path, "--json").splitlines()]
    assert [one["ok"] for one in said] == [True] * RECORDS[game]


def test_records_have_every_kind_of_fault_with_remarks_and_warnings() -> None:
    lines = [json.loads(line) for game in GAMES for line in record_lines(game)]
    moves = [move for line in lines for move in line.get("moves", ())]
    kinds = {move["fault"]["kind"] for move in moves if "fault" in move}
    assert kinds == {"timeout", "crash", "malformed", "illegal", "limit"}
    remarks = {kind for move in moves for remark in move.get("remarks", ()) for kind in remark}
    assert remarks == {"say", "art"}
    assert any(move.get("warnings") for move in moves)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", ["en", "pt_BR"])
def test_records_are_told_in_both_languages(
    game: str, language: str, capsys: Captured, tmp_path: Path
) -> None:
    record: list[str] = []
    for line in record_lines(game):
        record.append(line)
        if "outcome" in json.loads(line):
            break
    path = tmp_path / "record.jsonl"
    path.write_text("\n".join(record), encoding="utf-8")
    assert len(run(capsys, "show", path, "--plain", "--lang", language).splitlines()) > len(record) - 2


# --- bundles -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(path.name for path in (FIRST / "bundles").iterdir()))
def test_bundles_are_valid(name: str, capsys: Captured) -> None:
    (said,) = run(capsys, "verify", FIRST / "bundles" / name, "--json").splitlines()
    assert json.loads(said)["ok"]


def test_a_changed_bundle_is_not_valid(first: Path, capsys: Captured) -> None:
    standings = first / "bundles" / "rinha" / "standings.json"
    standings.write_text(standings.read_text("utf-8").replace('"place": 1', '"place": 2', 1), "utf-8")
    assert main(["verify", str(first / "bundles" / "rinha")]) == 1
    assert "standings.json" in capsys.readouterr().out


def add_column(monkeypatch: pytest.MonkeyPatch, name: str, **more: str) -> None:
    """Let the formats of the fixture have one column more than the version that wrote it."""
    for form in (registry.cup_format("round_robin"), registry.cup_format("knockout")):
        original = form.standings

        def standings(stage: Stage, original: Callable[[Stage], Standings] = original) -> Standings:
            known = original(stage)
            rows = tuple(replace(row, figures={**row.figures, name: 4}) for row in known.rows)
            return Standings((*known.columns, Column(name, msg("luck"), **more)), rows)

        monkeypatch.setattr(type(form), "standings", staticmethod(standings))


def test_bundles_stay_valid_when_a_format_gains_a_column(
    first: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = first / "bundles" / "rinha"
    add_column(monkeypatch, "luck", added_in="0.2.0")
    run(capsys, "verify", bundle)
    standings = json.loads((bundle / "standings.json").read_text("utf-8"))
    del standings["stages"]["league"][0]["figures"]["points"]
    change_standings(bundle, standings)
    assert main(["verify", str(bundle)]) == 1
    assert 'the table of "league" does not match' in capsys.readouterr().out


def test_a_later_column_is_compared_if_a_bundle_has_it(
    first: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_column(monkeypatch, "luck", added_in="0.2.0")
    cup, bundle = first / "finished" / "rinha.toml", first / "again"
    run(capsys, "cup", "open", cup)
    run(capsys, "cup", "report", cup, "--replays", "1", "--bundle", bundle)
    run(capsys, "verify", bundle)
    standings = json.loads((bundle / "standings.json").read_text("utf-8"))
    rows = standings["stages"]["league"]
    assert {row["figures"]["luck"] for row in rows} == {4}
    figures = rows[0]["figures"]
    for wrong in ({**figures, "luck": 5}, {name: figures[name] for name in figures if name != "luck"}):
        rows[0]["figures"] = wrong
        change_standings(bundle, standings)
        assert main(["verify", str(bundle)]) == 1
        assert 'the table of "league" does not match' in capsys.readouterr().out


def test_a_column_that_was_always_there_must_be_in_a_bundle(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_column(monkeypatch, "luck")
    assert main(["verify", str(FIRST / "bundles" / "rinha")]) == 1
    assert 'the table of "league" does not match' in capsys.readouterr().out


def change_standings(bundle: Path, standings: dict[str, Any]) -> None:
    """Write other standings into a bundle, with the right digest."""
    (bundle / "standings.json").write_text(json.dumps(standings), "utf-8")
    manifest = json.loads((bundle / "bundle.json").read_text("utf-8"))
    manifest["files"]["standings.json"] = sha256((bundle / "standings.json").read_bytes()).hexdigest()
    (bundle / "bundle.json").write_text(json.dumps(manifest), "utf-8")


# --- a finished cup that is partly withheld ----------------------------------------------------------


def test_a_finished_cup_shows_only_what_was_revealed(first: Path, capsys: Captured) -> None:
    cup = first / "finished" / "rinha.toml"
    public = run_json(capsys, "cup", "status", cup)
    everything = run_json(capsys, "cup", "status", cup, "--unrevealed")
    assert public != everything
    assert main(["cup", "report", str(cup), "--bundle", str(first / "early.zip")]) == 2
    assert not (first / "early.zip").exists()
    capsys.readouterr()
    run(capsys, "cup", "reveal", cup, "series")
    assert run_json(capsys, "cup", "status", cup) not in (public, everything)
    run(capsys, "cup", "open", cup)
    assert run_json(capsys, "cup", "status", cup) == everything
    assert "Eva" in run(capsys, "cup", "status", cup, "--lang", "pt_BR")


def test_a_finished_cup_gives_the_same_bundle(first: Path, capsys: Captured) -> None:
    cup, bundle = first / "finished" / "rinha.toml", first / "again.zip"
    run(capsys, "cup", "open", cup)
    run(capsys, "cup", "report", cup, "--replays", "1", "--bundle", bundle)
    assert bundle_files(bundle) == bundle_files(FIRST / "bundles" / "rinha.zip")


def test_contests_keep_their_codes_and_ballots(first: Path, capsys: Captured) -> None:
    cup = first / "finished" / "rinha.toml"
    known = run_json(capsys, "contest", "list", cup)
    told = [(one["title"], one["phase"], one["codes"], one["ballots"]) for one in known]
    assert told == [
        ("Melhor arte", "closed", 6, 5),
        ("Melhor frase", "open", 0, 3),
        ("Mais simpático", "preparing", 2, 0),
    ]
    expected = json.loads((FIRST / "finished" / "result.json").read_text(encoding="utf-8"))
    assert run_json(capsys, "contest", "results", cup, 1)["result"] == expected
    run(capsys, "contest", "close", cup, 2)
    assert run_json(capsys, "contest", "results", cup, 2)["result"]["winners"] == ["Davi"]
    assert run_json(capsys, "contest", "open", cup, 3)["phase"] == "open"


# --- a cup that was stopped --------------------------------------------------------------------------


def test_a_stopped_cup_is_finished(first: Path, capsys: Captured) -> None:
    cup, bundle = first / "stopped" / "copa.toml", first / "copa.zip"
    stored = digests(FIRST / "stopped" / "copa.cup" / "cup.sqlite")
    run(capsys, "cup", "status", cup)
    run(capsys, "cup", "run", cup, "--trust", "--quiet")
    run(capsys, "cup", "report", cup, "--replays", "0", "--bundle", bundle)
    assert json.loads(run(capsys, "verify", bundle, "--json"))["ok"]
    files = bundle_files(bundle)
    assert files["standings.json"] == (FIRST / "stopped" / "standings.json").read_bytes()
    results = json.loads(files["results.json"])
    played = {digest for stage in results.values() for series in stage for digest in series["digests"]}
    assert stored
    assert stored < played, "what was stored is part of the result"


def digests(store: Path) -> set[str]:
    """Return the digests of all games in a store of the fixtures, whose schema never changes."""
    with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        rows: Sequence[tuple[str]] = connection.execute("SELECT digest FROM games").fetchall()
    return {digest for (digest,) in rows}


# --- saved games -------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_saved_game_is_continued_to_its_end(
    game: str, first: Path, tmp_path: Path, capsys: Captured
) -> None:
    saved, records = first / "saved" / f"{game}.jsonl", tmp_path / "records"
    played = len(saved.read_bytes().splitlines())
    words = ("play", "--continue", str(saved), "--hint", "--adviser", "greedy", "--records", str(records))
    typed = "q\ny\n"
    while saved.exists():
        ran = run_piped(*words, typed=typed, state=tmp_path)
        assert ran.returncode == 0, ran
        if saved.exists():
            typed = f"{ADVICE.findall(ran.stdout)[-1]}\nq\ny\n"
    (record,) = records.iterdir()
    assert len(record.read_bytes().splitlines()) > played
    assert json.loads(run(capsys, "verify", record, "--json"))["ok"]
