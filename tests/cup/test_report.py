"""What is published of a cup: the same truth in every format, and nothing that others wrote does harm."""

from __future__ import annotations

import base64
import json
import re
import shlex
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from botequim import i18n, registry
from botequim.bots.entrant import Entrant
from botequim.cli import main
from botequim.core.errors import BotequimError
from botequim.cup.audit import verify_bundle
from botequim.cup.config import Cup, Entry
from botequim.cup.config_parser import read
from botequim.cup.report import write_report
from botequim.cup.report.picture import ROOMS, SMALL
from botequim.cup.stages import CupState
from botequim.render.svg import text_width
from botequim.storage.files import record_name, safe_name
from botequim.storage.protocol import CupStore
from botequim.storage.sqlite.cup import SqliteCupStore
from tests.support.bots import BARE, script
from tests.support.cup_reports import NAMES, Page, entrants, rows
from tests.support.played_cups import cup_file, play_cup

BAD_BOT = """
import sys
print("my secret weights", file=sys.stderr, flush=True)
for line in sys.stdin:
    print('{"move": "<script>alert(1)</script>"}', flush=True)
"""
Played = tuple[Cup, CupState, CupStore]
PAGES = (("index", ".html"), ("report", ".md"))


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
    wire = registry.wire("cubos", "arena-lines")
    bad = Entrant.bot("Davi", "bots/bad.py", wire, program, digest="ab" * 16)
    store, progress = play_cup(cup, folder / "store.db", bots={"Davi": bad}, sandbox=BARE)
    with store:
        yield cup, progress, store


@pytest.fixture(scope="module")
def report(league: Played) -> Path:
    """With a few replays, and the bundle."""
    cup, progress, store = league
    write_report(cup, progress, store, cup.path.parent / "report", replays=6, bundle=True)
    return cup.path.parent / "report"


@pytest.fixture(scope="module")
def public(report: Path) -> Path:
    return report / "public"


@pytest.fixture(scope="module")
def feedback(report: Path) -> Path:
    """The sheets in English."""
    return report / "private" / "feedback" / "en"


# --- the same truth ----------------------------------------------------------------------------------


def test_the_files_that_are_there(report: Path) -> None:
    assert {path.name for path in report.iterdir()} == {"public", "private"}
    pages = {f"{name}{tag}{kind}" for name, kind in PAGES for tag in ("", ".en", ".pt-BR")}
    tables = {"standings.csv", "series.csv", "games.csv"}
    public = {path.name for path in (report / "public").iterdir()}
    assert public == {*pages, "report.json", *tables, "records", "replays", "bundle.zip"}
    assert {path.name for path in (report / "private").iterdir()} == {"grades.csv", "feedback"}
    sheets = [path.name for path in (report / "private" / "feedback").iterdir()]
    assert sorted(sheets) == ["en", "pt-BR"]
    assert len(list((report / "private" / "feedback" / "en").iterdir())) == 16
    assert not list(report.rglob("*.partial"))


def test_nothing_private_lies_in_the_public_folder(report: Path) -> None:
    private = {path.name for path in (report / "private").rglob("*") if path.is_file()}
    public = {path.name for path in (report / "public").rglob("*")}
    assert private
    assert not private & public
    assert not {"private", "feedback", "grades.csv"} & public


def test_the_page_tells_the_cup(league: Played, public: Path) -> None:
    _, progress, _ = league
    page = Page(public / "index.html")
    assert page.open == []
    for said in (
        "Rinha de dominó",
        "league",
        "finals",
        "Head to head",
        "How much is chance",
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
        if "replays" in path.parts:
            continue  # they have a script of their own
        page = Page(path)
        assert not page.names() & {"script", "link", "iframe", "object", "embed", "base", "form"}
        assert all(not name.startswith("on") for _, attributes in page.tags for name in attributes)
        sources = [str(attributes["src"]) for _, attributes in page.tags if "src" in attributes]
        assert all(source.startswith("data:image/") for source in sources)
        assert "url(" not in path.read_text(encoding="utf-8")
        assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in page.tags


def test_the_last_game_and_what_a_bot_saw_are_drawn(league: Played, public: Path, feedback: Path) -> None:
    cup, _, store = league
    faulty = next(fault.entrant for fault in store.faults() if fault.turn > 1)
    sheet = feedback / f"{safe_name(faulty)}.html"
    for path in (public / "index.html", sheet):
        boards = [attributes for name, attributes in Page(path).tags if attributes.get("class") == "board"]
        assert boards, path
        drawn = base64.b64decode(str(boards[0]["src"]).partition(",")[2]).decode("utf-8")
        assert drawn.startswith("<svg")
        assert boards[0]["alt"]
    assert faulty in [entry.name for entry in cup.entrants]


def test_links_lead_to_files(report: Path, public: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (*public.glob("*.html"), *(report / "private").rglob("*.html")):
        links = Page(path).links()
        assert len(links) > 1
        assert all((path.parent / link).is_file() for link in links)
        assert (
            all((path.parent / link).resolve().is_relative_to(public) for link in links)
            or path.parent != public
        )
    assert main(["verify", "--quiet", str(public / "records")]) == 0
    assert re.search(r"\d+ correct, 0 not", capsys.readouterr().out)


def test_markdown_tells_the_same(league: Played, public: Path) -> None:
    _, progress, _ = league
    text = (public / "report.md").read_text(encoding="utf-8")
    for row in progress.overall():
        assert re.search(
            rf"\| {row.place} \| {re.escape(row.entrant).replace('&', '&')}", text.replace("\\", "")
        )
    tables = [block for block in text.split("\n\n") if block.startswith("|")]
    for table in tables:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1, "every row has as many cells as the heading"


def test_json_tells_everything(league: Played, public: Path) -> None:
    cup, progress, _ = league
    value = json.loads((public / "report.json").read_text())
    assert (value["cup"], value["over"], value["seed"]) == (cup.name, True, "7")
    assert [row["entrant"] for row in value["overall"]] == [row.entrant for row in progress.overall()]
    stage = value["stages"][0]
    assert len(stage["series"]) == len(progress.results["league"])
    played_games = [game for series in stage["series"] for game in series["games"]]
    assert all((public / game["record"]).is_file() for game in played_games)
    duel = next(one for one in stage["cross"] if (one["one"], one["other"]) == ("Ana", "Davi"))
    assert duel["won"] == duel["games"] == 3
    assert duel["interval"][0] < 1
    davi = next(one for one in value["entrants"] if one["name"] == "Davi")
    assert davi["faults"]["malformed"] > 0
    assert davi["time"]["questions"] > 0
    told = [{name: part for name, part in one.items() if name != "time"} for one in value["entrants"]]
    assert "203" not in json.dumps(told), "student numbers are not for everybody"


def test_csv_adds_up(league: Played, public: Path) -> None:
    _, progress, _ = league
    standings = rows(public / "standings.csv")
    places = [
        (row["stage"], int(row["place"]), row["entrant"]) for row in standings if row["stage"] == "league"
    ]
    table = progress.standings("league")
    assert table is not None
    assert places == [("league", row.place, row.entrant) for row in table.rows]
    games = rows(public / "games.csv")
    series = rows(public / "series.csv")
    assert sum(int(row["games"]) for row in series) == 2 * len(games)
    assert sum(float(row["wins"]) for row in series) == len(games)
    assert all(1 in (int(row["place_1"]), int(row["place_2"])) for row in games)


def test_uno_publishes_every_table(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "uno")
    store, progress = play_cup(cup, tmp_path / "store.db")
    with store:
        write_report(cup, progress, store, tmp_path / "report", records=False, replays=0)
    public = tmp_path / "report" / "public"
    games = rows(public / "games.csv")
    assert len(games) == 4
    assert all(
        {row[f"entrant_{at}"] for at in (1, 2, 3)} < {"Ana", "Bento", "Carla", "Davi"} for row in games
    )
    assert "record" not in games[0]
    assert not (public / "records").exists()
    assert Page(public / "index.html").links() == ["index.pt-BR.html"]
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
    half = cup.state("7", {"league": dict(list(progress.results["league"].items())[:5])})
    write_report(cup, half, store, tmp_path, replays=0)
    public = tmp_path / "public"
    value = json.loads((public / "report.json").read_text())
    assert (value["over"], value["seed"]) == (False, None)
    page = Page(public / "index.html")
    assert "not finished yet" in page.text
    assert "The seed" not in page.text
    assert "The entrants are known when the previous stage is finished." in page.text
    assert sum(len(folder) for folder in [list((public / "records" / "league").iterdir())]) == 5


def test_nothing_played_yet(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "rps")
    with SqliteCupStore.open(tmp_path / "store.db", write=True) as store:
        write_report(cup, cup.state("7"), store, tmp_path / "report")
    assert "svg" in Page(tmp_path / "report" / "public" / "index.html").names()


def test_a_bracket_with_byes(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "rps", entrants=entrants(6))
    store, progress = play_cup(cup, tmp_path / "store.db")
    with store:
        write_report(cup, progress, store, tmp_path / "report", replays=0)
    text = (tmp_path / "report" / "public" / "index.html").read_text(encoding="utf-8")
    picture = text[text.index("<svg") : text.index("</svg>")]
    assert picture.count("<rect") == 5
    assert "quarter-finals" in picture
    assert picture.count('class="won"') == 5
    assert "Bento &amp; Cia" in picture


def test_a_long_name_stays_in_its_box(tmp_path: Path) -> None:
    wide = Entry("W" * 40, "random")
    cup = cup_file(tmp_path, "rps", entrants=[wide, *entrants(3)])
    store, progress = play_cup(cup, tmp_path / "store.db")
    with store:
        write_report(cup, progress, store, tmp_path / "report", replays=0)
    text = (tmp_path / "report" / "public" / "index.html").read_text(encoding="utf-8")
    picture = text[text.index("<svg") : text.index("</svg>")]
    shown = re.findall(r">(W+…?)<title", picture)
    assert shown
    assert all(text_width(name, SMALL) <= ROOMS[1] for name in shown)


def test_play_offs_have_words_and_are_not_mixed_with_the_league(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "cubos", entrants=[Entry(name, "greedy") for name in NAMES[:4]])
    store, progress = play_cup(cup, tmp_path / "store.db", "45")
    with store:
        assert any("||" in key for key in progress.results["league"])
        write_report(cup, progress, store, tmp_path / "report", replays=0)
    page = Page(tmp_path / "report" / "public" / "index.html")
    assert "||" not in page.text
    assert "play-off" in page.text
    assert "Play-offs are not counted here" in page.text
    stage = json.loads((tmp_path / "report" / "public" / "report.json").read_text())["stages"][0]
    assert {duel["games"] for duel in stage["cross"]} == {3}


# --- feedback ----------------------------------------------------------------------------------------


def test_a_sheet_shows_each_fault_and_how_to_ask_again(
    public: Path, feedback: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (feedback / f"{safe_name('Davi')}.md").read_text(encoding="utf-8")
    assert "my secret weights" in text
    assert '{"move": "<script>alert(1)</script>"}' in text, "in a fence it stays as it was"
    assert '"legal"' in text
    assert "more faults are not shown" in text
    command = next(line for line in text.splitlines() if line.startswith("botequim ask "))
    assert re.fullmatch(
        r"botequim ask records/league/\S+\.jsonl --turn \d+ --seat \d arena-lines:\.\./\.\./bots/bad\.py",
        command,
    )
    monkeypatch.chdir(public)
    assert main([*shlex.split(command)[1:], "--trust"]) == 1
    assert "alert(1)" in capsys.readouterr().out


def test_a_sheet_names_the_evidence_in_its_language(feedback: Path) -> None:
    for folder, words in (("en", "seconds used: 0."), ("pt-BR", "segundos usados: 0,")):
        text = (feedback.parent / folder / f"{safe_name('Davi')}.md").read_text(encoding="utf-8")
        assert words in text


def test_a_sheet_keeps_the_secrets_of_others(report: Path) -> None:
    for path in (report / "private" / "feedback").rglob("*.*"):
        if not path.name.startswith("Davi"):
            assert "secret weights" not in path.read_text(encoding="utf-8")
    for path in report.rglob("*"):
        if path.is_file() and "private" not in path.parts:
            assert b"secret weights" not in path.read_bytes()
    with zipfile.ZipFile(report / "public" / "bundle.zip") as bundle:
        assert not [name for name in bundle.namelist() if b"secret weights" in bundle.read(name)]


def test_a_record_has_the_digest_of_the_log_that_the_sheet_shows(league: Played, public: Path) -> None:
    _, _, store = league
    fault = store.faults("Davi")[0]
    log = fault.value().evidence["stderr"]
    assert "my secret weights" in log
    record = (
        (public / record_name(fault.stage, fault.key, fault.game)).read_text(encoding="utf-8").splitlines()
    )
    (move,) = json.loads(record[fault.turn])["moves"]
    assert move["fault"]["evidence"]["stderr_sha256"] == sha256(log.encode()).hexdigest()


def test_a_sheet_has_results_against_each_and_time(feedback: Path) -> None:
    page = Page(feedback / f"{safe_name('Ana')}.html")
    for said in ("against", "95 % interval", "win rate", "questions", "slowest", "None.", "Place "):
        assert said in page.text
    for other in NAMES[1:]:
        assert other in page.text


# --- languages ---------------------------------------------------------------------------------------


def test_all_of_it_speaks_portuguese(league: Played, tmp_path: Path) -> None:
    cup, progress, store = league
    i18n.set_language("pt_BR")
    write_report(cup, progress, store, tmp_path, replays=0)
    page = Page(tmp_path / "public" / "index.html")
    assert ("html", {"lang": "pt-BR"}) in page.tags
    for said in ("Confrontos diretos", "campeão", "Faltas", "terminada"):
        assert said in page.text
    for said in ("entrant", "place ", "finished", "Faults", "by games won"):
        assert said not in page.text
    sheet = Page(tmp_path / "private" / "feedback" / "pt-BR" / f"{safe_name('Davi')}.html")
    for said in ("pergunta", "resposta", "perguntar de novo"):
        assert said in sheet.text
    assert (
        (tmp_path / "public" / "standings.csv").read_text(encoding="utf-8").startswith("stage,place,entrant")
    )


def outline(path: Path) -> list[tuple[str, dict[str, str | None]]]:
    """Every tag of a page with its attributes, without what is translated."""
    words = ("alt", "src", "lang", "hreflang", "aria-label")
    return [
        (
            tag,
            {
                name: (value or "").partition("#lang=")[0]
                for name, value in attributes.items()
                if name not in words
            },
        )
        for tag, attributes in Page(path).tags
    ]


def figures(path: Path) -> list[str]:
    """All numbers in the text of a page; decimal points and commas do not count."""
    return re.findall(r"\d+", Page(path).text)


def test_both_languages_have_the_same_content(report: Path) -> None:
    feedback = report / "private" / "feedback"
    pairs = [(report / "public" / "index.en.html", report / "public" / "index.pt-BR.html")]
    pairs += [(path, feedback / "pt-BR" / path.name) for path in sorted((feedback / "en").glob("*.html"))]
    assert len(pairs) == 9
    for english, portuguese in pairs:
        assert ("html", {"lang": "pt-BR"}) in Page(portuguese).tags
        assert ("html", {"lang": "en"}) in Page(english).tags
        first, second = outline(english), outline(portuguese)
        switch = [at for at, (one, other) in enumerate(zip(first, second, strict=True)) if one != other]
        assert [first[at][0] for at in switch] == ["a"], "only the link to the other language differs"
        assert figures(english) == figures(portuguese)
        assert Page(english).text != Page(portuguese).text
    texts = [(report / "public" / f"report.{tag}.md").read_text("utf-8") for tag in ("en", "pt-BR")]
    links = [re.findall(r"\]\((?!report)([^)#]*)(?:#[^)]*)?\)", text) for text in texts]
    assert links[0] == links[1]
    assert len(links[0]) > 20


def test_each_page_leads_to_the_other_language_and_back(report: Path) -> None:
    for start in (report / "public" / "index.html", next((report / "private").rglob("*.html"))):
        there = start.parent / Page(start).links()[0]
        back = there.parent / Page(there).links()[0]
        assert Page(back).text == Page(start).text
        assert Page(there).text != Page(start).text


# --- replays and the bundle -----------------------------------------------------------------------


def test_some_games_can_be_played_back_and_the_others_are_named(league: Played, public: Path) -> None:
    _, progress, _ = league
    pages = sorted(path.relative_to(public).as_posix() for path in (public / "replays").rglob("*.html"))
    assert len(pages) == 6
    assert any(page.startswith("replays/finals/") for page in pages), "later stages come first"
    listed = [row["replay"] for row in rows(public / "games.csv")]
    assert sorted(filter(None, listed)) == pages
    games = sum(len(one.games) for results in progress.results.values() for one in results.values())
    shown = Page(public / "index.en.html")
    assert f"{games - 6} games have no replay page" in shown.text
    assert set(pages) <= set(shown.links())
    assert "Content-Security-Policy" in (public / pages[0]).read_text("utf-8")


def test_the_bundle_lies_in_the_public_folder_and_its_digest_on_the_page(public: Path) -> None:
    proof = verify_bundle(public / "bundle.zip")
    assert proof.ok
    page = Page(public / "index.html")
    assert "bundle.zip" in page.links()
    assert proof.digest in page.text


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
        shown_cup = replace(cup, entrants=tuple(portrayed))
        write_report(shown_cup, progress, store, tmp_path / "r", records=False, replays=0)
        tags = Page(tmp_path / "r" / "public" / "index.html").tags
        images = [one for one in tags if one[0] == "img" and one[1].get("class") != "board"]
        assert bool(images) is shown
        if shown:
            assert str(images[0][1]["src"]).startswith("data:image/png;base64,")


def test_what_cannot_be_written_is_said_and_what_was_there_stays(league: Played, tmp_path: Path) -> None:
    cup, progress, store = league
    (tmp_path / "public" / "index.html").mkdir(parents=True)
    with pytest.raises(BotequimError, match=r"index\.html cannot be written"):
        write_report(cup, progress, store, tmp_path, records=False, replays=0)
    assert not list(tmp_path.rglob("*.partial"))
