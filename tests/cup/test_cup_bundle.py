"""A cup in one piece, refereed again elsewhere: whatever is changed in it is found and said."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from botequim.bots.entrant import Entrant
from botequim.cli import main
from botequim.core.errors import InputError
from botequim.cup.audit import verify_bundle
from botequim.cup.bundle import records_name, standings_json, write_bundle
from botequim.cup.config_parser import read
from botequim.cup.stage_audit import Proof
from botequim.cup.stages import commitment
from botequim.records.record import chain_lines
from tests.support.played_cups import cup_file, play_cup

Captured = pytest.CaptureFixture[str]
TEMPLATES = ("cubos", "havana", "rps", "uno", "fives")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle with a league and finals."""
    folder = tmp_path_factory.mktemp("made")
    cup = cup_file(folder, "cubos", commitment=commitment("7"))
    store, progress = play_cup(cup, folder / "store.db")
    with store:
        write_bundle(cup, progress, store, folder / "bundle")
    return folder / "bundle"


@pytest.fixture
def bundle(made: Path, tmp_path: Path) -> Path:
    """One's own copy."""
    return Path(shutil.copytree(made, tmp_path / "bundle"))


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("name", ["bundle", "bundle.zip"])
def test_a_bundle_is_proved_from_scratch(template: str, name: str, tmp_path: Path, capsys: Captured) -> None:
    cup = cup_file(tmp_path, template)
    store, progress = play_cup(cup, tmp_path / "store.db")
    with store:
        digest = write_bundle(cup, progress, store, tmp_path / name)
    cup.path.unlink()
    proof = verify_bundle(tmp_path / name)
    assert proof.ok, [str(one.sentence()) for one in proof.findings]
    assert proof.progress.results == progress.results
    assert proof.progress.overall() == progress.overall()
    assert proof.records == sum(
        len(result.games) for results in progress.results.values() for result in results.values()
    )
    assert proof.digest == digest
    assert main(["verify", str(tmp_path / name)]) == 0
    out = capsys.readouterr().out
    assert f"compare with the digest that was published before the cup: {commitment('7')}" in out
    assert digest in out
    assert "1 correct, 0 not" in out


def test_the_same_cup_makes_the_same_bundle(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "rps")
    store, progress = play_cup(cup, tmp_path / "store.db")
    with store:
        for name in ("one.zip", "two.zip", "folder", "folder"):
            write_bundle(cup, progress, store, tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    assert not [path.name for path in tmp_path.iterdir() if path.suffix in (".partial", ".old")]


def test_an_unfinished_cup_keeps_its_seed(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "rps")
    store, _ = play_cup(cup, tmp_path / "store.db")
    with store, pytest.raises(InputError, match="the cup is not over"):
        write_bundle(cup, cup.state("7"), store, tmp_path / "bundle.zip")
    assert not (tmp_path / "bundle.zip").exists()


def test_nothing_else_is_written_over(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "rps")
    store, progress = play_cup(cup, tmp_path / "store.db")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "only-copy.txt").write_text("precious")
    with store, pytest.raises(InputError, match="already exists and is not a bundle"):
        write_bundle(cup, progress, store, tmp_path / "thesis")
    assert (tmp_path / "thesis" / "only-copy.txt").read_text() == "precious"


# --- tampering ---------------------------------------------------------------------------------------


def change(path: Path, edit: Callable[[Any], object]) -> None:
    content = json.loads(path.read_text())
    edit(content)
    path.write_text(json.dumps(content))


def seal(bundle: Path) -> None:
    """Make the checksums fit again: whoever changes a bundle can do that."""

    def edit(manifest: Any) -> None:
        for name in manifest["files"]:
            manifest["files"][name] = sha256((bundle / name).read_bytes()).hexdigest()

    change(bundle / "bundle.json", edit)


def change_record(bundle: Path, edit: Callable[[list[Any]], object], *, stage: str = "league") -> None:
    """Edit the first record of a stage, and close it with fresh digests as its author could."""
    path = bundle / "records" / f"{stage}.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    end = next(at for at, line in enumerate(lines) if "outcome" in line) + 1
    record = [{key: value for key, value in line.items() if key != "digest"} for line in lines[:end]]
    edit(record)
    fresh = list(chain_lines(record))
    path.write_text("\n".join([*fresh, *(json.dumps(line) for line in lines[end:])]) + "\n")
    last = json.loads(fresh[-1])["digest"]
    change(bundle / "results.json", lambda results: results[stage][0]["digests"].__setitem__(0, last))


def findings_text(proof: Proof) -> str:
    return "\n".join(str(one.sentence()) for one in proof.findings)


def test_a_changed_file_is_found_by_its_checksum(bundle: Path) -> None:
    with (bundle / "cup.toml").open("a") as file:
        file.write("# a remark\n")
    assert "cup.toml: its SHA-256 is not the one in bundle.json" in findings_text(verify_bundle(bundle))


def test_another_seed(bundle: Path) -> None:
    change(bundle / "bundle.json", lambda manifest: manifest.update(seed="8"))
    found = findings_text(verify_bundle(bundle))
    assert "the seed does not match the commitment sha256:" in found
    assert "the record's seed was not derived from the cup's seed" in found


def test_another_seed_with_another_promise(bundle: Path) -> None:
    change(bundle / "bundle.json", lambda manifest: manifest.update(seed="8", commitment=commitment("8")))
    assert "the commitment is not the one in the cup file" in findings_text(verify_bundle(bundle))


def test_a_deal_that_was_chosen(bundle: Path) -> None:
    change_record(bundle, lambda record: record[0].update(seed="lucky"))
    seal(bundle)
    found = findings_text(verify_bundle(bundle))
    assert "stage league, series Ana | Davi, game 1: the record's seed was not derived" in found
    assert "as the seed gives" in found


def test_a_move_against_the_rules(bundle: Path) -> None:
    def edit(record: list[Any]) -> None:
        moves = [line["moves"][0] for line in record if "moves" in line]
        laid = [move for move in moves if move["by"] != "chance" and move["move"] != "pass"]
        laid[3]["move"] = laid[2]["move"]

    change_record(bundle, edit)
    seal(bundle)
    assert "turn" in findings_text(verify_bundle(bundle))


def test_another_outcome(bundle: Path) -> None:
    def edit(record: list[Any]) -> None:
        record[-1]["outcome"]["places"] = [
            3 - place if sorted(record[-1]["outcome"]["places"]) == [1, 2] else at + 1
            for at, place in enumerate(record[-1]["outcome"]["places"])
        ]

    change_record(bundle, edit)
    seal(bundle)
    assert "expected places = " in findings_text(verify_bundle(bundle))


def test_other_seats(bundle: Path) -> None:
    change_record(bundle, lambda record: record[0]["seats"].reverse())
    seal(bundle)
    assert "the seats are not the ones that follow from the seed" in findings_text(verify_bundle(bundle))


def test_other_options(bundle: Path) -> None:
    change_record(bundle, lambda record: record[0]["options"].update(blocked="points"))
    seal(bundle)
    assert "the record is of another game, or has other options" in findings_text(verify_bundle(bundle))


def test_another_bot_than_the_entrant(bundle: Path) -> None:
    change(bundle / "bundle.json", lambda manifest: manifest["entrants"]["Ana"].update(files="0" * 32))
    assert '"Ana" did not play with the files of the entrant' in findings_text(verify_bundle(bundle))


def test_a_second_self_that_is_somebody_else(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "rps")
    cup.path.write_text(cup.path.read_text().replace('# null = "..."', 'null = "Ana"'))
    cup = read(cup.path)
    other = {"Ana (null)": Entrant("greedy", "greedy", digest="0" * 32)}
    store, progress = play_cup(cup, tmp_path / "store.db", bots=other)
    with store:
        write_bundle(cup, progress, store, tmp_path / "bundle")
    found = findings_text(verify_bundle(tmp_path / "bundle"))
    assert '"Ana (null)" did not have the same files as "Ana", of which it is a copy' in found


def test_a_result_that_is_not_the_records(bundle: Path) -> None:
    def edit(results: Any) -> None:
        game = results["league"][1]["games"][0]
        game[1] = [2, 1] if game[1] == [1, 2] else [1, 2]

    change(bundle / "results.json", edit)
    seal(bundle)
    found = findings_text(verify_bundle(bundle))
    assert "its result does not match its records" in found
    assert "standings.json" not in found, "the tables are checked against the records, not the results"


def test_a_digest_that_is_not_the_records(bundle: Path) -> None:
    change(bundle / "results.json", lambda results: results["league"][0]["digests"].reverse())
    seal(bundle)
    assert "the digests of its records differ from those in its result" in findings_text(
        verify_bundle(bundle)
    )


def test_a_series_that_was_left_out(bundle: Path) -> None:
    path = bundle / "records" / "finals.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    ends = [at for at, line in enumerate(lines) if '"outcome"' in line]
    results = json.loads((bundle / "results.json").read_text())["finals"]
    games = len(results[-1]["games"])
    path.write_text("".join(lines[: ends[-games - 1] + 1]))
    change(bundle / "results.json", lambda content: content["finals"].pop())
    seal(bundle)
    found = findings_text(verify_bundle(bundle))
    assert "this series is missing, although it had to be played" in found
    assert "the table of the whole cup does not match the records" in found


def test_a_series_that_nobody_wanted(bundle: Path) -> None:
    change(bundle / "results.json", lambda results: results["finals"][0].update(key="4.3"))
    seal(bundle)
    assert "stage finals, series 4.3: this series should not have been played here" in findings_text(
        verify_bundle(bundle)
    )


def test_a_series_twice(bundle: Path) -> None:
    change(bundle / "results.json", lambda results: results["league"].insert(1, results["league"][0]))
    seal(bundle)
    assert "this series appears twice" in findings_text(verify_bundle(bundle))


def test_a_record_that_is_missing(bundle: Path) -> None:
    path = bundle / "records" / "league.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    second = next(at for at, line in enumerate(lines) if at and '"botequim"' in line)
    path.write_text("".join(lines[second:]))
    seal(bundle)
    assert "the record's seed was not derived from the cup's seed" in findings_text(verify_bundle(bundle))


def test_a_table_that_was_improved(bundle: Path) -> None:
    def edit(standings: Any) -> None:
        standings["overall"][0]["entrant"], standings["overall"][1]["entrant"] = (
            standings["overall"][1]["entrant"],
            standings["overall"][0]["entrant"],
        )
        standings["stages"]["league"][0]["figures"]["points"] += 3

    change(bundle / "standings.json", edit)
    seal(bundle)
    found = findings_text(verify_bundle(bundle))
    assert 'the table of "league" does not match the records' in found
    assert "the table of the whole cup does not match the records" in found


def test_a_cup_file_with_other_rules(bundle: Path) -> None:
    path = bundle / "cup.toml"
    path.write_text(path.read_text().replace("win = 3", "win = 2"))
    seal(bundle)
    found = findings_text(verify_bundle(bundle))
    assert '"digest" is' in found
    assert 'the table of "league" does not match the records' in found


def test_a_complete_forgery_of_a_timeout_is_told_only_by_the_digest_that_was_published(bundle: Path) -> None:
    """docs/reference/security.md: the seats, the deal and the rules are proved, but not who was late."""
    before = verify_bundle(bundle)
    champion = before.progress.overall()[0].entrant
    path = bundle / "records" / "finals.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        del line["digest"]
    starts = [at for at, line in enumerate(lines) if "botequim" in line]
    final = next(at for at in reversed(starts) if champion in [seat["name"] for seat in lines[at]["seats"]])
    end = next(at for at in range(final, len(lines)) if "outcome" in lines[at])
    seats = [seat["name"] for seat in lines[final]["seats"]]
    late = next(
        at
        for at in range(end - 1, final, -1)
        for move in lines[at]["moves"]
        if move["by"] != "chance" and seats[move["by"]] == champion
    )
    seat = lines[late]["moves"][0]["by"]
    fault = {
        "kind": "timeout",
        "why": {"text": "no answer in time"},
        "evidence": {"seconds": 5.003, "allowed": 5.0, "queued": 0.0},
    }
    lines[late]["moves"] = [{"by": seat, "move": "forfeit", "us": 5_003_112, "fault": fault}]
    outcome = {"outcome": {"how": "forfeit", "places": [2, 1] if seat % 2 == 0 else [1, 2]}}
    forged = [*lines[: late + 1], outcome, *lines[end + 1 :]]
    written: list[str] = []
    for at, line in enumerate(forged):
        if "botequim" in line:
            stop = next(i for i in range(at, len(forged)) if "outcome" in forged[i]) + 1
            written += chain_lines(forged[at:stop])
    path.write_text("\n".join(written) + "\n")
    assert not verify_bundle(bundle).ok
    rewrite_results(bundle)
    seal(bundle)

    after = verify_bundle(bundle)
    assert after.ok, findings_text(after)
    assert after.progress.overall()[0].entrant != champion
    assert after.commitment == before.commitment
    assert after.digest != before.digest


def rewrite_results(bundle: Path) -> None:
    """Write results and tables as they follow from the records, with the digests of those."""
    progress = verify_bundle(bundle).progress
    results: dict[str, Any] = {}
    for stage, series in progress.results.items():
        text = (bundle / records_name(stage)).read_text().splitlines()
        digests = iter([json.loads(line)["digest"] for line in text if '"outcome"' in line])
        results[stage] = [
            result.as_json() | {"digests": [next(digests) for _ in result.games]}
            for result in series.values()
        ]
    (bundle / "results.json").write_text(json.dumps(results))
    (bundle / "standings.json").write_text(json.dumps(standings_json(progress)))


# --- what is not a bundle -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("bundle.json", "{}", "this is not a bundle"),
        ("bundle.json", '{"botequim_bundle": 99}', "a bundle of version 99; this program reads 1"),
        ("bundle.json", '{"botequim_bundle": 1}', '"cup" is missing or of the wrong kind'),
        ("bundle.json", "[", "is not complete JSON"),
        ("results.json", "[]", "must contain a list of series for each stage"),
        ("cup.toml", "name = 1", "cup.toml:1"),
    ],
)
def test_what_cannot_be_understood_is_said(
    bundle: Path, name: str, content: str, said: str, capsys: Captured
) -> None:
    (bundle / name).write_text(content)
    assert main(["verify", str(bundle)]) == 1
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("name", ["cup.toml", "results.json", "standings.json", "records/league.jsonl"])
def test_a_missing_file_is_named(bundle: Path, name: str) -> None:
    (bundle / name).unlink()
    with pytest.raises(InputError, match=f"{name} is missing"):
        verify_bundle(bundle)


def test_a_damaged_zip_is_said(tmp_path: Path, made: Path, capsys: Captured) -> None:
    path = Path(shutil.make_archive(str(tmp_path / "b"), "zip", made))
    assert main(["verify", str(path)]) == 0
    content = bytearray(path.read_bytes())
    content[200:260] = bytes(60)
    path.write_bytes(content)
    assert main(["verify", str(path)]) == 1
    path.write_bytes(content[:300])
    assert main(["verify", str(path)]) == 1
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hello.txt", "hello")
    assert main(["verify", str(path)]) == 1
    assert "is not a bundle" in capsys.readouterr().out


@pytest.mark.parametrize(
    "entry",
    [3, [], {}, {"key": "Ana | Davi"}, {"key": ["Ana"]}, {"key": "Ana | Davi", "games": "x", "entrants": 3}],
)
def test_results_of_any_shape_break_nothing(bundle: Path, entry: object) -> None:
    change(bundle / "results.json", lambda results: results.update(league=[entry]))
    assert not verify_bundle(bundle).ok
    change(bundle / "results.json", lambda results: results.update(unknown=[entry]))
    assert 'the cup has no stage "unknown"' in findings_text(verify_bundle(bundle))


def test_json_and_portuguese(bundle: Path, capsys: Captured) -> None:
    assert main(["verify", str(bundle), "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert (value["ok"], value["promised"], value["seed"], value["findings"]) == (True, True, "7", [])
    change(bundle / "standings.json", lambda standings: standings["overall"].pop())
    assert main(["verify", str(bundle), "--lang", "pt_BR"]) == 1
    assert "não confere com os registros" in capsys.readouterr().out
