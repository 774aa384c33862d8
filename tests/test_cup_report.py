"""What is published of a cup: the same truth in every format, and nothing that others wrote does harm."""

from __future__ import annotations

import base64
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from botequim import i18n
from botequim.cli import main
from botequim.core.errors import BotequimError
from botequim.cup.file import Cup, Entry
from botequim.cup.output import record_name, safe_name
from botequim.cup.reading import read
from botequim.cup.report import write_report
from botequim.cup.report.picture import WIDTH
from botequim.cup.stages import Progress
from botequim.cup.store import Store
from botequim.entrants.entrant import Entrant
from botequim.picture.svg import measured
from tests.bots import BARE, script
from tests.cup_reports import NAMES, Page, entrants, rows
from tests.played_cups import cup_file, played

BAD_BOT = """
import sys
print("my secret weights", file=sys.stderr, flush=True)
for line in sys.stdin:
    print('{"move": "<script>alert(1)</script>"}', flush=True)
"""
Played = tuple[Cup, Progress, Store]


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """cubos with eight, one of them a program that answers nonsense, and a null entrant."""
    folder = tmp_path_factory.mktemp("league")
    entries = entrants(8)
    entries[3] = replace(entries[3], bot="bots/bad.py", wire="arena-lines", students=("103", "104", "203"))
    cup = cup_file(folder, "cubos", entrants=entries)
    cup.path.write_text(cup.path.read_text().replace('# null = "..."', 'null = "Ana"'))
    cup = read(cup.path)
    (folder / "bots").mkdir()
    program = script(folder / "bots", BAD_BOT, "bad.py")
    bad = Entrant("Davi", "bots/bad.py", "arena-lines", program, digest="ab" * 16)
    store, progress = played(cup, folder / "store.db", bots={"Davi": bad}, sandbox=BARE)
    with store:
        yield cup, progress, store


@pytest.fixture(scope="module")
def report(league: Played) -> Path:
    cup, progress, store = league
    write_report(cup, progress, store, cup.path.parent / "report")
    return cup.path.parent / "report"


# --- the same truth ----------------------------------------------------------------------------------


def test_the_files_that_are_there(report: Path) -> None:
    public = {path.name for path in report.iterdir()}
    tables = {"standings.csv", "series.csv", "games.csv"}
    assert public == {"index.html", "report.md", "report.json", *tables, "records", "private"}
    assert len(list((report / "private" / "feedback").iterdir())) == 16
    assert not list(report.rglob("*.partial"))


def test_the_page_tells_the_cup(league: Played, report: Path) -> None:
    _, progress, _ = league
    page = Page(report / "index.html")
    assert page.open == []
    for said in (
        "Rinha de dominó",
        "league",
        "finals",
        "Who did what against whom",
        "How much is noise",
        "champion",
    ):
        assert said in page.text
    for row in progress.overall():
        assert row.entrant in page.text
        if row.why is not None:
            assert str(row.why) in page.text
    assert "third place" in page.text
    assert "svg" in page.names()
    assert "sha256:" in page.text


def test_the_page_needs_nothing_and_runs_nothing(report: Path) -> None:
    for path in report.rglob("*.html"):
        page = Page(path)
        assert not page.names() & {"script", "link", "iframe", "object", "embed", "base", "form"}
        assert all(not name.startswith("on") for _, attributes in page.tags for name in attributes)
        sources = [str(attributes["src"]) for _, attributes in page.tags if "src" in attributes]
        assert all(source.startswith("data:image/") for source in sources)
        assert "url(" not in path.read_text(encoding="utf-8")
        assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in page.tags


def test_the_last_game_and_what_a_bot_saw_are_drawn(league: Played, report: Path) -> None:
    cup, _, store = league
    faulty = next(note.entrant for _, _, note in store.faults() if note.turn > 1)
    sheet = report / "private" / "feedback" / f"{safe_name(faulty)}.html"
    for path in (report / "index.html", sheet):
        boards = [attributes for name, attributes in Page(path).tags if attributes.get("class") == "board"]
        assert boards, path
        drawn = base64.b64decode(str(boards[0]["src"]).partition(",")[2]).decode("utf-8")
        assert drawn.startswith("<svg")
        assert boards[0]["alt"]
    assert faulty in [entry.name for entry in cup.entrants]


def test_links_lead_to_records(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (report / "index.html", *(report / "private").rglob("*.html")):
        links = Page(path).links()
        assert links
        assert all((path.parent / link).is_file() for link in links)
    assert main(["verify", "--quiet", str(report / "records")]) == 0
    assert re.search(r"\d+ true, 0 not", capsys.readouterr().out)


def test_markdown_tells_the_same(league: Played, report: Path) -> None:
    _, progress, _ = league
    text = (report / "report.md").read_text(encoding="utf-8")
    for row in progress.overall():
        assert re.search(
            rf"\| {row.place} \| {re.escape(row.entrant).replace('&', '&')}", text.replace("\\", "")
        )
    tables = [block for block in text.split("\n\n") if block.startswith("|")]
    for table in tables:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1, "every row has as many cells as the heading"


def test_json_tells_everything(league: Played, report: Path) -> None:
    cup, progress, _ = league
    value = json.loads((report / "report.json").read_text())
    assert (value["cup"], value["over"], value["seed"]) == (cup.name, True, "7")
    assert [row["entrant"] for row in value["overall"]] == [row.entrant for row in progress.overall()]
    stage = value["stages"][0]
    assert len(stage["series"]) == len(progress.results["league"])
    played_games = [game for series in stage["series"] for game in series["games"]]
    assert all((report / game["record"]).is_file() for game in played_games)
    duel = next(one for one in stage["cross"] if (one["one"], one["other"]) == ("Ana", "Davi"))
    assert duel["won"] == duel["games"] == 3
    assert duel["interval"][0] < 1
    davi = next(one for one in value["entrants"] if one["name"] == "Davi")
    assert davi["faults"]["malformed"] > 0
    assert davi["time"]["questions"] > 0
    told = [{name: part for name, part in one.items() if name != "time"} for one in value["entrants"]]
    assert "203" not in json.dumps(told), "student numbers are not for everybody"


def test_csv_adds_up(league: Played, report: Path) -> None:
    _, progress, _ = league
    standings = rows(report / "standings.csv")
    places = [
        (row["stage"], int(row["place"]), row["entrant"]) for row in standings if row["stage"] == "league"
    ]
    table = progress.standings("league")
    assert table is not None
    assert places == [("league", row.place, row.entrant) for row in table.rows]
    games = rows(report / "games.csv")
    series = rows(report / "series.csv")
    assert sum(int(row["games"]) for row in series) == 2 * len(games)
    assert sum(float(row["wins"]) for row in series) == len(games)
    assert all(1 in (int(row["place_1"]), int(row["place_2"])) for row in games)


def test_uno_publishes_every_table(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "uno")
    store, progress = played(cup, tmp_path / "store.db")
    with store:
        write_report(cup, progress, store, tmp_path / "report", records=False)
    games = rows(tmp_path / "report" / "games.csv")
    assert len(games) == 4
    assert all(
        {row[f"entrant_{at}"] for at in (1, 2, 3)} < {"Ana", "Bento", "Carla", "Davi"} for row in games
    )
    assert "record" not in games[0]
    assert not (tmp_path / "report" / "records").exists()
    assert Page(tmp_path / "report" / "index.html").links() == []
    assert not (tmp_path / "report" / "private" / "grades.csv").exists()


def test_grades_have_a_line_for_each_student(league: Played, report: Path) -> None:
    _, progress, _ = league
    grades = rows(report / "private" / "grades.csv")
    places = {row.entrant: row.place for row in progress.overall()}
    assert [row["student"] for row in grades] == sorted({f"10{at}" for at in range(8)} | {"203"})
    for row in grades:
        assert int(row["place"]) == places[row["entrant"]]
    both = next(row for row in grades if row["student"] == "104")
    assert {both["entrant"], both["others"]} == {"Davi", "Eva"}
    assert places[both["entrant"]] < places[both["others"]], "who is in two is graded by the better"
    assert float(both["league.points"]) >= 0


def test_a_cup_in_the_middle_keeps_its_seed(league: Played, tmp_path: Path) -> None:
    cup, progress, store = league
    half = cup.progress("7", {"league": dict(list(progress.results["league"].items())[:5])})
    write_report(cup, half, store, tmp_path)
    value = json.loads((tmp_path / "report.json").read_text())
    assert (value["over"], value["seed"]) == (False, None)
    page = Page(tmp_path / "index.html")
    assert "not finished yet" in page.text
    assert "The seed" not in page.text
    assert "Who takes part is known when the stage before is finished." in page.text
    assert sum(len(folder) for folder in [list((tmp_path / "records" / "league").iterdir())]) == 5


def test_nothing_played_yet(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "rps")
    with Store.open(tmp_path / "store.db", write=True) as store:
        write_report(cup, cup.progress("7"), store, tmp_path / "report")
    assert "svg" in Page(tmp_path / "report" / "index.html").names()


def test_a_bracket_with_byes(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "rps", entrants=entrants(6))
    store, progress = played(cup, tmp_path / "store.db")
    with store:
        write_report(cup, progress, store, tmp_path / "report")
    text = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    picture = text[text.index("<svg") : text.index("</svg>")]
    assert picture.count("<rect") == 5
    assert "quarter-finals" in picture
    assert picture.count('class="won"') == 5
    assert "Bento &amp; Cia" in picture


def test_a_long_name_stays_in_its_box(tmp_path: Path) -> None:
    wide = Entry("W" * 40, "random")
    cup = cup_file(tmp_path, "rps", entrants=[wide, *entrants(3)])
    store, progress = played(cup, tmp_path / "store.db")
    with store:
        write_report(cup, progress, store, tmp_path / "report")
    text = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    picture = text[text.index("<svg") : text.index("</svg>")]
    shown = re.findall(r">(W+…?)<title", picture)
    assert shown
    assert all(measured(name, 14) < WIDTH - 20 for name in shown)


def test_play_offs_have_words_and_are_not_mixed_with_the_league(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "cubos", entrants=[Entry(name, "greedy") for name in NAMES[:4]])
    store, progress = played(cup, tmp_path / "store.db", "45")
    with store:
        assert any("||" in key for key in progress.results["league"])
        write_report(cup, progress, store, tmp_path / "report")
    page = Page(tmp_path / "report" / "index.html")
    assert "||" not in page.text
    assert "play-off" in page.text
    assert "Play-offs are not counted in it" in page.text
    stage = json.loads((tmp_path / "report" / "report.json").read_text())["stages"][0]
    assert {duel["games"] for duel in stage["cross"]} == {3}


# --- feedback ----------------------------------------------------------------------------------------


def test_a_sheet_shows_each_fault_and_how_to_ask_again(
    report: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (report / "private" / "feedback" / f"{safe_name('Davi')}.md").read_text(encoding="utf-8")
    assert "my secret weights" in text
    assert '{"move": "<script>alert(1)</script>"}' in text, "in a fence it stays as it was"
    assert '"legal"' in text
    assert "more faults are not shown" in text
    command = next(line for line in text.splitlines() if line.startswith("botequim ask "))
    assert re.fullmatch(
        r"botequim ask records/league/\S+\.jsonl --turn \d+ --seat \d arena-lines:\.\./bots/bad\.py", command
    )
    monkeypatch.chdir(report)
    assert main([*shlex.split(command)[1:], "--trust"]) == 1
    assert "alert(1)" in capsys.readouterr().out


def test_a_sheet_keeps_the_secrets_of_others(report: Path) -> None:
    for path in (report / "private" / "feedback").iterdir():
        if not path.name.startswith("Davi"):
            assert "secret weights" not in path.read_text(encoding="utf-8")
    for path in report.rglob("*"):
        if path.is_file() and "private" not in path.parts:
            assert "secret weights" not in path.read_text(encoding="utf-8")


def test_a_record_has_the_digest_of_the_log_that_the_sheet_shows(league: Played, report: Path) -> None:
    _, _, store = league
    stage, key, note = store.faults("Davi")[0]
    log = json.loads(note.fault)["evidence"]["stderr"]
    assert "my secret weights" in log
    record = (report / record_name(stage, key, note.game)).read_text(encoding="utf-8").splitlines()
    (move,) = json.loads(record[note.turn])["moves"]
    assert move["fault"]["evidence"]["stderr_sha256"] == sha256(log.encode()).hexdigest()


def test_a_sheet_has_results_against_each_and_time(report: Path) -> None:
    page = Page(report / "private" / "feedback" / f"{safe_name('Ana')}.html")
    for said in ("against", "95 % interval", "win rate", "questions", "slowest", "None.", "Place "):
        assert said in page.text
    for other in NAMES[1:]:
        assert other in page.text


# --- languages ---------------------------------------------------------------------------------------


def test_all_of_it_speaks_portuguese(league: Played, tmp_path: Path) -> None:
    cup, progress, store = league
    i18n.use("pt_BR")
    write_report(cup, progress, store, tmp_path)
    page = Page(tmp_path / "index.html")
    assert ("html", {"lang": "pt-BR"}) in page.tags
    for said in ("Quem fez o quê contra quem", "campeão", "Faltas", "terminada"):
        assert said in page.text
    for said in ("entrant", "place ", "finished", "Faults", "by games won"):
        assert said not in page.text
    sheet = Page(tmp_path / "private" / "feedback" / f"{safe_name('Davi')}.html")
    for said in ("pergunta", "resposta", "perguntar de novo"):
        assert said in sheet.text
    assert (tmp_path / "standings.csv").read_text(encoding="utf-8").startswith("stage,place,entrant")


# --- pictures and files ---------------------------------------------------------------------------


def test_only_images_are_shown(league: Played, tmp_path: Path) -> None:
    cup, progress, store = league
    champion = progress.overall()[0].entrant
    picture = tmp_path / "portrait.png"
    for content, shown in ((b"\x89PNG\r\n\x1a\nrest", True), (b"<svg onload=alert(1)>", False)):
        picture.write_bytes(content)
        portrayed = [
            replace(one, portrait=str(picture)) if one.name == champion else one for one in cup.entrants
        ]
        write_report(replace(cup, entrants=tuple(portrayed)), progress, store, tmp_path / "r", records=False)
        tags = Page(tmp_path / "r" / "index.html").tags
        images = [one for one in tags if one[0] == "img" and one[1].get("class") != "board"]
        assert bool(images) is shown
        if shown:
            assert str(images[0][1]["src"]).startswith("data:image/png;base64,")


def test_what_cannot_be_written_is_said_and_what_was_there_stays(league: Played, tmp_path: Path) -> None:
    cup, progress, store = league
    (tmp_path / "index.html").mkdir()
    with pytest.raises(BotequimError, match=r"index\.html cannot be written"):
        write_report(cup, progress, store, tmp_path, records=False)
    assert not list(tmp_path.rglob("*.partial"))
