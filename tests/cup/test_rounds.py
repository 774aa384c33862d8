"""Rounds that are decided once: stored before they are played, verified, and never shown too early."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.cup.audit import verify_bundle
from botequim.cup.format import Round, Stage
from botequim.cup.formats.swiss import Swiss
from botequim.cup.paths import CupPaths
from botequim.cup.rounds import rounds_json, stored_rounds
from tests import ROOT
from tests.support.cup_commands import Captured, cup, run, standings
from tests.support.cup_files import results_file
from tests.support.server_thread import serving

BUNDLES = ROOT / "tests" / "bundles"
SEVEN = {f"p{at}": ("greedy" if at % 2 else "random") for at in range(7)}
SWISS = '[[stages]]\nname = "swiss"\nformat = "swiss"\nrounds = 4\ngames = 2\n'
FINAL = '[[stages]]\nname = "final"\ntop = 2\nformat = "best_of"\nbest_of = 3\n'
LADDER = '[[stages]]\nname = "ladder"\nformat = "ladder"\nreach = 2\nrounds = 3\ngames = 2\n'


def rounds_of(path: Path) -> Any:
    """The stored rounds of the Swiss stage, as lists."""
    with CupPaths.of(path).storage.open_results() as store:
        return rounds_json(stored_rounds(store)).get("swiss", [])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cup that was played to its end, with a bundle in a folder."""
    path = cup(tmp_path_factory.mktemp("made") / "copa.toml", SEVEN, game="rps", stages=SWISS + FINAL)
    assert main(["cup", "run", str(path), "--quiet"]) == 0
    assert main(["cup", "report", str(path), "--bundle", str(path.parent / "bundle"), "--replays", "0"]) == 0
    return path


@pytest.fixture
def bundle(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made.parent / "bundle", tmp_path / "bundle"))


# --- playing -----------------------------------------------------------------------------------------


def test_a_swiss_cup_is_played_reported_and_verified(made: Path, capsys: Captured) -> None:
    assert [len(decided) for decided in rounds_of(made)] == [4, 4, 4, 4]
    known = standings(made, capsys)
    assert known["over"]
    assert known["stages"][0]["series"] == 12
    assert set(known["stages"][0]["standings"][0]["figures"]) >= {"points", "buchholz", "sonneborn_berger"}
    assert main(["verify", str(made.parent / "bundle")]) == 0
    public = CupPaths.of(made).folder / "report" / "public"
    page = (public / "index.en.html").read_text(encoding="utf-8")
    assert ">Rounds<" in page
    assert "Buchholz" in page
    assert ">bye<" in page
    report = json.loads((public / "report.json").read_text())
    assert report["stages"][0]["rounds"] == rounds_of(made)
    assert "rounds" not in report["stages"][1]


def test_status_writes_fractions_as_the_language_does(made: Path, capsys: Captured) -> None:
    rows = standings(made, capsys)["stages"][0]["standings"]
    halves = [value for row in rows for value in row["figures"].values() if str(value).endswith("/2")]
    assert halves
    for language, comma in (("en", "."), ("pt_BR", ",")):
        _, out, _ = run(capsys, "status", str(made), "--lang", language)
        found = re.findall(r" (\d+[.,]\d+) ", out)
        assert set(found) >= {f"{int(value[:-2]) // 2}{comma}5" for value in halves}
        assert all(comma in figure and not figure.endswith("0") for figure in found)


def test_a_ladder_needs_no_stored_rounds(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "copa.toml", SEVEN, game="rps", stages=LADDER)
    assert run(capsys, "run", str(path), "--quiet")[0] == 0
    assert run(capsys, "report", str(path), "--bundle", str(tmp_path / "bundle"), "--replays", "0")[0] == 0
    assert not (tmp_path / "bundle" / "rounds.json").exists()
    assert main(["verify", str(tmp_path / "bundle")]) == 0
    with CupPaths.of(path).storage.open_results() as store:
        assert store.fact("rounds") is None
    page = (CupPaths.of(path).folder / "report" / "public" / "index.en.html").read_text(encoding="utf-8")
    assert ">Rounds<" in page
    assert "Play-offs" not in page


KILLED = """
import os, signal, sys
from botequim.cup import runner
from botequim.cli import main
store = runner.store_rounds
def store_and_die(*arguments):
    store(*arguments)
    if len(arguments[1]["swiss"]) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
runner.store_rounds = store_and_die
main(["cup", "run", sys.argv[1], "--quiet"])
"""


def test_a_round_is_not_decided_again_after_a_kill(
    made: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = cup(tmp_path / "copa.toml", SEVEN, game="rps", stages=SWISS + FINAL)
    ran = subprocess.run([sys.executable, "-c", KILLED, str(path)], capture_output=True, check=False)
    assert ran.returncode == -9, ran.stderr
    before = rounds_of(path)
    assert len(before) == 3
    assert standings(path, capsys)["stages"][0]["series"] == 6
    decided: list[int] = []
    real = Swiss.next_round

    def count(self: Swiss, stage: Stage) -> Round:
        decided.append(len(stage.rounds))
        return real(self, stage)

    monkeypatch.setattr(Swiss, "next_round", count)
    assert run(capsys, "run", str(path), "--quiet")[0] == 0
    assert decided == [3], "only the last round was missing"
    assert rounds_of(path)[:3] == before
    assert standings(path, capsys) == standings(made, capsys), "as if nothing had happened"


def test_until_something_is_played_the_cup_may_change(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "copa.toml", SEVEN, game="rps", stages=SWISS)
    died = KILLED.replace("== 3", "== 1")
    ran = subprocess.run([sys.executable, "-c", died, str(path)], capture_output=True, check=False)
    assert ran.returncode == -9, ran.stderr
    assert len(rounds_of(path)) == 1
    fewer = dict(list(SEVEN.items())[:5])
    cup(path, fewer, game="rps", stages=SWISS)
    assert run(capsys, "run", str(path), "--quiet")[0] == 0
    assert {name for table in rounds_of(path)[0] for name in table} == set(fewer)


def test_results_of_a_round_that_is_missing_are_noticed(made: Path, tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "copa.toml"
    shutil.copy2(made, path)
    shutil.copytree(CupPaths.of(made).folder, CupPaths.of(path).folder)
    with CupPaths.of(path).storage.open_results(write=True) as store:
        store.put_facts({"rounds": "{}"})
    code, _, err = run(capsys, "run", str(path))
    assert code != 0
    assert "has results of a round that is missing" in err


@pytest.mark.parametrize("rounds_too", [False, True])
def test_a_repair_keeps_the_rounds_or_refuses(
    made: Path, tmp_path: Path, capsys: Captured, rounds_too: bool
) -> None:
    path = tmp_path / "copa.toml"
    shutil.copy2(made, path)
    shutil.copytree(CupPaths.of(made).folder, CupPaths.of(path).folder)
    with closing(sqlite3.connect(results_file(path))) as store, store:
        store.execute("UPDATE cup SET value = 'x' WHERE name = 'name'")
        if rounds_too:
            store.execute("UPDATE cup SET value = '{\"swiss\": 3}' WHERE name = 'rounds'")
    code, _, err = run(capsys, "repair", str(path))
    if rounds_too:
        assert code == 2
        assert "the rounds of the cup cannot be read" in err
        return
    assert code == 0
    assert rounds_of(path) == rounds_of(made)
    assert standings(path, capsys) == standings(made, capsys)


# --- what is public ------------------------------------------------------------------------------------


def test_a_round_is_public_when_all_results_that_it_follows_from_are(
    made: Path, tmp_path: Path, capsys: Captured
) -> None:
    path = cup(tmp_path / "copa.toml", SEVEN, game="rps", stages=SWISS + FINAL)
    assert run(capsys, "run", str(path), "--quiet", "--hold")[0] == 0
    seen = []
    for _ in range(12):
        assert run(capsys, "report", str(path), "--replays", "0")[0] == 0
        report = json.loads((CupPaths.of(path).folder / "report/public/report.json").read_text())
        seen.append(report["stages"][0]["rounds"])
        assert not standings(path, capsys)["stages"][0]["done"]
        assert run(capsys, "reveal", str(path), "series")[0] == 0
    assert seen == [rounds_of(path)[: 1 + revealed // 3] for revealed in range(12)]
    assert standings(path, capsys)["stages"][0]["done"]


def test_the_page_and_the_api_show_public_rounds(made: Path) -> None:
    with serving(made) as served:
        (found,) = served.json("/api/cups/copa/rounds")
        page = served.get("/cups/copa").text
    assert found == {"stage": "swiss", "rounds": rounds_of(made)}
    assert page.count(">bye</td>") == 4
    assert "Buchholz" in page


# --- verification --------------------------------------------------------------------------------------


def tamper(bundle: Path, edit: Callable[[Any], object]) -> str:
    """Change the rounds and all checksums, and return what `verify` finds."""
    rounds = json.loads((bundle / "rounds.json").read_text())
    edit(rounds)
    (bundle / "rounds.json").write_text(json.dumps(rounds))
    manifest = json.loads((bundle / "bundle.json").read_text())
    manifest["files"]["rounds.json"] = sha256((bundle / "rounds.json").read_bytes()).hexdigest()
    (bundle / "bundle.json").write_text(json.dumps(manifest))
    proof = verify_bundle(bundle)
    assert not proof.ok
    return "\n".join(str(one.sentence()) for one in proof.findings)


def test_bundles_of_earlier_versions_stay_valid() -> None:
    proof = verify_bundle(BUNDLES / "swiss.zip")
    assert proof.ok, [str(one.sentence()) for one in proof.findings]
    assert [row.entrant for row in proof.progress.overall()] == list("CEABD")


def exchange_opponents(tables: Any) -> None:
    tables[0][1], tables[1][1] = tables[1][1], tables[0][1]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_other_opponents_are_found_in_their_round(bundle: Path, number: int) -> None:
    found = tamper(bundle, lambda rounds: exchange_opponents(rounds["swiss"][number - 1]))
    assert f"stage swiss, round {number}: " in found


def test_consequences_of_a_bad_round_are_announced_once(bundle: Path, capsys: Captured) -> None:
    found = tamper(bundle, lambda rounds: exchange_opponents(rounds["swiss"][1])).splitlines()
    assert len(found) > 1
    assert main(["verify", str(bundle)]) == 1
    out = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(out) if "stage Swiss system, round 2: " in line)
    assert out[at + 1] == "       the following findings may be consequences of this"
    assert out[at + 2].startswith("FAILED ")
    assert sum("may be consequences" in line for line in out) == 1


def test_other_seats_missing_and_additional_rounds_are_found(made: Path, tmp_path: Path) -> None:
    def found(edit: Callable[[Any], object]) -> str:
        shutil.rmtree(tmp_path / "bundle", ignore_errors=True)
        shutil.copytree(made.parent / "bundle", tmp_path / "bundle")
        return tamper(tmp_path / "bundle", edit)

    said = found(lambda rounds: rounds["swiss"][2][0].reverse())
    assert "stage swiss, round 3: " in said
    assert "the seats do not follow from the rounds before" in said
    assert "this series should not have been played here" in found(lambda rounds: rounds["swiss"].pop())
    more = found(lambda rounds: rounds["swiss"].append(rounds["swiss"][0]))
    assert "stage swiss, round 5: this round should not have been played here" in more
    said = found(lambda rounds: rounds["swiss"][0].pop())
    assert "stage swiss, round 1: every entrant must be at one table" in said
    assert '"final" is not a stage whose rounds are stored' in found(lambda rounds: rounds.update(final=[]))


@pytest.mark.parametrize("content", ["[]", '{"swiss": {}}', '{"swiss": [[3]]}', '{"swiss": [[["p0", 1]]]}'])
def test_rounds_that_make_no_sense(bundle: Path, content: str, capsys: Captured) -> None:
    (bundle / "rounds.json").write_text(content)
    assert main(["verify", str(bundle)]) == 1
    said = "rounds.json: rounds must be lists of tables, and tables lists of names"
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(("stage", "title"), [(SWISS, "Swiss system"), (LADDER, "ladder")])
def test_series_of_rounds_are_named_by_their_round(
    tmp_path: Path, capsys: Captured, stage: str, title: str
) -> None:
    path = cup(tmp_path / "copa.toml", SEVEN, game="rps", stages=stage + FINAL)
    assert run(capsys, "run", str(path), "--quiet", "--hold")[0] == 0
    code, out, _ = run(capsys, "reveal", str(path), "stage")
    assert code == 0
    assert re.match(rf"{title}: p\d – p\d \(round 1\), game 1: ", out)
    assert "||" not in out
    assert main(["verify", str(path)]) == 0
    out = capsys.readouterr().out
    assert re.search(rf"{title}, round 1, p\d – p\d, 1: ", out)
    assert "||" not in out


def test_a_series_with_a_finding_is_named_by_its_round(bundle: Path) -> None:
    results = json.loads((bundle / "results.json").read_text())
    one, other = results["swiss"][0]["entrants"]
    results["swiss"][0]["digests"] = []
    (bundle / "results.json").write_text(json.dumps(results))
    found = [str(one.sentence()) for one in verify_bundle(bundle).findings]
    names = " – ".join(sorted((one, other)))
    said = f"stage swiss, round 1, {names}: the digests of its records differ from those in its result"
    assert said in found


# --- without the extra -----------------------------------------------------------------------------------


def test_without_networkx_nothing_begins_and_the_command_to_install_it_is_named(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    league = '[[stages]]\nname = "league"\nformat = "round_robin"\n'
    path = cup(tmp_path / "copa.toml", SEVEN, game="rps", stages=league + SWISS)
    for command in ("run", "check", "rehearse"):
        code, _, err = run(capsys, command, str(path))
        assert code == 2
        assert "the extra `swiss`" in err
        assert "[swiss]'" in err
    assert not standings(path, capsys)["stages"][0]["series"]


def test_without_networkx_a_cup_is_shown_finished_and_verified(
    made: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    assert standings(made, capsys)["over"]
    assert run(capsys, "run", str(made), "--quiet")[0] == 0
    assert run(capsys, "report", str(made), "--to", str(tmp_path), "--replays", "0")[0] == 0
    assert main(["verify", str(made.parent / "bundle")]) == 0


def test_networkx_is_imported_only_where_a_round_is_decided(made: Path) -> None:
    bundle = str(made.parent / "bundle")
    program = "import sys; from botequim.cli import main; code = main(sys.argv[1:])\n"
    program += "assert 'networkx' not in sys.modules; sys.exit(code)"
    for words in (["verify", bundle], ["cup", "status", str(made)]):
        ran = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, check=False)
        assert ran.returncode == 0, ran.stderr


# --- cup files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        ("rounds = 8", ":6: swiss: 8 rounds are too many for 7 entrants: after 7 rounds all have met"),
        ("size = 3", 'unknown key "size"'),
        ("rounds = 1001", "rounds"),
    ],
)
def test_stages_that_cannot_be_held_are_refused(
    stage: str, said: str, tmp_path: Path, capsys: Captured
) -> None:
    text = f'[[stages]]\nname = "swiss"\nformat = "swiss"\n{stage}\n'
    path = cup(tmp_path / "copa.toml", SEVEN, game="rps", stages=text)
    code, _, err = run(capsys, "check", str(path))
    assert code == 2
    assert said in err


def test_teams_of_partners_are_two_sides(tmp_path: Path, capsys: Captured) -> None:
    four = dict(list(SEVEN.items())[:4])
    path = cup(
        tmp_path / "copa.toml", four, game="cubos", stages='[[stages]]\nname = "s"\nformat = "swiss"\n'
    )
    assert run(capsys, "run", str(path), "--quiet")[0] == 0
    assert standings(path, capsys)["stages"][0]["series"] == 4


def test_a_check_estimates_all_rounds(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "copa.toml", SEVEN, game="rps", stages=SWISS + FINAL)
    code, out, err = run(capsys, "check", str(path), "--json")
    assert code == 0, err
    found = json.loads(out)
    assert set(found["seconds"]) == {"swiss", "final"}
    assert "swiss" not in found["playoffs_not_counted"]
